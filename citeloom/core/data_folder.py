"""Checks of the data folder: it exists, belongs to the user and is private.

Its readers have the engine's token and every text; its writers could pose as the engine. Called at the start of every
process; standard library only, because the bridge imports it.
"""

from __future__ import annotations

import errno
import os
import stat
import sys

from citeloom.core import paths
from citeloom.core.errors import CiteLoomError, Code

_OTHERS = stat.S_IRWXG | stat.S_IRWXO
# A folder named in CITELOOM_HOME is CiteLoom's own if it has one of the first, or nothing but the second, whose names
# other programs use as well (/var has a cache).
_OWN_FILES = {"catalog.db", "engine.lock", "engine.start.lock", "app.lock", "citeloom.toml"}
_SHARED_NAMES = {"cache", "logs", "index", "zotero"}
_OR_ANOTHER_FOLDER = "or set CITELOOM_HOME to a folder of its own"


def prepare() -> None:
    """Create the data folder and make it private; raise if it cannot be used."""
    folders = paths.folders()
    try:
        paths.make_private(folders.data)
        if sys.platform != "win32":  # there, a user's folders are private by default
            _make_folders_private(folders)
    except OSError as error:
        raise unusable(error) from error
    if not os.access(folders.data, os.W_OK | os.X_OK):
        raise unusable(PermissionError(errno.EACCES, os.strerror(errno.EACCES), folders.data))


def unusable(error: OSError) -> CiteLoomError:
    """Return the error for a data folder that cannot be used."""
    folder = paths.folders().data
    place = str(error.filename or folder)
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return CiteLoomError(
            Code.STORAGE_ERROR, f"The disk of {folder} is full.", "Free some disk space and run it again."
        )
    if error.errno in (errno.EACCES, errno.EPERM, errno.EROFS):
        what = f"CiteLoom's data folder {folder}" if place == folder else place
        return CiteLoomError(
            Code.PERMISSION_DENIED,
            f"{what} is read-only ({error.strerror}).",
            f"Make it writable, {_OR_ANOTHER_FOLDER}.",
        )
    return CiteLoomError(
        Code.STORAGE_ERROR,
        f"CiteLoom's data folder {folder} cannot be used ({place}: {error.strerror or error}).",
        f"Make sure that it is a folder on a working disk, {_OR_ANOTHER_FOLDER}.",
    )


def free_bytes(folder: str | os.PathLike[str]) -> int:
    """Return the free bytes on the disk of a folder."""
    import shutil  # imported here, because the bridge imports this module at its start

    return shutil.disk_usage(folder).free


def _make_folders_private(folders: paths.Folders) -> None:
    """Remove the access of others to the folders and their direct files; deeper ones cannot be reached then."""
    for folder in (folders.data,) if os.environ.get("CITELOOM_HOME") else (folders.data, folders.cache, folders.logs):
        try:
            status = os.stat(folder)
        except FileNotFoundError:
            continue
        _check_owner(folder, status, (os.geteuid(),))
        if status.st_mode & _OTHERS:
            _check_own_folder(folder, status)
            _remove_access_of_others(folder, status)
        with os.scandir(folder) as entries:
            for entry in entries:
                _make_entry_private(entry)


def _make_entry_private(entry: os.DirEntry[str]) -> None:
    try:
        status = entry.stat(follow_symlinks=False)
        # Root can read everything anyway, and puts lost+found into the root of a disk.
        _check_owner(entry.path, status, (os.geteuid(), 0))
        if stat.S_ISREG(status.st_mode) and status.st_mode & _OTHERS and status.st_uid == os.geteuid():
            _remove_access_of_others(entry.path, status)
    except FileNotFoundError:
        pass  # replaced by the engine meanwhile


def _check_owner(path: str, status: os.stat_result, allowed: tuple[int, ...]) -> None:
    if status.st_uid not in allowed:
        raise CiteLoomError(
            Code.PERMISSION_DENIED,
            f"{path} belongs to another user (number {status.st_uid}; you are {os.geteuid()}).",
            f"Run CiteLoom as that user, {_OR_ANOTHER_FOLDER}.",
        )


def _check_own_folder(folder: str, status: os.stat_result) -> None:
    """Raise for a folder from CITELOOM_HOME that other programs may use, instead of changing it."""
    if not os.environ.get("CITELOOM_HOME"):
        return
    names = {*os.listdir(folder)}
    if status.st_mode & stat.S_ISVTX or not (names & _OWN_FILES or names <= _SHARED_NAMES):
        raise CiteLoomError(
            Code.PERMISSION_DENIED,
            f"{folder} is open to other people ({stat.filemode(status.st_mode)}) and holds files of other"
            " programs, so it was not changed.",
            "Set CITELOOM_HOME to a folder of its own.",
        )


def _remove_access_of_others(path: str, status: os.stat_result) -> None:
    mode = stat.S_IMODE(status.st_mode) & ~_OTHERS
    try:
        os.chmod(path, mode)
        refused = ""
    except PermissionError as error:
        refused = f": {error.strerror}"
    if os.stat(path).st_mode & _OTHERS:  # some file systems have no permissions and ignore the change
        raise CiteLoomError(
            Code.PERMISSION_DENIED,
            f"{path} is open to other people ({stat.filemode(status.st_mode)}), and that cannot be changed{refused}.",
            "Set CITELOOM_HOME to a folder on a disk that supports file permissions.",
        )
