"""Sizes and checksums of an index's files, kept beside them.

They are written when everything has been written out, and replaced by a mark before the next write. So a folder with
checksums is as it was left, or damaged; one with the mark, or with neither, was left in the middle of something.
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
from citeloom.index.edge.sparse_files import filled

log = logging.getLogger(__name__)

_FILE = "checksums.json"
# What is wrong in a large file of vectors, texts or graphs costs a wrong answer, not memory, and reading them all would
# take longer than opening: they are checked right after it. All of a small index is checked before, and of a large one
# the small files, and these however large they are.
_SMALL_INDEX, _SMALL_FILE = 64_000_000, 262_144  # bytes that are filled; the first takes a tenth of a second
_NEEDED_TO_OPEN = ("id_tracker", "tracker.dat", ".json")
# Opening itself may write these anew, and be killed before that is known: they alone prove no damage.
_WRITTEN_BY_OPENING = ("mutable_id_tracker.versions", "edge_config.json")
# Qdrant Edge deletes these when it opens an index that was closed: what they hold has been written elsewhere by then.
_JOURNAL = "tracker_journal.dat"


@dataclass(frozen=True, slots=True)
class Checksums:
    """What the files of a folder were when everything had been written out."""

    files: dict[str, tuple[int, int, int]]  # by name: size, bytes that are filled, and their checksum

    @property
    def needed_to_open(self) -> list[str]:
        """The files that are checked before the index is opened."""
        small = sum(full for _, full, _ in self.files.values()) <= _SMALL_INDEX
        return [
            name
            for name, (_, full, _) in self.files.items()
            if small or full <= _SMALL_FILE or any(part in name for part in _NEEDED_TO_OPEN)
        ]

    @property
    def rest(self) -> list[str]:
        """The files that may be checked afterwards."""
        first = set(self.needed_to_open)
        return [name for name in self.files if name not in first]

    def damage(self, folder: Path, names: Iterable[str]) -> str | None:
        """What is wrong with one of these files, or None."""
        for name in names:
            file, kept = folder / name, self.files[name]
            try:
                if file.stat().st_size != kept[0]:
                    return f"{name} has another size than it had"
                if _about(file) != kept:
                    return f"{name} is not as it was written"
            except FileNotFoundError:
                if file.name != _JOURNAL:
                    return f"{name} is not there"
            except OSError as error:
                return f"{name} cannot be read: {error.strerror}"
        return None

    def unchanged_by_opening(self, folder: Path) -> bool:
        """Whether opening the index changed nothing that was checked before."""
        sizes = {name: kept[0] for name, kept in self.files.items()}
        same = _without_journals(_sizes(folder)) == _without_journals(sizes)
        return same and self.damage(folder, self.needed_to_open) is None


def read(folder: Path) -> Checksums | None:
    """The checksums of a folder; None where it was left in the middle of something, or by an earlier version."""
    try:
        found = json.loads((folder / _FILE).read_text(encoding="utf-8"))
        files = {str(name): (int(size), int(full), int(seen)) for name, (size, full, seen) in found["files"].items()}
        return Checksums(files)
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None


def verify(folder: Path) -> bool:
    """Whether there are checksums and the files agree with them; INDEX_UNAVAILABLE where a file does not."""
    kept = read(folder)
    if kept is None:
        if gone := _lost_segment(folder):
            raise damaged(gone)
        return False
    written = [name for name in kept.files if name.endswith(_WRITTEN_BY_OPENING)]
    if damage := kept.damage(folder, (name for name in kept.needed_to_open if name not in written)):
        raise damaged(damage)
    return kept.damage(folder, written) is None


def _lost_segment(folder: Path) -> str | None:
    """A segment that was there when the writing began that was never finished."""
    try:
        named = set(map(str, json.loads((folder / _FILE).read_text(encoding="utf-8"))["segments"]))
    except (OSError, ValueError, KeyError, TypeError):
        return None
    gone = sorted(named.difference(_segments(folder)))
    return f"segments/{gone[0]} is not there" if gone else None


def damaged(how: str) -> CiteLoomError:
    """An index that is not what was written."""
    return unusable(f"The index of this project is damaged: {how}.")


def unusable(message: str) -> CiteLoomError:
    """An index that will not come back by itself."""
    step = "Build it anew; on the command line: citeloom ingest PROJECT --force-rebuild."
    return CiteLoomError(Code.INDEX_UNAVAILABLE, message, step, damaged=True)


def write(folder: Path) -> None:
    """Keep the checksums of a folder in which everything has been written out."""
    files = {name: _about(folder / name) for name in sorted(_sizes(folder))}
    _replace(folder, {"files": files})


def mark(folder: Path) -> None:
    """Say that somebody begins to write."""
    _replace(folder, {"segments": _segments(folder)})


def forget(folder: Path) -> None:
    """Say nothing of a folder: its segments themselves are about to be replaced, or somebody else wrote this."""
    (folder / _FILE).unlink(missing_ok=True)


def _segments(folder: Path) -> list[str]:
    with suppress(OSError):
        return sorted(one.name for one in (folder / "segments").iterdir())
    return []


def _without_journals(sizes: dict[str, int]) -> dict[str, int]:
    return {name: size for name, size in sizes.items() if not name.endswith(_JOURNAL)}


def _sizes(folder: Path) -> dict[str, int]:
    found = {}
    for place, _, names in os.walk(folder):
        for name in names:
            file = Path(place, name)
            found[file.relative_to(folder).as_posix()] = file.stat().st_size
    return {name: size for name, size in found.items() if not name.startswith(_FILE)}


def _about(file: Path) -> tuple[int, int, int]:
    """The same whether zeros take room or not: a copy may leave them out, or fill them in."""
    full = seen = 0
    for at, block in filled(file):
        full += len(block)
        seen = zlib.crc32(block, zlib.crc32(at.to_bytes(8, "little"), seen))
    return file.stat().st_size, full, seen


def _replace(folder: Path, content: object) -> None:
    """Written through to the disk: after a power cut it must not be older than the files it speaks of."""
    beside = folder / f"{_FILE}.new"
    with beside.open("w", encoding="utf-8") as file:
        json.dump(content, file)
        file.flush()
        os.fsync(file.fileno())
    beside.replace(folder / _FILE)
    if os.name == "posix":
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


class FolderState:
    """What is known of the folder of an open collection: whether it has checksums, and whether they agree."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._writing = threading.Lock()  # held while something is written, and while checksums are taken
        self._has_checksums = False
        self._check: threading.Thread | None = None
        self._damage: str | None = None

    def begin(self) -> None:
        """After it was opened: check what was not checked before, while questions are answered already."""
        kept = read(self._folder)
        self._has_checksums = kept is not None and kept.unchanged_by_opening(self._folder)
        if kept is None or not self._has_checksums:  # after optimising, opening writes the configuration once more
            mark(self._folder)
            return

        def check() -> None:
            self._damage = kept.damage(self._folder, kept.rest)

        self._check = threading.Thread(target=check, name="index-check", daemon=True)
        self._check.start()

    def refuse_damaged(self) -> None:
        """Give no answers out of a folder in which something is wrong."""
        if self._damage:
            raise damaged(self._damage)

    @contextmanager
    def changing(self) -> Iterator[None]:
        """Around every write: the checksums no longer hold."""
        with self._writing:
            self._wait_for_check()
            self.refuse_damaged()
            if self._has_checksums:
                mark(self._folder)
                self._has_checksums = False
            yield

    @contextmanager
    def flushing(self) -> Iterator[None]:
        """Around what writes everything out: afterwards there are checksums."""
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
