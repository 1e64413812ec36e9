"""Registry of all collections: opens, creates, swaps and removes the indexes of projects.

A project's index is one generation of its collection, replaced as a whole. A generation is a folder in the data folder
or a collection on a Qdrant server; names on a server contain a tag, since several users may share it.
"""

from __future__ import annotations

import logging
import shutil
import threading
import time
from collections import defaultdict
from collections.abc import Container, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, TypeGuard

from citeloom.core import fault_injection as faults
from citeloom.core import settings as config
from citeloom.core.data_folder import free_bytes
from citeloom.core.errors import CiteLoomError, Code
from citeloom.core.types import IndexLocation
from citeloom.index.base import Collection, ScoredPoint
from citeloom.index.edge import trial_open
from citeloom.index.edge.collection import UNFINISHED, EdgeCollection
from citeloom.index.edge.optimise import MAX_WITHOUT_GRAPH, optimise_in_place
from citeloom.index.edge.sparse_files import disk_usage
from citeloom.index.server import keys

if TYPE_CHECKING:
    from citeloom.index.server.collection import ServerCollection
    from citeloom.index.server.connection import QdrantServer

log = logging.getLogger(__name__)

_ORPHAN = "lost-"  # prefix of folders with indexes of no known project
_REMOVED = "removed-"  # prefix of folders that are being deleted
_NEW_INDEX_BYTES = 16_000_000  # an empty index takes two million
_DELETION_DELAY = 1.0  # between a swap and the deletion of the old index on a server


class Collections:
    """Opens each collection once, and keeps it open as long as it is used."""

    def __init__(self, root: Path, settings: config.Index | None = None) -> None:
        self._root = root
        self._settings = settings or config.Index()
        self._open: dict[str, dict[int, Collection]] = {}  # by name, then generation
        self._used: dict[str, float] = {}  # by name: when, by the monotonic clock
        self._damaged: dict[IndexLocation, CiteLoomError] = {}  # checking again takes seconds
        self._lock = threading.Lock()
        # Held while one is opened, created or removed: a server that does not answer delays only its own projects.
        self._opening: defaultdict[str, threading.RLock] = defaultdict(threading.RLock)

    def opening(self, name: str) -> threading.RLock:
        """Return the lock to hold while a collection is opened, created or removed."""
        with self._lock:
            return self._opening[name]

    def server(self, address: str, key: str | None = None) -> QdrantServer:
        """Return a server with the settings and its stored key, or with another key."""
        from citeloom.index.server.connection import QdrantServer

        chosen = self._settings
        found = QdrantServer(address, key, chosen.timeout_seconds, shards=chosen.shards, replicas=chosen.replicas)
        return found if key else replace(found, key=keys.for_server(found.address))

    def folder(self, location: IndexLocation) -> Path:
        """Return the folder of a generation, existing or not."""
        return self._root / location.name / f"g{location.generation:04d}"

    def get(self, location: IndexLocation) -> Collection:
        """Return the collection, opened on first use. For a replaced generation, its successor is returned."""
        with self.opening(location.name):
            opened = self._open.setdefault(location.name, {})
            self._used[location.name] = time.monotonic()
            if opened and max(opened) >= location.generation:
                return opened.get(location.generation) or opened[max(opened)]
            if known := self._damaged.get(location):
                raise CiteLoomError(known.code, known.message, known.next_step, **known.details)
            try:
                opened[location.generation] = self._opened(location)
            except CiteLoomError as error:
                if "damaged" in error.details:
                    self._damaged[location] = error
                raise
            return opened[location.generation]

    def close_unused(self, seconds: float) -> None:
        """Close the collections that nobody has asked for in so long; the next request opens them again.

        One that hides passages stays open: which, is known to it alone.
        """
        until = time.monotonic() - seconds
        for name in list(self._used):
            with self.opening(name):
                hides = any(collection.hides_passages for collection in self._open.get(name, {}).values())
                if hides or self._used.get(name, until) >= until:
                    continue
                del self._used[name]
                for collection in self._open.pop(name, {}).values():
                    try:
                        collection.close()
                    except CiteLoomError as error:
                        log.warning("%s: %s", name, error)

    def problem(self, location: IndexLocation) -> CiteLoomError | None:
        """Return the error that was last found with a generation, or None."""
        try:
            if collection := self._open.get(location.name, {}).get(location.generation):
                collection.refuse_damaged()
        except CiteLoomError as error:
            return error
        return self._damaged.get(location)

    def forget_damage(self, location: IndexLocation) -> None:
        """Forget that a generation was damaged: it may have been restored from a copy."""
        self._damaged.pop(location, None)

    def recover_passages(self, location: IndexLocation, doc_ids: Sequence[str]) -> dict[str, list[ScoredPoint]]:
        """Return the readable passages of documents in a damaged generation, by document, read by a child process."""
        with self.opening(location.name):
            if collection := self._open.get(location.name, {}).pop(location.generation, None):
                with suppress(CiteLoomError):
                    collection.close()
            folder = self.folder(location)
            return {} if location.server or not folder.exists() else trial_open.recover_passages(folder, doc_ids)

    def _opened(self, location: IndexLocation) -> Collection:
        if location.server:
            from citeloom.index.server.collection import ServerCollection

            return ServerCollection.open(self.server(location.server), location.on_server)
        folder = self.folder(location)
        if not folder.exists():
            raise CiteLoomError(
                Code.INDEX_UNAVAILABLE, f"The index {location.name} is not on the disk.", missing=location.name
            )
        return EdgeCollection.open(folder)

    def create(self, location: IndexLocation, dense_size: int, *, sparse: bool) -> Collection:
        """Create an empty generation; remains of an interrupted attempt are deleted."""
        self.discard(location)
        if location.server:
            from citeloom.index.server.collection import ServerCollection

            return ServerCollection.create(self.server(location.server), location.on_server, dense_size, sparse=sparse)
        # Qdrant Edge maps its files: a failed write would kill the process.
        self.check_free_space(_NEW_INDEX_BYTES, "a new index")
        return EdgeCollection.create(self.folder(location), dense_size, sparse=sparse)

    def open_unfinished(self, location: IndexLocation) -> Collection | None:
        """Open the generation that an interrupted attempt left unfinished; None if it cannot be continued."""
        try:
            unfinished = self._opened(location)
            if isinstance(unfinished, EdgeCollection):
                unfinished.written = unfinished.count()  # how many of them have a search graph is unknown
            return unfinished
        except CiteLoomError as error:
            if location.server and location.on_server in self._on_server(location):
                raise
            log.info("no unfinished copy to continue: %s", error)
            return None

    def build_graph_if_large(
        self, collection: Collection, during: AbstractContextManager[None], stop: threading.Event
    ) -> None:
        """Build the search graph of a collection that is being written, once many passages lack one."""
        if isinstance(collection, EdgeCollection) and collection.written >= MAX_WITHOUT_GRAPH:
            with during:
                optimise_in_place(collection, stop)

    @contextmanager
    def swapping(self, location: IndexLocation, collection: Collection) -> Iterator[None]:
        """Replace the generation in use: the catalog is updated in the block, then all others are deleted."""
        self.register(location, collection)
        try:
            yield
        except BaseException:
            with self.opening(location.name):
                if rejected := self._open.get(location.name, {}).pop(location.generation, None):
                    rejected.close()
            raise
        with self.opening(location.name):
            replaced = self._open[location.name]
            self._open[location.name] = {location.generation: replaced.pop(location.generation)}
        if any(_is_remote(collection) for collection in replaced.values()):  # running readers may finish
            time.sleep(_DELETION_DELAY)  # open files on this disk stay readable after deletion
        try:
            self.delete_others(location)
        except CiteLoomError as error:  # remains are deleted with the next one
            log.warning("earlier generations of %s are left: %s", location.name, error)

    def register(self, location: IndexLocation, collection: Collection) -> None:
        """Register an open generation."""
        with self.opening(location.name):
            self.forget_damage(location)
            self._open.setdefault(location.name, {})[location.generation] = collection

    def delete_others(self, location: IndexLocation, kept: Sequence[IndexLocation] = ()) -> None:
        """Delete every other generation at this location and on this disk, but those to be kept."""
        keep = {self.folder(one) for one in (location, *kept) if not one.server}
        for pattern in ("g*", f"{UNFINISHED}*"):
            for folder in (self._root / location.name).glob(pattern):
                if folder not in keep:
                    shutil.rmtree(folder, ignore_errors=True)
        if location.server:
            self.clear_server(location, (location, *kept))
        faults.point("index.tidied", location.name)

    def clear_server(self, location: IndexLocation, kept: Sequence[IndexLocation] = ()) -> None:
        """Delete the generations of a collection on its server, but those to be kept."""
        # By name alone: one server may have several addresses.
        keep = {one.on_server for one in kept if one.server}
        for name in self._on_server(location):
            if name not in keep:
                self.server(location.server).delete_collection(name)

    def discard(self, location: IndexLocation) -> None:
        """Delete one generation that nobody uses."""
        if not location.server:
            shutil.rmtree(self.folder(location), ignore_errors=True)
        elif location.on_server in self._on_server(location):
            self.server(location.server).delete_collection(location.on_server)

    def remove(self, location: IndexLocation) -> None:
        """Delete a collection with everything in it."""
        with self.opening(location.name):
            for collection in self._open.pop(location.name, {}).values():
                collection.close()
            self.forget_damage(location)
            folder = self._root / location.name
            with suppress(OSError):  # remains after a kill must not look like an index without a project
                folder = folder.rename(folder.with_name(f"{_REMOVED}{location.name}"))
            shutil.rmtree(folder, ignore_errors=True)
        if location.server:
            self.clear_server(location)

    def finish_removals(self) -> None:
        """Delete remains of collections that were being deleted when the engine was killed."""
        for folder in self._root.glob(f"{_REMOVED}*"):
            shutil.rmtree(folder, ignore_errors=True)

    def orphans(self, known: Container[str]) -> list[str]:
        """Return the collections on this disk that are not in `known`."""
        names = {file.parents[1].name for file in self._root.glob("*/g*/edge_config.json")}
        return sorted(name for name in names if name not in known and not name.startswith((_REMOVED, _ORPHAN)))

    def archive_orphan(self, name: str) -> None:
        """Rename an existing folder with the name of a new collection: the catalog may have been lost."""
        if name not in self.orphans(()):
            return
        aside = self._root / f"{_ORPHAN}{name}-{time.strftime('%Y-%m-%d-%H%M%S')}"
        try:
            (self._root / name).rename(aside)
        except OSError as error:
            raise CiteLoomError(
                Code.STORAGE_ERROR,
                f"{self._root / name} has the index of another project and cannot be renamed: {error.strerror}.",
                "Move that folder, or choose another name for the project.",
            ) from error
        log.warning("an index that no project had is in %s now", aside)

    def _on_server(self, location: IndexLocation) -> list[str]:
        """Return the names of a collection's generations on its server."""
        names, begin = self.server(location.server).collection_names(), location.family
        return [name for name in names if name.startswith(begin) and name.removeprefix(begin).isdigit()]

    def reconnect_servers(self) -> None:
        """Reconnect open server collections with the stored key, even during an import."""
        for name in list(self._open):
            with self.opening(name):
                for collection in self._open.get(name, {}).values():
                    if _is_remote(collection):
                        collection.reconnect(self.server(collection.address))

    def size_on_disk(self, name: str) -> int:
        """Return the bytes that a collection takes on this disk."""
        return disk_usage(self._root / name)

    def check_free_space(self, needed: int, purpose: str) -> None:
        """Raise STORAGE_ERROR if the disk of the data folder has fewer free bytes than needed."""
        if faults.number("index.free_bytes", free_bytes(self._root.parent)) < needed:
            raise CiteLoomError(
                Code.STORAGE_ERROR,
                f"The disk has no room for {purpose} ({needed // 1_000_000} MB).",
                "Free some disk space and try again.",
            )

    def close(self) -> None:
        """Close every collection."""
        for name in list(self._opening):  # also those that are being opened
            with self.opening(name):
                for collection in self._open.pop(name, {}).values():
                    try:
                        collection.close()
                    except CiteLoomError as error:
                        log.error("%s", error)


def _is_remote(collection: Collection) -> TypeGuard[ServerCollection]:
    return not isinstance(collection, EdgeCollection)
