"""Opens an index in a child process with limits on memory, disk and time.

Qdrant Edge trusts what it reads: one wrong byte among the ids makes it allocate a hundred gigabytes. So an index
without valid checksums is opened here first and gets checksums if it is sound. Damaged indexes are read here as well.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import psutil

from citeloom.core.errors import CiteLoomError, Code
from citeloom.index import filters as f
from citeloom.index.base import Collection, ScoredPoint
from citeloom.index.edge.checksums import unusable
from citeloom.index.edge.child_process import IMPORT_ROOT, end_with_parent, killed_when
from citeloom.index.edge.sparse_files import disk_usage

_system: Any = psutil  # has no type information
_MB = 1_000_000
_PAGE = 64
_KILLED = 9  # POSIX number of SIGKILL


def run(folder: Path) -> None:
    """Open, query and close an index in a child process. Raises INDEX_UNAVAILABLE if that fails."""
    _, failure = _run_in_child(folder, [])
    if failure is not None:
        raise unusable(f"The index of this project cannot be opened: {failure.rstrip('.')}.")


def recover_passages(folder: Path, doc_ids: Sequence[str]) -> dict[str, list[ScoredPoint]]:
    """Return the readable passages of documents in a damaged index, by document."""
    found: dict[str, list[ScoredPoint]] = {}
    lines, _ = _run_in_child(folder, doc_ids)  # with those that a crashed process had printed
    for line in lines:
        with suppress(ValueError):
            passage_id, payload = json.loads(line)
            found.setdefault(payload["doc_id"], []).append(ScoredPoint(passage_id, 1.0, payload))
    return found


class _Limits:
    """Limits of the child process, by the size of the index."""

    def __init__(self, folder: Path) -> None:
        index_size = disk_usage(folder)
        largest = max((file.stat().st_size for file in folder.rglob("*") if file.is_file()), default=0)
        self.memory = 600 * _MB + 3 * index_size
        self.disk = index_size + max(500 * _MB, index_size)
        self.file = max(500 * _MB, 2 * largest)
        self.seconds = 300 + index_size / _MB  # it may have to replay the write-ahead log

    def passed(self, process: subprocess.Popen[str], folder: Path, since: float) -> str | None:
        """Return the limit that a process has exceeded, or None."""
        try:
            memory = _system.Process(process.pid).memory_info().rss
        except psutil.Error:
            return None
        if memory > self.memory:
            return f"it took more than {self.memory // _MB} MB of memory"
        if time.monotonic() - since > self.seconds:
            return f"it took more than {self.seconds:.0f} seconds"
        if disk_usage(folder) > self.disk:
            return f"it wrote more than {self.disk // _MB} MB"
        return None

    def set(self) -> None:
        """Set resource limits for this process, where the system supports them."""
        try:
            import resource
        except ImportError:
            return
        # A text with a wrong length may reserve four gigabytes without using them, which is harmless.
        address_space = self.memory + 5_000 * _MB
        for name, value in (("RLIMIT_DATA", address_space), ("RLIMIT_FSIZE", self.file), ("RLIMIT_CORE", 0)):
            with suppress(AttributeError, OSError, ValueError):
                resource.setrlimit(getattr(resource, name), (value, resource.getrlimit(getattr(resource, name))[1]))


def _run_in_child(folder: Path, doc_ids: Sequence[str]) -> tuple[list[str], str | None]:
    """Run `main` in a child process; return its output and why it failed, or None.

    Raises a retryable error where the index is not at fault.
    """
    limits = _Limits(folder)
    command = [sys.executable, "-m", "citeloom.index.edge.trial_open", str(folder)]
    try:
        process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=IMPORT_ROOT
        )
    except OSError as error:
        raise _retryable(str(error)) from error
    passed: list[str] = []
    since = time.monotonic()

    def limit_passed() -> bool:
        if why := limits.passed(process, folder, since):
            passed.append(why)
        return bool(why)

    with killed_when(process, limit_passed):
        output, stderr = process.communicate(json.dumps(list(doc_ids)))
    if process.returncode == 0:
        return output.splitlines(), None
    if not passed and process.returncode == -_KILLED:
        raise _retryable("the process that tried it was ended from outside")
    return output.splitlines(), passed[0] if passed else _reason(stderr) or f"exit code {process.returncode}"


def _retryable(reason: str) -> CiteLoomError:
    return CiteLoomError(
        Code.INDEX_UNAVAILABLE,
        f"The index of this project could not be opened: {reason.rstrip('.')}.",
        "Close other programs and try again.",
        away=True,
    )


def _reason(stderr: str) -> str:
    """Return the decisive line of stderr."""
    lines = [line for line in stderr.splitlines() if line.strip() and not line.startswith("note:")]
    return next((line for line in lines if line.startswith("memory allocation")), lines[-1] if lines else "")


def main(folder: Path) -> None:
    """Open an index and query it; print the passages of the documents that stdin names."""
    from citeloom.index.edge.collection import EdgeCollection  # imported here: that module imports this one

    end_with_parent()
    _Limits(folder).set()
    doc_ids = json.load(sys.stdin)
    try:
        collection = EdgeCollection.open_unchecked(folder)
        if doc_ids:
            for hit in _readable_passages(collection, doc_ids):
                print(json.dumps([hit.id, hit.payload]), flush=True)
            return  # not closed: a damaged index stays unchanged
        collection.add_missing_indexes()
        collection.values("doc_id", 1)
        collection.search([1.0] * collection.vectors()[0], None, 1)
        for point in collection.points(None, _PAGE)[:1]:
            collection.search(None, point.sparse, 1)
        collection.close()
    except CiteLoomError as error:
        sys.exit(error.message.removeprefix("The index of this project cannot be opened: "))


def _readable_passages(collection: Collection, doc_ids: Sequence[str]) -> Iterator[ScoredPoint]:
    for doc_id in doc_ids:
        own = f.of_document(doc_id)
        try:
            yield from collection.scroll(own, max(1, collection.count(own)))
        except CiteLoomError:  # one passage cannot be read; the others may be readable
            yield from _one_by_one(collection, own)


def _one_by_one(collection: Collection, own: f.Condition) -> Iterator[ScoredPoint]:
    try:
        most = collection.count(own)
    except CiteLoomError:
        return
    for place in range(most):
        with suppress(CiteLoomError):
            yield from collection.scroll(f.Every((own, f.Range("chunk_index", gte=place, lte=place))), 1)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
