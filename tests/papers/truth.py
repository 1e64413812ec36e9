"""What is known about a made paper: every word, the pages it stands on, and what it is to a reader."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path


class Kind(StrEnum):
    """What a block of a paper is to a reader."""

    TITLE = "title"
    BYLINE = "byline"  # authors and where they work
    HEADING = "heading"
    TEXT = "text"
    REFERENCE = "reference"
    CAPTION = "caption"
    FOOTNOTE = "footnote"
    TABLE = "table"
    FIGURE = "figure"  # the words inside a figure
    CONTENTS = "contents"  # an entry of the table of contents


# What stands in the flow of reading; the rest has no place of its own in it.
IN_THE_FLOW = frozenset({Kind.HEADING, Kind.TEXT, Kind.REFERENCE})


@dataclass(slots=True)
class TrueWord:
    """A word and the PDF pages it stands on: two where a page's end breaks it."""

    text: str
    pages: tuple[int, ...] = ()
    broken: bool = False  # a line's end put a hyphen into it, or fell on its own


@dataclass(slots=True)
class TrueBlock:
    """A heading, paragraph, caption, note, table or figure, word by word."""

    kind: Kind
    words: list[TrueWord]
    section: tuple[str, ...] = ()  # the headings above, outermost first; a heading ends with itself
    level: int = 0  # of a heading, from 1
    sentences: tuple[int, ...] = (0,)  # at which word each sentence begins
    rows: tuple[tuple[str, ...], ...] = ()  # of a table

    @property
    def text(self) -> str:
        """The block as one line."""
        return " ".join(word.text for word in self.words)

    @property
    def pages(self) -> list[int]:
        """The PDF pages it stands on."""
        return sorted({page for word in self.words for page in word.pages})

    def on_page(self, page: int) -> str:
        """The words of it that stand on a page."""
        return " ".join(word.text for word in self.words if page in word.pages)


@dataclass(slots=True)
class TruePage:
    """A page of the PDF: how it is called, and what stands in its margins."""

    number: int
    label: str  # how a reader cites it
    prints_label: bool = True
    pdf_label: str | None = None
    running: tuple[str, ...] = ()  # header, footer, page number as printed
    imprint: tuple[str, ...] = ()  # lines of the margin that stand on this page alone: they may stay or go
    scanned: bool = False  # it needs OCR: a picture, or a text layer that is none
    recognised: bool = False  # somebody else's OCR lies behind its picture, and it is good


@dataclass(slots=True)
class Truth:
    """A paper as its maker knows it."""

    kind: str
    language: str  # en or de
    title: str
    outline: bool
    blocks: list[TrueBlock] = field(default_factory=list)  # in reading order
    pages: list[TruePage] = field(default_factory=list)

    def of_kind(self, *kinds: Kind) -> Iterator[TrueBlock]:
        """The blocks of some kinds, in reading order."""
        return (block for block in self.blocks if block.kind in kinds)

    @property
    def scanned_pages(self) -> set[int]:
        """The pages that only OCR can read."""
        return {page.number for page in self.pages if page.scanned}


@dataclass(frozen=True, slots=True)
class MadePaper:
    """A PDF and the truth about it."""

    path: Path
    truth: Truth
