"""How Zotero's servers are asked: politely, within bounds, and with every failure in words of ours."""

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
from citeloom.zotero.http import incomplete_answer

_MAX_WAIT = 60.0  # what is waited for the servers in one go; who asks for more is asked again later
_PAUSES = (1.0, 2.0, 4.0)  # where they are busy and do not say for how long
_WHOLE_REPLY = 5  # times the silence that is borne
_BUSY = (429, 503)
_FOREIGN = (
    pyzotero_errors.PyZoteroError,
    httpx2.HTTPError,
    httpx2.InvalidURL,
    httpx2.CookieConflict,
    httpx2.StreamError,
)


@dataclass(slots=True)
class Backoff:
    """Until when the servers want to be left alone. It outlives a connection."""

    until: float = 0.0

    def extend(self, seconds: float) -> None:
        """Note that they asked for a pause."""
        self.until = max(self.until, time.monotonic() + seconds)

    def wait(self) -> None:
        """Wait for its end; a long pause is an error instead."""
        left = self.until - time.monotonic()
        if left > _MAX_WAIT:
            raise CiteLoomError(
                Code.ZOTERO_UNAVAILABLE,
                f"Zotero's servers are busy and ask to be left alone for {_spoken(left)}.",
                "Nothing was changed; try again then.",
                retry_after=round(left),
            )
        if left > 0:
            time.sleep(left)


class RateLimitedClient(httpx2.Client):
    """A client that waits when it is told to, tries again when the servers are busy, and reads no endless reply."""

    def __init__(self, backoff: Backoff, timeout: float, most_bytes: int) -> None:
        super().__init__(timeout=timeout, follow_redirects=False)
        self._backoff = backoff
        self._read_timeout = timeout
        self._most_bytes = most_bytes

    def send(self, request: httpx2.Request, *, stream: bool = False, **how: Any) -> httpx2.Response:
        """Send a request, as often as it takes within reason."""
        request.extensions["timeout"] = self.timeout.as_dict()  # pyzotero has one of its own
        for pause in (*_PAUSES, None):
            self._backoff.wait()
            response = super().send(request, stream=True, **how)
            asked = _asked_pause(response)
            if asked:
                self._backoff.extend(asked)
            for name in ("backoff", "retry-after"):  # pyzotero would sleep for as long as they say
                response.headers.pop(name, None)
            if response.status_code not in _BUSY or pause is None:
                break
            response.close()
            self._backoff.extend(asked or pause)
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
        response.stream = _Bounded(response.stream, self._most_bytes, self._read_timeout * _WHOLE_REPLY)
        try:
            response.read()
        finally:
            response.close()


class _Bounded(httpx2.SyncByteStream):
    """A reply's bytes, as long as they are not too many and do not take too long."""

    def __init__(self, stream: httpx2.SyncByteStream, most_bytes: int, seconds: float) -> None:
        self._stream = stream
        self._most_bytes = most_bytes
        self._until = time.monotonic() + seconds

    def __iter__(self) -> Iterator[bytes]:
        count = 0
        for chunk in self._stream:
            count += len(chunk)
            if count > self._most_bytes:
                raise incomplete_answer(
                    f"An answer of Zotero's servers has more than {self._most_bytes // 1_000_000} MB"
                )
            if time.monotonic() > self._until:
                raise incomplete_answer("Zotero's servers took too long to answer")
            yield chunk

    def close(self) -> None:
        self._stream.close()


@contextmanager
def translated() -> Iterator[None]:
    """Have every failure of pyzotero and httpx2 in words of ours."""
    try:
        yield
    except _FOREIGN as error:
        raise _in_our_words(error) from error


def key_refused() -> CiteLoomError:
    """The error for a key that Zotero's servers do not take."""
    return CiteLoomError(
        Code.PERMISSION_DENIED,
        "Zotero's servers do not accept the key.",
        "Make one at https://www.zotero.org/settings/keys and log in with it, in the settings"
        " or with 'citeloom zotero login'.",
        logged_in=False,
    )


def _in_our_words(error: Exception) -> CiteLoomError:
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


def _asked_pause(response: httpx2.Response) -> float:
    """The seconds for which a reply asks to wait."""
    said = response.headers.get("retry-after") or response.headers.get("backoff") or "0"
    try:
        return max(0.0, float(said))
    except ValueError:
        pass
    try:
        return max(0.0, (parsedate_to_datetime(said).astimezone(UTC) - datetime.now(UTC)).total_seconds())
    except ValueError:
        return 0.0


def _spoken(seconds: float) -> str:
    return f"{round(seconds)} seconds" if seconds < 120 else f"{round(seconds / 60)} minutes"
