"""Thread-safe LRU cache that is limited by number and by total size."""

from __future__ import annotations

import threading
from collections import OrderedDict
from typing import Generic, TypeVar

_T = TypeVar("_T")


class LruCache(Generic[_T]):
    """LRU cache of at most `max_items` values with at most `max_size` in total."""

    def __init__(self, max_items: int, max_size: int = 0) -> None:
        self._max_items, self._max_size = max_items, max_size
        self._values: OrderedDict[str, tuple[_T, int]] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, name: str) -> _T | None:
        """Return a cached value, or None."""
        with self._lock:
            if name not in self._values:
                return None
            self._values.move_to_end(name)
            return self._values[name][0]

    def put(self, name: str, value: _T, size: int = 0) -> None:
        """Cache a value and drop the least recently used ones beyond the limits."""
        with self._lock:
            self._values[name] = (value, size)
            self._values.move_to_end(name)
            while (
                len(self._values) > self._max_items or sum(size for _, size in self._values.values()) > self._max_size
            ):
                self._values.popitem(last=False)
