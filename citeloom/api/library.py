"""Verbs of the library: projects, documents and their works, page images, and passages stored by agents."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from citeloom.api.verbs import Request, encode
from citeloom.core.jobs import RunningJob
from citeloom.core.types import Coverage, Source

# -- projects ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class ProjectSummary:
    """A project with its models and coverage."""

    id: str
    collection: str
    dense_model: str
    sparse_model: str | None
    hybrid_enabled: bool
    document_count: int
    chunk_count: int
    coverage: Coverage
    problem: str | None = None  # why its index cannot be searched


@dataclass(frozen=True, kw_only=True)
class RecentJob:
    """One of the last jobs of a project."""

    job_id: str
    state: str
    created_at: str
    source: str | None


@dataclass(frozen=True, kw_only=True)
class ProjectDetails(ProjectSummary):
    """A project with its sources, size and jobs."""

    references: str | None
    sources: list[Source]
    server: str | None
    bytes: int
    created_at: str
    jobs: list[RunningJob]
    last_jobs: list[RecentJob]


@dataclass(frozen=True, kw_only=True)
class NewProject(ProjectDetails):
    """A new project, and the number of records in its references."""

    records: int | None  # None without references
    warnings: list[str]


@dataclass(frozen=True, kw_only=True)
class DisallowedSource(ProjectDetails):
    """A project without a removed source, and the job that removes the source's documents."""

    job_id: str
    disallowed: str


@dataclass(frozen=True, kw_only=True)
class RemovedProject(ProjectSummary):
    """A project as it was before it was removed."""

    note: str | None  # what to do about passages that could not be deleted


@dataclass(frozen=True, kw_only=True)
class ZoteroPart:
    """A part of a Zotero library, by name."""

    name: str  # a collection by name or key, search:NAME, or * for the whole library
    library: str | None = None  # by name or number
    recursive: bool = True  # including subcollections
    tags: Sequence[str] = ()  # only items with all of them


class AddProject(Request[NewProject], verb="library.add_project", read_only=False):
    """Create a project with the folders and the parts of Zotero that it may read."""

    project: str
    references: str | None = None
    folders: Sequence[str] = ()
    zotero: Sequence[ZoteroPart] = ()


class AllowSources(Request[ProjectDetails], verb="library.allow_sources", read_only=False):
    """Add sources to a project."""

    project: str
    folders: Sequence[str] = ()
    zotero: Sequence[ZoteroPart] = ()


class DisallowSource(Request[DisallowedSource], verb="library.disallow_source", read_only=False):
    """Remove a source from a project, by path or label, with its documents."""

    project: str
    source: str


class ListProjects(Request[list[ProjectSummary]], verb="library.list_projects"):
    """List all projects, or those with the given ids, by id."""

    only: Sequence[str] | None = None


class ShowProject(Request[ProjectDetails], verb="library.show_project"):
    """Get the details of a project."""

    project: str


class RemoveProject(Request[RemovedProject], verb="library.remove_project", read_only=False):
    """Delete the index and the rows of a project; the researcher's files are not touched."""

    project: str


@dataclass(frozen=True, kw_only=True)
class CollectionStorage:
    """Where the passages of a project are stored."""

    kind: str  # server or embedded
    bytes: int
    waiting_for_graph: int  # passages written or deleted since the last search graph was built
    on_disk_vectors: bool  # whether searches read the exact vectors from the disk
    on_disk_hnsw: bool  # whether searches read the search graph from the disk


@dataclass(frozen=True, kw_only=True)
class CollectionDetails(ProjectSummary):
    """The configuration of a project's collection."""

    project: str
    size: int
    named_vectors: list[str]
    payload_keys: list[str]
    indexes: dict[str, list[str]]
    storage: CollectionStorage
    jobs: list[RunningJob]
    sample_payloads: list[dict[str, Any]]


class InspectCollection(Request[CollectionDetails], verb="library.inspect_collection"):
    """Describe the collection of a project."""

    project: str
    sample: int = 0


def project_json(project: ProjectSummary) -> dict[str, Any]:
    """Return a project as JSON values, with `problem` only if there is one."""
    return {key: value for key, value in encode(project).items() if key != "problem" or value is not None}


# -- documents ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class DocumentSummary:
    """A document in a list, as agents may see it."""

    doc_id: str
    citekey: str
    claimed_citekey: str | None
    citekey_made: bool
    title: str
    source: str
    file_type: str
    pages: int | None
    chunk_count: int
    without_vector: int  # of its passages, those found by words only, until they are embedded
    content_hash: str | None
    status: str
    reason: str | None
    matched_by: str | None
    text_source: str | None
    converter_engine: str | None
    fallback_reason: str | None
    quick: bool
    word_coverage: float | None
    warnings: list[str]


@dataclass(frozen=True, kw_only=True)
class DocumentRow(DocumentSummary):
    """A document with the fields that agents may not see."""

    claimed_by: str
    decision: str
    reason_code: str | None
    ocr_share: float | None
    slow_pages: dict[str, list[int]]  # PDF pages that need more than their text layer, by reason
    year: int | None
    authors: list[str]
    path: str | None  # of its own file, if any
    open_uri: str | None
    created_at: str  # when it was first added
    last_modified: str | None  # time of its file, as ISO 8601 in UTC
    metadata: dict[str, Any]  # custom metadata


@dataclass(frozen=True, kw_only=True)
class DocumentPage:
    """One page of the documents of a project."""

    documents: list[DocumentRow]
    count: int
    total: int
    truncated: bool
    truncated_count: int
    next_offset: int | None
    coverage: Coverage


class ListDocuments(Request[DocumentPage], verb="library.list_documents"):
    """List documents of a project."""

    project: str
    status: str | None = None
    find: str = ""  # words of title, authors, citekey or path
    sort: str = "citekey"
    descending: bool = False
    limit: int = 1000
    offset: int = 0


@dataclass(frozen=True, kw_only=True)
class DocumentText(DocumentSummary):
    """The text of a document, or of some of its pages, as Markdown."""

    metadata: dict[str, Any]  # custom metadata
    renamed_from: str | None
    markdown: str
    pages_given: list[int] | None  # first and last
    truncated: bool
    next_pages: str | None


class GetDocument(Request[DocumentText], verb="library.get_document"):
    """Get the text of a document by its id or its citekey."""

    project: str
    doc_id: str | None = None
    citekey: str | None = None
    pages: str | None = None  # PDF pages: "3" or "3-5"


@dataclass(frozen=True, kw_only=True)
class DeletedDocument:
    """A document that was deleted from the index."""

    doc_id: str
    deleted_chunks: int
    note: str | None  # whether an import will add it again


class DeleteDocument(Request[DeletedDocument], verb="library.delete_document", read_only=False):
    """Delete a document from the index; its file is not touched."""

    project: str
    doc_id: str


@dataclass(frozen=True, kw_only=True)
class RemovedDocuments:
    """The number of documents deleted from the index."""

    removed: int
    notes: list[str]


class RemoveDocuments(Request[RemovedDocuments], verb="library.remove_documents", read_only=False):
    """Delete several documents from the index; unknown ids are ignored."""

    project: str
    doc_ids: Sequence[str]


@dataclass(frozen=True, kw_only=True)
class RereadStarted:
    """The job that reimports documents."""

    job_id: str | None  # None if there was nothing to reimport
    documents: int


class RereadDocuments(Request[RereadStarted], verb="library.reread_documents", read_only=False):
    """Reimport some documents, or all that failed; `convert_again` bypasses the conversion cache."""

    project: str
    doc_ids: Sequence[str] = ()
    failed: bool = False
    convert_again: bool = False


# -- which work a document is ------------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class ClaimedDocument(DocumentRow):
    """A document with an open claim to be a work."""

    why: str  # why it does not count as that work


class ListClaims(Request[list[ClaimedDocument]], verb="library.list_claims"):
    """List the documents of a project with open claims."""

    project: str


class ConfirmClaim(Request[DocumentRow], verb="library.confirm_claim", read_only=False):
    """Assign a document to the work that it claims to be, or to the given one."""

    project: str
    doc_id: str  # or its beginning
    citekey: str | None = None


class RefuseClaim(Request[DocumentRow], verb="library.refuse_claim", read_only=False):
    """Reject a document's claim to be a work."""

    project: str
    doc_id: str  # or its beginning


# -- passages and pages ------------------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class PassageSummary:
    """A passage of a document, without its text."""

    chunk_id: str
    doc_id: str
    chunk_index: int
    page_start: int | None  # PDF page
    tokens: int  # estimated


class ListPassages(Request[list[PassageSummary]], verb="library.list_passages"):
    """List the passages of some documents; unknown ids are ignored."""

    project: str
    doc_ids: Sequence[str]
    pages: tuple[int, ...] | None = None  # only passages that begin on one of these PDF pages


@dataclass(frozen=True, kw_only=True)
class AgentChunk:
    """A passage that an agent made and embedded."""

    id: str
    text: str
    embedding: list[float]
    metadata: dict[str, Any] | None = None  # in the format of the tool


@dataclass(frozen=True, kw_only=True)
class ChunkDocument:
    """The document of stored passages."""

    doc_id: str
    source: str
    claimed_citekey: str | None


@dataclass(frozen=True, kw_only=True)
class StoredChunks:
    """The result of storing passages."""

    chunks_written: int
    documents: list[ChunkDocument]
    project: str
    embed_model: str
    warnings: list[str]


class StoreChunks(Request[StoredChunks], verb="library.store_chunks", read_only=False):
    """Store passages that an agent made and embedded itself."""

    project: str
    items: Sequence[AgentChunk]


@dataclass(frozen=True, kw_only=True)
class PageImage:
    """An image of a page, with the lines of a passage marked."""

    page: int
    pages: int
    label: str
    png: str  # base64
    width: int
    height: int
    marks: list[list[float]]  # left, top, right, bottom as fractions of the page
    found: bool
    pending: bool  # the marks require a request with `recognise`
    text_source: str


class GetPageImage(Request[PageImage], verb="library.page_image"):
    """Render a page of a passage's document, by default the one on which the passage begins.

    Marks on a page whose text was recognised may take seconds: the result is `pending`, without marks, until it is
    asked for with `recognise`.
    """

    project: str
    chunk_id: str
    width: int
    page: int | None = None
    recognise: bool = False
