"""An editor as CiteLoom sees it: where its servers are written, what is written there, and what was changed."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from citeloom.core.errors import CiteLoomError

NAME = "citeloom"  # of the entry in every editor's file
TOOLSETS = ("read", "write")  # as `citeloom mcp --toolsets` takes them
DEFAULT_TOOLSETS = ("read",)  # without that option

Form = Literal["json", "jsonc", "yaml", "toml"]


@dataclass(frozen=True)
class Client:
    """A program that launches MCP servers named in a file."""

    id: str
    name: str
    form: Form  # json: without comments, because the program itself cannot read them
    servers: str  # the key that servers stand under
    typed: bool = False  # an entry says that it is launched, not fetched
    fresh: str = ""  # what a new file must begin with
    older_file: str = ""  # stands beside where the file is still missing, and would be hidden by a new one
    then: str = ""  # what the person does in the program afterwards


@dataclass(frozen=True)
class Entry:
    """Our entry in an editor's file."""

    projects: tuple[str, ...]  # none: all projects
    toolsets: tuple[str, ...]
    command: tuple[str, ...]  # with its arguments; empty where the entry launches nothing
    environment: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Found:
    """What was seen of one editor on this machine."""

    client: Client
    file: Path
    installed: bool  # the program is seen on this machine
    connected: Entry | None
    problem: CiteLoomError | None  # why nothing can be written
    exists: bool = False  # the file was there


@dataclass(frozen=True)
class Change:
    """What was done to an editor's file, and what takes it back."""

    client_id: str
    file: Path
    backup: Path | None  # what was there before
    created: bool  # there was no file before
    diff: str
    written: str | None  # fingerprint of what stands there since; None: nothing does


@dataclass(frozen=True)
class Tested:
    """What came of launching the command in an editor's file."""

    ok: bool
    tools: list[str]
    seconds: float
    problem: CiteLoomError | None


class Malformed(ValueError):
    """A file that its own program could not read either; says where and why."""


class Unsuited(ValueError):
    """A file that is well-formed, but written in a way that the entry cannot be put in safely; says why."""
