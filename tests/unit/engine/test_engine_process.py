"""How the engine's process ends."""

from __future__ import annotations

import subprocess
import sys

from tests.support import ROOT, WAIT

_HANGS = """
import sys, threading
from citeloom.engine import main as engine

def main(arguments):
    threading.Thread(target=threading.Event().wait).start()
    print("why", file=sys.stderr)
    return 3

engine.main = main
engine.run_and_exit([])
"""


def test_a_call_that_hangs_does_not_keep_an_engine_that_has_stopped() -> None:
    ended = subprocess.run([sys.executable, "-c", _HANGS], cwd=ROOT, capture_output=True, timeout=WAIT, check=False)
    assert (ended.returncode, ended.stderr) == (3, b"why\n")
