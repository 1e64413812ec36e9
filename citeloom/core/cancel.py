"""Cancellation token: lets a thread stop work for a client that no longer waits."""

from __future__ import annotations

import threading

from citeloom.core.errors import CiteLoomError, Code


class Cancel:
    """Set by the event loop, checked by the thread that does the work."""

    def __init__(self) -> None:
        self._set = threading.Event()

    def set(self) -> None:
        """Request cancellation."""
        self._set.set()

    def check(self) -> None:
        """Raise TIMEOUT if cancellation was requested."""
        if self._set.is_set():
            raise CiteLoomError(Code.TIMEOUT, "The request was cancelled.")
