"""Jobs that are done in one go, such as moving an index: begun, reported on and stopped like an import."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any

from citeloom.core.jobs import JobStopped, Progress, RateEstimator, Report


@dataclass(slots=True)
class ChoreResult:
    """What a chore did."""

    said: dict[str, Any] = field(default_factory=dict)
    warnings: list[str] = field(default_factory=list)
    stopped: bool = True  # until it is done
    duration_seconds: float = 0.0

    def to_json(self) -> dict[str, Any]:
        """The result as it goes over the wire."""
        seconds = round(self.duration_seconds, 3)
        return {**self.said, "warnings": self.warnings, "duration_seconds": seconds, "stopped": self.stopped}


class Chore:
    """A job without parts."""

    left = 0

    def __init__(self, report: Report, stop: threading.Event) -> None:
        self.result = ChoreResult()
        self.touched: set[str] = set()
        self._stop = stop
        self._report = report
        self._far = (0, 0)
        self._paces: dict[str, RateEstimator] = {}  # by stage: after a pause or something between, a stage goes on

    def do(self) -> None:
        """Do it; `JobStopped` is raised where it ends before it is done."""
        raise NotImplementedError

    def first(self) -> None:
        """Do all of it."""
        began = time.monotonic()
        with suppress(JobStopped):
            self.do()
            self.result.stopped = False
        self.result.duration_seconds = time.monotonic() - began

    def second(self, give_way: Callable[[], None]) -> None:
        """Nothing is left."""

    def look_again(self) -> None:
        """Who asks for it once more has it in this one."""

    def leave(self, sources: set[str]) -> None:
        """It reads no sources."""

    def give_up(self) -> None:
        """Nothing is left behind."""

    def tell(self, stage: str, done: int = 0, total: int = 0, what: str = "") -> None:
        """Say how far it has come."""
        self._far = done, total
        pace = self._paces.setdefault(stage, RateEstimator(total))
        pace.under_way = done
        seconds = pace.seconds_left()
        self._report(Progress(total=total, done=done, chunks_written=done, stage=stage, file=what, eta_seconds=seconds))

    @contextmanager
    def building_graph(self) -> Iterator[None]:
        """Say that the search graph is being built, over what is there so far."""
        self.tell("graph", *self._far)
        yield

    def check_stop(self) -> None:
        """End here if it is to end."""
        if self._stop.is_set():
            raise JobStopped
