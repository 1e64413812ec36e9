"""The table of MCP tools. A tool is a function: its name is the tool's, its docstring the description for agents.

Used by `tools.session`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import Any, Generic, TypeVar

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
from citeloom.api.verbs import R, Request, encode
from citeloom.core.cancel import Cancel
from citeloom.core.errors import CiteLoomError, Code
from citeloom.core.text.sanitize import shortened_values
from citeloom.engine.container import Container
from citeloom.tools import arguments as a
from citeloom.tools import results as o
from citeloom.tools.guide import guide

READ, WRITE = "read", "write"
_DOCUMENT_KEYS = {field.name for field in fields(DocumentSummary)}
_CITATION_FORMATS = ("bibliography", "citation", *RECORD_FORMATS)
_MAX_FINDINGS = 100  # in one answer

Json = dict[str, Any]
A = TypeVar("A", bound=a.Arguments)
P = TypeVar("P", bound=a.InProject)


@dataclass(frozen=True, slots=True)
class Call(Generic[A]):
    """One call of a tool, with the projects that its session may access."""

    container: Container
    visible: frozenset[str] | None
    arguments: A
    cancel: Cancel

    def handle(self, request: Request[R]) -> R:
        """Have the engine handle a request."""
        return self.container.verbs.handle(request, self.cancel)


def _project(call: Call[P]) -> str:
    """Return the project named in the arguments; raise INVALID_PROJECT if the session may not access it."""
    return call.container.catalog.projects.get(call.arguments.project, call.visible).id


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool of the contract."""

    name: str
    title: str
    description: str
    toolset: str
    arguments: type[a.Arguments]
    output: Json
    run: Callable[[Call[Any]], Json]
    destructive: bool = False
    open_world: bool = False  # it may access the internet


TOOLS: dict[str, Tool] = {}  # by name, in the order in which they are listed


def _tool(
    title: str, arguments: type[A], output: Json, toolset: str = READ, **flags: bool
) -> Callable[[Callable[[Call[A]], Json]], Callable[[Call[A]], Json]]:
    """Add a function to the table."""

    def add(run: Callable[[Call[A]], Json]) -> Callable[[Call[A]], Json]:
        name, description = run.__name__, " ".join(str(run.__doc__).split())
        TOOLS[name] = Tool(name, title, description, toolset, arguments, output, run, **flags)
        return run

    return add


def _json(result: object) -> Json:
    return dict(encode(result))


def _without(values: Json, *keys: str) -> Json:
    return {key: value for key, value in values.items() if key not in keys}


@_tool("List projects", a.NoArguments, o.PROJECTS)
def list_projects(call: Call[a.NoArguments]) -> Json:
    """Projects this session may search, with models and coverage. Start here."""
    only = None if call.visible is None else sorted(call.visible)
    projects = call.container.projects.list_projects(ListProjects(only=only))
    return {"projects": [project_json(project) for project in projects], "count": len(projects)}


@_tool("Inspect a collection", a.Inspect, o.INSPECTION)
def inspect_collection(call: Call[a.Inspect]) -> Json:
    """How a project's collection is built: size, models, vectors, payload keys, indexes, running jobs."""
    request = InspectCollection(project=_project(call), sample=call.arguments.sample)
    return project_json(call.handle(request))


@_tool("Search by meaning", a.Query, o.QUERY)
def query(call: Call[a.Query]) -> Json:
    """Dense search for passages ready to cite: citekey, printed and PDF page, section, DOI."""
    return _query(call, hybrid=False)


@_tool("Search by meaning and words", a.Query, o.QUERY)
def query_hybrid(call: Call[a.Query]) -> Json:
    """Dense + BM25 search; the best first choice. Same answer as query."""
    return _query(call, hybrid=True)


def _query(call: Call[a.Query], *, hybrid: bool) -> Json:
    given = call.arguments
    request = Query(
        project=_project(call),
        text=given.text,
        hybrid=hybrid,
        top_k=given.top_k,
        filters=given.filters,
        max_tokens=given.max_tokens,
        full_text=given.full_text,
        per_document=given.per_document,
    )
    return _json(call.handle(request))


@_tool("Read a passage", a.GetPassage, o.PASSAGE)
def get_passage(call: Call[a.GetPassage]) -> Json:
    """One passage whole, with its neighbours and the page it stands on."""
    given = call.arguments
    request = GetPassage(chunk_id=given.chunk_id, project=_project(call), context=given.context)
    return _without(_json(call.handle(request)), "project")


@_tool("List documents", a.ListDocuments, o.DOCUMENTS)
def list_documents(call: Call[a.ListDocuments]) -> Json:
    """Documents with citekey, title, pages, status, and why one failed."""
    given = call.arguments
    request = ListDocuments(project=_project(call), status=given.status, limit=given.limit, offset=given.offset)
    page = _json(call.handle(request))
    # Paths of the researcher's files are not disclosed to agents.
    rows = [{key: value for key, value in row.items() if key in _DOCUMENT_KEYS} for row in page["documents"]]
    return {**page, "documents": rows}


@_tool("Read a document", a.GetDocument, o.DOCUMENT)
def get_document(call: Call[a.GetDocument]) -> Json:
    """A document, or some of its pages, as Markdown. Name it by doc_id or citekey."""
    given = call.arguments
    if bool(given.doc_id) == bool(given.citekey):
        raise CiteLoomError(Code.INVALID_INPUT, "Name the document once.", "Give doc_id or citekey, not both.")
    pages = None if given.pages is None else str(given.pages)
    request = GetDocument(project=_project(call), doc_id=given.doc_id, citekey=given.citekey, pages=pages)
    return _json(call.handle(request))


@_tool("Verify a quotation", a.VerifyQuote, o.QUOTE)
def verify_quote(call: Call[a.VerifyQuote]) -> Json:
    """Whether a work says a quotation, and on which page: exact, near (with a diff), absent, inconclusive.
    Check every quotation before you hand it over."""
    given = call.arguments
    page = None if given.page is None else str(given.page)
    request = VerifyQuote(project=_project(call), quote=given.quote, citekey=given.citekey, page=page)
    answer = _json(call.handle(request))
    return {**answer, **shortened_values({key: answer[key] for key in ("quote", "page_claimed")})}


@_tool("Format citations", a.FormatCitations, o.CITATIONS)
def format_citations(call: Call[a.FormatCitations]) -> Json:
    """Bibliography or in-text citations from the library's own records, in any CSL style; or BibTeX, CSL-JSON."""
    given = call.arguments
    if given.format not in _CITATION_FORMATS:
        raise CiteLoomError(
            Code.INVALID_INPUT,
            f"There is no format '{given.format[:40]}'.",
            f"It can be: {', '.join(_CITATION_FORMATS)}.",
            valid=list(_CITATION_FORMATS),
        )
    project, cites = _project(call), tuple(given.citekeys)
    style, text, entries = None, "", tuple[str, ...]()
    made: RecordsResult | CiteResult
    if given.format in RECORD_FORMATS:
        made = call.handle(GetRecords(project=project, cites=cites, format=given.format))
        text = made.text
    else:
        # Agents choose a style by name: only the researcher may name a style file.
        made = call.handle(Cite(project=project, cites=cites, style=given.style, style_files=False))
        style, entries = made.style.title, made.citations if given.format == "citation" else made.bibliography
        text = "\n\n".join(entries)
    renamed = [key for key in made.keys if key.renamed_from]
    return _json(o.FormattedCitations(given.format, style, text, entries, renamed, made.warnings))


@_tool("Check citations", a.CheckCitations, o.CHECK)
def check_citations(call: Call[a.CheckCitations]) -> Json:
    """Every citation in a piece of manuscript against key, quotation and page."""
    visible = None if call.visible is None else tuple(call.visible)
    report = call.handle(CheckManuscript(project=_project(call), text=call.arguments.text, visible=visible))
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


@_tool("How to use CiteLoom", a.Help, o.HELP)
def help(call: Call[a.Help]) -> Json:
    """How to search, filter, cite and ingest."""
    return _json(o.HelpText(*guide(call.arguments.topic)))


@_tool("Import documents", a.Ingest, o.INGESTION, WRITE, open_world=True)
def ingest_from_source(call: Call[a.Ingest]) -> Json:
    """Import a file, folder or part of Zotero that the project may read. Answers within 15 s; status 'running'
    means that it goes on: call again for its progress."""
    given = call.arguments
    project, source = _project(call), given.source.strip()
    if not source:
        raise CiteLoomError(Code.INVALID_INPUT, "source is empty.", 'Name a file or folder; "." is the project\'s own.')
    options = given.options.model_dump(exclude_none=True) if given.options else {}
    # The session waits for the job.
    return {"job_id": call.container.imports.ingest_for_agent(Ingest(project=project, source=source, **options)).id}


@_tool("Store passages", a.StoreChunks, o.STORED, WRITE)
def store_chunks(call: Call[a.StoreChunks]) -> Json:
    """Store 100-500 passages you embedded with the project's dense model (fewer only as the last batch).
    Idempotent by id. They count as no work until the researcher confirms them."""
    items = [AgentChunk(**dict(item)) for item in call.arguments.items]
    return _json(call.handle(StoreChunks(project=_project(call), items=items)))


@_tool("Delete a document", a.DeleteDocument, o.DELETED, WRITE, destructive=True)
def delete_document(call: Call[a.DeleteDocument]) -> Json:
    """Take a document out of the index. Its file stays."""
    return _json(call.handle(DeleteDocument(project=_project(call), doc_id=call.arguments.doc_id)))
