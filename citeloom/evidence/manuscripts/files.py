"""Manuscripts on the disk."""

from __future__ import annotations

from pathlib import Path

from citeloom.core.errors import CiteLoomError, Code
from citeloom.evidence.manuscripts.reader import LARGEST_DOCX


def bytes_of(path: Path) -> bytes:
    """What a manuscript's file holds."""
    try:
        size = path.stat().st_size
        if size > LARGEST_DOCX:
            raise CiteLoomError(
                Code.INVALID_INPUT,
                f"{path.name} has {size / 1024**2:.0f} MB; a manuscript may have {LARGEST_DOCX // 1024**2} MB.",
                "Name its chapters one by one.",
            )
        return path.read_bytes()
    except FileNotFoundError:
        raise CiteLoomError(Code.FILE_NOT_FOUND, f"There is no file {path}.", "Check its name.") from None
    except PermissionError:
        raise CiteLoomError(Code.PERMISSION_DENIED, f"{path} may not be read.", "Allow reading the file.") from None
    except OSError as error:
        raise CiteLoomError(
            Code.INVALID_INPUT, f"{path} cannot be read: {error.strerror}.", "Name a manuscript."
        ) from None
