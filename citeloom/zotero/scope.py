"""Scope: the part of a Zotero library that a project reads: all, a Zotero collection or a saved search, with tags."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from typing import Literal
from urllib.parse import parse_qsl, quote

from citeloom.core.errors import CiteLoomError, Code
from citeloom.core.text.normalize import fold_name
from citeloom.zotero.types import MY_LIBRARY, SavedSearch, Snapshot

_SCHEME = "zotero:"
_URI = re.compile(r"zotero:(library|groups/[0-9]+)(?:/(collections|searches)/([A-Z0-9]+))?(?:\?(.*))?")
_SEARCH = "search:"
_URI_SEGMENTS = {"collection": "collections", "search": "searches"}
_MAX_NEAR = 5
_MAX_NAME_LENGTH = 255  # characters of a name that are compared


@dataclass(frozen=True, slots=True)
class Scope:
    """A part of one library, identified by keys, so that it survives renamed and moved collections."""

    library: str  # as Library.id
    kind: Literal["all", "collection", "search"] = "all"
    key: str = ""  # of the collection or search
    recursive: bool = True  # with the collections below
    tags: tuple[str, ...] = ()  # only items that have all of these

    def to_uri(self) -> str:
        """Return the scope as stored: zotero:library/collections/ABCD2345?recursive=0&tag=to-read"""
        place = f"/{_URI_SEGMENTS[self.kind]}/{self.key}" if self.kind != "all" else ""
        options = [] if self.recursive else ["recursive=0"]
        options += [f"tag={quote(tag, safe='')}" for tag in self.tags]
        return f"{_SCHEME}{self.library}{place}" + (f"?{'&'.join(options)}" if options else "")

    @classmethod
    def from_uri(cls, uri: str) -> Scope:
        """Parse a stored scope."""
        match = _URI.fullmatch(uri)
        if not match:
            raise CiteLoomError(
                Code.INVALID_INPUT,
                f"'{uri}' is not the address of a part of Zotero.",
                "Write zotero:library/collections/KEY, or choose the collection by its name.",
            )
        library, place, key, options = match.groups()
        query = parse_qsl(options or "", keep_blank_values=True)
        kind: Literal["all", "collection", "search"] = "all"
        if place:
            kind = "collection" if place == "collections" else "search"
        tags = tuple(value for name, value in query if name == "tag")
        return cls(library, kind, key or "", ("recursive", "0") not in query, tags)


def select(snapshot: Snapshot, scope: Scope, run_search: Callable[[Snapshot, SavedSearch], set[str]]) -> set[str]:
    """Return the keys of the top-level items in a scope. Raises INVALID_INPUT for a deleted collection or search."""
    top = {item.key: item for item in snapshot.top_level()}
    if scope.kind == "collection":
        if scope.key not in snapshot.collections:
            raise _deleted(snapshot, "collection", scope.key)
        wanted = with_subcollections(snapshot, scope.key) if scope.recursive else {scope.key}
        keys = {key for key, item in top.items() if not wanted.isdisjoint(item.collections)}
    elif scope.kind == "search":
        if scope.key not in snapshot.searches:
            raise _deleted(snapshot, "saved search", scope.key)
        keys = run_search(snapshot, snapshot.searches[scope.key]) & top.keys()
    else:
        keys = set(top)
    tags = {fold_name(tag) for tag in scope.tags}
    return {key for key in keys if tags <= {fold_name(tag) for tag in top[key].tags}} if tags else keys


def with_subcollections(snapshot: Snapshot, key: str) -> set[str]:
    """Return the keys of a collection and its subcollections."""
    inside: dict[str | None, list[str]] = {}
    for collection in snapshot.collections.values():
        inside.setdefault(collection.parent, []).append(collection.key)
    found: set[str] = set()
    waiting = [key]
    while waiting:
        at = waiting.pop()
        if at not in found:
            found.add(at)
            waiting += inside.get(at, ())
    return found


def find_scope(
    snapshots: Sequence[Snapshot],
    text: str,
    *,
    library: str | None = None,
    recursive: bool = True,
    tags: Sequence[str] = (),
) -> tuple[Scope, str]:
    """Return the scope that a text names, and its label.

    The text may be a path of collections from the top or its end, a key, "search:NAME", or "*" for a whole library.
    Without a library, the first match counts: My Library, then the groups.
    """
    text = text.strip()
    if library is not None or not snapshots:
        snapshots = [_library(snapshots, library or MY_LIBRARY)]
    if text in ("", "*"):
        wanted = {fold_name(tag) for tag in tags}
        at = next((s for s in snapshots if wanted <= {fold_name(tag) for tag in _tags(s)}), snapshots[0])
        scope, name = Scope(at.library.id), at.library.name
    else:
        at, scope, name = _find_named(snapshots, text, recursive)
        if at.library.id != MY_LIBRARY:
            name = f"{at.library.name}: {name}"
    if tags:
        spelled = check_tags(at, tags)
        scope = replace(scope, tags=spelled)
        name = f"{name} (tagged {', '.join(spelled)})"
    return scope, name


def check_tags(snapshot: Snapshot, tags: Sequence[str]) -> tuple[str, ...]:
    """Return tags as the library spells them. Raises INVALID_INPUT with similar ones for an unknown tag."""
    known = _tags(snapshot)
    folded = {fold_name(tag): tag for tag in known}
    found: dict[str, None] = {}
    for tag in tags:
        spelled = tag if tag in known else folded.get(fold_name(tag))
        if spelled is None:
            raise _unknown(f"No item of {snapshot.library.name} has the tag '{_shortened(tag)}'.", tag, folded)
        found[spelled] = None
    return tuple(found)


def _tags(snapshot: Snapshot) -> set[str]:
    return {tag for item in snapshot.top_level() for tag in item.tags}


def _library(snapshots: Sequence[Snapshot], text: str) -> Snapshot:
    ids = {word: s for s in snapshots for word in (s.library.id, str(s.library.group or ""))}
    if text in ids:
        return ids[text]
    named = [s for s in snapshots if s.library.name == text]
    named = named or [s for s in snapshots if fold_name(s.library.name) == fold_name(text)]
    if len(named) > 1:
        raise _ambiguous(text, [f"{s.library.name} ({s.library.id})" for s in named], "by its number")
    if not named:
        names = {fold_name(s.library.name): s.library.name for s in snapshots}
        raise _unknown(f"Zotero has no library '{_shortened(text)}'.", text, names)
    return named[0]


def _find_named(snapshots: Sequence[Snapshot], text: str, recursive: bool) -> tuple[Snapshot, Scope, str]:
    """Find the collection or saved search of a name: in My Library, else in the groups."""
    is_search = text.startswith(_SEARCH)
    name = text.removeprefix(_SEARCH).strip()
    mine = [s for s in snapshots if s.library.id == MY_LIBRARY]
    others = [s for s in snapshots if s.library.id != MY_LIBRARY]
    for group in (mine, others):
        found = _best_matches([(s, key, names) for s in group for key, names in _names(s, is_search).items()], name)
        if len(found) > 1:
            places = [f"{s.library.name}: {_names(s, is_search)[key][0]} ({key})" for s, key in found]
            raise _ambiguous(text, places, "from the top, or by its key")
        if found:
            at, key = found[0]
            full = _names(at, is_search)[key][0]
            scope = Scope(at.library.id, "search" if is_search else "collection", key, recursive or is_search)
            return at, scope, f"search: {full}" if is_search else full
    near = {
        fold_name(written): names[0]
        for s in snapshots
        for key, names in _names(s, is_search).items()
        for written in names
    }
    what = "saved search" if is_search else "collection"
    where = snapshots[0].library.name if len(snapshots) == 1 else "Zotero"
    raise _unknown(f"There is no {what} '{_shortened(name)}' in {where}.", name, near)


def _names(snapshot: Snapshot, searches: bool) -> Mapping[str, list[str]]:
    """Return the names of each collection or search: its full path first, then shorter ones."""
    if searches:
        return {key: [search.name] for key, search in snapshot.searches.items()}
    paths = {key: snapshot.collection_names(key) for key in snapshot.collections}
    return {key: ["/".join(path[at:]) for at in range(len(path))] for key, path in paths.items()}


def _best_matches(candidates: Sequence[tuple[Snapshot, str, list[str]]], text: str) -> list[tuple[Snapshot, str]]:
    """Return the best matches: by key, full path, end of a path; exact before folded."""
    folded = _folded_path(text)
    fits: tuple[Callable[[str, list[str]], bool], ...] = (
        lambda key, names: key == text,
        lambda key, names: names[0] == text,
        lambda key, names: text in names,
        lambda key, names: _folded_path(names[0]) == folded,
        lambda key, names: folded in map(_folded_path, names),
    )
    for fit in fits:
        if found := [(snapshot, key) for snapshot, key, names in candidates if fit(key, names)]:
            return found
    return []


def _folded_path(text: str) -> str:
    return re.sub(r" ?/ ?", "/", fold_name(text)).strip("/")


def _shortened(text: str) -> str:
    return text if len(text) <= _MAX_NAME_LENGTH else f"{text[:_MAX_NAME_LENGTH]}…"


def _deleted(snapshot: Snapshot, what: str, key: str) -> CiteLoomError:
    return CiteLoomError(
        Code.INVALID_INPUT,
        f"The {what} {key} is no longer in {snapshot.library.name}.",
        "Restore it in Zotero, or remove it from the project and choose another.",
        key=key,
    )


def _unknown(message: str, text: str, names: Mapping[str, str]) -> CiteLoomError:
    """Return the error for an unknown name, with similar ones; `names` maps compared names to displayed ones."""
    close = get_close_matches(fold_name(text)[:_MAX_NAME_LENGTH], names, n=_MAX_NEAR * 2, cutoff=0.5)
    near = list(dict.fromkeys(names[name] for name in close))[:_MAX_NEAR]
    step = "Copy the name from Zotero; a path is written as Thesis/Chapter 2."
    if near:
        step = f"Similar names: {'; '.join(near)}."
    return CiteLoomError(Code.INVALID_INPUT, message, step, near=near)


def _ambiguous(text: str, candidates: Sequence[str], how: str) -> CiteLoomError:
    return CiteLoomError(
        Code.INVALID_INPUT,
        f"'{_shortened(text)}' is ambiguous, it can be one of {len(candidates)}: {'; '.join(candidates[:_MAX_NEAR])}.",
        f"Name the one you mean {how}.",
        candidates=list(candidates),
    )
