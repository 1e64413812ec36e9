"""Shared set-up of the child processes that work on an index: optimise.py and trial_open.py."""

from __future__ import annotations

import ctypes
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

IMPORT_ROOT = Path(__file__).parents[3]  # working directory in which `python -m citeloom…` imports this version
_SIGNAL_OF_PARENTS_DEATH = 1  # PR_SET_PDEATHSIG
_POLL_SECONDS = 0.1


def end_with_parent() -> None:
    """Have the system end this process with the engine: the next engine must be alone in its folders."""
    if sys.platform == "linux":  # other systems offer nothing that works while Qdrant Edge holds the GIL
        ctypes.CDLL(None).prctl(_SIGNAL_OF_PARENTS_DEATH, signal.SIGKILL)


@contextmanager
def killed_when(process: subprocess.Popen[str], condition: Callable[[], object]) -> Iterator[None]:
    """Kill a process as soon as a condition is true, and in any case at the end of the block."""
    ended = threading.Event()

    def watch() -> None:
        while not ended.wait(_POLL_SECONDS):
            if condition():
                process.kill()
                return

    thread = threading.Thread(target=watch, daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()
        process.kill()
