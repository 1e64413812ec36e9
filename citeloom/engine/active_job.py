"""State of a job that the job queue has started, with the delay before it is tried again after a failure."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass, field

from citeloom.core.errors import Cause, CiteLoomError
from citeloom.core.jobs import Job, JobWork, Progress

_FIRST_DELAY, _MAX_DELAY = 1.0, 60.0  # seconds before a job is tried again
_MAX_RETRIES = 5  # without progress, if the job itself may be the cause of the failure


@dataclass(slots=True)
class ActiveJob:
    """A job that was started and has not ended."""

    job: Job
    stop: threading.Event = field(default_factory=threading.Event)
    cancelled: bool = False  # stopped for good; if stopped otherwise, it is queued again
    ended: bool = False  # complete: an equal request is another job
    work: JobWork | None = None
    waits: bool = False  # for something that is unavailable, such as a server; other jobs run meanwhile
    waits_for_power: bool = False  # likewise, while it runs
    retries: int = 0  # since it last made progress
    _due: float = 0.0  # when it is tried again, by the monotonic clock
    _delay: float = 0.0  # the last one, in seconds
    _progress: int = 0  # at the last failure
    _requested_again: bool = False  # before there was any work

    def begin(self, work: JobWork) -> None:
        """Set the work of the job."""
        self.work = work
        if self._requested_again:
            work.include_new()

    def include_new(self) -> None:
        """Include what was added since the job started; if it waits, it is tried again at once."""
        if self.work:
            self.work.include_new()
        self._requested_again = True
        self._due = 0.0

    @property
    def only_waits(self) -> bool:
        """Whether nothing is done for it until something becomes available."""
        return self.waits or self.waits_for_power

    @property
    def is_due(self) -> bool:
        """Whether it can continue, or has to end."""
        return not self.waits or self.stop.is_set() or self.seconds_to_wait <= 0

    @property
    def seconds_to_wait(self) -> float:
        """Seconds until it is tried again."""
        return self._due - time.monotonic()

    def retry_after(self, error: CiteLoomError, progress: Progress) -> bool:
        """Schedule a retry after an error, with a longer delay each time without progress; False if it has failed.

        Only imports are retried: they continue where they stopped.
        """
        reached = progress.searchable + progress.done + progress.chunks_written + progress.pages_embedded
        if reached != self._progress:
            self._progress, self.retries, self._delay = reached, 0, 0.0
        self.retries += 1
        uncertain = error.cause is Cause.UNCERTAIN and self.retries <= _MAX_RETRIES
        self.waits = self.job.kind == "ingest" and (uncertain or error.cause is Cause.OUTSIDE)
        self._delay = min(2 * self._delay, _MAX_DELAY) or _FIRST_DELAY
        self._due = time.monotonic() + self._delay
        return self.waits

    def retry_now(self) -> None:
        """End the delay."""
        self._due = 0.0
