"""Verbs of the engine itself: its state, pausing imports, connected editors, and the end of a job or of the engine."""

from __future__ import annotations

from dataclasses import dataclass

from citeloom.api.verbs import Request
from citeloom.core.jobs import RunningJob
from citeloom.core.types import Coverage


@dataclass(frozen=True)
class StatusResult:
    """What the engine is and does."""

    version: str
    pid: int
    data_folder: str
    settings_file: str
    converter: str
    projects: int
    jobs: list[RunningJob]
    paused: bool  # imports wait until somebody resumes them
    coverage: Coverage  # of all projects
    editors: int  # connected now
    settings_problem: str | None  # why the settings file is not in force
    lost: str | None  # indexes that are missing
    started_by: str  # app, cli, mcp or person


@dataclass(frozen=True, kw_only=True)
class Status(Request[StatusResult], verb="engine.status"):
    """Ask what the engine is and does."""


@dataclass(frozen=True)
class PauseResult:
    """Whether imports are paused now."""

    paused: bool


@dataclass(frozen=True, kw_only=True)
class Pause(Request[PauseResult], verb="engine.pause", read_only=False):
    """Import nothing until `Resume`, also after a restart; running imports stop soon and are queued again."""


@dataclass(frozen=True, kw_only=True)
class Resume(Request[PauseResult], verb="engine.resume", read_only=False):
    """Import again, including what has changed since the pause."""


@dataclass(frozen=True)
class ConnectedEditor:
    """An editor's MCP session."""

    session_id: str
    client: str
    version: str
    projects: list[str] | None  # None: all
    toolsets: list[str]
    since: str
    calls: int
    last_call: str | None
    last_tool: str | None


@dataclass(frozen=True)
class ConnectedEditors:
    """The connected editors, in the order in which they connected."""

    editors: list[ConnectedEditor]


@dataclass(frozen=True, kw_only=True)
class ListEditors(Request[ConnectedEditors], verb="engine.list_editors"):
    """Ask which editors are connected."""


@dataclass(frozen=True)
class DisconnectResult:
    """Whether there was such a session."""

    disconnected: bool


@dataclass(frozen=True, kw_only=True)
class DisconnectEditor(Request[DisconnectResult], verb="engine.disconnect_editor", read_only=False):
    """End an editor's session and refuse its bridge until the editor starts another."""

    session_id: str


@dataclass(frozen=True, kw_only=True)
class CancelJob(Request[bool], verb="engine.cancel_job", read_only=False):
    """End a job soon and for good; what it has done stays. The result is whether there was such a job."""

    job_id: str


@dataclass(frozen=True, kw_only=True)
class Watch(Request[None], verb="engine.watch"):
    """Send events over this connection from now on."""


@dataclass(frozen=True, kw_only=True)
class Stop(Request[None], verb="engine.stop", read_only=False):
    """End the engine; a running job is resumed by the next one."""
