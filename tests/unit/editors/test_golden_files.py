"""Each editor's file, with comments and other servers in it, before and after: byte for byte."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from citeloom import editors
from citeloom.editors import EDITORS, DetectedEditor
from tests.support import ROOT

GOLDEN = ROOT / "tests" / "golden" / "editors"
Look = Callable[[str], DetectedEditor]
PROJECTS, TOOLSETS = ["thesis"], ["read"]


def pair(editor_id: str) -> tuple[bytes, bytes]:
    ending = {"yaml": "yaml", "toml": "toml"}.get(EDITORS[editor_id].format, "json")
    before, after = (GOLDEN / f"{editor_id}.{when}.{ending}" for when in ("before", "after"))
    return before.read_bytes(), after.read_bytes()


def windows(text: bytes) -> bytes:
    """The same, as an editor on Windows writes it."""
    return b"\xef\xbb\xbf" + text.replace(b"\n", b"\r\n")


def holding(found: DetectedEditor, content: bytes) -> None:
    found.file.parent.mkdir(parents=True, exist_ok=True)
    found.file.write_bytes(content)


@pytest.mark.parametrize("as_written", [bytes, windows], ids=["unix", "windows"])
@pytest.mark.parametrize("editor_id", EDITORS)
def test_the_entry_is_put_in_and_everything_else_stays(
    editor_id: str, as_written: Callable[[bytes], bytes], look: Look
) -> None:
    before, after = map(as_written, pair(editor_id))
    holding(look(editor_id), before)
    change = editors.install(look(editor_id), PROJECTS, TOOLSETS)
    assert change.file.read_bytes() == after
    assert change.backup is not None and change.backup.read_bytes() == before
    connected = look(editor_id).connected
    assert connected is not None
    assert (connected.projects, connected.toolsets) == (("thesis",), ("read",))


@pytest.mark.parametrize("editor_id", EDITORS)
def test_installing_again_changes_nothing(editor_id: str, look: Look) -> None:
    _, after = pair(editor_id)
    holding(look(editor_id), after)
    assert editors.preview(look(editor_id), PROJECTS, TOOLSETS) == ""
    change = editors.install(look(editor_id), PROJECTS, TOOLSETS)
    assert (change.diff, change.backup, change.created) == ("", None, False)
    assert change.file.read_bytes() == after


@pytest.mark.parametrize("editor_id", [c for c in EDITORS if c != "cline"])
def test_an_entry_that_was_new_leaves_no_trace(editor_id: str, look: Look) -> None:
    before, _ = pair(editor_id)
    holding(look(editor_id), before)
    editors.install(look(editor_id), [], ["read", "write"])
    editors.install(look(editor_id), PROJECTS, TOOLSETS)
    change = editors.remove(look(editor_id))
    assert change.file.read_bytes() == before
    assert look(editor_id).connected is None


@pytest.mark.parametrize("editor_id", EDITORS)
def test_the_snippet_is_what_an_empty_file_gets(editor_id: str, look: Look) -> None:
    change = editors.install(look(editor_id), PROJECTS, TOOLSETS)
    assert change.created and change.backup is None
    written = change.file.read_text()
    assert written == EDITORS[editor_id].initial_text + editors.snippet(editor_id, PROJECTS, TOOLSETS)


def test_the_golden_files_are_those_of_the_known_editors() -> None:
    assert {path.name.split(".")[0] for path in Path(GOLDEN).iterdir()} == set(EDITORS)
