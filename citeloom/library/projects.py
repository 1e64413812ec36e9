"""Projects: made, given more or less to read, described, removed."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from citeloom.bibliography.references import load_references
from citeloom.catalog.projects import Project, Source, collection_name
from citeloom.core import fault_injection as faults
from citeloom.core.errors import CiteLoomError, Code
from citeloom.core.jobs import JobQueue
from citeloom.importing.importer import Importer
from citeloom.importing.index_location import place_of
from citeloom.importing.requests import ImportRequest
from citeloom.importing.sources.allowed import existing
from citeloom.importing.zotero_service import ZoteroService
from citeloom.library.indexes import Indexes
from citeloom.zotero.cached_source import one_round


class ProjectService:
    """Where projects are looked after."""

    def __init__(
        self,
        importer: Importer,
        indexes: Indexes,
        jobs: JobQueue,
        zotero: ZoteroService,
        sources_changed: Callable[[], None],
    ) -> None:
        self._catalog = importer.catalog
        self._collections = importer.collections
        self._models = importer.models
        self._chosen = importer.settings.models
        self._server = importer.settings.index.server
        self._default = importer.settings.default_project
        self._indexes = indexes
        self._jobs = jobs
        self._zotero = zotero
        self._sources_changed = sources_changed

    def add(
        self, project_id: str, references: str | None, folders: Sequence[str], zotero: Sequence[Mapping[str, Any]] = ()
    ) -> dict[str, Any]:
        """A new project with the folders and the parts of Zotero that it may read."""
        faults.point("library.project_add", project_id)
        collection_name(project_id)  # a name that cannot be is said before Zotero is asked
        sources = self._sources(folders, zotero)
        warnings: tuple[str, ...] = ()
        count = None
        if references:
            references = str(existing(references))
            loaded = load_references(Path(references))
            warnings, count = loaded.warnings, len(loaded.records)
        info = self._models.info(self._chosen.dense)
        sparse = self._chosen.sparse
        if sparse:
            self._models.sparse(sparse)
        if self._server:
            self._collections.version_of(self._server)
        with self._collections.opening(collection_name(project_id)):
            # The row is written first, with everything in it: on a server, nobody could tell whose a collection without
            # one is. Where a kill comes before the collection is there, the next opening makes it.
            project = self._catalog.projects.add(
                project_id,
                references,
                {
                    "dense_model": info.name,
                    "dense_fingerprint": info.fingerprint,
                    "dense_size": info.size,
                    "sparse_model": sparse,
                },
                self._server,
                sources,
            )
            try:
                faults.point("library.project_added", project_id)
                self._collections.put_aside(project.collection)
                self._indexes.create(project)
            except BaseException:
                self._catalog.projects.remove(project.id)
                raise
        self._sources_changed()
        return {**self.show(project.id), "records": count, "warnings": list(warnings)}

    def allow(self, project_id: str, folders: Sequence[str], zotero: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
        """Let a project read more."""
        project = self._catalog.projects.get(project_id)
        for source in self._sources(folders, zotero):
            self._catalog.projects.add_source(project.id, source)
        self._sources_changed()
        return self.show(project.id)

    def disallow(self, project_id: str, name: str) -> dict[str, Any]:
        """Take a source off a project's list, by its path or by what it is called; its documents go with it."""
        project = self._catalog.projects.get(project_id)
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
        self._sources_changed()
        job = self._jobs.submit(ImportRequest(project.id))
        return {**self.show(project.id), "job_id": job.id, "disallowed": found[0].label or found[0].path}

    def _sources(self, folders: Sequence[str], zotero: Sequence[Mapping[str, Any]]) -> list[Source]:
        sources = [Source("folder", str(existing(f))) for f in folders]
        for source in sources:
            if not Path(source.path).is_dir():
                raise CiteLoomError(
                    Code.INVALID_INPUT,
                    f"{source.path} is not a folder.",
                    "Choose a folder; single files are imported by name.",
                )
        with one_round():  # the libraries are read once, however many of their collections are named
            return sources + [
                self._zotero.part(
                    part["words"],
                    library=part.get("library"),
                    recursive=bool(part.get("recursive", True)),
                    tags=part.get("tags") or (),
                )
                for part in zotero
            ]

    def only(self, visible: frozenset[str] | None = None) -> Project:
        """The project that is meant where none is named: the default one, or the only one."""
        projects = {p.id: p for p in self._catalog.projects.all() if visible is None or p.id in visible}
        default = self._default
        if default in projects:
            return projects[default]
        if len(projects) == 1:
            return next(iter(projects.values()))
        if not projects and visible is None and (lost := self._indexes.lost()):
            raise lost
        raise CiteLoomError(
            Code.INVALID_PROJECT,
            "No project is named." if projects else "There is no project yet.",
            f"Choose one of: {', '.join(projects)}."
            if projects
            else "Make one: citeloom project add ID --zotero COLLECTION.",
            choices=list(projects),
        )

    def all(self, visible: frozenset[str] | None = None) -> list[dict[str, Any]]:
        """Every project that the asker may see."""
        return [self._summary(p) for p in self._catalog.projects.all() if visible is None or p.id in visible]

    def show(self, project_id: str) -> dict[str, Any]:
        """A project with its sources, coverage and size."""
        project = self._catalog.projects.get(project_id)
        return {
            **self._summary(project),
            "references": project.references_path,
            "sources": [asdict(s) for s in self._catalog.projects.sources(project.id)],
            "server": project.server or None,
            "bytes": self._collections.size_on_disk(project.collection),
            "created_at": project.created_at,
            "jobs": self._jobs.busy(project.id),
            "last_jobs": [
                {
                    "job_id": j.id,
                    "state": j.state,
                    "created_at": j.created_at,
                    "source": j.request.get("source"),
                }
                for j in self._catalog.jobs.latest(project.id, 5)
            ],
        }

    def remove(self, project_id: str) -> dict[str, Any]:
        """Delete a project's index and rows. The researcher's files are not touched."""
        project = self._catalog.projects.get(project_id)
        summary = self._summary(project)
        self._jobs.drop(project_id)
        note = self._indexes.remove(project)
        self._sources_changed()
        return {**summary, "note": note}

    def inspect(self, project: Project, sample: int) -> dict[str, Any]:
        """What a project's collection is made of."""
        if not 0 <= sample <= 5:
            raise CiteLoomError(Code.INVALID_INPUT, f"sample is {sample}.", "Ask for 0 to 5 sample payloads.")
        collection = self._indexes.open(project)
        one = collection.any_passages(max(1, sample))
        return {
            **self._summary(project),
            "project": project.id,
            "size": collection.count(),
            "named_vectors": ["dense", *(["sparse"] if project.hybrid_enabled else [])],
            "payload_keys": sorted(one[0].payload) if one else [],
            "indexes": collection.indexes(),
            "storage": {
                "kind": "server" if project.server else "embedded",
                "bytes": self._collections.size_on_disk(project.collection),
                "waiting_for_graph": project.without_graph,
            },
            "jobs": self._jobs.busy(project.id),
            "sample_payloads": [h.payload for h in one[:sample]],
        }

    def _summary(self, project: Project) -> dict[str, Any]:
        coverage = self._catalog.documents.coverage(project.id)
        problem = self._collections.problem(place_of(project))
        return {
            **({"problem": problem.message} if problem else {}),
            "id": project.id,
            "collection": project.collection,
            "dense_model": project.dense_model,
            "sparse_model": project.sparse_model or None,
            "hybrid_enabled": project.hybrid_enabled,
            "document_count": coverage["documents"],
            "chunk_count": self._catalog.documents.chunk_count(project.id),
            "coverage": coverage,
        }
