"""Atomic replacement of files that belong to the user, with backups beside them. Used for editors' settings files."""

from __future__ import annotations

import contextlib
import errno
import hashlib
import os
import stat
import sys
import tempfile
from datetime import datetime
from pathlib import Path

from citeloom.core.errors import CiteLoomError, Code

_MAX_BYTES = 32_000_000  # Claude Code's settings file grows to several million
_BACKUPS = 5
_MARK = ".citeloom-backup-"
_NOTHING = "Nothing was written."


def fingerprint(content: bytes | None) -> str | None:
    """Return the SHA-256 of a content; None where there is no file."""
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
            raise CiteLoomError(
                Code.INVALID_INPUT,
                f"{file} is too large ({size}).",
                "Look at what it holds.",
            )
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
    backup = file.with_name(f"{file.name}{_MARK}{stamp}")
    try:
        mode = stat.S_IMODE(file.stat().st_mode)  # it may hold keys: whoever may not read the one may not the other
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
    begin = f"{file.name}{_MARK}"
    try:
        found = [other for other in file.parent.iterdir() if other.name.startswith(begin) and other.is_file()]
        return sorted(found, reverse=True)
    except OSError:
        return []


def replace(file: Path, before: bytes | None, after: bytes | None) -> None:
    """Replace `before`, the content that was read, by `after` in one step; None stands for no file."""
    target = file.resolve()  # a symbolic link is followed and stays
    temporary: Path | None = None
    try:
        if after is not None:
            target.parent.mkdir(parents=True, exist_ok=True)
            temporary = _write_temporary(target, after)
        if read(file) != before:
            raise CiteLoomError(
                Code.INVALID_INPUT, f"{file} was changed by another program just now.", f"Try again. {_NOTHING}"
            )
        if temporary is None:
            target.unlink()
        else:
            temporary.replace(target)
    except OSError as error:
        raise _translated(error, file, "written") from error
    finally:
        if temporary is not None:
            temporary.unlink(missing_ok=True)


def _write_temporary(target: Path, content: bytes) -> Path:
    number, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.", suffix=".citeloom")
    try:
        with os.fdopen(number, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        try:
            old = target.stat()
        except FileNotFoundError:
            Path(name).chmod(0o600)
        else:
            Path(name).chmod(stat.S_IMODE(old.st_mode))
            _copy_owner(Path(name), old)
    except OSError:
        Path(name).unlink(missing_ok=True)
        raise
    return Path(name)


def _copy_owner(file: Path, old: os.stat_result) -> None:
    """Give a file the owner and group of the one it replaces, where permitted."""
    new = file.stat()
    if sys.platform != "win32" and (old.st_uid, old.st_gid) != (new.st_uid, new.st_gid):
        with contextlib.suppress(PermissionError):
            os.chown(file, old.st_uid, old.st_gid)


def _translated(error: OSError, file: Path, what: str) -> CiteLoomError:
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return CiteLoomError(
            Code.STORAGE_ERROR, f"The disk is full: {file} could not be {what}.", f"Free some room. {_NOTHING}"
        )
    if isinstance(error, PermissionError) or error.errno == errno.EROFS:
        return CiteLoomError(
            Code.PERMISSION_DENIED,
            f"{file} could not be {what}: it is protected, or in use.",
            f"Close the program that it belongs to, look at its rights, then try again. {_NOTHING}",
        )
    reason = error.strerror or type(error).__name__
    return CiteLoomError(
        Code.STORAGE_ERROR, f"{file} could not be {what} ({reason}).", f"Look at the path, then try again. {_NOTHING}"
    )
