"""The folders with a researcher's data: there, one's own, closed to other people, or refused with the reason.

Whoever can read there has the engine's token and every text; whoever can write there can pass for the engine.
Standard library only and light: the bridge starts through it.
"""

from __future__ import annotations

import errno
import os
import stat
import sys

from citeloom.core import paths
from citeloom.core.errors import CiteLoomError, Code

_OTHERS = stat.S_IRWXG | stat.S_IRWXO
# What shows that a folder which a person has named is CiteLoom's, and not one where other programs' things lie: one of
# the first, or nothing but the second, whose names others use as well (/var has a cache).
_OURS = {"catalog.db", "engine.lock", "engine.start.lock", "app.lock", "citeloom.toml"}
_COMMON = {"cache", "logs", "index", "zotero"}
_ELSEWHERE = "or set CITELOOM_HOME to a folder of its own"


def prepare() -> None:
    """Have the data folder: there, one's own, writable, and closed to other people."""
    where = paths.folders()
    try:
        paths.make_private(where.data)
        if sys.platform != "win32":  # where a person's folders are closed to others from the beginning
            _close(where)
    except OSError as error:
        raise unusable(error) from error
    if not os.access(where.data, os.W_OK | os.X_OK):
        raise unusable(PermissionError(errno.EACCES, os.strerror(errno.EACCES), where.data))


def unusable(error: OSError) -> CiteLoomError:
    """Why the data folder cannot be used, and what to do."""
    folder = paths.folders().data
    place = str(error.filename or folder)
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return CiteLoomError(Code.STORAGE_ERROR, f"The disk of {folder} is full.", "Free some space and run it again.")
    if error.errno in (errno.EACCES, errno.EPERM, errno.EROFS):
        what = f"CiteLoom's data folder {folder}" if place == folder else place
        return CiteLoomError(
            Code.PERMISSION_DENIED,
            f"{what} is read-only ({error.strerror}).",
            f"Give yourself the right to write there, {_ELSEWHERE}.",
        )
    return CiteLoomError(
        Code.STORAGE_ERROR,
        f"CiteLoom's data folder {folder} cannot be used ({place}: {error.strerror or error}).",
        f"See that it is a folder on a disk that works, {_ELSEWHERE}.",
    )


def _close(where: paths.Folders) -> None:
    """Close the folders and the files in them; what lies deeper cannot be reached then."""
    for folder in (where.data,) if os.environ.get("CITELOOM_HOME") else (where.data, where.cache, where.logs):
        try:
            seen = os.stat(folder)
        except FileNotFoundError:
            continue
        _check_owner(folder, seen, (os.geteuid(),))
        if seen.st_mode & _OTHERS:
            _check_ours(folder, seen)
            _make_private(folder, seen)
        with os.scandir(folder) as entries:
            for entry in entries:
                _close_entry(entry)


def _close_entry(entry: os.DirEntry[str]) -> None:
    try:
        seen = entry.stat(follow_symlinks=False)
        # Root can do everything anyway, and lays its own things into a disk that is used as a whole.
        _check_owner(entry.path, seen, (os.geteuid(), 0))
        if stat.S_ISREG(seen.st_mode) and seen.st_mode & _OTHERS and seen.st_uid == os.geteuid():
            _make_private(entry.path, seen)
    except FileNotFoundError:
        pass  # the engine has just replaced it


def _check_owner(path: str, seen: os.stat_result, allowed: tuple[int, ...]) -> None:
    if seen.st_uid not in allowed:
        raise CiteLoomError(
            Code.PERMISSION_DENIED,
            f"{path} belongs to another user (number {seen.st_uid}; you are {os.geteuid()}).",
            f"Run CiteLoom as that user, {_ELSEWHERE}.",
        )


def _check_ours(folder: str, seen: os.stat_result) -> None:
    """A folder that a person has named is closed only if nothing else depends on its being open."""
    if not os.environ.get("CITELOOM_HOME"):
        return
    names = {*os.listdir(folder)}
    if seen.st_mode & stat.S_ISVTX or not (names & _OURS or names <= _COMMON):
        raise CiteLoomError(
            Code.PERMISSION_DENIED,
            f"{folder} is open to other people ({stat.filemode(seen.st_mode)}) and holds things that are not"
            " CiteLoom's, so it is left as it is.",
            "Set CITELOOM_HOME to a folder of its own.",
        )


def _make_private(path: str, seen: os.stat_result) -> None:
    wanted = stat.S_IMODE(seen.st_mode) & ~_OTHERS
    try:
        os.chmod(path, wanted)
        refused = ""
    except PermissionError as error:
        refused = f": {error.strerror}"
    if os.stat(path).st_mode & _OTHERS:  # some disks know no rights and take a change without making it
        raise CiteLoomError(
            Code.PERMISSION_DENIED,
            f"{path} is open to other people ({stat.filemode(seen.st_mode)}), and that cannot be changed{refused}.",
            "Set CITELOOM_HOME to a folder on a disk that knows whose a file is.",
        )
