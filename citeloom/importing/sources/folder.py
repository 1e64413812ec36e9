"""Scans folders for readable files, and reports what was left out and why. Used by discovery."""

from __future__ import annotations

import hashlib
import os
import stat
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from citeloom.conversion.formats import file_type
from citeloom.core.errors import CiteLoomError, Code
from citeloom.core.files.open_within import not_a_file, open_within, outside
from citeloom.core.types import Record, Source
from citeloom.importing.sources.allowed import not_found
from citeloom.importing.sources.names import ZOTERO

_GRANT_ACCESS = "Give yourself read access."

ReportBytes = Callable[[int, int | None], None]  # bytes so far, bytes in total
ShouldStop = Callable[[], bool]


@dataclass(frozen=True, eq=False)
class ItemRecord:
    """The record of the Zotero item that a file belongs to."""

    fingerprint: str  # changes when the record may
    zotero: dict[str, str]  # library, item, attachment
    make_record: Callable[[], Record]

    @cached_property
    def record(self) -> Record:
        """The record; built on first use, because most syncs find nothing changed."""
        return self.make_record()


@dataclass(frozen=True, slots=True)
class FoundFile:
    """A readable file, as described by the file system or Zotero."""

    path: str  # "": not on this disk
    file_type: str
    size: int
    mtime_ns: int  # or any number that changes when the content does
    known_as: str = ""  # its address or Zotero item, if it is not identified by its path
    item: ItemRecord | None = None
    missing: str = ""  # why its file is not on this disk
    within: str = ""  # the folder or file of a source that must contain it when it is opened; "": anywhere
    fetch: Callable[[ReportBytes, ShouldStop], FoundFile] | None = None  # writes or fetches it, or a substitute

    @property
    def source(self) -> str:
        """Identifier of the document: path, address or Zotero item."""
        return self.known_as or self.path

    @property
    def shown(self) -> str:
        """Name to show to a person."""
        if self.item is None:
            return self.source
        return f"{self.item.record.citekey} ({self.item.record.title[:60] or self.source})"


@dataclass(slots=True)
class SourceContents:
    """Contents of all sources of an import."""

    files: dict[str, FoundFile] = field(default_factory=dict)  # by source
    problems: dict[str, CiteLoomError] = field(default_factory=dict)
    other_kinds: Counter[str] = field(default_factory=Counter)
    scanned: list[Source] = field(default_factory=list)
    unreadable: list[Path] = field(default_factory=list)  # nothing in these folders counts as removed
    warnings: list[str] = field(default_factory=list)
    libraries: set[str] = field(default_factory=set)  # Zotero libraries that were read completely

    def covers(self, source: str) -> bool:
        """Whether a document's source was scanned completely, so that a document not found was removed from it."""
        if source.startswith(ZOTERO):
            return any(source.startswith(f"{ZOTERO}{library}/items/") for library in self.libraries)
        path = Path(source)
        if source in self.problems or any(path.is_relative_to(folder) for folder in self.unreadable):
            return False
        return any(source.contains(path) for source in self.scanned)


def scan_sources(sources: Sequence[Source], found: SourceContents, *, strict: bool) -> None:
    """Scan all sources. The documents of a missing source do not count as removed; with `strict` it is an error."""
    for source in sources:
        try:
            if source.kind == "file" and Path(source.path).is_symlink():  # it was not a link when it was allowed
                raise outside(Path(source.path))
            scan_folder(Path(source.path), found, recursive=source.recursive)
        except CiteLoomError as error:
            if strict:
                raise
            found.problems[source.path] = error
        else:
            found.scanned.append(source)


def scan_folder(source: Path, found: SourceContents, *, recursive: bool = True) -> None:
    """Add the files of a folder, or the one file; links that lead outside are not followed."""
    root = source.resolve()
    if not root.exists():
        raise not_found(source)
    if root.is_file():
        _add(found, root, root)
        return

    def unreadable(error: OSError) -> None:
        folder = str(error.filename)
        found.unreadable.append(Path(folder))
        _problem(found, folder, Code.PERMISSION_DENIED, "cannot be read.", _GRANT_ACCESS)

    for folder, folders, names in os.walk(root, onerror=unreadable):
        links = [n for n in folders if (Path(folder) / n).is_symlink()]
        # A linked folder inside the source is walked at its real location; one outside is not allowed.
        folders[:] = sorted(n for n in folders if not n.startswith(".") and n not in links) if recursive else []
        for name in sorted([*names, *links]):
            if not name.startswith("."):
                _add(found, Path(folder) / name, root, recursive=recursive)


def _add(found: SourceContents, path: Path, root: Path, *, recursive: bool = True) -> None:
    try:
        str(path).encode()
    except UnicodeEncodeError:
        readable = os.fsencode(path).decode("utf-8", "replace")
        _problem(found, readable, Code.INVALID_INPUT, "has a name that is not readable text.", "Rename it.")
        return
    if path.is_symlink() and not _is_read_through_link(found, path, root, recursive=recursive):
        return
    kind = file_type(path)
    if kind is None:
        if not path.is_dir():
            found.other_kinds[path.suffix.lower() or "no suffix"] += 1
        return
    try:
        about = path.stat()
    except OSError:
        _problem(found, str(path), Code.PERMISSION_DENIED, "cannot be read.", _GRANT_ACCESS)
        return
    if not stat.S_ISREG(about.st_mode):
        # Reading a pipe or device that is named like a paper would block forever.
        found.problems[str(path)] = not_a_file(path)
        return
    found.files[str(path)] = FoundFile(str(path), kind, about.st_size, about.st_mtime_ns)


def _is_read_through_link(found: SourceContents, link: Path, root: Path, *, recursive: bool) -> bool:
    """Whether to read a file through this link: its target is in the source, but not reached by the scan itself."""
    try:
        target = link.resolve(strict=True)
    except (OSError, RuntimeError):  # a link to nothing, or a loop of links
        _problem(found, str(link), Code.FILE_NOT_FOUND, "is a broken link.", "Remove it.")
        return False
    if not target.is_relative_to(root):
        step = "Add that folder to the project if it belongs there."
        _problem(found, str(link), Code.PERMISSION_DENIED, "is a link to a place outside the folder.", step)
        return False
    inside = target.relative_to(root)
    scanned_directly = (recursive or len(inside.parts) == 1) and not any(part.startswith(".") for part in inside.parts)
    return not scanned_directly and target.is_file()


def _problem(found: SourceContents, path: str, code: Code, what: str, next_step: str) -> None:
    found.problems[path] = CiteLoomError(code, f"{path} {what}", next_step)


def hash_file(path: Path, within: str = "") -> str:
    """Return the SHA-256 of a file; with `within`, the file must be that file or in that folder."""
    try:
        with open_within(path, within) as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest()
    except FileNotFoundError as error:
        raise CiteLoomError(
            Code.FILE_NOT_FOUND, f"{path.name} vanished while it was being read.", "Run the import again."
        ) from error
    except OSError as error:
        raise CiteLoomError(
            Code.PERMISSION_DENIED,
            f"{path.name} cannot be read ({error.strerror}).",
            _GRANT_ACCESS,
        ) from error
