"""Request handlers for the conversion cache: its size, what is still in use, and deleting the rest."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path

from citeloom.api.maintenance import CacheUsage, PruneCache, PrunedCache, ShowCache
from citeloom.api.verbs import handles
from citeloom.catalog import Catalog
from citeloom.conversion.cache import conversion_file
from citeloom.conversion.convert import CONVERTER_VERSION

_INTERRUPTED = ".converted-*"  # left by a worker that ended while writing
_ABANDONED_AFTER = 3600.0  # seconds after which such a file is no longer being written


class CacheService:
    """Measures and prunes the conversion cache."""

    def __init__(self, folder: Path, zotero: Path, catalog: Catalog) -> None:
        self._folder = folder
        self._zotero = zotero  # fetched files, and texts of notes and annotations
        self._catalog = catalog

    @handles(ShowCache)
    def show(self, request: ShowCache) -> CacheUsage:
        """Return the size of the cache, and how much of it is unused."""
        return self._usage()

    @handles(PruneCache)
    def prune(self, request: PruneCache) -> PrunedCache:
        """Delete what is unused, or everything: conversions are repeated when needed."""
        used, left_over = self._group_files()
        unused = [*left_over, *(used if request.everything else [])]
        others = [*self._interrupted(), *self._unused_zotero_files()]
        freed = _total_bytes(unused) + _total_bytes(others)
        for file in (*unused, *others):
            file.unlink(missing_ok=True)
        return PrunedCache(**asdict(self._usage()), removed=len(unused), freed_bytes=freed)

    def _usage(self) -> CacheUsage:
        used, left_over = self._group_files()
        return CacheUsage(
            folder=str(self._folder),
            conversions=len(used) + len(left_over),
            bytes=_total_bytes(used) + _total_bytes(left_over),
            in_use=len(used),
            left_over=len(left_over),
            left_over_bytes=_total_bytes(left_over),
        )

    def _group_files(self) -> tuple[list[Path], list[Path]]:
        contents = self._catalog.documents.contents()
        needed = {conversion_file(self._folder, content, CONVERTER_VERSION) for content in contents}
        found = sorted(self._folder.glob("*/*.json.gz"))
        return [f for f in found if f in needed], [f for f in found if f not in needed]

    def _unused_zotero_files(self) -> list[Path]:
        """Return fetched files and written texts that no document uses."""
        used = self._catalog.documents.paths()
        files = (f for kind in ("files", "texts") for f in (self._zotero / kind).rglob("*") if f.is_file())
        return [f for f in files if str(f) not in used and _is_old(f)]

    def _interrupted(self) -> Iterator[Path]:
        return (file for file in self._folder.glob(f"*/{_INTERRUPTED}") if _is_old(file))


def _is_old(file: Path) -> bool:
    """Whether a file is too old to be still in progress."""
    try:
        return time.time() - file.stat().st_mtime > _ABANDONED_AFTER
    except FileNotFoundError:
        return False  # it was completed meanwhile


def _total_bytes(files: list[Path]) -> int:
    total = 0
    for file in files:
        try:
            total += file.stat().st_size
        except FileNotFoundError:
            continue  # it was deleted meanwhile
    return total
