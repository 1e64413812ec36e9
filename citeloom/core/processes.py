"""What the machine has and what a process takes of it. The only importer of psutil."""

from __future__ import annotations

import os
import signal
import subprocess
from contextlib import suppress
from typing import Any

import psutil

_system: Any = psutil  # it comes without types
_MB = 1024 * 1024


def cores() -> int:
    """The cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 2


def machine_megabytes() -> int:
    """The machine's memory."""
    return int(_system.virtual_memory().total // _MB)


def megabytes(pid: int) -> float:
    """The memory that a process and its children hold now; none when it has gone."""
    return sum(_held(process) for process in _family(pid)) / _MB


def end_with_children(process: subprocess.Popen[bytes]) -> None:
    """End a process at once, with what it started."""
    if process.returncode is not None:
        return  # its number may be another's by now
    family = _family(process.pid)
    if os.name == "posix":
        # Its group also holds what its children let go of. A process that leads no group has none.
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
    for one in family:
        with suppress(psutil.Error):
            one.kill()
    process.kill()


def _family(pid: int) -> list[Any]:
    with suppress(psutil.Error):
        parent = _system.Process(pid)
        return [parent, *parent.children(recursive=True)]
    return []


def _held(process: Any) -> int:
    with suppress(psutil.Error):
        return int(process.memory_info().rss)
    return 0
