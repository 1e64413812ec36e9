"""A source that is asked once, however many projects look at the same library in one round."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from citeloom.zotero.types import Library, LibrarySource, SavedSearch, Snapshot

_round: ContextVar[list[LibrarySource] | None] = ContextVar("zotero-round", default=None)


class CachedSource:
    """Another source, whose libraries are read once."""

    def __init__(self, source: LibrarySource) -> None:
        self._source = source
        self.kind = source.kind
        self._libraries: list[Library] | None = None
        self._snapshots: dict[str, Snapshot] = {}

    def libraries(self) -> list[Library]:
        """My Library first, then the groups."""
        if self._libraries is None:
            self._libraries = self._source.libraries()
        return self._libraries

    def read(self, library: Library) -> Snapshot:
        """A library as it was when it was first read."""
        if library.id not in self._snapshots:
            self._snapshots[library.id] = self._source.read(library)
        return self._snapshots[library.id]

    def found_by(self, snapshot: Snapshot, search: SavedSearch) -> set[str]:
        """The keys of the top-level items that a saved search finds."""
        return self._source.found_by(snapshot, search)

    def full_text(self, library: Library, attachment: str) -> str | None:
        """The text that Zotero itself took from an attachment."""
        return self._source.full_text(library, attachment)

    def about(self) -> dict[str, Any]:
        """What a person wants to know of it."""
        return self._source.about()


@contextmanager
def source_cache() -> Iterator[None]:
    """While this lasts, in this thread, what is opened is remembered."""
    token = _round.set([])
    try:
        yield
    finally:
        _round.reset(token)


def remembered(source: LibrarySource | None = None) -> LibrarySource | None:
    """What this round has opened; with `source`, that it is this. None outside of a round."""
    opened = _round.get()
    if opened is not None and source is not None:
        opened[:] = [CachedSource(source)]
    return opened[0] if opened else None
