"""The verbs of search: passages for a question, one passage with its surroundings, and what can be filtered by."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from citeloom.api.verbs import Request
from citeloom.core.types import Coverage


@dataclass(frozen=True, slots=True)
class PassageReference:
    """A passage by its id and its citation."""

    chunk_id: str
    cite: str | None


@dataclass(frozen=True, kw_only=True)
class FoundPassage:
    """A passage with everything that is needed to cite it."""

    chunk_id: str
    doc_id: str
    source: str
    render_text: str  # the text, cut after a sentence where it is too long
    citekey: str  # "" where it counts as no work
    claimed_citekey: str | None  # a work that its document says it is, not confirmed
    citekey_made: bool  # by CiteLoom, not by the researcher
    renamed_from: tuple[str, ...]
    title: str | None
    authors: tuple[str, ...]
    year: int | None
    section: str | None
    section_path: tuple[str, ...]
    page_span: tuple[int, int] | None  # PDF pages
    page_labels: tuple[str, ...]  # as printed
    doi: str | None
    url: str | None
    text_source: str
    ocr_confidence: float | None
    cite: str | None  # as Pandoc reads it
    open_uri: str | None
    full_text: str | None  # the whole text, where it was asked for


@dataclass(frozen=True, kw_only=True)
class SearchHit(FoundPassage):
    """A passage that was found, with its score."""

    score: float
    merged: tuple[PassageReference, ...]  # the neighbouring passages that it joins, in reading order
    also_in: tuple[PassageReference, ...]  # passages with the same text


@dataclass(frozen=True, slots=True)
class RerankCost:
    """What reranking took."""

    model: str
    candidates: int
    seconds: float


@dataclass(frozen=True, kw_only=True)
class QueryResult:
    """The passages nearest to a question, best first."""

    items: tuple[SearchHit, ...]
    count: int
    dense_model: str
    sparse_model: str | None
    fusion: str | None
    reranked: RerankCost | None
    coverage: Coverage
    total_tokens: int
    budget_utilized: float | None  # share of max_tokens
    truncated: bool  # hits were left out to keep within max_tokens
    truncated_count: int
    warnings: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class Query(Request[QueryResult], verb="search.query"):
    """Search a project by meaning, or by meaning and words."""

    project: str
    text: str
    hybrid: bool | None = None  # by words too; None: where the project has a sparse model
    top_k: int | None = None
    filters: Mapping[str, Any] | None = None  # as agents write them
    max_tokens: int | None = None
    full_text: bool = False
    per_document: int | None = None


@dataclass(frozen=True, slots=True)
class Neighbour:
    """A passage before or after another in its document."""

    chunk_id: str
    render_text: str
    section_path: tuple[str, ...]
    page_span: tuple[int, int] | None
    page_labels: tuple[str, ...]
    cite: str | None


@dataclass(frozen=True, kw_only=True)
class PageText:
    """The text of a page, and the three numbers that it may have."""

    number: int  # PDF page
    label: str  # as a reader would cite it
    text: str
    pdf_label: str | None
    printed: str | None
    printed_from: str | None
    text_source: str
    ocr_confidence: float | None
    margin: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class PassageResult:
    """One passage whole, its neighbours, and the page on which it begins."""

    project: str
    passage: FoundPassage
    refined_from: str | None  # the id that was asked for, where its document has been read better since
    before: tuple[Neighbour, ...]
    after: tuple[Neighbour, ...]
    links: tuple[dict[str, Any], ...] = ()
    page: PageText | None


@dataclass(frozen=True, kw_only=True)
class GetPassage(Request[PassageResult], verb="search.get_passage"):
    """Read one passage, by its id."""

    chunk_id: str
    project: str | None = None  # None: whichever has it
    context: int = 1  # neighbours on each side


@dataclass(frozen=True, kw_only=True)
class FacetsResult:
    """The values that a project's searchable documents have, most frequent first."""

    years: tuple[int, int] | None  # the first and the last
    authors: tuple[str, ...]
    tags: tuple[str, ...]
    collections: tuple[str, ...]
    sections: tuple[str, ...]  # outermost headings, as `section_prefix` compares them


@dataclass(frozen=True, kw_only=True)
class GetFacets(Request[FacetsResult], verb="search.facets"):
    """List what a project can be filtered by."""

    project: str
