"""What the engine tells those who watch: typed, never log text."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class JobProgress:
    """A job moved on."""

    job_id: str
    project_id: str
    total: int
    searchable: int
    done: int
    failed: int
    chunks_written: int
    file: str
    stage: str
    page: int = 0
    pages: int = 0
    eta_seconds: float | None = None  # to the end of the stage
    waits_for: str = ""  # what is away, and what to do about it


@dataclass(frozen=True, slots=True)
class JobQueued:
    """A job was asked for and waits for its turn."""

    job_id: str
    project_id: str
    kind: str = "ingest"  # or move, compact, backup


@dataclass(frozen=True, slots=True)
class JobFinished:
    """A job ended: done, failed, cancelled or parked."""

    job_id: str
    project_id: str
    state: str
    result: dict[str, Any] = field(default_factory=dict)
    kind: str = "ingest"


@dataclass(frozen=True, slots=True)
class EditorConnected:
    """An editor has said who it is."""

    session_id: str
    client: str


@dataclass(frozen=True, slots=True)
class EditorLeft:
    """An editor that had said who it is has gone, or was disconnected."""

    session_id: str
    client: str


@dataclass(frozen=True, slots=True)
class Paused:
    """Imports were paused, or go on."""

    paused: bool


@dataclass(frozen=True, slots=True)
class EngineStopping:
    """The engine ends, or starts anew with other settings: whoever is connected has to connect again."""

    reason: str


Event = JobQueued | JobProgress | JobFinished | EditorConnected | EditorLeft | Paused | EngineStopping
Watcher = Callable[[Event], None]


def to_json(event: Event) -> dict[str, Any]:
    """An event as it goes over the wire, named by its type."""
    return {"type": type(event).__name__, **asdict(event)}


class Events:
    """Hands each event to everyone who watches."""

    def __init__(self) -> None:
        self._watchers: list[Watcher] = []
        self._lock = threading.Lock()

    def publish(self, event: Event) -> None:
        """Tell everyone."""
        with self._lock:
            watchers = list(self._watchers)
        for watcher in watchers:
            watcher(event)

    def watch(self, watcher: Watcher) -> Callable[[], None]:
        """Be told; call what comes back to end it."""
        with self._lock:
            self._watchers.append(watcher)

        def end() -> None:
            with self._lock:
                if watcher in self._watchers:
                    self._watchers.remove(watcher)

        return end
