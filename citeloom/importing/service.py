"""Request handlers for imports: check what may be imported, and queue the job. Called by control and MCP sessions."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Sequence
from pathlib import Path

from citeloom.api.activity import StartedJob
from citeloom.api.importing import (
    DocumentWithoutFile,
    Ingest,
    PlannedDocument,
    PreviewSync,
    SourceProblem,
    SyncPreview,
    UpdatedDocument,
)
from citeloom.api.verbs import handles
from citeloom.bibliography.references import load_references
from citeloom.catalog.documents import Document, State
from citeloom.core import fault_injection as faults
from citeloom.core.errors import CiteLoomError, Code
from citeloom.core.jobs import Job, JobQueue, JobWork, ReportProgress
from citeloom.core.types import Source
from citeloom.importing.discovery import Discovery, ImportPlan
from citeloom.importing.import_state import ImportContext, ImportState
from citeloom.importing.metadata import read_metadata
from citeloom.importing.pipeline import ImportRun
from citeloom.importing.rebuild_run import RebuildRun
from citeloom.importing.requests import ImportRequest
from citeloom.importing.sources.allowed import allowed_path, check_kind, existing
from citeloom.importing.sources.folder import FoundFile, hash_file
from citeloom.importing.sources.names import shown_source
from citeloom.importing.sources.web_address import is_address, web_address
from citeloom.importing.zotero_service import ZoteroService, is_zotero, parse_source, same_part

log = logging.getLogger(__name__)


class ImportService:
    """Starts imports: checks what a person or an agent may read, and queues the job."""

    def __init__(
        self, context: ImportContext, jobs: JobQueue, zotero: ZoteroService, sources_changed: Callable[[], None]
    ) -> None:
        self._context = context
        self._catalog = context.catalog
        self._jobs = jobs
        self._zotero = zotero
        self._sources_changed = sources_changed

    @handles(Ingest)
    def ingest(self, request: Ingest) -> StartedJob:
        """Queue an import for a person; a named source is added to the project."""
        job = self._submit(request, by_agent=False)
        return StartedJob(job.id, self._jobs.state(job))

    def ingest_for_agent(self, request: Ingest) -> Job:
        """Queue an import for an agent, which may name only what the researcher allowed."""
        return self._submit(request, by_agent=True)

    def _submit(self, request: Ingest, *, by_agent: bool) -> Job:
        project, source = self._catalog.projects.get(request.project), request.source
        sources = self._catalog.projects.sources(project.id)
        if source is not None and is_zotero(source):
            source = self._zotero_part(project.id, source, sources, recursive=request.recursive, by_agent=by_agent)
        elif source is not None and is_address(source):
            web_address(source)
            if by_agent and not self._context.settings.privacy.agents_may_fetch:
                raise CiteLoomError(
                    Code.PERMISSION_DENIED,
                    "The researcher has not allowed agents to fetch from the web.",
                    "Set privacy.agents_may_fetch = true in the settings, or run 'citeloom ingest PROJECT ADDRESS'.",
                )
        elif source is not None:
            path = allowed_path(source, sources, project.references_path) if by_agent else existing(source)
            check_kind(path)
            if not by_agent:
                kind = "file" if path.is_file() else "folder"
                if not any(s.contains(path) for s in sources):
                    self._catalog.projects.add_source(project.id, Source(kind, str(path), request.recursive))
            source = str(path)
        elif not sources and not request.force_rebuild and not self._catalog.documents.known_files(project.id):
            raise CiteLoomError(
                Code.INVALID_INPUT,
                f"Project '{project.id}' has no sources yet.",
                f"Add a folder or a part of Zotero; on the command line: citeloom ingest {project.id} FOLDER.",
            )
        references = request.references_path
        if references:
            file = allowed_path(references, sources, project.references_path) if by_agent else existing(references)
            references = str(file)
            if not by_agent:
                self._catalog.projects.set_references_path(project.id, references)
        if not by_agent:
            self._sources_changed()
        metadata = read_metadata(request.metadata)
        if metadata and (source is None or is_zotero(source) or (not is_address(source) and Path(source).is_dir())):
            raise CiteLoomError(
                Code.INVALID_INPUT, "metadata describes one file, not a folder.", "Name the file it belongs to."
            )
        job_request = ImportRequest(
            project.id,
            source,
            recursive=request.recursive,
            references_path=references,
            force_rebuild=request.force_rebuild,
            embedded=request.embedded and not by_agent,
            allow_mass_removal=request.remove_missing and not by_agent,
            metadata=metadata,
            ocr_languages=request.ocr_languages,
            retry_failed=request.retry_failed,
        )
        return self._jobs.submit(job_request, is_poll=by_agent)

    def _zotero_part(
        self, project_id: str, source: str, sources: Sequence[Source], *, recursive: bool, by_agent: bool
    ) -> str:
        """Resolve the part of Zotero in a request: an agent's must be in the project, a person's is added to it."""
        if by_agent or source == "zotero":
            return self._zotero.allowed_part(source, sources, recursive=recursive)
        name, tags = parse_source(source)
        part = self._zotero.part(name, recursive=recursive, tags=tags)
        for known in sources:
            if known.kind == "zotero" and same_part(known.path, part.path):
                return known.path
        self._catalog.projects.add_source(project_id, part)
        return part.path

    def sync_if_needed(self, project_id: str) -> None:
        """Sync a project if its sources have changed; raise an error if Zotero could not be read."""
        request = ImportRequest(project_id, watched=True)
        made = self._plan(request)
        unfinished = self._catalog.documents.any_without_vectors(project_id)
        if made.changes_anything or unfinished or self._references_changed(project_id):
            self._jobs.submit(request, plan=made)
        for source, problem in made.found.problems.items():
            if problem.code == Code.ZOTERO_UNAVAILABLE:
                raise problem
            log.warning("%s: %s: %s", project_id, source, problem)

    def _references_changed(self, project_id: str) -> bool:
        project = self._catalog.projects.get(project_id)
        if not project.references_path:
            return False
        try:
            load_references(Path(project.references_path))
        except CiteLoomError as error:
            log.warning("the references of %s could not be read: %s", project_id, error)
            return False
        return hash_file(Path(project.references_path)) != project.references_hash

    @handles(PreviewSync)
    def preview_sync(self, request: PreviewSync) -> SyncPreview:
        """Return what a sync of a project would do; nothing is written."""
        project = self._catalog.projects.get(request.project)
        return self._preview(ImportRequest(project.id, retry_failed=request.retry_failed))

    def _plan(self, request: ImportRequest) -> ImportPlan:
        """Plan an import; nothing is written, converted or embedded."""
        return Discovery(ImportState(self._context, request, lambda progress: None, threading.Event())).make_plan()

    def _preview(self, request: ImportRequest) -> SyncPreview:
        """Describe what an import would do, document by document."""
        made = self._plan(request)
        found, plan = made.found, made.plan
        documents, project_id = self._catalog.documents, request.project_id
        candidates = [*plan.to_read, *plan.other_record]
        known = {d.source: d for file in candidates if (d := documents.find(project_id, source=file.source))}
        removed = [d for doc_id in (*plan.removed, *plan.disallowed) if (d := documents.find(project_id, doc_id))]
        missing = [*plan.without_file, *(file for file in plan.to_read if file.missing)]
        to_read = [file for file in plan.to_read if not file.missing]
        searchable = {source for source, d in known.items() if d.state in (State.READY, State.DUPLICATE)}
        updated = [(file, known[file.source]) for file in plan.other_record if file.source in known]
        return SyncPreview(
            project=project_id,
            added=[PlannedDocument(*_named(file)) for file in to_read if file.source not in searchable],
            changed=[PlannedDocument(*_named(file)) for file in to_read if file.source in searchable],
            updated=[UpdatedDocument(*_named(file), _old_key(document, file)) for file, document in updated],
            without_file=[DocumentWithoutFile(*_named(file), file.missing) for file in missing],
            removed=[
                PlannedDocument(shown_source(document), document.citekey, document.title)
                for document in removed
                if document.state != State.WITHOUT_FILE
            ],
            unchanged=len(set(plan.unchanged) - {document.doc_id for _, document in updated}),
            needs_confirmation=plan.removes_many,
            problems=[SourceProblem(source, str(error.code), str(error)) for source, error in found.problems.items()],
            warnings=found.warnings,
        )


def start_import(
    context: ImportContext, job: Job, plan: object, report: ReportProgress, stop: threading.Event
) -> JobWork:
    """Return the work of an import job, by a plan that was made for it if there is one."""
    request = ImportRequest(**job.request)
    faults.point("import.begin", request.project_id)
    if request.force_rebuild:
        return RebuildRun(context, request, report, stop)
    made = plan if isinstance(plan, ImportPlan) else None
    return ImportRun(context, request, made, report, stop, resumed=job.resumed)


def _named(file: FoundFile) -> tuple[str, str, str]:
    """Return source, citekey and title of a file."""
    record = file.item.record if file.item else None
    return file.source, record.citekey if record else "", record.title if record else ""


def _old_key(document: Document, file: FoundFile) -> str:
    """Return the old citekey of a document, if it gets a new one."""
    return document.citekey if file.item and document.citekey != file.item.record.citekey else ""
