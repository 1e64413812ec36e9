"""Private copies of documents, verified by hash.

A path can be changed between check and use, by a link in place of the file or a parent folder.
"""

from __future__ import annotations

import errno
import hashlib
import os
import shutil
from pathlib import Path
from typing import BinaryIO

from citeloom.conversion.file_errors import file_error
from citeloom.core.errors import CiteLoomError, Code
from citeloom.core.files.open_within import not_a_file, open_within

MAX_BYTES = 300 * 1024 * 1024
_BLOCK = 1 << 20
_DISK_FULL = (errno.ENOSPC, errno.EDQUOT)


class PrivateCopies:
    """Copies documents into a folder of this process; the last copy is kept for the next request."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._last: tuple[str, Path] | None = None  # hash and copy

    def copy(self, path: Path, within: str = "") -> tuple[Path, str]:
        """Copy a file, which must be in the folder `within` if one is given; return the copy and its hash."""
        self.delete_last()
        with open_document(path, within) as file:
            try:
                self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
                target = self._folder / path.name
                content_hash = _copy(file, target)
            except OSError as error:
                self.delete_last()
                if error.errno not in _DISK_FULL:
                    raise
                message = f"The disk has no space for a copy of the document: {error.strerror}."
                raise CiteLoomError(Code.STORAGE_ERROR, message, "Free some disk space.", away="disk") from None
        self._last = (content_hash, target)
        return target, content_hash

    def copy_of(self, path: Path, content_hash: str) -> Path:
        """Return a copy of a file with this content and name. Raises OSError if it cannot be opened."""
        if self._last and self._last == (content_hash, self._folder / path.name):
            return self._last[1]
        target, copied_hash = self.copy(path)
        if copied_hash != content_hash:
            self.delete_last()
            raise CiteLoomError(
                Code.CONVERSION_FAILED, "It changed while it was being read.", "The next import reads it again."
            )
        return target

    def delete_last(self) -> None:
        """Delete the last copy."""
        self._last = None
        shutil.rmtree(self._folder, ignore_errors=True)


def open_document(path: Path, within: str = "") -> BinaryIO:
    """Open a file. Raises CiteLoomError if it is a folder, pipe, socket or device, too large, or not in `within`."""
    try:
        file = open_within(path, within)
    except OSError:
        if path.exists() and not path.is_file():  # a socket cannot be opened, on Windows neither can a folder
            raise not_a_file(path) from None
        raise
    bytes_long = os.fstat(file.fileno()).st_size
    if bytes_long <= MAX_BYTES:
        return file
    file.close()
    size = f"{bytes_long / 1024**2:.0f} MB; CiteLoom reads up to {MAX_BYTES // 1024**2} MB"
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
