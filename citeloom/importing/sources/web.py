"""Downloads a document from the web: public addresses only, with limits on size, time and content type.

At every redirect, the address that is checked is the address that is connected to: a host name cannot lead into the
researcher's own network, not even by resolving differently the second time. Proxies of the environment are ignored.
"""

from __future__ import annotations

import http.client
import io
import ipaddress
import queue
import socket
import ssl
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urljoin, urlsplit

from citeloom import __version__
from citeloom.conversion.formats import file_type
from citeloom.core.errors import CiteLoomError, Code
from citeloom.core.files import atomic_file
from citeloom.importing.sources.web_address import Address, WebAddress, is_public, shown, web_address

MAX_BYTES = 100_000_000
MAX_SECONDS = 120.0
_MAX_REDIRECTS = 5
_STEP_SECONDS = 20.0  # of silence
_SUFFIXES = {"application/pdf": ".pdf", "text/markdown": ".md", "text/plain": ".txt", "text/x-python": ".py"}
_REDIRECTS = (301, 302, 303, 307, 308)


class _Deadline:
    """Time limit of the whole exchange, however slowly the data arrives."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._until = time.monotonic() + seconds

    def remaining(self) -> float:
        """Return the remaining seconds; raise `_DeadlinePassed` if there are none."""
        remaining = self._until - time.monotonic()
        if remaining <= 0:
            raise _DeadlinePassed(f"it took longer than {self._seconds:.0f} seconds")
        return remaining

    def step_seconds(self) -> float:
        """Return the timeout of one step in seconds."""
        return min(_STEP_SECONDS, self.remaining())


class _DeadlinePassed(Exception):
    """The deadline has passed."""


class _DeadlineSocket(io.RawIOBase):
    """Socket for http.client, on which nothing waits beyond the deadline."""

    def __init__(self, connected: socket.socket, deadline: _Deadline) -> None:
        self._socket, self._deadline = connected, deadline

    def close(self) -> None:
        """Do nothing: http.client closes it when the response begins; the socket is closed after the body is read."""

    def sendall(self, data: bytes) -> None:
        self._socket.settimeout(self._deadline.step_seconds())
        self._socket.sendall(data)

    def makefile(self, *_: object) -> io.BufferedReader:
        return io.BufferedReader(self)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        self._socket.settimeout(self._deadline.step_seconds())
        try:
            return self._socket.recv_into(buffer)
        except TimeoutError:
            self._deadline.remaining()
            raise


def fetch(
    url: str,
    stem: Path,
    *,
    allowed: Callable[[Address], bool] = is_public,
    max_bytes: int = MAX_BYTES,
    seconds: float = MAX_SECONDS,
) -> Path:
    """Download a document to `stem` plus the suffix of its content type; return the path of the file."""
    deadline = _Deadline(seconds)
    try:
        for _ in range(_MAX_REDIRECTS + 1):
            address = web_address(url)
            with _connect(address, allowed, deadline) as connection:
                connection.request(
                    "GET", address.target, headers={"User-Agent": f"CiteLoom/{__version__}", "Accept": "*/*"}
                )
                with connection.getresponse() as response:
                    if response.status in _REDIRECTS and (target := response.getheader("Location")):
                        url = _redirect_target(url, target)
                        continue
                    _check_status(url, response.status)
                    return _save(url, response, stem, max_bytes)
    except _DeadlinePassed as error:
        raise CiteLoomError(
            Code.TIMEOUT, f"{shown(url)} could not be fetched: {error}.", "Download it in a browser instead."
        ) from error
    except (OSError, http.client.HTTPException) as error:
        raise _failed(url, str(error)[:200] or type(error).__name__) from error
    raise _failed(url, "it redirects too often")


def _redirect_target(url: str, target: str) -> str:
    try:
        target = target.encode("latin-1").decode("utf-8")  # headers are read as Latin-1
    except UnicodeError:
        pass
    try:
        return urljoin(url, target)
    except ValueError as error:
        raise _failed(url, "it redirects to an invalid address") from error


@contextmanager
def _connect(
    address: WebAddress, allowed: Callable[[Address], bool], deadline: _Deadline
) -> Iterator[http.client.HTTPConnection]:
    found = _resolve_host(address, deadline)
    # One private address among several is refused too: which one would be used is arbitrary.
    if not all(allowed(one) for one in found):
        raise CiteLoomError(
            Code.PERMISSION_DENIED,
            f"{address.host} is on this machine or in its own network.",
            "Only public web addresses are read; save the document into one of the project's folders instead.",
        )
    with closing(_socket(found, address.port, deadline)) as raw:
        if address.secure:
            raw.settimeout(deadline.step_seconds())
            # A connection that ends without TLS close_notify may have been cut by anybody.
            secured: socket.socket = ssl.create_default_context().wrap_socket(
                raw, server_hostname=address.host, suppress_ragged_eofs=False
            )
        else:
            secured = raw
        with closing(secured):
            connection = http.client.HTTPConnection(address.host, address.port)
            connection.sock = _DeadlineSocket(secured, deadline)
            yield connection


def _resolve_host(address: WebAddress, deadline: _Deadline) -> list[Address]:
    """Return the addresses of a host. A name lookup cannot be interrupted, so it runs in a thread of its own."""
    answer: queue.Queue[list[Any] | OSError] = queue.Queue()

    def resolve() -> None:
        try:
            answer.put(socket.getaddrinfo(address.host, address.port, type=socket.SOCK_STREAM))
        except OSError as error:
            answer.put(error)

    threading.Thread(target=resolve, name="dns-lookup", daemon=True).start()
    try:
        found = answer.get(timeout=deadline.step_seconds())
    except queue.Empty:
        deadline.remaining()
        found = OSError("no answer")
    if isinstance(found, OSError) or not found:
        raise _failed(address.host, "its name could not be resolved, or there is no network")
    return [ipaddress.ip_address(str(entry[4][0]).partition("%")[0]) for entry in found]


def _socket(found: list[Address], port: int, deadline: _Deadline) -> socket.socket:
    """Connect to the first address that answers."""
    problem: OSError | None = None
    for one in found:
        try:
            return socket.create_connection((str(one), port), timeout=deadline.step_seconds())
        except OSError as error:
            problem = error
    raise problem or OSError("it has no address")


def _check_status(url: str, status: int) -> None:
    if status in (401, 403):
        raise CiteLoomError(
            Code.PERMISSION_DENIED, f"{shown(url)} requires a login.", "Download it in a browser instead."
        )
    if status != 200:
        raise _failed(url, f"the server answered {status}")


def _length(url: str, response: http.client.HTTPResponse) -> int | None:
    """Return the length of the body; None if only its end determines it."""
    lengths = {value.strip() for value in response.headers.get_all("Content-Length", [])}
    if response.chunked or not lengths:
        return None
    length = lengths.pop()
    if lengths or not (length.isascii() and length.isdecimal() and len(length) < 20):
        raise _failed(url, "the server sent an invalid Content-Length")
    return int(length)


def _save(url: str, response: http.client.HTTPResponse, stem: Path, max_bytes: int) -> Path:
    target = stem.with_name(stem.name + _suffix(url, response.getheader("Content-Type") or ""))
    if (response.getheader("Content-Encoding") or "identity").strip().lower() != "identity":
        raise _failed(url, "the server compressed it without being asked to")
    length = _length(url, response)
    if length is not None and length > max_bytes:
        raise _too_large(url, max_bytes)
    stem.parent.mkdir(parents=True, exist_ok=True)
    part_file = target.with_name(target.name + ".part")
    size = 0
    with atomic_file.replacing(target, part_file) as file:
        while chunk := response.read(65_536):
            size += len(chunk)
            if size > max_bytes:
                raise _too_large(url, max_bytes)
            file.write(chunk)
        if length is not None and size != length:
            raise _failed(url, f"only {size:,} of {length:,} bytes were received")
    return target


def _suffix(url: str, content_type: str) -> str:
    kind = content_type.partition(";")[0].strip().lower()
    named = Path(urlsplit(url).path).suffix.lower()
    # Servers send Markdown and code as text/plain, and anything as octet-stream: the suffix is more reliable.
    if kind in ("text/plain", "application/octet-stream", "") and file_type(Path(f"x{named}")):
        return named
    if kind in _SUFFIXES:
        return _SUFFIXES[kind]
    raise CiteLoomError(
        Code.UNSUPPORTED_FORMAT,
        f"{shown(url)} is {kind[:100] or 'of an unknown kind'}, which CiteLoom cannot read.",
        f"It reads {', '.join(_SUFFIXES)}.",
    )


def _too_large(url: str, max_bytes: int) -> CiteLoomError:
    return CiteLoomError(
        Code.CONVERSION_FAILED,
        f"{shown(url)} is larger than {max_bytes // 1_000_000} MB.",
        "Download it yourself and import the file.",
    )


def _failed(url: str, reason: str) -> CiteLoomError:
    return CiteLoomError(
        Code.FILE_NOT_FOUND, f"{shown(url)} could not be fetched: {reason}.", "Check the address and try again."
    )
