"""Requests that the catalog stores with their jobs, and the counter of an import's result."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar

from citeloom.api.importing import ImportResult
from citeloom.core.errors import CiteLoomError


@dataclass(frozen=True, slots=True)
class ImportRequest:
    """An import: one source of a project, or everything the project is allowed."""

    kind: ClassVar[str] = "ingest"

    project_id: str
    source: str | None = None  # a resolved path, an address or a part of Zotero; None: all sources of the project
    recursive: bool = True
    references_path: str | None = None
    force_rebuild: bool = False
    embedded: bool = False  # of a rebuild: in CiteLoom's own folder, wherever the old index is
    allow_mass_removal: bool = False
    metadata: dict[str, Any] = field(default_factory=dict)
    ocr_languages: list[str] = field(default_factory=list)
    watched: bool = False  # submitted by the watcher: files that were unavailable before are not tried again
    documents: list[str] = field(default_factory=list)  # ids: these are read again, and nothing else is touched
    convert_since: float = 0.0  # conversions older than this time are not used
    model: str = ""  # of a rebuild: the new dense model of the project
    download: bool = False  # whether that model may be fetched
    retry_failed: bool = False  # also documents that failed and have not changed since


@dataclass(frozen=True, slots=True)
class MoveRequest:
    """A move of a project's index to another place."""

    kind: ClassVar[str] = "move"

    project_id: str
    to: str  # the address of a Qdrant server; "": embedded
    origin: str = ""  # where it was when the move was requested, in the same form


@dataclass(frozen=True, slots=True)
class CompactRequest:
    """A compaction: rewrites a project's index without deleted passages, with its search graph."""

    kind: ClassVar[str] = "compact"

    project_id: str


@dataclass(frozen=True, slots=True)
class BackupRequest:
    """A backup of projects in one file."""

    kind: ClassVar[str] = "backup"
    project_id: ClassVar[str] = ""

    file: str
    projects: list[str]  # ids
    selected: bool = False  # whether somebody chose the projects: nothing of others is in the backup then


@dataclass(slots=True)
class ImportCounter(ImportResult):
    """The result of an import while it runs."""

    def add_seconds(self, stage: str, seconds: float) -> None:
        """Add to the duration of a stage."""
        self.stages[stage] = self.stages.get(stage, 0.0) + seconds

    def count_document(self, pages: int, *, replaced: bool, by: int = 1) -> None:
        """Count a document whose text was written."""
        self.documents_processed += by
        self.pages_processed += by * pages
        if replaced:
            self.replaced += by
        else:
            self.new += by

    def add_failure(self, source: str, error: CiteLoomError) -> None:
        """Count a file that could not be read, and store the reason."""
        self.failed += 1
        self.errors.append({"source": source, "code": str(error.code), "reason": str(error)})
