"""Shared set-up of the child processes that work on an index: optimise.py and trial_open.py."""

from __future__ import annotations

import ctypes
import signal
import sys
from pathlib import Path

IMPORT_ROOT = Path(__file__).parents[3]  # working directory in which `python -m citeloom…` imports this version
_SIGNAL_OF_PARENTS_DEATH = 1  # PR_SET_PDEATHSIG


def end_with_parent() -> None:
    """Have the system end this process with the engine: the next engine must be alone in its folders."""
    if sys.platform == "linux":  # other systems offer nothing that works while Qdrant Edge holds the GIL
        ctypes.CDLL(None).prctl(_SIGNAL_OF_PARENTS_DEATH, signal.SIGKILL)
