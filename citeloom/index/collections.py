"""The folder of collections: each project's index is one generation of its collection, swapped as a whole."""

from __future__ import annotations

import logging
import os
import shutil
import subprocess
import sys
import threading
from pathlib import Path

from citeloom.errors import CiteLoomError, Code
from citeloom.index.edge import EdgeCollection

log = logging.getLogger(__name__)


class Collections:
    """Opens each collection once and keeps it open."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._open: dict[str, dict[int, EdgeCollection]] = {}  # by name, then generation
        self._lock = threading.RLock()

    def folder(self, name: str, generation: int) -> Path:
        """Where a generation of a collection lies."""
        return self._root / name / f"g{generation:04d}"

    def get(self, name: str, generation: int) -> EdgeCollection:
        """The collection, opened when first asked for. Who asks for a replaced generation gets its successor."""
        with self._lock:
            opened = self._open.setdefault(name, {})
            if opened and max(opened) >= generation:
                return opened.get(generation) or opened[max(opened)]
            folder = self.folder(name, generation)
            if not folder.exists():
                raise CiteLoomError(Code.INDEX_UNAVAILABLE, f"The index {name} is not on the disk.")
            opened[generation] = EdgeCollection.open(folder)
            return opened[generation]

    def create(self, name: str, generation: int, dense_size: int, *, sparse: bool) -> EdgeCollection:
        """A new, empty generation; what an interrupted attempt left there goes."""
        folder = self.folder(name, generation)
        shutil.rmtree(folder, ignore_errors=True)
        return EdgeCollection.create(folder, dense_size, sparse=sparse)

    def adopt(self, name: str, generation: int, collection: EdgeCollection) -> None:
        """Have a generation at hand for whoever asks for it. Then say in the catalog that it counts, then retire."""
        with self._lock:
            self._open.setdefault(name, {})[generation] = collection

    def retire(self, name: str, generation: int) -> None:
        """Let go of every generation but this one. Whoever still reads an old one may finish."""
        with self._lock:
            self._open[name] = {generation: self._open[name][generation]}
        self.tidy(name, generation)

    def tidy(self, name: str, generation: int) -> None:
        """Delete every generation but the one in use."""
        for folder in (self._root / name).glob("g*"):
            if folder != self.folder(name, generation):
                shutil.rmtree(folder, ignore_errors=True)

    def optimised_copy(self, name: str, generation: int) -> EdgeCollection:
        """A copy of a collection with its search graph built, made in another process. Nobody may write meanwhile."""
        self.get(name, generation).flush()
        source, target = self.folder(name, generation), self.folder(name, generation + 1)
        command = [sys.executable, "-m", "citeloom.index.optimise", str(source), str(target)]
        done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=Path(__file__).parents[2])
        if done.returncode != 0:
            shutil.rmtree(target, ignore_errors=True)
            reason = done.stderr.strip().splitlines()[-1:] or ["no reason given"]
            raise CiteLoomError(Code.STORAGE_ERROR, f"The index could not be optimised: {reason[0]}.")
        return EdgeCollection.open(target)

    def remove(self, name: str) -> None:
        """Delete a collection with everything in it."""
        with self._lock:
            for collection in self._open.pop(name, {}).values():
                collection.close()
        shutil.rmtree(self._root / name, ignore_errors=True)

    def size_on_disk(self, name: str) -> int:
        """Bytes that a collection takes."""
        return room_of(self._root / name)

    def close(self) -> None:
        """Close every collection."""
        with self._lock:
            for collection in [c for opened in self._open.values() for c in opened.values()]:
                try:
                    collection.close()
                except CiteLoomError as error:
                    log.error("%s", error)
            self._open.clear()


def room_of(folder: Path) -> int:
    """Bytes that a folder takes on the disk, while others may write in it."""
    return sum(room_of_file(Path(place) / name) for place, _, names in os.walk(folder) for name in names)


def room_of_file(file: Path) -> int:
    """Bytes that a file takes on the disk; one that is gone takes none."""
    try:
        about = file.lstat()  # a link takes no room: a model's files are links to what was fetched
    except OSError:
        return 0
    # Qdrant's files have holes: what they take is less than what they claim, where the system can tell.
    return about.st_blocks * 512 if hasattr(about, "st_blocks") else about.st_size
