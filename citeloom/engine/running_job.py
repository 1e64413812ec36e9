"""A job that has begun and not ended: what it does, and how long it waits for something that is away."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass, field

from citeloom.core.errors import Cause, CiteLoomError
from citeloom.core.jobs import Job, JobWork, Progress

_FIRST_PAUSE, _LONGEST_PAUSE = 1.0, 60.0  # seconds that a job waits before it tries again
_IN_VAIN = 5  # tries of a job that fails for a reason that may be its own


@dataclass(slots=True)
class Begun:
    """A job under way: its first pass may be over, its second may have to wait."""

    job: Job
    stop: threading.Event = field(default_factory=threading.Event)
    cancelled: bool = False  # stopped for good; else it waits once more
    run: JobWork | None = None
    searchable: bool = False  # what could be read at once has been
    look_again: bool = False  # somebody asked for the same once more
    waits: bool = False  # for something outside of it that is away; others go on meanwhile
    in_vain: int = 0  # tries since it last came any further
    _due: float = 0.0  # when it tries again, by the monotonic clock
    _pause: float = 0.0  # how long it waited the last time
    _reached: int = 0  # how far it had come then

    @property
    def left(self) -> int:
        """How much is still to be done after the first part, in pages."""
        return self.run.left if self.run else 0

    @property
    def is_due(self) -> bool:
        """Whether it may go on, or has to end."""
        return not self.waits or self.stop.is_set() or self.seconds_to_wait <= 0

    @property
    def seconds_to_wait(self) -> float:
        """How long it is to be left alone."""
        return self._due - time.monotonic()

    def wait_for(self, error: CiteLoomError, progress: Progress) -> bool:
        """Have it left alone for a while, longer each time that it came no further; False where it has failed.

        An import waits: nothing of it has to be done twice, and nobody has to ask for it again.
        """
        reached = progress.searchable + progress.done + progress.chunks_written
        if reached != self._reached:
            self._reached, self.in_vain, self._pause = reached, 0, 0.0
        self.in_vain += 1
        uncertain = error.cause is Cause.UNCERTAIN and self.in_vain <= _IN_VAIN
        self.waits = self.job.kind == "ingest" and (uncertain or error.cause is Cause.OUTSIDE)
        self._pause = min(2 * self._pause, _LONGEST_PAUSE) or _FIRST_PAUSE
        self._due = time.monotonic() + self._pause
        return self.waits

    def try_now(self) -> None:
        """Have it wait no longer."""
        self._due = 0.0
