"""Builds the search graph of a collection in a process of its own.

Qdrant Edge holds Python's lock for as long as it optimises: inside the engine, every question would wait.
So a copy is optimised here, and the engine swaps it in.
"""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

from citeloom.index.edge import optimise


def main(source: Path, target: Path) -> None:
    """Copy a collection that is not being written, and optimise the copy."""
    if hasattr(os, "nice"):
        os.nice(10)
    shutil.rmtree(target, ignore_errors=True)
    shutil.copytree(source, target)
    optimise(target)


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
