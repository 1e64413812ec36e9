"""Watches folders and references of projects, and reports a change when writing has finished."""

from __future__ import annotations

import logging
import math
import threading
import time
from collections.abc import Callable, Generator, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import watchfiles

from citeloom.core import paths
from citeloom.core.files.file_stamp import FileStamp, file_stamp

log = logging.getLogger(__name__)

QUIET = 2.0  # seconds without a change after which a file counts as complete
RECHECK = 60.0  # seconds between two checks for paths that were missing
_MAX_WAIT_SECONDS = 600.0  # seconds: a file that is written to all day must not delay the others
_TICK = 0.5
_POLL_MS = 30_000  # how often files are compared if the system reports no changes
_STOP_SECONDS = 5.0

_UNFINISHED = (".part", ".partial", ".tmp", ".temp", ".crdownload", ".download", "~")
_NETWORK = ("nfs", "cifs", "smb", "9p", "afs", "davfs", "fuse.sshfs", "fuse.rclone", "fuse.davfs")

_Changes = Generator[set[watchfiles.main.FileChange], None, None]


@dataclass(frozen=True, slots=True)
class _Root:
    """A folder without links, identified by device and inode."""

    folder: str
    deep: bool  # with its subfolders
    number: tuple[int, int]  # device and inode: another disk mounted there is another folder


@dataclass(slots=True)
class _Pending:
    """Changes of a project that have not been reported yet."""

    since: float
    quiet_from: float
    stamps: dict[Path, FileStamp | None] = field(default_factory=dict)  # of the changed files
    watched: set[Path] = field(default_factory=set)  # folders and files that contain the changes


class FileWatcher:
    """Watches the paths of all projects in its own thread, and calls `changed` with a project's id."""

    def __init__(self, changed: Callable[[str], None], clock: Callable[[], float] = time.monotonic) -> None:
        self._changed = changed
        self._clock = clock
        self._own_folders = [Path(folder).resolve() for folder in paths.folders()]
        self._wanted: dict[str, list[Path]] = {}
        self._recheck = threading.Event()
        self._ended = False
        self._thread = threading.Thread(target=self._run, name="file-watch", daemon=True)
        # Used only by the watcher thread:
        self._known: dict[str, list[Path]] = {}  # paths that have been checked
        self._checked = -math.inf
        self._watched: dict[_Root, _Changes] = {}
        self._polled: set[_Root] = set()
        self._reached: dict[str, dict[Path, _Root]] = {}  # by project: its paths without links, if they exist
        self._pending: dict[str, _Pending] = {}

    def start(self) -> None:
        """Start watching."""
        self._thread.start()

    def watch_paths(self, watched: Mapping[str, Iterable[Path]]) -> None:
        """Set the folders and files to watch, by project; a missing one is watched once it exists."""
        self._wanted = {project: list(of_project) for project, of_project in watched.items()}
        self._recheck.set()

    def stop(self) -> None:
        """Stop at once."""
        self._ended = True
        self._recheck.set()
        if self._thread.is_alive():
            self._thread.join(_STOP_SECONDS)

    def _run(self) -> None:
        while not self._ended:
            try:
                self.step()
            except Exception:
                log.exception("an error while watching files; watching continues")
            self._recheck.wait(_TICK)
        for changes in self._watched.values():
            changes.close()

    def step(self) -> None:
        """Update the watches, collect changes and report those that are complete."""
        if self._recheck.is_set() or self._clock() - self._checked >= RECHECK:
            self._recheck.clear()
            self._checked = self._clock()
            self._update_watches(self._wanted)
        self._collect_changes()
        self._notify()

    # -- watched paths ---------------------------------------------------------------------------------------

    def _update_watches(self, watched: dict[str, list[Path]]) -> None:
        """Watch the paths that exist; one that has appeared since the last check counts as changed."""
        before, self._reached = self._reached, {project: {} for project in watched}
        for project, wanted in watched.items():
            for path in wanted:
                try:
                    real, root = _resolve(path)
                except OSError:
                    continue  # a drive that is not connected
                if root not in self._watched:
                    self._watched[root] = _changes_in(root, polling=_on_network(root.folder) or None)
                self._reached[project][real] = root
                if path in self._known.get(project, ()) and root != before.get(project, {}).get(real):
                    self._note(project, real, real)
        needed = {root for of_project in self._reached.values() for root in of_project.values()}
        for root in set(self._watched) - needed:
            self._watched.pop(root).close()
        self._polled &= needed
        self._pending = {project: pending for project, pending in self._pending.items() if project in watched}
        self._known = watched

    # -- changes ---------------------------------------------------------------------------------------------

    def _collect_changes(self) -> None:
        for root, changes in list(self._watched.items()):
            try:
                files = {Path(name) for _, name in next(changes)}
            except Exception as error:
                self._on_watch_failed(root, error)
                continue
            for file in files:
                if not any(file.is_relative_to(own) for own in self._own_folders):
                    self._assign(root, file)

    def _on_watch_failed(self, root: _Root, error: Exception) -> None:
        """Handle a failed watch: fall back to polling, or wait for a drive that was disconnected."""
        if root not in self._polled:
            log.warning("%s is polled from now on: %s", root.folder, error)
            self._polled.add(root)
            self._watched[root] = _changes_in(root, polling=True)
            return
        log.warning("%s can no longer be watched: %s", root.folder, error)
        del self._watched[root]
        for project, of_project in self._reached.items():
            self._reached[project] = {path: watched for path, watched in of_project.items() if watched != root}

    def _assign(self, root: _Root, file: Path) -> None:
        """Assign a change to the projects that read it. By name, because systems may spell the folder differently."""
        for project, of_project in self._reached.items():
            for path, watched in of_project.items():
                if watched != root:
                    continue
                if file.name == path.name and root.deep != path.is_dir():
                    self._recheck.set()  # the folder itself was created or removed
                within = file.relative_to(path) if file.is_relative_to(path) else Path(file.name)
                if not _is_temporary(within) if root.deep else file.name == path.name:
                    self._note(project, path, file)

    def _note(self, project: str, path: Path, file: Path) -> None:
        now = self._clock()
        pending = self._pending.setdefault(project, _Pending(now, now))
        pending.quiet_from = now
        pending.stamps[file] = file_stamp(file)
        pending.watched.add(path)

    def _notify(self) -> None:
        for project, pending in list(self._pending.items()):
            now = self._clock()
            if now - pending.since < _MAX_WAIT_SECONDS:
                if now - pending.quiet_from < QUIET:
                    continue
                # Not every system reports a file that keeps growing.
                growing = {
                    file: file_stamp(file) for file, stamp in pending.stamps.items() if file_stamp(file) != stamp
                }
                if growing:
                    pending.stamps |= growing
                    pending.quiet_from = now
                    continue
            del self._pending[project]
            if not any(map(_has_content, pending.watched)):
                continue  # everything disappeared at once: a drive was disconnected, nothing was deleted
            try:
                self._changed(project)
            except Exception:
                log.exception("a change in the files of %s could not be synced", project)


def _resolve(path: Path) -> tuple[Path, _Root]:
    """Return a path without links, and the folder to watch for it: its parent if it is a file or missing."""
    real = path.resolve()
    deep = real.is_dir()
    folder = real if deep else real.parent
    about = folder.stat()
    return real, _Root(str(folder), deep, (about.st_dev, about.st_ino))


def _changes_in(root: _Root, *, polling: bool | None) -> _Changes:
    """Yield the changes since the last step without blocking; the first step starts the watch."""
    return watchfiles.watch(
        root.folder,
        watch_filter=None,
        debounce=1,
        step=1,
        rust_timeout=1,
        yield_on_timeout=True,
        raise_interrupt=False,
        force_polling=polling,
        poll_delay_ms=_POLL_MS,
        recursive=root.deep,
        ignore_permission_denied=True,
    )


def _on_network(folder: str) -> bool:
    """Whether a folder is on a network disk, whose changes are not reported to this machine."""
    try:
        mounts = Path("/proc/self/mounts").read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return False
    kinds = {point.replace("\\040", " "): kind for _, point, kind, *_ in map(str.split, mounts)}
    mount = max((point for point in kinds if Path(folder).is_relative_to(point)), key=len, default="")
    return kinds.get(mount, "").startswith(_NETWORK)


def _is_temporary(file: Path) -> bool:
    """Whether a file, by its name within the watched folder, is hidden or temporary."""
    name = file.name.lower()
    hidden = any(part.startswith(".") for part in file.parts)
    return hidden or name.startswith("~$") or name.endswith(_UNFINISHED) or name in ("thumbs.db", "desktop.ini")


def _has_content(path: Path) -> bool:
    """Whether a path exists and has content; the mount point of a drive stays, but is empty."""
    try:
        return path.is_file() or any(path.iterdir())
    except OSError:
        return False
