"""Typed events of the engine, sent to clients that have subscribed with `engine.Subscribe`."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from citeloom.api.verbs import decode, encode
from citeloom.core.errors import CiteLoomError
from citeloom.core.jobs import Progress


@dataclass(frozen=True, slots=True, kw_only=True)
class JobProgress(Progress):
    """A job made progress."""

    job_id: str
    project_id: str


@dataclass(frozen=True, slots=True)
class JobQueued:
    """A job was queued."""

    job_id: str
    project_id: str
    kind: str = "ingest"  # or move, compact, backup


@dataclass(frozen=True, slots=True)
class JobFinished:
    """A job ended: done, failed, cancelled or parked."""

    job_id: str
    project_id: str
    state: str
    result: dict[str, Any] = field(default_factory=dict)  # of an import, an `ImportResult`; {"error": …} if it failed
    kind: str = "ingest"

    @property
    def error(self) -> CiteLoomError | None:
        """Why the job failed."""
        return CiteLoomError.from_dict(self.result.get("error") or {}) if self.state == "failed" else None


@dataclass(frozen=True, slots=True)
class EditorConnected:
    """An editor connected."""

    session_id: str
    client: str


@dataclass(frozen=True, slots=True)
class EditorLeft:
    """An editor closed its connection or was disconnected."""

    session_id: str
    client: str


@dataclass(frozen=True, slots=True)
class Paused:
    """Imports were paused or resumed."""

    paused: bool


@dataclass(frozen=True, slots=True)
class EngineStopping:
    """The engine stops or reloads its settings: clients have to reconnect."""

    reason: str


Event = JobQueued | JobProgress | JobFinished | EditorConnected | EditorLeft | Paused | EngineStopping
_TYPES: dict[str, type[Event]] = {
    kind.__name__: kind
    for kind in (JobQueued, JobProgress, JobFinished, EditorConnected, EditorLeft, Paused, EngineStopping)
}


def encode_event(event: Event) -> dict[str, Any]:
    """Return an event as JSON values, with the name of its type."""
    return {"type": type(event).__name__, **encode(event)}


def decode_event(values: dict[str, Any]) -> Event:
    """Return the event for JSON values made by `encode_event`."""
    return decode(values, _TYPES[values["type"]])
