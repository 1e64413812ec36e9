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
    resumed: bool = False  # it was started before, and interrupted by a pause or the engine's end; not stored


class JobRequest(Protocol):
    """A request for a job."""

    __dataclass_fields__: ClassVar[dict[str, Any]]  # stored with the job
    kind: ClassVar[str]

    @property
    def project_id(self) -> str:
        """Id of the project; "" for all projects."""


@dataclass(frozen=True, slots=True)
class Progress:
    """Progress of a job: documents become searchable by their words first, and are done when nothing is left to do.

    The same counts are given in pages; those of documents that were not opened yet are estimated. For a move, a
    compaction or a backup, `done` and `total` count passages or megabytes.
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
    eta_seconds: float | None = None  # to the end of the job, by the measured rates of what is left
    waits_for: str = ""  # what is unavailable, and what to do about it
    pages_total: int = 0
    pages_by_words: int = 0  # searchable by their words
    pages_embedded: int = 0  # searchable by meaning too
    pages_waiting: int = 0  # for OCR or layout
    pages_failed: int = 0


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
    "read": Stage(timed=True),  # documents become searchable by their words
    "embed": Stage(timed=True),  # and by meaning
    "convert": Stage(timed=True),  # pages that need OCR or layout
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
        self.done = 0.0
        self._began = time.monotonic()

    def seconds_left(self) -> float | None:
        """Return the seconds to the end; None before any work is done."""
        if not self.done:
            return None
        return round((time.monotonic() - self._began) / self.done * max(0.0, self._amount - self.done), 1)


class JobResult(Protocol):
    """Result of a job so far; a type of the API."""

    @property
    def stopped(self) -> bool:
        """Return whether the job was stopped before it was complete."""


class JobWork(Protocol):
    """Work of a job. The job queue runs it in a thread of its own."""

    @property
    def result(self) -> JobResult:
        """Result so far."""

    def run(self) -> None:
        """Do the work, or continue after an error; returns early once the job has to stop."""

    def include_new(self) -> None:
        """Include what was added since the job started. Called while it runs."""

    @property
    def has_new(self) -> bool:
        """Whether something was added that it has not included yet."""

    def clean_up(self) -> None:
        """Clean up after a cancellation."""


# Of a job, a plan that somebody made for it, and what reports progress and asks to stop.
StartJob = Callable[[Job, object, ReportProgress, threading.Event], JobWork]


class JobQueue(Protocol):
    """Interface of the engine's job queue for features."""

    def submit(self, request: JobRequest, *, is_poll: bool = False, plan: object = None) -> Job:
        """Queue a job, or return an equal one that is already queued; `plan` is what the job would plan now."""

    def state(self, job: Job) -> str:
        """Return the state of a job."""

    def unfinished(self, project_id: str | None = None) -> Sequence[RunningJob]:
        """Return the queued and running jobs, of one project or of all."""

    def cancel_project(self, project_id: str) -> None:
        """Cancel the jobs of a project, and wait until none of them runs."""

    def stop_imports(self, project_id: str, of_source: Callable[[str], bool]) -> None:
        """Cancel a project's imports of some sources; its other imports plan again."""

    def retry_now(self) -> None:
        """Retry the jobs that wait for an outside resource at once."""
