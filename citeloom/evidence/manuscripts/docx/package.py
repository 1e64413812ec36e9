"""The parts of a Word file, unpacked in pieces and within limits: a manuscript may come from anywhere."""

from __future__ import annotations

import io
import struct
import zipfile
import zlib
from collections.abc import Iterator

from citeloom.core.errors import CiteLoomError, Code

_MB = 1024 * 1024
_MAX_PART = 100 * _MB
_MAX_RATIO = 200  # how much larger than its packed size a large part may be: XML stays far below
_LARGE = 10 * _MB
_MAX_PARTS = 20_000
_STEP = 64 * 1024
_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"  # Word before 2007, and encrypted files since
_BROKEN = (
    zipfile.BadZipFile,
    zlib.error,
    EOFError,
    NotImplementedError,
    RuntimeError,
    ValueError,
    struct.error,
    OSError,
)


def not_word(why: str, next_step: str) -> CiteLoomError:
    """The error for a file that is of another kind than its name says, or that CiteLoom does not read."""
    return CiteLoomError(Code.UNSUPPORTED_FORMAT, why, next_step)


def damaged(why: str) -> CiteLoomError:
    """The error for a file that is incomplete or broken."""
    return CiteLoomError(
        Code.INVALID_INPUT, f"The Word document is damaged: {why}.", "Open it in Word and save it anew."
    )


def harmful(why: str) -> CiteLoomError:
    """The error for a file that would exhaust the machine."""
    return CiteLoomError(
        Code.INVALID_INPUT,
        f"The Word document was not opened: {why}.",
        "If you trust where it comes from, open it in Word and save it anew.",
    )


class Package:
    """A Word file in memory."""

    def __init__(self, data: bytes) -> None:
        if data.startswith(_OLE):
            raise _old_or_encrypted(data)
        if not data.startswith(b"PK"):
            raise not_word("The file is not a Word document, whatever its name says.", "Save it as .docx.")
        try:
            self._zip = zipfile.ZipFile(io.BytesIO(data))
        except _BROKEN:
            raise damaged("its table of contents cannot be read") from None
        parts = self._zip.infolist()
        if len(parts) > _MAX_PARTS:
            raise harmful(f"it holds {len(parts):,} parts, and {_MAX_PARTS:,} are the limit")
        self._parts = {part.filename: part for part in parts}

    def __contains__(self, name: str) -> bool:
        return name in self._parts

    def pieces(self, name: str) -> Iterator[bytes]:
        """A part's content, piece by piece; a part that is broken or swollen is an error."""
        part = self._parts[name]
        if part.flag_bits & 1:
            raise _locked()
        if part.file_size > _MAX_PART or (part.file_size > max(_LARGE, part.compress_size * _MAX_RATIO)):
            raise harmful(f"its part {name} swells from {part.compress_size:,} to {part.file_size:,} bytes")
        try:
            with self._zip.open(part) as stream:
                # It ends where the table of contents says, whatever else is packed.
                while piece := stream.read(_STEP):
                    yield piece
        except _BROKEN:
            raise damaged(f"its part {name} cannot be unpacked") from None


def _old_or_encrypted(data: bytes) -> CiteLoomError:
    if "EncryptedPackage".encode("utf-16-le") in data:
        return _locked()
    return not_word("The file is in the format of Word before 2007.", "Open it in Word and save it as .docx.")


def _locked() -> CiteLoomError:
    return CiteLoomError(
        Code.INVALID_INPUT,
        "The Word document is protected by a password.",
        "Open it with the password and save it without one.",
    )
