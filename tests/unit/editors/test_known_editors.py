"""Each editor is found at its real place, on each system."""

from __future__ import annotations

from pathlib import Path

import pytest

from citeloom import editors
from citeloom.editors import EDITORS, DetectedEditor

PLACES = {
    "linux": {
        "claude-desktop": ".config/Claude/claude_desktop_config.json",
        "claude-code": ".claude.json",
        "cursor": ".cursor/mcp.json",
        "vscode": ".config/Code/User/mcp.json",
        "vscode-insiders": ".config/Code - Insiders/User/mcp.json",
        "windsurf": ".codeium/windsurf/mcp_config.json",
        "zed": ".config/zed/settings.json",
        "cline": ".cline/data/settings/cline_mcp_settings.json",
        "continue": ".continue/config.yaml",
        "codex": ".codex/config.toml",
        "gemini": ".gemini/settings.json",
        "lm-studio": ".lmstudio/mcp.json",
    },
    "darwin": {
        "claude-desktop": "Library/Application Support/Claude/claude_desktop_config.json",
        "vscode": "Library/Application Support/Code/User/mcp.json",
        "vscode-insiders": "Library/Application Support/Code - Insiders/User/mcp.json",
        "zed": ".config/zed/settings.json",
    },
    "win32": {
        "claude-desktop": "AppData/Roaming/Claude/claude_desktop_config.json",
        "vscode": "AppData/Roaming/Code/User/mcp.json",
        "vscode-insiders": "AppData/Roaming/Code - Insiders/User/mcp.json",
        "zed": "AppData/Roaming/Zed/settings.json",
    },
}
SIGNS = {  # what shows that a program is there, before it has a file
    "claude-code": ".claude",
    "cline": ".cline",
}


def seen(home: Path, system: str = "linux", **environment: str) -> dict[str, DetectedEditor]:
    return {found.editor.id: found for found in editors.detect_editors(home, system, environment)}


@pytest.mark.parametrize("system", PLACES)
@pytest.mark.parametrize("editor_id", EDITORS)
def test_an_editor_is_found_at_its_place(editor_id: str, system: str, own_home: Path) -> None:
    place = own_home / (PLACES[system].get(editor_id) or PLACES["linux"][editor_id])
    before = seen(own_home, system)[editor_id]
    assert (before.file, before.installed, before.exists, before.problem) == (place, False, False, None)
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text("")
    after = seen(own_home, system)[editor_id]
    assert (after.file, after.installed, after.exists, after.problem) == (place, True, True, None)


def test_the_editors_come_in_a_fixed_order_and_looking_leaves_no_trace(own_home: Path) -> None:
    assert list(seen(own_home)) == list(EDITORS)
    assert list(own_home.iterdir()) == []


@pytest.mark.parametrize("editor_id", SIGNS)
def test_a_program_without_a_file_is_seen_by_its_folder(editor_id: str, own_home: Path) -> None:
    (own_home / SIGNS[editor_id]).mkdir()
    found = seen(own_home)[editor_id]
    assert found.installed and found.file == own_home / PLACES["linux"][editor_id]


def test_a_program_is_seen_by_its_command(own_home: Path) -> None:
    command = own_home / "bin" / "codex"
    command.parent.mkdir()
    command.write_text("")
    command.chmod(0o755)
    assert seen(own_home, PATH=str(command.parent))["codex"].installed
    assert not seen(own_home, PATH=str(own_home))["codex"].installed


@pytest.mark.parametrize(
    ("editor_id", "variable", "file"),
    [
        ("claude-code", "CLAUDE_CONFIG_DIR", ".claude.json"),
        ("codex", "CODEX_HOME", "config.toml"),
        ("continue", "CONTINUE_GLOBAL_DIR", "config.yaml"),
        ("gemini", "GEMINI_CLI_HOME", ".gemini/settings.json"),
        ("cline", "CLINE_DIR", "data/settings/cline_mcp_settings.json"),
        ("zed", "XDG_CONFIG_HOME", "zed/settings.json"),
        ("vscode", "XDG_CONFIG_HOME", "Code/User/mcp.json"),
    ],
)
def test_a_place_chosen_by_a_variable_is_honoured_if_it_is_one(
    editor_id: str, variable: str, file: str, own_home: Path
) -> None:
    elsewhere = own_home / "elsewhere"
    assert seen(own_home, **{variable: str(elsewhere)})[editor_id].file == elsewhere / file
    assert seen(own_home, **{variable: "relative"})[editor_id].file == own_home / PLACES["linux"][editor_id]


def test_claude_code_keeps_its_file_in_the_folder_that_a_variable_names_even_if_it_is_the_usual_one(
    own_home: Path,
) -> None:
    folder = own_home / ".claude"
    assert seen(own_home, CLAUDE_CONFIG_DIR=str(folder))["claude-code"].file == folder / ".claude.json"


def test_windows_says_where_its_folders_are(own_home: Path) -> None:
    found = seen(own_home, "win32", APPDATA=str(own_home / "D"))
    assert found["vscode"].file == own_home / "D" / "Code" / "User" / "mcp.json"


def test_claude_desktop_from_the_store_reads_its_own_copy(own_home: Path) -> None:
    copy = own_home / "AppData/Local/Packages/Claude_pzs8sxrjxfjjc/LocalCache/Roaming/Claude"
    usual = own_home / "AppData/Roaming/Claude"
    for folder in (copy, usual):
        folder.mkdir(parents=True)
    assert seen(own_home, "win32")["claude-desktop"].file == copy / "claude_desktop_config.json"


def test_an_older_cline_keeps_its_file_inside_the_editor(own_home: Path) -> None:
    inside = own_home / ".config/Cursor/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json"
    inside.parent.mkdir(parents=True)
    inside.write_text('{"mcpServers": {}}')
    assert seen(own_home)["cline"].file == inside
    chosen = own_home / "chosen.json"
    assert seen(own_home, CLINE_MCP_SETTINGS_PATH=str(chosen))["cline"].file == chosen


@pytest.mark.parametrize("pointer", ["elsewhere", "", "relative/folder"], ids=["moved", "empty", "relative"])
def test_lm_studio_says_where_it_lives(pointer: str, own_home: Path) -> None:
    words = str(own_home / pointer) if pointer == "elsewhere" else pointer
    (own_home / ".lmstudio-home-pointer").write_text(f"{words}\n")
    expected = own_home / ("elsewhere" if pointer == "elsewhere" else ".lmstudio") / "mcp.json"
    assert seen(own_home)["lm-studio"].file == expected


def test_continue_with_its_older_file_is_not_given_a_newer_one_that_hides_it(own_home: Path) -> None:
    older = own_home / ".continue" / "config.json"
    older.parent.mkdir()
    older.write_text("{}")
    found = seen(own_home)["continue"]
    assert found.problem and "config.json" in str(found.problem) and "by hand" in found.problem.next_step
