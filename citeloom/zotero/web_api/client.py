"""HTTP client for Zotero's servers: obeys their rate limits, retries, bounds replies and translates errors."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any

import httpx2
from pyzotero import errors as pyzotero_errors

from citeloom.core.errors import CiteLoomError, Code
from citeloom.zotero.api_json import incomplete_answer

_MAX_WAIT = 60.0  # longest backoff that is waited for; a longer one is an error
_PAUSES = (1.0, 2.0, 4.0)  # seconds before retries if busy servers request no delay
_TOTAL_TIMEOUT_FACTOR = 5  # limit of a whole reply, in read timeouts
_BUSY = (429, 503)
_LIBRARY_ERRORS = (
    pyzotero_errors.PyZoteroError,
    httpx2.HTTPError,
    httpx2.InvalidURL,
    httpx2.CookieConflict,
    httpx2.StreamError,
)


@dataclass(slots=True)
class Backoff:
    """Backoff that the servers requested; shared by successive connections."""

    until: float = 0.0

    def extend(self, seconds: float) -> None:
        """Extend the backoff."""
        self.until = max(self.until, time.monotonic() + seconds)

    def wait(self) -> None:
        """Wait for its end; a long backoff raises ZOTERO_UNAVAILABLE."""
        remaining = self.until - time.monotonic()
        if remaining > _MAX_WAIT:
            raise CiteLoomError(
                Code.ZOTERO_UNAVAILABLE,
                f"Zotero's servers are busy and ask for a pause of {_duration(remaining)}.",
                "Nothing was changed; try again then.",
                retry_after=round(remaining),
            )
        if remaining > 0:
            time.sleep(remaining)


class RateLimitedClient(httpx2.Client):
    """Client that waits as requested, retries when the servers are busy, and limits the size of replies."""

    def __init__(self, backoff: Backoff, timeout: float, max_bytes: int) -> None:
        super().__init__(timeout=timeout, follow_redirects=False)
        self._backoff = backoff
        self._read_timeout = timeout
        self._max_bytes = max_bytes

    def send(self, request: httpx2.Request, *, stream: bool = False, **how: Any) -> httpx2.Response:
        """Send a request, with retries."""
        request.extensions["timeout"] = self.timeout.as_dict()  # overrides pyzotero's own
        for pause in (*_PAUSES, None):
            self._backoff.wait()
            response = super().send(request, stream=True, **how)
            requested = _requested_backoff(response)
            if requested:
                self._backoff.extend(requested)
            for name in ("backoff", "retry-after"):  # pyzotero would sleep for as long as they request
                response.headers.pop(name, None)
            if response.status_code not in _BUSY or pause is None:
                break
            response.close()
            self._backoff.extend(requested or pause)
        if response.status_code in _BUSY:
            response.close()
            raise CiteLoomError(
                Code.ZOTERO_UNAVAILABLE,
                "Zotero's servers are busy.",
                "Nothing was changed; try again in a few minutes.",
            )
        if not stream:
            self._read(response)
        return response

    def _read(self, response: httpx2.Response) -> None:
        assert isinstance(response.stream, httpx2.SyncByteStream)
        response.stream = _Bounded(response.stream, self._max_bytes, self._read_timeout * _TOTAL_TIMEOUT_FACTOR)
        try:
            response.read()
        finally:
            response.close()


class _Bounded(httpx2.SyncByteStream):
    """Byte stream with limits on size and time."""

    def __init__(self, stream: httpx2.SyncByteStream, max_bytes: int, seconds: float) -> None:
        self._stream = stream
        self._max_bytes = max_bytes
        self._until = time.monotonic() + seconds

    def __iter__(self) -> Iterator[bytes]:
        count = 0
        for chunk in self._stream:
            count += len(chunk)
            if count > self._max_bytes:
                raise incomplete_answer(
                    f"An answer of Zotero's servers has more than {self._max_bytes // 1_000_000} MB"
                )
            if time.monotonic() > self._until:
                raise incomplete_answer("Zotero's servers took too long to answer")
            yield chunk

    def close(self) -> None:
        self._stream.close()


@contextmanager
def translate_errors() -> Iterator[None]:
    """Translate exceptions of pyzotero and httpx2 into CiteLoomError."""
    try:
        yield
    except _LIBRARY_ERRORS as error:
        raise _translate(error) from error


def key_refused() -> CiteLoomError:
    """Return the error for a key that Zotero's servers reject."""
    return CiteLoomError(
        Code.PERMISSION_DENIED,
        "Zotero's servers do not accept the key.",
        "Create one at https://www.zotero.org/settings/keys and log in with it, in the settings"
        " or with 'citeloom zotero login'.",
        logged_in=False,
    )


def _translate(error: Exception) -> CiteLoomError:
    if isinstance(error, pyzotero_errors.UserNotAuthorisedError | pyzotero_errors.MissingCredentialsError):
        return CiteLoomError(
            Code.PERMISSION_DENIED,
            "The key may not read this from Zotero's servers.",
            "Allow it at https://www.zotero.org/settings/keys, or log in with another key, in the settings"
            " or with 'citeloom zotero login'.",
        )
    if isinstance(error, pyzotero_errors.ResourceNotFoundError):
        return incomplete_answer("Zotero's servers do not have this, or no longer show it to you")
    if isinstance(error, httpx2.TimeoutException):
        return incomplete_answer("Zotero's servers took too long to answer")
    if isinstance(error, httpx2.ConnectError | httpx2.ProxyError):
        return CiteLoomError(
            Code.ZOTERO_UNAVAILABLE,
            "Zotero's servers cannot be reached.",
            "Check the connection to the internet, and zotero.web_url in the settings.",
            running=False,
        )
    if isinstance(error, httpx2.TransportError | httpx2.DecodingError | httpx2.StreamError):
        return incomplete_answer("Zotero's servers ended the connection in the middle of their answer")
    return incomplete_answer(f"Zotero's servers answered with an error ({type(error).__name__})")


def _requested_backoff(response: httpx2.Response) -> float:
    """Return the backoff that a reply requests, in seconds."""
    value = response.headers.get("retry-after") or response.headers.get("backoff") or "0"
    try:
        return max(0.0, float(value))
    except ValueError:
        pass
    try:
        return max(0.0, (parsedate_to_datetime(value).astimezone(UTC) - datetime.now(UTC)).total_seconds())
    except ValueError:
        return 0.0


def _duration(seconds: float) -> str:
    return f"{round(seconds)} seconds" if seconds < 120 else f"{round(seconds / 60)} minutes"
