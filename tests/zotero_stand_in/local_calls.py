"""One call to the local API, about one library."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any
from urllib.parse import urlencode

from tests.zotero_stand_in.objects import JSON, Objects, Versions, md5_of
from tests.zotero_stand_in.serving import Reply, Request
from tests.zotero_stand_in.world import MY_LIBRARY, STORED, Shelf, World

TEXT = {"Content-Type": "text/plain"}
NO_ENDPOINT = Reply(404, "No endpoint found\n", TEXT)
NOT_FOUND = Reply(404, "Not found", TEXT)
UNCOUNTED = ("rename_tag", "replace_file", "leave")  # what the counter of Zotero 10 misses
SORTS = ("dateAdded", "dateModified", "title", "itemType", "date", "publisher", "publicationTitle")
FORMATS = ("json", "keys", "versions")


class _Objects9(Objects):
    def library(self) -> dict[str, Any]:
        group = self.shelf.id.removeprefix("groups/") if self.shelf.id != MY_LIBRARY else ""
        return {
            "type": "group" if group else "user",
            "id": int(group or 0),
            "name": self.shelf.name,
            "links": {"self": {"href": self.address, "type": JSON}},
        }

    def summary(self, names: list[str]) -> str:
        # Zotero isolates the names where it says more than one.
        return super().summary([f"\u2068{name}\u2069" for name in names] if len(names) > 1 else names)

    def file_link(self, key: str) -> dict[str, Any] | None:
        data, path = self.all[key], self.world.path(key)
        if data["linkMode"] not in STORED or not path:
            return None
        size = self.file_size(key)
        length = {} if size is None else {"length": size}
        return {"href": path.as_uri(), "type": data["contentType"], "title": data["filename"], **length}

    def file_size(self, key: str) -> int | None:
        path = self.world.path(key)
        return path.stat().st_size if path and path.is_file() else None

    def file_facts(self, key: str) -> dict[str, Any]:
        return {}


class _Objects10(_Objects9):
    def file_facts(self, key: str) -> dict[str, Any]:
        path = self.world.path(key)
        if self.all[key]["linkMode"] not in STORED or not path:
            return {}
        if not path.is_file():
            return {"mtime": None, "md5": None}
        return {"mtime": path.stat().st_mtime_ns // 1_000_000, "md5": md5_of(path)}


class LocalCall:
    """A call to the API. `counted`: versions are Zotero's own counter, and not those of the last sync."""

    def __init__(self, world: World, shelf: Shelf, request: Request, *, port: int, counted: bool) -> None:
        self.world, self.shelf, self.request, self.query = world, shelf, request, request.query
        self.host, self.counted = f"http://{request.headers['host']}", counted
        self.versions = Versions(shelf, uncounted=UNCOUNTED) if counted else Versions(shelf, until=shelf.synced)
        place = "users/0" if shelf.id == MY_LIBRARY else shelf.id
        self.root = f"http://localhost:{port}/api"
        self.objects = (_Objects10 if counted else _Objects9)(world, shelf, self.versions, f"{self.root}/{place}")
        self.here = [key for key in self.objects.all if not shelf.in_trash(key)]

    def reply(self, what: list[str]) -> Reply:
        """The answer to what was asked of this library."""
        since = self.request.headers.get("if-modified-since-version")
        if since is not None and int(since) >= self.versions.library:
            return Reply(304, b"", {"Last-Modified-Version": str(self.versions.library)})
        match what:
            case ["items", *which]:
                return self._items_of(which)
            case ["fulltext"]:
                return self._full_texts()
            case ["collections", *which]:
                return self._collections_of(which)
            case ["searches"]:
                return self._list("searches", list(self.shelf.searches))
            case ["searches", key, "items"] if key in self.shelf.searches:
                return self._items(self._below(self._found_by(key)))
            case ["groups"] if self.shelf.id == MY_LIBRARY:
                return self._groups()
            case ["settings"]:
                return Reply(200, {}, {"Content-Type": JSON})
        return NO_ENDPOINT

    # Items

    def _items_of(self, which: list[str]) -> Reply:
        match which:
            case []:
                return self._items(self.objects.all if self.query.get("includeTrashed") == "1" else self.here)
            case ["top"]:
                return self._items(self._top(self.here))
            case ["trash"]:
                return self._items(set(self.objects.all) - set(self.here))
            case [key, *_] if key not in self.objects.all:
                return NOT_FOUND
            case [key]:
                version = str(self.versions.of("items", key))
                headers = {"Total-Results": "1", "Link": "", "Last-Modified-Version": version, "Content-Type": JSON}
                return Reply(200, self.objects.item(key), headers)
            case [key, "children"]:
                return self._items(self._below([key], annotations=False) - {key})
            case [key, "file", *view]:
                return self._file(key, as_text=view == ["view", "url"])
            case [key, "fulltext"]:
                return self._full_text(key)
        return NO_ENDPOINT

    def _top(self, keys: Iterable[str]) -> list[str]:
        return [key for key in keys if "parentItem" not in self.objects.all[key]]

    def _below(self, keys: Iterable[str], *, annotations: bool = True) -> set[str]:
        """These items and what belongs to them."""
        found: set[str] = set()
        ahead = list(keys)
        while ahead:
            key = ahead.pop()
            if annotations or self.objects.all[key]["itemType"] != "annotation":
                found.add(key)
                ahead += self.objects.children.get(key, ())
        return found

    def _items(self, keys: Iterable[str]) -> Reply:
        wanted = set(keys)
        data = self.objects.all
        if named := self.query.get("itemKey"):
            wanted &= self._below(key for key in named.split(",") if key in wanted)
        if types := self.query.get("itemType"):
            names = types.removeprefix("-").split(" || ")
            if types.startswith("-"):
                # Who wants none of these gets no annotations either.
                wanted = {key for key in wanted if data[key]["itemType"] not in (*names, "annotation")}
            else:
                wanted = {key for key in wanted if data[key]["itemType"] in names}
        if tag := self.query.get("tag"):
            wanted = {key for key in wanted if any(t["tag"] == tag for t in data[key]["tags"])}
        by = self.query.get("sort", "dateModified")
        if by not in SORTS:
            return Reply(400, f"Invalid 'sort' value '{by}'", TEXT)
        falling = self.query.get("direction", "desc" if by.startswith("date") else "asc") == "desc"
        return self._list(
            "items",
            sorted((key for key in data if key in wanted), key=lambda key: data[key].get(by, ""), reverse=falling),
        )

    def _found_by(self, search: str) -> list[str]:
        tests = [_test_of(condition) for condition in self.shelf.searches[search]["conditions"]]
        return [key for key in self.here if all(test(self.objects.all[key]) for test in tests)]

    # Files and their text

    def _file(self, key: str, *, as_text: bool) -> Reply:
        data = self.objects.all[key]
        path = self.world.path(key) if data["itemType"] == "attachment" else None
        if not path:
            return Reply(400, f"Not a file attachment: {key}", TEXT)
        if as_text:
            return Reply(200, path.as_uri(), TEXT)
        # The file is not looked for: it may be missing.
        return Reply(302, b"", {"Location": path.as_uri()}, "undefined")

    def _full_text(self, key: str) -> Reply:
        text = self.shelf.full_text.get(key)
        if text is None:
            return NOT_FOUND
        if self.objects.all[key]["contentType"] == "application/pdf":
            extent = {"indexedPages": 1, "totalPages": 1}
        else:
            extent = {"indexedChars": len(text), "totalChars": len(text)}
        return Reply(200, {"content": text, **extent}, {"Content-Type": JSON, "Last-Modified-Version": "0"})

    def _full_texts(self) -> Reply:
        since = self.query.get("since")
        if since is None:
            return Reply(400, "Invalid 'since' value 'null'", TEXT)
        return Reply(200, {key: 0 for key in sorted(self.shelf.full_text) if since == "0"}, {"Content-Type": JSON})

    # Collections and groups

    def _collections_of(self, which: list[str]) -> Reply:
        collections = self.shelf.collections
        match which:
            case []:
                return self._list("collections", list(collections))
            case ["top"]:
                return self._list("collections", [k for k, c in collections.items() if not c["parentCollection"]])
            case [key, "items", *top]:
                # Asked for a collection that is not there, Zotero gives everything.
                known = key in collections
                inside = [k for k in self.here if not known or key in self.objects.all[k].get("collections", ())]
                return self._items(self._top(inside) if top else self._below(inside, annotations=False))
            case [key] if key not in collections:
                return NOT_FOUND
            case [key]:
                return Reply(200, self.objects.collection(key), {"Content-Type": JSON})
        return NO_ENDPOINT

    def _groups(self) -> Reply:
        groups = [shelf for shelf in self.world.libraries.values() if shelf.id != MY_LIBRARY]
        version = {} if self.counted else {"Last-Modified-Version": str(self.versions.library)}
        return self._page([self._group(shelf) for shelf in groups], version)

    def _group(self, shelf: Shelf) -> dict[str, Any]:
        number = int(shelf.id.removeprefix("groups/"))
        return {
            "id": number,
            "version": 7,
            "links": {
                "self": {"href": f"{self.root}/{shelf.id}", "type": JSON},
                "alternate": {"href": f"https://www.zotero.org/{shelf.id}", "type": "text/html"},
            },
            "meta": {"numItems": sum("parentItem" not in data for data in shelf.items.values())},
            "data": {"id": number, "version": 7, "name": shelf.name, "description": ""},
        }

    # Lists

    def _list(self, kind: str, keys: list[str]) -> Reply:
        since = int(self.query.get("since", 0))
        keys = [key for key in keys if not since or self.versions.of(kind, key) > since]
        version = {"Last-Modified-Version": str(self.versions.library)}
        match self.query.get("format", "json"):
            case "json":
                one = {
                    "items": self.objects.item,
                    "collections": self.objects.collection,
                    "searches": self.objects.search,
                }
                return self._page(keys, version, one[kind])
            case "keys":
                reply = self._page(keys, version)
                return Reply(200, "\n".join(reply.body), {**reply.headers, **TEXT})
            case "versions":
                reply = self._page(keys, version)
                return Reply(200, {key: self.versions.of(kind, key) for key in reply.body}, reply.headers)
        return Reply(400, f"Invalid 'format' value '{self.query['format']}'", TEXT)

    def _page(self, rows: list[Any], version: dict[str, str], tell: Any = lambda row: row) -> Reply:
        start, limit = int(self.query.get("start", 0)), int(self.query.get("limit", 0))
        shown = rows[start : start + limit] if limit else rows[start:]
        links = [f'<{address}>; rel="{name}"' for name, address in self._links(start, limit, len(rows))]
        headers = {"Total-Results": str(len(rows)), "Link": ", ".join(links), **version, "Content-Type": JSON}
        return Reply(200, [tell(row) for row in shown], headers)

    def _links(self, start: int, limit: int, total: int) -> Iterable[tuple[str, str]]:
        if start:
            yield "first", self._at(0)
            yield "prev", self._at(max(start - limit, 0))
        yield "last", self._at((total - 1) // limit * limit if limit and total else 0)
        if limit and start + limit < total:
            yield "next", self._at(start + limit)

    def _at(self, start: int) -> str:
        query = {**self.query, "start": str(start)}
        if not start:
            del query["start"]
        return f"{self.host}{self.request.path}" + (f"?{urlencode(query)}" if query else "")


def _test_of(condition: dict[str, str]) -> Any:
    """What an item must be like; so many of Zotero's conditions as the tests need."""
    value = condition["value"]
    match condition["condition"], condition["operator"]:
        case "tag", "is":
            return lambda data: any(tag["tag"] == value for tag in data["tags"])
        case "itemType", "is":
            return lambda data: data["itemType"] == value
        case "title", "contains":
            return lambda data: value.casefold() in data.get("title", "").casefold()
        case "noChildren", _:
            return lambda data: "parentItem" not in data
    raise NotImplementedError(condition)
