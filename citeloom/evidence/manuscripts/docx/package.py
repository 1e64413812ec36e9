"""Unpacks the parts of a Word file in pieces and within limits, since the file may be untrusted."""

from __future__ import annotations

import io
from collections.abc import Iterator
from contextlib import contextmanager

from citeloom.core.errors import CiteLoomError, Code
from citeloom.core.files.zip_reader import (
    OLE_SIGNATURE,
    ZipHarmful,
    ZipLocked,
    ZipReader,
    ZipRefused,
    is_encrypted_office,
)


def not_word(why: str, next_step: str) -> CiteLoomError:
    """Return the error for a file of another kind than its name says, or that CiteLoom does not read."""
    return CiteLoomError(Code.UNSUPPORTED_FORMAT, why, next_step)


def damaged(why: str) -> CiteLoomError:
    """Return the error for a file that is incomplete or broken."""
    return CiteLoomError(
        Code.INVALID_INPUT, f"The Word document is damaged: {why}.", "Open it in Word and save it again."
    )


def harmful(why: str) -> CiteLoomError:
    """Return the error for a file that would exhaust memory."""
    return CiteLoomError(
        Code.INVALID_INPUT,
        f"The Word document was not opened: {why}.",
        "If you trust where it comes from, open it in Word and save it again.",
    )


@contextmanager
def open_package(data: bytes) -> Iterator[ZipReader]:
    """Open a Word file; raises for a file of another kind, and inside the block for a broken or oversized part."""
    is_ole = data.startswith(OLE_SIGNATURE)
    if is_ole and not is_encrypted_office(data):
        raise not_word("The file is in the format of Word before 2007.", "Open it in Word and save it as .docx.")
    if not is_ole and not data.startswith(b"PK"):
        raise not_word("The file is not a Word document, despite its suffix.", "Save it as .docx.")
    try:
        if is_ole:
            raise ZipLocked
        yield ZipReader(io.BytesIO(data))
    except ZipLocked:
        raise CiteLoomError(
            Code.INVALID_INPUT,
            "The Word document is protected by a password.",
            "Open it with the password and save it without one.",
        ) from None
    except ZipHarmful as refused:
        raise harmful(str(refused)) from None
    except ZipRefused as refused:
        raise damaged(str(refused)) from None
