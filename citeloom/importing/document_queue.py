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
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from heapq import heappop, heappush

from citeloom.core.errors import CiteLoomError, unexpected
from citeloom.core.jobs import JobStopped
from citeloom.importing.document_task import DocumentWork, EmbeddingGroup, ImportMembers, Task
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
_CHECK_SECONDS = 5.0  # how often the power supply is checked, at most


@dataclass(frozen=True, slots=True)
class _Reading:
    """A document that is being read."""

    future: Future[ReadResult]
    since: float


class DocumentQueue:
    """Queue of documents, worked off by one thread that is started with the first import."""

    def __init__(self, workers: int, has_power: Callable[[], bool] = lambda: True) -> None:
        self._workers = workers
        self._ask_for_power = has_power  # whether more may be done than to write words
        self._power, self._power_checked = True, float("-inf")  # the last answer, and when it was given
        self._changed = threading.Condition()
        self._lanes: dict[Lane, list[tuple[tuple[object, ...], int, Task]]] = {lane: [] for lane in Lane}
        self._queued: dict[tuple[DocumentWork, str, Lane], Task] = {}
        self._numbers = itertools.count()
        self._imports: dict[DocumentWork, ImportMembers] = {}
        self._readings: dict[Lane, dict[Task, _Reading]] = {Lane.WORDS: {}, Lane.SLOW_PAGES: {}}
        self._embedding: EmbeddingGroup | None = None  # its batch is being embedded, or is ready
        self._embedded_but_locked: list[EmbeddingGroup] = []  # their index was locked when their batch was ready
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
                members = self._imports.setdefault(task.work, ImportMembers())
                if members.ends or (members.error and task.lane is Lane.VECTORS):
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

        Raises the error that ended the import's work, or that of its vectors once its words are written; what it had
        left is returned by `withdraw`.
        """

        def error() -> CiteLoomError | None:
            members = self._imports.get(work)
            return members.error if members and (members.ends or not members.tasks[Lane.WORDS]) else None

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
            return bool(waiting) and not self._has_power

    @property
    def _has_power(self) -> bool:
        if time.monotonic() - self._power_checked >= _CHECK_SECONDS:
            self._power, self._power_checked = self._ask_for_power(), time.monotonic()
        return self._power

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
            try:
                with self._changed:
                    self._start_reading()
                    step = self._next_step()
                    if step is None:
                        if self._ended:
                            return
                        self._changed.wait(self._seconds_to_wait())
                        continue
                step()
            except BaseException as error:  # all imports need this thread
                self._fail_all(error)

    def _next_step(self) -> Callable[[], None] | None:
        """Return what the thread does next: of what is ready, what is most urgent."""
        if (read := self._next_read(Lane.WORDS)) is not None:
            return partial(self._commit, *read)
        if (group := self._next_embedded()) is not None:
            return partial(self._continue, group)
        if (read := self._next_read(Lane.SLOW_PAGES)) is not None:
            return partial(self._commit, *read)
        if not self._embedding and self._can_embed:
            self._embedding = self._next_group()
            return partial(self._continue, self._embedding) if self._embedding else None
        return None

    def _seconds_to_wait(self) -> float | None:
        ready = any(reading.future.done() for lane in self._readings.values() for reading in lane.values())
        if ready or self._embedded_but_locked or any(work.is_locked for work in self._imports):
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
        if self._first(Lane.SLOW_PAGES) is None or not self._has_power:
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
        future = self._readers.submit(task.work.read, task)
        del self._queued[task.key]
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
        except BaseException as error:  # native code raises others than Exception
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
        return reading < self._workers and self._has_power

    def _next_embedded(self) -> EmbeddingGroup | None:
        """Return documents whose batch is ready to be written. A locked index must not hold up the others."""
        group = self._embedding
        if group and group.running and group.running.done():
            if self._ends(group.work) or not group.work.is_locked:
                return group
            self._embedded_but_locked.append(group)
            self._embedding = None
        for group in self._embedded_but_locked:
            if self._ends(group.work) or not group.work.is_locked:
                self._embedded_but_locked.remove(group)
                return group
        return None

    def _next_group(self) -> EmbeddingGroup | None:
        """Take the next documents of one import whose passages are to be embedded."""
        group: list[Task] = []
        while len(group) < _GROUP and (task := self._first_unlocked(Lane.VECTORS)) is not None:
            if group and task.work is not group[0].work:
                break
            del self._queued[task.key]
            group.append(task)
        return EmbeddingGroup(group[0].work, group) if group else None

    def _continue(self, group: EmbeddingGroup) -> None:
        """Write the vectors that are ready, after the next batch was begun; finish the documents if there is none."""
        done, group.batch = group.batch, None
        running, group.running = group.running, None
        try:
            if running:
                running.result()
            goes_on = self._goes_on(group, begun=running is not None)
            try:
                if goes_on:
                    self._begin_batch(group, done)
            finally:  # an error must not cost the vectors that are there
                ends = self._ends(group.work)
                if done and not (ends and group.work.is_locked):
                    group.work.write_vectors(done)
            if group.batch is not None:
                return
            if goes_on and not ends:
                group.work.finish_vectors(group.tasks)
        except BaseException as error:
            self._embedding = None if group is self._embedding else self._embedding
            self._fail(group.work, group.tasks, error, ends=False)
            return
        with self._changed:
            self._embedding = None if group is self._embedding else self._embedding
            for task in group.tasks:
                if ends or goes_on:
                    self._task_ended(task, done=not ends)
                elif task.key in self._queued:  # it has new passages
                    self._task_ended(task)
                else:
                    self._push(task)

    def _goes_on(self, group: EmbeddingGroup, *, begun: bool) -> bool:
        """Whether another batch of these documents comes next, rather than other documents."""
        with self._changed:
            first = self._first_unlocked(Lane.VECTORS)
            is_first = first is None or first.order >= group.tasks[0].order
            is_next = is_first and group is self._embedding and (not begun or self._can_embed)
            return is_next and not self._ends(group.work)

    def _begin_batch(self, group: EmbeddingGroup, embedded: Batch | None) -> None:
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

    def _fail(self, work: DocumentWork, tasks: Sequence[Task], error: BaseException, *, ends: bool = True) -> None:
        """End the work of an import with an error, or only that of its vectors."""
        problem = unexpected(error)
        if problem is not error and not isinstance(error, JobStopped):
            log.error("documents of %s could not be written", work.project_id, exc_info=error)
        with self._changed:
            if members := self._imports.get(work):
                members.error, members.ends = members.error or problem, members.ends or ends
                self._return_queued(work, *(() if ends else (Lane.VECTORS,)))
            self._changed.notify_all()
        for task in tasks:
            task.failed = True
            self._task_ended(task, done=False)

    def _fail_all(self, error: BaseException) -> None:
        """End the work of all imports with an error that is not of one of them."""
        with self._changed:
            groups = [group for group in (self._embedding, *self._embedded_but_locked) if group]
            self._embedding, self._embedded_but_locked = None, []
            for work in list(self._imports):
                self._return_readings(work)
                self._fail(work, [task for group in groups if group.work is work for task in group.tasks], error)

    def _return_queued(self, work: DocumentWork, *lanes: Lane) -> None:
        members = self._imports[work]
        queued = [task for task in self._queued.values() if task.work is work and task.lane in (lanes or Lane)]
        for task in queued:
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
