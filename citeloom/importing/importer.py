"""What runs imports: everything they need, in one place."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

from citeloom.catalog import Catalog
from citeloom.catalog.projects import Project
from citeloom.conversion.pool import WorkerPool
from citeloom.core import fault_injection as faults
from citeloom.core.errors import CiteLoomError, Code
from citeloom.core.jobs import Report
from citeloom.core.settings import Settings
from citeloom.importing.import_state import ImportState
from citeloom.importing.pipeline import Run
from citeloom.importing.preview import preview
from citeloom.importing.requests import ImportRequest
from citeloom.importing.sources.zotero import ZoteroItems
from citeloom.index.base import Collection
from citeloom.index.models.embedding import ModelRegistry
from citeloom.index.registry import Collections


class Importer:
    """Makes imports."""

    def __init__(
        self,
        catalog: Catalog,
        collections: Collections,
        models: ModelRegistry,
        workers: WorkerPool,
        settings: Settings,
        conversions: Path,
        zotero: ZoteroItems,
        open_collection: Callable[[Project], Collection],
        settle: Callable[[str, AbstractContextManager[None], threading.Event], None],
    ) -> None:
        self.catalog = catalog
        self.collections = collections
        self.models = models
        self.workers = workers
        self.settings = settings
        self.conversions = conversions
        self.zotero = zotero
        self.downloads = catalog.db.path.parent / "downloads"
        self.open_collection = open_collection  # mends what a kill left before anything is written
        self._settle = settle

    def model_of(self, project: Project) -> str:
        """The dense model that a project is meant to have: the one chosen for it, else the one of the settings."""
        return project.dense_model if project.own_model else self.settings.models.dense

    def check_model(self, project: Project) -> None:
        """Refuse to mix the passages of two models in one project."""
        wanted = self.model_of(project)
        if (
            wanted != project.dense_model
            or self.models.for_questions(wanted).info.fingerprint != project.dense_fingerprint
        ):
            raise CiteLoomError(
                Code.EMBEDDING_MISMATCH,
                f"Project '{project.id}' was built with the model {project.dense_model}, the settings name {wanted}.",
                "Set models.dense back, or build the index anew;"
                f" on the command line: citeloom ingest {project.id} --force-rebuild.",
                project_model=project.dense_model,
                settings_model=wanted,
            )

    def settle(self, state: ImportState) -> None:
        """Between two documents of a long import, have what was written found fast. Then the index is another one."""
        self._settle(state.project.id, state.building_graph(), state.stop)

    def begin(self, request: ImportRequest, report: Report, stop: threading.Event) -> Run:
        """An import of which nothing is done yet; `stop` ends it soon, in the middle of a document if need be."""
        faults.point("import.begin", request.project_id)
        return Run(self, request, report, stop)

    def preview(self, request: ImportRequest) -> dict[str, Any]:
        """What an import would do; nothing is written."""
        return preview(ImportState(self, request, lambda progress: None, threading.Event()))
