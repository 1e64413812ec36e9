"""Reads zip files that may come from anywhere: in pieces, within limits, and never to the disk.

Used for Office and EPUB files that are imported and for Word manuscripts that are checked; each says in its own words
what was refused.
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
_MAX_TOTAL = 500 * _MB  # everything that a file holds, unpacked
_MAX_PART = 100 * _MB  # one part that is read
_MAX_RATIO = 200  # how much larger than its packed size a large part may be: XML stays far below
_LARGE = 10 * _MB
_MAX_PARTS = 20_000
_PIECE = 64 * 1024

OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"  # how files of Office before 2007 begin, and encrypted ones since
# What `zipfile` raises on a file that is broken.
BROKEN_ZIP = (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, ValueError, struct.error)


class ZipRefused(Exception):
    """A zip file, or a part of it, that is not read; the text says why."""


class ZipDamaged(ZipRefused):
    """It is incomplete or broken."""


class ZipHarmful(ZipRefused):
    """It would exhaust the machine, or reach outside itself."""


class ZipLocked(ZipRefused):
    """It is encrypted."""


def is_encrypted_office(content: bytes) -> bool:
    """Whether a file that begins with `OLE` is an encrypted Office file, and not one of before 2007."""
    return "EncryptedPackage".encode("utf-16-le") in content


class ZipReader:
    """The parts of a zip file, read one at a time and within limits."""

    def __init__(self, file: Path | BinaryIO) -> None:
        try:
            self._zip = zipfile.ZipFile(file)
        except (*BROKEN_ZIP, OSError) as error:
            raise _damaged_or_disk(error, "its table of contents cannot be read") from None
        parts = [part for part in self._zip.infolist() if not part.is_dir()]
        if len(parts) > _MAX_PARTS:
            self._zip.close()
            raise ZipHarmful(f"it holds {len(parts):,} parts, and {_MAX_PARTS:,} are the limit")
        self._parts = {part.filename: part for part in parts}
        self._bytes = sum(part.file_size for part in parts)

    def check_whole(self) -> None:
        """Refuse a file that is to be read as a whole where it is empty, too large, or names parts outside of it."""
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
        """The names of all parts, in the order of the table of contents."""
        return list(self._parts)

    def pieces(self, name: str) -> Iterator[bytes]:
        """The content of a part, piece by piece."""
        part = self._parts.get(name)
        if part is None:
            raise ZipDamaged(f"its part {name} is missing")
        if part.flag_bits & 1:
            raise ZipLocked
        ratio = part.file_size / max(part.compress_size, 1)
        if part.file_size > _MAX_PART or (part.file_size > _LARGE and ratio > _MAX_RATIO):
            size = f"{part.file_size / _MB:,.0f} MB"
            raise ZipHarmful(f"its part {name} swells from {part.compress_size / _MB:,.1f} MB to {size}")
        size_so_far = 0
        try:
            with self._zip.open(part) as stream:
                # In pieces: zipfile would unpack all of a part that is larger than the table of contents says.
                while piece := stream.read(_PIECE):
                    size_so_far += len(piece)
                    if size_so_far > part.file_size:
                        raise zipfile.BadZipFile
                    yield piece
        except (*BROKEN_ZIP, OSError) as error:
            raise _damaged_or_disk(error, f"its part {name} cannot be unpacked") from None


def _damaged_or_disk(error: Exception, why: str) -> Exception:
    """What a failed reading means: a seek to nowhere or a broken stream is the file's fault, the rest the disk's."""
    if isinstance(error, OSError) and error.errno not in (None, errno.EINVAL):
        return error
    return ZipDamaged(why)


def _reaches_outside(name: str) -> bool:
    plain = name.replace("\\", "/")
    return plain.startswith("/") or ".." in plain.split("/") or plain[1:2] == ":"
