"""Dialect `fastmcp`: five tools to ingest and search, with named vectors and RRF."""

from __future__ import annotations

from functools import partial
from typing import Annotated, Any

from pydantic import Field

from citeloom.api.importing import Ingest
from citeloom.api.library import InspectCollection, ListProjects
from citeloom.tools.arguments import Arguments, NoArguments
from citeloom.tools.dialect import Dialect
from citeloom.tools.dialects.citation_items import Inspect, ProjectName, failure, items, search
from citeloom.tools.dialects.imports import finished_import
from citeloom.tools.tool import WRITE, Call, ImportOutcome, Json, StartedImport, ToolTable, tool

_TOOLS: ToolTable = {}
_tool = partial(tool, _TOOLS)


class Options(Arguments):
    """The options of ingest_from_source."""

    ocr_languages: Annotated[list[str] | None, Field(description="language codes for OCR")] = None
    references_path: Annotated[str | None, Field(description="another CSL-JSON file of references")] = None
    force_rebuild: Annotated[bool, Field(description="rebuild the collection, to change its model")] = False


class Source(Arguments):
    """ingest_from_source."""

    project: ProjectName
    source: Annotated[str, Field(description="a document or folder, zotero, zotero:collection/NAME, zotero:tag/TAG")]
    options: Options | None = None


class Query(Arguments):
    """query and query_hybrid."""

    project: ProjectName
    text: Annotated[str, Field(description="the question")]
    top_k: Annotated[int | None, Field(description="largest number of results (default 6)")] = None
    filters: Annotated[
        dict[str, Any] | None, Field(description='such as {"tags": ["architecture"], "section_prefix": "Part I"}')
    ] = None


@_tool("Ingest documents", Source, toolset=WRITE, open_world=True)
def ingest_from_source(call: Call[Source]) -> StartedImport:
    """Ingest files, a folder or part of Zotero into a project."""
    given = call.arguments
    project = call.project(given.project)
    options = given.options.model_dump(exclude_none=True) if given.options else {}
    request = Ingest(project=project, source=given.source.strip(), **options)
    job = call.container.imports.ingest_for_agent(request)
    return StartedImport(job.id, partial(_ingested, call, project))


def _ingested(call: Call[Source], project_id: str, outcome: ImportOutcome) -> Json:
    result = finished_import(outcome).result
    project = call.container.catalog.projects.get(project_id, call.visible)
    failed = [f"{one['source']}: {one['reason']}" for one in result.get("errors") or []]
    return {
        "chunks_written": result["chunks_written"],
        "documents_processed": result["documents_processed"],
        "project": project.id,
        "dense_model": project.dense_model,
        "sparse_model": project.sparse_model or None,
        "duration_seconds": result["duration_seconds"],
        "warnings": [*(result.get("warnings") or []), *failed],
    }


@_tool("Search by meaning", Query)
def query(call: Call[Query]) -> Json:
    """Search a project by the named vector 'dense'."""
    found = search(call, call.arguments.text, hybrid=False)
    return {"items": items(found, full_text=True), "count": found.count, "model": found.dense_model}


@_tool("Search by meaning and words", Query)
def query_hybrid(call: Call[Query]) -> Json:
    """Search a project by the named vectors 'dense' and 'sparse', fused by reciprocal rank."""
    found = search(call, call.arguments.text, hybrid=True)
    return {
        "items": items(found, full_text=False),
        "count": found.count,
        "hybrid_enabled": True,
        "dense_model": found.dense_model,
        "sparse_model": found.sparse_model,
        "fusion": "RRF",
    }


@_tool("Inspect a collection", Inspect)
def inspect_collection(call: Call[Inspect]) -> Json:
    """A project's collection: models, named vectors, payload keys, indexes, storage, sample payloads."""
    given = call.arguments
    seen = call.handle(InspectCollection(project=call.project(given.project), sample=given.sample))
    return {
        "project": seen.project,
        "collection": seen.collection,
        "size": seen.size,
        "dense_model": seen.dense_model,
        "sparse_model": seen.sparse_model,
        "named_vectors": seen.named_vectors,
        "payload_keys": seen.payload_keys,
        "indexes": {kind: seen.indexes.get(kind, []) for kind in ("keyword", "fulltext")},
        "storage": {
            "on_disk_vectors": seen.storage.on_disk_vectors,
            "on_disk_hnsw": seen.storage.on_disk_hnsw,
        },
        "sample_payloads": seen.sample_payloads,
    }


@_tool("List projects", NoArguments)
def list_projects(call: Call[NoArguments]) -> Json:
    """All projects with their collection and models."""
    projects = [
        {
            "id": project.id,
            "collection": project.collection,
            "dense_model": project.dense_model,
            "sparse_model": project.sparse_model,
            "hybrid_enabled": project.hybrid_enabled,
        }
        for project in call.handle(ListProjects(only=call.visible_ids))
    ]
    return {"projects": projects, "count": len(projects)}


DIALECT = Dialect(
    "fastmcp",
    _TOOLS,
    instructions="Passages of a researcher's documents, ready to cite. Start with list_projects, then query_hybrid.",
    failure=partial(failure, listed=False),
    in_answer=True,
)
