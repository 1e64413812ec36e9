"""Cores, memory and power supply of the machine, memory of processes, and ending them with their children."""

from __future__ import annotations

import ctypes
import logging
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

import psutil

log = logging.getLogger(__name__)

_system: Any = psutil  # has no type information
_MB = 1024 * 1024
_POWER_SUPPLIES = Path("/sys/class/power_supply")  # of Linux


def cores() -> int:
    """Return the number of cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 2


def machine_megabytes() -> int:
    """Return the memory of the machine in MB."""
    return int(_system.virtual_memory().total // _MB)


def memory_megabytes(pid: int) -> float:
    """Return the memory of a process and its children in MB; 0 when it has ended."""
    return sum(_resident_bytes(process) for process in _family(pid)) / _MB


def kill_with_children(process: subprocess.Popen[bytes]) -> None:
    """Kill a process and its children."""
    if process.returncode is not None:
        return  # its pid may have been reused
    family = _family(process.pid)
    if os.name == "posix":
        # Its process group also contains orphans of its children, unless the process leads no group.
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
    for member in family:
        with suppress(psutil.Error):
            member.kill()
    process.kill()


def release_free_memory() -> None:
    """Return free memory to the system. glibc keeps it in each thread's arena, long after an import."""
    if (trim := _malloc_trim()) is not None:
        trim(0)


@cache
def _malloc_trim() -> Callable[[int], int] | None:
    """Return glibc's `malloc_trim`, or None: other systems release free memory by themselves."""
    if not sys.platform.startswith("linux"):
        return None
    try:
        function = ctypes.CDLL(None).malloc_trim
    except (OSError, AttributeError):  # another C library
        return None
    function.argtypes, function.restype = (ctypes.c_size_t,), ctypes.c_int
    return function


def _family(pid: int) -> list[Any]:
    with suppress(psutil.Error):
        parent = _system.Process(pid)
        return [parent, *parent.children(recursive=True)]
    return []


def _resident_bytes(process: Any) -> int:
    with suppress(psutil.Error):
        return int(process.memory_info().rss)
    return 0


def runs_on_battery(power_supplies: Path = _POWER_SUPPLIES) -> bool:
    """Return whether the computer is not on mains power; False if that is unknown."""
    try:
        if sys.platform.startswith("linux"):
            return _is_discharging(power_supplies)
        battery: Any = _system.sensors_battery()
        return battery is not None and battery.power_plugged is False
    except Exception as error:
        log.debug("the power supply is unknown: %s", error)
        return False


def _is_discharging(power_supplies: Path) -> bool:
    """Return whether a battery of the computer is discharged: psutil also takes that of a wireless mouse for one."""
    discharging = False
    for supply in power_supplies.iterdir():
        kind, scope, online, status = (_attribute(supply, name) for name in ("type", "scope", "online", "status"))
        if scope == "Device":  # it supplies a mouse or a keyboard
            continue
        if kind in ("Mains", "USB") and online not in ("", "0"):
            return False
        discharging = discharging or (kind == "Battery" and status == "Discharging")
    return discharging


def _attribute(supply: Path, name: str) -> str:
    with suppress(OSError):  # not every supply has every attribute
        return (supply / name).read_text(encoding="utf-8", errors="replace").strip()
    return ""
