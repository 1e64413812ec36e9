"""Looks at every part of the engine and says how to mend what is not well."""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from citeloom.catalog.documents import State
from citeloom.conversion.limits import Limits
from citeloom.core import data_folder, paths
from citeloom.core.errors import CiteLoomError, Code
from citeloom.engine.container import Service
from citeloom.importing.ids import shown_source
from citeloom.importing.index_location import place_of

_NAMED = 3  # failed documents of a project


def examine(service: Service) -> list[dict[str, Any]]:
    """The findings, part by part: `ok`, what was seen, and the next step where something is wrong.

    A `note` is about documents that could not be read: every part works, but somebody should know.
    """
    checks: list[tuple[str, Callable[[], str]]] = [
        ("data folder", lambda: _data_folder(service)),
        ("settings", lambda: _settings(service)),
        ("catalog", lambda: _catalog(service)),
        ("dense model", lambda: _dense(service)),
        ("sparse model", lambda: _sparse(service)),
        ("converter", lambda: _converter(service)),
        ("Zotero", lambda: _zotero(service)),
    ]
    if service.index_desk.servers():
        checks.append(("Qdrant server", lambda: _servers(service)))
    projects = [p.id for p in service.catalog.projects.all()]
    checks += [(f"project {project}", partial(_project, service, project)) for project in projects]
    notes = (_failed_documents(service, project) for project in projects)
    return [*(_check(name, look) for name, look in checks), *(note for note in notes if note)]


def _check(name: str, look: Callable[[], str]) -> dict[str, Any]:
    try:
        return {"part": name, "ok": True, "note": False, "seen": look(), "next_step": ""}
    except CiteLoomError as error:
        return {"part": name, "ok": False, "note": False, "seen": error.message, "next_step": error.next_step}
    except Exception as error:
        return {
            "part": name,
            "ok": False,
            "note": False,
            "seen": f"{type(error).__name__}: {error}",
            "next_step": "See the engine's log.",
        }


def _problem(seen: str, next_step: str) -> CiteLoomError:
    return CiteLoomError(Code.STORAGE_ERROR, seen, next_step)


def _data_folder(service: Service) -> str:
    data_folder.prepare()
    folder = Path(paths.folders().data)
    probe = folder / ".doctor"
    try:
        probe.write_text("ok")
        probe.unlink()
    except OSError as error:
        raise _problem(
            f"{folder} cannot be written: {error.strerror}", "Give yourself the right to write there."
        ) from error
    free = shutil.disk_usage(folder).free // 1_000_000
    least = service.settings.engine.min_free_mb
    if free < least:
        raise _problem(f"{folder}: only {free} MB free", f"Free some space; imports stop below {least} MB.")
    return f"{folder}, {free:,} MB free"


def _settings(service: Service) -> str:
    file = Path(paths.settings_file())
    if service.lifetime.settings_problem:
        raise _problem(service.lifetime.settings_problem, "Until then, the settings from before are in force.")
    return f"{file}" if file.exists() else f"defaults ({file} is not there, and need not be)"


def _catalog(service: Service) -> str:
    word = service.catalog.db.check()
    if word != "ok":
        raise _problem(f"catalog is damaged: {word}", "Stop the engine and put a copy from beside it in its place.")
    if lost := service.indexes.lost():
        raise lost
    return f"{len(service.catalog.projects.all())} projects"


def _dense(service: Service) -> str:
    info = service.models.for_questions(service.settings.models.dense).info
    began = time.perf_counter()
    service.models.for_questions(info.name).embed_query(f"doctor {began}")
    return f"{info.name}: {info.size} dimensions, reads {info.max_tokens} tokens"


def _sparse(service: Service) -> str:
    name = service.settings.models.sparse
    if not name:
        return "switched off; hybrid search is not available to new projects"
    service.models.sparse(name).embed_query("doctor")
    return f"{name}, {service.settings.models.language}"


def _converter(service: Service) -> str:
    probe = Path(paths.folders().data) / ".doctor.md"
    probe.write_text("# Doctor\n\nA sentence.\n", encoding="utf-8")
    try:
        reply = service.workers.convert_in_own_process(
            {
                "path": str(probe),
                "cache_file": None,
                "tokenizer": None,
                "max_tokens": 256,
                "use_cache": False,
            },
            Limits(60),
        )
    finally:
        probe.unlink(missing_ok=True)
    parts = [reply["converted"]["converter"], *_about_converter(service)]
    return "; ".join([*parts, f"{service.workers.count} at a time"])


def _about_converter(service: Service) -> list[str]:
    """Which models find the structure of pages, and which OCR engines read which languages."""
    about = service.workers.convert_in_own_process({"about": True}, Limits(60))["about"]
    found = [f"{part}: {about[part]}" for part in ("layout", "tables")]
    return [*found, *(f"OCR by {name}: {there}" for name, there in about["ocr"].items())]


def _zotero(service: Service) -> str:
    """How Zotero is reached; that it is not is no problem while no project needs it."""
    try:
        return service.zotero.reached()
    except CiteLoomError as error:
        if service.catalog.projects.reading_zotero():
            raise
        return f"no project reads it ({error.message.rstrip('.')})"


def _servers(service: Service) -> str:
    """Which servers have indexes, and whether they can be used with the key that is kept."""
    desk = service.index_desk
    seen = [f"{address}: Qdrant {desk.test(address)['version']}" for address in desk.servers()]
    key = {"keyring": "key in the keyring", "environment": "key from the environment"}.get(desk.key_place() or "")
    return "; ".join([*seen, key or "no key"])


def _project(service: Service, project_id: str) -> str:
    project = service.catalog.projects.get(project_id)
    service.collections.look_again(place_of(project))
    collection = service.collection(project)
    added = collection.add_missing_indexes()
    if collection.vectors() != (project.dense_size, project.hybrid_enabled):
        raise _problem(
            "the index keeps other vectors than the project's models make",
            f"Build it anew; on the command line: citeloom ingest {project_id} --force-rebuild.",
        )
    passages = collection.count()
    coverage = service.catalog.documents.coverage(project_id)
    expected = service.catalog.documents.chunk_count(project_id)
    if passages != expected:
        raise _problem(
            f"the index holds {passages} passages, the catalog says {expected}",
            f"Build it anew; on the command line: citeloom ingest {project_id} --force-rebuild.",
        )
    sources = service.catalog.projects.sources(project_id)
    missing = [s.path for s in sources if s.kind != "zotero" and not Path(s.path).exists()]
    if missing:
        raise _problem(
            f"not there: {', '.join(missing)}",
            "Connect the drive, or take the folder out of the project;"
            f" on the command line: citeloom project disallow {project_id} FOLDER.",
        )
    where = f"on {project.server}" if project.server else f"{_megabytes(service, project.collection)} MB"
    seen = f"{coverage['searchable']} of {coverage['documents']} documents searchable, {passages} passages, {where}"
    return f"{seen}; indexes for filters were missing and were made: {', '.join(added)}" if added else seen


def _megabytes(service: Service, collection: str) -> str:
    return f"{service.collections.size_on_disk(collection) / 1_000_000:,.0f}"


def _failed_documents(service: Service, project_id: str) -> dict[str, Any] | None:
    """What could not be read, the first few by name; nothing where everything could be."""
    try:
        failed, count = service.catalog.documents.page(project_id, State.FAILED, _NAMED, 0)
    except CiteLoomError:
        return None  # the project's own finding says so
    if not count:
        return None
    named = "; ".join(f"{shown_source(one)}: {(one.reason or str(one.reason_code)).rstrip('.')}" for one in failed)
    more = f"; and {count - len(failed)} more" if count > len(failed) else ""
    return {
        "part": f"documents of {project_id}",
        "ok": True,
        "note": True,
        "seen": f"{count} could not be read: {named}{more}",
        "next_step": "When you have done something about them, have them tried again;"
        f" on the command line: citeloom sync {project_id} --retry. All of them: citeloom documents {project_id}.",
    }
