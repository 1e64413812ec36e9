"""Manages the index of each project: opens and repairs it, locks it for writers, replaces it by a new generation.

Used by everything that searches or writes passages.
"""

from __future__ import annotations

import logging
import threading
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass, field, replace

from citeloom.catalog import Catalog
from citeloom.catalog.projects import Project
from citeloom.core.errors import CiteLoomError, Code
from citeloom.core.jobs import JobStopped
from citeloom.core.types import IndexLocation
from citeloom.importing.writer import repair
from citeloom.index.base import Collection
from citeloom.index.edge.checksums import damaged
from citeloom.index.edge.optimise import MAX_WITHOUT_GRAPH, PassageProgress, optimised_copy
from citeloom.index.registry import Collections

log = logging.getLogger(__name__)

_MIN_TO_OPTIMISE = 20_000  # passages written or deleted since the last search graph was built
_LOCK_SECONDS = 10.0  # how long an agent's write waits for the lock


@dataclass
class _WriteLock:
    """Lock for the writers of one index."""

    lock: threading.Lock = field(default_factory=threading.Lock)
    reason: str = ""  # what the holder does, for the message to others
    restarts: bool = False  # whether an interrupted holder has to start from the beginning


class Indexes:
    """Opens, locks, replaces and removes the indexes of the projects."""

    def __init__(
        self,
        catalog: Catalog,
        collections: Collections,
        migrate: Callable[[Catalog, Project, Collection], None] = lambda *_: None,
    ) -> None:
        self._catalog = catalog
        self._migrate = migrate  # rewrites passages stored by an earlier version
        self.collections = collections
        self._repaired: set[str] = set()  # collection names
        self._closed = False
        # Number of passages without a search graph when building one failed.
        self._failed_at: dict[IndexLocation, int] = {}
        self._write_locks: defaultdict[str, _WriteLock] = defaultdict(_WriteLock)

    def open(self, project: Project) -> Collection:
        """Return the index of a project; the first call repairs what a killed engine left unfinished."""
        with self.collections.opening(project.collection):
            if self._closed:  # another owner may have opened the index since
                raise CiteLoomError(Code.ENGINE_UNAVAILABLE, "The engine has ended.", "Call again.")
            collection = self._get_or_create(project)
            if project.collection not in self._repaired:
                repair(self._catalog, project, collection)
                expected = self._catalog.documents.chunk_count(project.id)
                if expected and not collection.count():  # its segments are missing: every search would find nothing
                    raise _with_rebuild_step(damaged(f"it has none of {expected} passages"), project)
                self._migrate(self._catalog, project, collection)
                self._delete_old_generations(project)
                self._repaired.add(project.collection)
            return collection

    def _get_or_create(self, project: Project) -> Collection:
        try:
            collection = self.collections.get(project.index_location)
            collection.refuse_damaged()
            return collection
        except CiteLoomError as error:
            if _is_lost(error, project) and not self._catalog.documents.chunk_count(project.id):
                # The engine was killed while creating it: there are no passages to lose.
                log.warning("the empty index of %s is created again: %s", project.id, error.message)
                return self.create(project)
            raise _with_rebuild_step(error, project) from error

    def create(self, project: Project) -> Collection:
        """Create the empty index of a new project."""
        place = project.index_location
        with self.collections.opening(project.collection):
            collection = self.collections.create(place, project.dense_size, sparse=project.hybrid_enabled)
            self.collections.register(place, collection)
        return collection

    def orphaned_error(self) -> CiteLoomError | None:
        """Return an error that names the indexes without a project in the catalog, if any."""
        names = self.collections.orphans({project.collection for project in self._catalog.projects.all()})
        if not names:
            return None
        named = ", ".join(names[:5]) + (" and others" if len(names) > 5 else "")
        copies = sorted(file.name for file in self._catalog.db.path.parent.glob("catalog.before-*.db"))
        beside = f" ({', '.join(copies)} beside it is one from before an update)" if copies else ""
        return CiteLoomError(
            Code.STORAGE_ERROR,
            f"Some indexes belong to projects that are not in the catalog: {named}. It was lost, or is an older one.",
            f"Stop the engine and put a copy of {self._catalog.db.path.name} in its place{beside}, or restore a backup"
            " ('citeloom restore FILE'). A new project of the same name reads its files again; its earlier index is"
            " kept. What is no longer needed can be deleted in the data folder under 'index'.",
        )

    def _delete_old_generations(self, project: Project) -> None:
        """Delete the generations of an index that are neither in use nor the target of an unfinished move."""
        try:
            moves = [j for j in self._catalog.jobs.unfinished() if j.kind == "move" and j.project_id == project.id]
            targets = [moved(project, str(job.request["to"])).index_location for job in moves]
            self.collections.delete_others(project.index_location, targets)
        except CiteLoomError as error:  # searches work all the same
            log.warning("earlier generations of %s are left: %s", project.collection, error)

    def remove(self, project: Project) -> str | None:
        """Delete a project and its index; return what to do about passages that could not be deleted."""
        with self.collections.opening(project.collection):
            self._catalog.projects.remove(project.id)
            self._repaired.discard(project.collection)
            try:
                self.collections.remove(project.index_location)
            except CiteLoomError as error:
                return left_on_server(project.index_location, error)
        return None

    def end(self) -> None:
        """Close all indexes permanently."""
        self._closed = True
        self.collections.close()

    # -- writing ---------------------------------------------------------------------------------------------

    @property
    def is_writing(self) -> bool:
        """Whether an index is being optimised or written to by an agent, which must not be interrupted."""
        return any(writer.lock.locked() and writer.restarts for writer in list(self._write_locks.values()))

    def is_locked(self, project: Project) -> bool:
        """Whether somebody has locked the index of a project for writing."""
        return self._write_locks[project.collection].lock.locked()

    @contextmanager
    def write_lock(self, project: Project) -> Iterator[None]:
        """Lock an index for a write outside of imports; raises TIMEOUT while a long job holds the lock."""
        writer = self._write_locks[project.collection]
        if not writer.lock.acquire(timeout=_LOCK_SECONDS):
            raise CiteLoomError(Code.TIMEOUT, f"The index is being {writer.reason}.", "Try again in a minute.")
        writer.restarts = True
        try:
            yield
        finally:
            writer.lock.release()

    @contextmanager
    def lock_writers(self, projects: Sequence[Project], reason: str, *, restarts: bool = False) -> Iterator[None]:
        """Lock indexes while they are copied: passages written meanwhile would be missing in the copy."""
        with ExitStack() as stack:
            for name in sorted({project.collection for project in projects}):
                writer = self._write_locks[name]
                stack.enter_context(writer.lock)
                writer.reason, writer.restarts = reason, restarts
            yield

    # -- swapping --------------------------------------------------------------------------------------------

    def swap(self, old: Project, new: Project, collection: Collection) -> None:
        """Replace an index by the generation that `new` names."""
        with self.collections.swapping(new.index_location, collection):
            # Reload the row: the project may have been changed or removed during the minutes of building.
            current = self._catalog.projects.get(old.id)
            self._catalog.projects.save(
                replace(current, generation=new.generation, server=new.server, without_graph=new.without_graph)
            )

    def optimise(self) -> None:
        """Rebuild search graphs after many passages were written or deleted."""
        for project in self._catalog.projects.all():
            if self._is_due(project, _MIN_TO_OPTIMISE):
                self._build_graph(project, _MIN_TO_OPTIMISE, threading.Event())

    def build_graph_if_due(self, project_id: str, during: AbstractContextManager[None], stop: threading.Event) -> None:
        """Build the search graph during a long import, before too many passages are without one."""
        project = self._catalog.projects.get(project_id)
        if self._is_due(project, MAX_WITHOUT_GRAPH):
            with during:
                self._build_graph(project, MAX_WITHOUT_GRAPH, stop)

    def _is_due(self, project: Project, minimum: int) -> bool:
        # After a failure it is retried when as many more passages are without a graph.
        return not project.server and project.without_graph >= minimum + self._failed_at.get(project.index_location, 0)

    def _build_graph(self, project: Project, minimum: int, stop: threading.Event) -> None:
        try:
            with self.lock_writers([project], "optimised", restarts=True):
                project = self._catalog.projects.get(project.id)  # another import may have built it meanwhile
                if self._is_due(project, minimum):
                    self._optimise(project, stop)
        except CiteLoomError as error:
            self._failed_at[project.index_location] = project.without_graph
            log.warning("%s is searched without a graph over all its passages: %s", project.collection, error)

    def compact(self, project: Project, on_progress: PassageProgress, stop: threading.Event) -> None:
        """Rewrite the passages of a project without the deleted ones and build its search graph; lock its writers."""
        self._optimise(project, stop, (project.dense_size, project.hybrid_enabled), on_progress)

    def _optimise(
        self,
        project: Project,
        stop: threading.Event,
        rewrite_as: tuple[int, bool] | None = None,
        on_progress: PassageProgress = lambda done, total: None,
    ) -> None:
        collection = self.open(project)
        repair(self._catalog, project, collection)  # passages hidden by a failed write would be visible in the copy
        collection.flush()
        needed = 2 * self.collections.size_on_disk(project.collection)
        self.collections.check_free_space(needed, f"another copy of the index of '{project.id}'")
        log.info("optimising %s", project.collection)
        new = replace(project, generation=project.generation + 1, without_graph=0)
        folder = self.collections.folder
        copy = optimised_copy(folder(project.index_location), folder(new.index_location), rewrite_as, on_progress, stop)
        if copy is None:
            raise JobStopped
        self.swap(project, new, copy)
        log.info("optimised %s", project.collection)


def moved(project: Project, to: str) -> Project:
    """Return a project as it will be after a move."""
    return replace(project, server=to, generation=project.generation + 1)


def left_on_server(place: IndexLocation, error: CiteLoomError) -> str:
    """Return the note about passages that could not be deleted from a server."""
    return f"Its passages are still on {place.server}: delete {place.on_server} there ({error.message.rstrip('.')})."


def rebuild_step(project_id: str) -> str:
    """Return the next step for an index that cannot be used."""
    return f"Rebuild the index; on the command line: citeloom ingest {project_id} --force-rebuild."


def _with_rebuild_step(error: CiteLoomError, project: Project) -> CiteLoomError:
    if _is_lost(error, project):
        error.next_step = rebuild_step(project.id)
    return error


def _is_lost(error: CiteLoomError, project: Project) -> bool:
    """Whether an index is permanently lost, not only out of reach."""
    if error.code != Code.INDEX_UNAVAILABLE or "away" in error.details:
        return False
    return not project.server or "missing" in error.details or "damaged" in error.details
