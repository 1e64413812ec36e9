"""What Zotero has, in one shape whichever source tells it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, Protocol

MY_LIBRARY = "library"

# What differs from source to source and says nothing of the work.
NOT_KEPT = frozenset({"key", "version", "md5", "mtime", "relations", "inPublications", "lastRead"})


@dataclass(frozen=True, slots=True)
class Library:
    """My Library, or a group's."""

    id: str  # "library" or "groups/4242", as zotero:// links have it
    name: str

    @property
    def group(self) -> int | None:
        """The group's number; None for My Library."""
        return int(self.id.removeprefix("groups/")) if self.id.startswith("groups/") else None


@dataclass(frozen=True, slots=True)
class ZoteroCollection:
    """A collection; `parent` is the key of the one it stands in."""

    key: str
    name: str
    parent: str | None = None


@dataclass(frozen=True, slots=True)
class SavedSearch:
    """A saved search with the conditions Zotero keeps: condition, operator, value."""

    key: str
    name: str
    conditions: tuple[Mapping[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Item:
    """An item, attachment, note or annotation. `data` is Zotero's own JSON of it, without empty values and NOT_KEPT."""

    key: str
    data: Mapping[str, Any] = field(default_factory=dict)
    md5: str | None = field(default=None, compare=False)  # of an attachment's file, where the source knows it

    @property
    def type(self) -> str:
        """journalArticle, attachment, note, annotation, …"""
        return str(self.data.get("itemType", ""))

    @property
    def parent(self) -> str | None:
        """The key of the item it belongs to: of an annotation, its attachment."""
        return self.data.get("parentItem") or None

    @property
    def tags(self) -> tuple[str, ...]:
        """Its own tags."""
        return tuple(tag["tag"] for tag in self.data.get("tags", ()))

    @property
    def collections(self) -> tuple[str, ...]:
        """The keys of the collections it stands in; children stand in none."""
        return tuple(self.data.get("collections", ()))


def item_from_json(data: Mapping[str, Any]) -> Item:
    """An item from the `data` of Zotero's JSON, with tags and collections in one order: each source has its own."""
    kept = {k: v for k, v in data.items() if k not in NOT_KEPT and v not in ("", None, [], {})}
    if "tags" in kept:
        kept["tags"] = sorted(kept["tags"], key=lambda tag: str(tag["tag"]))
    if "collections" in kept:
        kept["collections"] = sorted(kept["collections"])
    return Item(str(data["key"]), kept, str(data["md5"]) if data.get("md5") else None)


@dataclass(frozen=True)
class Snapshot:
    """A whole library at one moment: everything that is neither in the trash nor below something that is."""

    library: Library
    collections: Mapping[str, ZoteroCollection]  # by key
    searches: Mapping[str, SavedSearch]  # by key
    items: Mapping[str, Item]  # by key

    @cached_property
    def children(self) -> Mapping[str, Sequence[Item]]:
        """The attachments, notes and annotations of each item that has any."""
        found: dict[str, list[Item]] = {}
        for item in self.items.values():
            if item.parent:
                found.setdefault(item.parent, []).append(item)
        return found

    def top_of(self, key: str) -> str:
        """The key of the top-level item that something belongs to: of an annotation, its attachment's work."""
        seen: set[str] = set()
        while (parent := self.items[key].parent) and parent in self.items and key not in seen:  # never in a circle
            seen.add(key)
            key = parent
        return key

    def top_level(self) -> Iterator[Item]:
        """Items that belong to no other: works, and attachments and notes of their own."""
        return (item for item in self.items.values() if not item.parent)

    @cached_property
    def collection_paths(self) -> Mapping[str, str]:
        """The place of each collection, as a person would write it: Thesis/Chapter 2."""
        return {key: "/".join(self.collection_names(key)) for key in self.collections}

    def collection_names(self, key: str) -> list[str]:
        """The names of the collections above one, and its own."""
        return [self.collections[at].name for at in self.way_to_collection(key)]

    def way_to_collection(self, key: str) -> list[str]:
        """The keys of the collections above one, and its own."""
        way: list[str] = []
        at: str | None = key
        while at and at in self.collections and at not in way:  # a circle of collections must not be walked for ever
            way.insert(0, at)
            at = self.collections[at].parent
        return way


@dataclass(frozen=True, slots=True)
class AttachmentFile:
    """Where an attachment's file is; or why it is nowhere on this disk."""

    path: Path | None
    reason: str = ""  # a sentence for a person, where there is no path
    size: int = field(default=0, compare=False)
    mtime_ns: int = field(default=0, compare=False)
    within: str = field(default="", compare=False)  # the folder that it must not leave; "": it may lie anywhere


class LibrarySource(Protocol):
    """One way to Zotero. Every method gives all there is or raises CiteLoomError: never a part."""

    kind: str  # local, web or sqlite

    def libraries(self) -> list[Library]:
        """My Library first, then the groups."""

    def read(self, library: Library) -> Snapshot:
        """A library as it is now."""

    def found_by(self, snapshot: Snapshot, search: SavedSearch) -> set[str]:
        """The keys of the top-level items that a saved search finds (for a child, its parent's)."""

    def full_text(self, library: Library, attachment: str) -> str | None:
        """The text that Zotero itself took from an attachment, where it has one."""

    def about(self) -> dict[str, Any]:
        """What a person wants to know of it: version, place."""
