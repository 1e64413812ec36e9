"""Base class of jobs that are not imports, such as moving an index."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import ClassVar, Generic, TypeVar

from citeloom.api.maintenance import JobOutcome
from citeloom.catalog import Catalog
from citeloom.core.jobs import JobStopped, Progress, RateEstimator, ReportProgress
from citeloom.index.base import Collection
from citeloom.maintenance.index_copy import Copied, Retry, copy
from citeloom.search.indexes import Indexes

_Request = TypeVar("_Request")


@dataclass
class SingleStepJob(Generic[_Request]):
    """Base class of jobs that are not imports; a subclass implements `do`."""

    _catalog: Catalog
    _indexes: Indexes
    _request: _Request
    _report: ReportProgress
    _stop: threading.Event
    has_new: ClassVar[bool] = False  # it also serves a repeated request
    result: JobOutcome = field(default_factory=JobOutcome)
    _done_and_total: tuple[int, int] = (0, 0)
    # By stage: a stage may be continued after a pause or another stage.
    _rates: dict[str, RateEstimator] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Look up what the request names; subclasses do that."""

    def do(self) -> None:
        """Do the job and set `result`; raise `JobStopped` if it is stopped early."""
        raise NotImplementedError

    def run(self) -> None:
        """Run the whole job."""
        began = time.monotonic()
        with suppress(JobStopped):
            self.do()
            self.result.stopped = False
        self.result.duration_seconds = round(time.monotonic() - began, 3)

    def include_new(self) -> None:
        """Do nothing."""

    def clean_up(self) -> None:
        """Do nothing: a cancelled job leaves nothing to clean up."""

    def report(self, stage: str, done: int = 0, total: int = 0, what: str = "") -> None:
        """Report progress."""
        self._done_and_total = done, total
        rate = self._rates.setdefault(stage, RateEstimator(total))
        rate.done = done
        seconds = rate.seconds_left()
        self._report(Progress(total=total, done=done, chunks_written=done, stage=stage, file=what, eta_seconds=seconds))

    def copy_index(self, source: Collection, target: Collection, retry: Retry, what: str = "") -> Copied:
        """Copy the passages of an index and report the progress; the search graph is built on the way."""

        @contextmanager
        def building_graph() -> Iterator[None]:
            self.report("graph", *self._done_and_total)
            yield

        return copy(
            source,
            target,
            lambda done, total: self.report("copy", done, total, what),
            lambda: self._indexes.collections.build_graph_if_large(target, building_graph(), self._stop),
            self._stop.is_set,
            retry,
        )

    def check_stop(self) -> None:
        """Raise `JobStopped` if the job has to stop."""
        if self._stop.is_set():
            raise JobStopped
