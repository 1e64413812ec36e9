"""The engine's verbs, one method each. Every face calls these; nothing else owns index or catalog."""

from __future__ import annotations

import logging
import os
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from citeloom import __version__, paths
from citeloom.bibliography.references import load_references
from citeloom.config import Settings
from citeloom.documents.convert import CONVERTER_VERSION
from citeloom.engine import shelf, stored
from citeloom.engine.activity import Activity
from citeloom.engine.allowed import existing
from citeloom.engine.cache import ConversionCache
from citeloom.engine.cancel import Cancel
from citeloom.engine.editors import Editors
from citeloom.engine.events import Events
from citeloom.engine.imports import Imports
from citeloom.engine.jobs import JobQueue
from citeloom.engine.lifetime import Lifetime
from citeloom.engine.pictures import Pictures
from citeloom.engine.questions import Questions
from citeloom.engine.reading import Reading, describe
from citeloom.engine.records import Records
from citeloom.engine.watching import Watching
from citeloom.engine.zotero_desk import ZoteroDesk
from citeloom.errors import CiteLoomError, Code
from citeloom.index.collections import Collections
from citeloom.index.edge import EdgeCollection
from citeloom.index.models import ModelShelf
from citeloom.ingest.importer import Importer
from citeloom.ingest.passages import STORED
from citeloom.ingest.request import ImportRequest
from citeloom.ingest.workers import Workers
from citeloom.ingest.writer import LiveWriter, mend
from citeloom.ingest.zotero_items import ZoteroItems
from citeloom.store import Catalog, Project, Source, collection_name
from citeloom.zotero.connect import Zotero

log = logging.getLogger(__name__)

_OPTIMISE_FROM = 20_000  # passages without a search graph that make one worth its time
_WRITE_WAIT = 10.0


class Service:
    """Everything the engine can do."""

    def __init__(self, settings: Settings, lifetime: Lifetime | None = None) -> None:
        self.settings = settings
        self.lifetime = lifetime or Lifetime()
        paths.make_private(paths.folders().data)
        self.catalog = Catalog(Path(paths.catalog_file()))
        self.collections = Collections(Path(paths.index_folder()))
        self.models = ModelShelf(settings.models)
        self.workers = Workers(settings.engine.workers)
        self.events = Events()
        self.editors = Editors(self.events, self.lifetime.disconnected)
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
        )
        self.jobs = JobQueue(self.catalog, importer, self.events, self._when_idle)
        self._watching = Watching(settings.watch, self.catalog, zotero, self._follow, lambda: self.jobs.paused)
        self.imports = Imports(importer, self.jobs, self.zotero, settings, self._watching.look_again)
        self.reading = Reading(importer)
        self.cache = ConversionCache(importer.conversions, zotero_folder, self.catalog)
        self.questions = Questions(self.catalog, self.models, settings, self.collection)
        self.records = Records(self.catalog, self.collection)
        self.pictures = Pictures(importer, self.questions, self.reading)
        self.activity = Activity(self.catalog, self.jobs, self.questions, settings.privacy.log_days)
        self._pause_mark = Path(paths.folders().data) / "paused"  # until a person resumes, also after a crash
        if self._pause_mark.exists():
            self.jobs.pause()
        self._mended: set[str] = set()
        self._opening = threading.RLock()
        self._ended = False
        # Held while an index is copied for optimising: what was written meanwhile would be missing in the copy.
        self._writing = threading.Lock()

    def start(self) -> None:
        """Go on with what an earlier engine left, and load what the first question needs."""
        self.activity.forget_old()
        self.jobs.start()
        self._watching.start()
        threading.Thread(target=self._warm_up, name="warm-up", daemon=True).start()

    def stop(self) -> None:
        """Park the import that runs, and close everything."""
        self._watching.stop()
        self.jobs.stop()
        self.workers.end()
        self.pictures.end()
        with self._opening:
            self._ended = True
        self.collections.close()
        self.catalog.close()

    def _follow(self, project_id: str) -> None:
        """Something that a project reads has changed."""
        self.imports.sync_if_needed(project_id)

    def collection(self, project: Project) -> EdgeCollection:
        """The project's index; the first opening mends what a kill left."""
        with self._opening:
            if self._ended:  # the index may be another's by now, in this process or the next
                raise CiteLoomError(Code.ENGINE_UNAVAILABLE, "The engine has ended.", "Call again.")
            try:
                collection = self.collections.get(project.collection, project.generation)
            except CiteLoomError as error:
                if error.code == Code.INDEX_UNAVAILABLE:
                    error.next_step = f"Rebuild it: citeloom ingest {project.id} --force-rebuild."
                raise
            if project.collection not in self._mended:
                mend(self.catalog, project, collection)
                self.collections.tidy(project.collection, project.generation)
                self._mended.add(project.collection)
            return collection

    # -- projects --------------------------------------------------------------------------------------------

    def add_project(
        self, project_id: str, references: str | None, folders: Sequence[str], zotero: Sequence[Mapping[str, Any]] = ()
    ) -> dict[str, Any]:
        """A new project with the folders and the parts of Zotero that it may read."""
        collection_name(project_id)  # a name that cannot be is said before Zotero is asked
        sources = self._sources(folders, zotero)
        warnings: tuple[str, ...] = ()
        count = None
        if references:
            references = str(existing(references))
            loaded = load_references(Path(references))
            warnings, count = loaded.warnings, len(loaded.records)
        info = self.models.info(self.settings.models.dense)
        sparse = self.settings.models.sparse
        if sparse:
            self.models.sparse(sparse)
        with self._opening:
            project = self.catalog.projects.add(
                project_id,
                references,
                {
                    "dense_model": info.name,
                    "dense_fingerprint": info.fingerprint,
                    "dense_size": info.size,
                    "sparse_model": sparse,
                },
            )
            try:
                made = self.collections.create(project.collection, project.generation, info.size, sparse=bool(sparse))
                self.collections.adopt(project.collection, project.generation, made)
                for source in sources:
                    self.catalog.projects.add_source(project.id, source)
            except BaseException:
                self.catalog.projects.remove(project.id)
                raise
        self._watching.look_again()
        return {**self.show_project(project.id), "records": count, "warnings": list(warnings)}

    def allow(self, project_id: str, folders: Sequence[str], zotero: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
        """Let a project read more."""
        project = self.catalog.projects.get(project_id)
        for source in self._sources(folders, zotero):
            self.catalog.projects.add_source(project.id, source)
        self._watching.look_again()
        return self.show_project(project.id)

    def disallow(self, project_id: str, name: str) -> dict[str, Any]:
        """Take a source off a project's list, by its path or by what it is called; its documents go with it."""
        project = self.catalog.projects.get(project_id)
        sources = self.catalog.projects.sources(project.id)
        found = [s for s in sources if name in (s.path, s.label)]
        if len(found) != 1:
            names = [s.label or s.path for s in sources]
            raise CiteLoomError(
                Code.INVALID_INPUT,
                f"Project '{project.id}' reads {'several sources' if found else 'nothing'} called '{name[:100]}'.",
                f"It reads: {', '.join(s.path for s in found) or ', '.join(names) or 'nothing'}.",
                choices=[s.path for s in found] or names,
            )
        self.catalog.projects.remove_source(project.id, found[0].path)
        self._watching.look_again()
        job = self.jobs.submit(ImportRequest(project.id))
        return {**self.show_project(project.id), "job_id": job.id, "disallowed": found[0].label or found[0].path}

    def _sources(self, folders: Sequence[str], zotero: Sequence[Mapping[str, Any]]) -> list[Source]:
        sources = [Source("folder", str(existing(f))) for f in folders]
        for source in sources:
            if not Path(source.path).is_dir():
                raise CiteLoomError(
                    Code.INVALID_INPUT,
                    f"{source.path} is not a folder.",
                    "Name a folder; 'citeloom ingest' takes files.",
                )
        return sources + [
            self.zotero.part(
                part["words"],
                library=part.get("library"),
                recursive=bool(part.get("recursive", True)),
                tags=part.get("tags") or (),
            )
            for part in zotero
        ]

    def list_projects(self, visible: frozenset[str] | None = None) -> list[dict[str, Any]]:
        """Every project that the asker may see."""
        return [self._summary(p) for p in self.catalog.projects.all() if visible is None or p.id in visible]

    def show_project(self, project_id: str) -> dict[str, Any]:
        """A project with its sources, coverage and size."""
        project = self.catalog.projects.get(project_id)
        return {
            **self._summary(project),
            "references": project.references_path,
            "sources": [asdict(s) for s in self.catalog.projects.sources(project.id)],
            "bytes": self.collections.size_on_disk(project.collection),
            "created_at": project.created_at,
            "jobs": self.jobs.busy(project.id),
            "last_jobs": [
                {
                    "job_id": j.id,
                    "state": j.state,
                    "created_at": j.created_at,
                    "source": j.request.get("source"),
                }
                for j in self.catalog.jobs.latest(project.id, 5)
            ],
        }

    def remove_project(self, project_id: str) -> dict[str, Any]:
        """Delete a project's index and rows. The researcher's files are not touched."""
        summary = self._summary(self.catalog.projects.get(project_id))
        self.jobs.drop(project_id)
        with self._opening:
            self.catalog.projects.remove(project_id)
            self.collections.remove(summary["collection"])
            self._mended.discard(summary["collection"])
        self._watching.look_again()
        return summary

    def inspect(self, project: Project, sample: int) -> dict[str, Any]:
        """What a project's collection is made of."""
        if not 0 <= sample <= 5:
            raise CiteLoomError(Code.INVALID_INPUT, f"sample is {sample}.", "Ask for 0 to 5 sample payloads.")
        collection = self.collection(project)
        one = collection.any_passages(max(1, sample))
        return {
            **self._summary(project),
            "project": project.id,
            "size": collection.count(),
            "named_vectors": ["dense", *(["sparse"] if project.hybrid_enabled else [])],
            "payload_keys": sorted(one[0].payload) if one else [],
            "indexes": collection.indexes(),
            "storage": {
                "kind": "embedded",
                "bytes": self.collections.size_on_disk(project.collection),
                "waiting_for_graph": project.without_graph,
            },
            "jobs": self.jobs.busy(project.id),
            "sample_payloads": [h.payload for h in one[:sample]],
        }

    def _summary(self, project: Project) -> dict[str, Any]:
        coverage = self.catalog.documents.coverage(project.id)
        return {
            "id": project.id,
            "collection": project.collection,
            "dense_model": project.dense_model,
            "sparse_model": project.sparse_model or None,
            "hybrid_enabled": project.hybrid_enabled,
            "document_count": coverage["documents"],
            "chunk_count": self.catalog.documents.chunk_count(project.id),
            "coverage": coverage,
        }

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
        for project in self.catalog.projects.all():
            if self.questions.find_passage(project, chunk_id):
                return {"project": project.id, **self.get_passage(project, chunk_id, 1)}
        raise CiteLoomError(
            Code.PASSAGE_NOT_FOUND,
            f"No project has a passage {chunk_id!r}.",
            "'citeloom search' shows the ids.",
        )

    def delete_document(self, project: Project, doc_id: str) -> dict[str, Any]:
        """Delete a document from the index. Its file is not touched."""
        document = self.catalog.documents.get(project.id, doc_id, None)
        with self._may_write():
            deleted = LiveWriter(self.catalog, self.collection(project)).remove(project.id, doc_id)
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
        with self._may_write():
            collection = self.collection(project)
            collection.upsert(points)
            self.catalog.projects.count_written(project.id, len(points))
            stored.note(self.catalog, collection, project, documents)
        return {
            "chunks_written": len(points),
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
            "started_by": self.lifetime.started_by,
        }

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

    @property
    def is_writing(self) -> bool:
        """Whether an index is being optimised or written to by an agent: ending now would waste it."""
        return self._writing.locked()

    def _warm_up(self) -> None:
        try:
            self.models.for_questions(self.settings.models.dense).embed_query("warm-up")
            for project in self.catalog.projects.all():
                self.collection(project)
        except CiteLoomError as error:
            log.warning("not everything could be loaded ahead: %s", error)

    @contextmanager
    def _may_write(self) -> Iterator[None]:
        """The right to write, or TIMEOUT while an index is being optimised."""
        if not self._writing.acquire(timeout=_WRITE_WAIT):
            raise CiteLoomError(Code.TIMEOUT, "The index is being optimised.", "Try again in a minute.")
        try:
            yield
        finally:
            self._writing.release()

    def _when_idle(self) -> None:
        """Between imports: build search graphs where many passages have none, and give memory back."""
        self.workers.rest()
        self.models.release_imports()
        if self.jobs.paused:
            return
        for project in self.catalog.projects.all():
            if project.without_graph < _OPTIMISE_FROM:
                continue
            with self._writing:
                self.collection(project)
                log.info("optimising %s", project.collection)
                made = self.collections.optimised_copy(project.collection, project.generation)
                # Read again: the copy took minutes, in which the researcher may have named other references.
                current = self.catalog.projects.get(project.id)
                moved = replace(current, generation=current.generation + 1, without_graph=0)
                self.collections.adopt(project.collection, moved.generation, made)
                self.catalog.projects.save(moved)
                self.collections.retire(project.collection, moved.generation)
                log.info("optimised %s", project.collection)
