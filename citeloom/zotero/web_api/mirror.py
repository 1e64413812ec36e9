"""Cache file of a library on Zotero's servers, so that only changes are downloaded. It may be deleted at any time."""

from __future__ import annotations

import gzip
import json
import zlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from citeloom.core.files import atomic_file

KINDS = ("items", "collections", "searches")


@dataclass(frozen=True, slots=True)
class Mirror:
    """A library at a version: the `data` of all objects, trash included, by kind and key."""

    version: int = 0
    objects: Mapping[str, Mapping[str, dict[str, Any]]] = field(default_factory=lambda: {kind: {} for kind in KINDS})

    def updated(
        self, version: int, changed: Mapping[str, Iterable[dict[str, Any]]], deleted: Mapping[str, Iterable[str]]
    ) -> Mirror:
        """Return the library with changes applied."""
        objects = {}
        for kind in KINDS:
            removed = set(deleted.get(kind, ()))
            objects[kind] = {key: data for key, data in self.objects[kind].items() if key not in removed}
            objects[kind] |= {data["key"]: data for data in changed[kind]}
        return Mirror(version, objects)


def load(path: Path, owner: str) -> Mirror:
    """Read the cache file; an empty mirror if it is missing, damaged or of another account."""
    try:
        found = json.loads(gzip.decompress(path.read_bytes()))
        objects = {kind: dict(found["held"][kind]) for kind in KINDS}
        valid = found["whose"] == owner and all(
            data["key"] == key for by_key in objects.values() for key, data in by_key.items()
        )
        return Mirror(int(found["version"]), objects) if valid else Mirror()
    except (OSError, EOFError, zlib.error, ValueError, KeyError, TypeError, RecursionError):
        return Mirror()


def save(path: Path, owner: str, mirror: Mirror) -> None:
    """Write the cache file, readable by the user alone."""
    path.parent.mkdir(parents=True, exist_ok=True)
    data = {"whose": owner, "version": mirror.version, "held": mirror.objects}
    atomic_file.write(path, gzip.compress(json.dumps(data).encode(), 6))
