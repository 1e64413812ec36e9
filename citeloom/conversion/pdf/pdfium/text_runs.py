"""Words of a PDF page from pdfium's characters, with position and type. Used by document.py.

pdfium is called once per character only for its origin; everything else is asked once per page, per word or per text
object, since calls through ctypes are what reading costs.
"""

from __future__ import annotations

import ctypes
import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import repeat
from operator import sub
from typing import Any

from citeloom.conversion.pdf.pdfium.api import c_api, with_addresses
from citeloom.conversion.pdf.pdfium.hidden_text import Box, PlacedWord
from citeloom.conversion.pdf.raw_page import Word

_WORD = re.compile("[^\0\t\n\x0b\x0c\r \xa0\u2002\u2003\u2009\u200a\u202f\u3000]+")
_LINE_END_HYPHENS = "\x02\ufffe"  # pdfium's codes of a hyphen at the end of a line
_BOLD_NAMES = ("bold", "black", "heavy", "semibold", "demi", "cmbx", "cmssbx", "-bd", ".b+")
_MAX_GAP, _MAX_OVERLAP, _MAX_SHIFT = 1.8, -0.5, 0.55  # in ems, between neighbouring letters of a word

_REPLACED = re.compile("\ufffe")  # stands in pdfium's text for hyphens at line ends and characters without a code
_get_unicode = with_addresses(c_api.FPDFText_GetUnicode, ctypes.c_uint, ctypes.c_void_p, ctypes.c_int)
_get_origin = with_addresses(
    c_api.FPDFText_GetCharOrigin, ctypes.c_int, ctypes.c_void_p, ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p
)
_get_loose_box = with_addresses(
    c_api.FPDFText_GetLooseCharBox, ctypes.c_int, ctypes.c_void_p, ctypes.c_int, ctypes.c_void_p
)
_get_text_object = with_addresses(c_api.FPDFText_GetTextObject, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int)
_get_font = with_addresses(c_api.FPDFTextObj_GetFont, ctypes.c_void_p, ctypes.c_void_p)


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

    letters: Sequence[str]
    places: range  # character indexes on the page
    style: Style
    spaced: bool
    text_object: int  # address of the text object that it begins in; 0 if pdfium generated the character


class PageCharacters:
    """Characters of an open text page, with the words that they form."""

    def __init__(self, text_page: Any) -> None:
        self._handle = text_page.raw
        self._address = ctypes.addressof(text_page.raw.contents)
        count = text_page.count_chars()
        self.text = text_page.get_text_range() if count else ""  # pdfium's own text
        self._codes = self._characters(count)
        self._styles: dict[int, Style] = {}
        self._fonts: dict[int, tuple[str, bool]] = {}
        xs, ys = (ctypes.c_double * count)(), (ctypes.c_double * count)()
        self._call(_get_origin, range(count), _places(xs, 8), _places(ys, 8))
        self._xs, self._ys = xs[:], ys[:]
        self.runs = list(self._runs())

    def _call(self, function: Any, places: Sequence[int], *cells: Sequence[int]) -> list[int]:
        """Call a pdfium function for characters, with the addresses of cells for its results."""
        return list(map(function, repeat(self._address), places, *cells))

    def _characters(self, count: int) -> str:
        """Return one character per index of pdfium, whose own text lacks control characters or has others for them."""
        if len(self.text) != count:
            return "".join(map(_character, self._call(_get_unicode, range(count))))
        return _REPLACED.sub(lambda found: _character(_get_unicode(self._address, found.start())), self.text)

    def _runs(self) -> Iterator[Run]:
        across, up = (list(map(sub, places[1:], places)) for places in (self._xs, self._ys))  # steps between letters
        styles = self._styles
        for match in _WORD.finditer(self._codes):
            start, end = match.span()
            spaced = True
            while start < end:
                text_object = _get_text_object(self._address, start) or 0
                style = styles.get(text_object) or self._style(text_object, start)
                until = start + _length(across[start : end - 1], up[start : end - 1], style)
                yield Run(self._letters(start, until), range(start, until), style, spaced, text_object)
                start, spaced = until, False

    def _letters(self, start: int, end: int) -> Sequence[str]:
        letters = self._codes[start:end]
        if "\x02" not in letters and "\ufffe" not in letters:
            return letters
        # Math fonts use the same codes for other signs.
        return [
            c if c not in _LINE_END_HYPHENS else "-" if c_api.FPDFText_IsHyphen(self._handle, at) == 1 else ""
            for at, c in enumerate(letters, start)
        ]

    def _style(self, text_object: int, at: int) -> Style:
        matrix = c_api.FS_MATRIX()
        scale = 1.0
        angle = 0
        if c_api.FPDFText_GetMatrix(self._handle, at, matrix):
            # The font size of the file is before scaling: many PDFs set size 1 and scale by the matrix.
            scale = math.hypot(matrix.c, matrix.d) or 1.0
            degrees = math.degrees(math.atan2(matrix.b, matrix.a)) % 360
            nearest = round(degrees / 90)
            angle = nearest % 4 if abs(degrees - nearest * 90) < 3 else -1
        size = round(c_api.FPDFText_GetFontSize(self._handle, at) * scale, 1)
        style = Style(size, *self._font(text_object, at), angle)
        if text_object:
            self._styles[text_object] = style
        return style

    def _font(self, text_object: int, at: int) -> tuple[str, bool]:
        """Return the name of a font and whether it is bold."""
        font = _get_font(text_object) or 0 if text_object else 0
        known = self._fonts.get(font) if font else None
        if known is not None:
            return known
        buffer, flags = ctypes.create_string_buffer(128), ctypes.c_int()
        length = c_api.FPDFText_GetFontInfo(self._handle, at, buffer, 128, flags)
        name = buffer.value.decode("utf-8", "replace") if 0 < length <= 128 else ""
        found = name, _is_bold(name, c_api.FPDFText_GetFontWeight(self._handle, at))
        if font:
            self._fonts[font] = found
        return found

    def placed_words(self) -> list[PlacedWord]:
        """Return the runs as upright words with their places on the page."""
        firsts = self._boxes([run.places[0] for run in self.runs])
        lasts = self._boxes([run.places[-1] for run in self.runs])
        return list(map(self._placed, self.runs, firsts, lasts))

    def _boxes(self, places: Sequence[int]) -> list[Box | None]:
        cells = (ctypes.c_float * (4 * len(places)))()
        known = self._call(_get_loose_box, places, _places(cells, 16))
        sides = cells[:]  # left, top, right, bottom of each
        boxes = zip(sides[::4], sides[3::4], sides[2::4], sides[1::4], strict=True)
        return [box if found else None for found, box in zip(known, boxes, strict=True)]

    def _placed(self, run: Run, first: Box | None, last: Box | None) -> PlacedWord:
        style, start = run.style, run.places[0]
        x, y = self._xs[start], self._ys[start]
        if first is None or last is None:
            first = last = first or last or (x, y, x, y)
        (a, b, c, d), (e, f, g, h) = first, last
        box = min(x, a, c, e, g), min(y, b, d, f, h), max(x, a, c, e, g), max(y, b, d, f, h)
        text = run.letters if isinstance(run.letters, str) else "".join(run.letters)
        if not text.isascii():
            # Surrogate pairs become one character; a lone surrogate is dropped.
            text = text.encode("utf-16", "surrogatepass").decode("utf-16", "ignore")
        size = style.size or max(abs(h - y), 1.0)
        x0, x1, baseline = box[0], box[2], y
        if style.angle > 0:
            x0, _, x1, _ = upright_box(box, style.angle)
            baseline = upright(x, y, style.angle)[1]
        word = Word(text, x0, x1, baseline, size, style.font, style.bold, run.spaced)
        return PlacedWord(word, style.angle, box, run.places, run.text_object)


def _character(code: int) -> str:
    try:
        return chr(code)
    except (ValueError, OverflowError):
        return "\ufffd"


def _places(cells: Any, size: int) -> range:
    """Return the addresses of the cells of an array."""
    start = ctypes.addressof(cells)
    return range(start, start + ctypes.sizeof(cells), size)


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
    if quarter_turns <= 0:
        return box
    (x0, y0), (x1, y1) = upright(box[0], box[1], quarter_turns), upright(box[2], box[3], quarter_turns)
    return min(x0, x1), min(y0, y1), max(x0, x1), max(y0, y1)


def _length(across: list[float], up: list[float], style: Style) -> int:
    """Return how many letters belong to one word, given the steps from each to the next.

    A letter too far from the one before begins another word; pdfium joins words across line ends.
    """
    em = max(style.size, 1.0)
    most, least, shift = _MAX_GAP * em, _MAX_OVERLAP * em, _MAX_SHIFT * em
    if style.angle > 0:
        turned = [upright(dx, dy, style.angle) for dx, dy in zip(across, up, strict=True)]
        across, up = [dx for dx, _ in turned], [dy for _, dy in turned]
    for at, dx in enumerate(across, 1):
        if dx > most or dx < least or abs(up[at - 1]) > shift:
            return at
    return len(across) + 1


@lru_cache(1000)
def _is_bold(font: str, weight: int) -> bool:
    return weight >= 600 or any(name in font.lower() for name in _BOLD_NAMES)
