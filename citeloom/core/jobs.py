"""Jobs of the engine's queue: what features submit, and what the queue asks of the work that it runs."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Protocol


@dataclass(slots=True)
class Job:
    """A job as the catalog keeps it."""

    id: str
    project_id: str
    kind: str  # ingest, move, compact or backup
    request: dict[str, Any]
    state: str = "queued"  # queued, running, parked; then done, failed or cancelled
    result: dict[str, Any] = field(default_factory=dict)
    created_at: str = ""
    finished_at: str | None = None


class JobRequest(Protocol):
    """Something to be done in the queue."""

    kind: ClassVar[str]

    @property
    def project_id(self) -> str:
        """The project it is for; "" where it is for all of them."""

    def to_json(self) -> dict[str, Any]:
        """The request as it is kept with its job."""


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a job has come: a document is searchable first, and finished when it has been read whole.

    Of a move, a compaction or a backup, `done` of `total` count passages or megabytes.
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
    """A job was stopped before it was done; what it has finished stays."""


class RateEstimator:
    """How fast work goes, and so how long the rest of it takes."""

    def __init__(self, amount: float) -> None:
        self._amount = amount
        self._done = 0.0
        self.under_way = 0.0  # of what is being done now
        self._began = time.monotonic()

    def add_work(self, amount: float) -> None:
        """There is more work than was thought."""
        self._amount += amount

    def advance(self, amount: float) -> None:
        """Some of the work is done."""
        self._done += amount
        self.under_way = 0.0

    def seconds_left(self) -> float | None:
        """Seconds to the end; None while nobody can tell."""
        done = self._done + self.under_way
        if not done:
            return None
        return round((time.monotonic() - self._began) / done * max(0.0, self._amount - done), 1)


class JobResult(Protocol):
    """What a job did so far."""

    @property
    def stopped(self) -> bool:
        """Whether it was ended before it was done."""

    def to_json(self) -> dict[str, Any]:
        """The result as it goes over the wire."""


class JobWork(Protocol):
    """A job's work: what makes something available at once, and what takes long."""

    @property
    def result(self) -> JobResult:
        """What was done so far."""

    @property
    def touched(self) -> set[str]:
        """Sources whose text it has changed, or is to change."""

    @property
    def left(self) -> int:
        """How much is still to be done after the first part, in pages."""

    def first(self) -> None:
        """Do what must not be interrupted by another job."""

    def second(self, give_way: Callable[[], None]) -> None:
        """Do what may take hours; `give_way` is called often."""

    def look_again(self) -> None:
        """Take in what has come since it began."""

    def leave(self, sources: set[str]) -> None:
        """Leave sources to another job that has read them since."""

    def give_up(self) -> None:
        """It was cancelled: leave nothing behind that nobody goes on with."""


StartJob = Callable[[dict[str, Any], Report, threading.Event], JobWork]


class JobQueue(Protocol):
    """What features ask of the engine's job queue."""

    def submit(self, request: JobRequest, *, owed_first: bool = False) -> Job:
        """Queue a job, or name the one that waits for the same already."""

    def state(self, job: Job) -> str:
        """The state of a job."""

    def busy(self, project_id: str | None = None) -> Sequence[dict[str, object]]:
        """The jobs that wait and run, of one project or of all."""

    def drop(self, project_id: str) -> None:
        """Cancel the jobs of a project, and wait until none of them runs."""

    def try_now(self) -> None:
        """Have the jobs that wait for something outside try again at once."""
