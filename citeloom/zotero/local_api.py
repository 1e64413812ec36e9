"""Source that reads a running Zotero by its local API: complete libraries, since its versions are not reliable."""

from __future__ import annotations

from typing import Any

from citeloom.core.errors import CiteLoomError, Code
from citeloom.zotero.http import (
    MAX_BYTES,
    TIMEOUT_SECONDS,
    LoopbackClient,
    Reply,
    incomplete_answer,
    libraries_from_json,
    parse_json,
    release,
    snapshot_from_json,
)
from citeloom.zotero.types import Library, SavedSearch, Snapshot

_TRIES = 3
_NEGATIONS = ("isNot", "doesNot")


class LocalApi:
    """Local API of a running Zotero."""

    kind = "local"

    def __init__(self, url: str, *, timeout: float = TIMEOUT_SECONDS, most_bytes: int = MAX_BYTES) -> None:
        self._client = LoopbackClient(url, timeout, most_bytes)

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

    def found_by(self, snapshot: Snapshot, search: SavedSearch) -> set[str]:
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
        return {snapshot.top_of(key) for key in keys}

    def full_text(self, library: Library, attachment: str) -> str | None:
        """Return the text that Zotero extracted from an attachment, or None."""
        reply = self._client.ask(f"{_path(library)}/items/{attachment}/fulltext")
        if reply.status == 404:
            return None
        self._check(reply)
        answer = parse_json(reply.body)
        text = answer.get("content") if isinstance(answer, dict) else None
        return text if isinstance(text, str) and text.strip() else None

    def about(self) -> dict[str, Any]:
        """Return version, address and server id (from Zotero 10 on)."""
        reply = self._client.ask("/api/users/0/groups")
        self._check(reply)
        version = release(reply.headers.get("x-zotero-version", ""))
        return {"version": version, "url": self._client.url, "server_id": reply.headers.get("zotero-server-id")}

    def _list(self, path: str) -> tuple[list[dict[str, Any]], str]:
        """Return the `data` of all objects of a listing, and the library's version."""
        reply = self._client.ask(path)
        self._check(reply)
        found = parse_json(reply.body)
        if not isinstance(found, list) or str(len(found)) != reply.headers.get("total-results"):
            raise incomplete_answer("Zotero's answer does not hold everything it announces")
        if not all(isinstance(entry, dict) and isinstance(entry.get("data"), dict) for entry in found):
            raise incomplete_answer("Zotero's answer does not look like a library")
        return [entry["data"] for entry in found], reply.headers.get("last-modified-version", "")

    def _check(self, reply: Reply) -> None:
        if reply.status == 200 and "x-zotero-version" in reply.headers:
            return
        if reply.status == 403:
            raise CiteLoomError(
                Code.ZOTERO_UNAVAILABLE,
                "Zotero is running, but does not let other applications ask it.",
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


def _path(library: Library) -> str:
    return "/api/users/0" if library.group is None else f"/api/groups/{library.group}"
