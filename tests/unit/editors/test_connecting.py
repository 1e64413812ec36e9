"""Connecting and disconnecting: what is written is exactly what was meant, and everything can be taken back."""

from __future__ import annotations

import difflib
import errno
import json
import os
import stat
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from citeloom import editors
from citeloom.bridge import parse_arguments
from citeloom.core.errors import CiteLoomError, Code
from citeloom.editors import EDITORS, OTHER, DetectedEditor
from citeloom.editors.entry import build_entry, parse_entry
from citeloom.editors.known_editors import OTHER_EDITOR

Look = Callable[[str], DetectedEditor]
BOTH = ["read", "write"]
COMMANDS = ("clients", "doctor", "mcp", "engine", "project")
BEFORE = b'{\n  "mcpServers": {\n    "files": {"command": "npx"}\n  }\n}\n'


@pytest.fixture
def cursor(own_home: Path) -> Path:
    """Cursor's file, with another server in it."""
    file = own_home / ".cursor" / "mcp.json"
    file.parent.mkdir()
    file.write_bytes(BEFORE)
    return file


def beside(file: Path) -> list[Path]:
    return sorted(other for other in file.parent.iterdir() if other != file)


# -- the entry -------------------------------------------------------------------------------------------------

TOOLSETS = st.sampled_from([["read"], ["write"], ["read", "write"], ["write", "read"], ["notes", "read"]])


@settings(max_examples=30)
@given(st.lists(st.text(min_size=1).filter(lambda name: name.strip(", ")), max_size=3, unique=True), TOOLSETS)
def test_what_is_written_is_what_the_bridge_understands(projects: list[str], toolsets: list[str]) -> None:
    entry = build_entry(EDITORS["cursor"], projects, toolsets)
    program = entry["args"].index("mcp")
    options = parse_arguments(entry["args"][program + 1 :])
    assert options["projects"] == projects
    assert sorted(options["toolsets"]) == sorted(toolsets)
    seen = parse_entry(entry)
    assert (list(seen.projects), sorted(seen.toolsets)) == (projects, sorted(toolsets))


def test_an_entry_says_what_may_be_done_whatever_the_default_is() -> None:
    for toolsets, said in ((BOTH, "read,write"), (["read"], "read")):
        assert build_entry(OTHER_EDITOR, [], toolsets) == {
            "command": sys.executable,
            "args": ["-m", "citeloom", "mcp", "--toolsets", said],
        }


def test_an_entry_that_speaks_a_dialect_keeps_it(cursor: Path, look: Look) -> None:
    args = ["mcp", "--dialect", "rekall", "--project", "old"]
    cursor.write_text(json.dumps({"mcpServers": {"citeloom": {"command": "citeloom", "args": args}}}))
    editors.install(look("cursor"), ["thesis"], ["read", "notes"])
    connected = look("cursor").connected
    assert connected and (connected.projects, connected.toolsets) == (("thesis",), ("read", "notes"))
    assert connected.command[-2:] == ("--dialect", "rekall")


def test_an_entry_that_does_not_say_what_may_be_done_may_only_read(cursor: Path, look: Look) -> None:
    cursor.write_text('{"mcpServers": {"citeloom": {"command": "citeloom", "args": ["mcp", "--project", "p"]}}}')
    connected = look("cursor").connected
    assert connected and connected.toolsets == ("read",)


def test_the_command_is_the_script_of_this_installation(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    script = tmp_path / "citeloom"
    script.write_text("")
    monkeypatch.setattr(sys, "executable", str(tmp_path / "python"))
    assert build_entry(OTHER_EDITOR, [], BOTH)["command"] == str(script)


def test_a_data_folder_of_its_own_is_told_to_the_editor(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CITELOOM_HOME", str(tmp_path / "data"))
    assert build_entry(OTHER_EDITOR, [], BOTH)["env"] == {"CITELOOM_HOME": str(tmp_path / "data")}


@pytest.mark.skipif(sys.platform in ("win32", "darwin"), reason="only Linux has such variables")
def test_folders_of_its_own_are_told_to_the_editor_and_are_its_own_no_more_when_they_have_gone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cursor: Path, look: Look
) -> None:
    cursor.write_text('{"mcpServers": {"citeloom": {"command": "old", "env": {"LANG": "de"}}}}')
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setenv("XDG_CACHE_HOME", "relative")
    editors.install(look("cursor"), [], BOTH)
    connected = look("cursor").connected
    assert connected and connected.environment == {"LANG": "de", "XDG_DATA_HOME": str(tmp_path / "data")}
    monkeypatch.delenv("XDG_DATA_HOME")
    editors.install(look("cursor"), [], BOTH)
    connected = look("cursor").connected
    assert connected and connected.environment == {"LANG": "de"}


@pytest.mark.parametrize("toolsets", [["read", "everything"], []], ids=["unknown", "none"])
def test_only_toolsets_that_there_are_can_be_chosen(toolsets: list[str], cursor: Path, look: Look) -> None:
    with pytest.raises(CiteLoomError, match="There are: read, write"):
        editors.install(look("cursor"), [], toolsets)
    assert cursor.read_bytes() == BEFORE


def test_a_snippet_is_there_for_every_editor_and_for_any_other() -> None:
    for editor_id in (*EDITORS, OTHER):
        assert "thesis" in editors.snippet(editor_id, ["thesis"], BOTH)
    with pytest.raises(CiteLoomError, match="emacs") as error:
        editors.snippet("emacs", [], BOTH)
    assert "cursor" in error.value.next_step


@pytest.mark.parametrize(
    "raw", ['"a word"', "[]", "{}", '{"url": "https://example.org"}', '{"command": 3, "args": "mcp"}']
)
def test_an_entry_that_launches_nothing_is_replaced_by_one_that_does(raw: str, cursor: Path, look: Look) -> None:
    cursor.write_text(f'{{"mcpServers": {{"citeloom": {raw}}}}}')
    found = look("cursor")
    assert found.connected is not None and found.connected.command == ()
    editors.install(found, ["thesis"], BOTH)
    connected = look("cursor").connected
    assert connected is not None and connected.projects == ("thesis",)
    assert "example.org" not in cursor.read_text()


def test_nothing_of_an_address_is_left_beside_a_command(look: Look, own_home: Path) -> None:
    file = own_home / ".codex" / "config.toml"
    file.parent.mkdir()
    file.write_text('[mcp_servers.citeloom]\nurl = "https://example.org"\nbearer_token_env_var = "KEY"\n')
    editors.install(look("codex"), [], BOTH)
    assert file.read_text() == editors.snippet("codex", [], BOTH)


@pytest.mark.parametrize("off", ['"disabled": true', '"enabled": false'])
def test_connecting_switches_on_what_was_switched_off(off: str, cursor: Path, look: Look) -> None:
    cursor.write_text(f'{{"mcpServers": {{"citeloom": {{"command": "old", "timeout": 9, {off}}}}}}}')
    editors.install(look("cursor"), [], BOTH)
    assert off not in cursor.read_text() and '"timeout": 9' in cursor.read_text()


# -- preview, undo, remove -------------------------------------------------------------------------------------


def test_a_preview_shows_what_will_change_and_writes_nothing(cursor: Path, look: Look) -> None:
    shown = editors.preview(look("cursor"), ["thesis"], BOTH)
    assert cursor.read_bytes() == BEFORE and not beside(cursor)
    assert editors.install(look("cursor"), ["thesis"], BOTH).diff == shown
    old, new = BEFORE.decode().splitlines(), cursor.read_text().splitlines()
    whole = difflib.unified_diff(old, new, str(cursor), str(cursor), n=1, lineterm="")
    assert shown == "".join(f"{line}\n" for line in whole)


def test_a_preview_of_a_file_in_one_long_line_shows_the_place_that_changes(cursor: Path, look: Look) -> None:
    cursor.write_text(f'{{"a": "{"x" * 5000}", "mcpServers": {{}}}}')
    old, new = editors.preview(look("cursor"), ["thesis"], BOTH).splitlines()[-2:]
    assert old.startswith("-") and old.endswith('"mcpServers": {}}')
    assert new.startswith("+") and '"mcpServers": {"citeloom": {' in new
    assert len(old) < 100 and len(new) < 250


def test_undo_restores_what_was_there(cursor: Path, look: Look) -> None:
    first = editors.install(look("cursor"), [], BOTH)
    between = cursor.read_bytes()
    editors.install(look("cursor"), ["thesis"], BOTH)
    editors.undo(editors.last_change(look("cursor")))
    assert cursor.read_bytes() == between
    editors.undo(first)
    assert cursor.read_bytes() == BEFORE
    with pytest.raises(CiteLoomError, match="changed nothing"):
        editors.last_change(look("cursor"))


def test_undo_of_a_new_file_takes_it_away_and_undo_of_that_brings_it_back(look: Look) -> None:
    change = editors.install(look("codex"), [], BOTH)
    written = change.file.read_bytes()
    removed = editors.remove(look("codex"))
    assert not change.file.exists()
    editors.install(look("codex"), [], BOTH)
    editors.undo(editors.last_change(look("codex")))
    assert not change.file.exists() and editors.last_change(look("codex")).backup == removed.backup
    editors.undo(removed)
    assert change.file.read_bytes() == written
    editors.undo(editors.last_change(look("codex")))
    assert not change.file.exists()


def test_undo_is_refused_when_somebody_else_has_changed_the_file(cursor: Path, look: Look) -> None:
    change = editors.install(look("cursor"), [], BOTH)
    theirs = cursor.read_bytes().replace(b'"npx"', b'"uvx"')
    cursor.write_bytes(theirs)
    with pytest.raises(CiteLoomError, match="Remove CiteLoom's entry instead"):
        editors.undo(change)
    assert cursor.read_bytes() == theirs
    editors.remove(look("cursor"))
    assert cursor.read_bytes() == BEFORE.replace(b'"npx"', b'"uvx"')


def test_undo_leaves_a_file_alone_that_was_locked_since(cursor: Path, look: Look) -> None:
    change = editors.install(look("cursor"), [], BOTH)
    written = cursor.read_bytes()
    cursor.chmod(0o444)
    with pytest.raises(CiteLoomError, match="read-only"):
        editors.undo(change)
    assert cursor.read_bytes() == written


def test_undo_without_its_backup_is_refused(cursor: Path, look: Look) -> None:
    change = editors.install(look("cursor"), [], BOTH)
    assert change.backup is not None
    change.backup.unlink()
    with pytest.raises(CiteLoomError, match="backup"):
        editors.undo(change)
    assert look("cursor").connected


def test_a_file_that_was_there_is_not_taken_away_however_empty_it_is(cursor: Path, look: Look) -> None:
    cursor.write_bytes(b"")
    editors.install(look("cursor"), [], BOTH)
    editors.remove(look("cursor"))
    assert cursor.read_bytes() == b""


def test_a_file_that_somebody_else_has_made_is_not_taken_away(cursor: Path, look: Look) -> None:
    cursor.write_text(editors.snippet("cursor", [], BOTH))
    editors.remove(look("cursor"))
    assert cursor.exists() and look("cursor").connected is None


def test_removing_what_is_not_there_says_so(cursor: Path, look: Look) -> None:
    with pytest.raises(CiteLoomError, match="no entry citeloom"):
        editors.remove(look("cursor"))
    assert cursor.read_bytes() == BEFORE and not beside(cursor)


def test_only_the_last_few_backups_are_kept(cursor: Path, look: Look) -> None:
    made = [editors.install(look("cursor"), [f"p{number}"], BOTH).backup for number in range(8)]
    assert beside(cursor) == made[-5:]


def test_a_backup_is_kept_though_the_clock_was_set_back(cursor: Path, look: Look) -> None:
    later = [cursor.with_name(f"{cursor.name}.citeloom-backup-9999010{day}T000000.0") for day in range(1, 7)]
    for backup in later:
        backup.write_text("{}")
    change = editors.install(look("cursor"), [], BOTH)
    assert change.backup is not None and change.backup.read_bytes() == BEFORE
    editors.undo(change)
    assert beside(cursor) == [change.backup, *later[-4:]]


def test_what_only_looks_like_a_backup_is_no_hindrance(cursor: Path, look: Look) -> None:
    editors.install(look("cursor"), [], BOTH)
    cursor.with_name(f"{cursor.name}.citeloom-backup-z").mkdir()
    huge = cursor.with_name(f"{cursor.name}.citeloom-backup-y")
    huge.touch()
    os.truncate(huge, 100_000_000)
    editors.remove(look("cursor"))
    assert cursor.read_bytes() == BEFORE


# -- how it is written -----------------------------------------------------------------------------------------


def test_rights_and_links_stay_as_they_are(cursor: Path, look: Look, tmp_path: Path) -> None:
    kept = tmp_path / "dotfiles" / "mcp.json"
    kept.parent.mkdir()
    cursor.rename(kept)
    kept.chmod(0o640)
    cursor.symlink_to(kept)
    change = editors.install(look("cursor"), [], BOTH)
    assert cursor.is_symlink() and b"citeloom" in kept.read_bytes()
    assert change.backup is not None and change.backup.parent == cursor.parent
    for file in (kept, change.backup):
        assert stat.S_IMODE(file.stat().st_mode) == 0o640
    assert beside(kept) == []


def test_a_link_to_nowhere_is_followed_to_where_the_file_shall_be(own_home: Path, look: Look) -> None:
    link = own_home / ".cursor" / "mcp.json"
    link.parent.mkdir()
    link.symlink_to(own_home / "dotfiles" / "mcp.json")
    change = editors.install(look("cursor"), [], BOTH)
    assert link.is_symlink() and look("cursor").connected
    editors.undo(change)
    assert link.is_symlink() and not link.exists()


def test_a_new_file_is_for_its_owner_alone(look: Look) -> None:
    assert stat.S_IMODE(editors.install(look("zed"), [], BOTH).file.stat().st_mode) == 0o600


# -- what cannot be done ---------------------------------------------------------------------------------------


def refused(look: Look, editor_id: str, *words: str) -> CiteLoomError:
    """The problem is seen when looking, install is refused with it, and nothing is written."""
    found = look(editor_id)
    there = sorted(found.file.parent.iterdir())
    with pytest.raises(CiteLoomError) as refusal:
        editors.install(found, [], BOTH)
    assert found.problem and str(found.problem) == str(refusal.value)
    assert refusal.value.next_step
    assert all(word in str(refusal.value) for word in words)
    assert sorted(found.file.parent.iterdir()) == there
    return refusal.value


@pytest.mark.parametrize(
    ("content", "word"),
    [
        (b'{"mcpServers": [', "line 1"),
        (b'{"mcpServers": 3}', "mcpServers"),
        (b"[1]", "object"),
        ("{}".encode("utf-16"), "UTF-8"),
        (b'{"a": "\xff"}', "UTF-8"),
        (b"\x00\x01", "not valid"),
    ],
    ids=["broken", "number", "list", "utf-16", "bytes", "binary"],
)
def test_a_file_that_is_not_sound_is_left_alone(content: bytes, word: str, cursor: Path, look: Look) -> None:
    cursor.write_bytes(content)
    refused(look, "cursor", str(cursor), word)
    assert cursor.read_bytes() == content


def test_a_comment_in_a_file_whose_program_reads_none_is_told(own_home: Path, look: Look) -> None:
    file = own_home / ".claude.json"
    file.write_text('{\n  // mine\n  "mcpServers": {}\n}')
    refused(look, "claude-code", "comments", "line 2")


def test_a_read_only_file_is_left_alone(cursor: Path, look: Look) -> None:
    cursor.chmod(0o444)
    assert refused(look, "cursor", "read-only").code == Code.PERMISSION_DENIED
    assert cursor.read_bytes() == BEFORE


def test_a_folder_in_its_place_is_left_alone(cursor: Path, look: Look) -> None:
    cursor.unlink()
    cursor.mkdir()
    refused(look, "cursor", "folder")


def test_a_pipe_in_its_place_is_not_waited_for(cursor: Path, look: Look) -> None:
    cursor.unlink()
    os.mkfifo(cursor)
    refused(look, "cursor", "no ordinary file")


def test_a_file_of_a_hundred_megabytes_is_not_read(cursor: Path, look: Look) -> None:
    os.truncate(cursor, 100_000_000)
    refused(look, "cursor", "too large", "100 MB")


def test_a_file_of_several_megabytes_is_changed_like_any_other(own_home: Path, look: Look) -> None:
    file = own_home / ".claude.json"
    history = ",\n".join(f'    "/p/{n}": {{"history": ["{"x" * 100}"]}}' for n in range(45_000))
    file.write_text(f'{{\n  "projects": {{\n{history}\n  }}\n}}\n')
    before = file.read_bytes()
    assert len(before) > 5_000_000
    change = editors.install(look("claude-code"), [], BOTH)
    assert len(change.diff.splitlines()) < 20
    assert editors.remove(look("claude-code")) and file.read_bytes() == before


def test_a_file_that_is_gone_since_it_was_looked_at_is_not_made_anew(cursor: Path, look: Look) -> None:
    found = look("cursor")
    cursor.unlink()
    with pytest.raises(CiteLoomError, match="no longer exists") as error:
        editors.install(found, [], BOTH)
    assert error.value.code == Code.FILE_NOT_FOUND and not cursor.exists()


def test_a_file_that_changes_while_it_is_written_is_left_alone(
    cursor: Path, look: Look, monkeypatch: pytest.MonkeyPatch
) -> None:
    found, fsync = look("cursor"), os.fsync

    def and_another_program(number: int) -> None:
        fsync(number)
        cursor.write_bytes(b'{"theirs": 1}')

    monkeypatch.setattr(os, "fsync", and_another_program)
    with pytest.raises(CiteLoomError, match="another program just now"):
        editors.install(found, [], BOTH)
    assert cursor.read_bytes() == b'{"theirs": 1}'
    assert [path.name for path in beside(cursor) if "backup" not in path.name] == []


@pytest.mark.parametrize(
    ("number", "code", "words"),
    [
        (errno.ENOSPC, Code.STORAGE_ERROR, "disk is full"),
        (errno.EACCES, Code.PERMISSION_DENIED, "protected"),
        (errno.EROFS, Code.PERMISSION_DENIED, "protected"),
        (errno.EIO, Code.STORAGE_ERROR, "could not be written"),
    ],
    ids=["full", "forbidden", "read-only disk", "broken disk"],
)
def test_a_disk_that_takes_nothing_leaves_everything_as_it_was(
    number: int, code: Code, words: str, cursor: Path, look: Look, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(_: int) -> None:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(os, "fsync", fails)
    with pytest.raises(CiteLoomError, match=words) as error:
        editors.install(look("cursor"), [], BOTH)
    assert error.value.code == code
    assert cursor.read_bytes() == BEFORE and not beside(cursor)


def test_a_note_that_cannot_be_kept_is_no_failure(
    cursor: Path, look: Look, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("CITELOOM_HOME", str(tmp_path / "file"))
    change = editors.install(look("cursor"), [], BOTH)
    editors.undo(change)
    assert cursor.read_bytes() == BEFORE


@pytest.mark.parametrize("noted", ["", "{", "[1, null]", '[{"client_id": "cursor"}]', '{"a": 1}'])
def test_damaged_notes_are_no_failure(noted: str, cursor: Path, look: Look, own_home: Path) -> None:
    place = own_home / ".local" / "share" / "citeloom" / "editor-changes.json"
    place.parent.mkdir(parents=True)
    place.write_text(noted)
    editors.install(look("cursor"), [], BOTH)
    editors.undo(editors.last_change(look("cursor")))
    assert cursor.read_bytes() == BEFORE


def test_a_part_of_a_file_that_would_change_its_meaning_is_not_written(own_home: Path, look: Look) -> None:
    file = own_home / ".continue" / "config.yaml"
    file.parent.mkdir()
    file.write_text("name: a\nprompt: |\n  text")
    with pytest.raises(CiteLoomError, match="by hand"):
        editors.install(look("continue"), [], BOTH)
    assert file.read_text() == "name: a\nprompt: |\n  text"


def test_an_entry_that_would_be_read_otherwise_than_it_was_is_not_written(own_home: Path, look: Look) -> None:
    file = own_home / ".continue" / "config.yaml"
    file.parent.mkdir()
    file.write_text("name: a\nmcpServers:\n  - name: citeloom\n    command: old\n    since: 2026-01-01\n")
    before = file.read_bytes()
    with pytest.raises(CiteLoomError, match="would be read differently"):
        editors.install(look("continue"), [], BOTH)
    assert file.read_bytes() == before


def test_no_sentence_sends_a_person_who_sits_before_a_window_to_a_terminal() -> None:
    package = Path(editors.__file__).parent
    told = [file.name for file in package.glob("*.py") for word in COMMANDS if f"citeloom {word}" in file.read_text()]
    assert told == ["types.py"]  # a comment on what the bridge takes
