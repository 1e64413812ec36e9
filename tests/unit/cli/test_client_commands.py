"""`citeloom clients …` without an engine: what is said, and what is done."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from citeloom.cli import main as run

BEFORE = '{\n  "mcpServers": {}\n}\n'


@pytest.fixture
def cursor(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Cursor's file in a home of its own."""
    for name in ("HOME", "USERPROFILE"):
        monkeypatch.setenv(name, str(tmp_path))
    monkeypatch.setenv("CITELOOM_HOME", str(tmp_path / "data"))
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    file = tmp_path / ".cursor" / "mcp.json"
    file.parent.mkdir()
    file.write_text(BEFORE)
    return file


def said(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert run(["clients", *arguments]) == 0
    return capsys.readouterr().out


def refused(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert run(["clients", *arguments]) == 1
    shown = capsys.readouterr()
    assert shown.err.startswith("citeloom: ") and "Traceback" not in shown.err
    return shown.err


def test_the_editors_are_listed(cursor: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = {row.split("\t")[0]: row.split("\t")[1:] for row in said(capsys, "list").splitlines()}
    assert rows["cursor"] == ["yes", "", str(cursor)]
    run(["clients", "install", "cursor", "--toolsets", "read", "--no-test"])
    capsys.readouterr()
    rows = {row.split("\t")[0]: row.split("\t")[1:] for row in said(capsys, "list").splitlines()}
    assert rows["cursor"] == ["yes", "all projects (read only)", str(cursor)]


def test_the_list_for_programs_has_everything(cursor: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run(["clients", "install", "cursor", "--toolsets", "read,write", "--no-test"])
    run(["clients", "install", "cursor", "--no-test"])  # keeps what it has
    (cursor.parents[1] / ".claude.json").write_text("{")
    capsys.readouterr()
    listed = {one["id"]: one for one in json.loads(said(capsys, "list", "--json"))}
    assert listed["cursor"]["connected"]["projects"] is None
    assert listed["cursor"]["connected"]["toolsets"] == ["read", "write"]
    assert listed["cursor"]["problem"] is None
    assert listed["claude-code"]["problem"]["code"] == "INVALID_INPUT"


def test_a_dry_run_shows_the_difference_and_changes_nothing(cursor: Path, capsys: pytest.CaptureFixture[str]) -> None:
    shown = said(capsys, "install", "cursor", "--dry-run")
    assert '+    "citeloom": {' in shown
    assert cursor.read_text() == BEFORE and len(list(cursor.parent.iterdir())) == 1


def test_installing_names_the_file_and_the_backup_and_can_be_undone(
    cursor: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shown = said(capsys, "install", "cursor", "--no-test")
    backup = next(path for path in cursor.parent.iterdir() if path != cursor)
    assert str(cursor) in shown and str(backup) in shown
    assert "already" in said(capsys, "install", "cursor", "--no-test")
    assert "Nothing would change." in said(capsys, "install", "cursor", "--dry-run")
    assert "was restored" in said(capsys, "undo", "cursor")
    assert cursor.read_text() == BEFORE
    assert "nothing to undo" in refused(capsys, "undo", "cursor")


def test_removing_takes_the_entry_out(cursor: Path, capsys: pytest.CaptureFixture[str]) -> None:
    said(capsys, "install", "cursor", "--no-test")
    assert "was removed" in said(capsys, "remove", "cursor")
    assert cursor.read_text() == BEFORE
    assert "nothing to remove" in refused(capsys, "remove", "cursor")


def test_an_editor_that_is_not_here_is_said_to_be_missing(cursor: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert "was not found on this machine" in said(capsys, "install", "windsurf", "--no-test")


def test_a_file_that_is_not_sound_is_listed_and_left_alone(cursor: Path, capsys: pytest.CaptureFixture[str]) -> None:
    cursor.write_text("{")
    assert "Cursor: " in said(capsys, "list") and cursor.read_text() == "{"
    assert "not valid" in refused(capsys, "install", "cursor")
    assert "not valid" in refused(capsys, "test", "cursor")


@pytest.mark.parametrize("command", ["install", "remove", "test", "undo", "snippet"])
def test_an_unknown_editor_is_answered_with_the_known_ones(
    command: str, cursor: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shown = refused(capsys, command, "emacs")
    assert "emacs" in shown and "claude-desktop" in shown


def test_a_snippet_can_be_copied_for_any_program(cursor: Path, capsys: pytest.CaptureFixture[str]) -> None:
    general = json.loads(said(capsys, "snippet", "--project", "thesis"))
    assert general["mcpServers"]["citeloom"]["args"][-4:] == ["--project", "thesis", "--toolsets", "read"]
    assert said(capsys, "snippet", "codex").startswith("[mcp_servers.citeloom]")
    assert "There are: read, write" in refused(capsys, "snippet", "--toolsets", "read,all")
