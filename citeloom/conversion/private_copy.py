"""Private copies of documents, verified by hash.

A path can be changed between check and use, by a link in place of the file or a parent folder.
"""

from __future__ import annotations

import errno
import hashlib
import os
import shutil
import stat
from pathlib import Path
from typing import BinaryIO

from citeloom.conversion.file_errors import file_error, not_a_file
from citeloom.core.errors import CiteLoomError, Code

MAX_BYTES = 300 * 1024 * 1024
_BLOCK = 1 << 20
_DISK_FULL = (errno.ENOSPC, errno.EDQUOT)


class PrivateCopies:
    """Copies documents into a folder of this process; the last copy is kept for the next request."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._last: Path | None = None

    def copy_of(self, path: Path, content_hash: str) -> Path:
        """Return a copy of a file with this content and name. Raises OSError if it cannot be opened."""
        target = self._folder / content_hash / path.name
        if self._last == target:
            return target
        self.delete_last()
        with open_document(path) as file:
            try:
                self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
                target.parent.mkdir()
                copied_hash = _copy(file, target)
            except OSError as error:
                self.delete_last()
                if error.errno not in _DISK_FULL:
                    raise
                message = f"The disk has no space for a copy of the document: {error.strerror}."
                raise CiteLoomError(Code.STORAGE_ERROR, message, "Free some disk space.") from None
        if copied_hash != content_hash:
            self.delete_last()
            raise CiteLoomError(
                Code.CONVERSION_FAILED, "It changed while it was being read.", "The next import reads it again."
            )
        self._last = target
        return target

    def delete_last(self) -> None:
        """Delete the last copy."""
        self._last = None
        shutil.rmtree(self._folder, ignore_errors=True)


def open_document(path: Path) -> BinaryIO:
    """Open a file. Raises CiteLoomError if it is a folder, pipe, socket or device, or too large."""
    try:
        # Without O_NONBLOCK, opening a pipe would block.
        descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    except OSError:
        if path.exists() and not path.is_file():  # a socket cannot be opened, on Windows neither can a folder
            raise not_a_file(path) from None
        raise
    status = os.fstat(descriptor)
    if stat.S_ISREG(status.st_mode) and status.st_size <= MAX_BYTES:
        return os.fdopen(descriptor, "rb")
    os.close(descriptor)
    if not stat.S_ISREG(status.st_mode):
        raise not_a_file(path)
    size = f"{status.st_size / 1024**2:.0f} MB; CiteLoom reads up to {MAX_BYTES // 1024**2} MB"
    raise file_error(path, f"The file {path.name} has {size}.", "Split it into smaller files.")


def _copy(file: BinaryIO, target: Path) -> str:
    """Copy a file up to the size limit; return its hash."""
    digest, size = hashlib.sha256(), 0
    with target.open("xb") as copy:
        while size <= MAX_BYTES and (block := file.read(_BLOCK)):
            size += len(block)
            digest.update(block)
            copy.write(block)
    return digest.hexdigest()
