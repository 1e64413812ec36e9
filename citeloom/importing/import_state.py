"""What the parts of one import share: what was asked, what was done, how far it is, and its models."""

from __future__ import annotations

import shutil
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from citeloom.core.errors import CiteLoomError, Code
from citeloom.core.jobs import JobStopped, Progress, RateEstimator, Report
from citeloom.importing.requests import ImportRequest, ImportResult
from citeloom.importing.stages.match import RecordFinder
from citeloom.index.base import SparseVector
from citeloom.index.models.embedding import DenseModel, SparseModel
from citeloom.index.models.loading import DenseInfo

if TYPE_CHECKING:
    from citeloom.importing.importer import Importer

Vectors = tuple[Sequence[float], SparseVector | None]

_EMBEDDED_AT_ONCE = 64  # passages between two looks at whether to stop


class ImportState:
    """The state of one import."""

    def __init__(self, importer: Importer, request: ImportRequest, report: Report, stop: threading.Event) -> None:
        self.importer = importer
        self.catalog = importer.catalog
        self.request = request
        self.stop = stop
        self.failed = threading.Event()  # it ends with an error: nothing more need be read
        self._report = report
        self.begin()

    def begin(self) -> None:
        """Nothing is known and nothing done yet: the import begins, or begins once more."""
        self.records = RecordFinder(None)
        self.gone: set[str] = set()  # ids of documents whose file left the source
        self.unread: set[str] = set()  # sources that this import has still to read: their text may become another
        self.anew: set[str] = set()  # sources whose passages are to be made anew, although their content is the same
        self.written: dict[str, str] = {}  # content hash → source, of what this import has written
        self.pace = RateEstimator(0)
        self.project = self.catalog.projects.get(self.request.project_id)
        self.result = ImportResult(dense_model=self.project.dense_model, sparse_model=self.project.sparse_model or None)
        self._progress = Progress(total=0)

    def stopped(self) -> bool:
        """Whether what is under way need not be finished."""
        return self.stop.is_set() or self.failed.is_set()

    @cached_property
    def dense(self) -> DenseModel:
        """Loaded when the first passage has to be embedded: most imports find nothing changed."""
        return self.importer.models.for_imports(self.project.dense_model)

    @cached_property
    def sparse(self) -> SparseModel | None:
        """The sparse model, where the project has one."""
        name = self.project.sparse_model
        return self.importer.models.sparse(name) if name else None

    @property
    def model_info(self) -> DenseInfo:
        """Limits of the dense model."""
        return self.importer.models.info(self.project.dense_model)

    def embed(self, texts: Sequence[str], language: str = "") -> list[Vectors]:
        """Dense and sparse vector of each text, which are in this language; "": it is not known."""
        made: list[Vectors] = []
        for start in range(0, len(texts), _EMBEDDED_AT_ONCE):
            if self.stopped():
                raise JobStopped
            some = texts[start : start + _EMBEDDED_AT_ONCE]
            made += zip(self.dense.embed(some), self.words(some, language), strict=True)
        return made

    def words(self, texts: Sequence[str], language: str) -> Sequence[SparseVector | None]:
        """Sparse vector of each text alone."""
        return self.sparse.embed(texts, language) if self.sparse else [None] * len(texts)

    def named(self, source: str) -> bool:
        """Whether the import was asked for this very file."""
        return source == self.request.source

    def tell(self, *, total: int = 0, searchable: int = 0, done: int = 0, **changes: Any) -> None:
        """Say how far the import has come; more documents, more that are searchable, more that are done."""
        before = self._progress
        if "file" in changes:
            changes = {"page": 0, "pages": 0, **changes}
        self._progress = replace(
            before,
            total=before.total + total,
            searchable=before.searchable + searchable,
            done=before.done + done,
            failed=self.result.failed,
            chunks_written=self.result.chunks_written,
            **{"eta_seconds": self.pace.seconds_left(), **changes},
        )
        self._report(self._progress)

    @contextmanager
    def building_graph(self) -> Iterator[None]:
        """Say that the search graph is being built, which takes a minute, and then what went on before."""
        before = self._progress
        self.tell(stage="search graph", file="", eta_seconds=None)
        yield
        self.tell(stage=before.stage, file=before.file)

    @contextmanager
    def timed(self, stage: str) -> Iterator[None]:
        """Count the time that a stage takes."""
        began = time.monotonic()
        try:
            yield
        finally:
            self.result.spent(stage, time.monotonic() - began)

    def check_disk(self) -> None:
        """Go no further before the disk is full: where Qdrant Edge finds no room, the engine dies of it."""
        least = self.importer.settings.engine.min_free_mb
        folder = self.catalog.db.path.parent
        try:
            free = shutil.disk_usage(folder).free // 1_000_000
        except OSError as error:
            raise CiteLoomError(
                Code.STORAGE_ERROR, f"The data folder {folder} cannot be reached.", "Connect its drive."
            ) from error
        if free < least:
            raise CiteLoomError(
                Code.STORAGE_ERROR,
                f"The disk has only {free} MB left; imports leave {least} MB free.",
                "Free some space: it goes on by itself.",
            )
