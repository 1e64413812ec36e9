"""Jobs that move and compact the index of a project. Run by the job queue."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from dataclasses import replace
from typing import TypeVar

from citeloom.api.maintenance import EMBEDDED, CompactResult, MoveResult
from citeloom.core.errors import CiteLoomError, Code
from citeloom.core.types import IndexLocation
from citeloom.importing.requests import CompactRequest, MoveRequest
from citeloom.importing.writer import repair
from citeloom.index.base import Collection
from citeloom.maintenance.index_copy import Copied, check
from citeloom.maintenance.single_step_job import SingleStepJob
from citeloom.search.indexes import left_on_server, moved

log = logging.getLogger(__name__)
_T = TypeVar("_T")

_RETRY_SECONDS = 120.0  # seconds to wait for an unreachable server
_FIRST_PAUSE, _MAX_PAUSE = 0.5, 10.0  # seconds between retries


class CompactJob(SingleStepJob[CompactRequest]):
    """Rewrites an index without its deleted passages."""

    def do(self) -> None:
        """Write the new index, then make it the one in use."""
        project = self._catalog.projects.get(self._request.project_id)
        disk_size = self._indexes.collections.size_on_disk

        def on_progress(done: int, total: int) -> None:
            self.report("graph" if done == total else "write", done, total)

        with self._indexes.lock_writers([project], "compacted"):
            before = disk_size(project.collection)
            self._indexes.compact(project, on_progress, self._stop)
        self.result = CompactResult(
            project=project.id,
            passages=self._indexes.open(project).count(),
            bytes_before=before,
            bytes=disk_size(project.collection),
        )


class MoveJob(SingleStepJob[MoveRequest]):
    """Moves an index. The old one stays in use until the last step; a stopped move continues where it stopped."""

    def __post_init__(self) -> None:
        self._collections = self._indexes.collections
        self._old = self._catalog.projects.get(self._request.project_id)
        self._new = moved(self._old, self._request.to)
        self._origin = replace(self._old.index_location, server=self._request.origin)

    def do(self) -> None:
        """Copy, verify and swap; then delete the old index."""
        if self._is_done:
            self._new = self._old
            self._set_result(Copied(self._catalog.documents.chunk_count(self._old.id)), None)
        else:
            try:
                self._move()
            except CiteLoomError as error:
                if _is_unreachable(error):
                    error.next_step += " What was copied is kept: move it again to continue."
                raise
        if self._origin.server:
            self._clear(self._origin, self._new.index_location)

    @property
    def _is_done(self) -> bool:
        """Whether an engine that was killed had already swapped the indexes."""
        return self._old.server == self._new.server

    def clean_up(self) -> None:
        """Delete the copy."""
        if self._is_done:
            return
        if self._new.server:
            self._clear(self._new.index_location, self._old.index_location)
        else:
            self._collections.discard(self._new.index_location)

    def _clear(self, place: IndexLocation, kept: IndexLocation) -> None:
        """Delete a project's passages on a server except those at `kept`, which may name the server differently."""
        try:
            self._collections.clear_server(place, [kept])
        except CiteLoomError as error:
            self.result.warnings.append(left_on_server(place, error))

    def _move(self) -> None:
        old = self._old
        with self._indexes.lock_writers([old], "moved"):
            source = self._retry(lambda: self._indexes.open(old))
            repair(self._catalog, old, source)
            freed = self._collections.size_on_disk(old.collection)
            target = self._retry(lambda: self._open_target(source))
            done = self._copy(source, target)
            without_graph = 0 if self._new.server else done.passages
            self._indexes.swap(old, replace(self._new, without_graph=without_graph), target)
            self._set_result(done, freed if self._new.server else None)

    def _open_target(self, source: Collection) -> Collection:
        """Return the copy of an earlier attempt, if this one can continue it, else a new one."""
        old, new = self._old.index_location, self._new.index_location
        if old.server:  # remains of a rebuild could not be told from the copy at the end
            self._collections.clear_server(old, [old])
        if new.server:
            self._collections.clear_server(new, [old, new])
        unfinished = self._collections.open_unfinished(new)
        # If the copy has more, some were deleted since: finding out which takes as long as a new copy.
        if unfinished is not None:
            if unfinished.indexes() == source.indexes() and unfinished.count() <= source.count():
                return unfinished
            unfinished.close()
        return self._collections.create(new, self._old.dense_size, sparse=self._old.hybrid_enabled)

    def _copy(self, source: Collection, target: Collection) -> Copied:
        """Copy, flush and verify."""
        done = self.copy_index(source, target, self._retry)
        self._retry(target.flush)
        self.check_stop()
        self.report("check", *self._done_and_total)
        try:
            self._retry(lambda: check(source, target, done.sample))
        except CiteLoomError as error:
            if not _is_unreachable(error):
                self.clean_up()  # a copy that differs cannot be continued
            raise
        return done

    def _retry(self, step: Callable[[], _T], /) -> _T:
        """Run a step, with retries while the server cannot be reached."""
        until, pause = time.monotonic() + _RETRY_SECONDS, _FIRST_PAUSE
        while True:
            self.check_stop()
            try:
                return step()
            except CiteLoomError as error:
                if not _is_unreachable(error) or time.monotonic() > until:
                    raise
                log.warning("a move waits: %s", error)
                self.report("wait", *self._done_and_total, what=error.message)
            self._stop.wait(pause)
            pause = min(2 * pause, _MAX_PAUSE)

    def _set_result(self, done: Copied, freed: int | None) -> None:
        old, new = self._old, self._new
        self.result = MoveResult(
            project=old.id,
            origin=self._origin.server or EMBEDDED,
            to=new.server or EMBEDDED,
            passages=done.passages,
            written=done.written,
            bytes=freed if new.server else self._collections.size_on_disk(old.collection),
        )


def _is_unreachable(error: CiteLoomError) -> bool:
    """Whether an error means that a server is unreachable, perhaps only for a while."""
    return error.code == Code.TIMEOUT or "away" in error.details
