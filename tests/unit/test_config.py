"""The settings file: what it says is taken, what it cannot mean is refused with the file and the key."""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citeloom import config
from citeloom.errors import CiteLoomError, Code


def write(folder: Path, text: str) -> Path:
    file = folder / "citeloom.toml"
    file.write_text(text, encoding="utf-8")
    return file


def refusal(file: Path) -> str:
    with pytest.raises(CiteLoomError) as caught:
        config.load(file)
    assert caught.value.code == Code.INVALID_INPUT
    assert str(file) in caught.value.message
    assert caught.value.next_step
    return caught.value.message


def test_without_a_file_everything_has_its_default(tmp_path: Path) -> None:
    assert config.load(tmp_path / "citeloom.toml") == config.Settings()


def test_the_file_in_the_config_folder_is_the_one_that_counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CITELOOM_HOME", str(tmp_path))
    write(tmp_path, 'default_project = "thesis"')
    assert config.load().default_project == "thesis"


def test_what_is_written_is_taken_and_the_rest_keeps_its_default(tmp_path: Path) -> None:
    settings = config.load(
        write(
            tmp_path,
            """
            default_project = "thesis"
            [models]
            sparse = ""
            allow_download = true
            [search]
            top_k = 9
            fusion = "dbsf"
            [ocr]
            languages = ["fr"]
            [timeouts]
            query = 20
            """,
        )
    )
    assert settings.default_project == "thesis"
    assert (settings.models.sparse, settings.models.allow_download) == ("", True)
    assert settings.models.dense == config.BUNDLED_DENSE
    assert (settings.search.top_k, settings.search.fusion, settings.search.max_top_k) == (9, "dbsf", 20)
    assert (settings.ocr.languages, settings.ocr.engine) == (("fr",), "tesseract")
    assert (settings.timeouts.of("query"), settings.timeouts.of("get_passage")) == (20.0, 5.0)


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("[engine]\nidle_minutes = 0.5", 0.5),
        ("[timeouts]\nquery = 7.5", 7.5),
        ("[timeouts]\nother = 2.25", 2.25),
    ],
)
def test_a_fraction_of_a_minute_or_second_can_be_written(tmp_path: Path, text: str, named: float) -> None:
    settings = config.load(write(tmp_path, text))
    assert named in (settings.engine.idle_minutes, settings.timeouts.query, settings.timeouts.other)


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("defaultproject = 'x'", "defaultproject"),
        ("[serach]\ntop_k = 3", "serach"),
        ("[search]\ntopk = 3", "search.topk"),
        ("[search]\ntop_k = '3'", "search.top_k"),
        ("[search]\ntop_k = 3.5", "search.top_k"),
        ("[search]\ntop_k = true", "search.top_k"),
        ("[search]\ntop_k = -1", "search.top_k"),
        ("[search]\nfusion = 'best'", "search.fusion"),
        ("[ocr]\nengine = 'eyes'", "ocr.engine"),
        ("[ocr]\nlanguages = 'en'", "ocr.languages"),
        ("[ocr]\nlanguages = []", "ocr.languages"),
        ("[ocr]\nlanguages = ['en', 3]", "ocr.languages"),
        ("[models]\nallow_download = 1", "models.allow_download"),
        ("[models]\ndense = ['a']", "models.dense"),
        ("[models.dense]\nname = 'a'", "models.dense"),
        ("[timeouts]\nquery = -0.5", "timeouts.query"),
        ("[timeouts]\nquery = nan", "timeouts.query"),
        ("[engine]\nidle_minutes = 'ten'", "engine.idle_minutes"),
        ("[engine]\nmin_free_mb = 2020-01-01", "engine.min_free_mb"),
        ("privacy = false", "privacy"),
        ("[[privacy]]\naccess_log = false", "privacy"),
    ],
)
def test_what_a_setting_cannot_be_is_refused_by_its_name(tmp_path: Path, text: str, named: str) -> None:
    assert named in refusal(write(tmp_path, text))


@pytest.mark.parametrize("data", [b"[search\ntop_k = 3", b"top_k = \xff\xfe", b"= 3", b"[search]\n[search]"])
def test_a_file_that_is_no_toml_is_refused(tmp_path: Path, data: bytes) -> None:
    file = tmp_path / "citeloom.toml"
    file.write_bytes(data)
    refusal(file)


def test_a_folder_in_the_place_of_the_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "citeloom.toml").mkdir()
    refusal(tmp_path / "citeloom.toml")


def keys(of: type, prefix: str = "") -> list[str]:
    default = of()
    found = []
    for field in fields(of):
        value = getattr(default, field.name)
        found += keys(type(value), f"{prefix}{field.name}.") if is_dataclass(value) else [prefix + field.name]
    return found


values = st.one_of(
    st.booleans().map(lambda b: str(b).lower()),
    st.integers(-(2**63), 2**63 - 1).map(str),
    st.floats().map(repr),
    st.sampled_from(['""', '"rrf"', "[]", "[1]", "{}", "{a = 1}", "2024-01-01"]),
)


@given(name=st.sampled_from(keys(config.Settings)), value=values)
def test_any_value_is_taken_as_its_settings_kind_or_refused_by_name(
    tmp_path_factory: pytest.TempPathFactory, name: str, value: str
) -> None:
    file = write(tmp_path_factory.getbasetemp(), f"{name} = {value}")
    try:
        settings = config.load(file)
    except CiteLoomError as error:
        assert error.code == Code.INVALID_INPUT
        assert name in error.message or name.split(".", maxsplit=1)[0] in error.message
        return
    given_value, default = settings, config.Settings()
    for part in name.split("."):
        given_value, default = getattr(given_value, part), getattr(default, part)
    assert isinstance(given_value, bool) == isinstance(default, bool)
    assert isinstance(given_value, str) == isinstance(default, str)
    assert isinstance(given_value, str | tuple) or given_value >= 0
