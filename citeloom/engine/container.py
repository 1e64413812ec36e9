"""The engine's verbs, one method each. Every face calls these; nothing else owns index or catalog."""

from __future__ import annotations

import logging
import os
import threading
from dataclasses import asdict, replace
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from citeloom import __version__
from citeloom.catalog import Catalog
from citeloom.catalog.projects import Project
from citeloom.conversion.convert import CONVERTER_VERSION
from citeloom.conversion.pool import WorkerPool, forget_copies
from citeloom.core import fault_injection as faults
from citeloom.core import paths
from citeloom.core.cancel import Cancel
from citeloom.core.errors import CiteLoomError, Code
from citeloom.core.jobs import StartJob
from citeloom.core.settings import Settings
from citeloom.engine.events import Events
from citeloom.engine.jobs import JobQueue
from citeloom.engine.lifetime import Lifetime, loads_ahead
from citeloom.engine.memory import release_free_memory
from citeloom.engine.sessions import Editors
from citeloom.engine.verbs import VerbTable
from citeloom.evidence.records import Records
from citeloom.evidence.works import Works
from citeloom.importing.ids import STORED
from citeloom.importing.importer import Importer
from citeloom.importing.requests import BackupRequest, CompactRequest, ImportRequest, MoveRequest
from citeloom.importing.service import ImportService
from citeloom.importing.sources.zotero import ZoteroItems
from citeloom.importing.watch.watcher import Watching
from citeloom.importing.writer import LiveWriter
from citeloom.importing.zotero_service import ZoteroService
from citeloom.index.models.embedding import ModelRegistry
from citeloom.index.registry import Collections
from citeloom.library import agent_chunks, listing
from citeloom.library.activity import ActivityService
from citeloom.library.document_text import Reading, describe
from citeloom.library.indexes import Indexes
from citeloom.library.page_image import PageImageService
from citeloom.library.projects import ProjectService
from citeloom.maintenance.backup import Backup, wanted
from citeloom.maintenance.cache import CacheService
from citeloom.maintenance.index_jobs import Compact, Move
from citeloom.maintenance.index_location import IndexLocationService
from citeloom.maintenance.restore import RestoreService
from citeloom.search.query import SearchService
from citeloom.zotero.gateway import Zotero

if TYPE_CHECKING:
    from citeloom.evidence.check import CheckService
    from citeloom.evidence.cite import CitationService
    from citeloom.evidence.export import ExportService
    from citeloom.evidence.verify import QuoteVerifier

log = logging.getLogger(__name__)

_WARM_UP_SECONDS = 20.0


class Service:
    """Everything the engine can do."""

    def __init__(self, settings: Settings, lifetime: Lifetime | None = None) -> None:
        self.settings = settings
        self.lifetime = lifetime or Lifetime()
        paths.make_private(paths.folders().data)
        self.catalog = Catalog(Path(paths.catalog_file()))
        self.collections = Collections(Path(paths.index_folder()), settings.index)
        self.indexes = Indexes(self.catalog, self.collections)
        self.collection = self.indexes.open
        self.models = ModelRegistry(settings.models)
        forget_copies()
        self.workers = WorkerPool(settings.engine.workers)
        self.events = Events()
        self.editors = Editors(self.events, self.lifetime.disconnected)
        zotero_folder = Path(paths.folders().data) / "zotero"
        zotero = Zotero(settings.zotero, zotero_folder / "mirror")
        self.zotero = ZoteroService(zotero)
        items = ZoteroItems(
            zotero,
            self.catalog,
            zotero_folder,
            fetch_files=settings.zotero.fetch_files,
            most_bytes=settings.zotero.max_file_mb * 1_000_000,
        )
        importer = Importer(
            self.catalog,
            self.collections,
            self.models,
            self.workers,
            settings,
            Path(paths.conversions_folder()),
            items,
            self.collection,
            self.indexes.settle,
        )
        kinds: dict[str, StartJob] = {
            "ingest": lambda request, *how: importer.begin(ImportRequest(**request), *how),
            "move": lambda request, *how: Move(self.catalog, self.indexes, MoveRequest(**request), *how),
            "backup": lambda request, *how: Backup(self.catalog, self.indexes, BackupRequest(**request), *how),
            "compact": lambda request, *how: Compact(self.catalog, self.indexes, CompactRequest(**request), *how),
        }
        self.jobs = JobQueue(self.catalog, kinds, self.events, self._when_idle)
        self._watching = Watching(settings.watch, self.catalog, zotero, self._follow, lambda: self.jobs.paused)
        self.imports = ImportService(importer, self.jobs, self.zotero, settings, self._watching.look_again)
        self.projects = ProjectService(importer, self.indexes, self.jobs, self.zotero, self._watching.look_again)
        self.index_desk = IndexLocationService(importer, self.jobs)
        self.restoring = RestoreService(self.catalog, settings.engine.min_free_mb)
        self.reading = Reading(importer)
        self.cache = CacheService(importer.conversions, zotero_folder, self.catalog)
        self.questions = SearchService(self.catalog, self.models, settings, self.collection)
        self.works = Works(self.catalog)
        self.records = Records(self.catalog, self.collection, self.works)
        self.pictures = PageImageService(importer, self.questions, self.reading)
        self.activity = ActivityService(self.catalog, self.jobs, self.questions, settings.privacy.log_days)
        self.verbs = VerbTable([])
        self._pause_mark = Path(paths.folders().data) / "paused"  # until a person resumes, also after a crash
        self._warming = threading.Thread(target=self._warm_up, name="warm-up", daemon=True)
        if self._pause_mark.exists():
            self.jobs.pause()

    def start(self) -> None:
        """Go on with what an earlier engine left, and load what the first question needs."""
        self.activity.forget_old()
        self.collections.clear_removed()
        if lost := self.indexes.lost():
            log.error("%s", lost)
        self.jobs.start()
        self._watching.start()
        self._warming.start()

    def stop(self) -> None:
        """Park the import that runs, and close everything."""
        self._watching.stop()
        self.jobs.stop()
        self.workers.end()
        self.pictures.end()
        if self._warming.is_alive():  # a process that ends in the middle of loading a model is aborted
            self._warming.join(_WARM_UP_SECONDS)
        self.indexes.end()
        self.catalog.close()

    def _follow(self, project_id: str) -> None:
        """Something that a project reads has changed."""
        self.imports.sync_if_needed(project_id)

    # -- citing: loaded by the first who asks, because an engine should be there at once -----------------------

    @cached_property
    def quoting(self) -> QuoteVerifier:
        """Verifies quotations."""
        from citeloom.evidence.verify import QuoteVerifier

        return QuoteVerifier(self.catalog, self.works, self.reading, self.questions, self.models)

    @cached_property
    def checks(self) -> CheckService:
        """Checks manuscripts."""
        from citeloom.evidence.check import CheckService

        return CheckService(self.catalog, self.works, self.quoting, self.questions)

    @cached_property
    def citations(self) -> CitationService:
        """Formats citations."""
        from citeloom.evidence.cite import CitationService

        return CitationService(self.works)

    @cached_property
    def exports(self) -> ExportService:
        """Writes bibliographies."""
        from citeloom.evidence.export import ExportService

        return ExportService(self.works)

    # -- documents -------------------------------------------------------------------------------------------

    def list_documents(self, project: Project, status: str | None, limit: int, offset: int) -> dict[str, Any]:
        """Some documents of a project, and how many there are."""
        limit, offset = listing.check_block(status, limit, offset)
        documents, total = self.catalog.documents.page(project.id, status, limit, offset)
        coverage = self.catalog.documents.coverage(project.id)
        return listing.block([describe(d) for d in documents], total, offset, coverage)

    def get_passage(self, project: Project, chunk_id: str, context: int) -> dict[str, Any]:
        """One passage whole, its neighbours, and the page it stands on."""
        answer, hit = self.questions.passage(project, chunk_id, context)
        page = self.reading.page(project, hit.payload["doc_id"], hit.payload.get("page_start"))
        answer["page"] = {**asdict(page), "label": page.label} if page else None
        return answer

    def find_passage(self, chunk_id: str) -> dict[str, Any]:
        """A passage by its id, in whichever project it is."""
        out_of_reach: CiteLoomError | None = None
        for project in self.catalog.projects.all():
            try:
                found = self.questions.find_passage(project, chunk_id)
            except CiteLoomError as error:  # it may be in another one
                out_of_reach = error
                continue
            if found:
                return {"project": project.id, **self.get_passage(project, chunk_id, 1)}
        if out_of_reach:
            raise out_of_reach
        raise CiteLoomError(
            Code.PASSAGE_NOT_FOUND,
            f"No project has a passage {chunk_id!r}.",
            "'citeloom search' shows the ids.",
        )

    def delete_document(self, project: Project, doc_id: str) -> dict[str, Any]:
        """Delete a document from the index. Its file is not touched."""
        document = self.catalog.documents.get(project.id, doc_id, None)
        with self.indexes.may_write(project):
            deleted = LiveWriter(self.catalog, partial(self.collection, project)).remove(project.id, doc_id)
        note = None
        if document.zotero:
            note = "It is still in Zotero: the next sync reads it again, unless it leaves its collection there."
        elif not document.source.startswith(STORED) and Path(document.source).exists():
            note = "Its file is still there: the next import of its folder reads it again."
        return {"doc_id": doc_id, "deleted_chunks": deleted, "note": note}

    def store_chunks(self, project: Project, items: list[dict[str, Any]], cancel: Cancel) -> dict[str, Any]:
        """Keep passages that an agent made and embedded itself."""
        points, documents, warnings = agent_chunks.points(project, items)
        if project.hybrid_enabled:
            sparse = self.models.sparse(project.sparse_model)
            words = sparse.embed([p.payload["chunk_text"] for p in points])
            points = [replace(p, sparse=w) for p, w in zip(points, words, strict=True)]
        cancel.check()
        with self.indexes.may_write(project):
            collection = self.collection(project)
            before = agent_chunks.documents_of(collection, points)
            collection.upsert(points)
            self.catalog.projects.count_changed(project.id, len(points))
            agent_chunks.note(self.catalog, collection, project, documents, before)
        return {
            "chunks_written": len(points),
            "documents": [
                {"doc_id": doc_id, "source": of["source"].removeprefix(STORED), "claimed_citekey": of.get("citekey")}
                for doc_id, of in documents.items()
            ],
            "project": project.id,
            "embed_model": project.dense_model,
            "warnings": warnings,
        }

    # -- the engine itself -----------------------------------------------------------------------------------

    def status(self) -> dict[str, Any]:
        """What the engine is and does."""
        folders = paths.folders()
        return {
            "version": __version__,
            "pid": os.getpid(),
            "data_folder": folders.data,
            "settings_file": paths.settings_file(),
            "converter": CONVERTER_VERSION,
            "projects": len(self.catalog.projects.all()),
            "jobs": self.jobs.busy(),
            "paused": self.jobs.paused,
            "coverage": self.catalog.documents.coverage(),
            "editors": self.editors.count(),
            "settings_problem": self.lifetime.settings_problem,
            "lost": str(lost) if (lost := self.indexes.lost()) else None,
            "started_by": self.lifetime.started_by,
        }

    def back_up(self, file: str, projects: list[str]) -> dict[str, Any]:
        """Queue a backup of these projects, or of all."""
        job = self.jobs.submit(wanted(self.catalog, file, projects))
        return {"job_id": job.id, "state": self.jobs.state(job)}

    def pause(self) -> dict[str, Any]:
        """Import nothing until somebody resumes: what runs stops soon and goes on from there."""
        try:
            self._pause_mark.touch()
        except OSError as error:
            log.warning("the pause ends with this engine: %s", error)
        self.jobs.pause()
        return {"paused": True}

    def resume(self) -> dict[str, Any]:
        """Go on importing, with what has changed meanwhile."""
        self._pause_mark.unlink(missing_ok=True)
        self.jobs.resume()
        self._watching.resume()
        return {"paused": False}

    def _warm_up(self) -> None:
        faults.point("engine.warm_up")
        try:
            if loads_ahead():
                self.models.for_questions(self.settings.models.dense).embed_query("warm-up")
        except CiteLoomError as error:
            log.warning("the model could not be loaded ahead: %s", error)
        for project in self.catalog.projects.all():
            try:
                self.collection(project)
            except CiteLoomError as error:
                log.warning("the index of %s could not be opened ahead: %s", project.id, error)

    def _when_idle(self) -> None:
        """Between imports: build search graphs where many passages have none, and give memory back."""
        self.workers.rest()
        self.models.release_imports()
        if not self.jobs.paused:
            self.indexes.optimise()
        release_free_memory()
