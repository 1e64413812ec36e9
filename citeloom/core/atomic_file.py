"""Writes files in one step: whoever reads them sees the old content or the new, also after a crash.

`replacing` and `write` are for files of our own; `read`, `back_up` and `replace` for a person's file, which another
program may change at the same time.
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

_MAX_BYTES = 32_000_000  # bytes; Claude Code's file grows to several millions
_BACKUPS = 5
_MARK = ".citeloom-backup-"
_NOTHING = "Nothing was written."


@contextlib.contextmanager
def replacing(
    file: Path,
    temporary: Path | None = None,
    *,
    like: os.stat_result | None = None,
    sync: bool = False,
    check: Callable[[], None] | None = None,
) -> Iterator[BinaryIO]:
    """Open a temporary file beside a file; it takes the file's name when the block ends, or is deleted if that fails.

    Only its owner can read it, or those who could read the file whose `like` is given. `sync` writes it through to the
    disk first; `check` is called last, and may raise.
    """
    if temporary is None:
        number, name = tempfile.mkstemp(dir=file.parent, prefix=".citeloom-")
        temporary = Path(name)
    else:
        number = os.open(temporary, os.O_RDWR | os.O_CREAT | os.O_TRUNC | getattr(os, "O_BINARY", 0), 0o600)
    try:
        with os.fdopen(number, "w+b") as stream:
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
    """Write a file in one step; see `replacing`."""
    with replacing(file, temporary) as stream:
        stream.write(content)


def fingerprint(content: bytes | None) -> str | None:
    """What tells one content from another; None of nothing."""
    return None if content is None else hashlib.sha256(content).hexdigest()


def read(file: Path) -> bytes | None:
    """What is in a file; None if there is none."""
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
    """Refuse a file that its owner has locked; replacing it would break the lock."""
    try:
        mode = file.stat().st_mode
    except OSError:
        return
    if not mode & 0o222 or not os.access(file, os.W_OK):
        raise CiteLoomError(Code.PERMISSION_DENIED, f"{file} is read-only.", "Make it writable, then try again.")


def back_up(file: Path, content: bytes) -> Path:
    """Keep a content beside its file; the oldest of many such copies go."""
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
    # The one just made is kept even if the clock was set back; one that cannot be deleted hurts nobody.
    for old in [other for other in backups(file) if other != backup][_BACKUPS - 1 :]:
        with contextlib.suppress(OSError):
            old.unlink()
    return backup


def backups(file: Path) -> list[Path]:
    """Earlier contents of a file, the newest first."""
    begin = f"{file.name}{_MARK}"
    try:
        found = [other for other in file.parent.iterdir() if other.name.startswith(begin) and other.is_file()]
        return sorted(found, reverse=True)
    except OSError:
        return []


def replace(file: Path, before: bytes | None, after: bytes | None) -> None:
    """Put a new content in place of the one that was read, in one step; None: no file."""
    target = file.resolve()  # through a link to the file that somebody keeps elsewhere

    def refuse_changed() -> None:
        if read(file) != before:
            raise CiteLoomError(
                Code.INVALID_INPUT, f"{file} was changed by another program just now.", f"Try again. {_NOTHING}"
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
    """Let a file belong to whom the old one belonged, as far as one may."""
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
