"""Validation of web addresses: their syntax, and which hosts are on the public internet."""

from __future__ import annotations

import ipaddress
import re
from dataclasses import dataclass
from urllib.parse import quote, urlsplit

from citeloom.core.errors import CiteLoomError, Code

Address = ipaddress.IPv4Address | ipaddress.IPv6Address

_SCHEMES = ("http", "https")
_MAX_LENGTH = 4000  # characters of an address
_MAX_HOST_LENGTH = 253
_MAX_SHOWN = 200
_NAME = re.compile(r"(?!-)[a-z0-9_-]{1,63}(?<!-)(\.(?!-)[a-z0-9_-]{1,63}(?<!-))*\.?", re.IGNORECASE)
_NUMBER = re.compile(r"\d+|0x[0-9a-f]*", re.IGNORECASE)
_BLANK = re.compile(r"[\x00-\x20\x7f-\xa0\u2028\u2029]")
_PATH = "/%:@!$&'()*+,;=~-._"  # characters that are not escaped
# Global unicast addresses of IPv6; everything else is local, or leads through a translator.
_IPV6_INTERNET = ipaddress.IPv6Network("2000::/3")
# Python versions differ on whether these are global: protocol assignments, and relays into IPv6.
_IPV4_SPECIAL = tuple(map(ipaddress.IPv4Network, ("192.0.0.0/24", "192.88.99.0/24")))


@dataclass(frozen=True, slots=True)
class WebAddress:
    """A valid address, encoded as it is sent over the wire."""

    secure: bool
    host: str
    port: int
    target: str  # path and query


def is_address(source: str) -> bool:
    """Whether a source is an address rather than a path."""
    return "://" in source or source[:5].lower() == "file:"


def is_public(address: Address) -> bool:
    """Whether an address is on the public internet, not on this machine or in its network."""
    if isinstance(address, ipaddress.IPv6Address):
        if address.ipv4_mapped:
            return is_public(address.ipv4_mapped)
        if address not in _IPV6_INTERNET or address.teredo or (address.sixtofour and not is_public(address.sixtofour)):
            return False
    elif any(address in special for special in _IPV4_SPECIAL):
        return False
    return address.is_global and not address.is_multicast and not address.is_reserved


def shown(url: str) -> str:
    """Return an address for a message: short, on one line, without user name and password."""
    start, scheme, rest = url.partition("://")
    netloc, slash, path = rest.partition("/")
    short = f"{start}{scheme}{netloc.rpartition('@')[2]}{slash}{path}"
    short = _BLANK.sub(" ", short).encode("utf-8", "replace").decode()
    return short if len(short) <= _MAX_SHOWN else f"{short[:_MAX_SHOWN]}…"


def web_address(url: str) -> WebAddress:
    """Parse an address; raise an error that says what is wrong with it if it cannot be fetched."""
    if len(url) > _MAX_LENGTH:
        raise _invalid(url, f"it is longer than {_MAX_LENGTH:,} characters")
    if _BLANK.search(url):  # urlsplit silently removes some of them
        raise _invalid(url, "it contains a space or a control character", "Write a space as %20.")
    try:
        parts = urlsplit(url)
        port = parts.port
        target = quote(parts.path or "/", safe=_PATH) + (f"?{quote(parts.query, safe=_PATH + '?')}" * bool(parts.query))
    except ValueError as error:  # also a port out of range, or text that cannot be encoded as UTF-8
        raise _invalid(url, "its host or port is invalid") from error
    if parts.scheme not in _SCHEMES:
        raise _other_scheme(url)
    if "@" in parts.netloc:
        raise CiteLoomError(Code.INVALID_INPUT, "The address contains a user name or password.", "Leave them out.")
    if not parts.hostname or port == 0:
        raise _invalid(url, "its host or port is missing")
    secure = parts.scheme == "https"
    host = _ipv6(url, parts.hostname) if "[" in parts.netloc else _host(url, parts.hostname)
    return WebAddress(secure, host, port or (443 if secure else 80), target)


def _other_scheme(url: str) -> CiteLoomError:
    is_file = url[:5].lower() == "file:"
    return CiteLoomError(
        Code.INVALID_INPUT,
        f"{shown(url)!r} cannot be fetched: of addresses, only http and https ones are read.",
        "Give the path of the file or folder instead, without file://."
        if is_file
        else "Give an https address, or save the file in a folder of the project and give its path.",
    )


def _ipv6(url: str, host: str) -> str:
    try:
        found = ipaddress.IPv6Address(host)
    except ValueError as error:
        raise _invalid(url, "its host is not an IPv6 address") from error
    if found.scope_id is not None:
        raise _invalid(url, "an IPv6 address with a zone is one of this network")
    return str(found)


def _host(url: str, host: str) -> str:
    """Return a host as it is looked up: an IPv4 address in its usual form, or a name in ASCII."""
    try:
        ascii_host = host.encode("idna").decode("ascii")
    except UnicodeError as error:  # an empty label, one of more than 63 characters, or invalid characters
        raise _invalid(url, "its host is not a valid name") from error
    if len(ascii_host) > _MAX_HOST_LENGTH or not _NAME.fullmatch(ascii_host):
        raise _invalid(url, "its host is not a valid name")
    if _NUMBER.fullmatch(ascii_host.rstrip(".").rpartition(".")[2]):
        # "2130706433", "0x7f.1" and "0177.0.0.1" all resolve to this machine: only the usual form is accepted.
        try:
            return str(ipaddress.IPv4Address(ascii_host))
        except ValueError as error:
            raise _invalid(url, "its host is a number, but not an IPv4 address in its usual form") from error
    return ascii_host


def _invalid(url: str, why: str, next_step: str = "Check the address.") -> CiteLoomError:
    return CiteLoomError(Code.INVALID_INPUT, f"{shown(url)!r} is not a valid web address: {why}.", next_step)
