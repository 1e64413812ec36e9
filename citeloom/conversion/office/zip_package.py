"""Safe reading of zip packages (DOCX, PPTX, EPUB): with size limits, in memory only."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Any

from lxml import etree as _etree

from citeloom.core.errors import CiteLoomError, Code
from citeloom.core.files.zip_reader import OLE, ZipHarmful, ZipLocked, ZipReader, ZipRefused, is_encrypted_office

# lxml has no type information; as Any, the rest of the module can be checked.
etree: Any = _etree

NAMES = {"docx": "Word document", "pptx": "PowerPoint presentation", "html": "web page", "epub": "book in EPUB"}


def other_format(path: Path, kind: str, found: str = "") -> CiteLoomError:
    """Return the error for content that does not match the file's suffix."""
    return CiteLoomError(
        Code.UNSUPPORTED_FORMAT,
        f"The file {path.name} is {f'{found}, not' if found else 'not'} a {NAMES[kind]}, whatever its name says.",
        "Give it the suffix of what it really is, or leave it out.",
        path=str(path),
    )


def damaged(path: Path, why: str) -> CiteLoomError:
    """Return the error for an incomplete or damaged file."""
    return CiteLoomError(
        Code.CONVERSION_FAILED,
        f"The file {path.name} is damaged: {why}.",
        "Download or export it again.",
        path=str(path),
    )


def harmful(path: Path, why: str) -> CiteLoomError:
    """Return the error for a file that would exhaust memory or refer to outside content."""
    return CiteLoomError(
        Code.CONVERSION_FAILED,
        f"The file {path.name} was not opened: {why}.",
        "If you trust where it comes from, open it in its own program and save it anew.",
        path=str(path),
    )


def locked(path: Path, why: str, next_step: str) -> CiteLoomError:
    """Return the error for a file that is protected by a password or licence."""
    return CiteLoomError(Code.CONVERSION_FAILED, f"The file {path.name} is {why}.", next_step, path=str(path))


def xml_tree(path: Path, name: str, data: bytes) -> Any:
    """Parse a part as XML, without expanding entities or fetching anything."""
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
        if start == OLE:
            raise _old_or_encrypted(path, kind)
        if not start.startswith(b"PK"):
            raise other_format(path, kind)
        with _translated(path):
            self._zip = ZipReader(path)
            try:
                self._zip.check_whole()
            except ZipRefused:
                self._zip.close()
                raise

    def __enter__(self) -> Package:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._zip.close()

    def __contains__(self, name: str) -> bool:
        return name in self._zip

    def names(self) -> list[str]:
        """Return the names of all parts, in the order of the zip directory."""
        return self._zip.names()

    def read(self, name: str) -> bytes:
        """Return the content of a part. Raises CiteLoomError if it is missing, damaged or too large."""
        with _translated(self.path):
            return b"".join(self._zip.pieces(name))


@contextmanager
def _translated(path: Path) -> Iterator[None]:
    try:
        yield
    except ZipLocked:
        raise _password(path) from None
    except ZipHarmful as refused:
        raise harmful(path, str(refused)) from None
    except ZipRefused as refused:
        raise damaged(path, str(refused)) from None


def _password(path: Path) -> CiteLoomError:
    return locked(path, "protected by a password", "Open it with the password and save it without one.")


def _old_or_encrypted(path: Path, kind: str) -> CiteLoomError:
    if is_encrypted_office(path.read_bytes()):
        return _password(path)
    if kind == "epub":
        return other_format(path, kind)
    return CiteLoomError(
        Code.UNSUPPORTED_FORMAT,
        f"The file {path.name} is in the format of Office before 2007.",
        f"Open it and save it as .{kind}.",
        path=str(path),
    )
