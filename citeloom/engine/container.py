"""Builds the services of the engine and connects them. Created by the server, once per start and per reload."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from functools import partial
from pathlib import Path

from citeloom.catalog import Catalog
from citeloom.conversion.pool import WorkerPool, remove_stale_copies
from citeloom.core import fault_injection as faults
from citeloom.core import paths
from citeloom.core.errors import CiteLoomError
from citeloom.core.jobs import StartJob
from citeloom.core.processes import release_free_memory, runs_on_battery
from citeloom.core.settings import Settings
from citeloom.engine.events import Events
from citeloom.engine.jobs import JobQueue
from citeloom.engine.process_state import ProcessState, preload_enabled
from citeloom.engine.service import EngineService
from citeloom.engine.sessions import Editors
from citeloom.engine.verbs import VerbTable
from citeloom.evidence.service import EvidenceService
from citeloom.evidence.works import Works
from citeloom.importing.document_queue import DocumentQueue
from citeloom.importing.import_state import ImportContext
from citeloom.importing.requests import BackupRequest, CompactRequest, MoveRequest
from citeloom.importing.service import ImportService, start_import
from citeloom.importing.sources.zotero import ZoteroItems
from citeloom.importing.watch.watcher import ProjectWatcher
from citeloom.importing.zotero_service import ZoteroService
from citeloom.index.models.embedding import ModelRegistry
from citeloom.index.registry import Collections
from citeloom.library import agent_documents
from citeloom.library.activity import ActivityService
from citeloom.library.agent_documents import AgentChunkService
from citeloom.library.claims import ClaimService
from citeloom.library.document_text import DocumentTexts, OriginalFiles
from citeloom.library.documents import DocumentService
from citeloom.library.page_image import PageImageService
from citeloom.library.projects import ProjectService
from citeloom.maintenance.backup import BackupJob, BackupService
from citeloom.maintenance.disk_usage import DiskUsageService
from citeloom.maintenance.doctor import Doctor
from citeloom.maintenance.index_jobs import CompactJob, MoveJob
from citeloom.maintenance.index_service import IndexService
from citeloom.maintenance.models import ModelService
from citeloom.maintenance.ocr import OcrService
from citeloom.maintenance.restore import RestoreService
from citeloom.notes.embedding import NoteEmbedder
from citeloom.notes.export import NoteExporter
from citeloom.notes.links import LinkService, notes_on_passage
from citeloom.notes.notebook import Notebook
from citeloom.notes.suggestions import SuggestionService
from citeloom.search.facets import FacetService
from citeloom.search.indexes import Indexes
from citeloom.search.passages import PassageService
from citeloom.search.query import SearchService
from citeloom.zotero.gateway import ZoteroGateway

log = logging.getLogger(__name__)

_WARM_UP_SECONDS = 20.0
_UNUSED_SECONDS = 600.0  # models and indexes that nobody used for so long are closed; opening them takes half a second


class Container:
    """The services of a running engine."""

    def __init__(self, settings: Settings, process_state: ProcessState | None = None) -> None:
        self.settings = settings
        self.process_state = process_state or ProcessState()
        paths.make_private(paths.folders().data)
        self.catalog = Catalog(Path(paths.catalog_file()))
        self.collections = Collections(Path(paths.index_folder()), settings.index)
        self.indexes = Indexes(self.catalog, self.collections, agent_documents.migrate)
        self.collection = self.indexes.open
        self.models = ModelRegistry(settings.models)
        remove_stale_copies()
        self.workers = WorkerPool(settings.engine.workers)
        self._documents = DocumentQueue(self.workers.count, lambda: settings.engine.on_battery or not runs_on_battery())
        self.events = Events()
        self.editors = Editors(self.events, self.process_state)
        zotero_folder = Path(paths.folders().data) / "zotero"
        zotero = ZoteroGateway(settings.zotero, zotero_folder / "mirror")
        self.zotero = ZoteroService(zotero)
        imports = ImportContext(
            self.catalog,
            self.collections,
            self.models,
            self.workers,
            settings,
            Path(paths.conversions_folder()),
            ZoteroItems(zotero, self.catalog, zotero_folder, settings.zotero),
            self._documents,
            self.collection,
            lambda project: self.indexes.lock_writers([project], "imported into"),
            self.indexes.is_locked,
            self.indexes.build_graph_if_due,
        )
        parts = self.catalog, self.indexes
        kinds: dict[str, StartJob] = {
            "ingest": partial(start_import, imports),
            "move": lambda job, plan, *how: MoveJob(*parts, MoveRequest(**job.request), *how),
            "backup": lambda job, plan, *how: BackupJob(*parts, BackupRequest(**job.request), *how),
            "compact": lambda job, plan, *how: CompactJob(*parts, CompactRequest(**job.request), *how),
        }
        self.jobs = JobQueue(self.catalog, kinds, self.events, self._when_idle)
        self._watcher = ProjectWatcher(settings.watch, self.catalog, zotero, lambda: self.jobs.paused)
        sources_changed = self._watcher.sources_changed
        self.imports = ImportService(imports, self.jobs, self.zotero, sources_changed)
        self.projects = ProjectService(
            self.catalog,
            self.collections,
            self.indexes,
            self.models,
            settings,
            self.jobs,
            self.zotero,
            sources_changed,
        )
        self.documents = DocumentService(self.catalog, self.indexes, self.jobs)
        self.agent_chunks = AgentChunkService(self.catalog, self.indexes, self.models)
        self.backups = BackupService(self.catalog, self.jobs)
        self.restores = RestoreService(self.catalog, settings.engine.min_free_mb)
        self.index_service = IndexService(self.catalog, self.collections, settings.index, self.jobs)
        self.doctor = Doctor(
            settings,
            self.catalog,
            self.indexes,
            self.models,
            self.workers,
            self.zotero,
            self.index_service,
            lambda: self.process_state.settings_problem,
        )
        conversions, downloads = Path(paths.conversions_folder()), Path(paths.folders().data) / "downloads"
        original_files = OriginalFiles(self.catalog, downloads)
        self.works = Works(self.catalog)
        self.texts = DocumentTexts(
            self.catalog, self.workers, settings, conversions, original_files, self.collection, self.works.get
        )
        self.search = SearchService(self.catalog, self.models, settings, self.collection)
        self.passages = PassageService(
            self.catalog, self.collection, self.texts.page, partial(notes_on_passage, self.catalog)
        )
        note_links = LinkService(self.catalog, self.passages, self.collection)
        self.note_embedder = NoteEmbedder(self.catalog.notes, self.models, settings.models.dense)
        suggestions = SuggestionService(self.catalog, self.note_embedder)
        notebook = Notebook(self.catalog, self.note_embedder, note_links, suggestions)
        self.evidence = EvidenceService(self.catalog, self.works, self.projects, self.texts, self.search, self.models)
        self.claims = ClaimService(self.catalog, self.indexes, self.jobs, self.works.get)
        self.page_images = PageImageService(
            self.catalog, conversions, settings.ocr, self.passages, self.texts, original_files
        )
        self.activity = ActivityService(self.catalog, self.jobs, self.passages, settings.privacy.log_days)
        self.engine = EngineService(
            self.catalog, self.jobs, self.editors, self.indexes, self._watcher, self.process_state
        )
        self.verbs = VerbTable(
            [
                self.engine,
                self.imports,
                self.zotero,
                self.search,
                self.passages,
                FacetService(self.catalog, self.collection),
                self.evidence,
                self.projects,
                self.documents,
                self.claims,
                self.agent_chunks,
                self.texts,
                self.page_images,
                self.activity,
                notebook,
                note_links,
                suggestions,
                NoteExporter(self.catalog, notebook),
                self.backups,
                self.restores,
                self.index_service,
                ModelService(self.catalog, self.jobs),
                OcrService(settings.ocr),
                DiskUsageService(conversions, zotero_folder, self.catalog),
                self.doctor,
            ]
        )
        self._warming = threading.Thread(target=self._warm_up, name="warm-up", daemon=True)

    def start(self) -> None:
        """Resume unfinished jobs of an earlier engine, and preload what the first query needs."""
        self.activity.delete_old_entries()
        self.collections.finish_removals()
        if orphaned := self.indexes.orphaned_error():
            log.error("%s", orphaned)
        self.jobs.start()
        self._watcher.start(self.imports.sync_if_needed)
        self._warming.start()

    def stop(self) -> None:
        """Park the running import, and close everything."""
        self._watcher.stop()
        self.models.end()
        self.jobs.stop()
        self._documents.end()
        self.workers.end()
        self.page_images.end()
        if self._warming.is_alive():  # a process that exits while a model is being loaded crashes
            self._warming.join(_WARM_UP_SECONDS)
        self.indexes.end()
        self.catalog.close()

    def _warm_up(self) -> None:
        faults.point("engine.warm_up")
        try:
            if preload_enabled():
                self.models.dense(self.settings.models.dense).embed_query("warm-up")
        except CiteLoomError as error:
            log.warning("the model could not be preloaded: %s", error)
        for project in self.catalog.projects.all():
            try:
                self.collection(project)
            except CiteLoomError as error:
                log.warning("the index of %s could not be preopened: %s", project.id, error)

    def _when_idle(self, jobs_wait: bool) -> None:
        """Between imports, build search graphs where many passages have none; release memory, also while jobs wait."""
        unused = faults.number("engine.unused_seconds", _UNUSED_SECONDS)
        steps: list[Callable[[], None]] = [self.workers.end_idle]
        if not (jobs_wait or self.jobs.paused):
            steps += [self.indexes.optimise, self.note_embedder.embed_missing]
        steps.append(partial(self.models.release_unused, unused))
        if not jobs_wait:  # a waiting import finds an index that was replaced only as long as it is open
            steps.append(partial(self.collections.close_unused, unused))
        for step in (*steps, release_free_memory):
            try:
                step()
            except Exception:  # the others do not depend on it
                log.exception("error while the engine is idle")
