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

    __dataclass_fields__: ClassVar[dict[str, Any]]  # stored with the job
    kind: ClassVar[str]

    @property
    def project_id(self) -> str:
        """Id of the project; "" for all projects."""


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
    stage: str = "plan"  # one of STAGES
    page: int = 0  # current page of a long file; for a model, megabytes
    pages: int = 0
    eta_seconds: float | None = None  # to the end of the stage
    waits_for: str = ""  # what is unavailable, and what to do about it


@dataclass(frozen=True, slots=True)
class Stage:
    """Stage of a job: the unit of its progress, and whether its remaining time is known."""

    counted: str = ""  # unit of `done` and `total`, in English; "": documents of an import
    timed: bool = False  # `eta_seconds` is reliable
    measured: bool = True  # `done` of `total` is its progress


# The desktop app has a translated text for each: desktop/text/job_text.py.
STAGES = {
    "plan": Stage(),  # what is new or has changed
    "model": Stage(),  # the weights of a model are fetched
    "fetch": Stage(),  # files are fetched from zotero.org or the web
    "read": Stage(timed=True),  # what can be read at once
    "convert": Stage(timed=True),  # whole documents
    "search graph": Stage(),  # of an index that an import writes to
    "done": Stage(),
    # Of a move, a compaction or a backup:
    "copy": Stage("passages copied", timed=True),
    "wait": Stage("passages copied"),  # until a server is back
    "check": Stage("passages copied, comparing", measured=False),
    "write": Stage("passages written", timed=True),
    "graph": Stage("passages written, building the search graph", measured=False),
    "pack": Stage("MB packed", timed=True),
}


def describe_progress(progress: Progress) -> str:
    """Return the progress of a job in English, for the command line and for agents."""
    stage = STAGES.get(progress.stage, Stage())
    if stage.counted and not progress.waits_for:
        return f"{progress.done:,} of {progress.total:,} {stage.counted}"
    text = f"{progress.searchable} of {progress.total} searchable, {progress.done} finished"
    return f"{text}; it waits: {progress.waits_for}" if progress.waits_for else text


@dataclass(frozen=True, slots=True, kw_only=True)
class RunningJob(Progress):
    """A queued or running job with its progress."""

    job_id: str
    project: str
    kind: str = "ingest"
    state: str = "queued"  # queued, running, parked or paused
    source: str | None = None
    total: int = 0
    stage: str = ""  # "" while it is queued


ReportProgress = Callable[[Progress], None]


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
    """Result of a job so far; a type of the API."""

    @property
    def stopped(self) -> bool:
        """Return whether the job was stopped before it was complete."""


class JobWork(Protocol):
    """Work of a job: a short first pass and a second one that may take hours."""

    @property
    def result(self) -> JobResult:
        """Result so far."""

    @property
    def changed_sources(self) -> set[str]:
        """Sources whose text this job has changed or will change."""

    @property
    def pages_left(self) -> int:
        """Number of pages that remain for the second pass."""

    def run_first_pass(self) -> None:
        """Run the first pass, which no other job interrupts."""

    def run_second_pass(self, give_way: Callable[[], None]) -> None:
        """Run the second pass; `give_way` is called often, to let other jobs run in between."""

    def include_new(self) -> None:
        """Include what was added since the job started."""

    def skip(self, sources: set[str]) -> None:
        """Skip sources that another job has read since."""

    def clean_up(self) -> None:
        """Clean up after a cancellation."""


StartJob = Callable[[dict[str, Any], ReportProgress, threading.Event], JobWork]


class JobQueue(Protocol):
    """Interface of the engine's job queue for features."""

    def submit(self, request: JobRequest, *, is_poll: bool = False) -> Job:
        """Queue a job, or return an equal one that is already queued."""

    def state(self, job: Job) -> str:
        """Return the state of a job."""

    def unfinished(self, project_id: str | None = None) -> Sequence[RunningJob]:
        """Return the queued and running jobs, of one project or of all."""

    def cancel_project(self, project_id: str) -> None:
        """Cancel the jobs of a project, and wait until none of them runs."""

    def retry_now(self) -> None:
        """Retry the jobs that wait for an outside resource at once."""
