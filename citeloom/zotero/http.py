"""Shared by the HTTP sources: requests to Zotero on this computer with limits, and snapshots from Zotero's JSON."""

from __future__ import annotations

import http.client
import json
import re
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from citeloom import __version__
from citeloom.core.errors import CiteLoomError, Code
from citeloom.core.json_values import replace_lone_surrogates
from citeloom.zotero.types import MY_LIBRARY, Item, Library, SavedSearch, Snapshot, ZoteroCollection, item_from_json

MAX_BYTES = 500_000_000
# Zotero sends nothing while it collects a large library.
TIMEOUT_SECONDS = 60.0
_TOTAL_TIMEOUT_FACTOR = 5  # limit of a whole reply, in read timeouts
_CHUNK = 1 << 16
_HALF = re.compile(rb"\\u[dD][89a-fA-F]")  # an escaped surrogate; two may form a pair
_INCOMPLETE = "Nothing was changed; it is tried again with the next sync."


@dataclass(frozen=True, slots=True)
class Reply:
    """A complete reply; header names are in lower case."""

    status: int
    headers: Mapping[str, str]
    body: bytes


@dataclass(frozen=True, slots=True)
class LoopbackClient:
    """HTTP client for the Zotero on this computer, with limits on time and size."""

    url: str
    timeout: float = TIMEOUT_SECONDS
    most_bytes: int = MAX_BYTES

    def ask(self, path: str, body: Any = None) -> Reply:
        """Send a GET request, or a POST request with a JSON body."""
        connection = self._connected()
        headers = {"User-Agent": f"CiteLoom/{__version__}", "Zotero-API-Version": "3"}
        try:
            if body is None:
                connection.request("GET", path, headers=headers)
            else:
                headers["Content-Type"] = "application/json"
                connection.request("POST", path, json.dumps(body).encode(), headers)
            return self._read_reply(connection)
        except TimeoutError as error:
            raise incomplete_answer("Zotero took too long to answer") from error
        except (OSError, http.client.HTTPException) as error:
            raise incomplete_answer("Zotero ended the connection in the middle of its answer") from error
        finally:
            connection.close()

    def _connected(self) -> http.client.HTTPConnection:
        parts = urlsplit(self.url)
        if parts.scheme != "http" or not parts.hostname:
            raise CiteLoomError(
                Code.INVALID_INPUT,
                f"zotero.local_url is {self.url!r}, which is no address of a Zotero on this computer.",
                "It looks like http://127.0.0.1:23119.",
            )
        connection = http.client.HTTPConnection(parts.hostname, parts.port or 80, timeout=self.timeout)
        try:
            connection.connect()
        except OSError as error:
            raise CiteLoomError(
                Code.ZOTERO_UNAVAILABLE, "Zotero is not running.", "Start Zotero.", url=self.url, running=False
            ) from error
        return connection

    def _read_reply(self, connection: http.client.HTTPConnection) -> Reply:
        until = time.monotonic() + self.timeout * _TOTAL_TIMEOUT_FACTOR
        socket = connection.sock  # the connection drops it after the headers
        with connection.getresponse() as response:
            body = bytearray()
            while chunk := response.read1(_CHUNK):
                body += chunk
                if len(body) > self.most_bytes:
                    raise incomplete_answer(f"Zotero's answer has more than {self.most_bytes // 1_000_000} MB")
                remaining = until - time.monotonic()
                if remaining <= 0:
                    raise TimeoutError
                socket.settimeout(min(remaining, self.timeout))
            return Reply(response.status, {k.lower(): v for k, v in response.getheaders()}, bytes(body))


def incomplete_answer(what: str) -> CiteLoomError:
    """Return the error for an answer that is not a complete library."""
    return CiteLoomError(Code.ZOTERO_UNAVAILABLE, f"{what}.", _INCOMPLETE)


def parse_json(body: bytes) -> Any:
    """Parse the JSON of a reply; lone surrogates are replaced."""
    try:
        found = json.loads(body.decode("utf-8", "replace"))
        return replace_lone_surrogates(found) if _HALF.search(body) else found
    except (ValueError, RecursionError) as error:
        raise incomplete_answer("Zotero's answer is not JSON, or not all of it") from error


def release(version: str) -> str:
    """Return a version number without build suffixes."""
    found = re.match(r"\d+(\.\d+)*", version)
    return found[0] if found else version


def libraries_from_json(groups: Iterable[Mapping[str, Any]]) -> list[Library]:
    """Return My Library, then the groups by name, from the `data` of the groups."""
    try:
        found = [Library(f"groups/{int(group['id'])}", str(group["name"])) for group in groups]
    except (KeyError, TypeError, ValueError) as error:
        raise incomplete_answer("Zotero's answer does not look like a list of groups") from error
    return [Library(MY_LIBRARY, "My Library"), *sorted(found, key=lambda group: (group.name, group.id))]


def snapshot_from_json(
    library: Library,
    collections: Iterable[Mapping[str, Any]],
    searches: Iterable[Mapping[str, Any]],
    items: Iterable[Mapping[str, Any]],
) -> Snapshot:
    """Return a snapshot from the `data` of all objects, without the trash and its children."""
    try:
        kept_items = _outside_trash(items, "parentItem")
        kept_collections = _outside_trash(collections, "parentCollection")
        return Snapshot(
            library,
            {
                k: ZoteroCollection(k, str(c["name"]), c.get("parentCollection") or None)
                for k, c in kept_collections.items()
            },
            {
                k: SavedSearch(k, str(s["name"]), tuple(dict(c) for c in s.get("conditions", ())))
                for k, s in _outside_trash(searches, "").items()
            },
            {key: _item(data, kept_collections) for key, data in kept_items.items()},
        )
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise incomplete_answer("Zotero's answer does not look like a library") from error


def _outside_trash(found: Iterable[Mapping[str, Any]], parent: str) -> dict[str, Mapping[str, Any]]:
    remaining = {str(data["key"]): data for data in found if not data.get("deleted")}
    while orphans := [key for key, data in remaining.items() if data.get(parent) and data[parent] not in remaining]:
        for key in orphans:
            del remaining[key]
    return remaining


def _item(data: Mapping[str, Any], collections: Mapping[str, Any]) -> Item:
    """Return the item without deleted collections, which the web API may still list."""
    if "collections" in data:
        data = {**data, "collections": [key for key in data["collections"] if key in collections]}
    return item_from_json(data)
