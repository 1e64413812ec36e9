"""Papers whose truth is known: PDFs made from a seed, together with every word, page, heading and table in them.

`make("two_columns", folder)` gives the file and the truth about it. Kinds:

- single: one column, outline, numbered headings, page numbers from 253 under labels that say 1, 2, 3
- two_columns: a journal's columns, numbered headings, figures, tables, footnotes; no outline
- plain_headings: German, headings told by their type alone; no outline
- book: chapters, roman front matter with labels, an outline whose targets are a page off
- scan: pictures of another kind's pages (`of`), clean or `worn`
- mixed: every other page of another kind is a picture
- garbled: the text layer says other characters than it shows
- junk_layer: pictures with a useless recognised text behind them
- searchable_scan: pictures with a good recognised text behind them
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from tests.papers.articles import plain_headings, single, two_columns
from tests.papers.book import book
from tests.papers.printing import Manuscript, print_pdf
from tests.papers.scans import junk, print_scanned, wrong_unicode
from tests.papers.truth import Kind, MadePaper, TrueBlock, TruePage, TrueWord, Truth

BORN_DIGITAL = ("single", "two_columns", "plain_headings", "book")
PICTURES = ("scan", "mixed", "garbled", "junk_layer", "searchable_scan")
# What a PDF shows as numbers of glyphs when its maker took them for characters: "The" reads "7KH".
GLYPH_NUMBERS = -29

_SET: dict[str, Callable[[int, int], Manuscript]] = {
    "single": single,
    "two_columns": two_columns,
    "plain_headings": plain_headings,
    "book": book,
}

__all__ = ["BORN_DIGITAL", "PICTURES", "Kind", "MadePaper", "TrueBlock", "TruePage", "TrueWord", "Truth", "make"]


def make(
    kind: str,
    folder: Path,
    *,
    seed: int = 1,
    pages: int = 8,
    of: str | None = None,
    worn: bool = False,
    shift: int = GLYPH_NUMBERS,
) -> MadePaper:
    """Make a paper of a kind; `of` is the kind that a scanned one was before."""
    base = kind if kind in _SET else of or ("plain_headings" if kind == "garbled" else "single")
    paper = _SET[base](seed, pages)
    paper.truth.kind = kind
    path = folder / f"{kind}-{base}-{seed}-{pages}{'-worn' if worn else ''}.pdf"
    every = {page.number for page in paper.truth.pages}
    if kind in _SET:
        print_pdf(path, paper)
        return MadePaper(path, paper.truth)
    if kind == "garbled":
        with wrong_unicode(shift):
            print_pdf(path, paper)
        _unreadable(paper.truth, every)
        return MadePaper(path, paper.truth)
    hidden = {number for number in every if number % 2 == 0} if kind == "mixed" else every
    behind: Callable[[str], str] | None = None
    if kind == "junk_layer":
        behind = junk(seed)
    elif kind == "searchable_scan":
        behind = str
    if kind == "scan":
        paper.outline, paper.labels, paper.truth.outline = [], [], False
        for page in paper.truth.pages:
            page.pdf_label = None
    print_scanned(path, paper, hidden, worn=worn, behind=behind)
    if kind == "searchable_scan":
        for page in paper.truth.pages:
            page.recognised = True
    else:
        _unreadable(paper.truth, hidden)
    return MadePaper(path, paper.truth)


def _unreadable(truth: Truth, pages: set[int]) -> None:
    for page in truth.pages:
        page.scanned = page.number in pages
