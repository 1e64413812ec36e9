"""Validation and normalization of the address of a Qdrant server."""

from __future__ import annotations

import ipaddress
import re
from urllib.parse import urlsplit

from citeloom.core.errors import CiteLoomError, Code

_PORT = 6333  # Qdrant's default port, for http and https


def checked(address: str) -> str:
    """Return the normalized address. Raises INVALID_INPUT."""
    address = address.strip()
    try:
        parts = urlsplit(address)
        port, host = parts.port or _PORT, parts.hostname
    except ValueError:
        # Without the reason, which may contain a part of a password.
        raise _no_address("its host or port is invalid") from None
    if parts.scheme not in ("http", "https"):
        raise _no_address("it begins with neither http:// nor https://")
    if parts.username is not None or parts.password is not None:
        raise _no_address("it must not contain a user name or password; store a key with citeloom index login")
    if not host or not re.fullmatch(r"[\w.:%-]+", host) or re.search(r"\s", address):
        raise _no_address("it has no valid host name")
    if parts.query or parts.fragment:
        raise _no_address("it has more than a host, a port and a path")
    netloc = f"[{host}]" if ":" in host else host
    return f"{parts.scheme}://{netloc}:{port}{parts.path.rstrip('/')}"


def is_loopback(address: str) -> bool:
    """Return whether an address is a loopback address, whose traffic nobody else can read."""
    host = urlsplit(address).hostname or ""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")


def _no_address(why: str) -> CiteLoomError:
    return CiteLoomError(
        Code.INVALID_INPUT,
        f"That is not the address of a Qdrant server: {why}.",
        "Write it as in http://localhost:6333 or https://qdrant.example.org:6333.",
    )
