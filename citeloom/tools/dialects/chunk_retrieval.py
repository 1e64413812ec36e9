"""Dialect `chunk-retrieval`: five tools to store and find chunks, with nested metadata."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Annotated, Any

from pydantic import Field

from citeloom.api.library import AgentChunk, CollectionDetails, InspectCollection, ListProjects, StoreChunks
from citeloom.tools.arguments import Arguments, ChunkItem, NoArguments
from citeloom.tools.dialect import Dialect
from citeloom.tools.dialects.citation_items import Inspect, ProjectName, failure, items, search
from citeloom.tools.tool import WRITE, Call, Json, ToolTable, tool

_TOOLS: ToolTable = {}
_tool = partial(tool, _TOOLS)

# The nested names of the document, by those of the payload.
_NESTED = {
    "project_id": "project",
    "tags": "zotero.tags",
    "citekey": "zotero.citekey",
    "section_names": "doc.section",
    "page_start": "doc.page_span",
    "page_end": "doc.page_span",
    "source": "source.path",
    "source_path": "source.path",
    "title": "source.title",
    "chunk_text": "fulltext",
}
_PAYLOAD_KEYS = ["project", "source", "zotero", "doc", "embed_model", "version", "fulltext"]
_FILTERS = {
    "zotero.tags": "tags",
    "zotero.citekey": "citekey",
    "source.path": "source",
    "source.title": "title",
    "doc.page_span": "page",
    "doc.section": "section_prefix",
    "doc.section_path": "section_prefix",
}


class Store(Arguments):
    """store_chunks."""

    project: ProjectName
    items: Annotated[list[ChunkItem], Field(description="100-500 chunks: id, text, embedding, metadata")]


class Find(Arguments):
    """find_chunks and query_hybrid."""

    project: ProjectName
    query: Annotated[str, Field(description="question in natural language")]
    top_k: Annotated[int | None, Field(description="largest number of results (default 6)")] = None
    filters: Annotated[dict[str, Any] | None, Field(description='such as {"tags": ["architecture"]}')] = None


@_tool("Store chunks", Store, toolset=WRITE)
def store_chunks(call: Call[Store]) -> Json:
    """Store a batch of chunks in a project's collection. Idempotent: the same ids replace what was there."""
    given = [AgentChunk(**dict(item)) for item in call.arguments.items]
    stored = call.handle(StoreChunks(project=call.project(call.arguments.project), items=given))
    return {
        "chunks_written": stored.chunks_written,
        "project": stored.project,
        "embed_model": stored.embed_model,
        "warnings": list(stored.warnings),
    }


@_tool("Find chunks", Find, limit="query")
def find_chunks(call: Call[Find]) -> Json:
    """Find the chunks of a project that are nearest in meaning to a question."""
    found = search(_with_flat_filters(call), call.arguments.query, hybrid=False)
    return {"items": items(found, full_text=True), "count": found.count}


@_tool("Find by meaning and words", Find)
def query_hybrid(call: Call[Find]) -> Json:
    """Find chunks of a project by meaning and words together."""
    found = search(_with_flat_filters(call), call.arguments.query, hybrid=True)
    return {"items": items(found, full_text=False), "count": found.count, "hybrid_enabled": True}


@_tool("Inspect a collection", Inspect)
def inspect_collection(call: Call[Inspect]) -> Json:
    """A project's collection: size, model, payload keys, indexes, sample payloads."""
    given = call.arguments
    seen = call.handle(InspectCollection(project=call.project(given.project), sample=given.sample))
    return {
        "project": seen.project,
        "collection": seen.collection,
        "size": seen.size,
        "embed_model": seen.dense_model,
        "payload_keys": _PAYLOAD_KEYS,
        "indexes": {
            kind: sorted({_NESTED.get(name, name) for name in seen.indexes.get(kind, [])})
            for kind in ("keyword", "fulltext")
        },
        "sample": _samples(seen),
    }


@_tool("List projects", NoArguments)
def list_projects(call: Call[NoArguments]) -> Json:
    """All projects with their collection and model."""
    projects = call.handle(ListProjects(only=call.visible_ids))
    return {
        "projects": [
            {
                "id": project.id,
                "collection": project.collection,
                "embed_model": project.dense_model,
                "hybrid_enabled": project.hybrid_enabled,
            }
            for project in projects
        ]
    }


def _with_flat_filters(call: Call[Find]) -> Call[Find]:
    """Return the call with filters named as CiteLoom names them."""
    filters = call.arguments.filters
    if filters is None:
        return call
    flat = {_FILTERS.get(key, key): value for key, value in filters.items()}
    return replace(call, arguments=call.arguments.model_copy(update={"filters": flat}))


def _samples(seen: CollectionDetails) -> list[Json]:
    return [
        {
            "id": payload.get("chunk_id"),
            "project": seen.project,
            "source": {"path": payload.get("source"), "title": payload.get("title")},
            "zotero": {"citekey": payload.get("citekey"), "tags": payload.get("tags") or []},
            "doc": {
                "page_span": [payload.get("page_start"), payload.get("page_end")],
                "section": payload.get("section"),
                "section_path": payload.get("section_path") or [],
            },
            "embed_model": payload.get("embed_model"),
            "version": payload.get("version"),
            "fulltext": payload.get("chunk_text"),
        }
        for payload in seen.sample_payloads
    ]


DIALECT = Dialect(
    "chunk-retrieval",
    _TOOLS,
    instructions="Chunks of a researcher's documents, ready to cite. Start with list_projects, then find_chunks.",
    failure=partial(failure, listed=True),
)
