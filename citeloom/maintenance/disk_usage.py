"""Measures the disk usage of CiteLoom's data. Called by the settings page."""

from __future__ import annotations

from pathlib import Path

from citeloom.api.maintenance import DiskUsage, DiskUsagePart, ShowDiskUsage
from citeloom.api.verbs import handles
from citeloom.core import paths
from citeloom.core.data_folder import free_bytes
from citeloom.index.edge.sparse_files import disk_usage, disk_usage_of_file


class DiskUsageService:
    """Measures the disk usage of the data folders."""

    @handles(ShowDiskUsage)
    def show(self, request: ShowDiskUsage) -> DiskUsage:
        """Return the size of each part of the data, and the free space of the disk."""
        folders = paths.folders()
        data = Path(folders.data)
        catalog = Path(paths.catalog_file())
        parts = [
            _part("index", Path(paths.index_folder())),
            DiskUsagePart("catalog", str(catalog), sum(map(disk_usage_of_file, data.glob(f"{catalog.stem}*.db*")))),
            _part("conversions", Path(paths.conversions_folder())),
            _part("models", Path(paths.models_folder())),
            _part("zotero", data / "zotero"),
            _part("logs", Path(folders.logs)),
        ]
        downloads = _part("downloads", data / "downloads")  # from the web; few projects have any
        parts += [downloads] if downloads.bytes else []
        return DiskUsage(folders.data, sum(part.bytes for part in parts), parts, free_bytes(data))


def _part(name: str, folder: Path) -> DiskUsagePart:
    return DiskUsagePart(name, str(folder), disk_usage(folder))
