"""The projects' indexes: opened and mended once, written to and optimised by one at a time."""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

from citeloom.errors import CiteLoomError, Code
from citeloom.index.collection import Collection
from citeloom.index.collections import Collections
from citeloom.ingest.writer import mend
from citeloom.store import Catalog, Project

log = logging.getLogger(__name__)

_OPTIMISE_FROM = 20_000  # passages without a search graph that make one worth its time
_WRITE_WAIT = 10.0


class Indexes:
    """Gives out the index of each project."""

    def __init__(self, catalog: Catalog, collections: Collections) -> None:
        self._catalog = catalog
        self._collections = collections
        self._mended: set[str] = set()
        self._ended = False
        self.opening = threading.RLock()  # held while one is opened, made or removed
        # Held while an index is copied for optimising: what was written meanwhile would be missing in the copy.
        self._writing = threading.Lock()

    def open(self, project: Project) -> Collection:
        """The project's index; the first opening mends what a kill left."""
        with self.opening:
            if self._ended:  # the index may be another's by now, in this process or the next
                raise CiteLoomError(Code.ENGINE_UNAVAILABLE, "The engine has ended.", "Call again.")
            try:
                collection = self._collections.get(project.collection, project.generation)
            except CiteLoomError as error:
                if error.code == Code.INDEX_UNAVAILABLE:
                    error.next_step = (
                        f"Build it anew; on the command line: citeloom ingest {project.id} --force-rebuild."
                    )
                raise
            if project.collection not in self._mended:
                mend(self._catalog, project, collection)
                self._collections.tidy(project.collection, project.generation)
                self._mended.add(project.collection)
            return collection

    def remove(self, project: Project) -> None:
        """Delete a project with its index."""
        with self.opening:
            self._catalog.projects.remove(project.id)
            self._collections.remove(project.collection)
            self._mended.discard(project.collection)

    def end(self) -> None:
        """Close all, and give out no more."""
        with self.opening:
            self._ended = True
        self._collections.close()

    @property
    def is_writing(self) -> bool:
        """Whether an index is being optimised or written to by an agent: ending now would waste it."""
        return self._writing.locked()

    @contextmanager
    def may_write(self) -> Iterator[None]:
        """The right to write, or TIMEOUT while an index is being optimised."""
        if not self._writing.acquire(timeout=_WRITE_WAIT):
            raise CiteLoomError(Code.TIMEOUT, "The index is being optimised.", "Try again in a minute.")
        try:
            yield
        finally:
            self._writing.release()

    def optimise(self) -> None:
        """Build search graphs where many passages have none."""
        for project in self._catalog.projects.all():
            if project.without_graph < _OPTIMISE_FROM:
                continue
            with self._writing:
                self.open(project)
                log.info("optimising %s", project.collection)
                made = self._collections.optimised_copy(project.collection, project.generation)
                # Read again: the copy took minutes, in which somebody may have removed the project.
                current = self._catalog.projects.get(project.id)
                moved = replace(current, generation=current.generation + 1, without_graph=0)
                self._collections.adopt(project.collection, moved.generation, made)
                self._catalog.projects.save(moved)
                self._collections.retire(project.collection, moved.generation)
                log.info("optimised %s", project.collection)
