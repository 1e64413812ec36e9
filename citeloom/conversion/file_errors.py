"""Errors for files that cannot be read, with the path in their details."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from citeloom.core.errors import CiteLoomError, Code


def file_error(path: Path, message: str, next_step: str, code: Code = Code.CONVERSION_FAILED) -> CiteLoomError:
    """Return the error for a file that cannot be read."""
    return CiteLoomError(code, message, next_step, path=str(path))


def wrong_suffix(path: Path, what: str) -> CiteLoomError:
    """Return the error for content that does not match the file's suffix; `what` follows "The file … is"."""
    message = f"The file {path.name} is {what}, despite its suffix."
    return file_error(path, message, "Correct the suffix, or leave the file out.", Code.UNSUPPORTED_FORMAT)


@contextmanager
def translate_file_errors(path: Path) -> Iterator[None]:
    """Translate the OSError of a file that cannot be opened."""
    try:
        yield
    except FileNotFoundError:
        raise file_error(
            path, f"The file {path.name} no longer exists.", "Sync again, or put the file back.", Code.FILE_NOT_FOUND
        ) from None
    except PermissionError:
        next_step = "Give your user the right to read the file."
        raise file_error(path, f"CiteLoom may not read {path.name}.", next_step, Code.PERMISSION_DENIED) from None
    except OSError as error:
        message = f"The file {path.name} could not be read: {error.strerror or error}."
        next_step = "Check the disk or network drive that it is on, then try again."
        raise file_error(path, message, next_step, Code.STORAGE_ERROR) from None
