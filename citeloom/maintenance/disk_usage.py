"""Request handlers for disk usage: the size of all data, and what of the conversion cache can be deleted."""

from __future__ import annotations

import time
from dataclasses import asdict, dataclass
from pathlib import Path

from citeloom.api.maintenance import (
    CacheUsage,
    DiskUsage,
    DiskUsagePart,
    PruneCache,
    PrunedCache,
    ShowCache,
    ShowDiskUsage,
)
from citeloom.api.verbs import handles
from citeloom.catalog import Catalog
from citeloom.conversion.cache import conversion_file
from citeloom.conversion.convert import CONVERTER_VERSION
from citeloom.core import paths
from citeloom.core.data_folder import free_bytes
from citeloom.index.edge.sparse_files import disk_usage, disk_usage_of_file

_INTERRUPTED = ".converted-*"  # left by a worker that ended while writing
_ABANDONED_AFTER = 3600.0  # seconds after which such a file is no longer being written


@dataclass
class DiskUsageService:
    """Measures the data folders, and prunes the conversion cache."""

    _conversions: Path
    _zotero: Path  # fetched files, and texts of notes and annotations
    _catalog: Catalog

    @handles(ShowDiskUsage)
    def show_usage(self, request: ShowDiskUsage) -> DiskUsage:
        """Return the size of each part of the data, and the free space of the disk."""
        folders = paths.folders()
        data = Path(folders.data)
        catalog = Path(paths.catalog_file())
        parts = [
            _part("index", Path(paths.index_folder())),
            DiskUsagePart("catalog", str(catalog), sum(map(disk_usage_of_file, data.glob(f"{catalog.stem}*.db*")))),
            _part("conversions", self._conversions),
            _part("models", Path(paths.models_folder())),
            _part("zotero", self._zotero),
            _part("logs", Path(folders.logs)),
        ]
        downloads = _part("downloads", data / "downloads")  # from the web; few projects have any
        parts += [downloads] if downloads.bytes else []
        return DiskUsage(folders.data, sum(part.bytes for part in parts), parts, free_bytes(data))

    @handles(ShowCache)
    def show_cache(self, request: ShowCache) -> CacheUsage:
        """Return the size of the cache, and how much of it is unused."""
        used, left_over = self._cached_files()
        return CacheUsage(
            folder=str(self._conversions),
            conversions=len(used) + len(left_over),
            bytes=_total_bytes(used) + _total_bytes(left_over),
            in_use=len(used),
            left_over=len(left_over),
            left_over_bytes=_total_bytes(left_over),
        )

    @handles(PruneCache)
    def prune_cache(self, request: PruneCache) -> PrunedCache:
        """Delete what is unused, or everything: conversions are repeated when needed."""
        used, left_over = self._cached_files()
        unused = [*left_over, *(used if request.everything else [])]
        interrupted = [file for file in self._conversions.glob(f"*/{_INTERRUPTED}") if _is_old(file)]
        files = [*unused, *interrupted, *self._unused_zotero_files()]
        freed = _total_bytes(files)
        for file in files:
            file.unlink(missing_ok=True)
        return PrunedCache(**asdict(self.show_cache(ShowCache())), removed=len(unused), freed_bytes=freed)

    def _cached_files(self) -> tuple[list[Path], list[Path]]:
        """Return the cached conversions that a document needs, and the others."""
        contents = self._catalog.documents.content_hashes()
        needed = {conversion_file(self._conversions, content, CONVERTER_VERSION) for content in contents}
        found = sorted(self._conversions.glob("*/*.json.gz"))
        return [f for f in found if f in needed], [f for f in found if f not in needed]

    def _unused_zotero_files(self) -> list[Path]:
        """Return fetched files and written texts that no document uses."""
        used = self._catalog.documents.paths()
        files = (f for kind in ("files", "texts") for f in (self._zotero / kind).rglob("*") if f.is_file())
        return [f for f in files if str(f) not in used and _is_old(f)]


def _part(name: str, folder: Path) -> DiskUsagePart:
    return DiskUsagePart(name, str(folder), disk_usage(folder))


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
