"""Types of manuscripts, citations and quotations. Returned by the readers, used by `evidence`."""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass
from functools import cached_property


@dataclass(frozen=True, slots=True)
class Span:
    """A half-open range of characters of the manuscript's text."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Quotation:
    """Quoted text of a manuscript, without quotation marks and markup."""

    text: str
    span: Span  # in the manuscript's text, without the quotation marks
    block: bool = False  # a block quotation: a paragraph of its own


@dataclass(frozen=True, slots=True)
class Citation:
    """One citekey at one place. [@a; @b, p. 3] is two citations of the same group."""

    key: str  # as written, without markup
    span: Span  # of the key alone, so that it can be rewritten
    group: int  # citations with the same number are in one bracket or command
    prefix: str = ""  # "see", as written before the key
    locator: str = ""  # as written after it: "p. 33", "33--35", "chap. 2"
    pages: tuple[str, str] | None = None  # first and last page that the locator names, as written; None: it names none
    pages_span: Span | None = None  # of the page number or range alone, so that it can be rewritten
    suffix: str = ""  # what follows the locator
    suppress_author: bool = False  # [-@key], \citeyear
    in_text: bool = False  # @key says …, \textcite: the work is part of the sentence
    sentence: str = ""  # the sentence it belongs to, as plain text without the citation
    quotations: tuple[Quotation, ...] = ()  # those of its sentence or block that it is the source of
    zotero_items: tuple[str, ...] = ()  # keys of Zotero items, if the manuscript contains them (DOCX)
    doi: str = ""  # if the manuscript contains it (DOCX)
    title: str = ""  # of the work, if the manuscript contains it (DOCX), where keys are not visible

    @property
    def claimed_pages(self) -> str | None:
        """The pages that it names, as one page or a range."""
        return "-".join(dict.fromkeys(self.pages)) if self.pages else None


@dataclass(frozen=True)
class Manuscript:
    """A manuscript and its citations."""

    format: str  # markdown, latex, typst, org, asciidoc or docx
    text: str  # the complete text; for DOCX the prose, one paragraph per line
    citations: tuple[Citation, ...]
    encoding: str = "utf-8"  # in which `text` encodes to the file's bytes
    fixable: bool = True  # whether spans are offsets in the file
    warnings: tuple[str, ...] = ()  # about a guessed encoding, unread parts, …

    def line_and_column(self, offset: int) -> tuple[int, int]:
        """Return line and column of a character, both from 1. Carriage returns alone do not end a line."""
        offset = max(offset, self._lines[0])
        line = bisect_right(self._lines, offset)
        return line, offset - self._lines[line - 1] + 1

    @cached_property
    def _lines(self) -> list[int]:
        """Start of each line; editors do not count a byte order mark."""
        return [int(self.text.startswith("\ufeff")), *(match.end() for match in re.finditer("\n", self.text))]
