"""How much room CiteLoom takes on the disk, part by part."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

from citeloom.core import paths
from citeloom.index.edge.sparse_files import disk_usage, disk_usage_of_file


def sizes() -> dict[str, Any]:
    """The parts of the data with their bytes, and what the disk has left."""
    folders = paths.folders()
    data = Path(folders.data)
    catalog = Path(paths.catalog_file())
    parts = [
        _part("index", Path(paths.index_folder())),
        {
            "name": "catalog",
            "path": str(catalog),
            "bytes": sum(map(disk_usage_of_file, data.glob(f"{catalog.stem}*.db*"))),
        },
        _part("conversions", Path(paths.conversions_folder())),
        _part("models", Path(paths.models_folder())),
        _part("zotero", data / "zotero"),
        _part("logs", Path(folders.logs)),
    ]
    fetched = _part("downloads", data / "downloads")  # from the web; few projects have any
    parts += [fetched] if fetched["bytes"] else []
    return {
        "data_folder": folders.data,
        "total": sum(part["bytes"] for part in parts),
        "parts": parts,
        "free": shutil.disk_usage(data).free,
    }


def _part(name: str, folder: Path) -> dict[str, Any]:
    return {"name": name, "path": str(folder), "bytes": disk_usage(folder)}
