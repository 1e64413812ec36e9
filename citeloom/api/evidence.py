"""Verbs of evidence: verify quotations, check manuscripts, format citations, export records."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Literal

import msgspec

from citeloom.api.verbs import Request
from citeloom.core.types import Coverage

# -- quotations ----------------------------------------------------------------------------------------------


class Verdict(StrEnum):
    """Whether a work has a quotation."""

    EXACT = "exact"  # word for word
    NEAR = "near"  # the same passage, with words changed, added or left out
    ABSENT = "absent"
    INCONCLUSIVE = "inconclusive"  # too short or too common to prove anything, or not everything could be read


@dataclass(frozen=True, slots=True)
class Change:
    """Words of the quotation and the different words of the work; either may be empty."""

    quote: str
    work: str


@dataclass(frozen=True, kw_only=True)
class OtherWork:
    """A work other than the claimed one that has the quotation."""

    citekey: str
    title: str
    cite: str | None
    verdict: Verdict
    page_span: tuple[int, int] | None
    page_labels: tuple[str, ...]
    text: str | None
    source: str
    matched_by: str | None
    text_source: str | None


@dataclass(frozen=True, kw_only=True)
class UnconfirmedDocument:
    """A document that has the quotation but belongs to no work."""

    doc_id: str
    source: str
    claimed_citekey: str | None
    text_source: str | None


@dataclass(frozen=True, slots=True)
class Searched:
    """How many documents and pages were searched."""

    documents: int
    pages: int


@dataclass(frozen=True, kw_only=True)
class VerifyResult:
    """The verdict on a quotation and its place in the work, which is empty if it was not found."""

    verdict: Verdict
    message: str
    quote: str
    citekey: str | None
    renamed_from: str | None
    title: str | None
    doc_id: str | None
    cite: str | None
    page_span: tuple[int, int] | None
    page_labels: tuple[str, ...]
    page_claimed: str | None
    page_right: bool | None  # None: no page was claimed, or the printed page numbers are not known
    section_path: tuple[str, ...]
    text: str | None  # as in the work
    sentence: str | None  # the sentences around it
    allowed: tuple[str, ...]  # kinds of differences that do not count
    diff: str | None
    changes: tuple[Change, ...]
    in_references: bool
    is_quotation: bool  # the work itself quotes it
    source: str | None
    matched_by: str | None
    text_source: str | None
    ocr_confidence: float | None
    open_uri: str | None
    places: int  # number of occurrences in the work
    elsewhere: OtherWork | None
    unconfirmed: UnconfirmedDocument | None
    searched: Searched
    coverage: Coverage
    warnings: tuple[str, ...]


class VerifyQuote(Request[VerifyResult], verb="evidence.verify"):
    """Look a quotation up in a work, or in all works of a project."""

    project: str
    quote: str
    citekey: str | None = None
    page: str | None = None  # the claimed printed page


# -- manuscripts ---------------------------------------------------------------------------------------------

Level = Literal["error", "warning", "note"]


@dataclass(frozen=True, kw_only=True)
class Finding:
    """A problem in a manuscript. Lines and columns count from 1."""

    rule: str
    level: Level
    line: int
    column: int
    end_line: int
    end_column: int
    citekey: str
    message: str
    quotation: str | None
    sentence: str
    near: tuple[str, ...]  # similar citekeys
    page_claimed: str | None
    page_labels: tuple[str, ...]
    page_span: tuple[int, int] | None
    diff: str | None
    source: str | None
    matched_by: str | None
    edit: int | None  # index of the edit of the report that would correct it


@dataclass(frozen=True, slots=True)
class ManuscriptEdit:
    """A replacement of some characters of a manuscript."""

    start: int
    end: int
    old: str
    new: str
    line: int
    column: int
    why: str


@dataclass(frozen=True, slots=True)
class FindingCounts:
    """The number of findings of each level."""

    error: int
    warning: int
    note: int


class SearchedText(msgspec.Struct, frozen=True, rename={"description": "words"}):
    """A document in which quotations were looked up."""

    citekey: str
    source: str
    matched_by: str | None
    text_source: str | None
    description: str  # the file and how it was matched, for display


@dataclass(frozen=True, kw_only=True)
class CheckReport:
    """The result of checking the key, quotation and page of every citation of a manuscript."""

    project: str
    format: str
    citations: int
    works: int
    quotations: int
    findings: tuple[Finding, ...]
    counts: FindingCounts
    edits: tuple[ManuscriptEdit, ...]
    texts: tuple[SearchedText, ...]
    fixable: bool  # whether the edits can be applied to the file
    encoding: str
    coverage: Coverage
    warnings: tuple[str, ...]
    file: str | None
    sha256: str | None  # of the checked file


class CheckManuscript(Request[CheckReport], verb="evidence.check"):
    """Check a manuscript: a file by its path, or a text."""

    project: str | None = None  # None: the default project, or the only one
    path: str | None = None
    text: str | None = None
    format: str | None = None  # of a text; None: detected
    visible: tuple[str, ...] | None = None  # the projects that findings may name; None: all


# -- citations and records -----------------------------------------------------------------------------------

Markup = Literal["markdown", "html", "text"]  # for italics and links
RECORD_FORMATS = ("bibtex", "csl-json")  # of single records


@dataclass(frozen=True, slots=True)
class CitationStyle:
    """The CSL style of a result."""

    id: str
    title: str


@dataclass(frozen=True, slots=True)
class ResolvedKey:
    """The citekey of a work, and the former one that was requested."""

    key: str
    renamed_from: str | None


@dataclass(frozen=True, kw_only=True)
class CiteResult:
    """In-text citations and the bibliography of all works that they name."""

    style: CitationStyle
    locale: str
    citations: tuple[str, ...]
    bibliography: tuple[str, ...]
    keys: tuple[ResolvedKey, ...]
    warnings: tuple[str, ...]


class Cite(Request[CiteResult], verb="evidence.cite"):
    """Format citations from the library's own records."""

    cites: tuple[str, ...]  # each a citekey or a Pandoc citation
    project: str | None = None  # None: works are looked up in every project
    style: str | None = None  # a CSL style by id or title
    style_files: bool = True  # whether `style` may be the path of a .csl file
    locale: str | None = None
    markup: Markup = "markdown"


@dataclass(frozen=True, kw_only=True)
class RecordsResult:
    """The records of works as a BibTeX or CSL-JSON file."""

    text: str
    keys: tuple[ResolvedKey, ...]
    warnings: tuple[str, ...]


class GetRecords(Request[RecordsResult], verb="evidence.records"):
    """Get the records of the works that citations name, each once."""

    project: str
    cites: tuple[str, ...]
    format: str  # bibtex, biblatex or csl-json


@dataclass(frozen=True, slots=True)
class RecordResult:
    """The record of one work as text."""

    text: str
    citekey: str
    renamed_from: str | None  # the former citekey that was requested


class GetRecord(Request[RecordResult], verb="evidence.record"):
    """Get the record of one work by its current or a former citekey."""

    project: str
    citekey: str
    format: str  # bibtex or csl-json


@dataclass(frozen=True, slots=True)
class UnknownKey:
    """A citekey in a manuscript that no work of the project has."""

    key: str
    near: tuple[str, ...]
    file: str
    line: int


@dataclass(frozen=True, kw_only=True)
class ExportResult:
    """The works of a project as the text of a file."""

    text: str
    count: int
    unknown: tuple[UnknownKey, ...]
    references: str | None  # the project's reference file
    warnings: tuple[str, ...]


class Export(Request[ExportResult], verb="evidence.export"):
    """Export the works of a project, or those that manuscripts cite."""

    project: str
    format: str  # bibtex, biblatex or csl-json
    escaped: bool = False  # ASCII instead of UTF-8
    cited_in: tuple[str, ...] = ()  # paths of manuscripts
