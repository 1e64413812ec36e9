"""Worker processes that convert documents: one that crashes, hangs or grows too large costs its document only."""

from __future__ import annotations

import itertools
import json
import logging
import os
import queue
import shutil
import signal
import subprocess
import sys
import threading
import time
import uuid
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from citeloom.conversion.limits import Limits, worker_count
from citeloom.conversion.worker import COPIES, PROMPTLY
from citeloom.core import fault_injection as faults
from citeloom.core import paths
from citeloom.core.errors import CiteLoomError, Code, DocumentError
from citeloom.core.jobs import JobStopped
from citeloom.core.processes import end_with_children, megabytes

log = logging.getLogger(__name__)

_LOOK_EVERY = 0.5  # seconds between two looks at a worker
_MOST_DOCUMENTS = 40  # then a worker is replaced: what libraries leak goes with it
_MOST_QUESTIONS = 1000
_MOST_MEGABYTES = 700  # that a worker may hold when its document is done
_USUAL = Limits()
_BY_NAME = "Then have it read again."
_READING = "reading-"  # how the names of folders begin in which workers keep copies of what they read
_KILLING = [getattr(signal, name) for name in ("SIGKILL", "SIGTERM", "SIGHUP", "SIGINT") if os.name == "posix"]


Tell = Callable[[dict[str, Any]], None]  # how far a long document is


def _never() -> bool:
    return False


def _nobody(progress: dict[str, Any]) -> None:
    pass


def conversion_file(folder: Path, content_hash: str, converter: str) -> Path:
    """Where the conversion of a content by a converter is kept."""
    return folder / content_hash[:2] / f"{content_hash}-{converter}.json.gz"


def forget_copies() -> None:
    """Delete what the workers of an engine that was killed have left."""
    for left in Path(paths.folders().cache).glob(f"{_READING}*"):
        shutil.rmtree(left, ignore_errors=True)


class TookTooLong(CiteLoomError):
    """A document was not read within its time."""


class _Died(Exception):
    """The worker process ended in the middle of a document."""

    def __init__(self, exit_code: int | None) -> None:
        super().__init__(f"exit code {exit_code}")
        # What a system short of memory sends, or a person; no document makes its reader send it to itself.
        self.was_killed = -(exit_code or 0) in _KILLING


class _Worker:
    def __init__(self, *arguments: str) -> None:
        self._arguments = arguments
        self._numbers = itertools.count(1)
        self._process: subprocess.Popen[bytes] | None = None
        self._copies = ""
        self._served = 0

    def ask(self, request: dict[str, Any], limits: Limits, stopped: Callable[[], bool], tell: Tell) -> dict[str, Any]:
        process = self._process
        if process is None or process.poll() is not None:
            self.end()
            process = self._process = self._start()
        assert process.stdin and process.stdout
        number = next(self._numbers)
        with _Watch(process, limits, stopped) as watch:
            try:
                process.stdin.write(json.dumps({"id": number, **request}).encode() + b"\n")
                process.stdin.flush()
                while (line := process.stdout.readline()).endswith(b"\n"):
                    reply: dict[str, Any] = json.loads(line)
                    if "progress" not in reply:
                        break
                    tell(reply["progress"])
            except (OSError, ValueError):  # it was ended meanwhile, and its pipes with it
                line = b""
        if watch.verdict is not None:
            self.end()
            raise watch.verdict
        if not line.endswith(b"\n"):  # it ended before or in the middle of its answer
            self.end()
            raise _Died(process.returncode)
        self._served += 1
        return reply

    def refresh(self, most_documents: int) -> None:
        """End a process that has done much or kept much; the next document starts another."""
        process = self._process
        if process and (self._served >= most_documents or megabytes(process.pid) > _MOST_MEGABYTES):
            self.end()

    def end(self) -> None:
        process, self._process, self._served = self._process, None, 0
        if process is not None:
            end_with_children(process)
            process.wait()
            for pipe in (process.stdin, process.stdout):
                if pipe:
                    with suppress(OSError):  # a request that it never read
                        pipe.close()
            if self._copies:
                shutil.rmtree(self._copies, ignore_errors=True)

    def _start(self) -> subprocess.Popen[bytes]:
        self._copies = str(Path(paths.folders().cache, f"{_READING}{uuid.uuid4().hex}"))  # made when it is needed
        one_core = {"OMP_NUM_THREADS": "1", "OMP_THREAD_LIMIT": "1"}  # several workers share the machine
        return subprocess.Popen(
            [sys.executable, "-m", "citeloom.conversion.worker", COPIES, self._copies, *self._arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            # The package may be used from a checkout, without being installed.
            env={**os.environ, "PYTHONPATH": _python_path(), **one_core},
            # Ctrl-C in a terminal is the engine's to handle, and what the worker starts can be ended with it.
            start_new_session=os.name == "posix",
        )


class _Watch:
    """Looks at a worker from outside while it works, and ends it when it may not go on."""

    def __init__(self, process: subprocess.Popen[bytes], limits: Limits, stopped: Callable[[], bool]) -> None:
        self.verdict: Exception | None = None
        self._process, self._limits, self._stopped = process, limits, stopped
        self._answered = threading.Event()
        self._thread = threading.Thread(target=self._look, name="watch", daemon=True)

    def __enter__(self) -> _Watch:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._answered.set()
        self._thread.join()

    def _look(self) -> None:
        left, looked = self._limits.seconds, time.monotonic()
        while not self._answered.wait(max(0.0, min(_LOOK_EVERY, left))):
            now = time.monotonic()
            # A machine that was suspended, or too busy to look, gave the worker no time either.
            left, looked = left - min(now - looked, 2 * _LOOK_EVERY), now
            self.verdict = self._judge(left)
            if self.verdict is not None:
                end_with_children(self._process)
                return

    def _judge(self, left: float) -> Exception | None:
        allowed = self._limits.megabytes
        if self._stopped():
            return JobStopped()
        if left <= 0:
            return TookTooLong(
                Code.CONVERSION_FAILED,
                f"Reading it took longer than {self._limits.seconds:.0f} seconds.",
                f"Split the file. {_BY_NAME}",
            )
        if allowed and megabytes(self._process.pid) > allowed:
            return CiteLoomError(
                Code.CONVERSION_FAILED,
                f"Reading it needed more than {allowed} MB of memory.",
                f"Split the file, or raise engine.worker_memory_mb in the settings. {_BY_NAME}",
            )
        return None


def _python_path() -> str:
    root = str(Path(__file__).parents[2])
    return os.pathsep.join(p for p in (root, os.environ.get("PYTHONPATH", "")) if p)


class WorkerPool:
    """A few workers, started when first needed and replaced when they die.

    What can be had at once has workers of its own: it never waits for whole documents, which may take hours.
    """

    def __init__(self, count: int = 0) -> None:
        self.count = count or worker_count()
        self._whole: queue.Queue[_Worker] = queue.Queue()
        self._quick: queue.Queue[_Worker] = queue.Queue()
        self._all: list[_Worker] = []
        self._ended = threading.Event()
        for free, size in ((self._whole, self.count), (self._quick, (self.count + 1) // 2)):
            for _ in range(size):
                self._all.append(_Worker())
                free.put(self._all[-1])

    def convert(
        self,
        request: dict[str, Any],
        limits: Limits = _USUAL,
        stopped: Callable[[], bool] = _never,
        tell: Tell = _nobody,
    ) -> dict[str, Any]:
        """Convert and cut up one document; waits for a free worker. Raises JobStopped once `stopped` says so."""
        faults.point("conversion.quick" if request.get("quick") else "conversion.whole", request.get("path"))
        free = self._quick if request.get("quick") else self._whole
        worker = _next(free, stopped)
        try:
            return _ask(worker, request, limits, stopped, tell)
        finally:
            faults.point("conversion.ended", request.get("path"))
            worker.refresh(_MOST_DOCUMENTS)
            free.put(worker)

    def convert_aside(self, request: dict[str, Any], limits: Limits = _USUAL) -> dict[str, Any]:
        """Convert for somebody who waits, in a process of its own: an import may hold the others for long."""
        worker = _Worker()
        try:
            return _ask(worker, request, limits, self._ended.is_set, _nobody)
        except JobStopped:
            raise _engine_ends() from None
        finally:
            worker.end()

    def rest(self) -> None:
        """End the processes that nobody uses; the next document starts new ones."""
        for free in (self._whole, self._quick):
            for _ in range(free.qsize()):
                with suppress(queue.Empty):
                    worker = free.get_nowait()
                    worker.end()
                    free.put(worker)

    def end(self) -> None:
        """End all worker processes, also in the middle of a document; an import starts new ones."""
        self._ended.set()
        for worker in self._all:
            worker.end()


class StandbyWorker:
    """One worker for a person who waits: it is kept for the next question, and ends when none comes for a while."""

    def __init__(self, idle_seconds: float = 120.0) -> None:
        self._worker = _Worker(PROMPTLY)
        self._asking = threading.Lock()
        self._idle_seconds = idle_seconds
        self._idle: threading.Timer | None = None
        self._ended = False

    def ask(self, request: dict[str, Any], limits: Limits) -> dict[str, Any]:
        """The answer to a request; one question is answered at a time."""
        with self._asking:
            if self._ended:
                raise _engine_ends()
            if self._idle:
                self._idle.cancel()
            try:
                reply = self._worker.ask(request, limits, lambda: self._ended, _nobody)
            except JobStopped:
                raise _engine_ends() from None
            except _Died as error:
                raise CiteLoomError(
                    Code.CONVERSION_FAILED,
                    f"{Path(request['path']).name} crashed the converter ({error}).",
                    "Open the file and save it anew, for example by printing it to a PDF.",
                ) from error
            except CiteLoomError as error:  # it was ended for the time or the memory that it took
                raise CiteLoomError(
                    Code.CONVERSION_FAILED,
                    f"This page of {Path(request['path']).name} takes more time or memory than a page may.",
                    "Open the file in a PDF viewer.",
                ) from error
            finally:
                self._worker.refresh(_MOST_QUESTIONS)
                self._rest_later()
        if not reply.get("ok"):
            raise CiteLoomError.from_dict(reply["error"])
        return reply

    def _rest_later(self) -> None:
        if not self._ended:
            self._idle = threading.Timer(self._idle_seconds, self._rest)
            self._idle.daemon = True
            self._idle.start()

    def _rest(self) -> None:
        if self._asking.acquire(blocking=False):  # somebody asks again: a new while begins
            try:
                self._worker.end()
            finally:
                self._asking.release()

    def end(self) -> None:
        """End the process for good, also in the middle of a question."""
        self._ended = True  # whoever asks is refused within a moment
        with self._asking:
            if self._idle:
                self._idle.cancel()
            self._worker.end()


def _engine_ends() -> CiteLoomError:
    return CiteLoomError(Code.ENGINE_UNAVAILABLE, "The engine has ended.", "Call again.")


def _next(free: queue.Queue[_Worker], stopped: Callable[[], bool]) -> _Worker:
    while not stopped():
        with suppress(queue.Empty):
            worker = free.get(timeout=_LOOK_EVERY)
            if not stopped():
                return worker
            free.put(worker)  # it became free because the import was stopped
    raise JobStopped


def _ask(
    worker: _Worker, request: dict[str, Any], limits: Limits, stopped: Callable[[], bool], tell: Tell
) -> dict[str, Any]:
    try:
        try:
            reply = worker.ask(request, limits, stopped, tell)
        except _Died as first:
            # Somebody may have ended the process for reasons of their own: one more try tells.
            log.warning("a worker ended during %s (%s); trying once more", request.get("path"), first)
            reply = worker.ask(request, limits, stopped, tell)
    except _Died as error:
        if error.was_killed:
            raise CiteLoomError(
                Code.ENGINE_UNAVAILABLE,
                f"The process that read {Path(str(request.get('path'))).name} was killed from outside.",
                "If it happens often, the computer may have too little memory free: close other programs.",
            ) from error
        raise CiteLoomError(
            Code.CONVERSION_FAILED,
            f"Reading it crashed the converter ({error}).",
            "Open the file and save it anew, for example by printing it to a PDF.",
        ) from error
    if not reply.get("ok"):
        raise DocumentError.from_dict(reply["error"])
    return reply
