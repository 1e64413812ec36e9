"""Gives memory that is no longer needed back to the system."""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Callable
from functools import cache


def release_free_memory() -> None:
    """Have the allocator return what is free. glibc keeps it in each thread's arena, long after an import is over."""
    if (trim := _malloc_trim()) is not None:
        trim(0)


@cache
def _malloc_trim() -> Callable[[int], int] | None:
    """glibc's function, where there is one: other systems return free memory by themselves."""
    if not sys.platform.startswith("linux"):
        return None
    try:
        function = ctypes.CDLL(None).malloc_trim
    except (OSError, AttributeError):  # another C library
        return None
    function.argtypes, function.restype = (ctypes.c_size_t,), ctypes.c_int
    return function
