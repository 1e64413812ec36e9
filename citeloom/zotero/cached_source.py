"""Cache of library reads, so that several projects of one library read it once per sync. Used by the gateway."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from citeloom.zotero.types import Library, LibrarySource, SavedSearch, Snapshot

_cache: ContextVar[list[LibrarySource] | None] = ContextVar("zotero-source-cache", default=None)


class CachedSource:
    """Wraps a source and caches its libraries and snapshots."""

    def __init__(self, source: LibrarySource) -> None:
        self._source = source
        self.kind = source.kind
        self._libraries: list[Library] | None = None
        self._snapshots: dict[str, Snapshot] = {}

    def libraries(self) -> list[Library]:
        """Return My Library, then the groups."""
        if self._libraries is None:
            self._libraries = self._source.libraries()
        return self._libraries

    def read(self, library: Library) -> Snapshot:
        """Return a library as it was at the first read."""
        if library.id not in self._snapshots:
            self._snapshots[library.id] = self._source.read(library)
        return self._snapshots[library.id]

    def found_by(self, snapshot: Snapshot, search: SavedSearch) -> set[str]:
        """Return the keys of the top-level items that a saved search finds."""
        return self._source.found_by(snapshot, search)

    def full_text(self, library: Library, attachment: str) -> str | None:
        """Return the text that Zotero extracted from an attachment."""
        return self._source.full_text(library, attachment)

    def about(self) -> dict[str, Any]:
        """Return a description of the source."""
        return self._source.about()


@contextmanager
def source_cache() -> Iterator[None]:
    """Cache the source that is opened in this thread during the block."""
    token = _cache.set([])
    try:
        yield
    finally:
        _cache.reset(token)


def cached_source(source: LibrarySource | None = None) -> LibrarySource | None:
    """Return the cached source, after caching `source` if given; None outside of `source_cache`."""
    opened = _cache.get()
    if opened is not None and source is not None:
        opened[:] = [CachedSource(source)]
    return opened[0] if opened else None
