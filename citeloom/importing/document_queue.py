"""The documents of all imports, in three lanes in strict priority: words, vectors, slow pages.

Reading is done by worker processes and embedding by the model's threads; this module decides what is next, and writes
one document at a time. A lane begins new work only while the lanes before it have none, except that slow pages have one
worker unless words have just come. Within a lane, imports of few documents come first. Two imports may have the same
document: the second one finds it unchanged.
"""

from __future__ import annotations

import itertools
import logging
import threading
import time
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from heapq import heappop, heappush

from citeloom.core.errors import CiteLoomError, unexpected
from citeloom.core.jobs import JobStopped
from citeloom.importing.document_task import DocumentWork, Task
from citeloom.importing.import_progress import Lane
from citeloom.importing.stages.embed import Batch
from citeloom.importing.stages.read import ReadResult

log = logging.getLogger(__name__)

FEW = 20  # so many documents that come together do not wait for larger imports
_GROUP = 64  # documents whose passages are embedded together, so that batches are full
_AHEAD = 4  # documents that are read ahead, for each worker
_PATIENCE_SECONDS = 1.0  # how long documents that were read wait for an earlier one
_WORDS_FIRST_SECONDS = 20.0  # so long, slow pages wait for words altogether: most imports have written them by then
_LOCKED_SECONDS = 0.25  # how often a locked index is checked
_CHECK_SECONDS = 5.0  # how often the power supply is checked


@dataclass(frozen=True, slots=True)
class _Reading:
    """A document that is being read."""

    future: Future[ReadResult]
    since: float


@dataclass(eq=False, slots=True)
class _Embedding:
    """Documents of one import whose passages are being embedded."""

    work: DocumentWork
    tasks: list[Task]
    batch: Batch | None = None
    running: Future[None] | None = None


@dataclass(eq=False, slots=True)
class _Import:
    """State of an import in the queue."""

    tasks: Counter[Lane] = field(default_factory=Counter)  # queued or in progress
    ends: bool = False  # nothing more is begun
    error: CiteLoomError | None = None
    returned: list[Task] = field(default_factory=list)  # not done when it ended


class DocumentQueue:
    """Queue of documents, worked off by one thread that is started with the first import."""

    def __init__(self, workers: int, has_power: Callable[[], bool] = lambda: True) -> None:
        self._workers = workers
        self._has_power = has_power  # whether more may be done than to write words
        self._changed = threading.Condition()
        self._lanes: dict[Lane, list[tuple[tuple[object, ...], int, Task]]] = {lane: [] for lane in Lane}
        self._queued: dict[tuple[DocumentWork, str, Lane], Task] = {}
        self._numbers = itertools.count()
        self._imports: dict[DocumentWork, _Import] = {}
        self._readings: dict[Lane, dict[Task, _Reading]] = {Lane.WORDS: {}, Lane.SLOW_PAGES: {}}
        self._embedding: _Embedding | None = None
        self._last_commits: dict[str, float] = {}
        self._words_since: float | None = None  # when the first of the words that wait now came
        self._readers = ThreadPoolExecutor((_AHEAD + 1) * workers, thread_name_prefix="read")
        self._embedder = ThreadPoolExecutor(1, thread_name_prefix="embed-batch")
        self._thread = threading.Thread(target=self._run, name="documents", daemon=True)
        self._ended = False

    def add(self, tasks: Sequence[Task]) -> None:
        """Queue documents of one import; a task replaces a queued one for the same document and lane."""
        with self._changed:
            if not self._thread.is_alive() and not self._ended:
                self._thread.start()
            for task in tasks:
                members = self._imports.setdefault(task.work, _Import())
                if members.ends:
                    members.returned.append(task)
                    continue
                if task.reading is not None:
                    if task.key not in self._queued:  # else its file has changed since
                        members.tasks[task.lane] += 1
                        self._readings[task.lane][task] = _Reading(task.reading, time.monotonic())
                        task.reading = None
                    continue
                if self._queued.pop(task.key, None) is None:
                    members.tasks[task.lane] += 1
                task.order = (task.failed, task.large, *task.size, next(self._numbers))
                self._push(task)
            self._changed.notify_all()

    def _push(self, task: Task) -> None:
        self._queued[task.key] = task
        heappush(self._lanes[task.lane], (task.order, next(self._numbers), task))

    def wait(self, work: DocumentWork, wake_up: Callable[[], bool], seconds: float) -> bool:
        """Wait until no documents of an import are left, for `wake_up`, or so long; return whether none is left.

        Raises the error that ended the import's work; what it had left is returned by `withdraw`.
        """

        def error() -> CiteLoomError | None:
            return self._imports[work].error if work in self._imports else None

        with self._changed:
            self._changed.wait_for(lambda: error() or not self.left(work) or wake_up(), seconds)
            if problem := error():
                raise problem
            return not self.left(work)

    def left(self, work: DocumentWork, *lanes: Lane) -> int:
        """Return the number of documents of an import that are queued or in progress, in some lanes or in all."""
        with self._changed:
            members = self._imports.get(work)
            return sum(members.tasks[lane] for lane in lanes or Lane) if members else 0

    def last_commit(self, project_id: str) -> float:
        """Return when a document of a project was last written, by the monotonic clock."""
        return self._last_commits.get(project_id, 0.0)

    @property
    def waits_for_power(self) -> bool:
        """Whether documents wait because only words may be written now."""
        with self._changed:
            waiting = self._embedding or self._first(Lane.VECTORS) or self._first(Lane.SLOW_PAGES)
        return bool(waiting) and not self._has_power()

    def wake_up(self) -> None:
        """Let waiting imports check whether they have to do something."""
        with self._changed:
            self._changed.notify_all()

    def withdraw(self, work: DocumentWork) -> list[Task]:
        """Remove the documents of an import, and return those that are not done.

        Waits until nothing of it is written any more. Files that are being read are returned with their reading, which
        goes on; if the import was asked to stop, they are waited for.
        """
        with self._changed:
            members = self._imports.get(work)
            if members is None:
                return []
            members.ends = True
            self._return_queued(work)
            if not work.stops:
                self._return_readings(work)
            self._changed.notify_all()
            self._changed.wait_for(lambda: not self.left(work))
            return self._imports.pop(work).returned

    def end(self) -> None:
        """End the thread; imports have ended before."""
        with self._changed:
            self._ended = True
            self._changed.notify_all()
        if self._thread.is_alive():
            self._thread.join()
        self._readers.shutdown(cancel_futures=True)  # readings in progress have been asked to stop as well
        self._embedder.shutdown(cancel_futures=True)

    # -- the thread ------------------------------------------------------------------------------------------

    def _run(self) -> None:
        while True:
            with self._changed:
                self._start_reading()
                step = self._next_step()
                if step is None:
                    if self._ended:
                        return
                    self._changed.wait(self._seconds_to_wait())
                    continue
            step()

    def _next_step(self) -> Callable[[], None] | None:
        """Return what the thread does next: of what is ready, what is most urgent."""
        if (read := self._next_read(Lane.WORDS)) is not None:
            return partial(self._commit, *read)
        group = self._embedding
        if group:
            ends = self._ends(group.work)
            embedded = group.running.done() if group.running else ends
            if embedded and (ends or not group.work.is_locked):
                return partial(self._continue, group)
        if (read := self._next_read(Lane.SLOW_PAGES)) is not None:
            return partial(self._commit, *read)
        if self._can_embed:
            group = self._embedding = self._embedding or self._next_group()
            if group and not group.running and not group.work.is_locked:
                return partial(self._continue, group)
        return None

    def _seconds_to_wait(self) -> float | None:
        group = self._embedding
        ready = any(reading.future.done() for lane in self._readings.values() for reading in lane.values())
        embedded = group and (group.running is None or group.running.done())
        if ready or embedded or any(work.is_locked for work in self._imports):
            return _LOCKED_SECONDS  # for an earlier document, or for a lock
        return _CHECK_SECONDS if self._queued else None

    def _start_reading(self) -> None:
        """Hand documents to the workers, a little ahead."""
        while self._begun(Lane.WORDS) < _AHEAD * self._workers:
            if not self._read_next(Lane.WORDS):
                break
        words_wait = self._first_unlocked(Lane.WORDS) is not None
        self._words_since = (self._words_since or time.monotonic()) if words_wait else None
        if words_wait and time.monotonic() - (self._words_since or 0.0) < _WORDS_FIRST_SECONDS:
            return
        if self._first(Lane.SLOW_PAGES) is None or not self._has_power():
            return
        alone = not (self._readings[Lane.WORDS] or self._first(Lane.VECTORS) or self._embedding)
        while self._begun(Lane.SLOW_PAGES) < (self._workers if alone else 1):
            if not self._read_next(Lane.SLOW_PAGES):
                break

    def _begun(self, lane: Lane) -> int:
        """Return how many documents were begun; those of locked indexes must not hold up the others."""
        return sum(not task.work.is_locked for task in self._readings[lane])

    def _read_next(self, lane: Lane) -> bool:
        task = self._first_unlocked(lane)
        if task is None:
            return False
        del self._queued[task.key]
        future = self._readers.submit(task.work.read, task)
        self._readings[lane][task] = _Reading(future, time.monotonic())
        future.add_done_callback(lambda _: self.wake_up())
        return True

    def _next_read(self, lane: Lane) -> tuple[Task, Future[ReadResult]] | None:
        """Return the next document that was read: in order, unless one takes long.

        The order decides which of several files with the same content is the document.
        """
        readings, until = self._readings[lane], time.monotonic() - _PATIENCE_SECONDS
        for task, reading in readings.items():
            if task.work.is_locked and not self._ends(task.work):
                continue
            if reading.future.done():
                del readings[task]
                return task, reading.future
            if lane is Lane.WORDS and reading.since > until:
                return None
        return None

    def _commit(self, task: Task, reading: Future[ReadResult]) -> None:
        if self._ends(task.work):
            self._task_ended(task, done=False)
            return
        try:
            self._last_commits[task.work.project_id] = time.monotonic()
            task.work.commit(task, reading)
        except Exception as error:
            self._fail(task.work, [task], error)
        else:
            self._task_ended(task)

    # -- vectors ---------------------------------------------------------------------------------------------

    @property
    def _can_embed(self) -> bool:
        """Vectors wait while words are to be written; a few slow files must not leave the other cores idle."""
        if not (self._embedding or self._first(Lane.VECTORS)) or self._first_unlocked(Lane.WORDS):
            return False
        reading = sum(not one.future.done() for one in self._readings[Lane.WORDS].values())
        return reading < self._workers and self._has_power()

    def _next_group(self) -> _Embedding | None:
        """Take the next documents of one import whose passages are to be embedded."""
        group: list[Task] = []
        while len(group) < _GROUP and (task := self._first_unlocked(Lane.VECTORS)) is not None:
            if group and task.work is not group[0].work:
                break
            del self._queued[task.key]
            group.append(task)
        return _Embedding(group[0].work, group) if group else None

    def _continue(self, group: _Embedding) -> None:
        """Write the vectors that are ready, after the next batch was begun; finish the documents if there is none."""
        done, group.batch = group.batch, None
        running, group.running = group.running, None
        lets_others_go = False
        try:
            if running:
                running.result()
            with self._changed:
                first = self._first_unlocked(Lane.VECTORS)
                lets_others_go = first is not None and first.order < group.tasks[0].order
                goes_on = not self._ends(group.work) and not lets_others_go and (running is None or self._can_embed)
            if goes_on:
                self._begin_batch(group, done)
            ends = self._ends(group.work)
            if done and not (ends and group.work.is_locked):
                group.work.write_vectors(done)
            finished = done is None and group.batch is None and not lets_others_go
            if finished and not ends:
                group.work.finish_vectors(group.tasks)
        except Exception as error:
            self._embedding = None
            self._fail(group.work, group.tasks, error)
            return
        if group.batch is not None:
            return
        if ends or finished:
            self._embedding = None
            for task in group.tasks:
                self._task_ended(task, done=not ends)
        elif lets_others_go:
            self._embedding = None
            with self._changed:
                for task in group.tasks:
                    if task.key in self._queued:  # it has new passages
                        self._task_ended(task)
                    else:
                        self._push(task)

    def _begin_batch(self, group: _Embedding, embedded: Batch | None) -> None:
        group.batch = group.work.next_batch(group.tasks, embedded)
        if group.batch:
            group.running = self._embedder.submit(group.work.embed, group.batch)
            group.running.add_done_callback(lambda _: self.wake_up())

    # -- tasks -----------------------------------------------------------------------------------------------

    def _first(self, lane: Lane) -> Task | None:
        """Return the first task of a lane."""
        queued = self._lanes[lane]
        while queued and self._queued.get(queued[0][-1].key) is not queued[0][-1]:
            heappop(queued)  # it was taken or replaced
        return queued[0][-1] if queued else None

    def _first_unlocked(self, lane: Lane) -> Task | None:
        """Return the first task of a lane whose index is not locked."""
        first = self._first(lane)
        if first is None or not first.work.is_locked:
            return first
        queued = (task for _, _, task in self._lanes[lane] if self._queued.get(task.key) is task)
        return min((task for task in queued if not task.work.is_locked), key=lambda task: task.order, default=None)

    def _task_ended(self, task: Task, *, done: bool = True) -> None:
        with self._changed:
            if members := self._imports.get(task.work):
                members.tasks[task.lane] -= 1
                if not done:
                    members.returned.append(task)
            self._changed.notify_all()

    def _ends(self, work: DocumentWork) -> bool:
        members = self._imports.get(work)
        return members is None or members.ends or work.stops

    def _fail(self, work: DocumentWork, tasks: Sequence[Task], error: Exception) -> None:
        """End the work of an import with an error."""
        problem = unexpected(error)
        if problem is not error and not isinstance(error, JobStopped):
            log.error("documents of %s could not be written", work.project_id, exc_info=error)
        with self._changed:
            if members := self._imports.get(work):
                members.error, members.ends = members.error or problem, True
        for task in tasks:
            task.failed = True
            self._task_ended(task, done=False)

    def _return_queued(self, work: DocumentWork) -> None:
        members = self._imports[work]
        for task in [task for task in self._queued.values() if task.work is work]:
            del self._queued[task.key]
            members.tasks[task.lane] -= 1
            members.returned.append(task)

    def _return_readings(self, work: DocumentWork) -> None:
        members = self._imports[work]
        for lane, readings in self._readings.items():
            for task in [task for task in readings if task.work is work]:
                task.reading = readings.pop(task).future
                members.tasks[lane] -= 1
                members.returned.append(task)
