"""Consistent private copies of a SQLite database that Zotero may be writing to.

Zotero locks its database while it runs, so SQLite cannot read it in place. The latest changes may be only in the files
beside it: zotero.sqlite-wal, or zotero.sqlite-journal during a write.
"""

from __future__ import annotations

import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from citeloom.core.errors import CiteLoomError, Code

# The -shm file is left out: it contains Zotero's locks, and SQLite rebuilds it from the -wal.
_PARTS = ("", "-wal", "-journal")
_HEADER = 100  # SQLite counts changes in the first bytes of each part
_PAUSES = (0.1, 0.3, 0.6, 1.0)  # seconds between the tries

Fingerprint = tuple[tuple[int, int, bytes] | None, ...]


def fingerprint(database: Path) -> Fingerprint:
    """Return a value that changes whenever Zotero writes."""
    with _translate_errors(database):
        return tuple(_state(_part(database, suffix), optional=bool(suffix)) for suffix in _PARTS)


@contextmanager
def private_copy(database: Path) -> Iterator[tuple[Path, Fingerprint]]:
    """Yield a consistent copy that only this user can read, deleted afterwards, and its fingerprint."""
    try:
        folder = tempfile.TemporaryDirectory(prefix="citeloom-zotero-", ignore_cleanup_errors=True)
    except OSError as error:
        raise _not_copied(database, error) from error
    with folder as name:
        yield _copied(database, Path(name))


def _copied(database: Path, folder: Path) -> tuple[Path, Fingerprint]:
    copy = folder / database.name
    for wait in (*_PAUSES, None):
        before = fingerprint(database)
        with _translate_errors(database):
            for suffix, state in zip(_PARTS, before, strict=True):
                _copy_part(_part(database, suffix), _part(copy, suffix), exists=state is not None)
        if fingerprint(database) == before:
            return copy, before
        if wait is not None:
            time.sleep(wait)
    raise CiteLoomError(
        Code.ZOTERO_UNAVAILABLE,
        f"Zotero is writing to {database} without a pause, so it cannot be read.",
        "Try again when Zotero has finished its sync or import.",
        path=str(database),
    )


def _part(database: Path, suffix: str) -> Path:
    return database.with_name(database.name + suffix)


def _state(part: Path, *, optional: bool) -> tuple[int, int, bytes] | None:
    try:
        with part.open("rb") as file:
            header = file.read(_HEADER)
        status = part.stat()
    except FileNotFoundError:
        if optional:
            return None
        raise
    return status.st_size, status.st_mtime_ns, header


def _copy_part(part: Path, copy: Path, *, exists: bool) -> None:
    copy.unlink(missing_ok=True)
    if exists:
        with suppress(FileNotFoundError):  # deleted since: the fingerprint has changed
            shutil.copyfile(part, copy)


@contextmanager
def _translate_errors(database: Path) -> Iterator[None]:
    try:
        yield
    except FileNotFoundError as error:
        step = "Start Zotero once, or set zotero.data_folder to the folder that contains it."
        raise _unreadable(database, "does not exist", step) from error
    except IsADirectoryError as error:
        step = "Set zotero.data_folder to the folder that contains zotero.sqlite."
        raise _unreadable(database, "is a folder, not a database", step) from error
    except PermissionError as error:
        step = "Give your user the right to read it, or start Zotero."
        raise _unreadable(database, "may not be read", step) from error
    except OSError as error:
        raise _not_copied(database, error) from error


def _not_copied(database: Path, error: OSError) -> CiteLoomError:
    reason = f"cannot be copied ({error.strerror or error})"
    return _unreadable(database, reason, "Check the disk and its free space, or start Zotero.")


def _unreadable(database: Path, reason: str, step: str) -> CiteLoomError:
    return CiteLoomError(Code.ZOTERO_UNAVAILABLE, f"Zotero's database {database} {reason}.", step, path=str(database))
