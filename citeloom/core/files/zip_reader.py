"""Safe reading of untrusted zip files: in chunks, within limits, and never to the disk.

Used for imported Office and EPUB files and for checked Word manuscripts; the callers translate its exceptions into
their own messages.
"""

from __future__ import annotations

import errno
import struct
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

_MB = 1024 * 1024
_MAX_TOTAL = 500 * _MB  # uncompressed size of all parts
_MAX_PART = 100 * _MB  # uncompressed size of one part
_MAX_RATIO = 200  # compression ratio of a large part; XML stays far below
_LARGE = 10 * _MB
_MAX_PARTS = 20_000
_PIECE = 64 * 1024

OLE_SIGNATURE = (
    b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"  # first bytes of Office files before 2007, and of encrypted ones since
)
# Exceptions of `zipfile` for a damaged file.
ZIP_ERRORS = (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, ValueError, struct.error)


class ZipRefused(Exception):
    """Raised for a zip file, or a part of it, that is not read; the message is the reason."""


class ZipDamaged(ZipRefused):
    """Raised for an incomplete or damaged file."""


class ZipHarmful(ZipRefused):
    """Raised for a file that would exhaust memory, or names parts outside of it."""


class ZipLocked(ZipRefused):
    """Raised for an encrypted file."""


def is_encrypted_office(content: bytes) -> bool:
    """Return whether a file with `OLE_SIGNATURE` is an encrypted Office file, and not one from before 2007."""
    return "EncryptedPackage".encode("utf-16-le") in content


class ZipReader:
    """Reads the parts of a zip file one at a time, within limits."""

    def __init__(self, file: Path | BinaryIO) -> None:
        try:
            self._zip = zipfile.ZipFile(file)
        except (*ZIP_ERRORS, OSError) as error:
            raise _damaged_or_disk(error, "its table of contents cannot be read") from None
        parts = [part for part in self._zip.infolist() if not part.is_dir()]
        if len(parts) > _MAX_PARTS:
            self._zip.close()
            raise ZipHarmful(f"it holds {len(parts):,} parts, and {_MAX_PARTS:,} are the limit")
        self._parts = {part.filename: part for part in parts}
        self._bytes = sum(part.file_size for part in parts)

    def check_whole(self) -> None:
        """Raise ZipRefused if the file is empty, too large as a whole, or names parts outside of it."""
        if not self._parts:
            raise ZipDamaged("it is an empty archive")
        if self._bytes > _MAX_TOTAL:
            raise ZipHarmful(f"it unpacks to {self._bytes / _MB:,.0f} MB, and {_MAX_TOTAL // _MB} MB are the limit")
        for name in self._parts:
            if _reaches_outside(name):
                raise ZipHarmful(f"its part {name[:80]!r} points outside the file")

    def close(self) -> None:
        """Close the file."""
        self._zip.close()

    def __contains__(self, name: str) -> bool:
        return name in self._parts

    def names(self) -> list[str]:
        """Return the names of all parts, in the order of the zip directory."""
        return list(self._parts)

    def pieces(self, name: str) -> Iterator[bytes]:
        """Yield the content of a part in chunks."""
        part = self._parts.get(name)
        if part is None:
            raise ZipDamaged(f"its part {name} is missing")
        if part.flag_bits & 1:
            raise ZipLocked
        ratio = part.file_size / max(part.compress_size, 1)
        if part.file_size > _MAX_PART or (part.file_size > _LARGE and ratio > _MAX_RATIO):
            size = f"{part.file_size / _MB:,.0f} MB"
            raise ZipHarmful(f"its part {name} expands from {part.compress_size / _MB:,.1f} MB to {size}")
        size_so_far = 0
        try:
            with self._zip.open(part) as stream:
                # In chunks: zipfile would unpack all of a part that is larger than declared in the directory.
                while piece := stream.read(_PIECE):
                    size_so_far += len(piece)
                    if size_so_far > part.file_size:
                        raise zipfile.BadZipFile
                    yield piece
        except (*ZIP_ERRORS, OSError) as error:
            raise _damaged_or_disk(error, f"its part {name} cannot be unpacked") from None


def _damaged_or_disk(error: Exception, why: str) -> Exception:
    """Return ZipDamaged for an invalid seek or a damaged stream; other errors are those of the disk."""
    if isinstance(error, OSError) and error.errno not in (None, errno.EINVAL):
        return error
    return ZipDamaged(why)


def _reaches_outside(name: str) -> bool:
    plain = name.replace("\\", "/")
    return plain.startswith("/") or ".." in plain.split("/") or plain[1:2] == ":"
