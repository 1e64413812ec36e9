"""Worker processes: one that dies is replaced, one that hangs or grows is ended, and only its document fails."""

from __future__ import annotations

import os
import queue
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import psutil
import pytest

from citeloom.conversion import pool as module
from citeloom.conversion.limits import Limits
from citeloom.conversion.pool import StandbyWorker, WorkerPool
from citeloom.core.errors import RETRIED_CODES, Cause, CiteLoomError, Code
from citeloom.core.jobs import JobStopped
from tests.unit.conversion.raw_pdf import PAGE, one_page, stream

LONG = 60.0  # seconds; nothing here takes as long
ANSWER = """
import json, sys
for line in sys.stdin:
    request = json.loads(line)
    if request["path"] == "crash":
        sys.exit(7)
    if request["path"] == "hang":
        import time
        time.sleep(600)
    if request["path"] == "long":
        for page in range(2):
            print(json.dumps({"progress": {"stage": "ocr", "done": page, "total": 2}}), flush=True)
    if request["path"] == "grow":
        import time
        held = bytearray(b"x" * 300_000_000)
        time.sleep(600)
    if request["path"] == "keep":
        held = bytearray(b"x" * 300_000_000)
    if request["path"].startswith("start a child"):
        import pathlib, subprocess, time
        program = "held = bytearray(b'x' * 300_000_000); import time; time.sleep(600)"
        child = subprocess.Popen([sys.executable, "-S", "-c", program])
        pathlib.Path(request["path"].partition(": ")[2]).write_text(str(child.pid))
        time.sleep(600)
    if request["path"] == "cut short":
        sys.stdout.write('{"ok": true, "passages": [')
        sys.stdout.flush()
        sys.exit(7)
    if request["path"] == "refuse":
        error = {"code": "PERMISSION_DENIED", "message": "It may not be read.", "details": {"path": "x"}}
        print(json.dumps({"ok": False, "error": error}), flush=True)
        continue
    print(json.dumps({"ok": True, "echo": request["path"]}), flush=True)
"""
CRASH_ONCE = """
import pathlib, sys
marker = pathlib.Path(sys.argv[1])
if not marker.exists():
    sys.stdin.readline()
    marker.write_text("")
    sys.exit(9)
"""

Use = Callable[..., WorkerPool]
Processes = list[subprocess.Popen[bytes]]


@pytest.fixture
def processes() -> Iterator[Processes]:
    """Every process that was started, in order."""
    started: Processes = []
    yield started
    for process in started:
        process.kill()
        process.wait()
        for pipe in (process.stdin, process.stdout):
            with suppress(OSError):
                pipe.close()  # type: ignore[union-attr]


@pytest.fixture
def use(monkeypatch: pytest.MonkeyPatch, processes: Processes) -> Use:
    """Workers that run this program instead of the converter."""

    def workers(program: str, *arguments: str, count: int = 1) -> WorkerPool:
        command = [sys.executable, "-S", "-c", program, *arguments]

        def start() -> subprocess.Popen[bytes]:
            pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
            processes.append(subprocess.Popen(command, start_new_session=os.name == "posix", **pipes))
            return processes[-1]

        monkeypatch.setattr(module._Worker, "_start", staticmethod(start))
        return WorkerPool(count)

    return workers


def ask(workers: WorkerPool, path: str, seconds: float = LONG, megabytes: int = 0) -> Any:
    return workers.convert({"path": path}, Limits(seconds, megabytes))


def refused(workers: WorkerPool, path: str, seconds: float = LONG, megabytes: int = 0) -> CiteLoomError:
    with pytest.raises(CiteLoomError) as caught:
        ask(workers, path, seconds, megabytes)
    return caught.value


def test_a_worker_is_started_when_needed_and_kept(use: Use, processes: Processes) -> None:
    workers = use(ANSWER)
    assert processes == []
    assert [ask(workers, str(n))["echo"] for n in range(3)] == ["0", "1", "2"]
    assert len(processes) == 1


def test_a_worker_that_dies_once_is_replaced_unseen(use: Use, processes: Processes, tmp_path: Path) -> None:
    workers = use(CRASH_ONCE + ANSWER, str(tmp_path / "crashed"))
    assert ask(workers, "a")["echo"] == "a"
    assert len(processes) == 2


def test_how_far_a_long_document_is_is_told_before_the_answer_comes(use: Use) -> None:
    told: list[Any] = []
    reply = use(ANSWER).convert({"path": "long"}, Limits(LONG), lambda: False, told.append)
    assert (reply["echo"], [progress["done"] for progress in told]) == ("long", [0, 1])


@pytest.mark.parametrize("path", ["crash", "cut short"])
def test_a_document_that_kills_two_workers_failed_and_the_next_one_does_not(
    use: Use, processes: Processes, path: str
) -> None:
    workers = use(ANSWER)
    error = refused(workers, path)
    assert error.code == Code.CONVERSION_FAILED
    assert "7" in error.message and error.next_step
    assert len(processes) == 2
    assert ask(workers, "b")["echo"] == "b"


def test_a_document_that_takes_too_long_failed_and_the_next_one_does_not(use: Use, processes: Processes) -> None:
    workers = use(ANSWER)
    ask(workers, "a")
    error = refused(workers, "hang", 0.3)
    assert error.code == Code.CONVERSION_FAILED
    assert "longer than" in error.message
    assert ask(workers, "b")["echo"] == "b"


def test_a_document_that_needs_too_much_memory_failed_once_and_says_what_to_do(use: Use, processes: Processes) -> None:
    workers = use(ANSWER)
    error = refused(workers, "grow", megabytes=150)
    assert error.code == Code.CONVERSION_FAILED
    assert "150 MB" in error.message
    assert "engine.worker_memory_mb" in error.next_step
    assert len(processes) == 1
    assert ask(workers, "b", megabytes=150)["echo"] == "b"


def test_what_a_worker_started_counts_with_it_and_ends_with_it(use: Use, processes: Processes, tmp_path: Path) -> None:
    workers = use(ANSWER)
    file = tmp_path / "child"
    assert "150 MB" in refused(workers, f"start a child: {file}", megabytes=150).message
    assert has_ended(int(file.read_text()))


def test_what_a_worker_started_ends_when_the_import_is_stopped(use: Use, tmp_path: Path) -> None:
    file = tmp_path / "child"

    def stopped() -> bool:
        return file.exists() and bool(file.read_text())

    with pytest.raises(JobStopped):
        use(ANSWER).convert({"path": f"start a child: {file}"}, Limits(LONG), stopped)
    assert has_ended(int(file.read_text()))


def has_ended(pid: int) -> bool:
    """Whether a process has ended; it keeps its number until somebody takes note of that."""
    until = time.monotonic() + LONG
    try:
        while psutil.Process(pid).status() != psutil.STATUS_ZOMBIE:
            if time.monotonic() > until:
                return False
            time.sleep(0.02)
    except psutil.NoSuchProcess:
        pass
    return True


def test_a_stop_ends_a_document_at_once_and_those_that_wait_for_a_worker(use: Use, processes: Processes) -> None:
    workers, stop = use(ANSWER), threading.Event()
    outcomes: queue.Queue[type[BaseException]] = queue.Queue()

    def convert() -> None:
        try:
            workers.convert({"path": "hang"}, Limits(LONG), stop.is_set)
        except BaseException as error:
            outcomes.put(type(error))

    threads = [threading.Thread(target=convert) for _ in range(2)]
    for thread in threads:
        thread.start()
    while not processes:
        pass
    stop.set()
    assert [outcomes.get(timeout=LONG) for _ in threads] == [JobStopped, JobStopped]
    for thread in threads:
        thread.join()
    assert len(processes) == 1
    assert ask(workers, "b")["echo"] == "b"


@pytest.mark.parametrize(
    ("limit", "value", "path"), [("_MAX_DOCUMENTS", 2, "a"), ("_MAX_MEGABYTES", 150, "keep")], ids=["work", "memory"]
)
def test_a_worker_that_has_done_or_kept_much_is_replaced(
    use: Use, processes: Processes, monkeypatch: pytest.MonkeyPatch, limit: str, value: int, path: str
) -> None:
    monkeypatch.setattr(module, limit, value)
    workers = use(ANSWER)
    for expected in (1, 1 if limit == "_MAX_DOCUMENTS" else 2, 2 if limit == "_MAX_DOCUMENTS" else 3):
        assert ask(workers, path)["echo"] == path
        assert len(processes) == expected


def test_somebody_who_waits_is_served_while_all_workers_are_busy(use: Use, processes: Processes) -> None:
    workers, stop = use(ANSWER), threading.Event()
    busy = threading.Thread(target=lambda: suppressed(workers, stop))
    busy.start()
    while not processes:
        pass
    assert workers.convert_in_own_process({"path": "b"}, Limits(LONG))["echo"] == "b"
    assert processes[1].returncode is not None
    stop.set()
    busy.join()


@pytest.mark.parametrize("kept", [False, True], ids=["aside", "kept"])
def test_the_end_of_the_engine_is_not_held_up_by_somebody_who_waits(use: Use, processes: Processes, kept: bool) -> None:
    workers, worker = use(ANSWER), StandbyWorker()
    end, serve = (worker.end, worker.call) if kept else (workers.end, workers.convert_in_own_process)
    refusals: list[CiteLoomError] = []

    def wait() -> None:
        with pytest.raises(CiteLoomError) as caught:
            serve({"path": "hang"}, Limits(LONG))
        refusals.append(caught.value)

    waiting = [threading.Thread(target=wait) for _ in range(2)]  # of a kept one, the second waits for the first
    for one in waiting:
        one.start()
    while not processes:
        pass
    end()
    for one in waiting:
        one.join()
    assert [refusal.code for refusal in refusals] == [Code.ENGINE_UNAVAILABLE] * 2
    assert all(process.wait() is not None for process in processes)
    with pytest.raises(CiteLoomError):
        serve({"path": "hang"}, Limits(LONG))


def suppressed(workers: WorkerPool, stop: threading.Event) -> None:
    with suppress(JobStopped):
        workers.convert({"path": "hang"}, Limits(LONG), stop.is_set)


def test_a_refusal_comes_back_as_it_was_meant(use: Use, processes: Processes) -> None:
    workers = use(ANSWER)
    error = refused(workers, "refuse")
    assert (error.code, str(error), error.details) == (Code.PERMISSION_DENIED, "It may not be read.", {"path": "x"})
    assert len(processes) == 1


def test_idle_workers_that_were_ended_start_anew_and_those_of_an_ended_pool_do_not(
    use: Use, processes: Processes
) -> None:
    workers = use(ANSWER, count=2)
    ask(workers, "a")
    workers.end_idle()
    assert all(process.returncode is not None for process in processes)
    assert ask(workers, "b")["echo"] == "b"
    assert len(processes) == 2
    workers.end()
    with pytest.raises(JobStopped):
        ask(workers, "c")
    assert all(process.returncode is not None for process in processes)


@pytest.mark.parametrize("path", ["crash", "hang"])
def test_nothing_is_left_of_a_worker_that_died(use: Use, processes: Processes, path: str) -> None:
    workers = use(ANSWER)
    refused(workers, path, 0.3 if path == "hang" else LONG)
    ask(workers, "b")
    workers.end()
    assert len(processes) > 1
    for process in processes:
        assert process.returncode is not None
        assert process.stdin and process.stdin.closed
        assert process.stdout and process.stdout.closed


def multiplying(path: Path) -> Path:
    """A PDF whose page paints forms that paint forms, ten of each, nine deep."""
    entries = "/Type /XObject /Subtype /Form /BBox [0 0 9 9] /Resources << /XObject << /X {} 0 R >> >>"
    forms: dict[int, bytes | str] = {n: stream(b"/X Do " * 10, entries.format(n + 1)) for n in range(6, 15)}
    page = PAGE.replace("/Font", "/XObject << /X 6 0 R >> /Font")
    return one_page(path, b"/X Do", more={3: page, **forms, 15: stream(b"0 0 9 9 re f", entries.format(15))})


def test_the_real_converter_answers_and_refuses(tmp_path: Path) -> None:
    workers = WorkerPool(1)
    try:
        note = tmp_path / "note.md"
        note.write_text("# Salt\n\nGrain and salt were traded along the coast.\n")
        request = {"cache_file": None, "tokenizer": None, "max_tokens": 64, "use_cache": False}
        reply = workers.convert({"path": str(note), **request}, Limits(LONG))
        assert reply["passages"][0]["section_path"] == ["Salt"]
        with pytest.raises(CiteLoomError) as caught:
            workers.convert({"path": str(tmp_path / "gone.md"), **request}, Limits(LONG))
        assert caught.value.code == Code.FILE_NOT_FOUND
        grows = {"path": str(multiplying(tmp_path / "grows.pdf")), "quick": True, **request}
        with pytest.raises(CiteLoomError, match="more than 300 MB of memory"):
            workers.convert(grows, Limits(LONG, 300))
        assert workers.convert({"path": str(note), "quick": True, **request}, Limits(LONG, 300))["passages"]
    finally:
        workers.end()


KILLED = """
import json, os, pathlib, signal, sys
request = json.loads(sys.stdin.readline())
os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.skipif(os.name != "posix", reason="only there a process says who ended it")
def test_a_worker_that_is_killed_from_outside_is_not_its_documents_fault(use: Use, processes: Processes) -> None:
    error = refused(use(KILLED), "paper.pdf")
    assert (error.cause, error.code in RETRIED_CODES) == (Cause.UNCERTAIN, True)
    assert "paper.pdf was killed by another program" in error.message
    assert len(processes) == 2, "it is tried once more at once"
    assert refused(use(ANSWER), "crash").cause is Cause.DOCUMENT


def test_what_a_worker_says_of_its_document_holds_up_no_other(use: Use) -> None:
    program = ANSWER.replace('"PERMISSION_DENIED"', '"MODEL_NOT_AVAILABLE"')
    error = refused(use(program), "refuse")
    assert (error.code, error.cause) == (Code.MODEL_NOT_AVAILABLE, Cause.DOCUMENT)


def test_time_in_which_the_machine_was_asleep_does_not_count(use: Use, monkeypatch: pytest.MonkeyPatch) -> None:
    slept = iter([0.0, 3600.0])  # the clock jumps once, between two looks
    real = time.monotonic
    jump = 0.0

    def clock() -> float:
        nonlocal jump
        jump += next(slept, 0.0)
        return real() + jump

    late = 'if request["path"] == "hang":\n        import time\n        time.sleep(2)\n    if False:'
    program = ANSWER.replace('if request["path"] == "hang":', late)
    monkeypatch.setattr(module.time, "monotonic", clock)
    assert ask(use(program), "hang", LONG)["echo"] == "hang"
