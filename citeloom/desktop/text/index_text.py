"""The wording of the settings page about indexes: where they lie, and who can read them there."""

from __future__ import annotations

import ipaddress
from urllib.parse import urlsplit

from citeloom.api.maintenance import EMBEDDED, IndexInfo
from citeloom.desktop.shell.translations import translate
from citeloom.desktop.widgets import basics


def on_this_machine(address: str) -> bool:
    """Whether a server is surely on this computer: a name that only the network knows may be anywhere."""
    host = _host(address)
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def remote_index_warning(address: str) -> str:
    """What it means for the researcher's texts that an index is on a server; nothing where they stay here."""
    if not address or on_this_machine(address):
        return ""
    text = translate(
        "IndexWords",
        "The texts of the passages, with titles and your notes, leave this computer: they will be on {host},"
        " and whoever runs that server can read them.",
    ).format(host=_host(address) or address)
    if address.casefold().startswith("http:"):
        text += " " + translate("IndexWords", "On the way there they are not encrypted; https would do that.")
    return text


def location_text(place: str) -> str:
    """Where an index lies."""
    return translate("IndexWords", "on this computer") if place == EMBEDDED else place


def size_text(index: IndexInfo) -> str:
    """How much of this computer's disk an index takes."""
    return "" if index.bytes is None else basics.size_text(index.bytes)


def connection_text(index: IndexInfo) -> str:
    """Whether an index can be searched now, or why not."""
    if not index.reachable:
        return index.problem or ""
    if index.version:
        return translate("IndexWords", "Qdrant {version} answers").format(version=index.version)
    return translate("IndexWords", "ready")


def key_text(location: str | None) -> str:
    """Where the key for servers is stored; else `location` says why the keyring does not answer."""
    if location is None:
        return translate("IndexWords", "No key is in use. A server that wants one says so when it is tested.")
    return {
        "keyring": translate("IndexWords", "The key is kept in this system’s keyring."),
        "environment": translate("IndexWords", "The key comes from the environment variable CITELOOM_QDRANT_API_KEY."),
    }.get(location, location)


def _host(address: str) -> str:
    try:
        return (urlsplit(address.strip()).hostname or "").rstrip(".")
    except ValueError:
        return ""
