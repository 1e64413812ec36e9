"""Verbs of the engine itself: status, pausing imports, connected editors, cancelling jobs, stopping the engine."""

from __future__ import annotations

from dataclasses import dataclass

import msgspec

from citeloom.api.verbs import Request
from citeloom.core.jobs import RunningJob
from citeloom.core.types import Coverage


class StatusResult(msgspec.Struct, frozen=True, rename={"orphaned_indexes": "lost"}):
    """The status of the engine."""

    version: str
    pid: int
    data_folder: str
    settings_file: str
    converter: str
    projects: int
    jobs: list[RunningJob]
    paused: bool  # imports wait for `Resume`
    coverage: Coverage  # of all projects
    editors: int  # connected ones
    settings_problem: str | None  # why the settings file is not used
    orphaned_indexes: str | None  # message about indexes without a project
    started_by: str  # app, cli, mcp or person


class Status(Request[StatusResult], verb="engine.status"):
    """Get the status of the engine."""


class Pause(Request[None], verb="engine.pause", read_only=False):
    """Pause imports until `Resume`, also after a restart; running imports stop soon and are queued again."""


class Resume(Request[None], verb="engine.resume", read_only=False):
    """Resume imports, including what has changed since the pause."""


@dataclass(slots=True)
class ConnectedEditor:
    """An editor's MCP session; the engine updates it with every call."""

    session_id: str
    client: str
    version: str
    projects: list[str] | None  # None: all
    toolsets: list[str]
    since: str = ""
    calls: int = 0
    last_call: str | None = None
    last_tool: str | None = None

    @property
    def name(self) -> str:
        """Name and version, as in events and the access log."""
        return f"{self.client} {self.version}".strip()


class ListEditors(Request[list[ConnectedEditor]], verb="engine.list_editors"):
    """List the connected editors in the order of connecting."""


class DisconnectEditor(Request[bool], verb="engine.disconnect_editor", read_only=False):
    """Close an editor's session and refuse its bridge until the editor starts a new one.

    The result is whether the session existed.
    """

    session_id: str


class CancelJob(Request[bool], verb="engine.cancel_job", read_only=False):
    """Cancel a job; what it has done so far stays. The result is whether the job existed."""

    job_id: str


class Subscribe(Request[None], verb="engine.subscribe"):
    """Subscribe this connection to events."""


class Stop(Request[None], verb="engine.stop", read_only=False):
    """Stop the engine; a running job is resumed at the next start."""
