"""The editors CiteLoom knows, and where each keeps its MCP servers on Linux, macOS and Windows."""

from __future__ import annotations

import shutil
from pathlib import Path

from citeloom.editors.types import ConfigLocation, Editor, Locations, UserEnvironment

_AGENT_PANEL = "It is available at once, in the Agent Panel."
_MCP_SERVERS = "It is available at once, under MCP Servers."
_CHAT = "It is available in the next chat."
_SESSION = "It is available in the next session."
_RELOAD = "Reload its window (Developer: Reload Window), or restart it."
_RESTART = "Quit it and start it again."
_REFRESH = "Press Refresh in the MCP settings of Cascade."
_SWITCH_ON = "Switch it on under Program, in a chat."


def exists(path: Path) -> bool:
    """Return whether a path exists and may be accessed."""
    try:
        return path.exists()
    except OSError:
        return False


def _in_home(folder: str, file: str, variable: str = "") -> Locations:
    """Return the location of a folder in the home folder, or the one in an environment variable."""
    return lambda user: _in_folder(user.path(variable, user.home / folder), file)


def _in_config(folder: str, file: str) -> Locations:
    """Return the location of a folder in the system's configuration folder."""
    return lambda user: _in_folder(user.config_folder() / folder, file)


def _in_folder(folder: Path, file: str) -> list[ConfigLocation]:
    return [ConfigLocation(folder / file, folder)]


def _claude_desktop(user: UserEnvironment) -> list[ConfigLocation]:
    folders = [user.config_folder() / "Claude"]
    if user.system == "win32":
        # The version from the Store reads a copy of the usual folder.
        local = user.path("LOCALAPPDATA", user.home / "AppData" / "Local") / "Packages"
        packages = sorted(local.glob("Claude_*")) if exists(local) else []
        folders = [*(package / "LocalCache" / "Roaming" / "Claude" for package in packages), *folders]
    return [ConfigLocation(folder / "claude_desktop_config.json", folder) for folder in folders]


def _claude_code(user: UserEnvironment) -> list[ConfigLocation]:
    # Its file is beside its folder; but where the variable names a folder, even the usual one, the file is inside.
    file = user.path("CLAUDE_CONFIG_DIR", user.home) / ".claude.json"
    return [ConfigLocation(file, user.path("CLAUDE_CONFIG_DIR", user.home / ".claude"))]


def _cline(user: UserEnvironment) -> list[ConfigLocation]:
    name = "cline_mcp_settings.json"
    own = user.path("CLINE_DIR", user.home / ".cline")
    locations = [ConfigLocation(own / "data" / "settings" / name, own)]
    # Before 2026 its file was inside the editor that it runs in.
    for editor in ("Code", "Code - Insiders", "VSCodium", "Cursor", "Windsurf"):
        folder = user.config_folder() / editor / "User" / "globalStorage" / "saoudrizwan.claude-dev"
        locations.append(ConfigLocation(folder / "settings" / name, folder))
    chosen = user.path("CLINE_MCP_SETTINGS_PATH", Path())
    return [ConfigLocation(chosen, chosen)] if chosen.is_absolute() else locations


def _zed(user: UserEnvironment) -> list[ConfigLocation]:
    if user.system == "darwin":
        return _in_folder(user.home / ".config" / "zed", "settings.json")
    return _in_folder(user.config_folder() / ("Zed" if user.system == "win32" else "zed"), "settings.json")


def _gemini(user: UserEnvironment) -> list[ConfigLocation]:
    return _in_folder(user.path("GEMINI_CLI_HOME", user.home) / ".gemini", "settings.json")


def _lm_studio(user: UserEnvironment) -> list[ConfigLocation]:
    folders = [user.home / ".lmstudio", user.home / ".cache" / "lm-studio"]
    try:
        pointer = (user.home / ".lmstudio-home-pointer").read_text(encoding="utf-8").strip()
    except (OSError, ValueError):
        pointer = ""
    if Path(pointer).is_absolute():
        folders.insert(0, Path(pointer))
    return [ConfigLocation(folder / "mcp.json", folder) for folder in folders]


def _vs_code(editor_id: str, name: str, folder: str, command: str) -> Editor:
    locations = _in_config(folder, "User/mcp.json")
    return Editor(editor_id, name, "jsonc", "servers", locations, command, typed=True, next_step=_CHAT)


_cursor = _in_home(".cursor", "mcp.json")
_windsurf = _in_home(".codeium/windsurf", "mcp_config.json")
_continue = _in_home(".continue", "config.yaml", variable="CONTINUE_GLOBAL_DIR")
_codex = _in_home(".codex", "config.toml", variable="CODEX_HOME")

_EDITORS = (
    Editor("claude-desktop", "Claude Desktop", "json", "mcpServers", _claude_desktop, next_step=_RESTART),
    Editor("claude-code", "Claude Code", "json", "mcpServers", _claude_code, "claude", typed=True, next_step=_SESSION),
    Editor("cursor", "Cursor", "jsonc", "mcpServers", _cursor, "cursor", typed=True, next_step=_RELOAD),
    _vs_code("vscode", "VS Code", "Code", "code"),
    _vs_code("vscode-insiders", "VS Code Insiders", "Code - Insiders", "code-insiders"),
    Editor("windsurf", "Windsurf", "jsonc", "mcpServers", _windsurf, "windsurf", next_step=_REFRESH),
    Editor("zed", "Zed", "jsonc", "context_servers", _zed, "zed", next_step=_AGENT_PANEL),
    Editor("cline", "Cline", "json", "mcpServers", _cline, "cline", next_step=_MCP_SERVERS),
    Editor(
        "continue",
        "Continue",
        "yaml",
        "mcpServers",
        _continue,
        "cn",
        initial_text="name: Local Config\nversion: 1.0.0\nschema: v1\nmodels: []\n",
        legacy_file="config.json",
        next_step="Choose agent mode to use its tools.",
    ),
    Editor("codex", "Codex CLI", "toml", "mcp_servers", _codex, "codex", next_step=_SESSION),
    Editor("gemini", "Gemini CLI", "jsonc", "mcpServers", _gemini, "gemini", next_step=_SESSION),
    Editor("lm-studio", "LM Studio", "jsonc", "mcpServers", _lm_studio, "lms", next_step=_SWITCH_ON),
)

EDITORS: dict[str, Editor] = {editor.id: editor for editor in _EDITORS}

OTHER = "other"  # any other program: the JSON that most of them accept
OTHER_EDITOR = Editor(OTHER, "another program", "json", "mcpServers", lambda _: [])


def locate(editor: Editor, user: UserEnvironment) -> tuple[Path, bool]:
    """Return the settings file that an editor reads, and whether the editor is installed."""
    locations = editor.locations(user)
    files = [location.file for location in locations if exists(location.file)]
    expected = [location.file for location in locations if exists(location.marker)]
    command = editor.command and shutil.which(editor.command, path=user.variables.get("PATH", ""))
    installed = bool(files or expected or command)
    return (files or expected or [locations[0].file])[0], installed
