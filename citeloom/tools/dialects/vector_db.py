"""Dialect `vector-db`: index files and directories, search with filters or a token budget; answers say `success`."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from functools import partial
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field

from citeloom.api.importing import Ingest
from citeloom.api.library import ListPassages, PassageSummary
from citeloom.api.search import Query, QueryResult, SearchHit
from citeloom.core.errors import CiteLoomError, Code
from citeloom.search.hits import estimate_tokens
from citeloom.tools.arguments import Arguments
from citeloom.tools.dialect import Dialect
from citeloom.tools.dialects.imports import finished_import
from citeloom.tools.tool import WRITE, Answer, Call, ImportOutcome, Json, StartedImport, ToolTable, tool

_TOOLS: ToolTable = {}
_tool = partial(tool, _TOOLS)

_MAX_RESULTS = 50
_IMPORT_SECONDS = 300.0  # the document knows no answer "still running"
_FORMATS = {"python": "code"}  # file types that the document calls otherwise
_FILE_TYPES = {name: file_type for file_type, name in _FORMATS.items()}
_FILTERS = {"source_file": "source", "file_format": "file_type", "page_number": "page"}
# How the document words these errors.
_MESSAGES = {
    Code.FILE_NOT_FOUND: "File not found: {source}",
    Code.PERMISSION_DENIED: "Permission denied: {source}",
    Code.UNSUPPORTED_FORMAT: "Unsupported file format: {suffix}",
    Code.CONVERSION_FAILED: "Failed to extract content",
    Code.EMBEDDING_FAILED: "Embedding service unavailable",
}
# Codes of the document, for those that it does not have.
_CODES = {
    Code.MODEL_NOT_AVAILABLE: Code.EMBEDDING_FAILED,
    Code.EMBEDDING_MISMATCH: Code.EMBEDDING_FAILED,
    Code.INDEX_UNAVAILABLE: Code.STORAGE_ERROR,
    Code.INVALID_PROJECT: Code.INVALID_INPUT,
    Code.TIMEOUT: Code.QUERY_FAILED,
    Code.CONVERSION_FAILED: Code.UNSUPPORTED_FORMAT,
}


class IndexFile(Arguments):
    """index_file."""

    file_path: Annotated[str, Field(description="absolute or relative path of the document")]


class IndexDirectory(Arguments):
    """index_directory."""

    dir_path: Annotated[str, Field(description="directory to scan for documents")]
    recursive: Annotated[bool, Field(description="scan subdirectories too")] = True


class Search(Arguments):
    """search."""

    query: Annotated[str, Field(description="question in natural language")]
    n_results: Annotated[int, Field(ge=1, le=_MAX_RESULTS, description="largest number of results")] = 5


class Filters(Arguments):
    """search_with_filters."""

    query: Annotated[str, Field(description="question in natural language")]
    filters: Annotated[
        dict[str, Any] | None,
        Field(description="metadata that must match: source_file, file_format, page_number, header_level, …"),
    ] = None
    n_results: Annotated[int, Field(ge=1, le=_MAX_RESULTS)] = 5


class Budget(Arguments):
    """search_with_budget."""

    query: Annotated[str, Field(description="question in natural language")]
    max_tokens: Annotated[int, Field(ge=1, description="largest number of tokens in the results")] = 3000


@_tool("Index a file", IndexFile, toolset=WRITE, seconds=_IMPORT_SECONDS)
def index_file(call: Call[IndexFile]) -> StartedImport:
    """Index one document (.md, .pdf, .txt, .py)."""
    path = call.arguments.file_path
    return _start(call, path, partial(_indexed_file, call, path))


@_tool("Index a directory", IndexDirectory, toolset=WRITE, seconds=_IMPORT_SECONDS)
def index_directory(call: Call[IndexDirectory]) -> StartedImport:
    """Index all documents of a directory; files that were indexed before are skipped."""
    path = call.arguments.dir_path
    return _start(call, path, partial(_indexed_directory, call, path), recursive=call.arguments.recursive)


def _start(call: Call[Any], source: str, answer: Answer, *, recursive: bool = True) -> StartedImport:
    try:
        if not source.strip():
            raise CiteLoomError(Code.INVALID_INPUT, "The path is empty.")
        job = call.container.imports.ingest_for_agent(
            Ingest(project=call.project(None), source=source, recursive=recursive)
        )
    except CiteLoomError as error:
        raise _about(source, error) from error
    return StartedImport(job.id, answer)


def _indexed_file(call: Call[IndexFile], given: str, outcome: ImportOutcome) -> Json:
    source, result = _result(given, outcome)
    if result["errors"]:
        first = result["errors"][0]
        raise _about(given, CiteLoomError(Code(first["code"]), first["reason"]))
    document = call.container.catalog.documents.find(call.project(None), source=source)
    if document is None:
        raise _about(given, CiteLoomError(Code.CONVERSION_FAILED, "No document was made."))
    chunks = _passages(call, [document.doc_id])[document.doc_id]
    return _success(
        {
            "doc_hash": document.content_hash,
            "chunks_created": len(chunks),
            "chunk_ids": [chunk.chunk_id for chunk in chunks],
            "total_tokens": sum(chunk.tokens for chunk in chunks),
            "file_format": file_format(document.file_type),
        }
    )


def _indexed_directory(call: Call[IndexDirectory], given: str, outcome: ImportOutcome) -> Json:
    source, result = _result(given, outcome)
    folder, recursive = Path(source), call.arguments.recursive
    documents = [
        one
        for one in call.container.catalog.documents.all(call.project(None))
        if folder == Path(one.source).parent or (recursive and folder in Path(one.source).parents)
    ]
    passages = _passages(call, [one.doc_id for one in documents])
    chunk_ids = {one.source: [chunk.chunk_id for chunk in passages[one.doc_id]] for one in documents}
    return _success(
        {
            "new_documents": result["new"] + result["replaced"],
            "duplicates_skipped": result["skipped"],
            "errors": [{"file_path": one["source"], "error": one["reason"]} for one in result["errors"]],
            "total_chunks": result["chunks_written"],
            "chunk_ids": {path: ids for path, ids in chunk_ids.items() if ids},
        }
    )


def _result(given: str, outcome: ImportOutcome) -> tuple[str, Json]:
    """Return the source and the result of an import; raise an error if it failed or has not finished."""
    try:
        job = finished_import(outcome)
    except CiteLoomError as error:
        raise _about(given, error) from error
    counts = {"new": 0, "replaced": 0, "skipped": 0, "chunks_written": 0, "errors": []}
    return str(job.request["source"]), {**counts, **job.result}


def _passages(
    call: Call[Any], doc_ids: Iterable[str], pages: tuple[int, ...] | None = None
) -> Mapping[str, list[PassageSummary]]:
    """Return the passages of documents by document, in reading order: all, or those that begin on some pages."""
    wanted, by_document = tuple(doc_ids), defaultdict[str, list[PassageSummary]](list)
    if wanted:
        for passage in call.handle(ListPassages(project=call.project(None), doc_ids=wanted, pages=pages)):
            by_document[passage.doc_id].append(passage)
    return by_document


@_tool("Search", Search, limit="query_hybrid")
def search(call: Call[Search]) -> Json:
    """Search the indexed documents by meaning."""
    return _success(_results(call, _search(call, call.arguments.n_results)))


@_tool("Search with filters", Filters, limit="query_hybrid")
def search_with_filters(call: Call[Filters]) -> Json:
    """Search among documents whose metadata match."""
    return _success(_results(call, _search(call, call.arguments.n_results, call.arguments.filters)))


@_tool("Search with a budget", Budget, limit="query_hybrid")
def search_with_budget(call: Call[Budget]) -> Json:
    """Search, and return the best results that fit into a number of tokens."""
    found = _search(call, _MAX_RESULTS, max_tokens=call.arguments.max_tokens)
    return _success(
        {
            **_results(call, found),
            "budget_utilized": found.budget_utilized,
            "truncated": found.truncated,
            "truncated_count": found.truncated_count,
        }
    )


def _search(
    call: Call[Any], n_results: int, filters: Mapping[str, Any] | None = None, max_tokens: int | None = None
) -> QueryResult:
    named = {_FILTERS.get(key, key): value for key, value in (filters or {}).items()}
    if "file_type" in named:
        named["file_type"] = _file_types(named["file_type"])
    request = Query(
        project=call.project(None),
        text=call.arguments.query,
        top_k=n_results,
        max_top_k=_MAX_RESULTS,
        filters=named or None,
        max_tokens=max_tokens,
        full_text=True,
        details=True,
    )
    return call.handle(request)


def _file_types(value: Any) -> Any:
    """Return the file types of formats such as "markdown"; other values and operators stay."""
    if isinstance(value, str):
        return _FILE_TYPES.get(value, value)
    if isinstance(value, list):
        return [_file_types(one) for one in value]
    return value


def _results(call: Call[Any], found: QueryResult) -> Json:
    positions = _positions(call, found.items)
    return {
        "results": [
            {
                "chunk_id": hit.chunk_id,
                "content": hit.full_text,
                "score": hit.score,
                "metadata": _metadata(hit, positions),
                "token_count": estimate_tokens(hit.full_text or ""),
            }
            for hit in found.items
        ],
        "total_tokens": found.total_tokens,
        "query_embedding_time": found.embedding_seconds,
        "search_time": found.search_seconds,
    }


def _metadata(hit: SearchHit, positions: Mapping[str, str]) -> Json:
    """Return the fields of a hit's format."""
    details = hit.details
    assert details is not None
    made = file_format(details.file_type)
    metadata: Json = {
        "source_file": details.path or hit.source,
        "chunk_index": details.chunk_index,
        "file_format": made,
    }
    if made == "markdown":
        metadata |= {"header_path": " > ".join(hit.section_path), "header_level": details.header_level}
    elif made == "code":
        metadata |= {"class_name": details.class_name, "function_name": details.function_name}
    if made in ("code", "text"):
        metadata |= {"start_line": details.start_line, "end_line": details.end_line}
    if hit.page_span is not None:
        metadata |= {"page_number": hit.page_span[0], "page_position": positions.get(hit.chunk_id, "start")}
    return {**metadata, **details.metadata}


def _positions(call: Call[Any], hits: Iterable[SearchHit]) -> dict[str, str]:
    """Return where on its page each passage stands: start, middle or end."""
    on_page = defaultdict[tuple[str, int | None], list[str]](list)
    shown = [(hit.doc_id, hit.page_span[0]) for hit in hits if hit.page_span is not None]
    pages = tuple(sorted({page for _, page in shown}))
    for passages in _passages(call, {doc_id for doc_id, _ in shown}, pages).values():
        for passage in passages:
            on_page[passage.doc_id, passage.page_start].append(passage.chunk_id)
    return {
        chunk_id: "start" if at == 0 else "end" if at == len(chunks) - 1 else "middle"
        for chunks in on_page.values()
        for at, chunk_id in enumerate(chunks)
    }


def file_format(file_type: str) -> str:
    """Return the format of a file as the document names it."""
    return _FORMATS.get(file_type, file_type)


def _success(data: Json) -> Json:
    return {"success": True, "data": data}


def _about(source: str, error: CiteLoomError) -> CiteLoomError:
    """Return an error of a file in the words of the document, with what CiteLoom says of it in the details."""
    if error.code == Code.TIMEOUT:  # the document has it for searches only
        return CiteLoomError(Code.STORAGE_ERROR, error.message, error.next_step, **error.details)
    if error.code not in _MESSAGES:
        return error
    message = _MESSAGES[error.code].format(source=source[:500], suffix=Path(source).suffix or source[:100])
    return CiteLoomError(error.code, message, "", reason=str(error))


def _failure(error: CiteLoomError) -> Json:
    failed = error.as_dict()
    return {
        "success": False,
        "error": failed["message"],
        "error_code": str(_CODES.get(error.code, error.code)),
        "details": failed["details"],
    }


DIALECT = Dialect(
    "vector-db",
    _TOOLS,
    instructions="Index documents with index_file or index_directory, then search them.",
    failure=_failure,
)
