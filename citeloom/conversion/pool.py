"""Pool of worker processes for conversion: a crash, hang or memory leak costs one document only.

WorkerPool serves imports, StandbyWorker the page view. The processes run worker.py.
"""

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
from typing import IO, Any

from citeloom.conversion.limits import Limits, worker_count
from citeloom.conversion.worker import COPIES, INTERACTIVE
from citeloom.core import fault_injection as faults
from citeloom.core import paths
from citeloom.core.errors import CiteLoomError, Code, DocumentError
from citeloom.core.jobs import JobStopped
from citeloom.core.processes import kill_with_children, memory_megabytes

log = logging.getLogger(__name__)

_POLL_SECONDS = 0.5  # how often a running worker is checked
_MAX_DOCUMENTS = 40  # after which a worker is replaced, because libraries leak memory
_MAX_REQUESTS = 1000  # of the page view
_MAX_MEGABYTES = 700  # limit of an idle worker
_DEFAULT_LIMITS = Limits()
_CONVERT_AGAIN = "Then import it again."
_COPY_PREFIX = "reading-"  # prefix of the folders with private copies of documents
_KILL_SIGNALS = [getattr(signal, name) for name in ("SIGKILL", "SIGTERM", "SIGHUP", "SIGINT") if os.name == "posix"]


# Of the hash of a file: the rest of the request and its limits, or None to skip the file.
Decide = Callable[[str], tuple[dict[str, Any], Limits] | None]
ProgressCallback = Callable[[dict[str, Any]], None]  # called with the progress of a long document


def _not_stopped() -> bool:
    return False


def _ignore_progress(progress: dict[str, Any]) -> None:
    pass


def remove_stale_copies() -> None:
    """Delete private copies that the workers of a killed engine left."""
    for folder in Path(paths.folders().cache).glob(f"{_COPY_PREFIX}*"):
        shutil.rmtree(folder, ignore_errors=True)


class ConversionTimeout(CiteLoomError):
    """Raised when a conversion exceeds its time limit."""


class _WorkerDied(Exception):
    """Raised when the worker process ends during a conversion."""

    def __init__(self, exit_code: int | None) -> None:
        super().__init__(f"exit code {exit_code}")
        # Signals of the out-of-memory killer or a person; a crash by a document has others.
        self.was_killed = -(exit_code or 0) in _KILL_SIGNALS


class _Worker:
    def __init__(self, *arguments: str) -> None:
        self._arguments = arguments
        self._numbers = itertools.count(1)
        self._process: subprocess.Popen[bytes] | None = None
        self._copies = ""
        self._served = 0
        self._closed = False

    def call(
        self,
        request: dict[str, Any],
        limits: Limits,
        stopped: Callable[[], bool],
        on_progress: ProgressCallback,
        decide: Decide = lambda content_hash: None,
    ) -> dict[str, Any]:
        process = self._process
        if process is None or process.poll() is not None:
            self.end()
            process = self._process = self._start()
            if self._closed:  # meanwhile
                self.end()
                raise JobStopped
        assert process.stdin and process.stdout
        number = next(self._numbers)
        with _Watchdog(process, limits, stopped) as watch:
            try:
                _send(process.stdin, {"id": number, **request})
                while (line := process.stdout.readline()).endswith(b"\n"):
                    reply: dict[str, Any] = json.loads(line)
                    if "content_hash" in reply:
                        rest, allowed = decide(reply["content_hash"]) or (None, limits)
                        watch.restart(allowed)
                        _send(process.stdin, rest)
                    elif "progress" in reply:
                        on_progress(reply["progress"])
                    else:
                        break
            except (OSError, ValueError):  # the process ended meanwhile, which closed its pipes
                line = b""
            except BaseException:  # of the caller: the process still waits for an answer
                self.end()
                raise
        if watch.error is not None:
            self.end()
            raise watch.error
        if not line.endswith(b"\n"):  # the process ended before or during its answer
            self.end()
            raise _WorkerDied(process.returncode)
        self._served += 1
        return reply

    def close(self) -> None:
        """End the process for good."""
        self._closed = True
        self.end()

    def refresh(self, most_documents: int) -> None:
        """End a process that has converted many documents or uses much memory."""
        process = self._process
        if process and (self._served >= most_documents or memory_megabytes(process.pid) > _MAX_MEGABYTES):
            self.end()

    def end(self) -> None:
        process, self._process, self._served = self._process, None, 0
        if process is not None:
            kill_with_children(process)
            process.wait()
            for pipe in (process.stdin, process.stdout):
                if pipe:
                    with suppress(OSError):  # a request that the process did not read
                        pipe.close()
            if self._copies:
                shutil.rmtree(self._copies, ignore_errors=True)

    def _start(self) -> subprocess.Popen[bytes]:
        self._copies = str(Path(paths.folders().cache, f"{_COPY_PREFIX}{uuid.uuid4().hex}"))  # created on demand
        # The package may be used from a checkout, without being installed.
        python_path = filter(None, (str(Path(__file__).parents[2]), os.environ.get("PYTHONPATH")))
        one_core = {"OMP_NUM_THREADS": "1", "OMP_THREAD_LIMIT": "1"}  # several workers share the cores
        return subprocess.Popen(
            [sys.executable, "-m", "citeloom.conversion.worker", COPIES, self._copies, *self._arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(python_path), **one_core},
            # A separate group: the engine handles Ctrl-C, and child processes of the worker can be ended with it.
            start_new_session=os.name == "posix",
        )


class _Watchdog:
    """Watches a worker during a request, and kills it on a stop request or above a limit."""

    def __init__(self, process: subprocess.Popen[bytes], limits: Limits, stopped: Callable[[], bool]) -> None:
        self.error: Exception | None = None
        self._process, self._limits, self._stopped = process, limits, stopped
        self._remaining = limits.seconds
        self._answered = threading.Event()
        self._thread = threading.Thread(target=self._poll, name="watch", daemon=True)

    def __enter__(self) -> _Watchdog:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._answered.set()
        self._thread.join()

    def restart(self, limits: Limits) -> None:
        """Apply other limits from now on."""
        self._limits, self._remaining = limits, limits.seconds

    def _poll(self) -> None:
        polled = time.monotonic()
        while not self._answered.wait(max(0.0, min(_POLL_SECONDS, self._remaining))):
            now = time.monotonic()
            # Time in which the machine was suspended does not count.
            self._remaining, polled = self._remaining - min(now - polled, 2 * _POLL_SECONDS), now
            self.error = self._violation(self._remaining)
            if self.error is not None:
                kill_with_children(self._process)
                return

    def _violation(self, remaining: float) -> Exception | None:
        allowed = self._limits.megabytes
        if self._stopped():
            return JobStopped()
        if remaining <= 0:
            return ConversionTimeout(
                Code.CONVERSION_FAILED,
                f"Reading it took longer than {self._limits.seconds:.0f} seconds.",
                f"Split the file. {_CONVERT_AGAIN}",
            )
        if allowed and memory_megabytes(self._process.pid) > allowed:
            return CiteLoomError(
                Code.CONVERSION_FAILED,
                f"Reading it needed more than {allowed} MB of memory.",
                f"Split the file, or raise engine.worker_memory_mb in the settings. {_CONVERT_AGAIN}",
            )
        return None


class WorkerPool:
    """Worker processes, started on demand and replaced when they die.

    Quick conversions have their own workers, so that they never wait for complete ones, which may take hours.
    """

    def __init__(self, count: int = 0) -> None:
        self.count = count or worker_count()
        self._complete: queue.Queue[_Worker] = queue.Queue()
        self._quick: queue.Queue[_Worker] = queue.Queue()
        self._all: list[_Worker] = []
        self._ended = threading.Event()
        for idle in (self._complete, self._quick):
            for _ in range(self.count):
                self._all.append(_Worker())
                idle.put(self._all[-1])

    def convert(
        self,
        request: dict[str, Any],
        limits: Limits = _DEFAULT_LIMITS,
        stopped: Callable[[], bool] = _not_stopped,
        on_progress: ProgressCallback = _ignore_progress,
        decide: Decide = lambda content_hash: None,
    ) -> dict[str, Any]:
        """Convert one document and split it into passages; waits for a free worker. Raises JobStopped.

        A request with `identify` names only a file: `decide` gets the hash of its content, and returns the rest of the
        request, or None if the file need not be converted.
        """
        faults.point("conversion.quick" if request.get("quick") else "conversion.whole", request.get("path"))
        idle = self._quick if request.get("quick") else self._complete
        worker = _wait_for_idle(idle, stopped)
        try:
            return _call_with_retry(worker, request, limits, stopped, on_progress, decide)
        finally:
            faults.point("conversion.ended", request.get("path"))
            worker.refresh(_MAX_DOCUMENTS)
            idle.put(worker)

    def convert_in_own_process(self, request: dict[str, Any], limits: Limits = _DEFAULT_LIMITS) -> dict[str, Any]:
        """Convert one document at once in a process of its own, since an import may occupy the others."""
        worker = _Worker()
        try:
            return _call_with_retry(worker, request, limits, self._ended.is_set, _ignore_progress)
        except JobStopped:
            raise _engine_stopped() from None
        finally:
            worker.end()

    def end_idle(self) -> None:
        """End idle processes; new ones are started on demand."""
        for idle in (self._complete, self._quick):
            for _ in range(idle.qsize()):
                with suppress(queue.Empty):
                    worker = idle.get_nowait()
                    worker.end()
                    idle.put(worker)

    def end(self) -> None:
        """End all worker processes, even during a conversion."""
        self._ended.set()
        for worker in self._all:
            worker.close()


class StandbyWorker:
    """One worker for interactive requests, which ends after an idle timeout."""

    def __init__(self, idle_seconds: float = 120.0) -> None:
        self._worker = _Worker(INTERACTIVE)
        self._request_lock = threading.Lock()
        self._idle_seconds = idle_seconds
        self._idle: threading.Timer | None = None
        self._ended = False

    def call(self, request: dict[str, Any], limits: Limits) -> dict[str, Any]:
        """Return the answer to a request; one at a time."""
        with self._request_lock:
            if self._ended:
                raise _engine_stopped()
            if self._idle:
                self._idle.cancel()
            try:
                reply = self._worker.call(request, limits, lambda: self._ended, _ignore_progress)
            except JobStopped:
                raise _engine_stopped() from None
            except _WorkerDied as error:
                raise _crashed(Path(request["path"]).name, error) from error
            except CiteLoomError as error:  # the worker exceeded its time or memory limit
                raise CiteLoomError(
                    Code.CONVERSION_FAILED,
                    f"This page of {Path(request['path']).name} takes more time or memory than a page may.",
                    "Open the file in a PDF viewer.",
                ) from error
            finally:
                self._worker.refresh(_MAX_REQUESTS)
                if not self._ended:
                    self._idle = threading.Timer(self._idle_seconds, self._end_if_idle)
                    self._idle.daemon = True
                    self._idle.start()
        if not reply.get("ok"):
            raise CiteLoomError.from_dict(reply["error"])
        return reply

    def _end_if_idle(self) -> None:
        if self._request_lock.acquire(blocking=False):  # otherwise a request is running, which restarts the timer
            try:
                self._worker.end()
            finally:
                self._request_lock.release()

    def end(self) -> None:
        """End the process permanently, even during a request."""
        self._ended = True  # stops a running request at its next poll
        with self._request_lock:
            if self._idle:
                self._idle.cancel()
            self._worker.end()


def _engine_stopped() -> CiteLoomError:
    return CiteLoomError(Code.ENGINE_UNAVAILABLE, "The engine has ended.", "Call again.")


def _crashed(what: str, error: _WorkerDied) -> CiteLoomError:
    next_step = "Open the file and save it again, for example by printing it to a PDF."
    return CiteLoomError(Code.CONVERSION_FAILED, f"{what} crashed the converter ({error}).", next_step)


def _wait_for_idle(idle: queue.Queue[_Worker], stopped: Callable[[], bool]) -> _Worker:
    while not stopped():
        with suppress(queue.Empty):
            worker = idle.get(timeout=_POLL_SECONDS)
            if not stopped():
                return worker
            idle.put(worker)  # it became free because the import was stopped
    raise JobStopped


def _call_with_retry(
    worker: _Worker,
    request: dict[str, Any],
    limits: Limits,
    stopped: Callable[[], bool],
    on_progress: ProgressCallback,
    decide: Decide = lambda content_hash: None,
) -> dict[str, Any]:
    try:
        try:
            reply = worker.call(request, limits, stopped, on_progress, decide)
        except _WorkerDied as first:
            # The process may have been killed for another reason: one retry decides.
            log.warning("a worker ended during %s (%s); trying once more", request.get("path"), first)
            reply = worker.call(request, limits, stopped, on_progress, decide)
    except _WorkerDied as error:
        if error.was_killed:
            raise CiteLoomError(
                Code.ENGINE_UNAVAILABLE,
                f"The process that read {Path(str(request.get('path'))).name} was killed by another program.",
                "If it happens often, the computer may have too little memory free: close other programs.",
            ) from error
        raise _crashed("Reading it", error) from error
    if not reply.get("ok"):
        of_document = DocumentError.from_dict(reply["error"])
        raise CiteLoomError.from_dict(reply["error"]) if "away" in of_document.details else of_document
    return reply


def _send(requests: IO[bytes], message: object) -> None:
    requests.write(json.dumps(message).encode() + b"\n")
    requests.flush()
