"""Dialect `mcpvectordb`: libraries of files and web pages, which are projects; errors say `status: error`."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Annotated, Any

from pydantic import Field

from citeloom.api.importing import Ingest
from citeloom.api.library import DeleteDocument, DocumentRow, GetDocument, ListDocuments, ListProjects
from citeloom.api.search import Query, SearchHit
from citeloom.core.errors import CiteLoomError, Code
from citeloom.library.documents import document_row
from citeloom.tools.arguments import Arguments, NoArguments
from citeloom.tools.dialect import Dialect
from citeloom.tools.dialects.imports import finished_import
from citeloom.tools.tool import WRITE, Call, ImportOutcome, Json, StartedImport, ToolTable, tool

_TOOLS: ToolTable = {}
_tool = partial(tool, _TOOLS)

_DEFAULT = "default"  # the session's default project, unless there is one of this name
_MAX_RESULTS = 100
_MAX_LISTED = 1000
_COMPARED = ("title", "chunk_index")  # filters that must be equal, which the index cannot tell
_WITHOUT_PAGE = ("page", 0)
_IMPORT_SECONDS = 300.0  # the document knows no answer "still running"

_LIBRARY = Field(description="library to index into")
_METADATA = Field(description="any keys and values to keep")


class IngestFile(Arguments):
    """ingest_file."""

    path: Annotated[str, Field(description="absolute or relative path of the file")]
    library: Annotated[str, _LIBRARY] = _DEFAULT
    metadata: Annotated[dict[str, Any] | None, _METADATA] = None


class IngestUrl(Arguments):
    """ingest_url."""

    url: Annotated[str, Field(description="HTTP or HTTPS address")]
    library: Annotated[str, _LIBRARY] = _DEFAULT
    metadata: Annotated[dict[str, Any] | None, _METADATA] = None


class Search(Arguments):
    """search."""

    query: Annotated[str, Field(description="question in natural language")]
    top_k: Annotated[int, Field(ge=1, le=_MAX_RESULTS, description="largest number of results")] = 5
    library: Annotated[str | None, Field(description="only this library; null: all")] = None
    filter: Annotated[
        dict[str, Any] | None,
        Field(description="fields that must be equal: file_type, page, last_modified, source, title, …"),
    ] = None


class ListAll(Arguments):
    """list_documents."""

    library: Annotated[str | None, Field(description="only this library; null: all")] = None
    limit: Annotated[int, Field(ge=1, le=_MAX_LISTED, description="largest number of documents")] = 20
    offset: Annotated[int, Field(ge=0)] = 0


class DocumentId(Arguments):
    """delete_document and get_document."""

    doc_id: Annotated[str, Field(description="id of the document")]


@_tool("Ingest a file", IngestFile, toolset=WRITE, seconds=_IMPORT_SECONDS)
def ingest_file(call: Call[IngestFile]) -> StartedImport:
    """Convert a local file and index it."""
    return _start(call, call.arguments.path)


@_tool("Ingest a web page", IngestUrl, toolset=WRITE, seconds=_IMPORT_SECONDS, open_world=True)
def ingest_url(call: Call[IngestUrl]) -> StartedImport:
    """Fetch a web address and index its content."""
    if "://" not in call.arguments.url:
        raise CiteLoomError(Code.INVALID_INPUT, "That is no web address.", "Begin it with https:// or http://.")
    return _start(call, call.arguments.url)


def _start(call: Call[Any], source: str) -> StartedImport:
    given = call.arguments
    if not source.strip():
        raise CiteLoomError(Code.INVALID_INPUT, "The source is empty.", "Name a file or an address.")
    project = _project(call, given.library)
    request = Ingest(project=project, source=source, metadata=given.metadata or {})
    job = call.container.imports.ingest_for_agent(request)
    return StartedImport(job.id, partial(_ingested, call, project))


def _ingested(call: Call[Any], project: str, outcome: ImportOutcome) -> Json:
    job = finished_import(outcome)
    if errors := job.result.get("errors"):
        raise CiteLoomError(Code(errors[0]["code"]), errors[0]["reason"])
    document = call.container.catalog.documents.find(project, source=job.request["source"])
    if document is None:
        raise CiteLoomError(Code.CONVERSION_FAILED, "No document was made of it.")
    counts = ("new", "indexed"), ("replaced", "replaced"), ("skipped", "skipped")
    return {
        "status": next((status for name, status in counts if job.result.get(name)), "skipped"),
        "doc_id": document.doc_id,
        "source": document.path or document.source,
        "library": project,
        "chunk_count": document.chunks,
    }


@_tool("Search", Search, limit="query_hybrid")
def search(call: Call[Search]) -> Json:
    """Search the indexed documents by meaning and words."""
    given = call.arguments
    filters = dict(given.filter or {})
    _check_equality(filters)
    named = filters.pop("library", None)
    library = given.library if given.library is not None else named
    if named is not None and named != library:
        return {"results": []}  # both conditions must hold
    exact = {key: value for key, value in filters.items() if key in _COMPARED or (key, value) == _WITHOUT_PAGE}
    for key in set(exact) - {"title"}:  # a title's words are a filter too
        del filters[key]
    found: list[tuple[str, SearchHit]] = []
    refused: CiteLoomError | None = None
    projects = _projects(call, library)
    for project in projects:
        request = Query(
            project=project,
            text=given.query,
            top_k=_MAX_RESULTS if exact else given.top_k,
            max_top_k=_MAX_RESULTS,
            filters=filters or None,
            full_text=True,
            details=True,
        )
        try:
            found += [(project, hit) for hit in call.handle(request).items]
        except CiteLoomError as error:  # a key may be stored in one library only
            if error.code != Code.INVALID_INPUT or len(projects) == 1:
                raise
            refused = error
    if refused and not found:
        raise refused
    found.sort(key=lambda one: -one[1].score)
    matching = [one for one in found if exact.items() <= _compared(one[1]).items()][: given.top_k]
    call.record.passages = [hit.chunk_id for _, hit in matching]
    return {"results": [_result(project, hit) for project, hit in matching]}


def _compared(hit: SearchHit) -> Json:
    """Return the fields of a hit that are compared with a filter after the search."""
    page = hit.page_span[0] if hit.page_span else 0
    return {"title": hit.title or "", "chunk_index": hit.details.chunk_index if hit.details else None, "page": page}


def _check_equality(filters: Mapping[str, Any]) -> None:
    for key, value in filters.items():
        if not isinstance(value, str | int) or isinstance(value, bool) or (key == "library" and isinstance(value, int)):
            raise CiteLoomError(Code.INVALID_INPUT, f"The filter '{key[:60]}' needs a string or an integer.")


def _result(library: str, hit: SearchHit) -> Json:
    details = hit.details
    assert details is not None
    return {
        "doc_id": hit.doc_id,
        "source": details.path or hit.source,
        "title": hit.title or "",
        "library": library,
        "file_type": details.file_type,
        "last_modified": details.last_modified,
        "page": hit.page_span[0] if hit.page_span else 0,
        "content": hit.full_text,
        "chunk_index": details.chunk_index,
        "metadata": details.metadata,
    }


@_tool("List documents", ListAll)
def list_documents(call: Call[ListAll]) -> Json:
    """List the indexed documents."""
    given = call.arguments
    documents: list[Json] = []
    offset, limit = given.offset, given.limit
    for project in _projects(call, given.library):
        page = call.handle(ListDocuments(project=project, status="ready", limit=max(1, limit), offset=offset))
        if limit > 0:
            documents += [_listed(project, one) for one in page.documents[:limit]]
        limit -= len(page.documents[: max(0, limit)])
        offset = max(0, offset - page.total)
        if limit <= 0:
            break
    return {"documents": documents, "count": len(documents)}


def _listed(library: str, document: DocumentRow) -> Json:
    return {
        "doc_id": document.doc_id,
        "source": document.path or document.source,
        "title": document.title,
        "library": library,
        "content_hash": document.content_hash,
        "created_at": document.created_at,
        "metadata": document.metadata,
        "chunk_count": document.chunk_count,
    }


@_tool("List libraries", NoArguments, limit="list_projects")
def list_libraries(call: Call[NoArguments]) -> Json:
    """List all libraries with their numbers of documents and chunks."""
    projects = call.handle(ListProjects(only=call.visible_ids))
    return {
        "libraries": [
            {"library": one.id, "document_count": one.document_count, "chunk_count": one.chunk_count}
            for one in projects
        ]
    }


@_tool("Delete a document", DocumentId, toolset=WRITE, destructive=True)
def delete_document(call: Call[DocumentId]) -> Json:
    """Remove a document and all its chunks from the index."""
    project, _ = _document(call)
    deleted = call.handle(DeleteDocument(project=project, doc_id=call.arguments.doc_id))
    return {"status": "deleted", "doc_id": deleted.doc_id, "deleted_chunks": deleted.deleted_chunks}


@_tool("Read a document", DocumentId)
def get_document(call: Call[DocumentId]) -> Json:
    """The full Markdown text of a document."""
    project, row = _document(call)
    parts, pages = list[str](), None
    while True:
        text = call.handle(GetDocument(project=project, doc_id=row.doc_id, pages=pages))
        parts.append(text.markdown)
        if not (pages := text.next_pages):
            break
    listed = _listed(project, row)
    return {
        **{name: listed[name] for name in ("doc_id", "source", "title", "library")},
        "content": "\n\n".join(parts),
        "chunk_count": listed["chunk_count"],
        "metadata": listed["metadata"],
    }


def _document(call: Call[DocumentId]) -> tuple[str, DocumentRow]:
    """Return the document of an id and its project."""
    doc_id = call.arguments.doc_id
    for project in _projects(call, None):
        if document := call.container.catalog.documents.find(project, doc_id):
            return project, document_row(document)
    raise CiteLoomError(Code.DOCUMENT_NOT_FOUND, f"Document not found: {doc_id[:100]}")


def _project(call: Call[Any], library: str) -> str:
    """Return the project of a library; "default" is the default project, unless there is one of that name."""
    if library == _DEFAULT:
        visible = call.handle(ListProjects(only=call.visible_ids))
        return call.project(_DEFAULT if any(one.id == _DEFAULT for one in visible) else None)
    return call.project(library)


def _projects(call: Call[Any], library: str | None) -> list[str]:
    """Return the projects of a library; None: all that the session may access."""
    if library is not None:
        return [_project(call, library)]
    return [project.id for project in call.handle(ListProjects(only=call.visible_ids))]


def _failure(error: CiteLoomError) -> Json:
    return {"status": "error", "error": error.as_dict()["message"]}


DIALECT = Dialect(
    "mcpvectordb",
    _TOOLS,
    instructions="Ingest files and web pages into libraries, then search them.",
    failure=_failure,
)
