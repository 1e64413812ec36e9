"""What pypdfium2 sees in a PDF: words with their places and fonts, page labels, outline, metadata."""

from __future__ import annotations

import ctypes
import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pypdfium2 as _pypdfium2
import pypdfium2.raw as _raw

from citeloom.errors import CiteLoomError, Code

# pypdfium2 carries no types: naming it Any once keeps the rest of the module checked.
pdfium: Any = _pypdfium2
c_api: Any = _raw

_BREAKS = {0, 9, 10, 11, 12, 13, 32, 0xA0, 0x2002, 0x2003, 0x2009, 0x200A, 0x202F, 0x3000}
_LINE_END_HYPHENS = {0x2, 0xFFFE}  # how pdfium marks a hyphen at the end of a line
_BOLD_NAMES = ("bold", "black", "heavy", "semibold", "demi", "cmbx", "cmssbx", "-bd", ".b+")
_MAX_OUTLINE = 20_000


@dataclass(slots=True)
class Word:
    """A word as it is printed: where it stands and in what type."""

    text: str
    x0: float
    x1: float
    y: float  # baseline, growing upward
    size: float
    font: str
    bold: bool
    spaced: bool = True  # the file has a space before it


@dataclass(slots=True)
class RawPage:
    """A page before any judgement about its layout."""

    number: int
    width: float
    height: float
    label: str | None
    words: list[Word]
    turned: str = ""  # text printed at another angle than the page's own
    raw_text: str = ""  # pdfium's own text of the page, the measure of what was kept


@dataclass(slots=True)
class OutlineEntry:
    """An entry of the PDF's outline."""

    level: int
    title: str
    page: int | None  # PDF page, from 1


@dataclass(slots=True)
class RawPdf:
    """A PDF as pypdfium2 sees it."""

    pages: list[RawPage]
    title: str = ""
    outline: list[OutlineEntry] = field(default_factory=list)
    unreadable: list[int] = field(default_factory=list)  # pages pdfium could not open


@dataclass(slots=True)
class _Style:
    size: float
    font: str
    bold: bool
    angle: int  # quarter turns, or -1 for any slanted text


def read_pdf(path: Path) -> RawPdf:
    """Read every page's words, and the outline, labels and title of a PDF."""
    try:
        document = pdfium.PdfDocument(path)
    except pdfium.PdfiumError as error:
        if getattr(error, "err_code", None) == c_api.FPDF_ERR_PASSWORD:
            raise CiteLoomError(
                Code.CONVERSION_FAILED,
                f"The PDF {path.name} needs a password.",
                "Save a copy without the password and attach that instead.",
                path=str(path),
            ) from None
        raise CiteLoomError(
            Code.CONVERSION_FAILED,
            f"The PDF {path.name} is damaged and cannot be opened.",
            "Open it in a PDF viewer; if it fails there too, download it again.",
            path=str(path),
        ) from None
    try:
        pages, unreadable = [], []
        for index in range(len(document)):
            try:
                pages.append(_read_page(document, index))
            except pdfium.PdfiumError:
                unreadable.append(index + 1)
                pages.append(RawPage(index + 1, 612.0, 792.0, _label(document, index), []))
        return RawPdf(pages, _title(document), list(_outline(document)), unreadable)
    finally:
        document.close()


def _label(document: Any, index: int) -> str | None:
    try:
        return str(document.get_page_label(index)).strip() or None
    except (pdfium.PdfiumError, UnicodeError):
        return None


def _title(document: Any) -> str:
    try:
        return str(document.get_metadata_value("Title")).strip()
    except (pdfium.PdfiumError, UnicodeError):
        return ""


def _outline(document: Any) -> Iterator[OutlineEntry]:
    for count, bookmark in enumerate(document.get_toc()):
        if count >= _MAX_OUTLINE:  # a broken outline can refer to itself without end
            return
        try:
            title = " ".join(str(bookmark.get_title()).split())
            target = bookmark.get_dest()
            index = target.get_index() if target is not None else None
        except (pdfium.PdfiumError, UnicodeError):
            continue
        if title:
            yield OutlineEntry(bookmark.level, title, index + 1 if index is not None and index >= 0 else None)


def _read_page(document: Any, index: int) -> RawPage:
    page = document.get_page(index)
    try:
        text_page = page.get_textpage()
        try:
            upright, turned, quarter = _split_by_angle(list(_words(text_page)))
            raw_text = text_page.get_text_range() if text_page.count_chars() else ""
            left, bottom, right, top = page.get_bbox()
        finally:
            text_page.close()
    finally:
        page.close()
    if quarter % 2:
        width, height = top - bottom, right - left
    else:
        width, height = right - left, top - bottom
    x_min, y_min = _origin(quarter, left, bottom, right, top)
    for word in upright:
        word.x0 -= x_min
        word.x1 -= x_min
        word.y -= y_min
    return RawPage(index + 1, width, height, _label(document, index), upright, turned, raw_text)


def _origin(quarter: int, left: float, bottom: float, right: float, top: float) -> tuple[float, float]:
    """The lower left corner of the page's box after turning it so that its text stands upright."""
    return ((left, bottom), (bottom, -right), (-right, -top), (-top, left))[quarter]


def _split_by_angle(words: list[tuple[Word, int]]) -> tuple[list[Word], str, int]:
    """The words in the page's main direction turned upright, the other text, the quarter turns."""
    weight = [0, 0, 0, 0]
    for word, angle in words:
        if angle >= 0:
            weight[angle] += len(word.text)
    quarter = max(range(4), key=lambda angle: (weight[angle], -angle))
    upright = [word for word, angle in words if angle == quarter]
    turned = " ".join(word.text for word, angle in words if angle != quarter)
    return upright, turned, quarter


def _words(text_page: Any) -> Iterator[tuple[Word, int]]:
    """The page's words in the order of the file, each with its quarter turns (-1: slanted)."""
    handle = text_page.raw
    x_cell, y_cell = ctypes.c_double(), ctypes.c_double()
    get_unicode, get_origin = c_api.FPDFText_GetUnicode, c_api.FPDFText_GetCharOrigin
    letters: list[str] = []
    first = last = 0
    style = _Style(0.0, "", False, 0)
    x_before = y_before = 0.0
    spaced = True
    fonts: dict[tuple[str, int], bool] = {}
    for at in range(text_page.count_chars()):
        code = get_unicode(handle, at)
        if code in _BREAKS:
            if letters:
                yield _word(handle, letters, (first, last), style, spaced)
                letters = []
            spaced = True
            continue
        get_origin(handle, at, x_cell, y_cell)
        x, y = x_cell.value, y_cell.value
        if letters and _jumps(x - x_before, y - y_before, style):
            yield _word(handle, letters, (first, last), style, spaced)
            letters = []
            spaced = False
        if not letters:
            style = _style(handle, at, fonts)
            first = at
        letters.append(_character(handle, at, code))
        last, x_before, y_before = at, x, y
    if letters:
        yield _word(handle, letters, (first, last), style, spaced)


def _character(handle: Any, at: int, code: int) -> str:
    if code in _LINE_END_HYPHENS:
        # Fonts of formulas use the same code for signs of their own.
        return "-" if c_api.FPDFText_IsHyphen(handle, at) == 1 else ""
    try:
        return chr(code)
    except (ValueError, OverflowError):
        return "\ufffd"


def _upright(x: float, y: float, quarter: int) -> tuple[float, float]:
    """A point on the page turned so that its text stands upright."""
    if quarter == 1:
        return y, -x
    if quarter == 2:
        return -x, -y
    if quarter == 3:
        return -y, x
    return x, y


def _jumps(dx: float, dy: float, style: _Style) -> bool:
    """Whether the next letter is too far away to belong to the same word (pdfium joins across line ends)."""
    dx, dy = _upright(dx, dy, style.angle)
    em = max(style.size, 1.0)
    return abs(dy) > 0.55 * em or dx > 1.8 * em or dx < -0.5 * em


def _style(handle: Any, at: int, fonts: dict[tuple[str, int], bool]) -> _Style:
    matrix = c_api.FS_MATRIX()
    scale = 1.0
    angle = 0
    if c_api.FPDFText_GetMatrix(handle, at, matrix):
        # The font size of the file is before scaling: many PDFs set size 1 and scale by the matrix.
        scale = math.hypot(matrix.c, matrix.d) or 1.0
        degrees = math.degrees(math.atan2(matrix.b, matrix.a)) % 360
        nearest = round(degrees / 90)
        angle = nearest % 4 if abs(degrees - nearest * 90) < 3 else -1
    name_buffer = ctypes.create_string_buffer(128)
    flags = ctypes.c_int()
    length = c_api.FPDFText_GetFontInfo(handle, at, name_buffer, 128, flags)
    font = name_buffer.value.decode("utf-8", "replace") if 0 < length <= 128 else ""
    weight = c_api.FPDFText_GetFontWeight(handle, at)
    key = (font, weight)
    if key not in fonts:
        fonts[key] = weight >= 600 or any(name in font.lower() for name in _BOLD_NAMES)
    size = round(c_api.FPDFText_GetFontSize(handle, at) * scale, 1)
    return _Style(size, font, fonts[key], angle)


def _word(handle: Any, letters: list[str], ends: tuple[int, int], style: _Style, spaced: bool) -> tuple[Word, int]:
    box = c_api.FS_RECTF()
    x, y = ctypes.c_double(), ctypes.c_double()
    c_api.FPDFText_GetCharOrigin(handle, ends[0], x, y)
    edges = [(x.value, y.value)]
    for at in ends:
        if c_api.FPDFText_GetLooseCharBox(handle, at, box):
            edges += [(box.left, box.bottom), (box.right, box.top)]
    turned = [_upright(across, up, style.angle) for across, up in edges]
    size = style.size or max(abs(edges[-1][1] - edges[0][1]), 1.0)
    across = [point[0] for point in turned]
    text = "".join(letters)
    # Surrogate halves become one character; a lone half is no character at all.
    text = text.encode("utf-16", "surrogatepass").decode("utf-16", "ignore")
    word = Word(text, min(across), max(across), turned[0][1], size, style.font, style.bold, spaced)
    return word, style.angle
