"""Unpacks the parts of a Word file in pieces and within limits, since the file may be untrusted."""

from __future__ import annotations

import io
from collections.abc import Iterator
from contextlib import contextmanager

from citeloom.core.errors import CiteLoomError, Code
from citeloom.core.files.zip_reader import OLE, ZipHarmful, ZipLocked, ZipReader, ZipRefused, is_encrypted_office


def not_word(why: str, next_step: str) -> CiteLoomError:
    """Return the error for a file of another kind than its name says, or that CiteLoom does not read."""
    return CiteLoomError(Code.UNSUPPORTED_FORMAT, why, next_step)


def damaged(why: str) -> CiteLoomError:
    """Return the error for a file that is incomplete or broken."""
    return CiteLoomError(
        Code.INVALID_INPUT, f"The Word document is damaged: {why}.", "Open it in Word and save it anew."
    )


def harmful(why: str) -> CiteLoomError:
    """Return the error for a file that would exhaust memory."""
    return CiteLoomError(
        Code.INVALID_INPUT,
        f"The Word document was not opened: {why}.",
        "If you trust where it comes from, open it in Word and save it anew.",
    )


class Package:
    """A Word file in memory."""

    def __init__(self, data: bytes) -> None:
        if data.startswith(OLE):
            raise _old_or_encrypted(data)
        if not data.startswith(b"PK"):
            raise not_word("The file is not a Word document, whatever its name says.", "Save it as .docx.")
        with _translated():
            self._zip = ZipReader(io.BytesIO(data))

    def __contains__(self, name: str) -> bool:
        return name in self._zip

    def pieces(self, name: str) -> Iterator[bytes]:
        """Yield the content of a part in pieces; raises for a broken or oversized part."""
        with _translated():
            yield from self._zip.pieces(name)


@contextmanager
def _translated() -> Iterator[None]:
    try:
        yield
    except ZipLocked:
        raise _locked() from None
    except ZipHarmful as refused:
        raise harmful(str(refused)) from None
    except ZipRefused as refused:
        raise damaged(str(refused)) from None


def _old_or_encrypted(data: bytes) -> CiteLoomError:
    if is_encrypted_office(data):
        return _locked()
    return not_word("The file is in the format of Word before 2007.", "Open it in Word and save it as .docx.")


def _locked() -> CiteLoomError:
    return CiteLoomError(
        Code.INVALID_INPUT,
        "The Word document is protected by a password.",
        "Open it with the password and save it without one.",
    )
