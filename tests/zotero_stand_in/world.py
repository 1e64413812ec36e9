"""What is in Zotero, as plain data with the verbs of a researcher."""

from __future__ import annotations

import json
import random
import shutil
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, NamedTuple

from tests.zotero_stand_in.example import example

__all__ = ["MY_LIBRARY", "STORED", "Change", "Shelf", "World", "example"]

MY_LIBRARY = "library"
STORED = ("imported_file", "imported_url")
MARKS_TEXT = ("highlight", "underline")
KEY_LETTERS = "23456789ABCDEFGHIJKLMNPQRSTUVWXYZ"


class Change(NamedTuple):
    """One thing that a verb touched."""

    verb: str  # add, edit, move, tag, rename_tag, replace_file, trash, restore, erase, leave
    kind: str  # items, collections or searches
    key: str


@dataclass
class Shelf:
    """One library. Its journal tells the versions: the n-th change made version n."""

    id: str  # "library" or "groups/4242"
    name: str
    items: dict[str, dict[str, Any]] = field(default_factory=dict)  # Zotero's `data`, without the version
    collections: dict[str, dict[str, Any]] = field(default_factory=dict)
    searches: dict[str, dict[str, Any]] = field(default_factory=dict)
    trash: set[str] = field(default_factory=set)
    full_text: dict[str, str] = field(default_factory=dict)  # by attachment
    citekeys: dict[str, str] = field(default_factory=dict)  # Better BibTeX's own, by item
    uploaded: dict[str, bytes] = field(default_factory=dict)  # files in Zotero's online storage, by attachment
    journal: list[Change] = field(default_factory=list)
    synced: int = 0  # how much of the journal Zotero's servers have

    def in_trash(self, key: str) -> bool:
        """Whether an item is in the trash, or below one that is."""
        at: str | None = key
        while at:
            if at in self.trash:
                return True
            at = self.items.get(at, {}).get("parentItem")
        return False

    def children(self, key: str) -> list[str]:
        """The keys of what belongs to an item directly."""
        return [k for k, data in self.items.items() if data.get("parentItem") == key]

    def below(self, key: str) -> Iterator[str]:
        """An item's key and those of everything that belongs to it."""
        yield key
        for child in self.children(key):
            yield from self.below(child)


class World:
    """A Zotero with its libraries and the files in its data folder."""

    def __init__(self, data_folder: Path, *, base_folder: Path | None = None, seed: int = 4) -> None:
        self.data_folder = data_folder
        self.base_folder = base_folder  # of linked attachments
        self.libraries: dict[str, Shelf] = {MY_LIBRARY: Shelf(MY_LIBRARY, "My Library")}
        self._random = random.Random(seed)
        self._now = datetime(2026, 1, 5, 9, 0, tzinfo=UTC)
        data_folder.mkdir(parents=True, exist_ok=True)

    # What is where

    def shelf(self, key: str) -> Shelf:
        """The library in which an item, collection or saved search is."""
        for shelf in self.libraries.values():
            if key in shelf.items or key in shelf.collections or key in shelf.searches:
                return shelf
        raise KeyError(key)

    def item(self, key: str) -> dict[str, Any]:
        """An item's data."""
        return self.shelf(key).items[key]

    def path(self, key: str) -> Path | None:
        """Where an attachment's file is or would be; None for a link to the web."""
        data = self.item(key)
        if data["linkMode"] in STORED:
            return self.data_folder / "storage" / key / str(data["filename"])
        if data["linkMode"] != "linked_file":
            return None
        path = str(data["path"])
        if path.startswith("attachments:"):
            return (self.base_folder or Path("/nowhere")) / path.removeprefix("attachments:")
        return Path(path)

    # What comes in

    def group(self, number: int, name: str) -> Shelf:
        """Join a group."""
        return self.libraries.setdefault(f"groups/{number}", Shelf(f"groups/{number}", name))

    def add(
        self,
        item_type: str,
        *,
        library: str = MY_LIBRARY,
        collections: Iterable[str] = (),
        tags: Iterable[str | Mapping[str, Any]] = (),
        **fields: Any,
    ) -> str:
        """Add a work. Fields have Zotero's names."""
        fields.setdefault("creators", [])
        return self._put(library, item_type, fields, tags, collections)

    def attach(
        self,
        parent: str | None,
        name: str,
        content: bytes | None,
        *,
        library: str | None = None,
        mode: str = "imported_file",
        content_type: str = "application/pdf",
        path: str | None = None,
        collections: Iterable[str] = (),
        tags: Iterable[str | Mapping[str, Any]] = (),
        **fields: Any,
    ) -> str:
        """Attach a file, or a link; without content it is missing on disk and in the online storage.

        A linked file without a path stands next to the data folder; `attachments:…` counts from the base folder.
        """
        file = {"filename": name} if mode in STORED else {}
        if mode == "linked_file":
            file = {"path": path or str(self.data_folder.parent / "linked" / name)}
        if mode in ("imported_url", "linked_url"):
            fields = {"url": f"https://example.org/{name}", "accessDate": self._moment(), **fields}
        data = {
            "title": name,
            **fields,
            **({"parentItem": parent} if parent else {}),
            "linkMode": mode,
            "contentType": content_type,
            "charset": "",
            **file,
        }
        key = self._put(library, "attachment", data, tags, None if parent else collections)
        if content is not None:
            self._write(key, content)
        return key

    def note(
        self,
        parent: str | None,
        html: str,
        *,
        library: str | None = None,
        collections: Iterable[str] = (),
        tags: Iterable[str | Mapping[str, Any]] = (),
    ) -> str:
        """Write a note, of an item or of its own."""
        data = {**({"parentItem": parent} if parent else {}), "note": html}
        return self._put(library, "note", data, tags, None if parent else collections)

    def annotate(
        self,
        attachment: str,
        text: str = "",
        *,
        comment: str = "",
        colour: str = "#ffd400",
        page_label: str = "1",
        position: Mapping[str, Any] | str | None = None,
        type: str = "highlight",
        tags: Iterable[str | Mapping[str, Any]] = (),
        sort_index: str | None = None,
    ) -> str:
        """Mark something in an attachment: highlight, underline, note, image, ink or text."""
        if position is None:
            position = {"pageIndex": 0, "rects": [[100, 600, 300, 612]]}
        page = position.get("pageIndex", 0) if isinstance(position, Mapping) else 0
        number = 10 * (1 + len(self.shelf(attachment).children(attachment)))
        data = {
            "parentItem": attachment,
            "annotationType": type,
            "annotationAuthorName": "",
            **({"annotationText": text} if type in MARKS_TEXT else {}),
            "annotationComment": comment,
            "annotationColor": colour,
            "annotationPageLabel": page_label,
            "annotationSortIndex": sort_index or f"{page:05}|{number:06}|{number:05}",
            "annotationPosition": position
            if isinstance(position, str)
            else json.dumps(position, ensure_ascii=False, separators=(",", ":")),
        }
        return self._put(None, "annotation", data, tags, None)

    def collection(self, name: str, parent: str | None = None, *, library: str = MY_LIBRARY) -> str:
        """Make a collection, or one within another."""
        shelf = self.shelf(parent) if parent else self.libraries[library]
        key = self._new_key()
        shelf.collections[key] = {"key": key, "name": name, "parentCollection": parent or False}
        shelf.journal.append(Change("add", "collections", key))
        return key

    def search(self, name: str, conditions: Iterable[Mapping[str, str]], *, library: str = MY_LIBRARY) -> str:
        """Save a search."""
        shelf, key = self.libraries[library], self._new_key()
        shelf.searches[key] = {"key": key, "name": name, "conditions": [dict(c) for c in conditions]}
        shelf.journal.append(Change("add", "searches", key))
        return key

    def index_text(self, key: str, text: str) -> None:
        """Let Zotero take the text of an attachment."""
        self.shelf(key).full_text[key] = text
        cache = self.data_folder / "storage" / key / ".zotero-ft-cache"
        cache.parent.mkdir(parents=True, exist_ok=True)
        cache.write_text(text, encoding="utf-8")

    # What changes

    def edit(self, key: str, **fields: Any) -> None:
        """Change fields of an item; None takes one away."""
        data = self.item(key)
        data.update(fields)
        for name in [name for name, value in fields.items() if value is None]:
            del data[name]
        self._modified(key, "edit")

    def tag(self, key: str, *tags: str) -> None:
        """Give an item tags."""
        self.item(key)["tags"] += [{"tag": tag} for tag in tags]
        self._modified(key, "tag")

    def rename_tag(self, old: str, new: str, *, library: str = MY_LIBRARY) -> None:
        """Rename a tag everywhere; no item's date changes."""
        shelf = self.libraries[library]
        for key, data in shelf.items.items():
            if any(tag["tag"] == old for tag in data["tags"]):
                data["tags"] = [{**tag, "tag": new} if tag["tag"] == old else tag for tag in data["tags"]]
                shelf.journal.append(Change("rename_tag", "items", key))

    def relate(self, one: str, other: str) -> None:
        """Say that two items belong together."""
        for a, b in ((one, other), (other, one)):
            relations = self.item(a)["relations"]
            relations.setdefault("dc:relation", []).append(f"http://zotero.org/users/local/4byUZBMB/items/{b}")
            self._modified(a, "edit")

    def move(self, key: str, collections: Iterable[str]) -> None:
        """Put an item into these collections and no others; its date does not change."""
        self.item(key)["collections"] = list(collections)
        self.shelf(key).journal.append(Change("move", "items", key))

    def replace_file(self, key: str, content: bytes) -> None:
        """Put another file in the place of an attachment's; no item's date changes."""
        self._write(key, content)
        self.shelf(key).journal.append(Change("replace_file", "items", key))

    def remove_file(self, key: str) -> None:
        """Take an attachment's file from this disk; it stays in the online storage."""
        path = self.path(key)
        assert path
        path.unlink()

    def rename_collection(self, key: str, name: str) -> None:
        """Give a collection another name."""
        self.shelf(key).collections[key]["name"] = name
        self.shelf(key).journal.append(Change("edit", "collections", key))

    def move_collection(self, key: str, parent: str | None) -> None:
        """Put a collection into another, or at the top."""
        self.shelf(key).collections[key]["parentCollection"] = parent or False
        self.shelf(key).journal.append(Change("edit", "collections", key))

    # What goes

    def trash(self, key: str) -> None:
        """Move an item to the trash."""
        self.shelf(key).trash.add(key)
        self._modified(key, "trash")

    def restore(self, key: str) -> None:
        """Take an item out of the trash."""
        self.shelf(key).trash.discard(key)
        self._modified(key, "restore")

    def erase(self, key: str) -> None:
        """Delete an item for good, with what belongs to it."""
        shelf = self.shelf(key)
        for gone in list(shelf.below(key)):
            del shelf.items[gone]
            shelf.trash.discard(gone)
            for held in (shelf.full_text, shelf.citekeys, shelf.uploaded):
                held.pop(gone, None)
            shelf.journal.append(Change("erase", "items", gone))
            shutil.rmtree(self.data_folder / "storage" / gone, ignore_errors=True)

    def erase_collection(self, key: str) -> None:
        """Delete a collection with those in it; the items stay, and neither their dates nor their versions change."""
        shelf = self.shelf(key)
        for child in [k for k, c in shelf.collections.items() if c["parentCollection"] == key]:
            self.erase_collection(child)
        del shelf.collections[key]
        shelf.journal.append(Change("erase", "collections", key))
        for item, data in shelf.items.items():
            if key in data.get("collections", ()):
                data["collections"] = [c for c in data["collections"] if c != key]
                shelf.journal.append(Change("leave", "items", item))

    def erase_search(self, key: str) -> None:
        """Delete a saved search."""
        shelf = self.shelf(key)
        del shelf.searches[key]
        shelf.journal.append(Change("erase", "searches", key))

    def sync(self) -> None:
        """Let Zotero sync with its servers: what was done so far gets server versions."""
        for shelf in self.libraries.values():
            shelf.synced = len(shelf.journal)

    # How it is done

    def _put(
        self,
        library: str | None,
        item_type: str,
        fields: Mapping[str, Any],
        tags: Iterable[str | Mapping[str, Any]],
        collections: Iterable[str] | None,
    ) -> str:
        parent = fields.get("parentItem")
        shelf = self.shelf(parent) if parent else self.libraries[library or MY_LIBRARY]
        key, now = self._new_key(), self._moment()
        shelf.items[key] = {
            "key": key,
            "itemType": item_type,
            **fields,
            "tags": [{"tag": tag} if isinstance(tag, str) else dict(tag) for tag in tags],
            **({} if collections is None else {"collections": list(collections)}),
            "relations": {},
            "dateAdded": now,
            "dateModified": now,
        }
        shelf.journal.append(Change("add", "items", key))
        return key

    def _write(self, key: str, content: bytes) -> None:
        path = self.path(key)
        assert path, "a link to the web has no file"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
        if self.item(key)["linkMode"] in STORED:
            self.shelf(key).uploaded[key] = content

    def _modified(self, key: str, verb: str) -> None:
        self.item(key)["dateModified"] = self._moment()
        self.shelf(key).journal.append(Change(verb, "items", key))

    def _new_key(self) -> str:
        return "".join(self._random.choices(KEY_LETTERS, k=8))

    def _moment(self) -> str:
        self._now += timedelta(seconds=1)
        return self._now.strftime("%Y-%m-%dT%H:%M:%SZ")
