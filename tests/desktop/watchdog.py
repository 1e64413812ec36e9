"""Notices when the UI thread is held up for longer than a person would forgive, and by what."""

from __future__ import annotations

import sys
import threading
import time
import traceback
from pathlib import Path
from types import FrameType

from PySide6.QtCore import QTimer

from tests.support import ROOT

STALL = 0.1  # seconds
_DESKTOP = str(ROOT / "citeloom")


class Watchdog:
    """Counts stalls that the app's own code makes. That this machine gave the time to somebody else is no stall:
    then the thread is seen waiting for events, not inside a function of the app."""

    def __init__(self) -> None:
        self.stalls: list[str] = []
        self.ticks = 0
        self._last = time.perf_counter()
        self._main = threading.main_thread().ident
        self._timer = QTimer(interval=5)
        self._timer.timeout.connect(self._tick)
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._look, daemon=True)

    def __enter__(self) -> Watchdog:
        self._last = time.perf_counter()
        self._timer.start()
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        self._thread.join()
        self._timer.stop()

    def _tick(self) -> None:
        self.ticks += 1
        self._last = time.perf_counter()

    def _look(self) -> None:
        seen: tuple[float, int] | None = None  # the tick that is late, and how often it was seen in the app's code
        while not self._ended.wait(STALL / 4):
            last = self._last
            if time.perf_counter() - last < STALL / 2:
                continue
            frame = sys._current_frames().get(self._main or 0)
            if frame is None or not _in_the_app(frame):
                continue
            seen = (last, seen[1] + 1 if seen and seen[0] == last else 1)
            if time.perf_counter() - last > STALL and seen[1] == 3:
                self.stalls.append("".join(traceback.format_stack(frame)[-6:]))


def _in_the_app(frame: FrameType | None) -> bool:
    while frame is not None:
        if frame.f_code.co_filename.startswith(_DESKTOP) and Path(frame.f_code.co_filename).name != "app.py":
            return True
        frame = frame.f_back
    return False
