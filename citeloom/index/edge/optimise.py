"""Builds the search graph of a collection in a process of its own.

Qdrant Edge holds Python's lock for as long as it optimises: inside the engine, every question would wait.
So it is done here: over a copy, which the engine swaps in, or in place where nobody reads yet.
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
from citeloom.index.edge.child_process import FOLDER, end_with_parent
from citeloom.index.edge.collection import EdgeCollection, optimise
from citeloom.index.edge.sparse_files import copy_with_holes

log = logging.getLogger(__name__)

AT_ONCE = 100_000  # passages: with more, building the graph takes more memory than a laptop has to spare
_BATCH = 256
_PATIENCE = 0.2  # seconds between two looks at whether to stop
_NEVER = threading.Event()

Tell = Callable[[int, int], None]


def optimised_copy(
    source: Path,
    target: Path,
    anew: tuple[int, bool] | None = None,
    tell: Tell = lambda done, total: None,
    stop: threading.Event = _NEVER,
) -> EdgeCollection | None:
    """A copy of a collection with its search graph built, made in another process; None if it was stopped.

    Nobody may write meanwhile. With `anew`, the size of its dense vectors and whether it has sparse ones, every passage
    is written once more: nothing is left of what was deleted.
    """
    try:
        if _done_elsewhere(source, target, anew, tell, stop):
            return EdgeCollection.open(target)
    except CiteLoomError:
        _remove(target)
        raise
    _remove(target)
    return None


def optimise_in_place(collection: EdgeCollection, stop: threading.Event) -> None:
    """Build the search graph in place, in another process, while nobody reads or writes the collection.

    Where that fails, the passages are searched without one: nothing is lost.
    """
    with collection.let_go():
        try:
            _done_elsewhere(collection.folder, None, None, lambda done, total: None, stop)
        except CiteLoomError as error:
            log.warning("%s goes on without a search graph: %s", collection.folder, error)


def _done_elsewhere(
    source: Path, target: Path | None, anew: tuple[int, bool] | None, tell: Tell, stop: threading.Event
) -> bool:
    """Run `main` in a process of its own; False if it was stopped."""
    arguments = json.dumps([str(source), target and str(target), anew])
    command = [sys.executable, "-m", "citeloom.index.edge.optimise", arguments]
    try:
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=FOLDER)
    except OSError as error:
        raise _failed(str(error)) from error
    ended = threading.Event()
    watch = threading.Thread(target=_kill_when_told, args=(process, stop, ended), daemon=True)
    watch.start()
    try:
        assert process.stdout and process.stderr
        for line in process.stdout:
            done, total = map(int, line.split())
            tell(done, total)
        reason = process.stderr.read().strip().splitlines()[-1:] or ["no reason given"]
        process.wait()
    finally:
        ended.set()
        watch.join()
        process.kill()
        process.communicate()
    if process.returncode == 0:
        return True
    if stop.is_set():
        return False
    raise _failed(reason[0])


def _failed(reason: str) -> CiteLoomError:
    return CiteLoomError(Code.STORAGE_ERROR, f"The index could not be optimised: {reason.rstrip('.')}.")


def _remove(target: Path) -> None:
    for left in (target, _aside(target)):
        shutil.rmtree(left, ignore_errors=True)


def _kill_when_told(process: subprocess.Popen[str], stop: threading.Event, ended: threading.Event) -> None:
    while not ended.wait(_PATIENCE):
        if stop.is_set():
            process.kill()
            return


def _aside(target: Path) -> Path:
    return target.with_name(f"{target.name}-source")


def main(source: Path, target: Path | None, anew: tuple[int, bool] | None) -> None:
    """Optimise a collection that nobody has open, or a copy of one that is not being written."""
    if hasattr(os, "nice"):
        os.nice(10)
    end_with_parent()
    if target is None:
        optimise(source)
        return
    shutil.rmtree(target, ignore_errors=True)
    if anew is None:
        shutil.copytree(source, target, copy_function=copy_with_holes)
    else:
        copy = _aside(target)  # the engine has the source open
        shutil.rmtree(copy, ignore_errors=True)
        shutil.copytree(source, copy, copy_function=copy_with_holes)
        _write_anew(copy, target, *anew)
        shutil.rmtree(copy)
    optimise(target)


def _write_anew(source: Path, target: Path, dense_size: int, sparse: bool) -> None:
    old, new = EdgeCollection.open(source), EdgeCollection.create(target, dense_size, sparse=sparse)
    total, done, after = old.count(), 0, None
    while points := old.points(after, _BATCH):
        if new.written >= AT_ONCE:
            with new.let_go():
                optimise(target)
        new.upsert(points)
        done, after = done + len(points), points[-1].id
        print(done, total, flush=True)
    if new.count() != total:
        raise RuntimeError(f"{new.count()} of {total} passages were written")
    new.close()
    old.close()


if __name__ == "__main__":
    _source, _target, _anew = json.loads(sys.argv[1])
    main(Path(_source), _target and Path(_target), _anew)
