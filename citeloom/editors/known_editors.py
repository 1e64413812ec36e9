"""The editors CiteLoom knows, and where each keeps the servers of its user, on Linux, macOS and Windows."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from citeloom.editors.types import Client

_NEW_CHAT = "It is there in the next chat."
_RELOAD = "Reload its window (Developer: Reload Window), or start it anew."


@dataclass(frozen=True)
class Machine:
    """Where to look: somebody's home on some system."""

    home: Path
    system: str
    environment: Mapping[str, str]

    def settings(self) -> Path:
        """Where programs keep their settings on this system."""
        if self.system == "win32":
            return self.named("APPDATA", self.home / "AppData" / "Roaming")
        if self.system == "darwin":
            return self.home / "Library" / "Application Support"
        return self.named("XDG_CONFIG_HOME", self.home / ".config")

    def named(self, variable: str, otherwise: Path) -> Path:
        """The path in a variable of the environment, or the usual one."""
        value = self.environment.get(variable, "")
        return Path(value) if Path(value).is_absolute() else otherwise

    def has_program(self, name: str) -> bool:
        """Whether a command of this name is found."""
        return shutil.which(name, path=self.environment.get("PATH", "")) is not None


class Place(NamedTuple):
    """A file that a program reads, and what shows that the program is there."""

    file: Path
    sign: Path


def there(path: Path) -> bool:
    """Whether something is at a path, as far as one may see."""
    try:
        return path.exists()
    except OSError:
        return False


def _in_folder(folder: Path, *parts: str) -> list[Place]:
    return [Place(folder.joinpath(*parts), folder)]


def _claude_desktop(machine: Machine) -> list[Place]:
    folders = [machine.settings() / "Claude"]
    if machine.system == "win32":
        # Installed from the Store it sees a copy of the usual folder, and the copy comes first.
        local = machine.named("LOCALAPPDATA", machine.home / "AppData" / "Local") / "Packages"
        packages = sorted(local.glob("Claude_*")) if there(local) else []
        folders = [*(package / "LocalCache" / "Roaming" / "Claude" for package in packages), *folders]
    return [Place(folder / "claude_desktop_config.json", folder) for folder in folders]


def _claude_code(machine: Machine) -> list[Place]:
    # Its file stands beside its folder, but in the folder where the variable names one, be it the usual one.
    file = machine.named("CLAUDE_CONFIG_DIR", machine.home) / ".claude.json"
    return [Place(file, machine.named("CLAUDE_CONFIG_DIR", machine.home / ".claude"))]


def _cline(machine: Machine) -> list[Place]:
    name = "cline_mcp_settings.json"
    own = machine.named("CLINE_DIR", machine.home / ".cline")
    places = [Place(own / "data" / "settings" / name, own)]
    # Before 2026 it kept them inside the editor that it runs in.
    for editor in ("Code", "Code - Insiders", "VSCodium", "Cursor", "Windsurf"):
        folder = machine.settings() / editor / "User" / "globalStorage" / "saoudrizwan.claude-dev"
        places.append(Place(folder / "settings" / name, folder))
    chosen = machine.named("CLINE_MCP_SETTINGS_PATH", Path())
    return [Place(chosen, chosen)] if chosen.is_absolute() else places


def _zed(machine: Machine) -> list[Place]:
    if machine.system == "darwin":
        return _in_folder(machine.home / ".config" / "zed", "settings.json")
    return _in_folder(machine.settings() / ("Zed" if machine.system == "win32" else "zed"), "settings.json")


def _lm_studio(machine: Machine) -> list[Place]:
    folders = [machine.home / ".lmstudio", machine.home / ".cache" / "lm-studio"]
    try:
        words = (machine.home / ".lmstudio-home-pointer").read_text(encoding="utf-8").strip()
    except (OSError, ValueError):
        words = ""
    if Path(words).is_absolute():
        folders.insert(0, Path(words))
    return [Place(folder / "mcp.json", folder) for folder in folders]


class _Known(NamedTuple):
    client: Client
    places: Callable[[Machine], list[Place]]
    program: str = ""  # its command


_KNOWN = (
    _Known(
        Client("claude-desktop", "Claude Desktop", "json", "mcpServers", then="Quit it and start it again."),
        _claude_desktop,
    ),
    _Known(
        Client("claude-code", "Claude Code", "json", "mcpServers", typed=True, then="It is there in the next session."),
        _claude_code,
        "claude",
    ),
    _Known(
        Client("cursor", "Cursor", "jsonc", "mcpServers", typed=True, then=_RELOAD),
        lambda machine: _in_folder(machine.home / ".cursor", "mcp.json"),
        "cursor",
    ),
    _Known(
        Client("vscode", "VS Code", "jsonc", "servers", typed=True, then=_NEW_CHAT),
        lambda machine: _in_folder(machine.settings() / "Code", "User", "mcp.json"),
        "code",
    ),
    _Known(
        Client("vscode-insiders", "VS Code Insiders", "jsonc", "servers", typed=True, then=_NEW_CHAT),
        lambda machine: _in_folder(machine.settings() / "Code - Insiders", "User", "mcp.json"),
        "code-insiders",
    ),
    _Known(
        Client("windsurf", "Windsurf", "jsonc", "mcpServers", then="Press Refresh in the MCP settings of Cascade."),
        lambda machine: _in_folder(machine.home / ".codeium" / "windsurf", "mcp_config.json"),
        "windsurf",
    ),
    _Known(
        Client("zed", "Zed", "jsonc", "context_servers", then="It is there at once, in the Agent Panel."),
        _zed,
        "zed",
    ),
    _Known(
        Client("cline", "Cline", "json", "mcpServers", then="It is there at once, under MCP Servers."),
        _cline,
        "cline",
    ),
    _Known(
        Client(
            "continue",
            "Continue",
            "yaml",
            "mcpServers",
            fresh="name: Local Config\nversion: 1.0.0\nschema: v1\nmodels: []\n",
            older_file="config.json",
            then="Choose agent mode; its tools are there.",
        ),
        lambda machine: _in_folder(machine.named("CONTINUE_GLOBAL_DIR", machine.home / ".continue"), "config.yaml"),
        "cn",
    ),
    _Known(
        Client("codex", "Codex CLI", "toml", "mcp_servers", then="It is there in the next session."),
        lambda machine: _in_folder(machine.named("CODEX_HOME", machine.home / ".codex"), "config.toml"),
        "codex",
    ),
    _Known(
        Client("gemini", "Gemini CLI", "jsonc", "mcpServers", then="It is there in the next session."),
        lambda machine: _in_folder(machine.named("GEMINI_CLI_HOME", machine.home) / ".gemini", "settings.json"),
        "gemini",
    ),
    _Known(
        Client("lm-studio", "LM Studio", "jsonc", "mcpServers", then="Switch it on under Program, in a chat."),
        _lm_studio,
        "lms",
    ),
)

CLIENTS: dict[str, Client] = {known.client.id: known.client for known in _KNOWN}


def located(client: Client, machine: Machine) -> tuple[Path, bool]:
    """The file that a program reads there, and whether the program is seen at all."""
    known = next(k for k in _KNOWN if k.client is client)
    places = known.places(machine)
    files = [place.file for place in places if there(place.file)]
    signs = [place.file for place in places if there(place.sign)]
    installed = bool(files or signs) or bool(known.program and machine.has_program(known.program))
    return (files or signs or [places[0].file])[0], installed
