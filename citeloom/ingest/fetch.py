"""Fetching a document from the web: public addresses only, bounded in size, time and kind.

The address that is checked is the address that is connected to, at every redirect: a name that points into the
researcher's own network, now or on the second look, leads nowhere.
"""

from __future__ import annotations

import http.client
import ipaddress
import os
import socket
import ssl
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import SplitResult, urljoin, urlsplit

from citeloom import __version__
from citeloom.documents.formats import file_type
from citeloom.errors import CiteLoomError, Code

MOST_BYTES = 100_000_000
MOST_SECONDS = 120.0
_MOST_REDIRECTS = 5
_STEP_SECONDS = 20.0
_KINDS = {"application/pdf": ".pdf", "text/markdown": ".md", "text/plain": ".txt", "text/x-python": ".py"}
_REDIRECTS = (301, 302, 303, 307, 308)

Address = ipaddress.IPv4Address | ipaddress.IPv6Address


@dataclass(frozen=True, slots=True)
class Fetched:
    """A document from the web, on this disk."""

    path: Path
    url: str  # where it was in the end, after redirects


def is_address(source: str) -> bool:
    """Whether a source is a web address rather than a path."""
    return "://" in source


def is_public(address: Address) -> bool:
    """Whether an address is out on the internet, not on this machine or in its network."""
    inner = getattr(address, "ipv4_mapped", None) or getattr(address, "sixtofour", None)
    if inner is not None:
        address = inner
    return address.is_global and not address.is_multicast


def fetch(url: str, stem: Path, *, allowed: Callable[[Address], bool] = is_public, most: int = MOST_BYTES) -> Fetched:
    """Fetch a document and keep it as `stem` with the suffix of its kind."""
    until = time.monotonic() + MOST_SECONDS
    for _ in range(_MOST_REDIRECTS + 1):
        parts = _check(url)
        connection = _connect(parts, allowed)
        try:
            path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
            connection.request("GET", path, headers={"User-Agent": f"CiteLoom/{__version__}", "Accept": "*/*"})
            with connection.getresponse() as response:
                if response.status in _REDIRECTS and (target := response.getheader("Location")):
                    url = urljoin(url, target)
                    continue
                _check_status(url, response.status)
                return Fetched(_save(url, response, stem, most, until), url)
        except (OSError, http.client.HTTPException) as error:
            raise _failed(url, str(error) or type(error).__name__) from error
        finally:
            connection.close()
    raise _failed(url, "it redirects too often")


def _check(url: str) -> SplitResult:
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError as error:
        raise CiteLoomError(Code.INVALID_INPUT, f"{url[:200]!r} is not a web address.") from error
    if parts.scheme not in ("http", "https") or not parts.hostname or port == 0:
        raise CiteLoomError(
            Code.INVALID_INPUT, f"{url[:200]!r} is not a web address that can be read.", "It must begin with https://."
        )
    if parts.username or parts.password:
        raise CiteLoomError(Code.INVALID_INPUT, "The address holds a user name or password.", "Leave them out.")
    return parts


def _connect(parts: SplitResult, allowed: Callable[[Address], bool]) -> http.client.HTTPConnection:
    host = parts.hostname or ""
    port = parts.port or (443 if parts.scheme == "https" else 80)
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except OSError as error:
        raise _failed(host, "its name is not known here, or there is no network") from error
    addresses = [str(entry[4][0]).partition("%")[0] for entry in found]
    # One private address among several is refused too: which one is used must not be a matter of luck.
    if not all(allowed(ipaddress.ip_address(a)) for a in addresses):
        raise CiteLoomError(
            Code.PERMISSION_DENIED,
            f"{host} is on this machine or in its own network.",
            "Only public web addresses are read; save the document into one of the project's folders instead.",
        )
    try:
        raw = socket.create_connection((addresses[0], port), timeout=_STEP_SECONDS)
        if parts.scheme == "https":
            raw = ssl.create_default_context().wrap_socket(raw, server_hostname=host)
    except OSError as error:
        raise _failed(host, str(error)) from error
    connection = http.client.HTTPConnection(host, port, timeout=_STEP_SECONDS)
    connection.sock = raw
    return connection


def _check_status(url: str, status: int) -> None:
    if status in (401, 403):
        raise CiteLoomError(Code.PERMISSION_DENIED, f"{url} wants a log-in.", "Download it in a browser instead.")
    if status != 200:
        raise _failed(url, f"the server answered {status}")


def _save(url: str, response: http.client.HTTPResponse, stem: Path, most: int, until: float) -> Path:
    target = stem.with_name(stem.name + _suffix(url, response.getheader("Content-Type") or ""))
    if int(response.getheader("Content-Length") or 0) > most:
        raise _too_large(url, most)
    stem.parent.mkdir(parents=True, exist_ok=True)
    beside = target.with_name(target.name + ".part")
    size = 0
    try:
        with beside.open("wb") as file:
            while chunk := response.read(65_536):
                size += len(chunk)
                if size > most:
                    raise _too_large(url, most)
                if time.monotonic() > until:
                    raise _failed(url, f"it took longer than {MOST_SECONDS:.0f} seconds")
                file.write(chunk)
        os.replace(beside, target)  # noqa: PTH105
    finally:
        beside.unlink(missing_ok=True)
    return target


def _suffix(url: str, content_type: str) -> str:
    kind = content_type.partition(";")[0].strip().lower()
    named = Path(urlsplit(url).path).suffix.lower()
    # Servers call Markdown and code plain text, and anything a stream of bytes: there the name knows better.
    if kind in ("text/plain", "application/octet-stream", "") and file_type(Path(f"x{named}")):
        return named
    if kind in _KINDS:
        return _KINDS[kind]
    raise CiteLoomError(
        Code.UNSUPPORTED_FORMAT,
        f"{url} is {kind or 'of an unknown kind'}, which CiteLoom cannot read.",
        f"It reads {', '.join(_KINDS)}.",
    )


def _too_large(url: str, most: int) -> CiteLoomError:
    return CiteLoomError(
        Code.CONVERSION_FAILED,
        f"{url} is larger than {most // 1_000_000} MB.",
        "Download it yourself and read the file.",
    )


def _failed(url: str, reason: str) -> CiteLoomError:
    return CiteLoomError(
        Code.FILE_NOT_FOUND, f"{url} could not be fetched: {reason}.", "Check the address and try again."
    )
