"""Tells which project's folders and references have changed, once whoever writes there has finished."""

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

log = logging.getLogger(__name__)

QUIET = 2.0  # seconds without a change after which a file counts as written whole
RECHECK = 60.0  # between two searches for places that were missing
_LONGEST = 600.0  # a file that is written to all day must not keep the others from being read
_TICK = 0.5
_POLL_MS = 30_000  # where the system does not tell of changes, files are compared this often
_STOP_SECONDS = 5.0

_UNFINISHED = (".part", ".partial", ".tmp", ".temp", ".crdownload", ".download", "~")
_NETWORK = ("nfs", "cifs", "smb", "9p", "afs", "davfs", "fuse.sshfs", "fuse.rclone", "fuse.davfs")

_Stamp = tuple[int, int] | None  # size and time of a file; None of anything else
_Changes = Generator[set[watchfiles.main.FileChange], None, None]


@dataclass(frozen=True, slots=True)
class _Root:
    """A folder as the system knows it: without links, and the very one that is there now."""

    folder: str
    deep: bool  # with its subfolders
    number: tuple[int, int]  # device and inode: another disk mounted at its place is another folder


@dataclass(slots=True)
class _Pending:
    """Changes of a project that nobody has been told of."""

    since: float
    quiet_from: float
    seen: dict[Path, _Stamp] = field(default_factory=dict)
    places: set[Path] = field(default_factory=set)  # in which they were


class FileWatcher:
    """Watches the places of all projects in a thread of its own, and calls `changed` with a project's id."""

    def __init__(self, changed: Callable[[str], None], clock: Callable[[], float] = time.monotonic) -> None:
        self._changed = changed
        self._clock = clock
        self._own = [Path(folder).resolve() for folder in paths.folders()]
        self._places: dict[str, list[Path]] = {}
        self._look_again = threading.Event()
        self._ended = False
        self._thread = threading.Thread(target=self._run, name="file-watch", daemon=True)
        # Used by the thread alone:
        self._known: dict[str, list[Path]] = {}  # places that have been looked for
        self._checked = -math.inf
        self._watched: dict[_Root, _Changes] = {}
        self._polled: set[_Root] = set()
        self._reached: dict[str, dict[Path, _Root]] = {}  # by project: its places without links, where they can be
        self._pending: dict[str, _Pending] = {}

    def start(self) -> None:
        """Begin to watch."""
        self._thread.start()

    def watch_paths(self, places: Mapping[str, Iterable[Path]]) -> None:
        """Watch these folders and files from now on, by project. A place that is not there is waited for."""
        self._places = {project: list(of_project) for project, of_project in places.items()}
        self._look_again.set()

    def stop(self) -> None:
        """End at once."""
        self._ended = True
        self._look_again.set()
        if self._thread.is_alive():
            self._thread.join(_STOP_SECONDS)

    def _run(self) -> None:
        while not self._ended:
            try:
                self.step()
            except Exception:
                log.exception("the watch over files goes on after an error")
            self._look_again.wait(_TICK)
        for changes in self._watched.values():
            changes.close()

    def step(self) -> None:
        """One look: where the places are, what has changed in them, whom to tell."""
        if self._look_again.is_set() or self._clock() - self._checked >= RECHECK:
            self._look_again.clear()
            self._checked = self._clock()
            self._reach(self._places)
        self._gather()
        self._notify()

    # -- where to look ---------------------------------------------------------------------------------------

    def _reach(self, places: dict[str, list[Path]]) -> None:
        """Watch what is there now; a place that has turned up since it was last looked for has changed."""
        before, self._reached = self._reached, {project: {} for project in places}
        for project, wanted in places.items():
            for place in wanted:
                try:
                    real, root = _real(place)
                except OSError:
                    continue  # a drive that is not connected
                if root not in self._watched:
                    self._watched[root] = _changes_in(root, polling=_on_network(root.folder) or None)
                self._reached[project][real] = root
                if place in self._known.get(project, ()) and root != before.get(project, {}).get(real):
                    self._note(project, real, real)
        needed = {root for of_project in self._reached.values() for root in of_project.values()}
        for root in set(self._watched) - needed:
            self._watched.pop(root).close()
        self._polled &= needed
        self._pending = {project: pending for project, pending in self._pending.items() if project in places}
        self._known = places

    # -- what has changed ------------------------------------------------------------------------------------

    def _gather(self) -> None:
        for root, changes in list(self._watched.items()):
            try:
                files = {Path(name) for _, name in next(changes)}
            except Exception as error:
                self._broken(root, error)
                continue
            for file in files:
                if not any(file.is_relative_to(own) for own in self._own):
                    self._sort_out(root, file)

    def _broken(self, root: _Root, error: Exception) -> None:
        """Too many folders for the system, a disk that tells nothing: compare. A drive pulled out: wait for it."""
        if root not in self._polled:
            log.warning("%s is only looked at now and then: %s", root.folder, error)
            self._polled.add(root)
            self._watched[root] = _changes_in(root, polling=True)
            return
        log.warning("%s can no longer be watched: %s", root.folder, error)
        del self._watched[root]
        for project, of_project in self._reached.items():
            self._reached[project] = {place: its for place, its in of_project.items() if its != root}

    def _sort_out(self, root: _Root, file: Path) -> None:
        """Note a change for the projects whose place it is in. Told by name: a system may spell the folder its way."""
        for project, of_project in self._reached.items():
            for place, its in of_project.items():
                if its != root:
                    continue
                if file.name == place.name and root.deep != place.is_dir():
                    self._look_again.set()  # the folder itself has come or gone
                if not _fleeting(_within(place, file)) if root.deep else file.name == place.name:
                    self._note(project, place, file)

    def _note(self, project: str, place: Path, file: Path) -> None:
        now = self._clock()
        pending = self._pending.setdefault(project, _Pending(now, now))
        pending.quiet_from = now
        pending.seen[file] = _stamp(file)
        pending.places.add(place)

    def _notify(self) -> None:
        for project, pending in list(self._pending.items()):
            now = self._clock()
            if now - pending.since < _LONGEST:
                if now - pending.quiet_from < QUIET:
                    continue
                # Not every system tells of a file that keeps growing.
                growing = {file: _stamp(file) for file, stamp in pending.seen.items() if _stamp(file) != stamp}
                if growing:
                    pending.seen |= growing
                    pending.quiet_from = now
                    continue
            del self._pending[project]
            if not any(map(_holds_something, pending.places)):
                continue  # all of it has gone at once: a drive was pulled out, nothing was deleted
            try:
                self._changed(project)
            except Exception:
                log.exception("a change in the files of %s could not be followed", project)


def _real(place: Path) -> tuple[Path, _Root]:
    """A place without links, and the folder to watch for it: of a file, or of what is not there, the one it is in."""
    real = place.resolve()
    deep = real.is_dir()
    folder = real if deep else real.parent
    about = folder.stat()
    return real, _Root(str(folder), deep, (about.st_dev, about.st_ino))


def _changes_in(root: _Root, *, polling: bool | None) -> _Changes:
    """Changes since the last time they were asked for; asking takes no time, and the first time begins to watch."""
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
    """Whether a folder is on a disk of another machine, whose changes this one is not told."""
    try:
        mounts = Path("/proc/self/mounts").read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return False
    kinds = {point.replace("\\040", " "): kind for _, point, kind, *_ in map(str.split, mounts)}
    mount = max((point for point in kinds if Path(folder).is_relative_to(point)), key=len, default="")
    return kinds.get(mount, "").startswith(_NETWORK)


def _within(place: Path, file: Path) -> Path:
    return file.relative_to(place) if file.is_relative_to(place) else Path(file.name)


def _fleeting(file: Path) -> bool:
    """Whether a file, by its name within its place, is hidden or not there to stay."""
    name = file.name.lower()
    hidden = any(part.startswith(".") for part in file.parts)
    return hidden or name.startswith("~$") or name.endswith(_UNFINISHED) or name in ("thumbs.db", "desktop.ini")


def _holds_something(place: Path) -> bool:
    """Whether a place is there; the folder at which a drive was mounted stays, but is empty."""
    try:
        return place.is_file() or any(place.iterdir())
    except OSError:
        return False


def _stamp(file: Path) -> _Stamp:
    try:
        about = file.stat()
        return (about.st_size, about.st_mtime_ns) if file.is_file() else None
    except OSError:
        return None
