"""Source that reads libraries on zotero.org by the web API; only changes are downloaded, by library version."""

from __future__ import annotations

import hashlib
import logging
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from pyzotero.errors import ResourceNotFoundError
from pyzotero.zotero import Zotero

from citeloom.zotero import saved_search
from citeloom.zotero.api_json import (
    MAX_BYTES,
    full_text_from_json,
    incomplete_answer,
    libraries_from_json,
    parse_json,
    snapshot_from_json,
)
from citeloom.zotero.types import MY_LIBRARY, Item, Library, SavedSearch, Snapshot
from citeloom.zotero.web_api.client import Backoff, RateLimitedClient, key_refused, translate_errors
from citeloom.zotero.web_api.download import Download
from citeloom.zotero.web_api.mirror import KINDS, Mirror, load, save

_log = logging.getLogger(__name__)
_PAGE = 100
_TRIES = 5
_TIMEOUT_SECONDS = 30.0


class _Changed(Exception):
    """Raised when the library changes while it is read."""


class WebApi:
    """Web API with the researcher's key."""

    kind = "web"

    def __init__(
        self, url: str, key: str, mirror: Path, *, timeout: float = _TIMEOUT_SECONDS, max_bytes: int = MAX_BYTES
    ) -> None:
        self._url = url.rstrip("/")
        self._key = key
        self._mirror = mirror
        self._read_timeout = timeout
        self._max_bytes = max_bytes
        self._backoff = Backoff()
        self._owner: dict[str, Any] = {}

    def check_key(self) -> dict[str, Any]:
        """Return the owner of the key and what it may read."""
        owner = self._key_owner()
        return {
            "user_id": owner["userID"],
            "name": str(owner["username"] or ""),
            "libraries": [{"id": library.id, "name": library.name} for library in self.libraries()],
            "files": _may(owner, "user", "files"),
            "notes": _may(owner, "user", "notes"),
        }

    def about(self) -> dict[str, Any]:
        """Return the address and the owner of the key."""
        return {"url": self._url, "name": str(self._key_owner()["username"] or "")}

    def libraries(self) -> list[Library]:
        """Return My Library, then the groups, as far as the key may read them."""
        owner = self._key_owner()
        with self._library_client(Library(MY_LIBRARY, "")) as zotero:
            groups, _ = _everything(zotero, "groups", "id")
        return [library for library in libraries_from_json(groups.values()) if _may_read(owner, library)]

    def read(self, library: Library) -> Snapshot:
        """Return a library as it is now."""
        owner = hashlib.sha256(f"{self._url} {self._key_owner()['userID']} {self._key}".encode()).hexdigest()
        file = self._mirror / f"{library.id.replace('/', '-')}.json.gz"
        cached = load(file, owner)
        with self._library_client(library) as zotero:
            now = _updated(zotero, cached, library)
        if now is not cached:
            try:
                save(file, owner, now)
            except OSError as error:
                _log.warning("The mirror of %s could not be saved: %s", library.name, error)
        return snapshot_from_json(
            library, *(now.objects[kind].values() for kind in ("collections", "searches", "items"))
        )

    def run_search(self, snapshot: Snapshot, search: SavedSearch) -> set[str]:
        """Return the keys of the top-level items that a saved search finds; evaluated here, as the servers cannot."""
        return saved_search.evaluate(snapshot, search)

    def full_text(self, library: Library, attachment: str) -> str | None:
        """Return the text that Zotero extracted from an attachment, or None."""
        with self._library_client(library) as zotero:
            try:
                return full_text_from_json(_json(zotero, lambda: zotero.fulltext_item(attachment)))
            except ResourceNotFoundError:
                return None

    def download(
        self,
        library: Library,
        item: Item,
        to: Path,
        *,
        max_bytes: int,
        on_progress: Callable[[int, int | None], None],
        stopped: Callable[[], bool],
    ) -> Path:
        """Download an attachment's file from Zotero's storage, resuming an earlier attempt."""
        with translate_errors(), self._client() as client:
            address = f"{self._url}/{self._api_path(library)}/items/{item.key}/file"
            name = str(item.data.get("filename") or to.name)
            return Download(client, address, self._header(), name, to, max_bytes, on_progress, stopped).run()

    def _client(self) -> RateLimitedClient:
        return RateLimitedClient(self._backoff, self._read_timeout, self._max_bytes)

    def _header(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self._key}", "Zotero-API-Version": "3"}

    def _key_owner(self) -> dict[str, Any]:
        """Return the owner and permissions of the key, cached."""
        if not self._owner:
            if not re.fullmatch("[A-Za-z0-9]+", self._key):
                raise key_refused()
            with translate_errors(), self._client() as client:  # pyzotero would put the key into the URL
                reply = client.get(f"{self._url}/keys/current", headers=self._header())
            if reply.status_code in (401, 403, 404):
                raise key_refused()
            if reply.status_code != 200:
                raise incomplete_answer(f"Zotero's servers answered with an error ({reply.status_code})")
            answer = parse_json(reply.content)
            if not isinstance(answer, dict) or not isinstance(answer.get("userID"), int):
                raise incomplete_answer("The answer of Zotero's servers has an unknown form")
            self._owner = {name: answer.get(name) for name in ("userID", "username", "access")}
        return self._owner

    def _api_path(self, library: Library) -> str:
        return f"users/{self._key_owner()['userID']}" if library.group is None else f"groups/{library.group}"

    @contextmanager
    def _library_client(self, library: Library) -> Iterator[Zotero]:
        kind, number = self._api_path(library).split("/")
        with translate_errors(), self._client() as client:
            zotero = Zotero(number, kind.removesuffix("s"), self._key, client=client)
            zotero.endpoint = self._url
            yield zotero


def _updated(zotero: Zotero, cached: Mirror, library: Library) -> Mirror:
    """Return the mirror updated to the current version."""
    for _ in range(_TRIES):
        try:
            return _with_changes(zotero, cached)
        except _Changed:
            continue
    raise incomplete_answer(f"{library.name} kept changing while it was read")


def _with_changes(zotero: Zotero, cached: Mirror) -> Mirror:
    since = cached.version
    items, version = _everything(zotero, "items", since=since)
    if version == since:
        return cached
    if version < since:  # the servers were restored to an earlier state
        return _with_changes(zotero, Mirror())
    changed = {"items": items.values()}
    for kind in KINDS[1:]:
        found, current = _everything(zotero, kind, since=since)
        _check_version(version, current)
        changed[kind] = found.values()
    return cached.updated(version, changed, _deleted(zotero, since, version) if since else {})


def _deleted(zotero: Zotero, since: int, version: int) -> dict[str, list[str]]:
    """Return the keys of permanently deleted objects, by kind."""
    deleted = _json(zotero, lambda: zotero.deleted(since=since))
    if not isinstance(deleted, dict) or not all(isinstance(deleted.get(kind), list) for kind in KINDS):
        raise incomplete_answer("The answer of Zotero's servers does not look like a list of deleted objects")
    _check_version(version, _number(zotero, "last-modified-version"))
    return deleted


def _everything(
    zotero: Zotero, kind: str, key: str = "key", since: int | None = None
) -> tuple[dict[Any, dict[str, Any]], int]:
    """Return the `data` of all objects of a kind, from all pages, and the library's version."""
    parameters = {} if since is None else {"since": since, "includeTrashed": 1}
    found: dict[Any, dict[str, Any]] = {}
    page = _json(zotero, lambda: getattr(zotero, kind)(limit=_PAGE, **parameters))
    total, version = _number(zotero, "total-results"), _number(zotero, "last-modified-version")
    while page is not None:
        _check_version(version, _number(zotero, "last-modified-version"))
        before = len(found)
        try:
            found |= {entry["data"][key]: entry["data"] for entry in page}
        except (KeyError, TypeError) as error:
            raise incomplete_answer("The answer of Zotero's servers does not look like a library") from error
        if len(found) >= total or len(found) == before:
            break
        page = _json(zotero, zotero.follow)
    if len(found) != total:
        raise incomplete_answer("Zotero's servers sent fewer objects than they announced")
    return found, version


def _may(owner: dict[str, Any], *right: str) -> bool:
    """Return whether the key has a right."""
    at: Any = owner["access"]
    for name in right:
        at = at.get(name) if isinstance(at, dict) else None
    return bool(at)


def _may_read(owner: dict[str, Any], library: Library) -> bool:
    if library.group is None:
        return _may(owner, "user", "library")
    return any(_may(owner, "groups", group, "library") for group in (str(library.group), "all"))


def _json(zotero: Zotero, send: Callable[[], Any]) -> Any:
    """Return the JSON of a reply, or None; pyzotero parses it too, but without an error for invalid JSON."""
    try:
        if send() is None:
            return None
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise incomplete_answer("The answer of Zotero's servers is not complete JSON") from error
    assert zotero.request
    return parse_json(zotero.request.content)


def _number(zotero: Zotero, header: str) -> int:
    value = zotero.request.headers.get(header, "0") if zotero.request else ""
    if not value.isdecimal():
        raise incomplete_answer("The answer of Zotero's servers has an unknown form")
    return int(value)


def _check_version(version: int, current: int) -> None:
    if version != current:
        raise _Changed
