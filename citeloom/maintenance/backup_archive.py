"""The format of a backup: a zip file with a manifest, the catalog, an index folder per project, and the settings."""

from __future__ import annotations

import json
import os
import re
import stat
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from datetime import datetime
from pathlib import Path, PurePosixPath
from typing import Any

from citeloom import __version__
from citeloom.catalog.projects import collection_name
from citeloom.core.errors import CiteLoomError, Code
from citeloom.core.files.zip_reader import ZIP_ERRORS

FORMAT = 1
MANIFEST, CATALOG, SETTINGS, INDEX = "manifest.json", "catalog.db", "citeloom.toml", "index"
_BLOCK = 65_536
_MAX_FILE = 1 << 38  # bytes of one file
_MAX_SETTINGS = 1_000_000  # bytes
_MAX_ENTRIES = 1_000_000
_MAX_DEPTH = 10  # folders in a name
_MAX_PASSAGES = 1 << 40
_MAX_MANIFEST = 64_000_000  # bytes
# Rejects names that some system cannot write, or writes elsewhere: drive letters, streams, a dot at the end.
_PART = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.\- ]{0,199}(?<![. ])")
_RESERVED = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)(\..*)?", re.IGNORECASE)  # device names of Windows
_VERSION = re.compile(r"\d{1,9}(\.[0-9A-Za-z+]{1,20}){0,6}")


@dataclass(slots=True)
class Manifest:
    """The table of contents of a backup."""

    format: int
    citeloom: str  # version that created it
    made_at: str
    catalog_version: int
    projects: list[dict[str, Any]]  # id, collection, generation, passages, models, where its index was
    # By name: the size of the file, its non-empty runs (start and length of each), and the sha256 of what is
    # packed: the filled runs, one after the other.
    entries: dict[str, dict[str, Any]] = field(default_factory=dict)

    @property
    def unpacked_bytes(self) -> int:
        """Size of the unpacked files in bytes."""
        return sum(length for entry in self.entries.values() for _, length in entry["runs"])

    def to_json(self) -> bytes:
        """Return the manifest as stored in the file."""
        return json.dumps(asdict(self), indent=1).encode()


@contextmanager
def open_backup(file: Path, catalog_version: int) -> Iterator[tuple[zipfile.ZipFile, Manifest]]:
    """Open a backup and check its manifest; its entries are checked while they are unpacked."""
    if not os.path.isfile(file):  # noqa: PTH113 - Path.is_file raises an error for an invalid name
        raise CiteLoomError(Code.FILE_NOT_FOUND, f"There is no file {file}.", "Give the path of a backup.")
    with _translated(file):
        archive = zipfile.ZipFile(file)
    with archive:
        with _translated(file):
            manifest = _manifest(file, archive, catalog_version)
        yield archive, manifest


def blocks(file: Path, archive: zipfile.ZipFile, name: str, runs: list[list[int]]) -> Iterator[tuple[int, bytes]]:
    """Yield the content of an entry block by block, each with its offset."""
    with _translated(file), archive.open(name) as packed:
        for begin, length in runs:
            at, end = begin, begin + length
            while at < end and (block := packed.read(min(_BLOCK, end - at))):
                yield at, block
                at += len(block)


@contextmanager
def _translated(file: Path) -> Iterator[None]:
    try:
        yield
    except (*ZIP_ERRORS, OSError) as error:
        raise damaged(file, str(error) or type(error).__name__) from error


def damaged(file: Path, how: str) -> CiteLoomError:
    """Return the error for a damaged backup."""
    return CiteLoomError(
        Code.STORAGE_ERROR,
        f"{file} cannot be restored: {how.rstrip('.')}.",
        "Nothing was changed. Use another backup, or copy this one again from its original place.",
    )


def _manifest(file: Path, archive: zipfile.ZipFile, catalog_version: int) -> Manifest:
    try:
        about = archive.getinfo(MANIFEST)
        if about.file_size > _MAX_MANIFEST:
            raise ValueError
        found = json.loads(archive.read(about))
        number, version = int(found["format"]), str(found["citeloom"])
        if not _VERSION.fullmatch(version):
            raise ValueError
    except (KeyError, ValueError, TypeError, RecursionError) as error:
        raise damaged(file, "it is not a backup of CiteLoom") from error
    try:
        newer = number > FORMAT or int(found["catalog_version"]) > catalog_version
        newer = newer or _numbers(version) > _numbers(__version__)
        manifest = None if newer else _checked(Manifest(**found))
    except (KeyError, ValueError, TypeError, AttributeError, CiteLoomError) as error:
        raise damaged(file, "its manifest cannot be read") from error
    if manifest is None:
        raise CiteLoomError(
            Code.STORAGE_ERROR,
            f"{file} was made by a newer CiteLoom ({version[:40]}; this one is {__version__}).",
            "Nothing was changed. Update CiteLoom, then restore it.",
        )
    _check_names(file, archive, manifest)
    return manifest


def _checked(manifest: Manifest) -> Manifest:
    """Raise an error if a field of the manifest is missing or has the wrong type."""
    if not isinstance(manifest.entries, dict) or not isinstance(manifest.projects, list):
        raise TypeError
    datetime.fromisoformat(manifest.made_at)
    for project in manifest.projects:
        collection_name(project["id"])  # rejects an id that could leave its folder
        if type(project["passages"]) is not int or not 0 <= project["passages"] <= _MAX_PASSAGES:
            raise TypeError
        if not all(isinstance(project.get(key, ""), str) for key in ("was_on", "dense_model")):
            raise TypeError
    return manifest


def _check_names(file: Path, archive: zipfile.ZipFile, manifest: Manifest) -> None:
    """Raise an error for unexpected entries, or entries that differ from the manifest."""
    packed = archive.infolist()
    if len(packed) > _MAX_ENTRIES or any(stat.S_ISLNK(about.external_attr >> 16) for about in packed):
        raise damaged(file, "it contains links, or more files than a backup has")
    if len({about.filename.casefold() for about in packed}) != len(packed):  # file systems may ignore case
        raise damaged(file, "it contains two files of the same name")
    names = [about.filename for about in packed if about.filename != MANIFEST]
    if set(names) != set(manifest.entries) or CATALOG not in manifest.entries:
        raise damaged(file, "its contents differ from its manifest")
    for name in names:
        if name not in (CATALOG, SETTINGS) and not _is_of_index(name):
            raise damaged(file, f"it contains {name[:100]!r}, which does not belong to a backup")
        if not _fits(manifest.entries[name], archive.getinfo(name).file_size):
            raise damaged(file, f"{name[:100]} has an unexpected size")
    if SETTINGS in manifest.entries and manifest.entries[SETTINGS]["size"] > _MAX_SETTINGS:
        raise damaged(file, "its settings file is too large")


def _fits(entry: Any, packed: int) -> bool:
    """Whether the runs of an entry are in order, within its file, and as long as its packed data."""
    try:
        end = total = 0
        for begin, length in entry["runs"]:
            if not (type(begin) is int and type(length) is int and end <= begin and length > 0):
                return False
            end, total = begin + length, total + length
        return type(entry["size"]) is int and end <= entry["size"] <= _MAX_FILE and total == packed
    except (KeyError, ValueError, TypeError):
        return False


def _is_of_index(name: str) -> bool:
    parts = PurePosixPath(name).parts
    return (
        "/".join(parts) == name
        and 3 < len(parts) <= _MAX_DEPTH
        and parts[0] == INDEX
        and bool(re.fullmatch(r"g\d{4,9}", parts[2]))
        and all(_PART.fullmatch(part) and not _RESERVED.fullmatch(part) for part in parts)
    )


def _numbers(version: str) -> list[int]:
    return [int(number) for number in re.findall(r"\d{1,9}", version)[:3]]
