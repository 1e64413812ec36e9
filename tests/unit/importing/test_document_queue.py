"""The queue of documents by itself: what comes first, and what becomes of the work of an import that ends early."""

from __future__ import annotations

import threading
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from functools import partial

import pytest

from citeloom.core.errors import CiteLoomError, Code
from citeloom.importing import document_queue
from citeloom.importing.document_queue import DocumentQueue
from citeloom.importing.document_task import Task
from citeloom.importing.import_progress import Lane
from citeloom.importing.sources.folder import FoundFile
from citeloom.importing.stages.embed import Batch
from citeloom.importing.stages.read import ReadResult
from citeloom.index.base import ScoredPoint
from tests.support import WAIT, wait_for

WORDS, VECTORS, SLOW_PAGES = Lane.WORDS, Lane.VECTORS, Lane.SLOW_PAGES
FULL = CiteLoomError(Code.STORAGE_ERROR, "The disk is full.")


class PanicException(BaseException):
    """As Rust code raises it."""


@dataclass(eq=False)
class FakeImport:
    """An import that notes what is done with its documents; a document in `held` waits there until it is released."""

    log: list[str]
    held: defaultdict[str, threading.Event] = field(default_factory=lambda: defaultdict(_released))
    breaks: dict[str, BaseException] = field(default_factory=dict)  # by what is done
    batches: dict[str, int] = field(default_factory=lambda: defaultdict(lambda: 1))  # by document
    project_id: str = "p"
    stops: bool = False
    is_locked: bool = False

    def hold(self, *steps: str) -> None:
        for step in steps:
            self.held[step] = threading.Event()

    def release(self, *steps: str) -> None:
        for step in steps or list(self.held):
            self.held[step].set()

    def read(self, task: Task) -> ReadResult:
        self._do(f"read {task.source}")
        return ReadResult(FoundFile(task.source, "md", 1, 1), "")

    def commit(self, task: Task, reading: Future[ReadResult]) -> None:
        reading.result()
        self._do(f"write {task.source}")

    def next_batch(self, tasks: Sequence[Task], embedding: Batch | None) -> Batch | None:
        if "next batch" in self.breaks and embedding:
            raise self.breaks["next batch"]
        for task in tasks:
            if self.batches[task.source]:
                self.batches[task.source] -= 1
                return Batch([ScoredPoint(task.source, 1.0, {"doc_id": task.source, "version": "v"})])
        return None

    def embed(self, batch: Batch) -> None:
        self._do(f"embed {batch.passages[0].id}")

    def write_vectors(self, batch: Batch) -> None:
        self._do(f"add vectors {batch.passages[0].id}")

    def finish_vectors(self, tasks: Sequence[Task]) -> None:
        self._do(f"finish {' '.join(task.source for task in tasks)}")

    def _do(self, what: str) -> None:
        self.log.append(what)
        if what in self.breaks:
            raise self.breaks[what]
        assert self.held[what].wait(WAIT)

    def tasks(self, lane: Lane, *sources: str, large: bool = False) -> list[Task]:
        return [Task(self, lane, source, large=large) for source in sources]


def _released() -> threading.Event:
    event = threading.Event()
    event.set()
    return event


@pytest.fixture
def log() -> list[str]:
    return []


@pytest.fixture
def new_queue(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., DocumentQueue]]:
    monkeypatch.setattr(document_queue, "_PATIENCE_SECONDS", WAIT)  # documents are written in their order
    made: list[DocumentQueue] = []

    def make(workers: int = 1, has_power: Callable[[], bool] = lambda: True) -> DocumentQueue:
        made.append(DocumentQueue(workers, has_power))
        return made[-1]

    yield make
    for queue in made:
        queue.end()


def until(log: list[str], *steps: str) -> None:
    for step in steps:
        wait_for(partial(log.__contains__, step), step)


def finish(queue: DocumentQueue, *works: FakeImport) -> None:
    for work in works:
        assert queue.wait(work, lambda: False, WAIT)


def in_order(log: list[str], *steps: str) -> None:
    """Check that these steps were done, in this order and no more often."""
    assert [step for step in log if step in steps] == list(steps)


def test_words_come_before_vectors_and_slow_pages_have_one_worker_until_nothing_else_is_left(
    new_queue: Callable[..., DocumentQueue], log: list[str]
) -> None:
    queue, work = new_queue(workers=2), FakeImport(log)
    work.hold("read a", "read b", "read c", "embed v", "read s1", "read s2", "read s3")
    words = work.tasks(WORDS, "a", "b", "c")
    queue.add(work.tasks(SLOW_PAGES, "s1", "s2", "s3") + work.tasks(VECTORS, "v", "w") + words)
    until(log, "read a", "read b", "read c", "read s1")
    work.release("read a")
    until(log, "write a")
    work.release("read b")
    until(log, "write b", "embed v")  # one core has nothing to read
    in_order(log, "write a", "embed v")
    work.release("read c")
    until(log, "write c")
    work.release("read s1")
    until(log, "write s1", "read s2")
    assert "read s3" not in log, "vectors are left"
    work.release("embed v")
    until(log, "finish v w", "read s3")
    work.release()
    finish(queue, work)
    in_order(log, "finish v w", "read s3")
    assert sorted(log[-2:]) == ["write s2", "write s3"]


def test_slow_pages_wait_for_words_but_not_for_ever(
    new_queue: Callable[..., DocumentQueue], log: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    queue, work = new_queue(), FakeImport(log)
    words = [f"a{number}" for number in range(9)]
    work.hold(*(f"read {word}" for word in words))
    queue.add(work.tasks(WORDS, *words) + work.tasks(SLOW_PAGES, "s"))
    until(log, "read a0", "read a1", "read a2", "read a3")
    assert "read a4" not in log and "read s" not in log
    monkeypatch.setattr(document_queue, "_WORDS_FIRST_SECONDS", 0.0)
    queue.wake_up()
    until(log, "read s")
    work.release()
    finish(queue, work)


def test_vectors_wait_from_the_next_batch_on_while_words_wait(
    new_queue: Callable[..., DocumentQueue], log: list[str]
) -> None:
    queue, work, later = new_queue(), FakeImport(log, batches={"v": 2}), FakeImport(log)
    work.hold("embed v")
    queue.add(work.tasks(VECTORS, "v"))
    until(log, "embed v")
    later.hold("read a")
    queue.add(later.tasks(WORDS, "a"))
    until(log, "read a")
    work.release()
    until(log, "add vectors v")
    later.release()
    finish(queue, work, later)
    assert log[2:] == ["add vectors v", "write a", "embed v", "add vectors v", "finish v"]


def test_the_next_batch_is_embedded_while_the_last_one_is_written(
    new_queue: Callable[..., DocumentQueue], log: list[str]
) -> None:
    queue, work = new_queue(), FakeImport(log, batches={"v": 2})
    work.hold("add vectors v")
    queue.add(work.tasks(VECTORS, "v"))
    wait_for(lambda: log.count("embed v") == 2, "the second batch")
    work.release()
    finish(queue, work)
    assert log.count("add vectors v") == 2 and log[-1] == "finish v"


def test_a_few_documents_come_before_those_of_a_large_import(
    new_queue: Callable[..., DocumentQueue], log: list[str]
) -> None:
    queue, large, small = new_queue(), FakeImport(log), FakeImport(log)
    names = [f"large {number:02}" for number in range(30)]
    large.hold(*(f"read {name}" for name in names))
    queue.add(large.tasks(WORDS, *names, large=True))
    until(log, "read large 00")
    begun = queue.left(large) - sum(f"read {name}" not in log for name in names)
    queue.add(small.tasks(WORDS, "small 1", "small 2"))
    large.release()
    finish(queue, large, small)
    written = [line.removeprefix("write ") for line in log if line.startswith("write")]
    assert written[:begun] == names[:begun], "what was begun is not given up"
    assert max(map(written.index, ("small 1", "small 2"))) < document_queue._AHEAD + 2
    assert [name for name in written if name in names] == names


def test_a_document_that_takes_long_is_waited_for_a_moment_only(
    new_queue: Callable[..., DocumentQueue], log: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    queue, work = new_queue(), FakeImport(log)
    work.hold("read long")
    queue.add(work.tasks(WORDS, "long", "short"))
    until(log, "read short")
    monkeypatch.setattr(document_queue, "_PATIENCE_SECONDS", 0.0)
    queue.wake_up()
    until(log, "write short")
    work.release()
    finish(queue, work)
    assert log[-1] == "write long"


def test_vectors_of_a_few_documents_come_before_the_next_batch_of_a_large_import(
    new_queue: Callable[..., DocumentQueue], log: list[str]
) -> None:
    queue, large, small = new_queue(), FakeImport(log, batches={"v": 2}), FakeImport(log)
    large.hold("embed v")
    queue.add(large.tasks(VECTORS, "v", large=True))
    until(log, "embed v")
    queue.add(small.tasks(VECTORS, "w"))
    large.release()
    finish(queue, large, small)
    in_order(log, "embed v", "embed w", "finish w", "embed v", "finish v")


def test_a_document_is_queued_once_for_an_import_and_read_for_each(
    new_queue: Callable[..., DocumentQueue], log: list[str]
) -> None:
    queue, work, later = new_queue(), FakeImport(log), FakeImport([])
    names = ["a", "b", "c", "d", "e"]
    work.hold(*(f"read {name}" for name in names))
    queue.add(work.tasks(WORDS, *names))
    until(log, "read a", "read b", "read c", "read d")
    queue.add(work.tasks(WORDS, "e"))
    queue.add(later.tasks(WORDS, "e"))
    assert (queue.left(work), queue.left(later)) == (5, 1)
    work.release()
    finish(queue, work, later)
    assert log.count("read e") == log.count("write e") == 1 and later.log == ["read e", "write e"]


def test_the_documents_of_a_locked_index_wait_and_the_others_go_on(
    new_queue: Callable[..., DocumentQueue], log: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(document_queue, "_LOCKED_SECONDS", 0.01)
    monkeypatch.setattr(document_queue, "_WORDS_FIRST_SECONDS", 0.0)
    queue, locked, other = new_queue(), FakeImport(log), FakeImport([])
    locked.hold("read b", "read s")
    queue.add(locked.tasks(WORDS, "b", "c", "d", "e", "a") + locked.tasks(SLOW_PAGES, "s"))
    queue.add(locked.tasks(VECTORS, "v"))
    until(log, "read b", "read s")
    locked.is_locked = True  # while two are read
    locked.release()
    queue.add(other.tasks(WORDS, "a") + other.tasks(VECTORS, "v") + other.tasks(SLOW_PAGES, "s"))
    finish(queue, other)
    assert {"write a", "finish v", "write s"} <= set(other.log)
    assert all(line.startswith("read") for line in log)
    locked.is_locked = False
    finish(queue, locked)
    assert {"write a", "finish v", "write s"} <= set(log)


@pytest.mark.parametrize("step", ["write b", "embed v", "add vectors v", "finish v w"])
def test_an_error_in_one_import_returns_what_it_has_not_done_and_leaves_the_others_going(
    new_queue: Callable[..., DocumentQueue], log: list[str], step: str
) -> None:
    queue, work, other = new_queue(workers=2), FakeImport(log, breaks={step: FULL}), FakeImport([])
    other.hold("read x")
    work.hold("read s")
    tasks = work.tasks(WORDS, "a", "b", "c") + work.tasks(VECTORS, "v", "w") + work.tasks(SLOW_PAGES, "s", "t")
    queue.add(tasks)
    queue.add(other.tasks(WORDS, "x"))
    with pytest.raises(CiteLoomError) as caught:
        queue.wait(work, lambda: False, WAIT)
    assert caught.value is FULL
    left = queue.withdraw(work)
    done = {"a"} if step == "write b" else {"a", "b", "c"}
    assert {task.source for task in left} == {task.source for task in tasks} - done and len(left) == len(tasks) - len(
        done
    )
    other.release()
    finish(queue, other)
    assert "write x" in other.log

    work.breaks.clear()
    work.batches["v"] += step == "add vectors v"
    queue.add(left)
    work.release()
    finish(queue, work)
    assert log.count("read s") == 1, "a reading in progress went on"
    written = [line for line in log if line.startswith("write")]
    assert {"write c", "write s", "write t"} <= set(written) and "finish v w" in log
    if step == "write b":
        in_order(log, "write a", "write b", "write c", "write b")


@pytest.mark.parametrize("stops", [True, False])
def test_an_import_that_withdraws_waits_until_nothing_of_it_is_written_and_gets_back_what_is_not_done(
    new_queue: Callable[..., DocumentQueue], log: list[str], *, stops: bool
) -> None:
    queue, work = new_queue(), FakeImport(log)
    names = [f"{number}" for number in range(9)]
    work.hold("write 1", "read 2")
    queue.add(work.tasks(WORDS, *names) + work.tasks(VECTORS, "v"))
    until(log, "write 1")
    returned: list[Task] = []
    work.stops = stops

    def withdraw() -> None:
        returned.extend(queue.withdraw(work))
        log.append("withdrawn")

    thread = threading.Thread(target=withdraw)
    thread.start()
    wait_for(lambda: not queue.left(work, VECTORS), "the queued ones to be removed")
    log.append("released")
    work.release("write 1")
    if stops:  # its readers end soon
        work.release("read 2")
    thread.join(WAIT)
    in_order(log, "released", "withdrawn")
    assert [line for line in log if line.startswith("write")] == ["write 0", "write 1"]
    assert {task.source for task in returned} == {*names[2:], "v"}
    work.stops = False
    queue.add(returned)
    work.release()
    finish(queue, work)
    assert sorted(line for line in log if line.startswith("write")) == [f"write {name}" for name in names]
    assert log.count("read 2") == (2 if stops else 1)


def test_what_is_added_to_an_import_that_ends_is_returned(
    new_queue: Callable[..., DocumentQueue], log: list[str]
) -> None:
    queue, work = new_queue(), FakeImport(log, breaks={"write a": FULL})
    queue.add(work.tasks(WORDS, "a"))
    with pytest.raises(CiteLoomError):
        queue.wait(work, lambda: False, WAIT)
    queue.add(work.tasks(VECTORS, "v"))
    assert [task.source for task in queue.withdraw(work)] == ["a", "v"]
    assert "embed v" not in log


def test_on_battery_only_words_are_written_and_on_mains_power_it_goes_on_by_itself(
    new_queue: Callable[..., DocumentQueue], log: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(document_queue, "_CHECK_SECONDS", 0.01)
    battery = False
    queue, work = new_queue(has_power=lambda: not battery), FakeImport(log, batches={"v": 2, "w": 1})
    work.hold("embed v")
    queue.add(work.tasks(VECTORS, "v", "w"))
    until(log, "embed v")
    battery = True
    work.release()
    until(log, "add vectors v")
    queue.add(work.tasks(WORDS, "a") + work.tasks(SLOW_PAGES, "s"))
    until(log, "write a")
    assert "read s" not in log
    assert queue.waits_for_power and log.count("embed v") == 1
    assert not queue.wait(work, lambda: False, 0)
    battery = False
    finish(queue, work)
    assert (log.count("embed v"), log.count("embed w")) == (2, 1) and {"finish v w", "write s"} <= set(log)
    assert not queue.waits_for_power


@pytest.mark.parametrize(
    ("lane", "step"),
    [(WORDS, "read v"), (WORDS, "write v"), (SLOW_PAGES, "read v"), (VECTORS, "embed v"), (VECTORS, "add vectors v")],
)
def test_a_crash_in_native_code_ends_one_import_with_an_error(
    new_queue: Callable[..., DocumentQueue], log: list[str], lane: Lane, step: str
) -> None:
    queue, other = new_queue(), FakeImport([])
    work = FakeImport(log, breaks={step: PanicException("the tokenizer panicked")})
    queue.add(work.tasks(lane, "v"))
    with pytest.raises(CiteLoomError, match="PanicException: the tokenizer panicked"):
        queue.wait(work, lambda: False, WAIT)
    assert [task.source for task in queue.withdraw(work)] == ["v"]
    queue.add(other.tasks(WORDS, "a"))
    finish(queue, other)


def test_an_error_that_no_import_has_made_ends_them_all_and_the_next_ones_go_on(
    new_queue: Callable[..., DocumentQueue], log: list[str]
) -> None:
    unknown = False

    def has_power() -> bool:
        if unknown:
            raise RuntimeError("can't start new thread")
        return True

    queue = new_queue(has_power=has_power)
    works = [FakeImport(log, project_id=name) for name in "pq"]
    works[0].hold("read a")
    unknown = True
    for work in works:
        queue.add(work.tasks(WORDS, "a") + work.tasks(VECTORS, "v") + work.tasks(SLOW_PAGES, "s"))
    for work in works:
        with pytest.raises(CiteLoomError, match="can't start new thread"):
            queue.wait(work, lambda: False, WAIT)
    unknown = False
    left = [queue.withdraw(work) for work in works]
    assert [{task.source for task in tasks} for tasks in left] == [{"a", "v", "s"}] * 2
    works[0].release()
    for tasks in left:
        queue.add(tasks)
    finish(queue, *works)
    assert log.count("write a") == log.count("finish v") == log.count("write s") == 2


def test_what_cannot_be_embedded_does_not_hold_up_the_words_of_the_same_import(
    new_queue: Callable[..., DocumentQueue], log: list[str]
) -> None:
    queue, work = new_queue(workers=3), FakeImport(log, breaks={"embed v": FULL})
    work.hold("read a", "read b")
    queue.add(work.tasks(WORDS, "a", "b") + work.tasks(VECTORS, "v", "w"))
    wait_for(lambda: queue.left(work, WORDS) == 2 and not queue.left(work, VECTORS), "the error")
    assert not queue.wait(work, lambda: False, 0)
    work.release("read a")
    until(log, "write a")
    queue.add(work.tasks(VECTORS, "a"))
    work.release("read b")
    with pytest.raises(CiteLoomError) as caught:
        queue.wait(work, lambda: False, WAIT)
    assert caught.value is FULL
    assert {"write a", "write b"} <= set(log) and log.count("embed v") == 1
    assert "embed a" not in log, "it would fail as well"
    assert [task.source for task in queue.withdraw(work)] == ["v", "w", "a"]


@pytest.mark.parametrize("before", ["embed v", "add vectors v"])
def test_a_locked_index_does_not_hold_up_the_vectors_of_the_others(
    new_queue: Callable[..., DocumentQueue], log: list[str], monkeypatch: pytest.MonkeyPatch, before: str
) -> None:
    monkeypatch.setattr(document_queue, "_LOCKED_SECONDS", 0.01)
    queue, locked, other = new_queue(), FakeImport(log, batches={"v": 3}), FakeImport([])
    locked.hold(before)
    queue.add(locked.tasks(VECTORS, "v"))
    until(log, before)
    locked.is_locked = True
    queue.add(other.tasks(VECTORS, "x"))
    locked.release()
    finish(queue, other)
    assert "finish v" not in log
    locked.is_locked = False
    finish(queue, locked)
    assert log.count("embed v") == log.count("add vectors v") == 3 and log[-1] == "finish v"


def test_vectors_that_were_made_are_written_although_the_next_batch_cannot_be_begun(
    new_queue: Callable[..., DocumentQueue], log: list[str]
) -> None:
    queue, work = new_queue(), FakeImport(log, breaks={"next batch": FULL}, batches={"v": 2})
    queue.add(work.tasks(VECTORS, "v"))
    with pytest.raises(CiteLoomError) as caught:
        queue.wait(work, lambda: False, WAIT)
    assert caught.value is FULL and log == ["embed v", "add vectors v"]
    work.breaks.clear()
    queue.add(queue.withdraw(work))
    finish(queue, work)
    assert log[2:] == ["embed v", "add vectors v", "finish v"]


@pytest.mark.parametrize("ends", ["cancelled", "paused"])
def test_an_import_that_waits_for_power_can_be_ended_and_goes_on_where_it_was(
    new_queue: Callable[..., DocumentQueue], log: list[str], monkeypatch: pytest.MonkeyPatch, ends: str
) -> None:
    battery, asked = True, 0

    def has_power() -> bool:
        nonlocal asked
        asked += 1
        return not battery

    queue, work = new_queue(has_power=has_power), FakeImport(log)
    queue.add(work.tasks(VECTORS, "v") + work.tasks(SLOW_PAGES, "s"))
    wait_for(lambda: queue.waits_for_power, "the queue to wait for power")
    for _ in range(50):
        queue.wake_up()
        assert queue.waits_for_power
    assert asked == 1, "asked every few seconds at most"
    monkeypatch.setattr(document_queue, "_CHECK_SECONDS", 0.01)
    work.stops = ends == "cancelled"
    left = queue.withdraw(work)
    assert log == [] and {task.source for task in left} == {"v", "s"} and not queue.waits_for_power
    if ends == "paused":
        queue.add(left)
        assert not queue.wait(work, lambda: False, 0.05)
        battery = False
        finish(queue, work)
        assert {"finish v", "write s"} <= set(log)
