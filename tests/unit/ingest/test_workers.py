"""Worker processes: one that dies is replaced, one that hangs is ended, and only its document fails."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from citeloom.errors import CiteLoomError, Code
from citeloom.ingest import workers as module
from citeloom.ingest.workers import Workers

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

Use = Callable[..., Workers]
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

    def workers(program: str, *arguments: str, count: int = 1) -> Workers:
        command = [sys.executable, "-S", "-c", program, *arguments]

        def start() -> subprocess.Popen[bytes]:
            processes.append(subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE))
            return processes[-1]

        monkeypatch.setattr(module._Worker, "_start", staticmethod(start))
        return Workers(count)

    return workers


def ask(workers: Workers, path: str, seconds: float = LONG) -> Any:
    return workers.convert({"path": path}, seconds)


def refused(workers: Workers, path: str, seconds: float = LONG) -> CiteLoomError:
    with pytest.raises(CiteLoomError) as caught:
        ask(workers, path, seconds)
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


def test_a_refusal_comes_back_as_it_was_meant(use: Use, processes: Processes) -> None:
    workers = use(ANSWER)
    error = refused(workers, "refuse")
    assert (error.code, str(error), error.details) == (Code.PERMISSION_DENIED, "It may not be read.", {"path": "x"})
    assert len(processes) == 1


def test_workers_that_were_ended_start_anew(use: Use, processes: Processes) -> None:
    workers = use(ANSWER, count=2)
    ask(workers, "a")
    workers.end()
    assert all(process.returncode is not None for process in processes)
    assert ask(workers, "b")["echo"] == "b"
    assert len(processes) == 2


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


def test_the_real_converter_answers_and_refuses(tmp_path: Path) -> None:
    workers = Workers(1)
    try:
        note = tmp_path / "note.md"
        note.write_text("# Salt\n\nGrain and salt were traded along the coast.\n")
        request = {"cache_file": None, "tokenizer": None, "max_tokens": 64, "use_cache": False}
        reply = workers.convert({"path": str(note), **request}, LONG)
        assert reply["passages"][0]["section_path"] == ["Salt"]
        with pytest.raises(CiteLoomError) as caught:
            workers.convert({"path": str(tmp_path / "gone.md"), **request}, LONG)
        assert caught.value.code == Code.FILE_NOT_FOUND
    finally:
        workers.end()
