"""Connecting editors to a real engine: what is written into each kind of file really launches."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from citeloom import editors
from citeloom.editors import DetectedEditor
from tests.support import citeloom, done

FILES = {
    "cursor": (".cursor/mcp.json", '{\n  // mine\n  "mcpServers": {"files": {"command": "npx"},},\n}\n'),
    "claude-code": (".claude.json", '{"numStartups": 3}'),
    "continue": (".continue/config.yaml", "name: a # mine\nversion: 0.0.1\nschema: v1\n"),
    "codex": (".codex/config.toml", 'model = "m" # mine\n'),
}


@pytest.fixture
def person(tmp_path: Path) -> Path:
    """A home with an editor of each kind in it."""
    folder = tmp_path / "ada"
    for place, content in FILES.values():
        (folder / place).parent.mkdir(parents=True, exist_ok=True)
        (folder / place).write_text(content)
    return folder


@pytest.fixture
def command(home: Path, person: Path) -> Callable[..., str]:
    """A command of that person that must succeed."""
    return lambda *words: done(citeloom(home, *words, HOME=str(person), XDG_CONFIG_HOME=""))


def test_what_is_written_into_each_kind_of_file_launches_and_lists_its_tools(
    home: Path, person: Path, command: Callable[..., str], tmp_path: Path
) -> None:
    folder = tmp_path / "papers"
    folder.mkdir()
    command("project", "add", "thesis", "--folder", str(folder))
    for editor_id, (place, before) in FILES.items():
        said = command("clients", "install", editor_id, "--project", "thesis", "--toolsets", "read")
        assert "It works" in said and "query" in said and "delete_document" not in said
        assert all(line in (person / place).read_text() for line in before.splitlines() if "mine" in line)

        found = seen(person, editor_id)
        assert found.connected and found.connected.projects == ("thesis",)
        assert found.connected.environment == {"CITELOOM_HOME": str(home)}
        tested = editors.check_launch(found)
        assert tested.problem is None, tested.problem
        assert "query" in tested.tools and "delete_document" not in tested.tools

        command("clients", "undo", editor_id)
        assert (person / place).read_text() == before


def test_a_project_that_is_not_there_is_refused_before_anything_is_written(home: Path, person: Path) -> None:
    place, before = FILES["cursor"]
    result = citeloom(home, "clients", "install", "cursor", "--project", "thesis", HOME=str(person))
    assert result.returncode == 1
    assert "There is no project thesis" in result.stderr and "Traceback" not in result.stderr
    assert (person / place).read_text() == before


def seen(person: Path, editor_id: str) -> DetectedEditor:
    return next(found for found in editors.detect_editors(person, "linux", {}) if found.editor.id == editor_id)
