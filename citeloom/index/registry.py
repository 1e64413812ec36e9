"""All collections: each project's index is one generation of its collection, swapped as a whole.

A generation lies in a folder of ours or on a Qdrant server. Whoever shares a server with others must not meet their
collections: there, a name holds a tag of the project.
"""

from __future__ import annotations

import logging
import shutil
import threading
import time
from collections import defaultdict
from collections.abc import Container, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, TypeGuard

from citeloom.core import fault_injection as faults
from citeloom.core import settings as config
from citeloom.core.errors import CiteLoomError, Code
from citeloom.index.base import Collection, Hit
from citeloom.index.edge import trial_open
from citeloom.index.edge.collection import UNFINISHED, EdgeCollection
from citeloom.index.edge.optimise import AT_ONCE, settle
from citeloom.index.edge.sparse_files import room_of
from citeloom.index.server import keys

if TYPE_CHECKING:
    from citeloom.index.server.collection import RemoteCollection
    from citeloom.index.server.connection import Server

log = logging.getLogger(__name__)

ASIDE = "lost-"  # how the names of folders begin with indexes that were put aside
_REMOVED = "removed-"  # and of those that are being deleted
_ROOM_OF_EMPTY = 16_000_000  # bytes: an empty index takes two million of them
_LET_READERS_FINISH = 1.0  # seconds between the swap and the end of an index on a server


@dataclass(frozen=True, slots=True)
class Place:
    """Where one generation of a collection lies."""

    name: str
    generation: int
    server: str = ""  # the address of a Qdrant server; "": a folder of ours
    tag: str = ""  # tells it on a server from another's collection of the same name

    @property
    def on_server(self) -> str:
        """What it is called on its server."""
        return f"{self.family}{self.generation:04d}"

    @property
    def family(self) -> str:
        """How the names of all its generations on a server begin."""
        return f"{self.name}-{self.tag}-g"


class Collections:
    """Opens each collection once and keeps it open."""

    def __init__(self, root: Path, settings: config.Index | None = None) -> None:
        self._root = root
        self._settings = settings or config.Index()
        self._open: dict[str, dict[int, Collection]] = {}  # by name, then generation
        self._damaged: dict[Place, CiteLoomError] = {}  # to find it out again with each question takes seconds
        self._lock = threading.Lock()
        # Held while one is opened, made or removed: a server that does not answer holds up only its own projects.
        self._opening: defaultdict[str, threading.RLock] = defaultdict(threading.RLock)

    def opening(self, name: str) -> threading.RLock:
        """To be held while a collection is opened, made or removed."""
        with self._lock:
            return self._opening[name]

    def server(self, address: str, key: str | None = None) -> Server:
        """A server with our settings and the key that is kept for it, or with another one."""
        from citeloom.index.server.connection import Server

        chosen = self._settings
        found = Server(address, key, chosen.timeout_seconds, shards=chosen.shards, replicas=chosen.replicas)
        return found if key else replace(found, key=keys.for_server(found.address))

    def folder(self, place: Place) -> Path:
        """Where a generation of a collection lies, or would lie, on the disk."""
        return self._root / place.name / f"g{place.generation:04d}"

    def get(self, place: Place) -> Collection:
        """The collection, opened when first asked for. Who asks for a replaced generation gets its successor."""
        with self.opening(place.name):
            opened = self._open.setdefault(place.name, {})
            if opened and max(opened) >= place.generation:
                return opened.get(place.generation) or opened[max(opened)]
            if known := self._damaged.get(place):
                raise CiteLoomError(known.code, known.message, known.next_step, **known.details)
            try:
                opened[place.generation] = self._opened(place)
            except CiteLoomError as error:
                if "damaged" in error.details:
                    self._damaged[place] = error
                raise
            return opened[place.generation]

    def problem(self, place: Place) -> CiteLoomError | None:
        """What was found to be wrong with a generation, by whoever used it last."""
        try:
            if collection := self._open.get(place.name, {}).get(place.generation):
                collection.refuse_damaged()
        except CiteLoomError as error:
            return error
        return self._damaged.get(place)

    def look_again(self, place: Place) -> None:
        """Try to open a damaged one once more: somebody may have put a copy of it in its place."""
        self._damaged.pop(place, None)

    def rescued(self, place: Place, doc_ids: Sequence[str]) -> dict[str, list[Hit]]:
        """What can still be read of documents in a generation that cannot be used, read by another process."""
        with self.opening(place.name):
            if kept := self._open.get(place.name, {}).pop(place.generation, None):
                with suppress(CiteLoomError):
                    kept.close()
            folder = self.folder(place)
            return {} if place.server or not folder.exists() else trial_open.rescued(folder, doc_ids)

    def _opened(self, place: Place) -> Collection:
        if place.server:
            from citeloom.index.server.collection import RemoteCollection

            return RemoteCollection.open(self.server(place.server), place.on_server)
        folder = self.folder(place)
        if not folder.exists():
            raise CiteLoomError(
                Code.INDEX_UNAVAILABLE, f"The index {place.name} is not on the disk.", missing=place.name
            )
        return EdgeCollection.open(folder)

    def create(self, place: Place, dense_size: int, *, sparse: bool) -> Collection:
        """A new, empty generation; what an interrupted attempt left there goes."""
        self.discard(place)
        if place.server:
            from citeloom.index.server.collection import RemoteCollection

            return RemoteCollection.create(self.server(place.server), place.on_server, dense_size, sparse=sparse)
        self._check_room()
        return EdgeCollection.create(self.folder(place), dense_size, sparse=sparse)

    def _check_room(self) -> None:
        """Refuse to begin an index on a full disk: Qdrant Edge maps its files, and writing to them would end us."""
        if self.free_room() < _ROOM_OF_EMPTY:
            raise CiteLoomError(
                Code.STORAGE_ERROR,
                "The disk is full: there is no room for a new index.",
                "Free some space and try again.",
            )

    def begun(self, place: Place) -> Collection | None:
        """A generation that an interrupted attempt left, to go on with; None where there is none."""
        try:
            begun = self._opened(place)
            if isinstance(begun, EdgeCollection):
                begun.written = begun.count()  # nobody knows how many of them have a search graph
            return begun
        except CiteLoomError as error:
            if place.server and place.on_server in self._on_server(place):
                raise
            log.info("nothing to go on with: %s", error)
            return None

    def settle(self, collection: Collection, during: AbstractContextManager[None], stop: threading.Event) -> None:
        """Build the search graph of what is being written and nobody reads yet, before too much waits for one."""
        if isinstance(collection, EdgeCollection) and collection.written >= AT_ONCE:
            with during:
                settle(collection, stop)

    @contextmanager
    def swapped(self, place: Place, collection: Collection) -> Iterator[None]:
        """Have another generation answer: inside, say in the catalog that it counts; then the others go."""
        self.adopt(place, collection)
        try:
            yield
        except BaseException:
            with self.opening(place.name):
                if kept := self._open.get(place.name, {}).pop(place.generation, None):
                    kept.close()
            raise
        self.retire(place)

    def adopt(self, place: Place, collection: Collection) -> None:
        """Have a generation at hand for whoever asks for it."""
        with self.opening(place.name):
            self.look_again(place)
            self._open.setdefault(place.name, {})[place.generation] = collection

    def retire(self, place: Place) -> None:
        """Let go of every generation but this one. Whoever still reads an old one may finish."""
        with self.opening(place.name):
            replaced = self._open[place.name]
            self._open[place.name] = {place.generation: replaced.pop(place.generation)}
        if any(_is_remote(collection) for collection in replaced.values()):
            time.sleep(_LET_READERS_FINISH)  # files of ours can be read to the end when they are deleted
        try:
            self.tidy(place)
        except CiteLoomError as error:  # what is left goes with the next one
            log.warning("earlier generations of %s are left: %s", place.name, error)

    def tidy(self, place: Place, kept: Sequence[Place] = ()) -> None:
        """Delete every generation where this one lies, and in our folder, but the one in use and those to be kept."""
        keep = {self.folder(one) for one in (place, *kept) if not one.server}
        for pattern in ("g*", f"{UNFINISHED}*"):
            for folder in (self._root / place.name).glob(pattern):
                if folder not in keep:
                    shutil.rmtree(folder, ignore_errors=True)
        if place.server:
            self.clear_server(place, (place, *kept))
        faults.point("index.tidied", place.name)

    def clear_server(self, place: Place, kept: Sequence[Place] = ()) -> None:
        """Delete the generations of a collection that its server has, but those to be kept."""
        # By name alone: one server may have several addresses.
        keep = {one.on_server for one in kept if one.server}
        for name in self._on_server(place):
            if name not in keep:
                self._remove_from(place.server, name)

    def discard(self, place: Place) -> None:
        """Delete one generation that nobody uses."""
        if not place.server:
            shutil.rmtree(self.folder(place), ignore_errors=True)
        elif place.on_server in self._on_server(place):
            self._remove_from(place.server, place.on_server)

    def remove(self, place: Place) -> None:
        """Delete a collection with everything in it."""
        with self.opening(place.name):
            for collection in self._open.pop(place.name, {}).values():
                collection.close()
            self._damaged.pop(place, None)
            folder = self._root / place.name
            with suppress(OSError):  # what a kill leaves of it must not be taken for an index that was lost
                folder = folder.rename(folder.with_name(f"{_REMOVED}{place.name}"))
            shutil.rmtree(folder, ignore_errors=True)
        if place.server:
            self.clear_server(place)

    def clear_removed(self) -> None:
        """Delete what a kill left of collections that were being removed."""
        for folder in self._root.glob(f"{_REMOVED}*"):
            shutil.rmtree(folder, ignore_errors=True)

    def without_project(self, known: Container[str]) -> list[str]:
        """The collections in our folder that are none of those."""
        names = {file.parents[1].name for file in self._root.glob("*/g*/edge_config.json")}
        return sorted(name for name in names if name not in known and not name.startswith((_REMOVED, ASIDE)))

    def put_aside(self, name: str) -> None:
        """Keep what lies under the name of a new collection under another one: the catalog may have been lost."""
        if name not in self.without_project(()):
            return
        aside = self._root / f"{ASIDE}{name}-{time.strftime('%Y-%m-%d-%H%M%S')}"
        try:
            (self._root / name).rename(aside)
        except OSError as error:
            raise CiteLoomError(
                Code.STORAGE_ERROR,
                f"An index of another project lies in {self._root / name}, and cannot be put aside: {error.strerror}.",
                "Move it away, or choose another name for the project.",
            ) from error
        log.warning("an index that no project had is in %s now", aside)

    def _on_server(self, place: Place) -> list[str]:
        """The generations of a collection that its server has."""
        from citeloom.index.server.collection import RemoteCollection

        names, begin = RemoteCollection.names(self.server(place.server)), place.family
        return [name for name in names if name.startswith(begin) and name.removeprefix(begin).isdigit()]

    def _remove_from(self, address: str, name: str) -> None:
        from citeloom.index.server.collection import RemoteCollection

        RemoteCollection.remove(self.server(address), name)

    def version_of(self, address: str, key: str | None = None) -> str:
        """The version of a server that can be used, or why it cannot."""
        from citeloom.index.server.collection import RemoteCollection

        return RemoteCollection.check(self.server(address, key))

    def reach_servers_anew(self) -> None:
        """Have what lies on a server use the key that is kept now, in the middle of an import if need be."""
        for name in list(self._open):
            with self.opening(name):
                for collection in self._open.get(name, {}).values():
                    if _is_remote(collection):
                        collection.reach(self.server(collection.address))

    def size_on_disk(self, name: str) -> int:
        """Bytes that a collection takes on our disk."""
        return room_of(self._root / name)

    def free_room(self) -> int:
        """Bytes that are free on our disk."""
        return faults.number("index.free_bytes", shutil.disk_usage(self._root.parent).free)

    def close(self) -> None:
        """Close every collection."""
        for name in list(self._opening):  # not only those that are open: one may be opening
            with self.opening(name):
                for collection in self._open.pop(name, {}).values():
                    try:
                        collection.close()
                    except CiteLoomError as error:
                        log.error("%s", error)


def _is_remote(collection: Collection) -> TypeGuard[RemoteCollection]:
    return not isinstance(collection, EdgeCollection)
