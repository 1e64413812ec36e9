"""What a job is asked to do, what it says while it runs, and what it did."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any, ClassVar

from citeloom.core.errors import CiteLoomError


@dataclass(frozen=True, slots=True)
class _Kept:
    def to_json(self) -> dict[str, Any]:
        """The request as it is kept with its job."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class ImportRequest(_Kept):
    """An import: one source of a project, or everything the project is allowed."""

    kind: ClassVar[str] = "ingest"

    project_id: str
    source: str | None = None  # a resolved path, an address or a part of Zotero; None: all sources of the project
    recursive: bool = True
    references_path: str | None = None
    force_rebuild: bool = False
    embedded: bool = False  # of a rebuild: in CiteLoom's own folder, wherever the index was
    allow_mass_removal: bool = False
    metadata: dict[str, Any] = field(default_factory=dict)
    ocr_languages: list[str] = field(default_factory=list)
    watched: bool = False  # nobody asked: what could not be had before is not tried again
    documents: list[str] = field(default_factory=list)  # ids: these are read again, and nothing else is touched
    convert_since: float = 0.0  # a conversion from before this moment does not count
    model: str = ""  # of a rebuild: the dense model that the project is to have from now on
    download: bool = False  # whether that model may be fetched
    retry_failed: bool = False  # also what failed by itself and has not changed since


@dataclass(frozen=True, slots=True)
class MoveRequest(_Kept):
    """A move of a project's index to another place."""

    kind: ClassVar[str] = "move"

    project_id: str
    to: str  # the address of a Qdrant server; "": embedded
    origin: str = ""  # where it lay when the move was asked for, in the same words


@dataclass(frozen=True, slots=True)
class CompactRequest(_Kept):
    """A project's index written anew, without what was deleted, with its search graph."""

    kind: ClassVar[str] = "compact"

    project_id: str


@dataclass(frozen=True, slots=True)
class BackupRequest(_Kept):
    """A backup of projects in one file."""

    kind: ClassVar[str] = "backup"
    project_id: ClassVar[str] = ""

    file: str
    projects: list[str]  # ids


@dataclass(slots=True)
class ImportResult:
    """What an import did. Every file is counted once."""

    documents_processed: int = 0  # new + replaced
    new: int = 0
    replaced: int = 0
    skipped: int = 0  # unchanged, or the same content as another document
    updated: int = 0  # only the record changed: nothing was converted or embedded
    removed: int = 0
    without_file: int = 0  # works with nothing to read; each document says why
    failed: int = 0
    recognised: int = 0  # of those processed: some or all of their text was recognised in pictures
    chunks_written: int = 0
    errors: list[dict[str, str]] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    dense_model: str = ""
    sparse_model: str | None = None
    duration_seconds: float = 0.0
    stages: dict[str, float] = field(default_factory=dict)  # seconds by stage
    held_back: int = 0  # documents that left their source, too many to be removed without asking
    stopped: bool = False  # ended before the last file; the next import goes on from there

    def spent(self, stage: str, seconds: float) -> None:
        """Add to the time that a stage took."""
        self.stages[stage] = self.stages.get(stage, 0.0) + seconds

    def wrote(self, *, replaced: bool, by: int = 1) -> None:
        """Count a document whose text was written."""
        self.documents_processed += by
        if replaced:
            self.replaced += by
        else:
            self.new += by

    def fail(self, source: str, error: CiteLoomError) -> None:
        """Count a file that could not be read, and keep its reason."""
        self.failed += 1
        self.errors.append({"source": source, "code": str(error.code), "reason": str(error)})

    def to_json(self) -> dict[str, Any]:
        """The result as it goes over the wire."""
        values = asdict(self)
        values["stages"] = {stage: round(seconds, 3) for stage, seconds in self.stages.items()}
        values["duration_seconds"] = round(self.duration_seconds, 3)
        return values
