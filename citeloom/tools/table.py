"""The table of MCP tools: name, description, arguments, result schema, and the function that calls a service.

Used by `tools.session`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import Any

from citeloom.api.evidence import (
    RECORD_FORMATS,
    CheckManuscript,
    Cite,
    CiteResult,
    GetRecords,
    RecordsResult,
    VerifyQuote,
)
from citeloom.api.importing import Ingest
from citeloom.api.library import (
    AgentChunk,
    DeleteDocument,
    DocumentSummary,
    GetDocument,
    InspectCollection,
    ListDocuments,
    ListProjects,
    StoreChunks,
    project_json,
)
from citeloom.api.search import GetPassage, Query
from citeloom.api.verbs import encode
from citeloom.catalog.projects import Project
from citeloom.core.cancel import Cancel
from citeloom.core.errors import CiteLoomError, Code
from citeloom.core.text.sanitize import shortened_values
from citeloom.engine.container import Container
from citeloom.tools import arguments as a
from citeloom.tools import results as o
from citeloom.tools.guide import guide

READ, WRITE = "read", "write"
TOOLSETS = (READ, WRITE)


@dataclass(frozen=True, slots=True)
class Call:
    """One call of a tool, with the projects that its session may access."""

    container: Container
    visible: frozenset[str] | None
    arguments: Any
    cancel: Cancel

    @property
    def project(self) -> Project:
        """Return the project named in the arguments; raise INVALID_PROJECT if the session may not access it."""
        return self.container.catalog.projects.get(self.arguments.project, self.visible)


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool of the contract."""

    name: str
    title: str
    description: str
    toolset: str
    arguments: type[a.Arguments]
    output: dict[str, Any]
    run: Callable[[Call], dict[str, Any]]
    destructive: bool = False
    open_world: bool = False  # it may access the internet


def _list_projects(call: Call) -> dict[str, Any]:
    only = None if call.visible is None else sorted(call.visible)
    projects = call.container.projects.list_projects(ListProjects(only=only)).projects
    return {"projects": [project_json(project) for project in projects], "count": len(projects)}


def _inspect_collection(call: Call) -> dict[str, Any]:
    request = InspectCollection(project=call.project.id, sample=call.arguments.sample)
    return project_json(call.container.projects.inspect_collection(request))


_DOCUMENT_KEYS = {field.name for field in fields(DocumentSummary)}


def _list_documents(call: Call) -> dict[str, Any]:
    given: a.ListDocuments = call.arguments
    request = ListDocuments(project=call.project.id, status=given.status, limit=given.limit, offset=given.offset)
    page: dict[str, Any] = encode(call.container.documents.list_documents(request))
    # Paths of the researcher's files are not disclosed to agents.
    rows = [{key: value for key, value in row.items() if key in _DOCUMENT_KEYS} for row in page["documents"]]
    return {**page, "documents": rows}


def _get_document(call: Call) -> dict[str, Any]:
    given: a.GetDocument = call.arguments
    if bool(given.doc_id) == bool(given.citekey):
        raise CiteLoomError(Code.INVALID_INPUT, "Name the document once.", "Give doc_id or citekey, not both.")
    request = GetDocument(
        project=call.project.id,
        doc_id=given.doc_id,
        citekey=given.citekey,
        pages=None if given.pages is None else str(given.pages),
    )
    return _json(call.container.texts.get_document(request, call.cancel))


def _store_chunks(call: Call) -> dict[str, Any]:
    items = [AgentChunk(**dict(item)) for item in call.arguments.items]
    return _json(
        call.container.agent_chunks.store_chunks(StoreChunks(project=call.project.id, items=items), call.cancel)
    )


def _delete_document(call: Call) -> dict[str, Any]:
    request = DeleteDocument(project=call.project.id, doc_id=call.arguments.doc_id)
    return _json(call.container.documents.delete_document(request))


def _query(call: Call, *, hybrid: bool) -> dict[str, Any]:
    given: a.Query = call.arguments
    request = Query(
        project=call.project.id,
        text=given.text,
        hybrid=hybrid,
        top_k=given.top_k,
        filters=given.filters,
        max_tokens=given.max_tokens,
        full_text=given.full_text,
        per_document=given.per_document,
    )
    return _json(call.container.search.query(request, call.cancel))


def _get_passage(call: Call) -> dict[str, Any]:
    given: a.GetPassage = call.arguments
    request = GetPassage(chunk_id=given.chunk_id, project=call.project.id, context=given.context)
    return _without(_json(call.container.passages.get_passage(request)), "project")


def _verify_quote(call: Call) -> dict[str, Any]:
    given: a.VerifyQuote = call.arguments
    page = None if given.page is None else str(given.page)
    request = VerifyQuote(project=call.project.id, quote=given.quote, citekey=given.citekey, page=page)
    answer = _json(call.container.evidence.verify(request, call.cancel))
    return {**answer, **shortened_values({key: answer[key] for key in ("quote", "page_claimed")})}


_CITATION_FORMATS = ("bibliography", "citation", *RECORD_FORMATS)


def _format_citations(call: Call) -> dict[str, Any]:
    given: a.FormatCitations = call.arguments
    if given.format not in _CITATION_FORMATS:
        raise CiteLoomError(
            Code.INVALID_INPUT,
            f"There is no format '{given.format[:40]}'.",
            f"It can be: {', '.join(_CITATION_FORMATS)}.",
            valid=list(_CITATION_FORMATS),
        )
    project, cites = call.project.id, tuple(given.citekeys)
    style, text, entries = None, "", tuple[str, ...]()
    made: RecordsResult | CiteResult
    if given.format in RECORD_FORMATS:
        made = call.container.evidence.records(GetRecords(project=project, cites=cites, format=given.format))
        text = made.text
    else:
        # Agents choose a style by name: only the researcher may name a style file.
        request = Cite(project=project, cites=cites, style=given.style, style_files=False)
        made = call.container.evidence.cite(request)
        style, entries = made.style.title, made.citations if given.format == "citation" else made.bibliography
        text = "\n\n".join(entries)
    renamed = [key for key in made.keys if key.renamed_from]
    return _json(o.FormattedCitations(given.format, style, text, entries, renamed, made.warnings))


_MAX_FINDINGS = 100  # in one answer


def _check_citations(call: Call) -> dict[str, Any]:
    visible = None if call.visible is None else tuple(call.visible)
    request = CheckManuscript(project=call.project.id, text=call.arguments.text, visible=visible)
    report = call.container.evidence.check(request, call.cancel)
    # Edits with byte positions are for programs that fix a file; an agent has the text itself.
    answer = _without(_json(report), "edits", "fixable", "encoding", "file", "sha256")
    findings = [
        shortened_values(_without(finding, "edit", "end_line", "end_column"))
        for finding in answer["findings"][:_MAX_FINDINGS]
    ]
    omitted = max(0, len(report.findings) - _MAX_FINDINGS)
    return {
        **answer,
        "findings": findings,
        "texts": [_without(text, "words") for text in answer["texts"]],
        "truncated": omitted > 0,
        "truncated_count": omitted,
    }


def _json(result: object) -> dict[str, Any]:
    return dict(encode(result))


def _without(values: dict[str, Any], *keys: str) -> dict[str, Any]:
    return {key: value for key, value in values.items() if key not in keys}


def _help(call: Call) -> dict[str, Any]:
    return _json(o.HelpText(*guide(call.arguments.topic)))


def ingest(call: Call) -> str:
    """Queue the import that a call requests; return the job's id. The session waits for it."""
    given: a.Ingest = call.arguments
    project, source = call.project, given.source.strip()
    if not source:
        raise CiteLoomError(Code.INVALID_INPUT, "source is empty.", 'Name a file or folder; "." is the project\'s own.')
    given_options = given.options.model_dump() if given.options else {}
    options = {name: value for name, value in given_options.items() if value is not None}
    return call.container.imports.ingest_for_agent(Ingest(project=project.id, source=source, **options)).id


TOOLS: dict[str, Tool] = {
    tool.name: tool
    for tool in (
        Tool(
            "list_projects",
            "List projects",
            "Projects this session may search, with models and coverage. Start here.",
            READ,
            a.NoArguments,
            o.PROJECTS,
            _list_projects,
        ),
        Tool(
            "inspect_collection",
            "Inspect a collection",
            "How a project's collection is built: size, models, vectors, payload keys, indexes, running jobs.",
            READ,
            a.Inspect,
            o.INSPECTION,
            _inspect_collection,
        ),
        Tool(
            "query",
            "Search by meaning",
            "Dense search for passages ready to cite: citekey, printed and PDF page, section, DOI.",
            READ,
            a.Query,
            o.QUERY,
            lambda call: _query(call, hybrid=False),
        ),
        Tool(
            "query_hybrid",
            "Search by meaning and words",
            "Dense + BM25 search; the best first choice. Same answer as query.",
            READ,
            a.Query,
            o.QUERY,
            lambda call: _query(call, hybrid=True),
        ),
        Tool(
            "get_passage",
            "Read a passage",
            "One passage whole, with its neighbours and the page it stands on.",
            READ,
            a.GetPassage,
            o.PASSAGE,
            _get_passage,
        ),
        Tool(
            "list_documents",
            "List documents",
            "Documents with citekey, title, pages, status, and why one failed.",
            READ,
            a.ListDocuments,
            o.DOCUMENTS,
            _list_documents,
        ),
        Tool(
            "get_document",
            "Read a document",
            "A document, or some of its pages, as Markdown. Name it by doc_id or citekey.",
            READ,
            a.GetDocument,
            o.DOCUMENT,
            _get_document,
        ),
        Tool(
            "verify_quote",
            "Verify a quotation",
            "Whether a work says a quotation, and on which page: exact, near (with a diff), absent, inconclusive."
            " Check every quotation before you hand it over.",
            READ,
            a.VerifyQuote,
            o.QUOTE,
            _verify_quote,
        ),
        Tool(
            "format_citations",
            "Format citations",
            "Bibliography or in-text citations from the library's own records, in any CSL style; or BibTeX, CSL-JSON.",
            READ,
            a.FormatCitations,
            o.CITATIONS,
            _format_citations,
        ),
        Tool(
            "check_citations",
            "Check citations",
            "Every citation in a piece of manuscript against key, quotation and page.",
            READ,
            a.CheckCitations,
            o.CHECK,
            _check_citations,
        ),
        Tool(
            "help",
            "How to use CiteLoom",
            "How to search, filter, cite and ingest.",
            READ,
            a.Help,
            o.HELP,
            _help,
        ),
        Tool(
            "ingest_from_source",
            "Import documents",
            "Import a file, folder or part of Zotero that the project may read. Answers within 15 s; status 'running'"
            " means that it goes on: call again for its progress.",
            WRITE,
            a.Ingest,
            o.INGESTION,
            lambda call: {"job_id": ingest(call)},
            open_world=True,
        ),
        Tool(
            "store_chunks",
            "Store passages",
            "Store 100-500 passages you embedded with the project's dense model (fewer only as the last batch)."
            " Idempotent by id. They count as no work until the researcher confirms them.",
            WRITE,
            a.StoreChunks,
            o.STORED,
            _store_chunks,
        ),
        Tool(
            "delete_document",
            "Delete a document",
            "Take a document out of the index. Its file stays.",
            WRITE,
            a.DeleteDocument,
            o.DELETED,
            _delete_document,
            destructive=True,
        ),
    )
}


def of_toolsets(names: list[str]) -> dict[str, Tool]:
    """Return the tools of some toolsets."""
    return {name: tool for name, tool in TOOLS.items() if tool.toolset in names}
