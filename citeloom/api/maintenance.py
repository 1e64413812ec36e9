"""Requests and results of upkeep: backup and restore, where indexes lie, models, caches and the check-up."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from citeloom.api.types import StartedJob
from citeloom.api.verbs import Request
from citeloom.core.jobs import RunningJob

EMBEDDED = "embedded"  # the place of an index that lies in CiteLoom's own folder


# -- the check-up ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Finding:
    """What the check-up says of one part."""

    part: str
    ok: bool
    note: bool  # it is about documents that could not be read: every part works, but somebody should know
    seen: str
    next_step: str  # where something is wrong


@dataclass(frozen=True, slots=True)
class CheckUpResult:
    """The findings of the check-up, part by part."""

    findings: list[Finding]


@dataclass(frozen=True, kw_only=True)
class CheckUp(Request[CheckUpResult], verb="maintenance.doctor"):
    """Check every part of the engine."""


# -- models ------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ModelInfo:
    """A dense model that can be chosen."""

    name: str
    dimensions: int
    description: str
    size_gb: float
    bundled: bool
    here: bool  # on this machine
    languages: list[str]  # codes; "*": dozens
    tokens: int | None  # that it reads of a text; None: not known
    recommended: bool  # for the languages of the library


@dataclass(frozen=True, slots=True)
class RerankerInfo:
    """A cross-encoder that can be chosen."""

    name: str
    description: str
    size_gb: float
    here: bool  # on this machine


@dataclass(frozen=True, slots=True)
class ProjectModels:
    """The models that the index of a project was built with."""

    id: str
    dense_model: str
    sparse_model: str | None


@dataclass(frozen=True, slots=True)
class ModelList:
    """Every model that can be chosen, and which one each project has."""

    models: list[ModelInfo]
    rerankers: list[RerankerInfo]
    languages: dict[str, int]  # of the library: code → documents
    projects: list[ProjectModels]


@dataclass(frozen=True, kw_only=True)
class ListModels(Request[ModelList], verb="maintenance.models"):
    """List the models."""


@dataclass(frozen=True, slots=True)
class UseModelResult:
    """The import that builds the index again; None where the project has the model already."""

    job_id: str | None


@dataclass(frozen=True, kw_only=True)
class UseModel(Request[UseModelResult], verb="maintenance.use_model", read_only=False):
    """Give a project another dense model."""

    project: str
    model: str
    download: bool = False  # whether the model may be downloaded


@dataclass(frozen=True, slots=True)
class DownloadProgress:
    """How far the download of a model has come, in bytes."""

    here: bool  # it is complete
    done: int
    total: int


@dataclass(frozen=True, kw_only=True)
class DownloadModel(Request[DownloadProgress], verb="maintenance.download_model", read_only=False):
    """Download a model; to be sent again and again until it is `here`."""

    model: str


@dataclass(frozen=True, slots=True)
class LanguageTrial:
    """How much nearer a question is to a text that answers it than to another one: difference of the cosines."""

    apart: float
    apart_from_english: float  # the same for the English question


@dataclass(frozen=True, slots=True)
class DenseTrial:
    """What was measured of a dense model."""

    fingerprint: str
    dimensions: int
    tokens: int  # that it reads of a text
    languages: dict[str, LanguageTrial]
    not_tried: list[str]  # languages of the library without a sample text
    passages_per_second: float
    milliseconds_per_question: float


@dataclass(frozen=True, slots=True)
class RerankerTrial:
    """What was measured of a reranker."""

    near: float  # score of a text that answers the question
    far: float  # score of one that does not
    milliseconds_per_passage: float


@dataclass(frozen=True, slots=True)
class ModelTrial:
    """How a model did when it was tried: one of `dense` and `reranker` is there."""

    model: str
    dense: DenseTrial | None
    reranker: RerankerTrial | None
    megabytes: int  # of memory
    problems: list[str]


@dataclass(frozen=True, kw_only=True)
class TryModel(Request[ModelTrial], verb="maintenance.try_model", read_only=False):
    """Load a model, or the one of the project of this name, and measure it."""

    model: str


@dataclass(frozen=True, slots=True)
class OcrEngine:
    """An OCR engine."""

    name: str
    installed: bool
    problem: str | None  # why it cannot be used


@dataclass(frozen=True, slots=True)
class OcrLanguage:
    """A language of scanned pages."""

    code: str
    name: str
    installed: bool  # whether the engine of the settings can read it on this machine


@dataclass(frozen=True, slots=True)
class OcrSupport:
    """The OCR engines and languages of this machine."""

    engines: list[OcrEngine]
    languages: list[OcrLanguage]


@dataclass(frozen=True, kw_only=True)
class ListOcr(Request[OcrSupport], verb="maintenance.ocr"):
    """List the OCR engines, and the languages that the one of the settings can read."""


# -- disk and cache ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class DiskUsagePart:
    """A part of the data on the disk."""

    name: str  # index, catalog, conversions, models, zotero, logs or downloads
    path: str
    bytes: int


@dataclass(frozen=True, slots=True)
class DiskUsage:
    """How much room CiteLoom takes on the disk, and what is free there."""

    data_folder: str
    total: int  # bytes
    parts: list[DiskUsagePart]
    free: int  # bytes


@dataclass(frozen=True, kw_only=True)
class ShowDiskUsage(Request[DiskUsage], verb="maintenance.disk_usage"):
    """Measure how much room CiteLoom takes on the disk."""


@dataclass(frozen=True, slots=True)
class CacheUsage:
    """What the conversion cache holds, and how much of it no document needs."""

    folder: str
    conversions: int
    bytes: int
    in_use: int
    left_over: int
    left_over_bytes: int


@dataclass(frozen=True, kw_only=True)
class ShowCache(Request[CacheUsage], verb="maintenance.show_cache"):
    """Measure the conversion cache."""


@dataclass(frozen=True, slots=True)
class PrunedCache(CacheUsage):
    """What was deleted from the conversion cache, and what it holds now."""

    removed: int
    freed_bytes: int


@dataclass(frozen=True, kw_only=True)
class PruneCache(Request[PrunedCache], verb="maintenance.prune_cache", read_only=False):
    """Delete the conversions that no document needs, or every one."""

    everything: bool = False


# -- where indexes lie -------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class IndexInfo:
    """Where the index of a project lies, and whether it can be reached."""

    project: str
    place: str  # the address of a Qdrant server, or EMBEDDED
    name: str  # of the collection on the server, or its folder
    passages: int
    bytes: int | None  # on our disk
    waiting_for_graph: int  # passages without a search graph
    reachable: bool
    version: str | None  # of the server
    problem: str | None  # why it cannot be reached
    jobs: list[RunningJob]  # that wait and run


@dataclass(frozen=True, slots=True)
class IndexList:
    """The indexes of the projects."""

    new_projects: str  # where the indexes of new projects are made
    key: str | None  # where the servers' keys are stored, or why that cannot be said
    projects: list[IndexInfo]


@dataclass(frozen=True, kw_only=True)
class ListIndexes(Request[IndexList], verb="maintenance.indexes"):
    """Show where the index of a project, or of every project, lies."""

    project: str | None = None


@dataclass(frozen=True, slots=True)
class ServerInfo:
    """A Qdrant server that can be used."""

    address: str
    version: str
    key: str | None  # where the key that was used is stored


@dataclass(frozen=True, kw_only=True)
class CheckServer(Request[ServerInfo], verb="maintenance.check_server"):
    """Check whether a Qdrant server can be used, with the stored key or with this one."""

    address: str
    key: str | None = None


@dataclass(frozen=True, slots=True)
class ServerLogin:
    """The servers that accepted a key."""

    servers: dict[str, str]  # address → version
    key: str | None  # where it is stored


@dataclass(frozen=True, kw_only=True)
class LogInServer(Request[ServerLogin], verb="maintenance.log_in_server", read_only=False):
    """Store a key in the keyring for one server, or for those in use, once they have accepted it."""

    key: str
    address: str | None = None


@dataclass(frozen=True, slots=True)
class ServerLogout:
    """What is left after the keys of servers were deleted."""

    forgotten: bool  # whether there was a key in the keyring
    key: str | None  # where there is still one
    projects: list[str]  # ids, of projects whose index is on a server


@dataclass(frozen=True, kw_only=True)
class LogOutServers(Request[ServerLogout], verb="maintenance.log_out_servers", read_only=False):
    """Delete the keys of servers from the keyring."""


@dataclass(frozen=True, slots=True)
class MoveStarted:
    """The job that moves an index; None where it lies there already."""

    job_id: str | None
    state: str
    already: bool
    place: str  # it is moved to


@dataclass(frozen=True, kw_only=True)
class MoveIndex(Request[MoveStarted], verb="maintenance.move_index", read_only=False):
    """Move the index of a project to a Qdrant server, or back into CiteLoom's own folder."""

    project: str
    to: str  # the address of a server, or EMBEDDED


@dataclass(frozen=True, slots=True)
class CompactionStarted:
    """The job that compacts an index; None where a server does that by itself."""

    job_id: str | None
    state: str
    by_server: bool
    place: str


@dataclass(frozen=True, kw_only=True)
class CompactIndex(Request[CompactionStarted], verb="maintenance.compact_index", read_only=False):
    """Write the index of a project again, without what was deleted."""

    project: str


# -- backups -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class StartBackup(Request[StartedJob], verb="maintenance.backup", read_only=False):
    """Make a backup of these projects, or of all, in a file that does not exist yet."""

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
    """Something that a project of a backup reads."""

    project: str
    kind: str  # folder, file, zotero or references
    path: str
    label: str


@dataclass(frozen=True, slots=True)
class SettingDifference:
    """A setting that a backup would change."""

    name: str
    here: Any  # its value now
    backup: Any


@dataclass(frozen=True, slots=True)
class BackupContents:
    """What a backup holds, and what would change if it were restored."""

    file: str
    made_at: str
    citeloom: str  # the version that made it
    projects: list[BackupProject]
    settings: bool  # whether it holds settings
    other_settings: list[SettingDifference]  # of those that decide what leaves this machine
    new_sources: list[BackupSource]  # that no present project reads
    bytes: int  # unpacked
    present: list[str]  # ids of the projects that a restore would replace


@dataclass(frozen=True, kw_only=True)
class ReadBackup(Request[BackupContents], verb="maintenance.read_backup"):
    """Show what a backup holds; nothing is changed."""

    file: str


@dataclass(frozen=True, slots=True)
class RestoreResult:
    """What was restored. The engine ends, and the next one starts with it."""

    projects: list[str]
    passages: int
    aside: str | None  # the folder with what was replaced
    settings: bool  # whether the backup's settings are used
    kept_settings: list[SettingDifference]  # that stay as they are
    embedded: list[str]  # ids of projects whose index was on a server


@dataclass(frozen=True, kw_only=True)
class Restore(Request[RestoreResult], verb="maintenance.restore", read_only=False):
    """Replace all data with those of a backup, once everything in it is checked."""

    file: str
    replace: bool = False  # also where there are projects
    accepted: list[str] = field(default_factory=list)  # paths of the new sources that a person has agreed to
    all_settings: bool = False  # also the settings that decide what leaves this machine
