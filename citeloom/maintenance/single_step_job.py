"""Base class of jobs in a single pass, such as moving an index. The job queue runs them like imports."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any

from citeloom.catalog import Catalog
from citeloom.core.jobs import JobStopped, Progress, RateEstimator, Report
from citeloom.search.indexes import Indexes


@dataclass(slots=True)
class SingleStepResult:
    """Result of a job."""

    details: dict[str, Any] = field(default_factory=dict)  # fields of this kind of job
    warnings: list[str] = field(default_factory=list)
    stopped: bool = True  # until it is done
    duration_seconds: float = 0.0

    def to_json(self) -> dict[str, Any]:
        """Return the result as sent over the wire."""
        seconds = round(self.duration_seconds, 3)
        return {**self.details, "warnings": self.warnings, "duration_seconds": seconds, "stopped": self.stopped}


class SingleStepJob:
    """Base class of jobs in a single pass; a subclass implements `run`."""

    pages_left = 0

    def __init__(self, catalog: Catalog, indexes: Indexes, report: Report, stop: threading.Event) -> None:
        self._catalog = catalog
        self._indexes = indexes
        self.result = SingleStepResult()
        self.touched: set[str] = set()
        self._stop = stop
        self._report = report
        self._done_and_total = (0, 0)
        self._rates: dict[str, RateEstimator] = {}  # by stage: a stage may be continued after a pause or another stage

    def run(self) -> None:
        """Do the job; raise `JobStopped` if it is stopped early."""
        raise NotImplementedError

    def run_first_pass(self) -> None:
        """Run the whole job."""
        began = time.monotonic()
        with suppress(JobStopped):
            self.run()
            self.result.stopped = False
        self.result.duration_seconds = time.monotonic() - began

    def run_second_pass(self, give_way: Callable[[], None]) -> None:
        """Do nothing: there is no second pass."""

    def include_new(self) -> None:
        """Do nothing: this job also serves a repeated request."""

    def skip(self, sources: set[str]) -> None:
        """Do nothing: the job reads no sources."""

    def clean_up(self) -> None:
        """Do nothing: a cancelled job leaves nothing to clean up."""

    def report(self, stage: str, done: int = 0, total: int = 0, what: str = "") -> None:
        """Report progress."""
        self._done_and_total = done, total
        rate = self._rates.setdefault(stage, RateEstimator(total))
        rate.under_way = done
        seconds = rate.seconds_left()
        self._report(Progress(total=total, done=done, chunks_written=done, stage=stage, file=what, eta_seconds=seconds))

    @contextmanager
    def building_graph(self) -> Iterator[None]:
        """Report the stage "search graph", without changing the counts."""
        self.report("graph", *self._done_and_total)
        yield

    def check_stop(self) -> None:
        """Raise `JobStopped` if the job has to stop."""
        if self._stop.is_set():
            raise JobStopped
