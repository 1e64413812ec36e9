"""What the job queue asks of a job's work: an import has two parts, a chore is done in one go."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any, Protocol

from citeloom.importing.import_state import Report


class Result(Protocol):
    """What a job did so far."""

    @property
    def stopped(self) -> bool:
        """Whether it was ended before it was done."""

    def to_json(self) -> dict[str, Any]:
        """The result as it goes over the wire."""


class Work(Protocol):
    """A job's work: what makes something available at once, and what takes long."""

    @property
    def result(self) -> Result:
        """What was done so far."""

    @property
    def touched(self) -> set[str]:
        """Sources whose text it has changed, or is to change."""

    @property
    def left(self) -> int:
        """How much is still to be done after the first part, in pages."""

    def first(self) -> None:
        """Do what must not be interrupted by another job."""

    def second(self, give_way: Callable[[], None]) -> None:
        """Do what may take hours; `give_way` is called often."""

    def look_again(self) -> None:
        """Take in what has come since it began."""

    def leave(self, sources: set[str]) -> None:
        """Leave sources to another job that has read them since."""

    def give_up(self) -> None:
        """It was cancelled: leave nothing behind that nobody goes on with."""


Begin = Callable[[dict[str, Any], Report, threading.Event], Work]
