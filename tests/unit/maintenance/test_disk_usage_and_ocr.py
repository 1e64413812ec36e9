"""How much room is taken on the disk, and what can read text in pictures."""

from __future__ import annotations

from pathlib import Path
from typing import cast

import pytest

from citeloom.api.maintenance import ShowDiskUsage
from citeloom.api.models import ListOcr, OcrEngine
from citeloom.catalog import Catalog
from citeloom.conversion.ocr import tesseract_engine
from citeloom.core import paths
from citeloom.core.settings import Ocr
from citeloom.maintenance.disk_usage import DiskUsageService
from citeloom.maintenance.ocr import OcrService


def test_sizes_name_every_part_and_their_sum(catalog: Catalog, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CITELOOM_HOME", str(tmp_path))
    for place in (paths.conversions_folder(), paths.models_folder(), str(tmp_path / "zotero" / "files")):
        Path(place).mkdir(parents=True)
        (Path(place) / "one").write_bytes(bytes(100_000))
    (Path(paths.models_folder()) / "link").symlink_to(Path(paths.models_folder()) / "one")
    Path(paths.catalog_file()).write_bytes(bytes(50_000))
    service = DiskUsageService(Path(paths.conversions_folder()), tmp_path / "zotero", cast("Catalog", None))
    found = service.show_usage(ShowDiskUsage())
    by_name = {part.name: part.bytes for part in found.parts}
    assert list(by_name) == ["index", "catalog", "conversions", "models", "zotero", "logs"]
    assert by_name["index"] == by_name["logs"] == 0 and by_name["catalog"] >= 50_000
    assert all(100_000 <= by_name[name] < 150_000 for name in ("conversions", "models", "zotero"))
    assert found.total == sum(by_name.values()) and found.free > 0
    assert found.data_folder == str(tmp_path)


def test_languages_are_here_when_the_engine_in_the_settings_can_read_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("eng", "deu_latf", "jpn_vert", "osd"):
        (tmp_path / f"{name}.traineddata").touch()
    installed = tesseract_engine.Installation(tmp_path / "tesseract", "here", (tmp_path,))
    monkeypatch.setattr(tesseract_engine, "find", lambda: installed)
    answer = OcrService(Ocr()).list_ocr(ListOcr())
    assert answer.engines[0] == OcrEngine("tesseract", installed=True, problem=None)
    assert {language.code for language in answer.languages if language.installed} == {"en", "de-Latf", "jpn_vert"}
    assert ("German", False) in {(language.name, language.installed) for language in answer.languages}

    monkeypatch.setattr(tesseract_engine, "find", lambda: None)
    answer = OcrService(Ocr()).list_ocr(ListOcr())
    assert answer.engines[0].problem and not any(language.installed for language in answer.languages)
    by_rapid = OcrService(Ocr(engine="rapidocr")).list_ocr(ListOcr())
    assert any(language.installed for language in by_rapid.languages) == by_rapid.engines[1].installed
