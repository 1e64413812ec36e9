"""The jobs that give a project another index with the same passages, at another place or without what was deleted."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from typing import TypeVar

from citeloom.catalog import Catalog
from citeloom.core.errors import CiteLoomError, Code
from citeloom.core.jobs import Report
from citeloom.core.types import IndexLocation
from citeloom.importing.requests import CompactRequest, MoveRequest
from citeloom.importing.writer import mend
from citeloom.index.base import Collection
from citeloom.index.registry import Collections
from citeloom.maintenance.index_copy import Copied, check, copy
from citeloom.maintenance.single_step_job import SingleStepJob
from citeloom.search.indexes import Indexes, left_on_server, moved

log = logging.getLogger(__name__)
_T = TypeVar("_T")

_RETRY_SECONDS = 120.0  # seconds for a server to come back
_FIRST_PAUSE, _LONGEST_PAUSE = 0.5, 10.0  # seconds between two tries


class CompactJob(SingleStepJob):
    """Writes an index again, without what was deleted."""

    def __init__(
        self, catalog: Catalog, indexes: Indexes, request: CompactRequest, report: Report, stop: threading.Event
    ) -> None:
        super().__init__(report, stop)
        self._indexes = indexes
        self._collections = indexes.collections
        self._project = catalog.projects.get(request.project_id)

    def run(self) -> None:
        """Write the new index, then have it answer."""
        project, room = self._project, self._collections.size_on_disk
        with self._indexes.untouched([project], "compacted"):
            before = room(project.collection)
            self._indexes.compact(project, self._written, self._stop)
        self.result.details = {
            "project": project.id,
            "passages": self._indexes.open(project).count(),
            "bytes_before": before,
            "bytes": room(project.collection),
        }

    def _written(self, done: int, total: int) -> None:
        self.report("graph" if done == total else "write", done, total)


class MoveJob(SingleStepJob):
    """Moves an index. Until the last step the old one answers; a stopped move goes on from what was copied."""

    def __init__(
        self, catalog: Catalog, indexes: Indexes, request: MoveRequest, report: Report, stop: threading.Event
    ) -> None:
        super().__init__(report, stop)
        self._catalog = catalog
        self._indexes = indexes
        self._collections: Collections = indexes.collections
        self._old = catalog.projects.get(request.project_id)
        self._new = moved(self._old, request.to)
        self._origin = replace(self._old.index_location, server=request.origin)

    def run(self) -> None:
        """Copy, check and swap; then delete the old one."""
        if self._is_done:
            self._new = self._old
            self._set_result(Copied(self._catalog.documents.chunk_count(self._old.id)), None)
        else:
            try:
                self._move()
            except CiteLoomError as error:
                if _is_lost(error):
                    error.next_step += " What was copied is kept: move it again, and it goes on from there."
                raise
        if self._origin.server:
            self._clear(self._origin, self._new.index_location)

    @property
    def _is_done(self) -> bool:
        """Whether an engine that was killed had come to the swap."""
        return self._old.server == self._new.server

    def clean_up(self) -> None:
        """Delete what was copied."""
        if self._is_done:
            return
        if self._new.server:
            self._clear(self._new.index_location, self._old.index_location)
        else:
            self._collections.discard(self._new.index_location)

    def _clear(self, place: IndexLocation, kept: IndexLocation) -> None:
        """Delete a project's passages on a server that are not those in use, whichever address it has."""
        try:
            self._collections.clear_server(place, [kept])
        except CiteLoomError as error:
            self.result.warnings.append(left_on_server(place, error))

    def _move(self) -> None:
        old = self._old
        with self._indexes.untouched([old], "moved"):
            source = self._retried(lambda: self._indexes.open(old))
            mend(self._catalog, old, source)
            freed = self._collections.size_on_disk(old.collection)
            target = self._retried(lambda: self._unfinished(source)) or self._retried(self._created)
            done = self._copied(source, target)
            without_graph = 0 if self._new.server else done.passages
            self._indexes.swap(old, replace(self._new, without_graph=without_graph), target)
            self._set_result(done, freed if self._new.server else None)

    def _unfinished(self, source: Collection) -> Collection | None:
        """What an earlier attempt has copied, if this one can go on from there."""
        old, new = self._old.index_location, self._new.index_location
        if old.server:  # what a rebuild left there: at the end it could not be told from the copy
            self._collections.clear_server(old, [old])
        if new.server:
            self._collections.clear_server(new, [old, new])
        begun = self._collections.begun(new)
        # Where there is more, some has been deleted since: to find out which takes as long.
        if begun is not None and (begun.indexes() != source.indexes() or begun.count() > source.count()):
            begun.close()
            return None
        return begun

    def _created(self) -> Collection:
        return self._collections.create(self._new.index_location, self._old.dense_size, sparse=self._old.hybrid_enabled)

    def _copied(self, source: Collection, target: Collection) -> Copied:
        """Copy, write out and check."""
        done = copy(
            source,
            target,
            lambda done, total: self.report("copy", done, total),
            lambda: self._collections.build_graph_if_large(target, self.building_graph(), self._stop),
            self._stop.is_set,
            self._retried,
        )
        self._retried(target.flush)
        self.check_stop()
        self.report("check", *self._done_and_total)
        try:
            self._retried(lambda: check(source, target, done.sample))
        except CiteLoomError as error:
            if not _is_lost(error):
                self.clean_up()  # a copy that is not the same is nothing to go on from
            raise
        return done

    def _retried(self, step: Callable[[], _T], /) -> _T:
        """Run a step, again and again while the server cannot be reached."""
        until, pause = time.monotonic() + _RETRY_SECONDS, _FIRST_PAUSE
        while True:
            self.check_stop()
            try:
                return step()
            except CiteLoomError as error:
                if not _is_lost(error) or time.monotonic() > until:
                    raise
                log.warning("a move waits: %s", error)
                self.report("wait", *self._done_and_total, what=error.message)
            self._stop.wait(pause)
            pause = min(2 * pause, _LONGEST_PAUSE)

    def _set_result(self, done: Copied, freed: int | None) -> None:
        old, new = self._old, self._new
        self.result.details = {
            "project": old.id,
            "from": self._origin.server or "embedded",
            "to": new.server or "embedded",
            "passages": done.passages,
            "written": done.written,
            "bytes": freed if new.server else self._collections.size_on_disk(old.collection),
        }


def _is_lost(error: CiteLoomError) -> bool:
    """Whether a server may be back in a while."""
    return error.code == Code.TIMEOUT or "away" in error.details
