"""Types of the job queue: jobs and requests that features submit, and the protocol of the work that the queue runs."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Protocol


@dataclass(slots=True)
class Job:
    """A job as stored in the catalog."""

    id: str
    project_id: str
    kind: str  # ingest, move, compact or backup
    request: dict[str, Any]
    state: str = "queued"  # queued, running, parked; then done, failed or cancelled
    result: dict[str, Any] = field(default_factory=dict)
    created_at: str = ""
    finished_at: str | None = None


class JobRequest(Protocol):
    """A request for a job."""

    kind: ClassVar[str]

    @property
    def project_id(self) -> str:
        """The project; "" for all of them."""

    def to_json(self) -> dict[str, Any]:
        """Return the request as stored with its job."""


@dataclass(frozen=True, slots=True)
class Progress:
    """Progress of a job: documents become searchable first, and are done when read completely.

    For a move, a compaction or a backup, `done` and `total` count passages or megabytes.
    """

    total: int
    searchable: int = 0
    done: int = 0
    failed: int = 0
    chunks_written: int = 0
    file: str = ""
    # plan, model, fetch, read (what can be had at once), convert (whole documents), done;
    # or copy (passages), check, write (passages anew), graph, pack (megabytes);
    # or wait, until something outside of the job is back
    stage: str = "plan"
    page: int = 0  # of the file, where it takes long; of a model, megabytes
    pages: int = 0
    eta_seconds: float | None = None  # to the end of the stage
    waits_for: str = ""  # what is away, and what to do about it


Report = Callable[[Progress], None]


class JobStopped(Exception):
    """Raised when a job was stopped before its end; finished work stays."""


class RateEstimator:
    """Estimates the remaining time of a job from its rate so far."""

    def __init__(self, amount: float) -> None:
        self._amount = amount
        self._done = 0.0
        self.under_way = 0.0  # of the item in progress
        self._began = time.monotonic()

    def add_work(self, amount: float) -> None:
        """Add work to the total."""
        self._amount += amount

    def advance(self, amount: float) -> None:
        """Count work as done."""
        self._done += amount
        self.under_way = 0.0

    def seconds_left(self) -> float | None:
        """Return the seconds to the end; None before any work is done."""
        done = self._done + self.under_way
        if not done:
            return None
        return round((time.monotonic() - self._began) / done * max(0.0, self._amount - done), 1)


class JobResult(Protocol):
    """Result of a job, complete or so far."""

    @property
    def stopped(self) -> bool:
        """Whether the job was stopped before its end."""

    def to_json(self) -> dict[str, Any]:
        """Return the result as JSON."""


class JobWork(Protocol):
    """The work of a job, in two parts: a first one that is not interrupted, and one that gives way to others."""

    @property
    def result(self) -> JobResult:
        """The result so far."""

    @property
    def touched(self) -> set[str]:
        """Sources whose text the job has changed or will change."""

    @property
    def left(self) -> int:
        """Pages that remain for the second part."""

    def first(self) -> None:
        """Run the part that no other job may interrupt."""

    def second(self, give_way: Callable[[], None]) -> None:
        """Run the part that may take hours; calls `give_way` often."""

    def look_again(self) -> None:
        """Include work that has arrived since the job began."""

    def leave(self, sources: set[str]) -> None:
        """Skip sources that another job has read since."""

    def give_up(self) -> None:
        """Clean up after cancellation."""


StartJob = Callable[[dict[str, Any], Report, threading.Event], JobWork]


class JobQueue(Protocol):
    """Interface of the engine's job queue for features."""

    def submit(self, request: JobRequest, *, owed_first: bool = False) -> Job:
        """Queue a job; return the waiting one instead if it has the same request."""

    def state(self, job: Job) -> str:
        """Return the state of a job."""

    def busy(self, project_id: str | None = None) -> Sequence[dict[str, object]]:
        """Return the waiting and running jobs of one project or of all."""

    def drop(self, project_id: str) -> None:
        """Cancel the jobs of a project, and wait until none of them runs."""

    def try_now(self) -> None:
        """Let jobs that wait for something outside retry at once."""
