"""Documents in the lanes of the document queue, and what an import does with them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Protocol

from citeloom.core.errors import CiteLoomError
from citeloom.importing.import_progress import Lane
from citeloom.importing.sources.folder import FoundFile
from citeloom.importing.stages.embed import Batch
from citeloom.importing.stages.read import ReadResult


class DocumentWork(Protocol):
    """What an import does with its documents. The queue calls `read` and `embed` in threads, the others one by one."""

    @property
    def project_id(self) -> str:
        """The project of the import."""

    @property
    def stops(self) -> bool:
        """Whether it was asked to stop: nothing more is begun or written for it."""

    @property
    def is_locked(self) -> bool:
        """Whether its index is locked, for example by a backup: its documents wait, those of others go on."""

    def read(self, task: Task) -> ReadResult:
        """Convert the file of a task."""

    def commit(self, task: Task, reading: Future[ReadResult]) -> None:
        """Match and write a document that was read, and queue what is left to do for it."""

    def next_batch(self, tasks: Sequence[Task], embedding: Batch | None) -> Batch | None:
        """Return the next passages of some documents to embed, besides those that are being embedded."""

    def embed(self, batch: Batch) -> None:
        """Make the vectors of a batch."""

    def write_vectors(self, batch: Batch) -> None:
        """Write the vectors of a batch."""

    def finish_vectors(self, tasks: Sequence[Task]) -> None:
        """Record that all passages of some documents have vectors."""


@dataclass(eq=False, slots=True)
class Task:
    """A document in a lane."""

    work: DocumentWork
    lane: Lane
    source: str  # identifies the document within its project
    file: FoundFile | None = None  # of the lanes that read
    doc_id: str = ""  # of the lane that embeds
    large: bool = False  # came with more than a few others: it lets fewer go first
    size: tuple[int, ...] = ()  # within an import, tasks with less come first
    content_hash: str | None = None  # of the text that a slow reading replaces
    failed: bool = False  # an error at this document ended the import's work: it comes last
    reading: Future[ReadResult] | None = None  # in progress when the import's work ended
    order: tuple[object, ...] = ()

    @property
    def key(self) -> tuple[DocumentWork, str, Lane]:
        """What there is only one queued task of."""
        return self.work, self.source, self.lane


@dataclass(eq=False, slots=True)
class EmbeddingGroup:
    """Documents of one import whose passages are being embedded."""

    work: DocumentWork
    tasks: list[Task]
    batch: Batch | None = None
    running: Future[None] | None = None


@dataclass(eq=False, slots=True)
class ImportMembers:
    """State of an import in the document queue."""

    tasks: Counter[Lane] = field(default_factory=Counter)  # queued or in progress
    ends: bool = False  # nothing more is begun
    error: CiteLoomError | None = None  # if it does not end, of its vectors: its words are still written
    returned: list[Task] = field(default_factory=list)  # not done when it ended
