"""Data types of this package: an editor, its settings file as found, CiteLoom's entry in it, and a change to it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, NamedTuple

from citeloom.core.errors import CiteLoomError

TOOLSETS = ("read", "write", "notes")  # as `citeloom mcp --toolsets` takes them
DEFAULT_TOOLSETS = ("read",)  # without that option

Format = Literal["json", "jsonc", "yaml", "toml"]


@dataclass(frozen=True)
class UserEnvironment:
    """Home folder, operating system and environment variables under which editors are looked for."""

    home: Path
    system: str  # as sys.platform
    variables: Mapping[str, str]

    def config_folder(self) -> Path:
        """Return where programs keep their settings on this system."""
        if self.system == "win32":
            return self.path("APPDATA", self.home / "AppData" / "Roaming")
        if self.system == "darwin":
            return self.home / "Library" / "Application Support"
        return self.path("XDG_CONFIG_HOME", self.home / ".config")

    def path(self, variable: str, default: Path) -> Path:
        """Return the absolute path in an environment variable, or the default."""
        value = self.variables.get(variable, "")
        return Path(value) if Path(value).is_absolute() else default


class ConfigLocation(NamedTuple):
    """A settings file that an editor may read, and a path that exists where the editor is installed."""

    file: Path
    marker: Path


Locations = Callable[[UserEnvironment], list[ConfigLocation]]


@dataclass(frozen=True)
class Editor:
    """A program that launches the MCP servers listed in a settings file."""

    id: str
    name: str
    format: Format  # json: without comments, because the program itself cannot read them
    servers_key: str  # the key that servers are listed under
    locations: Locations  # the preferred one first
    command: str = ""  # its executable, where it has one
    typed: bool = False  # an entry needs a "type"
    initial_text: str = ""  # what a new file must begin with
    legacy_file: str = ""  # read where the file itself is missing: a new file would hide it
    next_step: str = ""  # what the person does in the program afterwards


@dataclass(frozen=True)
class Entry:
    """CiteLoom's entry in an editor's file."""

    projects: tuple[str, ...]  # none: all projects
    toolsets: tuple[str, ...]
    command: tuple[str, ...]  # with its arguments; empty where the entry launches nothing
    environment: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class DetectedEditor:
    """An editor as found on this machine."""

    editor: Editor
    file: Path
    installed: bool
    connected: Entry | None
    problem: CiteLoomError | None  # why nothing can be written
    exists: bool = False  # the file was there


@dataclass(frozen=True)
class Change:
    """A change to an editor's file, with what is needed to undo it."""

    editor_id: str
    file: Path
    backup: Path | None  # what was there before
    created: bool  # there was no file before
    diff: str
    written: str | None  # fingerprint of the new content; None if the file was deleted


@dataclass(frozen=True)
class LaunchResult:
    """Outcome of launching the command in an editor's file."""

    tools: list[str]
    seconds: float
    problem: CiteLoomError | None
