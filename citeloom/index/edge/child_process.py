"""What the processes have in common that work on an index for the engine."""

from __future__ import annotations

import ctypes
import signal
import sys
from pathlib import Path

IMPORT_ROOT = Path(__file__).parents[3]  # where `python -m citeloom…` finds this version
_SIGNAL_OF_PARENTS_DEATH = 1  # as Linux calls it for prctl


def end_with_parent() -> None:
    """End when the engine is killed: the next one must find nobody at work in its folders."""
    if sys.platform == "linux":  # elsewhere nothing can be done while Qdrant Edge holds Python's lock
        ctypes.CDLL(None).prctl(_SIGNAL_OF_PARENTS_DEATH, signal.SIGKILL)
