"""Source that reads a running Zotero by its local API: complete libraries, since its versions are not reliable."""

from __future__ import annotations

import http.client
import json
import re
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from citeloom import __version__
from citeloom.core.errors import CiteLoomError, Code
from citeloom.zotero.api_json import (
    MAX_BYTES,
    full_text_from_json,
    incomplete_answer,
    libraries_from_json,
    parse_json,
    snapshot_from_json,
)
from citeloom.zotero.types import Library, SavedSearch, Snapshot

# Zotero sends nothing while it collects a large library.
TIMEOUT_SECONDS = 60.0
_TOTAL_TIMEOUT_FACTOR = 5  # limit of a whole reply, in read timeouts
_CHUNK = 1 << 16
_TRIES = 3
_NEGATIONS = ("isNot", "doesNot")


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
    max_bytes: int = MAX_BYTES

    def request(self, path: str, body: Any = None) -> Reply:
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
                f"zotero.local_url is {self.url!r}, which is not the address of a Zotero on this computer.",
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
                if len(body) > self.max_bytes:
                    raise incomplete_answer(f"Zotero's answer has more than {self.max_bytes // 1_000_000} MB")
                remaining = until - time.monotonic()
                if remaining <= 0:
                    raise TimeoutError
                socket.settimeout(min(remaining, self.timeout))
            return Reply(response.status, {k.lower(): v for k, v in response.getheaders()}, bytes(body))


class LocalApi:
    """Local API of a running Zotero."""

    kind = "local"

    def __init__(self, url: str, *, timeout: float = TIMEOUT_SECONDS, max_bytes: int = MAX_BYTES) -> None:
        self._client = LoopbackClient(url, timeout, max_bytes)

    def libraries(self) -> list[Library]:
        """Return My Library, then the groups."""
        groups, _ = self._list("/api/users/0/groups")
        return libraries_from_json(groups)

    def read(self, library: Library) -> Snapshot:
        """Return a library as it is now."""
        for _ in range(_TRIES):
            collections, before = self._list(f"{_path(library)}/collections")
            items, during = self._list(f"{_path(library)}/items")
            searches, after = self._list(f"{_path(library)}/searches")
            if before == during == after:  # only Zotero 10 counts versions here; earlier ones always return the same
                return snapshot_from_json(library, collections, searches, items)
        raise incomplete_answer(f"{library.name} kept changing while it was read")

    def run_search(self, snapshot: Snapshot, search: SavedSearch) -> set[str]:
        """Return the keys of the top-level items that a saved search finds (for a child, its parent's)."""
        place = _path(snapshot.library)
        found, _ = self._list(f"{place}/searches/{search.key}/items")
        # Zotero answers for an unknown search with the whole library, so its existence is checked.
        known, _ = self._list(f"{place}/searches")
        if search.key not in {saved.get("key") for saved in known}:
            raise incomplete_answer(f'The saved search "{search.name}" is no longer in Zotero')
        keys = [key for data in found if (key := str(data.get("key"))) in snapshot.items]
        if any(str(condition.get("operator", "")).startswith(_NEGATIONS) for condition in search.conditions):
            # "Tag is not X" also finds the notes and files of works that have X.
            return {key for key in keys if not snapshot.items[key].parent}
        return {snapshot.top_level_key(key) for key in keys}

    def full_text(self, library: Library, attachment: str) -> str | None:
        """Return the text that Zotero extracted from an attachment, or None."""
        reply = self._client.request(f"{_path(library)}/items/{attachment}/fulltext")
        if reply.status == 404:
            return None
        self._check(reply)
        return full_text_from_json(parse_json(reply.body))

    def about(self) -> dict[str, Any]:
        """Return version, address and server id (from Zotero 10 on)."""
        reply = self._client.request("/api/users/0/groups")
        self._check(reply)
        version = release(reply.headers.get("x-zotero-version", ""))
        return {"version": version, "url": self._client.url, "server_id": reply.headers.get("zotero-server-id")}

    def _list(self, path: str) -> tuple[list[dict[str, Any]], str]:
        """Return the `data` of all objects of a listing, and the library's version."""
        reply = self._client.request(path)
        self._check(reply)
        found = parse_json(reply.body)
        if not isinstance(found, list) or str(len(found)) != reply.headers.get("total-results"):
            raise incomplete_answer("Zotero's answer is incomplete: it has fewer objects than it announces")
        if not all(isinstance(entry, dict) and isinstance(entry.get("data"), dict) for entry in found):
            raise incomplete_answer("Zotero's answer does not look like a library")
        return [entry["data"] for entry in found], reply.headers.get("last-modified-version", "")

    def _check(self, reply: Reply) -> None:
        if reply.status == 200 and "x-zotero-version" in reply.headers:
            return
        if reply.status == 403:
            raise CiteLoomError(
                Code.ZOTERO_UNAVAILABLE,
                "Zotero is running, but does not let other applications read its libraries.",
                'Switch it on in Zotero: Settings → Advanced → "Allow other applications on this computer to '
                'communicate with Zotero".',
                api="off",
                version=release(reply.headers.get("x-zotero-version", "")),
            )
        if reply.status == 404:
            raise incomplete_answer(
                "Zotero no longer has this library, or is too old for CiteLoom (it reads Zotero 7 and later)"
            )
        if reply.status == 200:
            raise incomplete_answer(f"What answers at {self._client.url} is not Zotero")
        raise incomplete_answer(f"Zotero answered with an error ({reply.status})")


def release(version: str) -> str:
    """Return a version number without build suffixes."""
    found = re.match(r"\d+(\.\d+)*", version)
    return found[0] if found else version


def _path(library: Library) -> str:
    return "/api/users/0" if library.group is None else f"/api/groups/{library.group}"
