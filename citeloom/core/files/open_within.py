"""Opens files that must be inside a folder, safe against links that are swapped in meanwhile."""

from __future__ import annotations

import errno
import os
import stat
from io import BufferedReader
from pathlib import Path

from citeloom.core.errors import CiteLoomError, Code

_READ_FLAGS = os.O_RDONLY | getattr(os, "O_BINARY", 0) | getattr(os, "O_NONBLOCK", 0)
# With O_PATH, search permission is enough.
_DIR_FLAGS = getattr(os, "O_PATH", os.O_RDONLY) | getattr(os, "O_DIRECTORY", 0)
_HAS_DIR_FD = os.open in os.supports_dir_fd  # not on Windows


def open_within(path: Path, within: str) -> BufferedReader:
    """Open a file that must really be in this folder, or be this file; "" allows any location.

    Links are resolved first, and none is followed after that: each folder of the path is opened relative to its
    parent. A file that was replaced by a link between check and use is refused, not read.
    """
    if not within:
        return os.fdopen(_check_regular(os.open(path, _READ_FLAGS), path), "rb")
    if Path(within) == path:  # a single allowed file: it must not be a link at all
        root = Path(os.path.realpath(path.parent))
        real = root / path.name
    else:
        real, root = Path(os.path.realpath(path)), Path(os.path.realpath(within))
        if real == root or not real.is_relative_to(root):
            raise outside(path)
    opened = _open_below(path, root, real.relative_to(root).parts) if _HAS_DIR_FD else _open_compared(path, real, root)
    return os.fdopen(_check_regular(opened, path), "rb")


def _open_below(path: Path, root: Path, parts: tuple[str, ...]) -> int:
    folder = os.open(root, _DIR_FLAGS)
    try:
        for name in parts[:-1]:
            inner = os.open(name, _DIR_FLAGS | os.O_NOFOLLOW, dir_fd=folder)
            os.close(folder)
            folder = inner
        return os.open(parts[-1], _READ_FLAGS | os.O_NOFOLLOW, dir_fd=folder)
    except OSError as error:
        # ELOOP or ENOTDIR: a link was put there after the path was resolved.
        if error.errno in (errno.ELOOP, errno.EMLINK, errno.ENOTDIR):
            raise outside(path) from error
        raise
    finally:
        os.close(folder)


def _open_compared(path: Path, real: Path, root: Path) -> int:
    """Open a file without folder descriptors: before and after, the path must refer to the opened file."""
    before = os.lstat(real)
    opened = os.open(real, _READ_FLAGS)
    found, after = os.fstat(opened), os.lstat(real)
    same = {(one.st_dev, one.st_ino) for one in (before, found, after)}
    if len(same) > 1 or not Path(os.path.realpath(real)).is_relative_to(root):
        os.close(opened)
        raise outside(path)
    return opened


def _check_regular(opened: int, path: Path) -> int:
    if not stat.S_ISREG(os.fstat(opened).st_mode):
        os.close(opened)
        raise not_a_file(path)
    return opened


def not_a_file(path: Path) -> CiteLoomError:
    """Return the error for a folder, pipe, socket or device in place of a document."""
    return CiteLoomError(
        Code.UNSUPPORTED_FORMAT, f"{path.name} is not a file.", "Put a file there, or remove it.", path=str(path)
    )


def outside(path: Path) -> CiteLoomError:
    """Return the error for a file that is not where it was found."""
    return CiteLoomError(
        Code.PERMISSION_DENIED,
        f"{path.name} leads to a place outside what the project may read.",
        "Put the file itself there, or add that place to the project if it belongs there.",
    )
