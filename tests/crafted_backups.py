"""Backups that somebody has changed, and made look as if nobody had."""

from __future__ import annotations

import contextlib
import hashlib
import json
import sqlite3
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any


def repacked(source: Path, target: Path, change: Callable[[str, bytes], tuple[str, bytes] | None]) -> None:
    """A copy of a backup with some of its entries changed, or left out."""
    with zipfile.ZipFile(source) as old, zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as new:
        for name in old.namelist():
            if (entry := change(name, old.read(name))) is not None:
                new.writestr(*entry)


def in_manifest(change: Callable[[dict[str, Any]], None]) -> Callable[[str, bytes], tuple[str, bytes]]:
    """A change of a backup's list of contents."""

    def edit(name: str, content: bytes) -> tuple[str, bytes]:
        if name == "manifest.json":
            manifest = json.loads(content)
            change(manifest)
            content = json.dumps(manifest).encode()
        return name, content

    return edit


class InCatalog:
    """Changes the catalog of a backup, and the list so that nobody sees it."""

    def __init__(self, scratch: Path, sql: str) -> None:
        self._scratch, self._sql = scratch, sql

    def __call__(self, name: str, content: bytes) -> tuple[str, bytes]:
        if name == "catalog.db":
            self._scratch.write_bytes(content)
            with contextlib.closing(sqlite3.connect(self._scratch)) as catalog:
                catalog.executescript(self._sql)
            content = self._scratch.read_bytes()
            digest, size = hashlib.sha256(content).hexdigest(), len(content)
            self.entry = {"size": size, "runs": [[0, size]], "sha256": digest}
        return in_manifest(lambda manifest: manifest["entries"].update({"catalog.db": self.entry}))(name, content)
