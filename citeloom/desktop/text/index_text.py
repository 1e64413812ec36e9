"""Wording of the index settings: locations, sizes, and the warning about remote servers."""

from __future__ import annotations

import ipaddress
from urllib.parse import urlsplit

from citeloom.api.maintenance import EMBEDDED, IndexInfo
from citeloom.desktop.shell.translations import translate
from citeloom.desktop.widgets import basics


def on_this_machine(address: str) -> bool:
    """Return whether a server is on this computer: only for loopback addresses, since other names may be anywhere."""
    host = _host(address)
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def remote_index_warning(address: str) -> str:
    """Return the warning that texts leave this computer; "" for a server on this computer."""
    if not address or on_this_machine(address):
        return ""
    text = translate(
        "IndexText",
        "The texts of the passages, with titles and your notes, leave this computer: they will be on {host},"
        " and whoever runs that server can read them.",
    ).format(host=_host(address) or address)
    if address.casefold().startswith("http:"):
        text += " " + translate("IndexText", "The connection is not encrypted; use https instead.")
    return text


def location_text(place: str) -> str:
    """Return the location of an index."""
    return translate("IndexText", "on this computer") if place == EMBEDDED else place


def size_text(index: IndexInfo) -> str:
    """Return the size of an index on this computer's disk."""
    return "" if index.bytes is None else basics.size_text(index.bytes)


def connection_text(index: IndexInfo) -> str:
    """Return whether an index can be searched, or why not."""
    if not index.reachable:
        return index.problem or ""
    if index.version:
        return translate("IndexText", "reachable (Qdrant {version})").format(version=index.version)
    return translate("IndexText", "ready")


def key_text(location: str | None) -> str:
    """Return where the key for servers is stored; any other `location` is the keyring's error and returned as it is."""
    if location is None:
        return translate("IndexText", "No key is in use. A test shows whether a server requires one.")
    return {
        "keyring": translate("IndexText", "The key is stored in this system’s keyring."),
        "environment": translate("IndexText", "The key comes from the environment variable CITELOOM_QDRANT_API_KEY."),
    }.get(location, location)


def _host(address: str) -> str:
    try:
        return (urlsplit(address.strip()).hostname or "").rstrip(".")
    except ValueError:
        return ""
