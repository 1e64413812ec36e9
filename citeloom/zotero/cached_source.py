"""Cache of library reads, so that several projects of one library read it once per sync. Used by the gateway."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache

from citeloom.zotero.types import LibrarySource

_cache: ContextVar[list[LibrarySource] | None] = ContextVar("zotero-source-cache", default=None)


class CachedSource:
    """Wraps a source and caches its libraries and snapshots."""

    def __init__(self, source: LibrarySource) -> None:
        self.kind = source.kind
        self.libraries = cache(source.libraries)
        self.read = cache(source.read)
        self.run_search = source.run_search
        self.full_text = source.full_text
        self.about = source.about


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
