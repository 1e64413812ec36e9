"""Request handlers for Zotero: its status, libraries and key. Other services resolve parts of Zotero with it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from citeloom.api.importing import (
    GetZoteroStatus,
    ListZoteroCollections,
    LogInToZotero,
    LogOutOfZotero,
    ZoteroCollections,
    ZoteroLibrary,
    ZoteroLoginResult,
    ZoteroLogoutResult,
    ZoteroStatus,
)
from citeloom.api.verbs import decode, handles
from citeloom.core import credentials
from citeloom.core.errors import CiteLoomError, Code
from citeloom.core.types import Source
from citeloom.importing.sources.names import ALL_OF_ZOTERO
from citeloom.zotero.gateway import KEYRING_NAME, ZoteroGateway, tree
from citeloom.zotero.scope import Scope, find_scope, select, with_subcollections
from citeloom.zotero.types import LibrarySource, Snapshot

_SYNTAX = "Write zotero, zotero:collection/NAME, zotero:search/NAME or zotero:tag/TAG."


def is_zotero(source: str) -> bool:
    """Whether a source is a part of Zotero rather than a path."""
    return source == "zotero" or source.startswith("zotero:")


class ZoteroService:
    """Answers requests about Zotero, and resolves the parts of it named by sources."""

    def __init__(self, zotero: ZoteroGateway) -> None:
        self._zotero = zotero

    @handles(GetZoteroStatus)
    def status(self, request: GetZoteroStatus) -> ZoteroStatus:
        """Return how Zotero is reached, and how to get better access."""
        return decode(self._zotero.status(), ZoteroStatus)

    def describe_access(self) -> str:
        """Describe how Zotero is reached; raise ZOTERO_UNAVAILABLE if it is not."""
        source = self._zotero.open()
        about = source.about()
        return {
            "local": f"running, {about.get('version')}",
            "sqlite": f"{about.get('database')}, schema {about.get('schema')}",
            "web": f"zotero.org, as {about.get('name')}",
        }[source.kind]

    @handles(ListZoteroCollections)
    def collections(self, request: ListZoteroCollections) -> ZoteroCollections:
        """List libraries, collections and saved searches, or those of one library."""
        snapshots = self._read_all()
        if request.library is not None:
            scope, _ = find_scope(snapshots, "*", library=request.library)
            snapshots = [snapshot for snapshot in snapshots if snapshot.library.id == scope.library]
        return ZoteroCollections([decode(tree(snapshot), ZoteroLibrary) for snapshot in snapshots])

    @handles(LogInToZotero)
    def log_in(self, request: LogInToZotero) -> ZoteroLoginResult:
        """Store a key for zotero.org in the keyring, if zotero.org accepts it."""
        key = request.key.strip()
        account = self._zotero.web_with(key).check_key()
        credentials.store(KEYRING_NAME, key)
        return ZoteroLoginResult(account["name"], credentials.key_source(KEYRING_NAME))

    @handles(LogOutOfZotero)
    def log_out(self, request: LogOutOfZotero) -> ZoteroLogoutResult:
        """Delete the key from the keyring."""
        return ZoteroLogoutResult(credentials.delete(KEYRING_NAME), credentials.key_source(KEYRING_NAME))

    def part(
        self, name: str, *, library: str | None = None, recursive: bool = True, tags: Sequence[str] = ()
    ) -> Source:
        """Return the part of Zotero with this name as a source for a project."""
        scope, label = find_scope(self._read_all(), name, library=library, recursive=recursive, tags=tuple(tags))
        return Source("zotero", scope.to_uri(), scope.recursive, label)

    def allowed_part(self, source: str, allowed: Sequence[Source], *, recursive: bool) -> str:
        """Return the part that an agent named, within what the project may read. Errors reveal nothing outside."""
        scopes = [Scope.from_uri(s.path) for s in allowed if s.kind == "zotero"]
        if not scopes:
            raise CiteLoomError(
                Code.PERMISSION_DENIED,
                "This project reads nothing from Zotero.",
                'The researcher can allow it: citeloom project allow PROJECT --zotero "COLLECTION".',
            )
        if source == "zotero":
            return ALL_OF_ZOTERO
        name, tags = parse_source(source)
        zotero = self._zotero.open()
        libraries = [library for library in zotero.libraries() if any(s.library == library.id for s in scopes)]
        snapshots = [_restricted(zotero, zotero.read(library), scopes) for library in libraries]
        scope, _ = find_scope(snapshots, name, library=None, recursive=recursive, tags=tags)
        return scope.to_uri()

    def _read_all(self) -> list[Snapshot]:
        source = self._zotero.open()
        return [source.read(library) for library in source.libraries()]


def same_part(one: str, other: str) -> bool:
    """Whether two parts of Zotero are the same collection or search, with or without subcollections."""
    return replace(Scope.from_uri(one), recursive=True) == replace(Scope.from_uri(other), recursive=True)


def parse_source(source: str) -> tuple[str, tuple[str, ...]]:
    """Split a source such as zotero:collection/NAME into the name of a part and tags."""
    kind, _, name = source.removeprefix("zotero:").partition("/")
    if kind == "tag" and name:
        return "", (name,)
    if kind in ("collection", "search") and name:
        return name if kind == "collection" else f"search:{name}", ()
    raise CiteLoomError(Code.INVALID_INPUT, f"{source[:100]!r} is not a part of Zotero.", _SYNTAX)


def _restricted(zotero: LibrarySource, snapshot: Snapshot, scopes: Sequence[Scope]) -> Snapshot:
    """Return a library restricted to the items, collections and searches of a project's parts."""
    own = [scope for scope in scopes if scope.library == snapshot.library.id]
    if any(scope.kind == "all" and not scope.tags for scope in own):
        return snapshot
    items: set[str] = set()
    collections: set[str] = set()
    for scope in own:
        items |= select(snapshot, scope, zotero.run_search)
        if scope.kind == "collection":
            collections |= with_subcollections(snapshot, scope.key) if scope.recursive else {scope.key}
    return replace(
        snapshot,
        items={key: item for key, item in snapshot.items.items() if key in items},
        collections={key: c for key, c in snapshot.collections.items() if key in collections},
        searches={key: s for key, s in snapshot.searches.items() if any(scope.key == key for scope in own)},
    )
