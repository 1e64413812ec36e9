"""Zotero's objects in one form for all sources, and the protocol of a source."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, Protocol

MY_LIBRARY = "library"

# Fields that differ between sources and do not describe the work.
OMITTED_FIELDS = frozenset({"key", "version", "deleted", "md5", "mtime", "relations", "inPublications", "lastRead"})


@dataclass(frozen=True, slots=True)
class Library:
    """My Library or a group library."""

    id: str  # "library" or "groups/4242", as zotero:// links have it
    name: str

    @property
    def group(self) -> int | None:
        """Id of the group; None for My Library."""
        return int(self.id.removeprefix("groups/")) if self.id.startswith("groups/") else None


@dataclass(frozen=True, slots=True)
class ZoteroCollection:
    """A Zotero collection; `parent` is the key of its parent collection."""

    key: str
    name: str
    parent: str | None = None


@dataclass(frozen=True, slots=True)
class SavedSearch:
    """A saved search with its conditions: condition, operator, value."""

    key: str
    name: str
    conditions: tuple[Mapping[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Item:
    """An item, attachment, note or annotation; `data` is Zotero's JSON without empty values and OMITTED_FIELDS."""

    key: str
    data: Mapping[str, Any] = field(default_factory=dict)
    md5: str | None = field(default=None, compare=False)  # of an attachment's file, if the source has it

    @property
    def type(self) -> str:
        """Item type: journalArticle, attachment, note, annotation, …"""
        return str(self.data.get("itemType", ""))

    @property
    def parent(self) -> str | None:
        """Key of the parent item; of an annotation, its attachment."""
        return self.data.get("parentItem") or None

    @property
    def tags(self) -> tuple[str, ...]:
        """Tags of the item itself."""
        return tuple(tag["tag"] for tag in self.data.get("tags", ()))

    @property
    def collections(self) -> tuple[str, ...]:
        """Keys of the collections that contain it; none for child items."""
        return tuple(self.data.get("collections", ()))


def item_from_json(data: Mapping[str, Any]) -> Item:
    """Return an item from the `data` of Zotero's JSON; tags and collections are sorted, since sources differ."""
    values = {k: v for k, v in data.items() if k not in OMITTED_FIELDS and v not in ("", None, [], {})}
    if "tags" in values:
        values["tags"] = sorted(values["tags"], key=lambda tag: str(tag["tag"]))
    if "collections" in values:
        values["collections"] = sorted(values["collections"])
    return Item(str(data["key"]), values, str(data["md5"]) if data.get("md5") else None)


@dataclass(frozen=True)
class Snapshot:
    """A complete library at one moment, without the trash and its children."""

    library: Library
    collections: Mapping[str, ZoteroCollection]  # by key
    searches: Mapping[str, SavedSearch]  # by key
    items: Mapping[str, Item]  # by key

    @cached_property
    def children(self) -> Mapping[str, Sequence[Item]]:
        """Attachments, notes and annotations by parent item."""
        found: dict[str, list[Item]] = {}
        for item in self.items.values():
            if item.parent:
                found.setdefault(item.parent, []).append(item)
        return found

    def top_level_key(self, key: str) -> str:
        """Return the key of the top-level item of an object."""
        seen: set[str] = set()
        while (parent := self.items[key].parent) and parent in self.items and key not in seen:  # guards against cycles
            seen.add(key)
            key = parent
        return key

    def top_level(self) -> Iterator[Item]:
        """Yield the items without a parent: works, standalone attachments and notes."""
        return (item for item in self.items.values() if not item.parent)

    @cached_property
    def collection_paths(self) -> Mapping[str, str]:
        """Path of each collection, such as Thesis/Chapter 2."""
        return {key: "/".join(self.collection_names(key)) for key in self.collections}

    def collection_names(self, key: str) -> list[str]:
        """Return the names of a collection's ancestors, outermost first, and its own."""
        return [self.collections[at].name for at in self.collection_ancestry(key)]

    def collection_ancestry(self, key: str) -> list[str]:
        """Return the keys of a collection's ancestors, outermost first, and its own."""
        path: list[str] = []
        at: str | None = key
        while at and at in self.collections and at not in path:  # guards against cycles
            path.insert(0, at)
            at = self.collections[at].parent
        return path


@dataclass(frozen=True, slots=True)
class AttachmentFile:
    """File of an attachment, or the reason why it is not on this disk."""

    path: Path | None
    reason: str = ""  # a sentence, if there is no path
    size: int = field(default=0, compare=False)
    mtime_ns: int = field(default=0, compare=False)
    within: str = field(default="", compare=False)  # the folder that must contain it; "": any


@dataclass(frozen=True, slots=True)
class ZoteroProbe:
    """State of Zotero that can be read at almost no cost.

    `token` changes whenever something may have changed; None if that is unknown, or if Zotero could not be read anyway
    (it is closed and its database is not to be used).
    """

    reachable: bool  # Zotero is running and answers
    token: Hashable = None


class LibrarySource(Protocol):
    """A source of Zotero libraries. Every method returns complete data or raises CiteLoomError."""

    kind: str  # local, web or sqlite

    def libraries(self) -> list[Library]:
        """Return My Library, then the groups."""

    def read(self, library: Library) -> Snapshot:
        """Return a library as it is now."""

    def run_search(self, snapshot: Snapshot, search: SavedSearch) -> set[str]:
        """Return the keys of the top-level items that a saved search finds (for a child, its parent's)."""

    def full_text(self, library: Library, attachment: str) -> str | None:
        """Return the text that Zotero extracted from an attachment, or None."""

    def about(self) -> dict[str, Any]:
        """Return a description of the source: version, location."""
