"""Where an index lies, and who can read it there, in the words of a researcher."""

from __future__ import annotations

import ipaddress
from typing import Any
from urllib.parse import urlsplit

from citeloom.desktop.shell.translations import translate
from citeloom.desktop.widgets import basics

EMBEDDED = "embedded"


def on_this_machine(address: str) -> bool:
    """Whether a server is surely on this computer: a name that only the network knows may be anywhere."""
    host = _host(address)
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def leaving_words(address: str) -> str:
    """What it means for the researcher's texts that an index is on a server; nothing where they stay here."""
    if not address or on_this_machine(address):
        return ""
    words = translate(
        "IndexWords",
        "The texts of the passages, with titles and your notes, leave this computer: they will be on {host},"
        " and whoever runs that server can read them.",
    ).format(host=_host(address) or address)
    if address.casefold().startswith("http:"):
        words += " " + translate("IndexWords", "On the way there they are not encrypted; https would do that.")
    return words


def place_words(place: str) -> str:
    """Where an index lies."""
    return translate("IndexWords", "on this computer") if place == EMBEDDED else place


def size_words(project: dict[str, Any]) -> str:
    """How much of this computer's disk an index takes."""
    return "" if project["bytes"] is None else basics.size_words(int(project["bytes"]))


def reached_words(project: dict[str, Any]) -> str:
    """Whether an index can be searched now, or why not."""
    if not project["reachable"]:
        return str(project["problem"])
    if project["version"]:
        return translate("IndexWords", "Qdrant {version} answers").format(version=project["version"])
    return translate("IndexWords", "ready")


def key_words(place: str | None) -> str:
    """Where the key for servers is kept; a keyring that does not answer says why itself."""
    if place is None:
        return translate("IndexWords", "No key is in use. A server that wants one says so when it is tested.")
    return {
        "keyring": translate("IndexWords", "The key is kept in this system’s keyring."),
        "environment": translate("IndexWords", "The key comes from the environment variable CITELOOM_QDRANT_API_KEY."),
    }.get(place, place)


def _host(address: str) -> str:
    try:
        return (urlsplit(address.strip()).hostname or "").rstrip(".")
    except ValueError:
        return ""
