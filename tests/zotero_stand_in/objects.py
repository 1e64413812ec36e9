"""The JSON of a library's objects, in what Zotero on this computer and Zotero's servers have in common."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path
from typing import Any

from tests.zotero_stand_in.world import Shelf, World

JSON = "application/json"
NOT_WORKS = ("attachment", "note", "annotation")


class Versions:
    """The versions of a library's objects: so many changes had been made when the last one was."""

    def __init__(self, shelf: Shelf, *, until: int | None = None, uncounted: Iterable[str] = ()) -> None:
        self.library = 0
        self.erased: list[tuple[str, str, int]] = []  # kind, key, version
        self._of: dict[tuple[str, str], int] = {}
        for verb, kind, key in shelf.journal[:until]:
            if verb not in uncounted:
                self.library += 1
                self._of[kind, key] = self.library
                if verb == "erase":
                    self.erased.append((kind, key, self.library))

    def of(self, kind: str, key: str) -> int:
        """An object's version; 0 where it has none."""
        return self._of.get((kind, key), 0)


class Objects:
    """A library's objects at one moment. What the two programs tell differently is left to them."""

    trashed: bool | int = True  # how an item says that it is in the trash

    def __init__(self, world: World, shelf: Shelf, versions: Versions, address: str) -> None:
        self.world, self.shelf, self.versions, self.address = world, shelf, versions, address
        self.all = dict(shelf.items)
        self.children: dict[str, list[str]] = {}
        for key, data in self.all.items():
            if parent := data.get("parentItem"):
                self.children.setdefault(parent, []).append(key)

    def library(self) -> dict[str, Any]:
        """What every object says of its library."""
        raise NotImplementedError

    def file_link(self, key: str) -> dict[str, Any] | None:
        """Where a stored file is to be had."""
        raise NotImplementedError

    def file_facts(self, key: str) -> dict[str, Any]:
        """What an attachment's data says of its file."""
        raise NotImplementedError

    def file_size(self, key: str) -> int | None:
        """The size of an attachment's file."""
        raise NotImplementedError

    def item(self, key: str) -> dict[str, Any]:
        """An item, attachment, note or annotation."""
        data = dict(self.all[key])
        links = {}
        if data["itemType"] == "attachment":
            data |= self.file_facts(key)
            if link := self.file_link(key):
                links["enclosure"] = link
        elif best := self._best_attachment(key):
            size = self.file_size(best)
            links["attachment"] = {
                **self._link("items", best),
                "attachmentType": self.all[best]["contentType"],
                **({} if size is None else {"attachmentSize": size}),
            }
        if key in self.shelf.trash:
            data["deleted"] = self.trashed
        return self._object("items", data, data.get("parentItem"), links, self._meta(data))

    def collection(self, key: str) -> dict[str, Any]:
        """A collection."""
        data = self.shelf.collections[key]
        meta = {
            "numCollections": sum(c["parentCollection"] == key for c in self.shelf.collections.values()),
            "numItems": sum(
                key in item.get("collections", ()) and k not in self.shelf.trash for k, item in self.all.items()
            ),
        }
        return self._object("collections", {**data, "relations": {}}, data["parentCollection"] or None, {}, meta)

    def search(self, key: str) -> dict[str, Any]:
        """A saved search."""
        return self._object("searches", self.shelf.searches[key], None, {}, {})

    def summary(self, names: list[str]) -> str:
        """The creators in a few words."""
        if len(names) < 3:
            return " and ".join(names)
        return f"{names[0]} et al."

    def _object(
        self, kind: str, data: dict[str, Any], parent: str | None, links: dict[str, Any], meta: dict[str, Any]
    ) -> dict[str, Any]:
        key = data["key"]
        version = self.versions.of(kind, key)
        up = {"up": self._link(kind, parent)} if parent else {}
        return {
            "key": key,
            "version": version,
            "library": self.library(),
            "links": {"self": self._link(kind, key), **up, **links},
            "meta": meta,
            "data": {"key": key, "version": version, **data},
        }

    def _link(self, kind: str, key: str) -> dict[str, Any]:
        return {"href": f"{self.address}/{kind}/{key}", "type": JSON}

    def _meta(self, data: dict[str, Any]) -> dict[str, Any]:
        meta: dict[str, Any] = {}
        authors = [c for c in data.get("creators", ()) if c["creatorType"] == "author"]
        if authors:
            meta["creatorSummary"] = self.summary([c.get("lastName") or c.get("name", "") for c in authors])
        if date := re.search(r"\d{4}(-\d\d(-\d\d)?)?", data.get("date", "")):
            meta["parsedDate"] = date[0]
        # What belongs to an attachment is not counted.
        children = () if data["itemType"] in NOT_WORKS else self.children.get(data["key"], ())
        return {**meta, "numChildren": len(children)}

    def _best_attachment(self, key: str) -> str | None:
        files = [
            child
            for child in self.children.get(key, ())
            if self.all[child]["itemType"] == "attachment" and self.all[child]["linkMode"] != "linked_url"
        ]
        files.sort(key=lambda k: (self.all[k]["contentType"] != "application/pdf", self.all[k]["dateAdded"]))
        return files[0] if files else None


def md5_of(path: Path) -> str:
    """A file's MD5."""
    stat = path.stat()
    return _md5(path, stat.st_mtime_ns, stat.st_size)


@lru_cache(maxsize=20_000)  # a library of thousands is listed again and again
def _md5(path: Path, _mtime: int, _size: int) -> str:
    return hashlib.md5(path.read_bytes(), usedforsecurity=False).hexdigest()
