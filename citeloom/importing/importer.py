"""Creates imports and passes their dependencies to the stages. The job queue calls `start`."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from citeloom.api.importing import SyncPreview
from citeloom.catalog import Catalog
from citeloom.catalog.projects import Project
from citeloom.conversion.pool import WorkerPool
from citeloom.core import fault_injection as faults
from citeloom.core.jobs import Report
from citeloom.core.settings import Settings
from citeloom.importing.discovery import Discovery
from citeloom.importing.import_state import ImportState
from citeloom.importing.pipeline import ImportRun
from citeloom.importing.preview import preview
from citeloom.importing.rebuild import Rebuild, check_model
from citeloom.importing.requests import ImportRequest
from citeloom.importing.sources.zotero import ZoteroItems
from citeloom.importing.stages.read import Reader
from citeloom.index.base import Collection
from citeloom.index.models.embedding import ModelRegistry
from citeloom.index.registry import Collections


@dataclass(frozen=True, slots=True)
class Importer:
    """Starts and previews imports."""

    catalog: Catalog
    collections: Collections
    models: ModelRegistry
    workers: WorkerPool
    settings: Settings
    conversions: Path
    zotero: ZoteroItems
    open_collection: Callable[[Project], Collection]  # also repairs what a killed engine left half written
    build_search_graph: Callable[[str, AbstractContextManager[None], threading.Event], None]

    def start(self, request: ImportRequest, report: Report, stop: threading.Event) -> ImportRun:
        """Return a new import; `stop` ends it soon, if necessary in the middle of a document."""
        faults.point("import.begin", request.project_id)
        state = self._state(request, report, stop)
        return ImportRun(
            state,
            self._discovery(state),
            Reader(state, self.workers, self.conversions, self.settings),
            self.open_collection,
            partial(check_model, self.models, self.settings.models),
            lambda: self.build_search_graph(state.project.id, state.building_graph(), stop),
            lambda: Rebuild(state, self.collections, self.open_collection, self.models, self.settings.models),
        )

    def preview(self, request: ImportRequest) -> SyncPreview:
        """Return what an import would do; nothing is written."""
        state = self._state(request, lambda progress: None, threading.Event())
        return preview(state, self._discovery(state))

    def _state(self, request: ImportRequest, report: Report, stop: threading.Event) -> ImportState:
        return ImportState(self.catalog, self.models, self.settings.engine.min_free_mb, request, report, stop)

    def _discovery(self, state: ImportState) -> Discovery:
        return Discovery(state, self.zotero, self.catalog.db.path.parent / "downloads")
