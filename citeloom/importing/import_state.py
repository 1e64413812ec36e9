"""What the stages of an import share: the engine's parts, the request, the counts so far, and the progress."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from citeloom.catalog import Catalog
from citeloom.catalog.projects import Project
from citeloom.conversion.pool import WorkerPool
from citeloom.core.data_folder import free_bytes
from citeloom.core.errors import CiteLoomError, Code
from citeloom.core.jobs import JobStopped, ReportProgress
from citeloom.core.settings import Settings
from citeloom.importing.document_warnings import DocumentWarnings
from citeloom.importing.import_progress import ImportProgress
from citeloom.importing.requests import ImportCounter, ImportRequest
from citeloom.importing.sources.zotero import ZoteroItems
from citeloom.importing.stages.match import RecordFinder
from citeloom.index.base import Collection, SparseVector
from citeloom.index.models.embedding import ModelRegistry, SparseModel
from citeloom.index.models.loading import DenseInfo
from citeloom.index.registry import Collections

if TYPE_CHECKING:
    from citeloom.importing.document_queue import DocumentQueue  # which imports the stages

_EMBED_BATCH = 64  # passages between two checks for a stop


@dataclass(frozen=True, slots=True)
class ImportContext:
    """The parts of the engine that imports use."""

    catalog: Catalog
    collections: Collections
    models: ModelRegistry
    workers: WorkerPool
    settings: Settings
    conversions: Path  # the cache of whole conversions
    zotero: ZoteroItems
    documents: DocumentQueue
    open_collection: Callable[[Project], Collection]  # also repairs what a killed engine left half written
    lock_index: Callable[[Project], AbstractContextManager[None]]  # held while an import writes to it
    is_locked: Callable[[Project], bool]  # by anybody
    build_search_graph: Callable[[str, AbstractContextManager[None], threading.Event], None]


class ImportState:
    """The state of one import."""

    def __init__(
        self,
        context: ImportContext,
        request: ImportRequest,
        report: ReportProgress,
        stop: threading.Event,
        *,
        resumed: bool = False,
    ) -> None:
        self.context = context
        self.catalog = context.catalog
        self.request = request
        self.resumed = resumed  # after a pause or the engine's end: what was left is to be finished
        self.stop = stop  # ends the import soon, if necessary in the middle of a document
        self.failed = threading.Event()  # the import ends with an error: readers can stop
        self._send_report = report
        self.reset()

    def reset(self) -> None:
        """Reset the state, before the import starts or restarts."""
        self.progress = ImportProgress(self._send_report)
        self.records = RecordFinder(None)
        self.removed: set[str] = set()  # ids of documents whose file is no longer in the source
        self.unread: set[str] = set()  # sources that this import has yet to read: their text may change
        self.stale: set[str] = set()  # sources whose passages must be rebuilt although their content is unchanged
        self.written: dict[str, str] = {}  # content hash → source, of what this import has written
        self.without_index: set[str] = set()  # ids of other projects whose index is unavailable
        self.project = self.catalog.projects.get(self.request.project_id)
        self.result = ImportCounter(
            dense_model=self.project.dense_model, sparse_model=self.project.sparse_model or None
        )
        self.warnings = DocumentWarnings(self.result)

    def should_stop(self) -> bool:
        """Whether work in progress can be abandoned."""
        return self.stop.is_set() or self.failed.is_set()

    @cached_property
    def sparse(self) -> SparseModel | None:
        """The sparse model, or None if the project has none."""
        name = self.project.sparse_model
        return self.context.models.sparse(name) if name else None

    @property
    def model_info(self) -> DenseInfo:
        """Limits of the dense model."""
        return self.context.models.info(self.project.dense_model)

    def embed(self, texts: Sequence[str]) -> list[Sequence[float]]:
        """Return the dense vector of each text."""
        made: list[Sequence[float]] = []
        for start in range(0, len(texts), _EMBED_BATCH):
            if self.should_stop():
                raise JobStopped
            made += self.context.models.embed_passages(self.project.dense_model, texts[start : start + _EMBED_BATCH])
            check_weights(self.project, self.model_info)  # it may have been loaded anew, from files that were replaced
        return made

    def embed_sparse(self, texts: Sequence[str], language: str) -> Sequence[SparseVector | None]:
        """Return the sparse vector of each text."""
        return self.sparse.embed(texts, language) if self.sparse else [None] * len(texts)

    def report(self, **changes: Any) -> None:
        """Report progress, with other values for the given fields."""
        self.progress.report(failed=self.result.failed, chunks_written=self.result.chunks_written, **changes)

    def collection(self) -> Collection:
        """Return the index of the project."""
        return self.context.open_collection(self.project)

    def lock_index(self) -> AbstractContextManager[None]:
        """Lock the index of the project for writing: nobody copies it or writes to it meanwhile."""
        return self.context.lock_index(self.project)

    @contextmanager
    def timed(self, stage: str) -> Iterator[None]:
        """Add the duration of a stage to the result."""
        began = time.monotonic()
        try:
            yield
        finally:
            self.result.add_seconds(stage, time.monotonic() - began)

    def check_disk(self) -> None:
        """Raise an error before the disk is full: without free space, Qdrant Edge crashes the engine."""
        folder = self.catalog.db.path.parent
        try:
            self.catalog.db.path.stat()  # the mount point of a drive that is away may be an empty folder
            free = free_bytes(folder) // 1_000_000
        except OSError as error:
            raise CiteLoomError(
                Code.STORAGE_ERROR, f"The data folder {folder} cannot be reached.", "Connect its drive."
            ) from error
        required = self.context.settings.engine.min_free_mb
        if free < required:
            raise CiteLoomError(
                Code.STORAGE_ERROR,
                f"The disk has only {free} MB left; imports leave {required} MB free.",
                "Free some disk space; the import then continues by itself.",
            )


def check_weights(project: Project, model: DenseInfo) -> None:
    """Raise EMBEDDING_MISMATCH if a model is not the one that made the vectors of a project."""
    if model.fingerprint != project.dense_fingerprint:
        raise CiteLoomError(
            Code.EMBEDDING_MISMATCH,
            f"The files of the model {model.name} are not those that project '{project.id}' was built with.",
            f"Put them back, or rebuild the index; on the command line: citeloom ingest {project.id} --force-rebuild.",
        )
