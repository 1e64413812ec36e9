"""Libraries and snapshots from the JSON of Zotero's API, in which all sources give them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from typing import Any

from citeloom.core.errors import CiteLoomError, Code
from citeloom.core.json_values import replace_lone_surrogates
from citeloom.zotero.types import MY_LIBRARY, Library, SavedSearch, Snapshot, ZoteroCollection, item_from_json

MAX_BYTES = 500_000_000  # of a reply
_LONE_SURROGATE = re.compile(rb"\\u[dD][89a-fA-F]")  # an escaped surrogate; two may form a pair


def incomplete_answer(what: str) -> CiteLoomError:
    """Return the error for an answer that is not a complete library."""
    next_step = "Nothing was changed; it is tried again with the next sync."
    return CiteLoomError(Code.ZOTERO_UNAVAILABLE, f"{what}.", next_step)


def parse_json(body: bytes) -> Any:
    """Parse the JSON of a reply; lone surrogates are replaced."""
    try:
        found = json.loads(body.decode("utf-8", "replace"))
        return replace_lone_surrogates(found) if _LONE_SURROGATE.search(body) else found
    except (ValueError, RecursionError) as error:
        raise incomplete_answer("Zotero's answer is not complete JSON") from error


def full_text_from_json(answer: Any) -> str | None:
    """Return the text in an answer about an attachment's full text; None if there is none."""
    text = answer.get("content") if isinstance(answer, dict) else None
    return text if isinstance(text, str) and text.strip() else None


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
        found = _outside_trash(collections, "parentCollection")
        return Snapshot(
            library,
            {key: ZoteroCollection(key, str(c["name"]), c.get("parentCollection") or None) for key, c in found.items()},
            {
                key: SavedSearch(key, str(search["name"]), tuple(dict(c) for c in search.get("conditions", ())))
                for key, search in _outside_trash(searches, "").items()
            },
            {
                # The web API may still list deleted collections.
                key: item_from_json({**data, "collections": [c for c in data.get("collections", ()) if c in found]})
                for key, data in _outside_trash(items, "parentItem").items()
            },
        )
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise incomplete_answer("Zotero's answer does not look like a library") from error


def _outside_trash(found: Iterable[Mapping[str, Any]], parent: str) -> dict[str, Mapping[str, Any]]:
    remaining = {str(data["key"]): data for data in found if not data.get("deleted")}
    while orphans := [key for key, data in remaining.items() if data.get(parent) and data[parent] not in remaining]:
        for key in orphans:
            del remaining[key]
    return remaining
