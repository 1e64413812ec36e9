"""Plain data types that all layers share: records, converted documents, passages."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any


class TextSource(StrEnum):
    """Where a passage's text comes from."""

    NATIVE = "native"
    OCR = "ocr"
    ANNOTATION = "annotation"
    NOTE = "note"
    AGENT = "agent"  # written by an agent, not read from a file
    ZOTERO_FULLTEXT = "zotero_fulltext"  # extracted by Zotero from a file that is not on this disk; without pages


class BlockKind(StrEnum):
    """Kind of a block."""

    HEADING = "heading"
    TEXT = "text"
    TABLE = "table"
    CODE = "code"
    CAPTION = "caption"
    FOOTNOTE = "footnote"
    FIGURE = "figure"  # the words inside a figure: labels of axes, boxes of a diagram


# Beside the running text: never part of a paragraph.
ASIDE = frozenset({BlockKind.CAPTION, BlockKind.FOOTNOTE, BlockKind.FIGURE})


@dataclass(frozen=True, slots=True)
class Record:
    """Bibliographic record of a work, as the reference manager has it."""

    citekey: str
    title: str = ""
    authors: tuple[str, ...] = ()  # "Family, Given"
    year: int | None = None
    doi: str | None = None
    url: str | None = None
    item_type: str = "document"
    tags: tuple[str, ...] = ()
    collections: tuple[str, ...] = ()
    page_range: str | None = None  # printed pages, as in the record: "253-265"
    language: str | None = None
    files: tuple[str, ...] = ()  # paths named by the record, absolute or relative to its file
    key_made: bool = False  # the citekey was made by CiteLoom, not by the researcher
    csl: Mapping[str, Any] = field(default_factory=dict)  # the whole record as CSL-JSON


@dataclass(frozen=True, slots=True)
class Source:
    """A folder, a file or a part of Zotero that a project may read."""

    kind: str  # "folder", "file" or "zotero"
    path: str  # of Zotero: which library, collection or search, by its key
    recursive: bool = True
    label: str = ""  # what a person calls it, where that is not its path

    def holds(self, path: Path) -> bool:
        """Whether a resolved path belongs to this source."""
        own = Path(self.path)
        if self.kind == "zotero":
            return False
        if self.kind == "file":
            return path == own
        return path.is_relative_to(own) if self.recursive else path.parent == own


@dataclass(frozen=True, slots=True)
class AccessEntry:
    """A call of an editor in the access log."""

    id: int
    at: str
    correlation_id: str
    client: str
    project_id: str | None
    tool: str
    asked: str
    passages: list[str]  # the ids of the passages whose text went out
    outcome: str  # ok, or the code of an error
    milliseconds: float


@dataclass(frozen=True, slots=True)
class Page:
    """A page of a document: PDF page, PDF label and printed number are three different things."""

    number: int  # from 1
    text: str
    pdf_label: str | None = None
    printed: str | None = None
    printed_from: str | None = None  # margin, neighbours (the pages around it print theirs) or record
    text_source: TextSource = TextSource.NATIVE
    ocr_confidence: float | None = None  # 0 to 1
    margin: tuple[str, ...] = ()  # lines that are in no passage: running heads and feet, the page number, stamps

    @property
    def label(self) -> str:
        """The page as a reader would cite it: printed number, else the PDF's label, else the PDF page."""
        return self.printed or self.pdf_label or str(self.number)


@dataclass(frozen=True, slots=True)
class Block:
    """A heading, paragraph, table or piece of code, with its position."""

    kind: BlockKind
    text: str
    section_path: tuple[str, ...] = ()  # headings above it, outermost first; a heading ends with itself
    page: int | None = None  # PDF page on which it stands
    lines: tuple[int, int] | None = None  # first and last line, for formats without pages
    extra: Mapping[str, Any] = field(default_factory=dict)  # e.g. header_level, class_name, function_name
    continues: bool = False  # the same paragraph as the block before, across a page or column break
    text_source: TextSource = TextSource.NATIVE
    ocr_confidence: float | None = None  # 0 to 1, where CiteLoom recognised the text itself


@dataclass(frozen=True, slots=True)
class Converted:
    """A document as text: its pages and its blocks in reading order."""

    file_type: str  # pdf, docx, pptx, html, epub, image, markdown, text, python
    converter: str  # name and version of what converted it
    blocks: tuple[Block, ...]
    pages: tuple[Page, ...] = ()  # empty for formats without pages
    title: str = ""
    dois: tuple[str, ...] = ()  # DOIs seen in the document, first page first
    word_coverage: float | None = None  # share of the file's own words that the blocks hold
    warnings: tuple[str, ...] = ()
    engine: str = "plain"  # what found its structure: docling, or plain (quick text, or the fallback)
    fallback_reason: str | None = None  # why docling's structure was not used
    ocr_languages: tuple[str, ...] = ()  # the languages its pictures were read in; empty where none were
    waiting_for_ocr: int = 0  # pages that the quick text leaves out

    @property
    def text_source(self) -> str:
        """native, ocr, or mixed where some pages were recognised in pictures and others not; note, annotation, …"""
        sources = {part.text_source for part in self.pages or self.blocks if part.text.strip()}
        return "mixed" if len(sources) > 1 else str(next(iter(sources), TextSource.NATIVE))

    @property
    def ocr_share(self) -> float | None:
        """The share of its pages that was recognised in pictures; None while some are still to be."""
        read = [part.text_source == TextSource.OCR for part in self.pages or self.blocks if part.text.strip()]
        return None if self.waiting_for_ocr or not read else sum(read) / len(read)

    def to_json(self) -> dict[str, Any]:
        """Return the document as JSON, for the conversion cache."""
        return asdict(self)

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Converted:
        """Return the document from its JSON."""
        blocks = tuple(
            Block(
                kind=BlockKind(b["kind"]),
                text=b["text"],
                section_path=tuple(b["section_path"]),
                page=b["page"],
                lines=tuple(b["lines"]) if b["lines"] else None,
                extra=b["extra"],
                continues=b["continues"],
                text_source=TextSource(b["text_source"]),
                ocr_confidence=b["ocr_confidence"],
            )
            for b in data["blocks"]
        )
        return cls(
            file_type=data["file_type"],
            converter=data["converter"],
            blocks=blocks,
            pages=tuple(
                Page(**{**p, "text_source": TextSource(p["text_source"]), "margin": tuple(p.get("margin", ()))})
                for p in data["pages"]
            ),
            title=data["title"],
            dois=tuple(data["dois"]),
            word_coverage=data["word_coverage"],
            warnings=tuple(data["warnings"]),
            engine=data["engine"],
            fallback_reason=data["fallback_reason"],
            ocr_languages=tuple(data["ocr_languages"]),
            waiting_for_ocr=data["waiting_for_ocr"],
        )


@dataclass(frozen=True, slots=True)
class Passage:
    """A citable piece of a document: its text, pages and section."""

    index: int
    text: str
    section_path: tuple[str, ...] = ()
    page_start: int | None = None
    page_end: int | None = None
    page_labels: tuple[str, ...] = ()  # as printed, one for each page from page_start to page_end
    text_source: TextSource = TextSource.NATIVE
    ocr_confidence: float | None = None
    extra: Mapping[str, Any] = field(default_factory=dict)  # lines, header_level, class_name, function_name

    @property
    def embedded_text(self) -> str:
        """What the model reads: the headings above, then the text itself."""
        return f"{' > '.join(self.section_path)}\n{self.text}" if self.section_path else self.text

    def to_json(self) -> dict[str, Any]:
        """Return the passage as JSON."""
        return asdict(self)

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Passage:
        """Return the passage from its JSON."""
        values = dict(data)
        values["section_path"] = tuple(data["section_path"])
        values["page_labels"] = tuple(data["page_labels"])
        values["text_source"] = TextSource(data["text_source"])
        return cls(**values)


@dataclass(frozen=True, slots=True)
class Coverage:
    """How much of a project can be searched, in documents."""

    documents: int
    searchable: int
    pending: int
    failed: int
    without_file: int


@dataclass(frozen=True, slots=True)
class IndexLocation:
    """Location of one generation of a collection."""

    name: str
    generation: int
    server: str = ""  # the address of a Qdrant server; "": embedded
    tag: str = ""  # distinguishes it on a server from another user's collection of the same name

    @property
    def on_server(self) -> str:
        """The name of the collection on its server."""
        return f"{self.family}{self.generation:04d}"

    @property
    def family(self) -> str:
        """The prefix of all its generations on a server."""
        return f"{self.name}-{self.tag}-g"
