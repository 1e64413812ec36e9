"""Verbs of importing: start an import, preview a sync, connect to Zotero."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import msgspec

from citeloom.api.activity import StartedJob
from citeloom.api.events import JobFinished
from citeloom.api.verbs import Request, decode


class Ingest(Request[StartedJob], verb="importing.ingest", read_only=False):
    """Import a source into a project; without a source, all sources of the project."""

    project: str
    source: str | None = None  # a path, a web address or a part of Zotero
    recursive: bool = True
    references_path: str | None = None
    force_rebuild: bool = False
    embedded: bool = False  # rebuild the index in CiteLoom's own folder, even if it was on a server
    remove_missing: bool = False  # documents that are no longer in their source, however many
    retry_failed: bool = False  # also files that failed before and are unchanged
    metadata: dict[str, Any] = field(default_factory=dict)  # metadata of one file, given by an agent
    ocr_languages: list[str] = field(default_factory=list)


@dataclass(slots=True)
class ImportResult:
    """Counts of an import, each file once. The running import updates them."""

    documents_processed: int = 0  # new + replaced
    new: int = 0
    replaced: int = 0
    skipped: int = 0  # unchanged, or the same content as another document
    duplicates: int = 0  # of those: the same content as another document
    updated: int = 0  # only the record changed: nothing was converted or embedded
    removed: int = 0
    without_file: int = 0  # works without a file; their documents have the reason
    failed: int = 0
    recognised: int = 0  # documents processed with text from OCR
    citekeys_generated: int = 0  # of documents that are not in the references
    unconfirmed: int = 0  # documents that do not count as the work that they are said to be
    pages_processed: int = 0  # of the documents processed; a text without pages counts as one
    chunks_written: int = 0
    errors: list[dict[str, str]] = field(default_factory=list)  # source, code and reason
    warnings: list[str] = field(default_factory=list)  # of many documents alike, one with their number
    dense_model: str = ""
    sparse_model: str | None = None
    searchable_seconds: float = 0.0  # until the last document was found by its words
    duration_seconds: float = 0.0
    stages: dict[str, float] = field(default_factory=dict)  # seconds by stage
    held_back: int = 0  # documents no longer in their source, too many to remove without confirmation
    stopped: bool = False  # ended before the last file; the next import continues there


def import_result(finished: JobFinished) -> ImportResult:
    """Return the result of a finished import, or raise its error."""
    if finished.error:
        raise finished.error
    return decode(finished.result, ImportResult)


@dataclass(frozen=True)
class PlannedDocument:
    """A document that a sync would import or remove."""

    source: str
    citekey: str
    title: str


@dataclass(frozen=True)
class UpdatedDocument(PlannedDocument):
    """A document whose record would change."""

    was: str  # its present citekey, if that changes


@dataclass(frozen=True)
class DocumentWithoutFile(PlannedDocument):
    """A work without a readable file."""

    why: str


@dataclass(frozen=True)
class SourceProblem:
    """A source that cannot be read now."""

    source: str
    code: str
    reason: str


class SyncPreview(msgspec.Struct, frozen=True, rename={"needs_confirmation": "asks"}):
    """The changes that a sync of a project would make."""

    project: str
    added: list[PlannedDocument]
    changed: list[PlannedDocument]
    updated: list[UpdatedDocument]
    without_file: list[DocumentWithoutFile]
    removed: list[PlannedDocument]
    unchanged: int
    needs_confirmation: bool  # so many would be removed
    problems: list[SourceProblem]
    warnings: list[str]

    @property
    def changes_anything(self) -> bool:
        """Whether the sync would change something."""
        removed = self.removed and not self.needs_confirmation
        return bool(self.added or self.changed or self.updated or self.without_file or removed)


class PreviewSync(Request[SyncPreview], verb="importing.preview_sync"):
    """Preview a sync of a project; nothing is written."""

    project: str
    retry_failed: bool = False


# -- Zotero ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class LocalZotero:
    """The running Zotero application and the state of its API."""

    running: bool
    api: str | None  # on or off; None if Zotero is not running
    version: str | None
    better_bibtex: str | None
    url: str


@dataclass(frozen=True)
class ZoteroDatabase:
    """Zotero's local database."""

    database: str | None
    schema: int | str | None
    problem: str | None


@dataclass(frozen=True)
class ZoteroAccount:
    """The account at zotero.org."""

    key: str | None  # where the key is stored: keyring or environment
    user: str | None
    problem: str | None


@dataclass(frozen=True)
class LibraryCounts:
    """A Zotero library and its size."""

    id: str
    name: str
    items: int
    collections: int


@dataclass(frozen=True)
class ZoteroStatus:
    """How Zotero is accessed, and what prevents a better way."""

    in_use: str | None  # local, sqlite or web; None if Zotero is not accessible
    why: str
    local: LocalZotero
    sqlite: ZoteroDatabase
    web: ZoteroAccount
    libraries: list[LibraryCounts]
    data_folder: str | None
    base_folder: str | None
    next_step: str


class GetZoteroStatus(Request[ZoteroStatus], verb="importing.zotero_status"):
    """Get how Zotero is accessed."""


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
    """A Zotero library: its collections, each after its parent, and its saved searches."""

    id: str
    name: str
    items: int
    collections: list[ZoteroCollection]
    searches: list[ZoteroSearch]


@dataclass(frozen=True)
class ZoteroCollections:
    """The Zotero libraries that projects can import from."""

    libraries: list[ZoteroLibrary]


class ListZoteroCollections(Request[ZoteroCollections], verb="importing.zotero_collections"):
    """List the collections and saved searches of every library, or of one."""

    library: str | None = None  # a name, or an id such as groups/4242


@dataclass(frozen=True)
class ZoteroLoginResult:
    """The owner of the stored key, and where it is stored."""

    user: str
    key: str | None


class LogInToZotero(Request[ZoteroLoginResult], verb="importing.zotero_login", read_only=False):
    """Store a key for zotero.org in the keyring, if zotero.org accepts it."""

    key: str


@dataclass(frozen=True)
class ZoteroLogoutResult:
    """Whether a key was deleted, and where another one remains."""

    forgotten: bool
    key: str | None


class LogOutOfZotero(Request[ZoteroLogoutResult], verb="importing.zotero_logout", read_only=False):
    """Delete the key for zotero.org from the keyring."""
