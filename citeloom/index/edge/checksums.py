"""Checksums of an embedded index's files, stored beside them, to detect damage before Qdrant Edge opens it.

They are written after a flush and replaced by a mark before the next write. So a folder with checksums is intact or
damaged; one with the mark, or with neither, was in use when the engine ended.
"""

from __future__ import annotations

import json
import logging
import os
import threading
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from citeloom.core.errors import CiteLoomError, Code
from citeloom.core.files import atomic_file
from citeloom.index.edge.sparse_files import filled

log = logging.getLogger(__name__)

_FILE = "checksums.json"
# Damage in a large file of vectors, texts or graphs gives a wrong answer, but does not exhaust memory, and reading them
# takes longer than opening: they are checked right after it. A small index is checked completely before, of a large one
# the small files, and these whatever their size.
_SMALL_INDEX, _SMALL_FILE = 64_000_000, 262_144  # bytes without holes; the first takes a tenth of a second
_CHECKED_FIRST = ("id_tracker", "tracker.dat", ".json")
# Opening may rewrite these and be killed before that is recorded: a difference here is no proof of damage.
_WRITTEN_BY_OPENING = ("mutable_id_tracker.versions", "edge_config.json")
# Qdrant Edge deletes these when it opens a closed index: their content is stored elsewhere by then.
_JOURNAL = "tracker_journal.dat"


@dataclass(frozen=True, slots=True)
class Checksums:
    """Sizes and checksums of a folder's files after a flush."""

    files: dict[str, tuple[int, int, int]]  # by name: size, bytes without holes, and their checksum

    @property
    def checked_first(self) -> list[str]:
        """Return the files that are checked before the index is opened."""
        small = sum(data_size for _, data_size, _ in self.files.values()) <= _SMALL_INDEX
        return [
            name
            for name, (_, data_size, _) in self.files.items()
            if small or data_size <= _SMALL_FILE or any(part in name for part in _CHECKED_FIRST)
        ]

    @property
    def checked_later(self) -> list[str]:
        """Return the files that are checked after the index is opened."""
        first = set(self.checked_first)
        return [name for name in self.files if name not in first]

    def damage(self, folder: Path, names: Iterable[str]) -> str | None:
        """Return what is wrong with the first damaged file, or None."""
        for name in names:
            file, expected = folder / name, self.files[name]
            try:
                if file.stat().st_size != expected[0]:
                    return f"{name} has another size than before"
                if _measure(file) != expected:
                    return f"{name} has other content than was written"
            except FileNotFoundError:
                if file.name != _JOURNAL:
                    return f"{name} is missing"
            except OSError as error:
                return f"{name} cannot be read: {error.strerror}"
        return None

    def unchanged_by_opening(self, folder: Path) -> bool:
        """Return whether opening the index changed none of the files checked before."""
        sizes = {name: expected[0] for name, expected in self.files.items()}
        changed = [name for name, _ in sizes.items() ^ _sizes(folder).items() if not name.endswith(_JOURNAL)]
        return not changed and self.damage(folder, self.checked_first) is None


def read(folder: Path) -> Checksums | None:
    """Return the checksums of a folder; None after a crash, or for an index of an earlier version."""
    try:
        found = json.loads((folder / _FILE).read_text(encoding="utf-8"))
        files = {
            str(name): (int(size), int(data_size), int(crc)) for name, (size, data_size, crc) in found["files"].items()
        }
        return Checksums(files)
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None


def verify(folder: Path) -> bool:
    """Return whether there are checksums and all match; raise INDEX_UNAVAILABLE for a damaged file."""
    expected = read(folder)
    if expected is None:
        if segment := _missing_segment(folder):
            raise damaged(f"segments/{segment} is missing")
        return False
    written = [name for name in expected.files if name.endswith(_WRITTEN_BY_OPENING)]
    if damage := expected.damage(folder, (name for name in expected.checked_first if name not in written)):
        raise damaged(damage)
    return expected.damage(folder, written) is None


def _missing_segment(folder: Path) -> str | None:
    """Return a segment that existed before an unfinished write and is missing now, or None."""
    try:
        named = set(map(str, json.loads((folder / _FILE).read_text(encoding="utf-8"))["segments"]))
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return min(named.difference(_segments(folder)), default=None)


def damaged(how: str) -> CiteLoomError:
    """Return the error for a damaged index."""
    return unusable(f"The index of this project is damaged: {how}.")


def unusable(message: str) -> CiteLoomError:
    """Return the error for an index that must be rebuilt."""
    step = "Rebuild it; on the command line: citeloom ingest PROJECT --force-rebuild."
    return CiteLoomError(Code.INDEX_UNAVAILABLE, message, step, damaged=True)


def write(folder: Path) -> None:
    """Write the checksums of a flushed folder."""
    files = {name: _measure(folder / name) for name in sorted(_sizes(folder))}
    _replace(folder, {"files": files})


def mark(folder: Path) -> None:
    """Mark a folder as being written."""
    _replace(folder, {"segments": _segments(folder)})


def forget(folder: Path) -> None:
    """Delete the checksums of a folder: its segments are about to be replaced, or another program wrote them."""
    (folder / _FILE).unlink(missing_ok=True)


def _segments(folder: Path) -> list[str]:
    with suppress(OSError):
        return sorted(one.name for one in (folder / "segments").iterdir())
    return []


def _sizes(folder: Path) -> dict[str, int]:
    files = (file for file in folder.rglob("*") if file.is_file() and not file.name.startswith(_FILE))
    return {file.relative_to(folder).as_posix(): file.stat().st_size for file in files}


def _measure(file: Path) -> tuple[int, int, int]:
    """Return size, filled bytes and checksum; holes count as zeros, since a copy may fill them."""
    data_size = crc = 0
    for at, block in filled(file):
        data_size += len(block)
        crc = zlib.crc32(block, zlib.crc32(at.to_bytes(8, "little"), crc))
    return file.stat().st_size, data_size, crc


def _replace(folder: Path, content: object) -> None:
    """Replace the checksum file and sync it: after a power cut it must not be older than the files it describes."""
    with atomic_file.replacing(folder / _FILE, folder / f"{_FILE}.new", sync=True) as file:
        file.write(json.dumps(content).encode())
    if os.name == "posix":
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


class FolderState:
    """Tracks whether the folder of an open collection has valid checksums."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._writing = threading.Lock()  # held while something is written, and while checksums are taken
        self._has_checksums = False
        self._check: threading.Thread | None = None
        self._damage: str | None = None

    def begin(self) -> None:
        """Start the check of the remaining files in the background, after the index was opened."""
        expected = read(self._folder)
        self._has_checksums = expected is not None and expected.unchanged_by_opening(self._folder)
        if expected is None or not self._has_checksums:  # after optimising, opening writes the configuration once more
            mark(self._folder)
            return

        def check() -> None:
            self._damage = expected.damage(self._folder, expected.checked_later)

        self._check = threading.Thread(target=check, name="index-check", daemon=True)
        self._check.start()

    def refuse_damaged(self) -> None:
        """Raise INDEX_UNAVAILABLE if the check found damage."""
        if self._damage:
            raise damaged(self._damage)

    @contextmanager
    def changing(self) -> Iterator[None]:
        """Guard a write: the checksums are invalid from here on."""
        with self._writing:
            self._wait_for_check()
            self.refuse_damaged()
            if self._has_checksums:
                mark(self._folder)
                self._has_checksums = False
            yield

    @contextmanager
    def flushing(self) -> Iterator[None]:
        """Guard a flush: checksums are written after it."""
        with self._writing:
            yield
            self._wait_for_check()
            if not self._has_checksums:
                try:
                    write(self._folder)
                    self._has_checksums = True
                except OSError as error:  # without them, the next opening takes longer
                    log.warning("no checksums of %s: %s", self._folder, error)

    def _wait_for_check(self) -> None:
        if self._check:
            self._check.join()
            self._check = None
