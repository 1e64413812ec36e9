"""Sparse files: reads, copies and measures files with holes, as an empty index has hundreds of megabytes of them."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path

_BLOCK = 65_536
_ZEROS = bytes(_BLOCK)


def filled(file: Path) -> Iterator[tuple[int, bytes]]:
    """Yield offset and content of the blocks of a file that are not all zeros."""
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
    """Return the offset of the next block with data, or the size of the file."""
    if not hasattr(os, "SEEK_DATA"):
        return at
    try:
        return max(at, os.lseek(descriptor, at, os.SEEK_DATA) // _BLOCK * _BLOCK)
    except OSError:  # only a hole remains
        return size


def write_filled(blocks: Iterable[tuple[int, bytes]], size: int, target: Path) -> None:
    """Write a file from its filled blocks; the rest becomes holes where the file system supports them."""
    with target.open("wb") as file:
        for at, block in blocks:
            file.seek(at)
            file.write(block)
        file.truncate(size)


def copy_with_holes(source: str, target: str) -> None:
    """Copy a file without filling its holes (a copy function for `shutil.copytree`)."""
    write_filled(filled(Path(source)), Path(source).stat().st_size, Path(target))


def disk_usage(folder: Path) -> int:
    """Return the bytes that a folder takes on the disk; it may change meanwhile."""
    return sum(disk_usage_of_file(Path(place) / name) for place, _, names in os.walk(folder) for name in names)


def disk_usage_of_file(file: Path) -> int:
    """Return the bytes that a file takes on the disk; 0 if it does not exist."""
    try:
        about = file.lstat()  # links are not followed: a model's files are links to downloaded blobs
    except OSError:
        return 0
    # Qdrant's files have holes: st_size is larger than what they take.
    return about.st_blocks * 512 if hasattr(about, "st_blocks") else about.st_size
