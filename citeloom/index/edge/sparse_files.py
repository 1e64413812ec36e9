"""Files with holes: an empty index claims hundreds of megabytes and fills none, and a plain copy would fill them."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path

_BLOCK = 65_536
_ZEROS = bytes(_BLOCK)


def filled(file: Path) -> Iterator[tuple[int, bytes]]:
    """The blocks of a file that hold more than zeros, with where they begin."""
    with file.open("rb", buffering=0) as source:
        at, size = 0, os.fstat(source.fileno()).st_size
        while at < size:
            at = _next_data(source.fileno(), at, size)
            source.seek(at)
            if not (block := source.read(_BLOCK)):
                return
            if block != _ZEROS[: len(block)]:
                yield at, block
            at += len(block)


def _next_data(descriptor: int, at: int, size: int) -> int:
    """Where a block that may be filled begins, from here on; the end of the file where there is none."""
    if not hasattr(os, "SEEK_DATA"):
        return at
    try:
        return max(at, os.lseek(descriptor, at, os.SEEK_DATA) // _BLOCK * _BLOCK)
    except OSError:  # there is nothing but a hole
        return size


def write_filled(blocks: Iterable[tuple[int, bytes]], size: int, target: Path) -> None:
    """Write a file of its filled blocks; the rest takes no room where the system can leave it out."""
    with target.open("wb") as file:
        for at, block in blocks:
            file.seek(at)
            file.write(block)
        file.truncate(size)


def copy_with_holes(source: str, target: str) -> None:
    """Copy a file as `shutil.copytree` asks for it."""
    write_filled(filled(Path(source)), Path(source).stat().st_size, Path(target))


def disk_usage(folder: Path) -> int:
    """Bytes that a folder takes on the disk, while others may write in it."""
    return sum(disk_usage_of_file(Path(place) / name) for place, _, names in os.walk(folder) for name in names)


def disk_usage_of_file(file: Path) -> int:
    """Bytes that a file takes on the disk; one that is gone takes none."""
    try:
        about = file.lstat()  # a link takes no room: a model's files are links to what was fetched
    except OSError:
        return 0
    # Qdrant's files have holes: what they take is less than what they claim, where the system can tell.
    return about.st_blocks * 512 if hasattr(about, "st_blocks") else about.st_size
