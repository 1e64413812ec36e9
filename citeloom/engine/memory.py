"""Releases unused memory to the system. Called by the container between imports."""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Callable
from functools import cache


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
