"""The tools of the toolsets `read` and `write`. Used by the session."""

from __future__ import annotations

from dataclasses import fields
from functools import partial
from pathlib import Path
from typing import TypeVar

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
from citeloom.core.errors import CiteLoomError, Code
from citeloom.core.jobs import Job, Progress
from citeloom.core.text.sanitize import shortened_values
from citeloom.tools import arguments as a
from citeloom.tools import results as o
from citeloom.tools.guide import guide
from citeloom.tools.tool import WRITE, Call, ImportOutcome, Json, StartedImport, ToolTable, as_json, tool, without

_DOCUMENT_KEYS = {field.name for field in fields(DocumentSummary)}
_CITATION_FORMATS = ("bibliography", "citation", *RECORD_FORMATS)
_MAX_FINDINGS = 100  # in one answer
_NO_PROGRESS = Progress(total=0, stage="queued")

P = TypeVar("P", bound=a.InProject)

TOOLS: ToolTable = {}
_tool = partial(tool, TOOLS)


def _project(call: Call[P]) -> str:
    """Return the project named in the arguments; raise INVALID_PROJECT if the session may not access it."""
    return call.project(call.arguments.project)


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
    answer = without(as_json(call.handle(request)), *o.QUERY_TIMES)
    hits = (without(hit, "details", *(() if hit["by_words_only"] else ["by_words_only"])) for hit in answer["items"])
    return {**answer, "items": list(hits)}


@_tool("Read a passage", a.GetPassage, o.PASSAGE)
def get_passage(call: Call[a.GetPassage]) -> Json:
    """One passage whole, with its neighbours and the page it stands on."""
    given = call.arguments
    request = GetPassage(
        chunk_id=given.chunk_id,
        project=_project(call),
        context=given.context,
        visible=call.visible_ids,
    )
    return without(as_json(call.handle(request)), "project")


@_tool("List documents", a.ListDocuments, o.DOCUMENTS)
def list_documents(call: Call[a.ListDocuments]) -> Json:
    """Documents with citekey, title, pages, status, and why one failed."""
    given = call.arguments
    request = ListDocuments(project=_project(call), status=given.status, limit=given.limit, offset=given.offset)
    page = as_json(call.handle(request))
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
    return without(as_json(call.handle(request)), "metadata")


@_tool("Verify a quotation", a.VerifyQuote, o.QUOTE)
def verify_quote(call: Call[a.VerifyQuote]) -> Json:
    """Whether a work says a quotation, and on which page: exact, near (with a diff), absent, inconclusive.
    Check every quotation before you hand it over."""
    given = call.arguments
    page = None if given.page is None else str(given.page)
    request = VerifyQuote(project=_project(call), quote=given.quote, citekey=given.citekey, page=page)
    answer = as_json(call.handle(request))
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
    return as_json(o.FormattedCitations(given.format, style, text, entries, renamed, made.warnings))


@_tool("Check citations", a.CheckCitations, o.CHECK)
def check_citations(call: Call[a.CheckCitations]) -> Json:
    """Every citation in a piece of manuscript against key, quotation and page."""
    report = call.handle(CheckManuscript(project=_project(call), text=call.arguments.text, visible=call.visible_ids))
    # Edits with byte positions are for programs that fix a file; an agent has the text itself.
    answer = without(as_json(report), "edits", "fixable", "encoding", "file", "sha256")
    findings = [
        shortened_values(without(finding, "edit", "end_line", "end_column"))
        for finding in answer["findings"][:_MAX_FINDINGS]
    ]
    omitted = max(0, len(report.findings) - _MAX_FINDINGS)
    return {
        **answer,
        "findings": findings,
        "texts": [without(text, "words") for text in answer["texts"]],
        "truncated": omitted > 0,
        "truncated_count": omitted,
    }


@_tool("How to use CiteLoom", a.Help, o.HELP)
def help(call: Call[a.Help]) -> Json:
    """How to search, filter, cite and ingest."""
    return as_json(o.HelpText(*guide(call.arguments.topic)))


@_tool("Import documents", a.Ingest, o.INGESTION, WRITE, open_world=True)
def ingest_from_source(call: Call[a.Ingest]) -> StartedImport:
    """Import a file, folder or part of Zotero that the project may read. Answers within 15 s; status 'running'
    means that it goes on: call again for its progress."""
    given = call.arguments
    project, source = _project(call), given.source.strip()
    if not source:
        raise CiteLoomError(Code.INVALID_INPUT, "source is empty.", 'Name a file or folder; "." is the project\'s own.')
    options = given.options.model_dump(exclude_none=True) if given.options else {}
    job = call.container.imports.ingest_for_agent(Ingest(project=project, source=source, **options))
    return StartedImport(job.id, partial(_import_answer, project))


def _import_answer(project: str, outcome: ImportOutcome) -> Json:
    """Return the result of an import, or its progress."""
    answer: Json = {"project": project, "job_id": outcome.job_id}
    job = outcome.finished
    if job is None:
        reached = encode(outcome.progress or _NO_PROGRESS)
        paused = ["The researcher has paused imports: this one begins when they are resumed."]
        return {**answer, "status": "running", **reached} | ({"warnings": paused} if outcome.paused else {})
    raise_failure(job)
    return {**answer, "status": job.state, **job.result}


def raise_failure(job: Job) -> None:
    """Raise the error of a failed import, also if the only file of the request failed."""
    if job.state == "failed":
        raise CiteLoomError.from_dict(job.result["error"])
    errors = job.result.get("errors") or []
    if errors and errors[0]["source"] == job.request["source"]:
        raise CiteLoomError(Code(errors[0]["code"]), errors[0]["reason"], source=Path(errors[0]["source"]).name)


@_tool("Store passages", a.StoreChunks, o.STORED, WRITE)
def store_chunks(call: Call[a.StoreChunks]) -> Json:
    """Store 100-500 passages you embedded with the project's dense model (fewer only as the last batch).
    Idempotent by id. They count as no work until the researcher confirms them."""
    items = [AgentChunk(**dict(item)) for item in call.arguments.items]
    return as_json(call.handle(StoreChunks(project=_project(call), items=items)))


@_tool("Delete a document", a.DeleteDocument, o.DELETED, WRITE, destructive=True)
def delete_document(call: Call[a.DeleteDocument]) -> Json:
    """Take a document out of the index. Its file stays."""
    return as_json(call.handle(DeleteDocument(project=_project(call), doc_id=call.arguments.doc_id)))
