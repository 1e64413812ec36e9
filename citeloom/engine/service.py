"""The engine's verbs, one method each. Every face calls these; nothing else owns index or catalog."""

from __future__ import annotations

import logging
import os
import threading
from dataclasses import asdict, replace
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from citeloom import __version__, paths
from citeloom.config import Settings
from citeloom.documents.convert import CONVERTER_VERSION
from citeloom.engine import shelf, stored
from citeloom.engine.activity import Activity
from citeloom.engine.backups import Backup, wanted
from citeloom.engine.cache import ConversionCache
from citeloom.engine.cancel import Cancel
from citeloom.engine.editors import Editors
from citeloom.engine.events import Events
from citeloom.engine.imports import Imports
from citeloom.engine.index_place import IndexDesk
from citeloom.engine.indexes import Indexes
from citeloom.engine.jobs import JobQueue
from citeloom.engine.lifetime import Lifetime, preload_enabled
from citeloom.engine.memory import release_free_memory
from citeloom.engine.moving import Compact, Move
from citeloom.engine.pictures import Pictures
from citeloom.engine.projects import ProjectDesk
from citeloom.engine.questions import Questions
from citeloom.engine.reading import Reading, describe
from citeloom.engine.records import Records
from citeloom.engine.restoring import Restoring
from citeloom.engine.watching import Watching
from citeloom.engine.work import StartWork
from citeloom.engine.works import Works
from citeloom.engine.zotero_desk import ZoteroDesk
from citeloom.errors import CiteLoomError, Code
from citeloom.index.collections import Collections
from citeloom.index.models import ModelShelf
from citeloom.ingest.importer import Importer
from citeloom.ingest.passages import STORED
from citeloom.ingest.request import BackupRequest, CompactRequest, ImportRequest, MoveRequest
from citeloom.ingest.workers import Workers, forget_copies
from citeloom.ingest.writer import LiveWriter
from citeloom.ingest.zotero_items import ZoteroItems
from citeloom.store import Catalog, Project
from citeloom.zotero.connect import Zotero

if TYPE_CHECKING:
    from citeloom.engine.checks import Checks
    from citeloom.engine.citations import Citations
    from citeloom.engine.exports import Exports
    from citeloom.engine.quoting import Quoting

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
        self.models = ModelShelf(settings.models)
        forget_copies()
        self.workers = Workers(settings.engine.workers)
        self.events = Events()
        self.editors = Editors(self.events, self.lifetime)
        zotero_folder = Path(paths.folders().data) / "zotero"
        zotero = Zotero(settings.zotero, zotero_folder / "mirror")
        self.zotero = ZoteroDesk(zotero)
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
        kinds: dict[str, StartWork] = {
            "ingest": lambda request, *how: importer.begin(ImportRequest(**request), *how),
            "move": lambda request, *how: Move(self.catalog, self.indexes, MoveRequest(**request), *how),
            "backup": lambda request, *how: Backup(self.catalog, self.indexes, BackupRequest(**request), *how),
            "compact": lambda request, *how: Compact(self.catalog, self.indexes, CompactRequest(**request), *how),
        }
        self.jobs = JobQueue(self.catalog, kinds, self.events, self._when_idle)
        self._watching = Watching(settings.watch, self.catalog, zotero, self._follow, lambda: self.jobs.paused)
        self.imports = Imports(importer, self.jobs, self.zotero, settings, self._watching.look_again)
        self.projects = ProjectDesk(importer, self.indexes, self.jobs, self.zotero, self._watching.look_again)
        self.index_desk = IndexDesk(importer, self.jobs)
        self.restoring = Restoring(self.catalog, settings.engine.min_free_mb)
        self.reading = Reading(importer)
        self.cache = ConversionCache(importer.conversions, zotero_folder, self.catalog)
        self.questions = Questions(self.catalog, self.models, settings, self.collection)
        self.works = Works(self.catalog)
        self.records = Records(self.catalog, self.collection, self.works)
        self.pictures = Pictures(importer, self.questions, self.reading)
        self.activity = Activity(self.catalog, self.jobs, self.questions, settings.privacy.log_days)
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
    def quoting(self) -> Quoting:
        """Verifies quotations."""
        from citeloom.engine.quoting import Quoting

        return Quoting(self.catalog, self.works, self.reading, self.questions, self.models)

    @cached_property
    def checks(self) -> Checks:
        """Checks manuscripts."""
        from citeloom.engine.checks import Checks

        return Checks(self.catalog, self.works, self.quoting, self.questions)

    @cached_property
    def citations(self) -> Citations:
        """Formats citations."""
        from citeloom.engine.citations import Citations

        return Citations(self.works)

    @cached_property
    def exports(self) -> Exports:
        """Writes bibliographies."""
        from citeloom.engine.exports import Exports

        return Exports(self.works)

    # -- documents -------------------------------------------------------------------------------------------

    def list_documents(self, project: Project, status: str | None, limit: int, offset: int) -> dict[str, Any]:
        """Some documents of a project, and how many there are."""
        limit, offset = shelf.check_block(status, limit, offset)
        documents, total = self.catalog.documents.page(project.id, status, limit, offset)
        coverage = self.catalog.documents.coverage(project.id)
        return shelf.block([describe(d) for d in documents], total, offset, coverage)

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
        points, documents, warnings = stored.points(project, items)
        if project.hybrid_enabled:
            sparse = self.models.sparse(project.sparse_model)
            words = sparse.embed([p.payload["chunk_text"] for p in points])
            points = [replace(p, sparse=w) for p, w in zip(points, words, strict=True)]
        cancel.check()
        with self.indexes.may_write(project):
            collection = self.collection(project)
            before = stored.documents_of(collection, points)
            collection.upsert(points)
            self.catalog.projects.count_changed(project.id, len(points))
            stored.note(self.catalog, collection, project, documents, before)
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
        try:
            if preload_enabled():
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
