"""Diagnostics (`citeloom doctor`): checks every part of the engine and says how to fix problems."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from citeloom.api.maintenance import CheckServer, CheckUp, HealthFinding
from citeloom.api.verbs import handles
from citeloom.catalog import Catalog
from citeloom.catalog.documents import State
from citeloom.conversion.limits import Limits
from citeloom.conversion.pool import WorkerPool
from citeloom.core import data_folder, paths
from citeloom.core.errors import CiteLoomError, Code, unexpected
from citeloom.core.settings import Settings
from citeloom.importing.sources.names import shown_source
from citeloom.importing.zotero_service import ZoteroService
from citeloom.index.models.embedding import ModelRegistry
from citeloom.maintenance.index_service import IndexService
from citeloom.search.indexes import Indexes, rebuild_step

_MAX_NAMED = 3  # failed documents per project


@dataclass
class Doctor:
    """Checks the parts of the engine."""

    _settings: Settings
    _catalog: Catalog
    _indexes: Indexes
    _models: ModelRegistry
    _workers: WorkerPool
    _zotero: ZoteroService
    _index_service: IndexService
    _settings_problem: Callable[[], str | None]  # why the settings file is not used

    @handles(CheckUp)
    def check_up(self, request: CheckUp) -> list[HealthFinding]:
        """Check every part, and list the documents that could not be read."""
        checks: list[tuple[str, Callable[[], str]]] = [
            ("data folder", self._check_data_folder),
            ("settings", self._check_settings),
            ("catalog", self._check_catalog),
            ("dense model", self._check_dense_model),
            ("sparse model", self._check_sparse_model),
            ("converter", self._check_converter),
            ("Zotero", self._check_zotero),
        ]
        if self._index_service.servers():
            checks.append(("Qdrant server", self._check_servers))
        projects = [project.id for project in self._catalog.projects.all()]
        checks += [(f"project {project}", partial(self._check_project, project)) for project in projects]
        notes = (self._failed_documents(project) for project in projects)
        return [*(_finding(part, check) for part, check in checks), *(note for note in notes if note)]

    def _check_data_folder(self) -> str:
        data_folder.prepare()
        folder = Path(paths.folders().data)
        probe = folder / ".doctor"
        try:
            probe.write_text("ok")
            probe.unlink()
        except OSError as error:
            raise data_folder.unusable(OSError(error.errno, error.strerror, str(folder))) from error
        free = data_folder.free_bytes(folder) // 1_000_000
        least = self._settings.engine.min_free_mb
        if free < least:
            raise _error(f"{folder}: only {free} MB free", f"Free some disk space; imports stop below {least} MB.")
        return f"{folder}, {free:,} MB free"

    def _check_settings(self) -> str:
        file = Path(paths.settings_file())
        if problem := self._settings_problem():
            raise _error(problem, "Until then, the earlier settings are used.")
        return f"{file}" if file.exists() else f"defaults ({file} does not exist, and is not needed)"

    def _check_catalog(self) -> str:
        state = self._catalog.db.check()
        if state != "ok":
            raise _error(
                f"catalog is damaged: {state}", "Stop the engine and replace it by one of the copies in its folder."
            )
        if orphaned := self._indexes.orphaned_error():
            raise orphaned
        return f"{len(self._catalog.projects.all())} projects"

    def _check_dense_model(self) -> str:
        name = self._settings.models.dense
        model = self._models.fastest_dense(name, try_again=True)
        model.embed_query(f"doctor {time.perf_counter()}")  # a text that is not cached
        info = model.info
        runtime = self._models.runtime(name)
        return f"{info.name}: {info.size} dimensions, reads {info.max_tokens} tokens; by {runtime}"

    def _check_sparse_model(self) -> str:
        name = self._settings.models.sparse
        if not name:
            return "switched off; hybrid search is not available to new projects"
        self._models.sparse(name).embed_query("doctor")
        return f"{name}, {self._settings.models.language}"

    def _check_converter(self) -> str:
        probe = Path(paths.folders().data) / ".doctor.md"
        probe.write_text("# Doctor\n\nA sentence.\n", encoding="utf-8")
        try:
            reply = self._workers.convert_in_own_process(
                {"path": str(probe), "cache_file": None, "tokenizer": None, "max_tokens": 256, "use_cache": False},
                Limits(60),
            )
        finally:
            probe.unlink(missing_ok=True)
        # The layout models, and the OCR engines with their languages.
        about = self._workers.convert_in_own_process({"about": True}, Limits(60))["about"]
        return "; ".join(
            [
                reply["converted"]["converter"],
                *(f"{part}: {about[part]}" for part in ("layout", "tables")),
                *(f"OCR by {name}: {languages}" for name, languages in about["ocr"].items()),
                f"{self._workers.count} at a time",
            ]
        )

    def _check_zotero(self) -> str:
        """Check the access to Zotero; without access, it is a problem only if a project needs it."""
        try:
            return self._zotero.describe_access()
        except CiteLoomError as error:
            if self._catalog.projects.with_zotero_source():
                raise
            return f"no project reads it ({error.message.rstrip('.')})"

    def _check_servers(self) -> str:
        """Check whether the servers with indexes can be used with the stored key."""
        service = self._index_service
        versions = [
            f"{address}: Qdrant {service.check_server(CheckServer(address=address)).version}"
            for address in service.servers()
        ]
        locations = {"keyring": "key in the keyring", "environment": "key from the environment"}
        return "; ".join([*versions, locations.get(service.key_location() or "", "no key")])

    def _check_project(self, project_id: str) -> str:
        project, collections = self._catalog.projects.get(project_id), self._indexes.collections
        collections.forget_damage(project.index_location)
        collection = self._indexes.open(project)
        added = collection.add_missing_indexes()
        if collection.vectors() != (project.dense_size, project.hybrid_enabled):
            raise _error("the index has vectors of other models than the project's", rebuild_step(project_id))
        passages = collection.count()
        coverage = self._catalog.documents.coverage(project_id)
        expected = self._catalog.documents.chunk_count(project_id)
        if passages != expected:
            raise _error(f"the index has {passages} passages, the catalog {expected}", rebuild_step(project_id))
        sources = self._catalog.projects.sources(project_id)
        missing = [s.path for s in sources if s.kind != "zotero" and not Path(s.path).exists()]
        if missing:
            raise _error(
                f"missing: {', '.join(missing)}",
                "Connect the drive, or remove the folder from the project;"
                f" on the command line: citeloom project disallow {project_id} FOLDER.",
            )
        size = f"{collections.size_on_disk(project.collection) / 1_000_000:,.0f} MB"
        where = f"on {project.server}" if project.server else size
        seen = f"{coverage.searchable} of {coverage.documents} documents searchable, {passages} passages, {where}"
        return f"{seen}; indexes for filters were missing and were created: {', '.join(added)}" if added else seen

    def _failed_documents(self, project_id: str) -> HealthFinding | None:
        """Return a finding on documents that could not be read, naming the first few; None if there are none."""
        try:
            ids, count = self._catalog.documents.page(project_id, state=State.FAILED, limit=_MAX_NAMED)
            failed = self._catalog.documents.by_ids(project_id, ids)
        except CiteLoomError:
            return None  # reported by the check of the project
        if not count:
            return None
        named = "; ".join(f"{shown_source(one)}: {(one.reason or str(one.reason_code)).rstrip('.')}" for one in failed)
        more = f"; and {count - len(failed)} more" if count > len(failed) else ""
        return HealthFinding(
            part=f"documents of {project_id}",
            ok=True,
            note=True,
            seen=f"{count} could not be read: {named}{more}",
            next_step="When the cause is fixed, try them again; on the command line:"
            f" citeloom sync {project_id} --retry. All of them: citeloom documents {project_id}.",
        )


def _finding(part: str, check: Callable[[], str]) -> HealthFinding:
    try:
        return HealthFinding(part, ok=True, note=False, seen=check(), next_step="")
    except Exception as error:
        problem = unexpected(error)
        return HealthFinding(part, ok=False, note=False, seen=problem.message, next_step=problem.next_step)


def _error(seen: str, next_step: str) -> CiteLoomError:
    return CiteLoomError(Code.STORAGE_ERROR, seen, next_step)
