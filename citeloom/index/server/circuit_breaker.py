"""A silent server is left alone for a while: else each question would hold a thread until its time is up."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

import httpx
from qdrant_client.http.exceptions import ResponseHandlingException

from citeloom.index.server.connection import QdrantServer

_OPEN_SECONDS = 5.0  # seconds


class CircuitBreaker:
    """Whether a server is silent. While it is, one question at a time finds out whether it answers again."""

    def __init__(self) -> None:
        self._until: float | None = None
        self._lock = threading.Lock()

    @contextmanager
    def guard(self, server: QdrantServer) -> Iterator[None]:
        """Ask a server something; TIMEOUT at once while it is left alone."""
        if self._is_open(server.timeout):
            raise server.timed_out()
        try:
            yield
        except Exception as error:  # an error that was answered is an answer
            silent = isinstance(error, ResponseHandlingException) and isinstance(error.source, httpx.TimeoutException)
            self._until = time.monotonic() + _OPEN_SECONDS if silent else None
            raise
        self._until = None

    def _is_open(self, timeout: float) -> bool:
        with self._lock:
            now = time.monotonic()
            if self._until is None or now < self._until:
                return self._until is not None
            self._until = now + timeout  # whoever comes while this one asks need not
            return False
