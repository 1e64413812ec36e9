"""Types of the job queue: jobs and requests that features submit, and the protocol of the work that the queue runs."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Sequence
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

    def is_same(self, other: Job) -> bool:
        """Whether another job has the same request."""
        return (self.kind, self.request) == (other.kind, other.request)

    def concerns(self, project_id: str) -> bool:
        """Whether it reads or writes a project."""
        return project_id in (self.project_id, *self.request.get("projects", ()))

    @property
    def replaces_index(self) -> bool:
        """Whether it replaces the index of its project."""
        return self.kind in ("move", "compact") or bool(self.request.get("force_rebuild"))

    @property
    def can_be_paused(self) -> bool:
        """Whether a pause of imports applies to it: a backup changes nothing and goes on."""
        return self.kind != "backup"


class JobRequest(Protocol):
    """A request for a job."""

    __dataclass_fields__: ClassVar[dict[str, Any]]  # stored with the job
    kind: ClassVar[str]

    @property
    def project_id(self) -> str:
        """Id of the project; "" for all projects."""


@dataclass(frozen=True, slots=True)
class Stage:
    """Stage of a job: the unit of its progress, and whether its remaining time is known."""

    counted: str = ""  # unit of `done` and `total`, in English; "": documents of an import
    timed: bool = False  # `eta_seconds` is reliable
    measured: bool = True  # `done` of `total` is its progress
    text: str = ""  # what happens, in English, where the counts do not say it


# The desktop app has a translated text for each: desktop/text/job_text.py.
STAGES = {
    "plan": Stage(text="looking for changes"),  # what is new or has changed
    "model": Stage(text="fetching the model"),  # the weights of a model
    "fetch": Stage(text="fetching files"),  # from zotero.org or the web
    "read": Stage(timed=True),  # documents become searchable by their words
    "embed": Stage(timed=True),  # and by meaning
    "convert": Stage(timed=True),  # pages that need OCR or layout
    "search graph": Stage(text="building the search graph"),  # of an index that an import writes to
    "done": Stage(),
    # Of a move, a compaction or a backup:
    "copy": Stage("passages copied", timed=True),
    "wait": Stage("passages copied"),  # until a server is back
    "check": Stage("passages copied, comparing", measured=False),
    "write": Stage("passages written", timed=True),
    "graph": Stage("passages written, building the search graph", measured=False),
    "pack": Stage("MB packed", timed=True),
}


@dataclass(frozen=True, slots=True)
class Progress:
    """Progress of a job. Everything that shows it takes its numbers from these fields and properties.

    An import counts documents and pages; the pages of documents that were not opened yet are estimated. A page is found
    by its words first, then by meaning. For a move, a compaction or a backup, `done` and `total` count passages or
    megabytes.
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
    pages_waiting: int = 0  # for OCR; until then, they have no text
    pages_failed: int = 0  # have no text, because they could not be read
    pages_for_layout: int = 0  # searchable, but layout analysis may still improve their text

    @property
    def counts_documents(self) -> bool:
        """Whether documents are counted, as in an import, rather than passages or megabytes."""
        return not self._stage.counted

    @property
    def share(self) -> float | None:
        """The part that is done, from 0 to 1; None if unknown. Words and meaning are half of an import each."""
        if not self.counts_documents:
            return min(1.0, self.done / self.total) if self.total and self._stage.measured else None
        if not self.pages_total:
            return None
        complete = max(0, self.pages_embedded - self.pages_for_layout) + self.pages_failed
        return min(1.0, (self.pages_by_words + self.pages_failed + complete) / (2 * self.pages_total))

    @property
    def seconds_left(self) -> float | None:
        """Seconds to the end of the job; None if unknown."""
        return self.eta_seconds if self._stage.timed and not self.waits_for else None

    @property
    def _stage(self) -> Stage:
        return STAGES.get(self.stage, Stage())


_SUMMED = (
    *("total", "searchable", "done", "failed", "chunks_written", "pages_total", "pages_by_words", "pages_embedded"),
    *("pages_waiting", "pages_failed", "pages_for_layout"),
)


def combined_progress(imports: Iterable[Progress]) -> Progress:
    """Return the progress of several imports together: the sums, and the time left of the longest."""
    found = list(imports)
    left = [one.seconds_left for one in found if one.seconds_left is not None]
    counts = {name: sum(getattr(one, name) for one in found) for name in _SUMMED}
    return Progress(**counts, stage="read", eta_seconds=max(left, default=None))


def describe_progress(progress: Progress) -> str:
    """Return the progress of a job in English, for the command line and for agents."""
    stage = STAGES.get(progress.stage, Stage())
    if not progress.counts_documents:
        parts = [f"{progress.done:,} of {progress.total:,} {stage.counted}"]
    else:
        failed = f", {progress.failed:,} failed" if progress.failed else ""
        counts = f"{progress.searchable:,} of {progress.total:,} documents read{failed}" if progress.total else ""
        parts = [stage.text, counts, _describe_pages(progress)]
    if progress.waits_for:
        parts.append(f"waiting: {progress.waits_for}")
    elif progress.seconds_left is not None:
        parts.append(f"{describe_seconds(progress.seconds_left)} left")
    return " · ".join(filter(None, parts))


def _describe_pages(progress: Progress) -> str:
    if not progress.pages_total:
        return ""
    wait = "waits" if progress.pages_waiting == 1 else "wait"
    others = (
        (progress.pages_waiting, f"{wait} for OCR"),
        (progress.pages_for_layout, "for layout analysis"),
        (progress.pages_failed, "failed"),
    )
    found = f"{progress.pages_by_words:,} of {progress.pages_total:,} pages found by words"
    return ", ".join(
        [found, f"{progress.pages_embedded:,} by meaning", *(f"{count:,} {text}" for count, text in others if count)]
    )


def describe_seconds(seconds: float) -> str:
    """Return an estimated duration in English."""
    if seconds < 90:
        return f"about {max(1, round(seconds))} s"
    return f"about {round(seconds / 60)} min" if seconds < 5400 else f"about {round(seconds / 3600)} h"


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


def describe_job(job: RunningJob) -> str:
    """Return the state and the progress of a job in English."""
    state = job.state if job.state != "running" or not job.total else ""
    return " · ".join(filter(None, (state, describe_progress(job))))


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
