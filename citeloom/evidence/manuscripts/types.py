"""Manuscripts and their citations, as readers give them to `evidence`."""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass, field
from functools import cached_property


@dataclass(frozen=True, slots=True)
class Span:
    """From one character of the manuscript's text up to another; the end is not part of it."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Quotation:
    """Words that the manuscript gives as another's, without their quotation marks and without markup."""

    text: str
    span: Span  # in the manuscript's text, without the marks around it
    block: bool = False  # a block quotation: set off as a paragraph of its own


@dataclass(frozen=True, slots=True)
class Citation:
    """One key in one place. A group such as [@a; @b, p. 3] is two citations of the same group."""

    key: str  # as written, without the sign that makes it a key
    span: Span  # of the key alone, so that it can be rewritten
    group: int  # citations with the same number stand in one bracket or command
    prefix: str = ""  # "see", as written before the key
    locator: str = ""  # as written after it: "p. 33", "33--35", "chap. 2"
    pages: tuple[str, str] | None = None  # first and last page that the locator names, as written; None: it names none
    pages_span: Span | None = None  # of the page number or range alone, so that it can be rewritten
    suffix: str = ""  # what follows the locator
    suppress_author: bool = False  # [-@key], \citeyear
    in_text: bool = False  # @key says …, \textcite: the work is part of the sentence
    sentence: str = ""  # the sentence it belongs to, as plain text without the citation
    quotations: tuple[Quotation, ...] = ()  # those of its sentence or block that it stands for
    zotero_items: tuple[str, ...] = ()  # keys of Zotero items, where the manuscript names works by them (DOCX)
    doi: str = ""  # where the manuscript carries it (DOCX)
    title: str = ""  # of the work, where the manuscript carries it (DOCX): its reader sees no key


@dataclass(frozen=True)
class Manuscript:
    """A manuscript as it was read."""

    format: str  # markdown, latex, typst, org, asciidoc or docx
    text: str  # all of it, every character where it was; for DOCX its prose, a paragraph a line
    citations: tuple[Citation, ...]
    encoding: str = "utf-8"  # in which `text` gives back the file's bytes
    fixable: bool = True  # whether spans are places in the file
    warnings: tuple[str, ...] = field(default_factory=tuple)  # what the reader should know: a guessed encoding, …

    def line_and_column(self, offset: int) -> tuple[int, int]:
        """Line and column of a character, both from 1. Carriage returns alone do not end a line."""
        offset = max(offset, self._lines[0])
        line = bisect_right(self._lines, offset)
        return line, offset - self._lines[line - 1] + 1

    @cached_property
    def _lines(self) -> list[int]:
        """Where each line begins; no editor counts a byte order mark."""
        return [int(self.text.startswith("\ufeff")), *(match.end() for match in re.finditer("\n", self.text))]
