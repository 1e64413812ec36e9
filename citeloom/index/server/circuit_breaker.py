"""Circuit breaker for searches on a server that times out: else each search would block a thread until its timeout."""

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
    """Opens for a while after a timeout; then one request at a time tests whether the server answers again."""

    def __init__(self) -> None:
        self._until: float | None = None
        self._lock = threading.Lock()

    @contextmanager
    def guard(self, server: QdrantServer) -> Iterator[None]:
        """Guard a request; raises TIMEOUT at once while the breaker is open."""
        if self._is_open(server.timeout):
            raise server.timed_out()
        try:
            yield
        except Exception as error:  # an error response is an answer
            silent = isinstance(error, ResponseHandlingException) and isinstance(error.source, httpx.TimeoutException)
            self._until = time.monotonic() + _OPEN_SECONDS if silent else None
            raise
        self._until = None

    def _is_open(self, timeout: float) -> bool:
        with self._lock:
            now = time.monotonic()
            if self._until is None or now < self._until:
                return self._until is not None
            self._until = now + timeout  # others fail at once while this request tests the server
            return False
