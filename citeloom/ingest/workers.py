"""Worker processes that convert documents: one that crashes or hangs costs its document only."""

from __future__ import annotations

import itertools
import json
import logging
import os
import queue
import subprocess
import sys
import threading
from contextlib import suppress
from pathlib import Path
from typing import Any

from citeloom.errors import CiteLoomError, Code

log = logging.getLogger(__name__)

_SECONDS_PER_DOCUMENT = 600.0


def conversion_file(folder: Path, content_hash: str, converter: str) -> Path:
    """Where the conversion of a content by a converter is kept."""
    return folder / content_hash[:2] / f"{content_hash}-{converter}.json.gz"


class _Died(Exception):
    """The worker process ended in the middle of a document."""


class _Worker:
    def __init__(self) -> None:
        self._numbers = itertools.count(1)
        self._process: subprocess.Popen[bytes] | None = None

    def ask(self, request: dict[str, Any], seconds: float) -> dict[str, Any]:
        process = self._process
        if process is None or process.poll() is not None:
            process = self._process = self._start()
        assert process.stdin and process.stdout
        number = next(self._numbers)
        hung = threading.Event()

        def give_up() -> None:
            hung.set()
            process.kill()

        watch = threading.Timer(seconds, give_up)
        watch.start()
        try:
            process.stdin.write(json.dumps({"id": number, **request}).encode() + b"\n")
            process.stdin.flush()
            line = process.stdout.readline()
        except OSError:
            line = b""
        finally:
            watch.cancel()
        if hung.is_set():
            self.end()
            raise CiteLoomError(
                Code.CONVERSION_FAILED,
                f"It took longer than {seconds:.0f} seconds.",
                "Try it alone, or split the file.",
            )
        if not line.endswith(b"\n"):  # it ended before or in the middle of its answer
            self.end()
            raise _Died(f"exit code {process.returncode}")
        reply: dict[str, Any] = json.loads(line)
        return reply

    def end(self) -> None:
        process, self._process = self._process, None
        if process is not None:
            process.kill()
            process.wait()
            for pipe in (process.stdin, process.stdout):
                if pipe:
                    with suppress(OSError):  # a request that it never read
                        pipe.close()

    @staticmethod
    def _start() -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            [sys.executable, "-m", "citeloom.documents.worker"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            # The package may be used from a checkout, without being installed.
            env={**os.environ, "PYTHONPATH": _python_path(), "OMP_NUM_THREADS": "1"},
            start_new_session=os.name == "posix",  # Ctrl-C in a terminal is the engine's to handle
        )


def _python_path() -> str:
    root = str(Path(__file__).parents[2])
    return os.pathsep.join(p for p in (root, os.environ.get("PYTHONPATH", "")) if p)


class Workers:
    """A few workers, started when first needed and replaced when they die."""

    def __init__(self, count: int = 0) -> None:
        self.count = count or max(1, min(4, (os.cpu_count() or 2) - 1))
        self._free: queue.Queue[_Worker] = queue.Queue()
        self._all = [_Worker() for _ in range(self.count)]
        for worker in self._all:
            self._free.put(worker)

    def convert(self, request: dict[str, Any], seconds: float = _SECONDS_PER_DOCUMENT) -> dict[str, Any]:
        """Convert and cut up one document; waits for a free worker."""
        worker = self._free.get()
        try:
            try:
                reply = worker.ask(request, seconds)
            except _Died as first:
                # Somebody may have ended the process for reasons of their own: one more try tells.
                log.warning("a worker ended during %s (%s); trying once more", request["path"], first)
                reply = worker.ask(request, seconds)
        except _Died as error:
            raise CiteLoomError(
                Code.CONVERSION_FAILED,
                f"Reading it crashed the converter ({error}).",
                "Open the file and save it anew, for example by printing it to a PDF.",
            ) from error
        finally:
            self._free.put(worker)
        if not reply.get("ok"):
            raise CiteLoomError.from_dict(reply["error"])
        return reply

    def end(self) -> None:
        """End all worker processes; the next document starts new ones."""
        for worker in self._all:
            worker.end()
