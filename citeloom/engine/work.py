"""Interface between the job queue and the work of a job: an import has two passes, all other jobs have one."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any, Protocol

from citeloom.ingest.state import Report


class Result(Protocol):
    """The result of a job so far."""

    @property
    def stopped(self) -> bool:
        """Whether the job was stopped before it was complete."""

    def to_json(self) -> dict[str, Any]:
        """Return the result as JSON."""


class JobWork(Protocol):
    """The work of a job: a short first pass and a second one that may take hours."""

    @property
    def result(self) -> Result:
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


StartWork = Callable[[dict[str, Any], Report, threading.Event], JobWork]  # request, progress callback, stop
