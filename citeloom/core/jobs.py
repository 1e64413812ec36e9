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

    def more(self, amount: float) -> None:
        """There is more work than was thought."""
        self._amount += amount

    def did(self, amount: float) -> None:
        """Some of the work is done."""
        self._done += amount
        self.under_way = 0.0

    def left(self) -> float | None:
        """Seconds to the end; None while nobody can tell."""
        done = self._done + self.under_way
        if not done:
            return None
        return round((time.monotonic() - self._began) / done * max(0.0, self._amount - done), 1)


class JobResult(Protocol):
    """The result of a job so far."""

    @property
    def stopped(self) -> bool:
        """Whether the job was stopped before it was complete."""

    def to_json(self) -> dict[str, Any]:
        """Return the result as JSON."""


class JobWork(Protocol):
    """The work of a job: a short first pass and a second one that may take hours."""

    @property
    def result(self) -> JobResult:
        """The result so far."""

    @property
    def touched(self) -> set[str]:
        """Sources whose text this job has changed or will change."""

    @property
    def left(self) -> int:
        """Pages that the second pass has still to read."""

    def first(self) -> None:
        """Run the first pass, which no other job interrupts."""

    def second(self, give_way: Callable[[], None]) -> None:
        """Run the second pass; `give_way` is called often, to let other jobs run in between."""

    def look_again(self) -> None:
        """Include what was added since the job started."""

    def leave(self, sources: set[str]) -> None:
        """Skip sources that another job has read since."""

    def give_up(self) -> None:
        """Clean up after a cancellation."""


StartJob = Callable[[dict[str, Any], Report, threading.Event], JobWork]


class JobQueue(Protocol):
    """What features ask of the engine's job queue."""

    def submit(self, request: JobRequest, *, only_ask: bool = False) -> Job:
        """Queue a job, or name the one that waits for the same already."""

    def state(self, job: Job) -> str:
        """The state of a job."""

    def busy(self, project_id: str | None = None) -> Sequence[dict[str, object]]:
        """The jobs that wait and run, of one project or of all."""

    def drop(self, project_id: str) -> None:
        """Cancel the jobs of a project, and wait until none of them runs."""

    def retry_now(self) -> None:
        """Have the jobs that wait for something outside try again at once."""
