"""Verbs of importing: start an import, preview a sync, and reach Zotero."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from citeloom.api.events import JobFinished
from citeloom.api.types import StartedJob
from citeloom.api.verbs import Request, decode


@dataclass(frozen=True, kw_only=True)
class Ingest(Request[StartedJob], verb="importing.ingest", read_only=False):
    """Import a source into a project; without a source, everything the project reads."""

    project: str
    source: str | None = None  # a path, a web address or a part of Zotero
    recursive: bool = True
    references_path: str | None = None
    force_rebuild: bool = False
    embedded: bool = False  # of a rebuild: in CiteLoom's own folder, wherever the index was
    remove_missing: bool = False  # documents that have left their source, however many they are
    retry_failed: bool = False  # also what failed before and has not changed since
    metadata: dict[str, Any] = field(default_factory=dict)  # what an agent says of one file
    ocr_languages: list[str] = field(default_factory=list)


@dataclass(slots=True)
class ImportResult:
    """What an import did, every file counted once. The import fills it while it runs."""

    documents_processed: int = 0  # new + replaced
    new: int = 0
    replaced: int = 0
    skipped: int = 0  # unchanged, or the same content as another document
    updated: int = 0  # only the record changed: nothing was converted or embedded
    removed: int = 0
    without_file: int = 0  # works with nothing to read; each document says why
    failed: int = 0
    recognised: int = 0  # of those processed: some or all of their text was recognised by OCR
    chunks_written: int = 0
    errors: list[dict[str, str]] = field(default_factory=list)  # source, code and reason
    warnings: list[str] = field(default_factory=list)
    dense_model: str = ""
    sparse_model: str | None = None
    duration_seconds: float = 0.0
    stages: dict[str, float] = field(default_factory=dict)  # seconds by stage
    held_back: int = 0  # documents that left their source, too many to be removed without asking
    stopped: bool = False  # ended before the last file; the next import goes on from there


def import_result(finished: JobFinished) -> ImportResult:
    """Return what a finished import did; raises the error of one that failed."""
    if finished.error:
        raise finished.error
    return decode(finished.result, ImportResult)


@dataclass(frozen=True)
class PlannedDocument:
    """A document that a sync would read or remove."""

    source: str
    citekey: str
    title: str


@dataclass(frozen=True)
class UpdatedDocument(PlannedDocument):
    """A document that would get another record."""

    was: str  # its citekey until now, if it changes


@dataclass(frozen=True)
class DocumentWithoutFile(PlannedDocument):
    """A work without a file to read."""

    why: str


@dataclass(frozen=True)
class SourceProblem:
    """A source that cannot be read now."""

    source: str
    code: str
    reason: str


@dataclass(frozen=True)
class SyncPreview:
    """What a sync of a project would do."""

    project: str
    added: list[PlannedDocument]
    changed: list[PlannedDocument]
    updated: list[UpdatedDocument]
    without_file: list[DocumentWithoutFile]
    removed: list[PlannedDocument]
    unchanged: int
    asks: bool  # so many would be removed that a person is asked first
    problems: list[SourceProblem]
    warnings: list[str]

    @property
    def changes_anything(self) -> bool:
        """Whether the sync would change something."""
        removed = self.removed and not self.asks
        return bool(self.added or self.changed or self.updated or self.without_file or removed)


@dataclass(frozen=True, kw_only=True)
class PreviewSync(Request[SyncPreview], verb="importing.preview_sync"):
    """Ask what a sync of a project would do; nothing is written."""

    project: str
    retry_failed: bool = False


# -- Zotero ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class LocalZotero:
    """The running Zotero, and whether it lets CiteLoom read."""

    running: bool
    api: str | None  # on or off; None if it does not run
    version: str | None
    better_bibtex: str | None
    url: str


@dataclass(frozen=True)
class ZoteroDatabase:
    """Zotero's database on this disk."""

    database: str | None
    schema: int | str | None
    problem: str | None


@dataclass(frozen=True)
class ZoteroAccount:
    """The account at zotero.org."""

    key: str | None  # where the key is kept: keyring or environment
    user: str | None
    problem: str | None


@dataclass(frozen=True)
class LibraryCounts:
    """A library of Zotero and its size."""

    id: str
    name: str
    items: int
    collections: int


@dataclass(frozen=True)
class ZoteroStatus:
    """How Zotero is reached, and what stands in the way of a better way."""

    in_use: str | None  # local, sqlite or web; None if it is not reached
    why: str
    local: LocalZotero
    sqlite: ZoteroDatabase
    web: ZoteroAccount
    libraries: list[LibraryCounts]
    data_folder: str | None
    base_folder: str | None
    next_step: str


@dataclass(frozen=True, kw_only=True)
class GetZoteroStatus(Request[ZoteroStatus], verb="importing.zotero_status"):
    """Ask how Zotero is reached."""


@dataclass(frozen=True)
class ZoteroCollection:
    """A Zotero collection."""

    key: str
    path: str
    name: str
    parent: str | None  # key
    items: int
    depth: int


@dataclass(frozen=True)
class ZoteroSearch:
    """A saved search."""

    key: str
    name: str


@dataclass(frozen=True)
class ZoteroLibrary:
    """A library of Zotero: its collections, each below its parent, and its saved searches."""

    id: str
    name: str
    items: int
    collections: list[ZoteroCollection]
    searches: list[ZoteroSearch]


@dataclass(frozen=True)
class ZoteroCollections:
    """What a project can be made to read of Zotero."""

    libraries: list[ZoteroLibrary]


@dataclass(frozen=True, kw_only=True)
class ListZoteroCollections(Request[ZoteroCollections], verb="importing.zotero_collections"):
    """List the collections and saved searches of every library, or of one."""

    library: str | None = None  # a name, or an id such as groups/4242


@dataclass(frozen=True)
class ZoteroLoginResult:
    """Whose key was stored, and where it is kept."""

    user: str
    key: str | None


@dataclass(frozen=True, kw_only=True)
class LogInToZotero(Request[ZoteroLoginResult], verb="importing.zotero_login", read_only=False):
    """Store a key for zotero.org in the keyring, if zotero.org accepts it."""

    key: str


@dataclass(frozen=True)
class ZoteroLogoutResult:
    """Whether there was a key, and where there is still one."""

    forgotten: bool
    key: str | None


@dataclass(frozen=True, kw_only=True)
class LogOutOfZotero(Request[ZoteroLogoutResult], verb="importing.zotero_logout", read_only=False):
    """Delete the key for zotero.org from the keyring."""
