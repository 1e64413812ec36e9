"""Jobs without parts, such as moving an index: started, reported on and stopped by the queue like an import."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any

from citeloom.core.jobs import JobStopped, Progress, RateEstimator, Report


@dataclass(slots=True)
class SingleStepResult:
    """What a job did."""

    details: dict[str, Any] = field(default_factory=dict)  # what is said of this kind of job
    warnings: list[str] = field(default_factory=list)
    stopped: bool = True  # until it is done
    duration_seconds: float = 0.0

    def to_json(self) -> dict[str, Any]:
        """The result as it goes over the wire."""
        seconds = round(self.duration_seconds, 3)
        return {**self.details, "warnings": self.warnings, "duration_seconds": seconds, "stopped": self.stopped}


class SingleStepJob:
    """Base of jobs that are done in one go; a subclass implements `run`."""

    pages_left = 0

    def __init__(self, report: Report, stop: threading.Event) -> None:
        self.result = SingleStepResult()
        self.touched: set[str] = set()
        self._stop = stop
        self._report = report
        self._done_and_total = (0, 0)
        self._rates: dict[str, RateEstimator] = {}  # by stage: after a pause or something between, a stage goes on

    def run(self) -> None:
        """Do the job; raises `JobStopped` where it ends before it is done."""
        raise NotImplementedError

    def run_first_pass(self) -> None:
        """Do all of it."""
        began = time.monotonic()
        with suppress(JobStopped):
            self.run()
            self.result.stopped = False
        self.result.duration_seconds = time.monotonic() - began

    def run_second_pass(self, give_way: Callable[[], None]) -> None:
        """There is no second part."""

    def include_new(self) -> None:
        """Another request for the same is served by this job."""

    def skip(self, sources: set[str]) -> None:
        """The job reads no sources."""

    def clean_up(self) -> None:
        """A cancelled job leaves nothing behind."""

    def report(self, stage: str, done: int = 0, total: int = 0, what: str = "") -> None:
        """Report how far the job has come."""
        self._done_and_total = done, total
        rate = self._rates.setdefault(stage, RateEstimator(total))
        rate.under_way = done
        seconds = rate.seconds_left()
        self._report(Progress(total=total, done=done, chunks_written=done, stage=stage, file=what, eta_seconds=seconds))

    @contextmanager
    def building_graph(self) -> Iterator[None]:
        """Report that the search graph is being built, over what is there so far."""
        self.report("graph", *self._done_and_total)
        yield

    def check_stop(self) -> None:
        """Raise `JobStopped` if the job is to end."""
        if self._stop.is_set():
            raise JobStopped
