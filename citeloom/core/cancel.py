"""Cancellation of a request: set by the event loop, checked by the thread that works on it."""

from __future__ import annotations

import threading

from citeloom.core.errors import CiteLoomError, Code


class Cancel:
    """Thread-safe flag that cancels a request."""

    def __init__(self) -> None:
        self._set = threading.Event()

    def set(self) -> None:
        """Cancel the request."""
        self._set.set()

    def check(self) -> None:
        """Raise TIMEOUT if the request was cancelled."""
        if self._set.is_set():
            raise CiteLoomError(Code.TIMEOUT, "Nobody waits for this any more.")
