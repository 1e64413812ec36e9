"""Raw pages and words of a file, before layout analysis. Created by the readers of PDF and image files."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(slots=True)
class Word:
    """A printed word with its position and type."""

    text: str
    x0: float
    x1: float
    y: float  # baseline, growing upward
    size: float
    font: str
    bold: bool
    spaced: bool = True  # the file has a space before it
    recognised: bool = False  # by OCR, of CiteLoom or of the program that created the file
    confidence: float | None = None  # of OCR, 0 to 1, if known


@dataclass(slots=True)
class RawPage:
    """A page before layout analysis."""

    number: int
    width: float
    height: float
    label: str | None
    words: list[Word]
    rotated_text: str = ""  # text printed at another angle than the page's own
    raw_text: str = ""  # pdfium's own text of the page, with which coverage is measured
    quarter_turns: int = 0  # quarter turns that make the page's text upright
    has_ocr_text: bool = False  # its text is not painted: the OCR text of a scan
    picture_share: float = 0.0  # share of the page covered by pictures; measured only if words are few or not painted
    drawn: bool = False  # has no words, but something is painted on it
    invisible_words: int = 0  # number of words that cannot be seen, which are left out


@dataclass(slots=True)
class OutlineEntry:
    """An entry of the PDF's outline."""

    level: int
    title: str
    page: int | None  # PDF page, from 1


@dataclass(slots=True)
class RawPdf:
    """A document before layout analysis."""

    pages: list[RawPage]
    title: str = ""
    outline: list[OutlineEntry] = field(default_factory=list)
    unreadable: list[int] = field(default_factory=list)  # pages pdfium could not open
    declared_pages: int | None = None  # the declared number of pages, if it has fewer
