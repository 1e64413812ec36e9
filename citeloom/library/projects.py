"""Request handlers for projects: create, change their sources, describe, remove."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from citeloom.api.library import (
    AddProject,
    AllowSources,
    CollectionDetails,
    CollectionStorage,
    DisallowedSource,
    DisallowSource,
    InspectCollection,
    ListProjects,
    NewProject,
    ProjectDetails,
    ProjectSummary,
    RecentJob,
    RemovedProject,
    RemoveProject,
    ShowProject,
    ZoteroPart,
)
from citeloom.api.verbs import handles
from citeloom.bibliography.references import load_references
from citeloom.catalog import Catalog
from citeloom.catalog.projects import Project, collection_name
from citeloom.core import fault_injection as faults
from citeloom.core.errors import CiteLoomError, Code
from citeloom.core.jobs import JobQueue
from citeloom.core.settings import Settings
from citeloom.core.types import Source
from citeloom.importing.requests import ImportRequest
from citeloom.importing.sources.allowed import existing
from citeloom.importing.zotero_service import ZoteroService
from citeloom.index.models.embedding import ModelRegistry
from citeloom.index.registry import Collections
from citeloom.search.indexes import Indexes
from citeloom.zotero.cached_source import source_cache

_RECENT_JOBS = 5


@dataclass
class ProjectService:
    """Creates, changes, describes and removes projects."""

    _catalog: Catalog
    _collections: Collections
    _indexes: Indexes
    _models: ModelRegistry
    _settings: Settings
    _jobs: JobQueue
    _zotero: ZoteroService
    _sources_changed: Callable[[], None]

    @handles(AddProject)
    def add_project(self, request: AddProject) -> NewProject:
        """Create a project with the folders and the parts of Zotero that it may read."""
        faults.point("library.project_add", request.project)
        name = collection_name(request.project)  # rejects an invalid id before Zotero is queried
        sources = self._sources(request.folders, request.zotero)
        warnings: list[str] = []
        references, records = request.references, None
        if references:
            references = str(existing(references))
            loaded = load_references(Path(references))
            warnings, records = list(loaded.warnings), len(loaded.records)
        info = self._models.info(self._settings.models.dense)
        if sparse := self._settings.models.sparse:
            self._models.sparse(sparse)
        if server := self._settings.index.server:
            self._collections.server(server).check()
        with self._collections.opening(name):
            # The complete row is written first: on a server, the owner of a collection without a row would be unknown.
            # After a kill before the collection is created, the next opening creates it.
            project = self._catalog.projects.add(
                request.project,
                references,
                {
                    "dense_model": info.name,
                    "dense_fingerprint": info.fingerprint,
                    "dense_size": info.size,
                    "sparse_model": sparse,
                },
                server,
                sources,
            )
            try:
                faults.point("library.project_added", request.project)
                self._collections.archive_orphan(project.collection)
                self._indexes.create(project)
            except BaseException:
                self._catalog.projects.remove(project.id)
                raise
        self._sources_changed()
        return NewProject(**self._details(project.id), records=records, warnings=warnings)

    @handles(AllowSources)
    def allow_sources(self, request: AllowSources) -> ProjectDetails:
        """Add sources to a project."""
        project = self._catalog.projects.get(request.project)
        for source in self._sources(request.folders, request.zotero):
            self._catalog.projects.add_source(project.id, source)
        self._sources_changed()
        return ProjectDetails(**self._details(project.id))

    @handles(DisallowSource)
    def disallow_source(self, request: DisallowSource) -> DisallowedSource:
        """Remove a source from a project, by path or label, with its documents."""
        project, name = self._catalog.projects.get(request.project), request.source
        sources = self._catalog.projects.sources(project.id)
        found = [s for s in sources if name in (s.path, s.label)]
        if len(found) != 1:
            names = [s.label or s.path for s in sources]
            raise CiteLoomError(
                Code.INVALID_INPUT,
                f"Project '{project.id}' reads {'several sources' if found else 'nothing'} called '{name[:100]}'.",
                f"It reads: {', '.join(s.path for s in found) or ', '.join(names) or 'nothing'}.",
                choices=[s.path for s in found] or names,
            )
        self._catalog.projects.remove_source(project.id, found[0].path)
        removed = found[0]
        # Imports in progress know its files.
        self._jobs.stop_imports(project.id, lambda name: name == removed.path or removed.contains(Path(name)))
        self._sources_changed()
        job = self._jobs.submit(ImportRequest(project.id))
        disallowed = removed.label or removed.path
        return DisallowedSource(**self._details(project.id), job_id=job.id, disallowed=disallowed)

    def _sources(self, folders: Sequence[str], zotero: Sequence[ZoteroPart]) -> list[Source]:
        sources = [Source("folder", str(existing(f))) for f in folders]
        for source in sources:
            if not Path(source.path).is_dir():
                raise CiteLoomError(
                    Code.INVALID_INPUT,
                    f"{source.path} is not a folder.",
                    "Choose a folder; single files are imported by name.",
                )
        with source_cache():  # each library is read once, however many of its collections are named
            return sources + [
                self._zotero.part(part.name, library=part.library, recursive=part.recursive, tags=part.tags)
                for part in zotero
            ]

    def default_project(self, visible: frozenset[str] | None = None) -> Project:
        """Return the default project: the one of the settings, or the only one."""
        projects = {p.id: p for p in self._catalog.projects.all() if visible is None or p.id in visible}
        default = self._settings.default_project
        if default in projects:
            return projects[default]
        if len(projects) == 1:
            return next(iter(projects.values()))
        if not projects and visible is None and (orphaned := self._indexes.orphaned_error()):
            raise orphaned
        raise CiteLoomError(
            Code.INVALID_PROJECT,
            "No project is named." if projects else "There is no project yet.",
            f"Choose one of: {', '.join(projects)}."
            if projects
            else "Make one: citeloom project add ID --zotero COLLECTION.",
            choices=list(projects),
        )

    @handles(ListProjects)
    def list_projects(self, request: ListProjects) -> list[ProjectSummary]:
        """Return all projects, or those with the given ids."""
        projects = (p for p in self._catalog.projects.all() if request.only is None or p.id in request.only)
        return [ProjectSummary(**self._summary(p)) for p in projects]

    @handles(ShowProject)
    def show_project(self, request: ShowProject) -> ProjectDetails:
        """Return a project with its sources, coverage and size."""
        return ProjectDetails(**self._details(request.project))

    @handles(RemoveProject)
    def remove_project(self, request: RemoveProject) -> RemovedProject:
        """Delete the index and the rows of a project, not the researcher's files."""
        project = self._catalog.projects.get(request.project)
        summary = self._summary(project)
        self._jobs.cancel_project(project.id)
        note = self._indexes.remove(project)
        self._sources_changed()
        if notes := self._catalog.notes.count(project.id):
            kept = f"The notes of the project stay ({notes}): 'citeloom notes list --project {project.id}'."
            note = f"{note} {kept}" if note else kept
        return RemovedProject(**summary, note=note)

    @handles(InspectCollection)
    def inspect_collection(self, request: InspectCollection) -> CollectionDetails:
        """Describe the collection of a project."""
        if not 0 <= request.sample <= 5:
            raise CiteLoomError(Code.INVALID_INPUT, f"sample is {request.sample}.", "Ask for 0 to 5 sample payloads.")
        project = self._catalog.projects.get(request.project)
        collection = self._indexes.open(project)
        passages = collection.any_passages(max(1, request.sample))
        on_disk_vectors, on_disk_hnsw = collection.on_disk()
        return CollectionDetails(
            **self._summary(project),
            project=project.id,
            size=collection.count(),
            named_vectors=["dense", *(["sparse"] if project.hybrid_enabled else [])],
            payload_keys=sorted(passages[0].payload) if passages else [],
            indexes=collection.indexes(),
            storage=CollectionStorage(
                kind="server" if project.server else "embedded",
                bytes=self._collections.size_on_disk(project.collection),
                waiting_for_graph=project.without_graph,
                on_disk_vectors=on_disk_vectors,
                on_disk_hnsw=on_disk_hnsw,
            ),
            jobs=list(self._jobs.unfinished(project.id)),
            sample_payloads=[passage.payload for passage in passages[: request.sample]],
        )

    def _summary(self, project: Project) -> dict[str, Any]:
        """Return the fields of `ProjectSummary`."""
        coverage = self._catalog.documents.coverage(project.id)
        problem = self._collections.problem(project.index_location)
        return {
            "id": project.id,
            "collection": project.collection,
            "dense_model": project.dense_model,
            "sparse_model": project.sparse_model or None,
            "hybrid_enabled": project.hybrid_enabled,
            "document_count": coverage.documents,
            "chunk_count": self._catalog.documents.chunk_count(project.id),
            "coverage": coverage,
            "problem": problem.message if problem else None,
        }

    def _details(self, project_id: str) -> dict[str, Any]:
        """Return the fields of `ProjectDetails`."""
        project = self._catalog.projects.get(project_id)
        return {
            **self._summary(project),
            "references": project.references_path,
            "sources": self._catalog.projects.sources(project.id),
            "server": project.server or None,
            "bytes": self._collections.size_on_disk(project.collection),
            "created_at": project.created_at,
            "jobs": list(self._jobs.unfinished(project.id)),
            "last_jobs": [
                RecentJob(job_id=j.id, state=j.state, created_at=j.created_at, source=j.request.get("source"))
                for j in self._catalog.jobs.latest(project.id, _RECENT_JOBS)
            ],
        }
