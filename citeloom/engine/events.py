"""Events of the engine, which control clients receive after the verb `watch`: typed, never log text."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class JobProgress:
    """A job made progress."""

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
    waits_for: str = ""  # what is unavailable, and what to do about it


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
    result: dict[str, Any] = field(default_factory=dict)
    kind: str = "ingest"


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
    """The engine stops or reloads its settings: clients have to connect again."""

    reason: str


Event = JobQueued | JobProgress | JobFinished | EditorConnected | EditorLeft | Paused | EngineStopping
Subscriber = Callable[[Event], None]


def to_json(event: Event) -> dict[str, Any]:
    """Return an event as JSON, with the name of its type."""
    return {"type": type(event).__name__, **asdict(event)}


class Events:
    """Publishes events to subscribers; thread-safe."""

    def __init__(self) -> None:
        self._subscribers: list[Subscriber] = []
        self._lock = threading.Lock()

    def publish(self, event: Event) -> None:
        """Pass an event to all subscribers."""
        with self._lock:
            subscribers = list(self._subscribers)
        for subscriber in subscribers:
            subscriber(event)

    def subscribe(self, subscriber: Subscriber) -> Callable[[], None]:
        """Add a subscriber; return a function that removes it."""
        with self._lock:
            self._subscribers.append(subscriber)

        def unsubscribe() -> None:
            with self._lock:
                if subscriber in self._subscribers:
                    self._subscribers.remove(subscriber)

        return unsubscribe
