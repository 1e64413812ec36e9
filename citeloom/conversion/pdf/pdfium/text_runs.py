"""Words of a PDF page from pdfium's characters, with position and type. Used by document.py."""

from __future__ import annotations

import ctypes
import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from citeloom.conversion.pdf.pdfium.api import c_api
from citeloom.conversion.pdf.pdfium.hidden_text import Box, PlacedWord
from citeloom.conversion.pdf.raw_page import Word

_BREAKS = {0, 9, 10, 11, 12, 13, 32, 0xA0, 0x2002, 0x2003, 0x2009, 0x200A, 0x202F, 0x3000}
_LINE_END_HYPHENS = {0x2, 0xFFFE}  # pdfium's codes of a hyphen at the end of a line
_BOLD_NAMES = ("bold", "black", "heavy", "semibold", "demi", "cmbx", "cmssbx", "-bd", ".b+")


@dataclass(slots=True)
class Style:
    """Font attributes of a run."""

    size: float
    font: str
    bold: bool
    angle: int  # quarter turns, or -1 for any slanted text


@dataclass(slots=True)
class Run:
    """Characters of a word, as in the file."""

    letters: list[str]
    places: list[int]  # character indexes on the page
    style: Style
    spaced: bool


def text_runs(text_page: Any) -> Iterator[Run]:
    """Yield the characters of a page word by word, in file order."""
    handle = text_page.raw
    x_cell, y_cell = ctypes.c_double(), ctypes.c_double()
    get_unicode, get_origin = c_api.FPDFText_GetUnicode, c_api.FPDFText_GetCharOrigin
    letters: list[str] = []
    places: list[int] = []
    style = Style(0.0, "", False, 0)
    x_before = y_before = 0.0
    spaced = True
    for at in range(text_page.count_chars()):
        code = get_unicode(handle, at)
        if code in _BREAKS:
            if letters:
                yield Run(letters, places, style, spaced)
                letters, places = [], []
            spaced = True
            continue
        get_origin(handle, at, x_cell, y_cell)
        x, y = x_cell.value, y_cell.value
        if letters and _is_new_word(x - x_before, y - y_before, style):
            yield Run(letters, places, style, spaced)
            letters, places = [], []
            spaced = False
        if not letters:
            style = _style(handle, at)
        letters.append(_character(handle, at, code))
        places.append(at)
        x_before, y_before = x, y
    if letters:
        yield Run(letters, places, style, spaced)


def _character(handle: Any, at: int, code: int) -> str:
    if code in _LINE_END_HYPHENS:
        # Math fonts use the same code for other signs.
        return "-" if c_api.FPDFText_IsHyphen(handle, at) == 1 else ""
    try:
        return chr(code)
    except (ValueError, OverflowError):
        return "\ufffd"


def upright(x: float, y: float, quarter_turns: int) -> tuple[float, float]:
    """Return a point after rotation to upright text."""
    if quarter_turns == 1:
        return y, -x
    if quarter_turns == 2:
        return -x, -y
    if quarter_turns == 3:
        return -y, x
    return x, y


def upright_box(box: Box, quarter_turns: int) -> Box:
    """Return a box after rotation to upright text."""
    (x0, y0), (x1, y1) = upright(box[0], box[1], quarter_turns), upright(box[2], box[3], quarter_turns)
    return min(x0, x1), min(y0, y1), max(x0, x1), max(y0, y1)


def _is_new_word(dx: float, dy: float, style: Style) -> bool:
    """Return whether the next letter is too far away to belong to the same word (pdfium joins across line ends)."""
    dx, dy = upright(dx, dy, style.angle)
    em = max(style.size, 1.0)
    return abs(dy) > 0.55 * em or dx > 1.8 * em or dx < -0.5 * em


def _style(handle: Any, at: int) -> Style:
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
    size = round(c_api.FPDFText_GetFontSize(handle, at) * scale, 1)
    return Style(size, font, _is_bold(font, weight), angle)


@lru_cache(1000)
def _is_bold(font: str, weight: int) -> bool:
    return weight >= 600 or any(name in font.lower() for name in _BOLD_NAMES)


def placed_word(handle: Any, run: Run) -> PlacedWord:
    """Return a run as an upright word with its place on the page."""
    ends, style = (run.places[0], run.places[-1]), run.style
    box = c_api.FS_RECTF()
    x, y = ctypes.c_double(), ctypes.c_double()
    c_api.FPDFText_GetCharOrigin(handle, ends[0], x, y)
    edges = [(x.value, y.value)]
    for at in ends:
        if c_api.FPDFText_GetLooseCharBox(handle, at, box):
            edges += [(box.left, box.bottom), (box.right, box.top)]
    rotated = [upright(across, up, style.angle) for across, up in edges]
    size = style.size or max(abs(edges[-1][1] - edges[0][1]), 1.0)
    across = [point[0] for point in rotated]
    text = "".join(run.letters)
    # Surrogate pairs become one character; a lone surrogate is dropped.
    text = text.encode("utf-16", "surrogatepass").decode("utf-16", "ignore")
    word = Word(text, min(across), max(across), rotated[0][1], size, style.font, style.bold, run.spaced)
    x_edges, y_edges = [point[0] for point in edges], [point[1] for point in edges]
    return PlacedWord(word, style.angle, (min(x_edges), min(y_edges), max(x_edges), max(y_edges)), run.places)
