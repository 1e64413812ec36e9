"""Zotero's servers: the Web API, and the storage that it sends whoever wants a file to."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable
from typing import Any
from urllib.parse import urlencode

from tests.zotero_stand_in.objects import JSON, NOT_WORKS, Objects, Versions
from tests.zotero_stand_in.serving import Reply, Request, StandIn
from tests.zotero_stand_in.world import MY_LIBRARY, STORED, Shelf, World

TEXT = {"Content-Type": "text/plain; charset=utf-8"}
NOT_FOUND = Reply(404, "Not found", TEXT)
FORBIDDEN = Reply(403, "Forbidden", TEXT)
UNCOUNTED = ("leave",)  # an item whose collection was erased keeps its version
UNASKED, MOST = 25, 100  # how many objects a page has
EMPTY = ("abstractNote", "accessDate", "archive", "callNumber", "extra", "rights", "shortTitle", "url")


class WebZotero(StandIn):
    """Zotero's servers for one user and one key.

    `refusals` are given to the next requests: (429, {"Retry-After": "1"}), (503, {}). `backoff` is said with every
    reply. `access` is what the key may read.
    """

    protocol = "HTTP/1.1"
    says_length = True

    def __init__(self, world: World, *, api_key: str, user_id: int = 12345, port: int = 0) -> None:
        super().__init__(port)
        self.world, self.api_key, self.user_id = world, api_key, user_id
        self.storage = Storage(world)
        self.refusals: list[tuple[int, dict[str, str]]] = []
        self.backoff: str | None = None
        self.access: dict[str, Any] = {
            "user": {"library": True, "files": True, "notes": True},
            "groups": {"all": {"library": True, "write": False}},
        }

    def open(self) -> None:
        """Listen, and have the storage listen."""
        self.storage.open()
        super().open()

    def close(self) -> None:
        """Stop listening."""
        super().close()
        self.storage.close()

    def answer(self, request: Request) -> Reply:
        """What the servers reply."""
        if self.refusals:
            status, headers = self.refusals.pop(0)
            return Reply(status, "Too many requests" if status == 429 else "Out of order", {**headers, **TEXT})
        reply = self._reply(request)
        more = {"Zotero-API-Version": "3", "Zotero-Schema-Version": "41"}
        if self.backoff:
            more["Backoff"] = self.backoff
        return Reply(reply.status, reply.body, {**more, **reply.headers}, reply.reason)

    def _reply(self, request: Request) -> Reply:
        if request.method != "GET":
            return Reply(405, "Method not allowed", TEXT)
        key = request.headers.get("zotero-api-key") or request.headers.get("authorization", "").removeprefix("Bearer ")
        if not key:
            return FORBIDDEN
        if key != self.api_key:
            return Reply(403, "Invalid key", TEXT)
        mine, groups = self.access.get("user", {}), self.access.get("groups", {})
        match request.path.strip("/").split("/"):
            case ["keys", "current"]:
                who = {"userID": self.user_id, "username": "researcher", "displayName": "A Researcher"}
                return Reply(200, {"key": self.api_key, **who, "access": self.access}, {"Content-Type": JSON})
            case ["users", number, "groups"] if number == str(self.user_id):
                return self._call(request, MY_LIBRARY).groups(groups)
            case ["users", number, *what] if number == str(self.user_id):
                allowed = mine.get("library") and ("file" not in what or mine.get("files"))
                return self._call(request, MY_LIBRARY).reply(what) if allowed else FORBIDDEN
            case ["users", *_]:
                return FORBIDDEN
            case ["groups", number, *what] if f"groups/{number}" in self.world.libraries:
                allowed = "all" in groups or number in groups
                return self._call(request, f"groups/{number}").reply(what) if allowed else FORBIDDEN
        return NOT_FOUND

    def _call(self, request: Request, library: str) -> _WebCall:
        return _WebCall(self, self.world.libraries[library], request)


class Storage(StandIn):
    """Where the files are: another place, which knows no keys but only addresses that were signed."""

    protocol = "HTTP/1.1"
    says_length = True
    SIGNATURE = "d41d8cd9"

    def __init__(self, world: World) -> None:
        super().__init__()
        self.world = world

    def address(self, key: str) -> str:
        """A signed address for a file."""
        return f"{self.url}/{key}?{urlencode({'X-Amz-Signature': self.SIGNATURE})}"

    def answer(self, request: Request) -> Reply:
        """A file, or the part of it that was asked for."""
        key = request.path.strip("/")
        if "authorization" in request.headers or "zotero-api-key" in request.headers:
            return Reply(400, "Only one auth mechanism allowed: the key is for Zotero, not for the storage.", TEXT)
        if request.query.get("X-Amz-Signature") != self.SIGNATURE:
            return Reply(403, "Access denied", TEXT)
        shelf = self.world.shelf(key)
        content = shelf.uploaded[key]
        headers = {"ETag": f'"{_md5(content)}"', "Accept-Ranges": "bytes", "Content-Type": "application/octet-stream"}
        asked = re.fullmatch(r"bytes=(\d+)-(\d*)", request.headers.get("range", ""))
        if not asked or request.headers.get("if-range", headers["ETag"]) != headers["ETag"]:
            return Reply(200, content, headers)
        first, last = int(asked[1]), min(int(asked[2] or len(content) - 1), len(content) - 1)
        if first > last:
            return Reply(416, b"", {**headers, "Content-Range": f"bytes */{len(content)}"})
        part = {"Content-Range": f"bytes {first}-{last}/{len(content)}"}
        return Reply(206, content[first : last + 1], {**headers, **part})


class _WebObjects(Objects):
    trashed = 1
    owner = 0

    def library(self) -> dict[str, Any]:
        group = self.shelf.id.removeprefix("groups/") if self.shelf.id != MY_LIBRARY else ""
        page = {"href": f"https://www.zotero.org/{self.shelf.id if group else 'researcher'}", "type": "text/html"}
        return {
            "type": "group" if group else "user",
            "id": int(group or self.owner),
            "name": self.shelf.name if group else "A Researcher",
            "links": {"alternate": page},
        }

    def item(self, key: str) -> dict[str, Any]:
        told = super().item(key)
        empty = EMPTY if told["data"]["itemType"] not in NOT_WORKS else ()
        # The servers tell the fields that an item could have as well.
        told["data"] = {**dict.fromkeys(empty, ""), **told["data"]}
        return told

    def file_link(self, key: str) -> dict[str, Any] | None:
        data = self.all[key]
        if (size := self.file_size(key)) is None:
            return None
        view = f"{self.address}/items/{key}/file/view"
        return {"type": data["contentType"], "href": view, "title": data["filename"], "length": size}

    def file_facts(self, key: str) -> dict[str, Any]:
        if self.all[key]["linkMode"] not in STORED:
            return {}
        content = self.shelf.uploaded.get(key)
        return {"md5": None, "mtime": None} if content is None else {"md5": _md5(content), "mtime": 1767603600000}

    def file_size(self, key: str) -> int | None:
        content = self.shelf.uploaded.get(key)
        return None if content is None else len(content)


class _WebCall:
    def __init__(self, web: WebZotero, shelf: Shelf, request: Request) -> None:
        self.web, self.shelf, self.request, self.query = web, shelf, request, request.query
        self.versions = Versions(shelf, uncounted=UNCOUNTED)
        place = f"users/{web.user_id}" if shelf.id == MY_LIBRARY else shelf.id
        self.objects = _WebObjects(web.world, shelf, self.versions, f"{web.url}/{place}")
        self.objects.owner = web.user_id

    def reply(self, what: list[str]) -> Reply:
        items, shelf = self.objects.all, self.shelf
        # A child of something in the trash is not in the trash for the servers.
        trash = [key for key in items if key in shelf.trash]
        match what:
            case ["items"]:
                here = items if self.query.get("includeTrashed") == "1" else [k for k in items if k not in shelf.trash]
                return self._list("items", here)
            case ["items", "trash"]:
                return self._list("items", trash)
            case ["items", "top"]:
                return self._list("items", [k for k in items if "parentItem" not in items[k] and k not in shelf.trash])
            case ["collections"]:
                return self._list("collections", shelf.collections)
            case ["searches"]:
                return self._list("searches", shelf.searches)
            case ["deleted"]:
                return self._deleted()
            case ["items", key, *_] if key not in items:
                return NOT_FOUND
            case ["items", key]:
                version = {"Last-Modified-Version": str(self.versions.of("items", key))}
                return Reply(200, self.objects.item(key), {"Content-Type": JSON, **version})
            case ["items", key, "file"]:
                return self._file(key)
            case ["items", key, "fulltext"]:
                return self._full_text(key)
        return NOT_FOUND

    def groups(self, readable: dict[str, Any]) -> Reply:
        """The user's groups, so far as the key may see them."""
        numbers = [id.removeprefix("groups/") for id in self.web.world.libraries if id != MY_LIBRARY]
        rows = [int(number) for number in numbers if "all" in readable or number in readable]
        return self._page(rows, self._group, {})

    def _group(self, number: int) -> dict[str, Any]:
        shelf = self.web.world.libraries[f"groups/{number}"]
        facts = {
            "owner": self.web.user_id,
            "type": "Private",
            "description": "",
            "url": "",
            "libraryReading": "members",
        }
        return {
            "id": number,
            "version": 7,
            "links": {"self": {"href": f"{self.web.url}/{shelf.id}", "type": JSON}},
            "meta": {"numItems": len(shelf.items)},
            "data": {"id": number, "version": 7, "name": shelf.name, **facts},
        }

    def _deleted(self) -> Reply:
        if "since" not in self.query:
            return Reply(400, "'since' parameter must be provided", TEXT)
        since = int(self.query["since"])
        gone: dict[str, list[str]] = {kind: [] for kind in ("collections", "items", "searches", "tags", "settings")}
        for kind, key, version in self.versions.erased:
            if version > since:
                gone[kind].append(key)
        return Reply(200, gone, {"Content-Type": JSON, **self._version()})

    def _file(self, key: str) -> Reply:
        if self.objects.all[key]["itemType"] != "attachment":
            return Reply(400, "Item is not an attachment", TEXT)
        content = self.shelf.uploaded.get(key)
        if content is None:
            return NOT_FOUND
        # A page that was saved with its pictures lies in the storage as a ZIP archive.
        packed = self.objects.all[key]["contentType"] == "text/html" and content.startswith(b"PK\x03\x04")
        facts = {
            "Zotero-File-Modification-Time": "1767603600000",
            "Zotero-File-MD5": _md5(content),
            "Zotero-File-Size": str(len(content)),
            "Zotero-File-Compressed": "Yes" if packed else "No",
        }
        return Reply(302, b"", {"Location": self.web.storage.address(key), **facts})

    def _full_text(self, key: str) -> Reply:
        text = self.shelf.full_text.get(key)
        if text is None:
            return NOT_FOUND
        return Reply(
            200,
            {"content": text, "indexedChars": len(text), "totalChars": len(text)},
            {"Content-Type": JSON, "Last-Modified-Version": str(self.versions.of("items", key))},
        )

    def _list(self, kind: str, keys: Iterable[str]) -> Reply:
        known = self.request.headers.get("if-modified-since-version")
        if known is not None and int(known) >= self.versions.library:
            return Reply(304, b"", self._version())
        since = int(self.query.get("since", 0))
        rows = [key for key in keys if not since or self.versions.of(kind, key) > since]
        if kind == "items":
            rows.sort(key=lambda key: self.objects.all[key]["dateModified"], reverse=True)
        match self.query.get("format", "json"):
            case "versions":
                found = {key: self.versions.of(kind, key) for key in rows}
                return Reply(200, found, {"Content-Type": JSON, "Total-Results": str(len(rows)), **self._version()})
            case "keys":
                return Reply(200, "\n".join(rows) + "\n", {**TEXT, "Total-Results": str(len(rows)), **self._version()})
            case "json":
                one = {
                    "items": self.objects.item,
                    "collections": self.objects.collection,
                    "searches": self.objects.search,
                }
                return self._page(rows, one[kind], self._version())
        return Reply(400, f"Invalid 'format' value '{self.query['format']}'", TEXT)

    def _page(self, rows: list[Any], tell: Any, version: dict[str, str]) -> Reply:
        start, limit = int(self.query.get("start", 0)), int(self.query.get("limit", UNASKED))
        limit = min(limit, MOST)
        links = {"next": start + limit} if start + limit < len(rows) else {}
        links |= {"last": max(0, (len(rows) - 1) // limit * limit)} if rows else {}
        link = ", ".join(f'<{self._at(at, limit)}>; rel="{name}"' for name, at in links.items())
        headers = {"Content-Type": JSON, "Total-Results": str(len(rows)), **version}
        return Reply(
            200, [tell(row) for row in rows[start : start + limit]], {**headers, **({"Link": link} if link else {})}
        )

    def _at(self, start: int, limit: int) -> str:
        return f"{self.web.url}{self.request.path}?{urlencode({**self.query, 'limit': limit, 'start': start})}"

    def _version(self) -> dict[str, str]:
        return {"Last-Modified-Version": str(self.versions.library)}


def _md5(content: bytes) -> str:
    return hashlib.md5(content, usedforsecurity=False).hexdigest()
