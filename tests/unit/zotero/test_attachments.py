"""An attachment's file is found where Zotero has it, and nowhere that it has no business."""

from __future__ import annotations

import unicodedata
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citeloom.zotero.attachments import file_of
from citeloom.zotero.types import AttachmentFile, Item, item_from_json
from tests.zotero_stand_in.world import World, example

KEY = "ABCD2345"


def attachment(**data: Any) -> Item:
    return Item(KEY, {"itemType": "attachment", "linkMode": "imported_file", **data})


def stored(data_folder: Path, name: str) -> Path:
    path = data_folder / "storage" / KEY / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"%PDF")
    return path


def reason(found: AttachmentFile) -> str:
    assert found.path is None
    assert found.reason.endswith(".")
    return found.reason


def test_stored_and_linked_files_and_snapshots_are_found_and_the_rest_has_a_reason(tmp_path: Path) -> None:
    world = World(tmp_path / "zotero", base_folder=tmp_path / "base")
    keys = example(world)
    keys["relative"] = world.attach(None, "r.pdf", b"%PDF", mode="linked_file", path="attachments:sub/r.pdf")
    found = {
        name: file_of(item_from_json(world.item(keys[name])), world.data_folder, world.base_folder)
        for name in ("article_pdf", "book_epub", "preprint_linked", "preprint_snapshot", "standalone_pdf", "relative")
    }
    assert found == {name: AttachmentFile(world.path(keys[name])) for name in found}
    missing, link = (item_from_json(world.item(keys[name])) for name in ("article_missing", "preprint_link"))
    assert "has not downloaded missing.pdf" in reason(file_of(missing, world.data_folder, None))
    assert "web page" in reason(file_of(link, world.data_folder, None))


@pytest.mark.parametrize("name", ["../outside.pdf", "..", "/etc/hosts", "sub/../../outside.pdf", ".", "a\0b/../c"])
def test_a_stored_name_cannot_lead_out_of_its_folder(tmp_path: Path, name: str) -> None:
    stored(tmp_path, "inside.pdf")
    (tmp_path / "storage" / "outside.pdf").write_bytes(b"%PDF")
    assert "outside the attachment's own folder" in reason(file_of(attachment(filename=name), tmp_path, None))


def test_a_link_in_the_folder_cannot_lead_out_of_it(tmp_path: Path) -> None:
    outside = tmp_path / "outside.pdf"
    outside.write_bytes(b"%PDF")
    inside = stored(tmp_path, "inside.pdf")
    for name, target in (("out.pdf", outside), ("in.pdf", inside)):
        (inside.parent / name).symlink_to(target)
    assert "outside" in reason(file_of(attachment(filename="out.pdf"), tmp_path, None))
    assert file_of(attachment(filename="in.pdf"), tmp_path, None).path == inside.parent / "in.pdf"


def test_an_attachment_whose_key_is_a_path_is_refused(tmp_path: Path) -> None:
    stored(tmp_path, "a.pdf")
    item = Item(f"../storage/{KEY}", {"linkMode": "imported_file", "filename": "a.pdf"})
    assert "outside" in reason(file_of(item, tmp_path, None))


def test_a_storage_folder_that_was_moved_behind_a_link_is_followed(tmp_path: Path) -> None:
    real = stored(tmp_path / "cloud", "a.pdf")
    (tmp_path / "zotero").mkdir()
    (tmp_path / "zotero" / "storage").symlink_to(tmp_path / "cloud" / "storage")
    found = file_of(attachment(filename="a.pdf"), tmp_path / "zotero", None)
    assert found.path and found.path.samefile(real)


@pytest.mark.parametrize("on_disk", ["NFC", "NFD"])
@pytest.mark.parametrize("told", ["Müller – Über Ärger.pdf", "müller – über ärger.PDF"])
def test_accents_and_case_may_be_written_differently(tmp_path: Path, on_disk: str, told: str) -> None:
    path = stored(tmp_path, unicodedata.normalize(on_disk, "Müller – Über Ärger.pdf"))  # type: ignore[arg-type]
    found = file_of(attachment(filename=told), tmp_path, None)
    assert found.path and found.path.samefile(path)


def test_accents_in_the_folders_of_a_linked_file_may_be_written_differently(tmp_path: Path) -> None:
    path = tmp_path / unicodedata.normalize("NFD", "Bücher") / "ä.pdf"
    path.parent.mkdir()
    path.write_bytes(b"%PDF")
    told = str(tmp_path / "Bücher" / "ä.pdf")
    found = file_of(attachment(linkMode="linked_file", path=told), None, None)
    assert found.path and found.path.samefile(path)


@pytest.mark.parametrize(
    ("path", "why"),
    [
        (r"C:\Users\me\paper.pdf", "another computer"),
        (r"\\server\share\paper.pdf", "another computer"),
        ("/nowhere/paper.pdf", "not on this computer"),
        ("attachments:paper.pdf", "base folder"),
        ("", "does not say"),
    ],
)
def test_a_linked_file_that_is_not_here_says_why(path: str, why: str) -> None:
    assert why in reason(file_of(attachment(linkMode="linked_file", path=path), None, None))


def test_a_relative_link_stays_in_its_base_folder(tmp_path: Path) -> None:
    (tmp_path / "secret.pdf").write_bytes(b"%PDF")
    base = tmp_path / "base"
    base.mkdir()
    for path in ("attachments:../secret.pdf", f"attachments:{tmp_path / 'secret.pdf'}", r"attachments:..\secret.pdf"):
        assert "outside the base folder" in reason(file_of(attachment(linkMode="linked_file", path=path), None, base))


def test_a_folder_is_no_file_and_an_unknown_place_is_said(tmp_path: Path) -> None:
    (tmp_path / "storage" / KEY / "a.pdf").mkdir(parents=True)
    assert "is a folder" in reason(file_of(attachment(filename="a.pdf"), tmp_path, None))
    assert "not known where" in reason(file_of(attachment(filename="a.pdf"), None, None))
    assert "picture" in reason(file_of(attachment(linkMode="embedded_image"), tmp_path, None))
    assert "does not say" in reason(file_of(Item(KEY), tmp_path, None))


json_values = st.none() | st.booleans() | st.integers() | st.text() | st.lists(st.text(), max_size=2)
modes = st.sampled_from(["imported_file", "imported_url", "linked_file", "linked_url", "embedded_image"])


@given(st.text(), modes | json_values, json_values, json_values)
def test_no_data_makes_it_fail_or_lead_to_a_file(key: str, mode: Any, name: Any, path: Any) -> None:
    nowhere = Path("/nowhere/at/all")
    found = file_of(Item(key, {"linkMode": mode, "filename": name, "path": path}), nowhere, nowhere)
    assert found.path is None or mode == "linked_file"
    assert bool(found.path) != bool(found.reason)


def test_a_name_too_long_for_any_disk_has_a_reason(tmp_path: Path) -> None:
    stored(tmp_path, "a.pdf")
    assert "cannot be read" in reason(file_of(attachment(filename="x" * 5000), tmp_path, None))
