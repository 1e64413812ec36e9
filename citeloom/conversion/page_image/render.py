"""Page images as PNG with the position of a passage. Called in the worker process of the page view."""

from __future__ import annotations

import base64
import io
from functools import lru_cache
from pathlib import Path
from typing import Any

from PIL import Image, ImageChops

from citeloom.conversion.page_image.highlights import NO_BOX, Box, PageText, as_shares, find_marks
from citeloom.conversion.page_image.pages import ImagePages, PdfPages, open_pages
from citeloom.core.errors import CiteLoomError, Code

_MAX_BYTES = 12_000_000  # of an image, which is sent in one line
_REDUCTION = 0.7
_CACHED_PAGES = 20  # size of the cache of recognised pages
_PAGES_AROUND = 5  # pages before and after the displayed one on which a passage is searched


def page_picture(request: dict[str, Any]) -> dict[str, Any]:
    """Return a page as PNG with the marks of a passage, found by the file's own text."""
    number = int(request["page"])
    with open_pages(Path(request["path"]), request["kind"]) as file:
        _check_page(file, number)
        picture, png = _as_png(file.show(number, int(request["width"])))
        return {
            "page": number,
            "pages": len(file),
            "label": file.label(number),
            "png": base64.b64encode(png).decode("ascii"),
            "width": picture.width,
            "height": picture.height,
            **_as_json(_marks(file, number, request)),
        }


def recognised_marks(request: dict[str, Any]) -> dict[str, Any]:
    """Return the marks of a passage on a scanned page, which is recognised again (seconds)."""
    number = int(request["page"])
    page = _recognised(
        request["path"],
        request["kind"],
        request["content_hash"],
        number,
        tuple(request["ocr_languages"]),
        request["ocr_engine"],
    )
    return _as_json(find_marks(request["passage"], {number: page}, number, request["first"], request["last"]))


@lru_cache(maxsize=_CACHED_PAGES)
def _recognised(
    path: str, kind: str, content_hash: str, number: int, languages: tuple[str, ...], engine: str
) -> PageText:
    """Return the recognised words of a page; the hash is part of the cache key."""
    from citeloom.conversion.ocr.recogniser import Recogniser

    recogniser = Recogniser(languages, engine)
    with open_pages(Path(path), kind) as file:
        _check_page(file, number)
        image = file.scan(number)
    words = recogniser.words(image)
    text, boxes = list[str](), list[Box]()
    for word in words:
        text.append(f"{word.text} ")
        across = (word.x1 - word.x0) / max(1, len(word.text))  # estimated width of a character
        for at in range(len(word.text)):
            box = (word.x0 + at * across, word.y0, word.x0 + (at + 1) * across, word.y1)
            boxes.append(_before_rotation(box, words.quarter_turns, image.size))
        boxes.append(NO_BOX)
    return PageText("".join(text), boxes, *image.size)


def _check_page(file: PdfPages | ImagePages, number: int) -> None:
    if not 1 <= number <= len(file):
        raise CiteLoomError(
            Code.INVALID_INPUT, f"There is no PDF page {number}.", f"The document has PDF pages 1 to {len(file)}."
        )


def _marks(file: PdfPages | ImagePages, number: int, request: dict[str, Any]) -> list[Box]:
    first, last = int(request["first"]), int(request["last"])
    if not first <= number <= last:
        return []
    if request.get("places"):
        page = file.boxes(number, request["places"])
        return as_shares(page.boxes, page)
    around = range(max(first, number - _PAGES_AROUND), min(last, number + _PAGES_AROUND, len(file)) + 1)
    return find_marks(request["passage"], {at: file.characters(at) for at in around}, number, first, last)


def _as_png(picture: Image.Image) -> tuple[Image.Image, bytes]:
    """Encode an image as PNG, reduced until it is within the size limit."""
    red, green, blue = picture.split()
    if not (ImageChops.difference(red, green).getbbox() or ImageChops.difference(red, blue).getbbox()):
        picture = red  # one channel of a grey image: a third of the bytes, in half of the time
    while True:
        out = io.BytesIO()
        picture.save(out, "PNG", compress_level=1)
        if out.tell() <= _MAX_BYTES:
            return picture, out.getvalue()
        picture = picture.resize((int(picture.width * _REDUCTION), int(picture.height * _REDUCTION)))


def _before_rotation(box: Box, quarter_turns: int, size: tuple[int, int]) -> Box:
    """Map a box on an image that was turned counter-clockwise back to the original."""
    width, height = size
    x0, y0, x1, y1 = box
    if quarter_turns == 1:
        return width - y1, x0, width - y0, x1
    if quarter_turns == 2:
        return width - x1, height - y1, width - x0, height - y0
    if quarter_turns == 3:
        return y0, height - x1, y1, height - x0
    return box


def _as_json(marks: list[Box]) -> dict[str, Any]:
    return {"marks": [list(box) for box in marks], "found": bool(marks)}
