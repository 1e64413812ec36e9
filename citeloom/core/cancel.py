"""Work that somebody no longer waits for stops at its next step."""

from __future__ import annotations

import threading

from citeloom.core.errors import CiteLoomError, Code


class Cancel:
    """Set from the event loop, looked at by the thread that does the work."""

    def __init__(self) -> None:
        self._set = threading.Event()

    def set(self) -> None:
        """Say that nobody waits any more."""
        self._set.set()

    def check(self) -> None:
        """Stop here if nobody waits any more."""
        if self._set.is_set():
            raise CiteLoomError(Code.TIMEOUT, "Nobody waits for this any more.")
