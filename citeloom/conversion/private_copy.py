"""Private copies of documents, verified by hash: a path may be redirected between check and use."""

from __future__ import annotations

import errno
import hashlib
import os
import shutil
import stat
from pathlib import Path
from typing import BinaryIO

from citeloom.core.errors import CiteLoomError, Code

_BLOCK = 1 << 20
_FULL = (errno.ENOSPC, errno.EDQUOT)


class PrivateCopies:
    """Copies documents into a folder of this process; the last copy is kept for the next request.

    A path can be changed between check and use, by a link in place of the file or a parent folder. A copy is returned
    only if its content has the requested hash.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._last: tuple[str, Path] | None = None

    def of(self, path: Path, content_hash: str, most_bytes: int) -> Path:
        """Return a copy of a file with this content and name. Raises OSError if it cannot be opened."""
        wanted = self._folder / content_hash / path.name
        if self._last == (content_hash, wanted):
            return wanted
        self.forget()
        with _opened(path) as file:
            if os.fstat(file.fileno()).st_size > most_bytes:
                raise too_large(path, os.fstat(file.fileno()).st_size, most_bytes)
            try:
                self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
                wanted.parent.mkdir()
                found = _copied(file, wanted, most_bytes)
            except OSError as error:
                self.forget()
                raise _no_room(error) if error.errno in _FULL else error from None
        if found != content_hash:
            self.forget()
            raise CiteLoomError(
                Code.CONVERSION_FAILED, "It changed while it was being read.", "The next import reads it again."
            )
        self._last = (content_hash, wanted)
        return wanted

    def forget(self) -> None:
        """Delete the last copy."""
        self._last = None
        shutil.rmtree(self._folder, ignore_errors=True)


def _opened(path: Path) -> BinaryIO:
    # Without O_NONBLOCK, opening a pipe would block.
    descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise not_a_file(path)
    return os.fdopen(descriptor, "rb")


def _copied(file: BinaryIO, target: Path, most_bytes: int) -> str:
    """Copy a file up to a limit; return its hash."""
    seen, size = hashlib.sha256(), 0
    with target.open("xb") as copy:
        while size <= most_bytes and (block := file.read(_BLOCK)):
            size += len(block)
            seen.update(block)
            copy.write(block)
    return seen.hexdigest()


def too_large(path: Path, size: int, most_bytes: int) -> CiteLoomError:
    """Return the error for a file above the size limit."""
    return CiteLoomError(
        Code.CONVERSION_FAILED,
        f"The file {path.name} has {size / 1024**2:.0f} MB; CiteLoom reads up to {most_bytes // 1024**2} MB.",
        "Split it into smaller files.",
        path=str(path),
    )


def not_a_file(path: Path) -> CiteLoomError:
    """Return the error for a folder, a pipe or a device."""
    return CiteLoomError(
        Code.UNSUPPORTED_FORMAT, f"{path.name} is not a file.", "Name a file, not a folder.", path=str(path)
    )


def _no_room(error: OSError) -> CiteLoomError:
    return CiteLoomError(
        Code.STORAGE_ERROR, f"There is no room for a copy to read from: {error.strerror}.", "Free some space."
    )
