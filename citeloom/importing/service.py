"""What may be imported, by whom: the way from a request to its job."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from citeloom.bibliography.references import load_references
from citeloom.catalog.projects import Project
from citeloom.core.errors import CiteLoomError, Code
from citeloom.core.jobs import Job, JobQueue, Progress
from citeloom.core.settings import Settings
from citeloom.core.types import Record, Source
from citeloom.importing.importer import Importer
from citeloom.importing.preview import anything_to_do
from citeloom.importing.requests import ImportRequest
from citeloom.importing.sources.allowed import allowed_path, check_kind, existing
from citeloom.importing.sources.folder import hash_file
from citeloom.importing.sources.web_address import is_address, web_address
from citeloom.importing.stages.match import METADATA_KEYS, with_metadata
from citeloom.importing.zotero_service import ZoteroService, is_zotero, same_part

log = logging.getLogger(__name__)


class ImportService:
    """Takes requests for imports."""

    def __init__(
        self,
        importer: Importer,
        jobs: JobQueue,
        zotero: ZoteroService,
        settings: Settings,
        sources_changed: Callable[[], None],
    ) -> None:
        self._importer = importer
        self._catalog = importer.catalog
        self._jobs = jobs
        self._zotero = zotero
        self._settings = settings
        self._sources_changed = sources_changed

    def ingest(
        self,
        project: Project,
        source: str | None,
        options: Mapping[str, Any],
        *,
        by_agent: bool,
    ) -> Job:
        """Queue an import. An agent may name only what the researcher allowed; a person allows by naming."""
        sources = self._catalog.projects.sources(project.id)
        if source is not None and is_zotero(source):
            source = self._part_of_zotero(project, source, options, by_agent=by_agent)
        elif source is not None and is_address(source):
            web_address(source)
            if by_agent and not self._settings.privacy.agents_may_fetch:
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
                if not any(s.holds(path) for s in sources):
                    recursive = bool(options.get("recursive", True))
                    self._catalog.projects.add_source(project.id, Source(kind, str(path), recursive))
            source = str(path)
        elif not sources and not options.get("force_rebuild") and not self._catalog.documents.known_files(project.id):
            raise CiteLoomError(
                Code.INVALID_INPUT,
                f"Project '{project.id}' reads nothing yet.",
                f"Give it a folder or a part of Zotero; on the command line: citeloom ingest {project.id} FOLDER.",
            )
        references = options.get("references_path")
        if references:
            file = allowed_path(references, sources, project.references_path) if by_agent else existing(references)
            references = str(file)
            if not by_agent:
                self._catalog.projects.name_references(project.id, references)
        if not by_agent:
            self._sources_changed()
        metadata = dict(options.get("metadata") or {})
        if metadata and (source is None or is_zotero(source) or (not is_address(source) and Path(source).is_dir())):
            raise CiteLoomError(
                Code.INVALID_INPUT, "metadata describes one file, not a folder.", "Name the file it belongs to."
            )
        unknown = set(metadata) - set(METADATA_KEYS)
        if unknown:
            raise CiteLoomError(
                Code.INVALID_INPUT,
                f"metadata has no {str(min(unknown))[:60]!r}.",
                f"It can have: {', '.join(METADATA_KEYS)}.",
                valid=list(METADATA_KEYS),
            )
        with_metadata(Record(citekey=""), metadata)
        request = ImportRequest(
            project.id,
            source,
            recursive=bool(options.get("recursive", True)),
            references_path=references,
            force_rebuild=bool(options.get("force_rebuild", False)),
            embedded=bool(options.get("embedded", False)) and not by_agent,
            allow_mass_removal=bool(options.get("remove_missing", False)) and not by_agent,
            metadata=metadata,
            ocr_languages=list(options.get("ocr_languages") or []),
            retry_failed=bool(options.get("retry_failed", False)),
        )
        return self._jobs.submit(request, owed_first=by_agent)

    def _part_of_zotero(self, project: Project, source: str, options: Mapping[str, Any], *, by_agent: bool) -> str:
        """The part of Zotero that was named; an agent's is within the project, a person's is added to it."""
        recursive = bool(options.get("recursive", True))
        if by_agent or source == "zotero":
            allowed = self._catalog.projects.sources(project.id)
            return self._zotero.part_within(source, allowed, recursive=recursive)
        part = self._zotero.part_named(source, recursive=recursive)
        have = next((s for s in self._catalog.projects.sources(project.id) if same_part(s.path, part.path)), None)
        if have:
            return have.path
        self._catalog.projects.add_source(project.id, part)
        return part.path

    def sync_if_needed(self, project_id: str) -> None:
        """Sync a project that is seen to have changed; raises where Zotero could not be read, to be tried again."""
        request = ImportRequest(project_id, watched=True)
        plan = self._importer.preview(request)
        if anything_to_do(plan) or self._other_references(project_id):
            self._jobs.submit(request)
        for problem in plan["problems"]:
            if problem["code"] == Code.ZOTERO_UNAVAILABLE:
                raise CiteLoomError(Code.ZOTERO_UNAVAILABLE, problem["reason"])
            log.warning("%s: %s: %s", project_id, problem["source"], problem["reason"])

    def _other_references(self, project_id: str) -> bool:
        project = self._catalog.projects.get(project_id)
        if not project.references_path:
            return False
        try:
            load_references(Path(project.references_path))
        except CiteLoomError as error:
            log.warning("the references of %s are left as they were: %s", project_id, error)
            return False
        return hash_file(Path(project.references_path)) != project.references_hash

    def preview(self, project: Project, *, retry_failed: bool = False) -> dict[str, Any]:
        """What a sync of a project would do; nothing is written."""
        return self._importer.preview(ImportRequest(project.id, retry_failed=retry_failed))

    def answer(self, job_id: str, finished: Job | None, progress: Progress | None) -> dict[str, Any]:
        """What became of an import, or how far it has come."""
        if finished is None:
            return {"job_id": job_id, "status": "running", **_progress(progress)}
        if finished.state == "failed":
            raise CiteLoomError.from_dict(finished.result["error"])
        return {"job_id": job_id, "status": finished.state, **finished.result}


def _progress(progress: Progress | None) -> dict[str, Any]:
    return asdict(progress) if progress else {"total": 0, "searchable": 0, "done": 0, "stage": "queued"}
