"""Verbs of maintenance: health check, disk usage and cache, index locations, backup and restore."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import msgspec

from citeloom.api.activity import StartedJob
from citeloom.api.verbs import Request
from citeloom.core.jobs import RunningJob

# `rename` gives the name of a field in JSON, where commands print it under an earlier one.

EMBEDDED = "embedded"  # location of an index in CiteLoom's own folder


class JobOutcome(msgspec.Struct, kw_only=True):
    """Result of a move, a compaction or a backup."""

    warnings: list[str] = []
    duration_seconds: float = 0.0
    stopped: bool = True  # until it is done


# -- health check ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class HealthFinding:
    """The result of the health check for one part."""

    part: str
    ok: bool
    note: bool  # it concerns documents that could not be read; the part itself works
    seen: str
    next_step: str  # if something is wrong


class CheckUp(Request[list[HealthFinding]], verb="maintenance.doctor"):
    """Check every part of the engine; one finding or more for each."""


# -- disk and cache ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class DiskUsagePart:
    """A part of the data on the disk."""

    name: str  # index, catalog, conversions, models, zotero, logs or downloads
    path: str
    bytes: int


@dataclass(frozen=True, slots=True)
class DiskUsage:
    """Disk usage of CiteLoom, and the free space."""

    data_folder: str
    total: int  # bytes
    parts: list[DiskUsagePart]
    free: int  # bytes


class ShowDiskUsage(Request[DiskUsage], verb="maintenance.disk_usage"):
    """Measure the disk usage."""


@dataclass(frozen=True, slots=True)
class CacheUsage:
    """Size of the conversion cache, and of the part that no document needs."""

    folder: str
    conversions: int
    bytes: int
    in_use: int
    left_over: int
    left_over_bytes: int


class ShowCache(Request[CacheUsage], verb="maintenance.show_cache"):
    """Measure the conversion cache."""


@dataclass(frozen=True, slots=True)
class PrunedCache(CacheUsage):
    """What was deleted from the conversion cache, and its size afterwards."""

    removed: int
    freed_bytes: int


class PruneCache(Request[PrunedCache], verb="maintenance.prune_cache", read_only=False):
    """Delete the conversions that no document needs, or all."""

    everything: bool = False


# -- index locations ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class IndexInfo:
    """The location of a project's index, and whether it is reachable."""

    project: str
    place: str  # the address of a Qdrant server, or EMBEDDED
    name: str  # of the collection on the server, or its folder
    passages: int
    bytes: int | None  # on the local disk
    waiting_for_graph: int  # passages without a search graph
    reachable: bool
    version: str | None  # of the server
    problem: str | None  # why it is not reachable
    jobs: list[RunningJob]  # queued and running


@dataclass(frozen=True, slots=True)
class IndexList:
    """The indexes of the projects."""

    new_projects: str  # location of the indexes of new projects
    key: str | None  # where the servers' keys are stored, or why that is not known
    projects: list[IndexInfo]


class ListIndexes(Request[IndexList], verb="maintenance.indexes"):
    """List the location of the index of a project, or of every project."""

    project: str | None = None


@dataclass(frozen=True, slots=True)
class ServerInfo:
    """A usable Qdrant server."""

    address: str
    version: str
    key: str | None  # where the key that was used is stored


class CheckServer(Request[ServerInfo], verb="maintenance.check_server"):
    """Check whether a Qdrant server is usable, with the stored key or with this one."""

    address: str
    key: str | None = None


@dataclass(frozen=True, slots=True)
class ServerLogin:
    """The servers that accepted a key."""

    servers: dict[str, str]  # address → version
    key: str | None  # where it is stored


class LogInServer(Request[ServerLogin], verb="maintenance.log_in_server", read_only=False):
    """Store a key in the keyring for one server, or for those in use, if they accept it."""

    key: str
    address: str | None = None


@dataclass(frozen=True, slots=True)
class ServerLogout:
    """The state after the keys of servers were deleted."""

    forgotten: bool  # whether there was a key in the keyring
    key: str | None  # where one remains
    projects: list[str]  # ids, of projects whose index is on a server


class LogOutServers(Request[ServerLogout], verb="maintenance.log_out_servers", read_only=False):
    """Delete the keys of servers from the keyring."""


@dataclass(frozen=True, slots=True)
class MoveStarted:
    """The job that moves an index; None if it is there already."""

    job_id: str | None
    state: str
    already: bool
    place: str  # the new location


class MoveResult(JobOutcome, kw_only=True, rename={"origin": "from"}):
    """A completed move of an index."""

    project: str
    origin: str  # the address of a server, or EMBEDDED
    to: str  # likewise
    passages: int
    written: int  # of these, the ones that an earlier, interrupted move had not copied
    bytes: int | None  # on the local disk, taken or freed; None: from one server to another


class MoveIndex(Request[MoveStarted], verb="maintenance.move_index", read_only=False):
    """Move the index of a project to a Qdrant server, or back into CiteLoom's own folder."""

    project: str
    to: str  # the address of a server, or EMBEDDED


@dataclass(frozen=True, slots=True)
class CompactionStarted:
    """The job that compacts an index; None if a server does that itself."""

    job_id: str | None
    state: str
    by_server: bool
    place: str


class CompactResult(JobOutcome, kw_only=True):
    """A completed compaction of an index."""

    project: str
    passages: int
    bytes_before: int
    bytes: int


class CompactIndex(Request[CompactionStarted], verb="maintenance.compact_index", read_only=False):
    """Rewrite the index of a project without deleted passages."""

    project: str


# -- backups -----------------------------------------------------------------------------------------------------------


class BackupResult(JobOutcome, kw_only=True):
    """A completed backup."""

    file: str
    projects: list[str]  # ids
    passages: int
    bytes: int  # of the file


class StartBackup(Request[StartedJob], verb="maintenance.backup", read_only=False):
    """Back up these projects, or all, to a file that does not exist yet."""

    file: str
    projects: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class BackupProject:
    """A project in a backup."""

    id: str
    passages: int
    dense_model: str | None
    was_on: str | None  # the address of the server that its index was copied from


@dataclass(frozen=True, slots=True)
class BackupSource:
    """A source of a project in a backup."""

    project: str
    kind: str  # folder, file, zotero or references
    path: str
    label: str


class SettingDifference(msgspec.Struct, frozen=True, rename={"current": "here"}):
    """A setting that differs in a backup."""

    name: str
    current: Any
    backup: Any


@dataclass(frozen=True, slots=True)
class BackupContents:
    """The contents of a backup, and what a restore would change."""

    file: str
    made_at: str
    citeloom: str  # the version that made it
    projects: list[BackupProject]
    settings: bool  # whether it contains settings
    other_settings: list[SettingDifference]  # of the settings about what leaves this machine
    new_sources: list[BackupSource]  # that no present project reads
    bytes: int  # unpacked
    present: list[str]  # ids of the projects that a restore would replace


class ReadBackup(Request[BackupContents], verb="maintenance.read_backup"):
    """Read the contents of a backup; nothing is changed."""

    file: str


class RestoreResult(msgspec.Struct, frozen=True, rename={"replaced_data": "aside"}):
    """The result of a restore. The engine stops, and the next one uses the restored data."""

    projects: list[str]
    passages: int
    replaced_data: str | None  # the folder that it was moved to
    settings: bool  # whether the backup's settings are used
    kept_settings: list[SettingDifference]  # not restored
    embedded: list[str]  # ids of projects whose index was on a server


class Restore(Request[RestoreResult], verb="maintenance.restore", read_only=False):
    """Replace all data by those of a backup, after it has been checked completely."""

    file: str
    replace: bool = False  # even if there are projects
    accepted: list[str] = field(default_factory=list)  # paths of the new sources that were confirmed
    all_settings: bool = False  # also the settings about what leaves this machine
