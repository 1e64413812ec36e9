"""Rules for citeloom.core.fault_injection, as tests write them."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from citeloom.core.fault_injection import VARIABLE
from tests.support import WAIT, wait_for

Fault = dict[str, Any]


def fault(point: str, action: str, match: str = "", *, nth: int = 0, value: Any = None) -> Fault:
    """A rule: what to do at a point, each time or the n-th, where its detail contains `match`."""
    return {"point": point, "action": action, "match": match, "nth": nth, "value": value}


def set_number(name: str, value: float) -> Fault:
    """A rule: another value for a number."""
    return {"point": name, "value": value}


def as_variable(*faults: Fault) -> dict[str, str]:
    """The environment variable with these rules; nothing without any."""
    return {VARIABLE: json.dumps(faults)} if faults else {}


@dataclass(frozen=True)
class Pause:
    """Holds a process at a point until the test lets it go on."""

    path: Path  # of the marker files, without their endings

    def at(self, point: str, match: str = "", *, nth: int = 0) -> Fault:
        """The rule that makes a process pause."""
        return fault(point, "pause", match, nth=nth, value=str(self.path))

    def wait(self, what: str = "the pause") -> int:
        """Wait until a process has come to the point; gives its process id."""
        wait_for(self._reached.exists, what)
        return int(self._reached.read_text())

    @contextmanager
    def doing(self, action: Callable[[], object]) -> Iterator[None]:
        """Once a process is held, do something to its surroundings and let it go on."""

        def attend() -> None:
            self.wait()
            try:
                action()
            finally:
                self.release()

        with ThreadPoolExecutor(1) as pool:
            attended = pool.submit(attend)
            yield
            attended.result(WAIT)

    def release(self) -> None:
        """Let whoever waits go on, and whoever comes later pass."""
        self._go.touch()

    def reset(self) -> None:
        """Hold the next one again."""
        self._go.unlink(missing_ok=True)
        self._reached.unlink(missing_ok=True)

    @property
    def _reached(self) -> Path:
        return self.path.with_name(f"{self.path.name}.reached")

    @property
    def _go(self) -> Path:
        return self.path.with_name(f"{self.path.name}.go")
