"""Detects invisible words of a PDF page: white on white, tiny, outside the page, not painted.

The attributes of every word are checked, which is cheap. Suspicious words are decided by rendering: the page is painted
with and without them, and words that make no difference are invisible.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from PIL import Image, ImageChops

from citeloom.conversion.pdf.pdfium.api import c_api
from citeloom.conversion.pdf.pdfium.forms import address

Box = tuple[float, float, float, float]  # left, bottom, right, top

_TINY = 1.5  # points; smaller type is not readable on usual paper
_ROOM = 1.5  # of its size: the height a font gives its letters
_USUAL_HEIGHT = 792.0
_PALE = 200  # of 255 in every colour: may be white on white
_TRANSPARENT = 12  # of 255
_LIKE = 24  # of 255: two colours that differ by less are one
_CONTRAST = 20  # of 255; change of the image that makes a word visible
_INK = 40  # of 255; contrast of the image under unpainted words
_SCALE = 2.0  # pixels for each point
_MAX_SIDE = 3000  # pixels
_MAX_OBJECTS = 2000  # checked as backgrounds of words
_BACKGROUND = (12.0, 5.0)  # points; smaller shapes are no background of a word
_SCAN_DENSITY = 36  # pixels per inch; scans have more
_NOT_PAINTED = (c_api.FPDF_TEXTRENDERMODE_INVISIBLE, c_api.FPDF_TEXTRENDERMODE_CLIP)
_TWICE_PAINTED = (c_api.FPDF_TEXTRENDERMODE_FILL_STROKE, c_api.FPDF_TEXTRENDERMODE_FILL_STROKE_CLIP)
_STROKED = (c_api.FPDF_TEXTRENDERMODE_STROKE, c_api.FPDF_TEXTRENDERMODE_STROKE_CLIP)

Colour = tuple[int, int, int, int]


@dataclass(slots=True)
class _Paint:
    """How a text object is painted."""

    handle: Any
    mode: int
    colour: Colour
    layered: bool  # it belongs to a layer, which may be switched off


@dataclass(slots=True)
class PlacedWord:
    """A word to be checked: box, size and character indexes."""

    box: Box
    size: float
    places: Sequence[int]


@dataclass(slots=True)
class Visibility:
    """Indexes of invisible words, and of unpainted words over an image of them (OCR text of a scan)."""

    unseen: set[int]
    behind: set[int]


def find_hidden_words(page: Any, text_page: Any, words: Sequence[PlacedWord], page_box: Box) -> Visibility:
    """Find the invisible words of a page; the result has their indexes in `words`."""
    visibility = Visibility(set(), set())
    if not words or page_box[2] - page_box[0] < 1 or page_box[3] - page_box[1] < 1:
        return visibility  # a page of no size shows nothing, and viewers take another box
    paints = _paints(text_page.raw, words)
    doubtful: list[int] = []
    unpainted: list[int] = []
    tiny = _TINY * min(1.0, (page_box[3] - page_box[1]) / _USUAL_HEIGHT)
    backgrounds = _backgrounds(page)
    behind: dict[Colour, list[Box]] = {}  # colour of words → the shapes of that colour
    for at, (word, paint) in enumerate(zip(words, paints, strict=True)):
        if _is_outside(word.box, page_box) or (word.size < 2 * tiny and _is_tiny(text_page.raw, word, tiny)):
            visibility.unseen.add(at)
        elif paint is None:
            continue  # pdfium made it up: a hyphen, a space
        elif paint.mode in _NOT_PAINTED or (paint.colour[3] < _TRANSPARENT and paint.mode not in _TWICE_PAINTED):
            unpainted.append(at)
        else:
            if paint.colour not in behind:
                behind[paint.colour] = [box for box, colour in backgrounds if _is_like(paint.colour, colour)]
            faint = min(paint.colour[:3]) >= _PALE or paint.colour[3] < _TRANSPARENT
            if faint or paint.layered or any(_is_within(word.box, box) for box in behind[paint.colour]):
                doubtful.append(at)
    if unpainted:
        scans = _scans(page)
        over = {at for at in unpainted if any(_is_within(words[at].box, box) for box in scans)}
        rest = [at for at in unpainted if at not in over]
        if rest:
            over |= _over_ink(page, paints, words, rest)
        visibility.behind = over
        visibility.unseen.update(at for at in unpainted if at not in over)
    if doubtful:
        visibility.unseen |= _without_effect(page, paints, words, doubtful)
    return visibility


# --- attributes -------------------------------------------------------------------------


def _paints(handle: Any, words: Sequence[PlacedWord]) -> list[_Paint | None]:
    known: dict[int, _Paint] = {}
    found: list[_Paint | None] = []
    red, green, blue, alpha = (ctypes.c_uint() for _ in range(4))
    for word in words:
        owner = c_api.FPDFText_GetTextObject(handle, word.places[0])
        if not owner:
            found.append(None)
            continue
        key = address(owner)
        if key not in known:
            mode = c_api.FPDFTextObj_GetTextRenderMode(owner)
            ask = c_api.FPDFPageObj_GetStrokeColor if mode in _STROKED else c_api.FPDFPageObj_GetFillColor
            colour = (0, 0, 0, 255)
            if ask(owner, red, green, blue, alpha):
                colour = (red.value, green.value, blue.value, alpha.value)
            known[key] = _Paint(owner, mode, colour, _is_layered(owner))
        found.append(known[key])
    return found


def _is_layered(owner: Any) -> bool:
    for at in range(c_api.FPDFPageObj_CountMarks(owner)):
        name = (c_api.FPDF_WCHAR * 4)()
        length = ctypes.c_ulong()
        mark = c_api.FPDFPageObj_GetMark(owner, at)
        if c_api.FPDFPageObjMark_GetName(mark, name, ctypes.sizeof(name), length) and list(name[:3]) == [79, 67, 0]:
            return True  # /OC
    return False


def _is_outside(box: Box, page_box: Box) -> bool:
    return box[2] < page_box[0] or box[0] > page_box[2] or box[3] < page_box[1] or box[1] > page_box[3]


def _is_tiny(handle: Any, word: PlacedWord, limit: float) -> bool:
    """Whether no letter is larger than the limit, neither its ink nor its room; fonts may scale their own size."""
    left, right, bottom, top = (ctypes.c_double() for _ in range(4))
    room = c_api.FS_RECTF()
    for at in word.places:
        inked = c_api.FPDFText_GetCharBox(handle, at, left, right, bottom, top)
        if inked and max(right.value - left.value, top.value - bottom.value) > limit:
            return False
        roomy = c_api.FPDFText_GetLooseCharBox(handle, at, room)
        if roomy and max(room.right - room.left, room.top - room.bottom) > _ROOM * limit:
            return False
    return True


def _is_like(one: Colour, other: Colour) -> bool:
    return all(abs(a - b) < _LIKE for a, b in zip(one[:3], other[:3], strict=True))


def _is_within(box: Box, outer: Box) -> bool:
    """Whether the middle of a box lies in another."""
    x, y = (box[0] + box[2]) / 2, (box[1] + box[3]) / 2
    return outer[0] - 2 <= x <= outer[2] + 2 and outer[1] - 2 <= y <= outer[3] + 2


def _backgrounds(page: Any) -> list[tuple[Box, Colour]]:
    """Filled shapes on which words may stand, with their colours."""
    found = []
    red, green, blue, alpha = (ctypes.c_uint() for _ in range(4))
    fill, stroke = ctypes.c_int(), ctypes.c_int()
    for painted in _objects(page):
        if c_api.FPDFPageObj_GetType(painted) != c_api.FPDF_PAGEOBJ_PATH:
            continue
        box = _bounds(painted)
        if box[2] - box[0] < _BACKGROUND[0] or box[3] - box[1] < _BACKGROUND[1]:
            continue
        filled = c_api.FPDFPath_GetDrawMode(painted, fill, stroke) and fill.value
        if filled and c_api.FPDFPageObj_GetFillColor(painted, red, green, blue, alpha):
            found.append((box, (red.value, green.value, blue.value, alpha.value)))
    return found


def _scans(page: Any) -> list[Box]:
    """Where pictures lie that are fine enough to show words."""
    found = []
    across, down = ctypes.c_uint(), ctypes.c_uint()
    for painted in _objects(page):
        if c_api.FPDFPageObj_GetType(painted) == c_api.FPDF_PAGEOBJ_IMAGE:
            box = _bounds(painted)
            inches = max((box[2] - box[0]) / 72, 0.01), max((box[3] - box[1]) / 72, 0.01)
            if not c_api.FPDFImageObj_GetImagePixelSize(painted, across, down):
                continue
            if across.value * down.value >= (_SCAN_DENSITY**2) * inches[0] * inches[1]:
                found.append(box)
    return found


def _objects(page: Any, *, deep: bool = False) -> list[Any]:
    """The first objects of a page, and those in forms among them."""
    count = min(_MAX_OBJECTS, c_api.FPDFPage_CountObjects(page.raw))
    found = [c_api.FPDFPage_GetObject(page.raw, at) for at in range(count)]
    for painted in found if deep else ():
        if c_api.FPDFPageObj_GetType(painted) == c_api.FPDF_PAGEOBJ_FORM and len(found) < _MAX_OBJECTS:
            inner = min(_MAX_OBJECTS, c_api.FPDFFormObj_CountObjects(painted))
            found += [c_api.FPDFFormObj_GetObject(painted, at) for at in range(inner)]
    return found


def _bounds(painted: Any) -> Box:
    left, bottom, right, top = (ctypes.c_float() for _ in range(4))
    c_api.FPDFPageObj_GetBounds(painted, left, bottom, right, top)
    return left.value, bottom.value, right.value, top.value


# --- rendering ------------------------------------------------------------------------


def _without_effect(
    page: Any, paints: Sequence[_Paint | None], words: Sequence[PlacedWord], doubtful: Sequence[int]
) -> set[int]:
    """The words that can be taken away without a change to be seen."""
    handles = {address(paint.handle): paint.handle for at in doubtful if (paint := paints[at])}
    whole = _painted(page)
    reported = {address(paint.handle) for paint in paints if paint}
    bare = _painted_without(page, [*handles.values(), *_twins(page, list(handles.values()), reported)])
    change = ImageChops.difference(whole, bare)
    return {
        at
        for at in doubtful
        if max(high for _, high in _levels(change, _pixels(page, words[at].box, change.size))) < _CONTRAST
    }


def _over_ink(
    page: Any, paints: Sequence[_Paint | None], words: Sequence[PlacedWord], asked: Sequence[int]
) -> set[int]:
    """The words behind which something other than text is painted, as letters drawn as shapes are."""
    bare = _painted_without(page, [paint.handle for paint in paints if paint])
    found = set()
    for at in asked:
        if max(high - low for low, high in _levels(bare, _pixels(page, words[at].box, bare.size))) >= _INK:
            found.add(at)
    return found


def _twins(page: Any, handles: Sequence[Any], reported: set[int]) -> list[Any]:
    """Text objects that begin where these do and that pdfium does not tell: the letters on a pale shadow or outline.

    Of the same words in the same place it tells the first ones alone.
    """
    starts = {(x + dx, y + dy) for x, y in map(_start, handles) for dx in (-1, 0, 1) for dy in (-1, 0, 1)}
    texts = (o for o in _objects(page, deep=True) if c_api.FPDFPageObj_GetType(o) == c_api.FPDF_PAGEOBJ_TEXT)
    return [o for o in texts if address(o) not in reported and _start(o) in starts]


def _start(handle: Any) -> tuple[int, int]:
    """Where a text object begins, in steps of two points."""
    matrix = c_api.FS_MATRIX()
    c_api.FPDFPageObj_GetMatrix(handle, matrix)
    return round(matrix.e / 2), round(matrix.f / 2)


def _painted_without(page: Any, handles: Sequence[Any]) -> Image.Image:
    for handle in handles:
        c_api.FPDFPageObj_SetIsActive(handle, False)
    try:
        return _painted(page)
    finally:
        for handle in handles:
            c_api.FPDFPageObj_SetIsActive(handle, True)


def _painted(page: Any) -> Image.Image:
    scale = min(_SCALE, _MAX_SIDE / max(*page.get_size(), 1.0))
    bitmap = page.render(scale=scale, may_draw_forms=False, rev_byteorder=True)
    try:
        picture: Image.Image = bitmap.to_pil().convert("RGB")
        return picture
    finally:
        bitmap.close()


def _pixels(page: Any, box: Box, size: tuple[int, int]) -> tuple[int, int, int, int]:
    """Return the box of a word on the rendered page."""
    x, y = ctypes.c_int(), ctypes.c_int()
    corners = []
    for across, up in ((box[0], box[1]), (box[2], box[3])):
        c_api.FPDF_PageToDevice(page.raw, 0, 0, *size, 0, across, up, x, y)
        corners.append((x.value, y.value))
    left, right = sorted(corner[0] for corner in corners)
    top, bottom = sorted(corner[1] for corner in corners)
    left, top = max(0, min(left, size[0] - 1)), max(0, min(top, size[1] - 1))
    return left, top, max(left + 1, min(right + 1, size[0])), max(top + 1, min(bottom + 1, size[1]))


def _levels(picture: Image.Image, box: tuple[int, int, int, int]) -> list[tuple[int, int]]:
    """Return minimum and maximum of each colour in a part of an image."""
    bands: Any = picture.crop(box).getextrema()
    return list(bands)
