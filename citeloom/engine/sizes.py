"""How much room CiteLoom takes on the disk, part by part."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from citeloom import paths


def sizes() -> dict[str, Any]:
    """The parts of the data with their bytes, and what the disk has left."""
    folders = paths.folders()
    data = Path(folders.data)
    catalog = Path(paths.catalog_file())
    parts = [
        _part("index", Path(paths.index_folder())),
        {"name": "catalog", "path": str(catalog), "bytes": sum(map(_bytes, data.glob(f"{catalog.stem}*.db*")))},
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
    return {"name": name, "path": str(folder), "bytes": sum(map(_bytes, _files(folder)))}


def _files(folder: Path) -> Iterator[Path]:
    for place, _, names in os.walk(folder):
        yield from (Path(place) / name for name in names)


def _bytes(file: Path) -> int:
    try:
        about = file.lstat()  # a link takes no room: a model's files are links to what was fetched
    except OSError:
        return 0  # somebody has cleared it away meanwhile
    # Qdrant's files have holes: what they take is less than what they claim, where the system can tell.
    return about.st_blocks * 512 if hasattr(about, "st_blocks") else about.st_size
