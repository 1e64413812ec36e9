"""Stamp of a file, by which a later change of its content is noticed without reading it."""

from __future__ import annotations

import os
import stat

FileStamp = tuple[int, int, int]  # size, modification time and inode


def file_stamp(file: str | os.PathLike[str]) -> FileStamp | None:
    """Return the stamp of a regular file; None for anything else, and where none can be read."""
    try:
        status = os.stat(file)  # noqa: PTH116 - also for strings
    except OSError:
        return None
    return (status.st_size, status.st_mtime_ns, status.st_ino) if stat.S_ISREG(status.st_mode) else None
