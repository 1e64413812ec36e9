"""How much memory processes hold while something is done."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import psutil


@contextmanager
def peak_memory(processes: Callable[[], list[psutil.Process]]) -> Iterator[list[int]]:
    """The most bytes that these processes and their children held together, in a list of one number."""
    peak, over = [0], threading.Event()

    def watch() -> None:
        while not over.wait(0.05):
            held = 0
            for process in processes():
                try:
                    held += sum(one.memory_info().rss for one in (process, *process.children(recursive=True)))
                except psutil.Error:
                    continue
            peak[0] = max(peak[0], held)

    watching = threading.Thread(target=watch)
    watching.start()
    try:
        yield peak
    finally:
        over.set()
        watching.join()
