"""Safe reading of zip packages (DOCX, PPTX, EPUB): with size limits, in memory only."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from lxml import etree

from citeloom.conversion.file_errors import file_error, wrong_suffix
from citeloom.core.errors import CiteLoomError, Code
from citeloom.core.files.zip_reader import (
    OLE_SIGNATURE,
    ZipHarmful,
    ZipLocked,
    ZipReader,
    ZipRefused,
    is_encrypted_office,
)

NAMES = {"docx": "Word document", "pptx": "PowerPoint presentation", "html": "web page", "epub": "book in EPUB"}


def other_format(path: Path, kind: str, found: str = "") -> CiteLoomError:
    """Return the error for content that does not match the file's suffix."""
    return wrong_suffix(path, f"{f'{found}, not' if found else 'not'} a {NAMES[kind]}")


def damaged(path: Path, why: str) -> CiteLoomError:
    """Return the error for an incomplete or damaged file."""
    return file_error(path, f"The file {path.name} is damaged: {why}.", "Download or export it again.")


def harmful(path: Path, why: str) -> CiteLoomError:
    """Return the error for a file that would exhaust memory or refer to outside content."""
    next_step = "If you trust its source, open it in its own program and save it again."
    return file_error(path, f"The file {path.name} was not opened: {why}.", next_step)


def _locked(path: Path) -> CiteLoomError:
    next_step = "Open it with the password and save it without one."
    return file_error(path, f"The file {path.name} is protected by a password.", next_step)


class Package:
    """Reads the parts of a zip package within limits."""

    def __init__(self, path: Path, kind: str) -> None:
        self.path = path
        # XML of a book may have a DTD, but no entities of its own.
        self._forbidden = (b"<!ENTITY",) if kind == "epub" else (b"<!DOCTYPE", b"<!ENTITY")
        with path.open("rb") as stream:
            start = stream.read(len(OLE_SIGNATURE))
        if start == OLE_SIGNATURE:
            raise _encrypted_or_old(path, kind)
        if not start.startswith(b"PK"):
            raise other_format(path, kind)
        with _translate_errors(path):
            self._zip = ZipReader(path)
            try:
                self._zip.check_whole()
            except ZipRefused:
                self._zip.close()
                raise

    def __enter__(self) -> Package:
        return self

    def __exit__(self, *_: object) -> None:
        self._zip.close()

    def __contains__(self, name: str) -> bool:
        return name in self._zip

    def names(self) -> list[str]:
        """Return the names of all parts, in the order of the zip directory."""
        return self._zip.names()

    def read(self, name: str) -> bytes:
        """Return the content of a part. Raises CiteLoomError if it is missing, damaged or too large."""
        with _translate_errors(self.path):
            return b"".join(self._zip.pieces(name))

    def read_xml(self, name: str) -> bytes:
        """Return a part that is XML. Raises CiteLoomError if it defines entities, which can swell without end."""
        data = self.read(name)
        plain = data.replace(b"\x00", b"")  # of UTF-16
        if any(opening in plain for opening in self._forbidden):
            raise harmful(self.path, f"its part {name} defines XML entities, which are not allowed")
        return data

    def parse(self, name: str) -> Any:
        """Parse a part as XML, without expanding entities or fetching anything."""
        parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False)
        try:
            return etree.fromstring(self.read_xml(name), parser)
        except (etree.XMLSyntaxError, ValueError) as error:
            if "depth" in str(error):
                raise harmful(self.path, f"its part {name} is nested too deeply, more than 256 levels") from None
            raise damaged(self.path, f"its part {name} is not well-formed XML") from None


@contextmanager
def _translate_errors(path: Path) -> Iterator[None]:
    try:
        yield
    except ZipLocked:
        raise _locked(path) from None
    except ZipHarmful as refused:
        raise harmful(path, str(refused)) from None
    except ZipRefused as refused:
        raise damaged(path, str(refused)) from None


def _encrypted_or_old(path: Path, kind: str) -> CiteLoomError:
    if is_encrypted_office(path.read_bytes()):
        return _locked(path)
    if kind == "epub":
        return other_format(path, kind)
    message = f"The file {path.name} is in the format of Office before 2007."
    return file_error(path, message, f"Open it and save it as .{kind}.", Code.UNSUPPORTED_FORMAT)
