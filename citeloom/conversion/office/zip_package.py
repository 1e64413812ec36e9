"""Safe reading of zip packages (DOCX, PPTX, EPUB): with size limits, in memory only."""

from __future__ import annotations

import errno
import struct
import zipfile
import zlib
from pathlib import Path
from types import TracebackType
from typing import Any

from lxml import etree as _etree

from citeloom.core.errors import CiteLoomError, Code

# lxml carries no types: naming it Any once keeps the rest of the module checked.
etree: Any = _etree

NAMES = {"docx": "Word document", "pptx": "PowerPoint presentation", "html": "web page", "epub": "book in EPUB"}

_MB = 1024 * 1024
_MAX_TOTAL = 500 * _MB  # everything a package holds, unpacked
_MAX_PART = 100 * _MB  # one part that is read
_MAX_RATIO = 200  # how much larger than its packed size a large part may be: XML stays far below
_LARGE = 10 * _MB
_MAX_PARTS = 20_000
_STEP = _MB
_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"  # Word and PowerPoint before 2007, and encrypted packages since
_BROKEN = (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, ValueError, struct.error)


def other_format(path: Path, kind: str, found: str = "") -> CiteLoomError:
    """The error for content that is not what the file's suffix says."""
    return CiteLoomError(
        Code.UNSUPPORTED_FORMAT,
        f"The file {path.name} is {f'{found}, not' if found else 'not'} a {NAMES[kind]}, whatever its name says.",
        "Give it the suffix of what it really is, or leave it out.",
        path=str(path),
    )


def damaged(path: Path, why: str) -> CiteLoomError:
    """The error for a file that is incomplete or broken."""
    return CiteLoomError(
        Code.CONVERSION_FAILED,
        f"The file {path.name} is damaged: {why}.",
        "Download or export it again.",
        path=str(path),
    )


def harmful(path: Path, why: str) -> CiteLoomError:
    """The error for a file that would exhaust the machine or reach outside itself."""
    return CiteLoomError(
        Code.CONVERSION_FAILED,
        f"The file {path.name} was not opened: {why}.",
        "If you trust where it comes from, open it in its own program and save it anew.",
        path=str(path),
    )


def locked(path: Path, why: str, next_step: str) -> CiteLoomError:
    """The error for a file that only a password or a licence opens."""
    return CiteLoomError(Code.CONVERSION_FAILED, f"The file {path.name} is {why}.", next_step, path=str(path))


def xml_tree(path: Path, name: str, data: bytes) -> Any:
    """The XML tree of a part; entities are never expanded, nothing is fetched."""
    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False)
    try:
        return etree.fromstring(data, parser)
    except (etree.XMLSyntaxError, ValueError) as error:
        if "depth" in str(error):
            raise harmful(path, f"its part {name} is nested too deeply, more than 256 levels") from None
        raise damaged(path, f"its part {name} is not well-formed XML") from None


class Package:
    """Reads the parts of a zip package within limits."""

    def __init__(self, path: Path, kind: str) -> None:
        self.path = path
        with path.open("rb") as stream:
            start = stream.read(8)
        if start == _OLE:
            raise _old_or_encrypted(path, kind)
        if not start.startswith(b"PK"):
            raise other_format(path, kind)
        try:
            self._zip = zipfile.ZipFile(path)
        except (*_BROKEN, OSError) as error:
            raise _broken(error, path, "its table of contents cannot be read") from None
        try:
            self._parts = self._checked()
        except CiteLoomError:
            self._zip.close()
            raise

    def _checked(self) -> dict[str, zipfile.ZipInfo]:
        """Return the parts by name after checks of the table of contents."""
        parts = [part for part in self._zip.infolist() if not part.is_dir()]
        if not parts:
            raise damaged(self.path, "it is an empty archive")
        total = sum(part.file_size for part in parts)
        if total > _MAX_TOTAL:
            raise harmful(self.path, f"it unpacks to {total / _MB:,.0f} MB, and {_MAX_TOTAL // _MB} MB are the limit")
        if len(parts) > _MAX_PARTS:
            raise harmful(self.path, f"it holds {len(parts):,} parts, and {_MAX_PARTS:,} are the limit")
        for part in parts:
            if _reaches_outside(part.filename):
                raise harmful(self.path, f"its part {part.filename[:80]!r} points outside the file")
        return {part.filename: part for part in parts}

    def __enter__(self) -> Package:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._zip.close()

    def __contains__(self, name: str) -> bool:
        return name in self._parts

    def names(self) -> list[str]:
        """The names of all parts, in the order of the table of contents."""
        return list(self._parts)

    def read(self, name: str) -> bytes:
        """A part's content; a part that is missing, broken or swollen is an error."""
        part = self._parts.get(name)
        if part is None:
            raise damaged(self.path, f"its part {name} is missing")
        if part.flag_bits & 1:
            raise locked(self.path, "protected by a password", "Open it with the password and save it without one.")
        ratio = part.file_size / max(part.compress_size, 1)
        if part.file_size > _MAX_PART or (part.file_size > _LARGE and ratio > _MAX_RATIO):
            size = f"{part.file_size / _MB:,.0f} MB"
            raise harmful(self.path, f"its part {name} swells from {part.compress_size / _MB:,.1f} MB to {size}")
        pieces: list[bytes] = []
        size_so_far = 0
        try:
            with self._zip.open(part) as stream:
                # In steps: zipfile would unpack a part that is larger than declared completely.
                while piece := stream.read(_STEP):
                    pieces.append(piece)
                    size_so_far += len(piece)
                    if size_so_far > part.file_size:
                        raise zipfile.BadZipFile
        except (*_BROKEN, OSError) as error:
            raise _broken(error, self.path, f"its part {name} cannot be unpacked") from None
        return b"".join(pieces)


def _broken(error: Exception, path: Path, why: str) -> Exception:
    """What a failed reading means; a seek to nowhere is the file's fault, other failures are the disk's."""
    return error if isinstance(error, OSError) and error.errno != errno.EINVAL else damaged(path, why)


def _reaches_outside(name: str) -> bool:
    plain = name.replace("\\", "/")
    return plain.startswith("/") or ".." in plain.split("/") or plain[1:2] == ":"


def _old_or_encrypted(path: Path, kind: str) -> CiteLoomError:
    if "EncryptedPackage".encode("utf-16-le") in path.read_bytes():
        return locked(path, "protected by a password", "Open it with the password and save it without one.")
    if kind == "epub":
        return other_format(path, kind)
    return CiteLoomError(
        Code.UNSUPPORTED_FORMAT,
        f"The file {path.name} is in the format of Office before 2007.",
        f"Open it and save it as .{kind}.",
        path=str(path),
    )
