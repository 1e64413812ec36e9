"""Atomic file writes: readers see the old content or the new, also after a crash.

`replacing` and `write` are for CiteLoom's own files; `read`, `back_up` and `replace` for files of the user, which
another program may change at the same time.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import os
import stat
import sys
import tempfile
from collections.abc import Callable, Iterator
from datetime import datetime
from pathlib import Path
from typing import BinaryIO

from citeloom.core.errors import CiteLoomError, Code

_MAX_BYTES = 32_000_000  # Claude Code's settings file grows to several million
_BACKUPS = 5
_BACKUP_SUFFIX = ".citeloom-backup-"
_NOTHING_WRITTEN = "Nothing was written."


@contextlib.contextmanager
def replacing(
    file: Path,
    temporary: Path | None = None,
    *,
    like: os.stat_result | None = None,
    sync: bool = False,
    check: Callable[[], None] | None = None,
) -> Iterator[BinaryIO]:
    """Open a temporary file that replaces a file when the block ends, or is deleted if the block fails.

    Only its owner can read it; with `like`, it gets the permissions of that file. `sync` flushes it to the disk before;
    `check` is called last, and may raise.
    """
    if temporary is None:
        descriptor, name = tempfile.mkstemp(dir=file.parent, prefix=".citeloom-")
        temporary = Path(name)
    else:
        descriptor = os.open(temporary, os.O_RDWR | os.O_CREAT | os.O_TRUNC | getattr(os, "O_BINARY", 0), 0o600)
    try:
        with os.fdopen(descriptor, "w+b") as stream:
            yield stream
            if sync:
                stream.flush()
                os.fsync(stream.fileno())
        if like is not None:
            temporary.chmod(stat.S_IMODE(like.st_mode))
            _copy_owner(temporary, like)
        if check is not None:
            check()
        temporary.replace(file)
    finally:
        temporary.unlink(missing_ok=True)


def write(file: Path, content: bytes, temporary: Path | None = None) -> None:
    """Write a file atomically; see `replacing`."""
    with replacing(file, temporary) as stream:
        stream.write(content)


def fingerprint(content: bytes | None) -> str | None:
    """Return the SHA-256 of a content; None if there is no file."""
    return None if content is None else hashlib.sha256(content).hexdigest()


def read(file: Path) -> bytes | None:
    """Return the content of a regular file; None if it does not exist."""
    try:
        seen = file.stat()
        if not stat.S_ISREG(seen.st_mode):
            what = "a folder" if stat.S_ISDIR(seen.st_mode) else "no ordinary file"
            raise CiteLoomError(Code.INVALID_INPUT, f"{file} is {what}.", "Move it away, then try again.")
        if seen.st_size > _MAX_BYTES:
            size = f"{seen.st_size / 1e6:.0f} MB"
            raise CiteLoomError(Code.INVALID_INPUT, f"{file} is too large ({size}).", "Check what it contains.")
        return file.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise _translated(error, file, "read") from error


def check_writable(file: Path) -> None:
    """Raise PERMISSION_DENIED for a read-only file: replacing it would ignore that."""
    try:
        mode = file.stat().st_mode
    except OSError:
        return
    if not mode & 0o222 or not os.access(file, os.W_OK):
        raise CiteLoomError(Code.PERMISSION_DENIED, f"{file} is read-only.", "Make it writable, then try again.")


def back_up(file: Path, content: bytes) -> Path:
    """Write a backup of a content beside its file and delete the oldest ones; return the backup."""
    stamp = datetime.now().strftime("%Y%m%dT%H%M%S.%f")
    backup = file.with_name(f"{file.name}{_BACKUP_SUFFIX}{stamp}")
    try:
        mode = stat.S_IMODE(file.stat().st_mode)  # the file may contain keys, so its backup gets the same permissions
        backup.touch(mode=0o600, exist_ok=False)
        backup.write_bytes(content)
        backup.chmod(mode)
    except OSError as error:
        backup.unlink(missing_ok=True)
        raise _translated(error, backup, "written") from error
    # The new backup is kept even if the clock was set back.
    for old in [other for other in backups(file) if other != backup][_BACKUPS - 1 :]:
        with contextlib.suppress(OSError):
            old.unlink()
    return backup


def backups(file: Path) -> list[Path]:
    """Return the backups of a file, newest first."""
    begin = f"{file.name}{_BACKUP_SUFFIX}"
    try:
        found = [other for other in file.parent.iterdir() if other.name.startswith(begin) and other.is_file()]
        return sorted(found, reverse=True)
    except OSError:
        return []


def replace(file: Path, before: bytes | None, after: bytes | None) -> None:
    """Replace `before`, the content that was read, by `after` atomically; None stands for no file."""
    target = file.resolve()  # a symbolic link is followed and stays

    def refuse_changed() -> None:
        if read(file) != before:
            raise CiteLoomError(
                Code.INVALID_INPUT, f"{file} was changed by another program just now.", f"Try again. {_NOTHING_WRITTEN}"
            )

    try:
        if after is None:
            refuse_changed()
            target.unlink()
            return
        target.parent.mkdir(parents=True, exist_ok=True)
        like = target.stat() if target.exists() else None
        with replacing(target, like=like, sync=True, check=refuse_changed) as stream:
            stream.write(after)
    except OSError as error:
        raise _translated(error, file, "written") from error


def _copy_owner(file: Path, old: os.stat_result) -> None:
    """Set the owner and group of the replaced file, where permitted."""
    new = file.stat()
    if sys.platform != "win32" and (old.st_uid, old.st_gid) != (new.st_uid, new.st_gid):
        with contextlib.suppress(PermissionError):
            os.chown(file, old.st_uid, old.st_gid)


def _translated(error: OSError, file: Path, what: str) -> CiteLoomError:
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return CiteLoomError(
            Code.STORAGE_ERROR,
            f"The disk is full: {file} could not be {what}.",
            f"Free some disk space. {_NOTHING_WRITTEN}",
        )
    if isinstance(error, PermissionError) or error.errno == errno.EROFS:
        return CiteLoomError(
            Code.PERMISSION_DENIED,
            f"{file} could not be {what}: it is protected, or in use.",
            f"Close the program that it belongs to, check its permissions, then try again. {_NOTHING_WRITTEN}",
        )
    reason = error.strerror or type(error).__name__
    return CiteLoomError(
        Code.STORAGE_ERROR,
        f"{file} could not be {what} ({reason}).",
        f"Check the path, then try again. {_NOTHING_WRITTEN}",
    )
