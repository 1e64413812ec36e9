"""Detects invisible words of a PDF page: white on white, tiny, outside the page, not painted.

The attributes of every word are checked, which is cheap. Suspicious words are decided by rendering: the page is painted
with and without them, and words that make no difference are invisible.
"""

from __future__ import annotations

import ctypes
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from PIL import Image, ImageChops

from citeloom.conversion.pdf.pdfium.api import c_api, rendered
from citeloom.conversion.pdf.pdfium.forms import address
from citeloom.conversion.pdf.raw_page import Word

Box = tuple[float, float, float, float]  # left, bottom, right, top

_TINY = 1.5  # points; smaller type is not readable on usual paper
_BOX_HEIGHT = 1.5  # height of a font's character boxes, relative to its size
_USUAL_HEIGHT = 792.0
_PALE = 200  # of 255 in every colour channel; paler text may be white on white
_TRANSPARENT = 12  # of 255
_MAX_COLOUR_DIFFERENCE = 24  # of 255; colours that differ by less are treated as equal
_MIN_CHANGE = 20  # of 255; change of the image that makes a word visible
_MIN_INK_CONTRAST = 40  # of 255; contrast of the image under unpainted words
_SCALE = 2.0  # pixels per point
_MAX_SIDE = 3000  # pixels
_MAX_OBJECTS = 2000  # checked as backgrounds of words
_BACKGROUND = (12.0, 5.0)  # width and height in points; smaller shapes cannot be the background of a word
_MIN_SCAN_DPI = 36  # pixels per inch; scans have more
_NOT_PAINTED = (c_api.FPDF_TEXTRENDERMODE_INVISIBLE, c_api.FPDF_TEXTRENDERMODE_CLIP)
_FILLED_AND_STROKED = (c_api.FPDF_TEXTRENDERMODE_FILL_STROKE, c_api.FPDF_TEXTRENDERMODE_FILL_STROKE_CLIP)
_STROKED = (c_api.FPDF_TEXTRENDERMODE_STROKE, c_api.FPDF_TEXTRENDERMODE_STROKE_CLIP)

Colour = tuple[int, int, int, int]


@dataclass(slots=True)
class _Paint:
    """Paint attributes of a text object."""

    handle: Any
    mode: int
    colour: Colour
    layered: bool  # belongs to an optional content layer, which may be off


@dataclass(frozen=True, slots=True)
class _Doubt:
    """Why the words of a text object may be invisible."""

    unpainted: bool
    everywhere: bool  # pale, transparent or on a layer
    backgrounds: list[Box]  # shapes in the colour of the words
    around: Box  # all of them

    def is_before_background(self, box: Box) -> bool:
        """Return whether a word is in front of a shape in its own colour."""
        return _is_within(box, self.around) and any(_is_within(box, background) for background in self.backgrounds)


@dataclass(slots=True)
class PlacedWord:
    """An upright word, and its place on the page."""

    word: Word
    angle: int  # quarter turns; -1: slanted
    box: Box
    places: Sequence[int]  # indexes of its characters
    text_object: int  # address of the text object that it begins in; 0 if pdfium generated it


@dataclass(slots=True)
class Visibility:
    """Indexes of invisible words, and of unpainted words over an image of them (the OCR text of a scan)."""

    invisible: set[int]
    ocr_text: set[int]


def find_hidden_words(page: Any, text_page: Any, words: Sequence[PlacedWord], page_box: Box) -> Visibility:
    """Find the invisible words of a page; the result has their indexes in `words`."""
    visibility = Visibility(set(), set())
    if not words or page_box[2] - page_box[0] < 1 or page_box[3] - page_box[1] < 1:
        return visibility  # viewers replace an empty page box by another
    by_object = _paints(words)
    paints = [by_object[word.text_object] for word in words]
    candidates: list[int] = []
    unpainted: list[int] = []
    left, bottom, right, top = page_box
    tiny = _TINY * min(1.0, (top - bottom) / _USUAL_HEIGHT)
    doubts = _doubts(by_object, _backgrounds(page))
    for at, word in enumerate(words):
        box = word.box
        outside = box[2] < left or box[0] > right or box[3] < bottom or box[1] > top
        if outside or (word.word.size < 2 * tiny and _is_tiny(text_page.raw, word, tiny)):
            visibility.invisible.add(at)
        elif (doubt := doubts.get(word.text_object)) is not None:
            if doubt.unpainted:
                unpainted.append(at)
            elif doubt.everywhere or doubt.is_before_background(box):
                candidates.append(at)
    if unpainted:
        scans = _scans(page)
        over = {at for at in unpainted if any(_is_within(words[at].box, box) for box in scans)}
        rest = [at for at in unpainted if at not in over]
        if rest:
            over |= _over_ink(page, paints, words, rest)
        visibility.ocr_text = over
        visibility.invisible.update(at for at in unpainted if at not in over)
    if candidates:
        visibility.invisible |= _without_effect(page, paints, words, candidates)
    return visibility


# --- attributes -------------------------------------------------------------------------


def _paints(words: Sequence[PlacedWord]) -> dict[int, _Paint | None]:
    """Return the paint attributes of the words' text objects by address; None for what pdfium generated."""
    known: dict[int, _Paint | None] = {0: None}
    for key in {word.text_object for word in words} - {0}:
        text_object = ctypes.cast(key, c_api.FPDF_PAGEOBJECT)
        mode = c_api.FPDFTextObj_GetTextRenderMode(text_object)
        get_colour = c_api.FPDFPageObj_GetStrokeColor if mode in _STROKED else c_api.FPDFPageObj_GetFillColor
        colour = _colour(get_colour, text_object) or (0, 0, 0, 255)
        known[key] = _Paint(text_object, mode, colour, _is_layered(text_object))
    return known


def _doubts(by_object: dict[int, _Paint | None], backgrounds: Sequence[tuple[Box, Colour]]) -> dict[int, _Doubt]:
    """Return the text objects whose words may be invisible; most pages have none."""
    same_colour: dict[Colour, tuple[list[Box], Box]] = {}  # colour of words → shapes in that colour, and around them
    found: dict[int, _Doubt] = {}
    for key, paint in by_object.items():
        if paint is None:
            continue
        transparent = paint.colour[3] < _TRANSPARENT
        if paint.colour not in same_colour:
            boxes = [box for box, colour in backgrounds if _is_similar(paint.colour, colour)]
            same_colour[paint.colour] = boxes, _around(boxes)
        doubt = _Doubt(
            paint.mode in _NOT_PAINTED or (transparent and paint.mode not in _FILLED_AND_STROKED),
            transparent or paint.layered or min(paint.colour[:3]) >= _PALE,
            *same_colour[paint.colour],
        )
        if doubt.unpainted or doubt.everywhere or doubt.backgrounds:
            found[key] = doubt
    return found


def _around(boxes: Sequence[Box]) -> Box:
    left, bottom, right, top = zip(*boxes, strict=True) if boxes else ((0.0,), (0.0,), (0.0,), (0.0,))
    return min(left), min(bottom), max(right), max(top)


def _colour(get_colour: Any, painted: Any) -> Colour | None:
    red, green, blue, alpha = (ctypes.c_uint() for _ in range(4))
    return (red.value, green.value, blue.value, alpha.value) if get_colour(painted, red, green, blue, alpha) else None


def _is_layered(text_object: Any) -> bool:
    for at in range(c_api.FPDFPageObj_CountMarks(text_object)):
        name = (c_api.FPDF_WCHAR * 4)()
        length = ctypes.c_ulong()
        mark = c_api.FPDFPageObj_GetMark(text_object, at)
        if c_api.FPDFPageObjMark_GetName(mark, name, ctypes.sizeof(name), length) and list(name[:3]) == [79, 67, 0]:
            return True  # /OC
    return False


def _is_tiny(handle: Any, word: PlacedWord, limit: float) -> bool:
    """Return whether all letters are below the limit, by ink and by font box; fonts may scale their own size."""
    left, right, bottom, top = (ctypes.c_double() for _ in range(4))
    rect = c_api.FS_RECTF()
    for at in word.places:
        has_ink = c_api.FPDFText_GetCharBox(handle, at, left, right, bottom, top)
        if has_ink and max(right.value - left.value, top.value - bottom.value) > limit:
            return False
        has_font_box = c_api.FPDFText_GetLooseCharBox(handle, at, rect)
        if has_font_box and max(rect.right - rect.left, rect.top - rect.bottom) > _BOX_HEIGHT * limit:
            return False
    return True


def _is_similar(one: Colour, other: Colour) -> bool:
    return all(abs(a - b) < _MAX_COLOUR_DIFFERENCE for a, b in zip(one[:3], other[:3], strict=True))


def _is_within(box: Box, outer: Box) -> bool:
    """Return whether the centre of a box is inside another."""
    x, y = (box[0] + box[2]) / 2, (box[1] + box[3]) / 2
    return outer[0] - 2 <= x <= outer[2] + 2 and outer[1] - 2 <= y <= outer[3] + 2


def _backgrounds(page: Any) -> list[tuple[Box, Colour]]:
    """Return the filled shapes that may be backgrounds of words, with their colours."""
    found = []
    fill, stroke = ctypes.c_int(), ctypes.c_int()
    for painted in _objects(page, c_api.FPDF_PAGEOBJ_PATH):
        box = _bounds(painted)
        if box[2] - box[0] < _BACKGROUND[0] or box[3] - box[1] < _BACKGROUND[1]:
            continue
        filled = c_api.FPDFPath_GetDrawMode(painted, fill, stroke) and fill.value
        if filled and (colour := _colour(c_api.FPDFPageObj_GetFillColor, painted)):
            found.append((box, colour))
    return found


def _scans(page: Any) -> list[Box]:
    """Return the boxes of images with enough resolution to contain legible words."""
    found = []
    across, down = ctypes.c_uint(), ctypes.c_uint()
    for painted in _objects(page, c_api.FPDF_PAGEOBJ_IMAGE):
        box = _bounds(painted)
        inches = max((box[2] - box[0]) / 72, 0.01), max((box[3] - box[1]) / 72, 0.01)
        known = c_api.FPDFImageObj_GetImagePixelSize(painted, across, down)
        if known and across.value * down.value >= (_MIN_SCAN_DPI**2) * inches[0] * inches[1]:
            found.append(box)
    return found


def _objects(page: Any, kind: int, *, deep: bool = False) -> list[Any]:
    """Return the objects of a kind among the first of a page, with those in nested forms if `deep`."""
    count = min(_MAX_OBJECTS, c_api.FPDFPage_CountObjects(page.raw))
    found = [c_api.FPDFPage_GetObject(page.raw, at) for at in range(count)]
    for painted in found if deep else ():
        if c_api.FPDFPageObj_GetType(painted) == c_api.FPDF_PAGEOBJ_FORM and len(found) < _MAX_OBJECTS:
            inner = min(_MAX_OBJECTS, c_api.FPDFFormObj_CountObjects(painted))
            found += [c_api.FPDFFormObj_GetObject(painted, at) for at in range(inner)]
    return [painted for painted in found if c_api.FPDFPageObj_GetType(painted) == kind]


def _bounds(painted: Any) -> Box:
    left, bottom, right, top = (ctypes.c_float() for _ in range(4))
    c_api.FPDFPageObj_GetBounds(painted, left, bottom, right, top)
    return left.value, bottom.value, right.value, top.value


# --- rendering ------------------------------------------------------------------------


def _without_effect(
    page: Any, paints: Sequence[_Paint | None], words: Sequence[PlacedWord], candidates: Sequence[int]
) -> set[int]:
    """Return the words whose removal does not change the rendered page."""
    handles = {address(paint.handle): paint.handle for at in candidates if (paint := paints[at])}
    view = _View(page, [words[at].box for at in candidates])
    complete = view.painted()
    reported = {address(paint.handle) for paint in paints if paint}
    without = view.painted_without([*handles.values(), *_duplicates(page, list(handles.values()), reported)])
    change = ImageChops.difference(complete, without)
    return {at for at in candidates if max(high for _, high in view.levels(change, words[at])) < _MIN_CHANGE}


def _over_ink(
    page: Any, paints: Sequence[_Paint | None], words: Sequence[PlacedWord], candidates: Sequence[int]
) -> set[int]:
    """Return the words over something painted that is not text, such as letters drawn as shapes."""
    view = _View(page, [words[at].box for at in candidates])
    without_text = view.painted_without([paint.handle for paint in paints if paint])
    contrasts = {at: max(high - low for low, high in view.levels(without_text, words[at])) for at in candidates}
    return {at for at, contrast in contrasts.items() if contrast >= _MIN_INK_CONTRAST}


def _duplicates(page: Any, handles: Sequence[Any], reported: set[int]) -> list[Any]:
    """Return text objects at the same start as these that pdfium omits: letters over a pale shadow or outline.

    Of equal words at the same position, pdfium reports only the first.
    """
    starts = {(x + dx, y + dy) for x, y in map(_start, handles) for dx in (-1, 0, 1) for dy in (-1, 0, 1)}
    texts = _objects(page, c_api.FPDF_PAGEOBJ_TEXT, deep=True)
    return [o for o in texts if address(o) not in reported and _start(o) in starts]


def _start(handle: Any) -> tuple[int, int]:
    """Return the start of a text object, in steps of two points."""
    matrix = c_api.FS_MATRIX()
    c_api.FPDFPageObj_GetMatrix(handle, matrix)
    return round(matrix.e / 2), round(matrix.f / 2)


class _View:
    """The part of a page around some words, rendered."""

    def __init__(self, page: Any, boxes: Sequence[Box]) -> None:
        self._page = page
        self._scale = min(_SCALE, _MAX_SIDE / max(*page.get_size(), 1.0))
        width, height = page.get_size()
        self._size = math.ceil(width * self._scale), math.ceil(height * self._scale)  # of the whole page, in pixels
        left, top, right, bottom = zip(*map(self._pixels, boxes), strict=True)
        self._part = min(left), min(top), max(right), max(bottom)

    def painted(self) -> Image.Image:
        left, top, right, bottom = self._part
        around = (left, self._size[1] - bottom, self._size[0] - right, top)
        # pypdfium2 takes points and rounds up to pixels.
        crop = tuple((pixels - 0.5) / self._scale if pixels else 0 for pixels in around)
        return rendered(self._page, "RGB", scale=self._scale, crop=crop, may_draw_forms=False, rev_byteorder=True)

    def painted_without(self, handles: Sequence[Any]) -> Image.Image:
        for handle in handles:
            c_api.FPDFPageObj_SetIsActive(handle, False)
        try:
            return self.painted()
        finally:
            for handle in handles:
                c_api.FPDFPageObj_SetIsActive(handle, True)

    def levels(self, picture: Image.Image, word: PlacedWord) -> list[tuple[int, int]]:
        """Return minimum and maximum of each colour at a word on the rendered part."""
        left, top, right, bottom = self._pixels(word.box)
        x, y = self._part[:2]
        bands: Any = picture.crop((left - x, top - y, right - x, bottom - y)).getextrema()
        return list(bands)

    def _pixels(self, box: Box) -> tuple[int, int, int, int]:
        """Return the box of a word on the rendered page."""
        x, y = ctypes.c_int(), ctypes.c_int()
        corners = []
        for across, up in ((box[0], box[1]), (box[2], box[3])):
            c_api.FPDF_PageToDevice(self._page.raw, 0, 0, *self._size, 0, across, up, x, y)
            corners.append((x.value, y.value))
        left, right = sorted(corner[0] for corner in corners)
        top, bottom = sorted(corner[1] for corner in corners)
        left, top = max(0, min(left, self._size[0] - 1)), max(0, min(top, self._size[1] - 1))
        return left, top, max(left + 1, min(right + 1, self._size[0])), max(top + 1, min(bottom + 1, self._size[1]))
