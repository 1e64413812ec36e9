"""Memory that is free goes back to the system."""

from __future__ import annotations

import subprocess
import sys

import pytest

_FREED = """
import threading
from citeloom.core.processes import release_free_memory

def own():
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("RssAnon"))

def work():
    # Pieces above Python's own allocator, so that they are glibc's. What stays lies between what goes.
    pieces = [bytearray(2000) for _ in range(20_000)]
    kept.extend(pieces[::1000])

kept = []
before = own()
threads = [threading.Thread(target=work) for _ in range(4)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
used = own()
release_free_memory()
print(used - before, own() - before)
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="other systems return free memory by themselves")
def test_what_threads_have_freed_is_returned_although_something_is_kept_between() -> None:
    told = subprocess.run([sys.executable, "-c", _FREED], capture_output=True, text=True, check=True).stdout
    used, left = map(int, told.split())
    assert used > 20_000, "kilobytes: nothing was held back, so nothing is shown"
    assert left < used / 4
