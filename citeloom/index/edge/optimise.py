"""Builds the search graph (HNSW) of a collection in a child process.

Qdrant Edge holds the GIL while it optimises: inside the engine, every search would wait. The child works on a copy,
which the engine swaps in, or in place where nobody reads yet. Called by the registry and search.indexes.
"""

from __future__ import annotations

import json
import logging
import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

from citeloom.core.errors import CiteLoomError, Code
from citeloom.index.edge.child_process import IMPORT_ROOT, end_with_parent, killed_when
from citeloom.index.edge.collection import EdgeCollection, optimise
from citeloom.index.edge.sparse_files import copy_with_holes

log = logging.getLogger(__name__)

MAX_WITHOUT_GRAPH = 100_000  # passages; with more at once, building the graph takes more memory than a laptop can spare
_BATCH = 256
_NEVER = threading.Event()

PassageProgress = Callable[[int, int], None]


def optimised_copy(
    source: Path,
    target: Path,
    rewrite_as: tuple[int, bool] | None = None,
    on_progress: PassageProgress = lambda done, total: None,
    stop: threading.Event = _NEVER,
) -> EdgeCollection | None:
    """Return a copy of a collection with its search graph; None if it was stopped. Nobody may write meanwhile.

    With `rewrite_as`, the size of its dense vectors and whether it has sparse ones, every passage is written again, so
    that deleted passages leave nothing behind.
    """
    try:
        if _run_in_child(source, target, rewrite_as, on_progress, stop):
            return EdgeCollection.open(target)
    except CiteLoomError:
        _remove(target)
        raise
    _remove(target)
    return None


def optimise_in_place(collection: EdgeCollection, stop: threading.Event) -> None:
    """Build the search graph in place, in a child process, while nobody uses the collection.

    If that fails, the passages are searched without a graph: nothing is lost.
    """
    with collection.released():
        try:
            _run_in_child(collection.folder, None, None, lambda done, total: None, stop)
        except CiteLoomError as error:
            log.warning("%s stays without a search graph: %s", collection.folder, error)


def _run_in_child(
    source: Path,
    target: Path | None,
    rewrite_as: tuple[int, bool] | None,
    on_progress: PassageProgress,
    stop: threading.Event,
) -> bool:
    """Run `main` in a child process; return False if it was stopped."""
    arguments = json.dumps([str(source), target and str(target), rewrite_as])
    command = [sys.executable, "-m", "citeloom.index.edge.optimise", arguments]
    try:
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=IMPORT_ROOT)
    except OSError as error:
        raise _failed(str(error)) from error
    with process, killed_when(process, stop.is_set):
        assert process.stdout and process.stderr
        for line in process.stdout:
            done, total = map(int, line.split())
            on_progress(done, total)
        reason = process.stderr.read().strip().splitlines()[-1:] or ["no reason given"]
        process.wait()
    if process.returncode == 0:
        return True
    if stop.is_set():
        return False
    raise _failed(reason[0])


def _failed(reason: str) -> CiteLoomError:
    return CiteLoomError(Code.STORAGE_ERROR, f"The index could not be optimised: {reason.rstrip('.')}.")


def _remove(target: Path) -> None:
    for folder in (target, _copy_of_source(target)):
        shutil.rmtree(folder, ignore_errors=True)


def _copy_of_source(target: Path) -> Path:
    return target.with_name(f"{target.name}-source")


def main(source: Path, target: Path | None, rewrite_as: tuple[int, bool] | None) -> None:
    """Optimise a collection that nobody has open, or a copy of one that nobody writes."""
    if hasattr(os, "nice"):
        os.nice(10)
    end_with_parent()
    if target is None:
        optimise(source)
        return
    shutil.rmtree(target, ignore_errors=True)
    if rewrite_as is None:
        shutil.copytree(source, target, copy_function=copy_with_holes)
    else:
        copy = _copy_of_source(target)  # the engine has the source open
        shutil.rmtree(copy, ignore_errors=True)
        shutil.copytree(source, copy, copy_function=copy_with_holes)
        _rewrite(copy, target, *rewrite_as)
        shutil.rmtree(copy)
    optimise(target)


def _rewrite(source: Path, target: Path, dense_size: int, sparse: bool) -> None:
    old, new = EdgeCollection.open(source), EdgeCollection.create(target, dense_size, sparse=sparse)
    total, done, after = old.count(), 0, None
    while points := old.points(after, _BATCH):
        if new.written >= MAX_WITHOUT_GRAPH:
            with new.released():
                optimise(target)
        new.upsert(points)
        done, after = done + len(points), points[-1].id
        print(done, total, flush=True)
    if new.count() != total:
        raise RuntimeError(f"{new.count()} of {total} passages were written")
    new.close()
    old.close()


if __name__ == "__main__":
    _source, _target, _rewrite_as = json.loads(sys.argv[1])
    main(Path(_source), _target and Path(_target), _rewrite_as)
