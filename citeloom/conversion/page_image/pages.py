"""Pages for display: rendered in colour, with the position of each character."""

from __future__ import annotations

import ctypes
import math
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from PIL import Image

from citeloom.conversion.image_files import ImageFile, on_white, reduce_to_8_bit
from citeloom.conversion.page_image.highlights import NO_BOX, Box, PageText
from citeloom.conversion.pdf.pdfium.api import c_api, pdfium, rendered
from citeloom.conversion.pdf.pdfium.document import PdfFile, open_layers, page_label
from citeloom.core.errors import CiteLoomError, Code

_MAX_PIXELS, _MAX_SIDE = 25_000_000, 16_000  # of a rendered page
_OCR_SCALE = 300 / 72  # pixels per point, the same as during import


class PdfPages(PdfFile):
    """An open PDF for display."""

    def __len__(self) -> int:
        return len(self._document)

    def label(self, number: int) -> str | None:
        """Return the page label of the file, or None."""
        with self._lock:
            return page_label(self._document, number - 1)

    def show(self, number: int, width: int) -> Image.Image:
        """Render a page `width` pixels wide, or narrower if it is very tall."""
        with self._page(number) as page:
            across, down = page.get_size()
            scale = _scale(across, down, width)
            # Less than a pixel is subtracted, so that rounding up does not add one.
            return rendered(page, "RGB", scale=scale * (1 - 1e-6), rev_byteorder=True)

    def scan(self, number: int) -> Image.Image:
        """Render a page for OCR, in the displayed orientation."""
        with self._page(number) as page:
            quarter_turns = page.get_rotation() // 90
        return self.render(number, _OCR_SCALE, quarter_turns)

    def characters(self, number: int) -> PageText:
        """Return the characters of a page with their positions on the displayed page."""
        letters, boxes = list[str](), list[Box]()
        with self._reading(number), open_layers(self._document, number - 1) as (layers, _):
            to_image = _PageToImage(layers[0].page)
            for layer in layers:
                for run in layer.characters.runs:
                    for letter, at in zip(run.letters, run.places, strict=True):
                        if letters and _are_surrogates(letters[-1], letter):
                            letters[-1] = (letters[-1] + letter).encode("utf-16", "surrogatepass").decode("utf-16")
                        elif letter:
                            letters.append(letter)
                            box = _character_box(layer.text_page.raw, at)
                            boxes.append(to_image.box(box) if box else NO_BOX)
                    letters.append(" ")
                    boxes.append(NO_BOX)
        return PageText("".join(letters), boxes, to_image.width, to_image.height)

    def boxes(self, number: int, places: Sequence[Box]) -> PageText:
        """Return a PageText with one character per box, given in the file's coordinates."""
        with self._page(number) as page:
            to_image = _PageToImage(page)
        return PageText("x" * len(places), [to_image.box(place) for place in places], to_image.width, to_image.height)

    @contextmanager
    def _page(self, number: int) -> Iterator[Any]:
        with self._reading(number), closing(self._document.get_page(number - 1)) as page:
            yield page

    @contextmanager
    def _reading(self, number: int) -> Iterator[None]:
        with self._lock:
            try:
                yield
            except pdfium.PdfiumError:
                raise CiteLoomError(
                    Code.CONVERSION_FAILED,
                    f"PDF page {number} is damaged and cannot be shown.",
                    "Open the file in a PDF viewer; if it fails there too, download it again.",
                ) from None


def _scale(across: float, down: float, width: int) -> float:
    """Return the scale for an image of the requested width, within the size limits."""
    across, down = max(across, 1.0), max(down, 1.0)
    return min(width / across, _MAX_SIDE / down, math.sqrt(_MAX_PIXELS / (across * down)))


class _PageToImage:
    """Maps page coordinates to image coordinates, with rotation and crop box as pdfium applies them."""

    _STEPS = 1_000_000  # steps across the image, since pdfium returns integers

    def __init__(self, page: Any) -> None:
        self.width, self.height = page.get_size()
        self._zero = self._to_image(page, 0, 0)
        self._across = self._to_image(page, 1000, 0)
        self._up = self._to_image(page, 0, 1000)

    def _to_image(self, page: Any, x: float, y: float) -> tuple[float, float]:
        right, down = ctypes.c_int(), ctypes.c_int()
        c_api.FPDF_PageToDevice(page.raw, 0, 0, self._STEPS, self._STEPS, 0, x, y, right, down)
        return right.value * self.width / self._STEPS, down.value * self.height / self._STEPS

    def box(self, place: Box) -> Box:
        """Return the box on the image (origin upper left) for left, bottom, right, top on the page."""
        (x0, y0), (x1, y1) = self._point(place[0], place[1]), self._point(place[2], place[3])
        return min(x0, x1), min(y0, y1), max(x0, x1), max(y0, y1)

    def _point(self, x: float, y: float) -> tuple[float, float]:
        zero, across, up = self._zero, self._across, self._up
        return (
            zero[0] + (x * (across[0] - zero[0]) + y * (up[0] - zero[0])) / 1000,
            zero[1] + (x * (across[1] - zero[1]) + y * (up[1] - zero[1])) / 1000,
        )


def _are_surrogates(first: str, second: str) -> bool:
    """Return whether two UTF-16 units, which pdfium counts as characters, are a surrogate pair."""
    return "\ud800" <= first <= "\udbff" and "\udc00" <= second <= "\udfff"


def _character_box(handle: Any, at: int) -> Box | None:
    """Return the font's box of a character, or the box of its ink if the font has none."""
    rect = c_api.FS_RECTF()
    if c_api.FPDFText_GetLooseCharBox(handle, at, rect) and rect.right > rect.left and rect.top > rect.bottom:
        return rect.left, rect.bottom, rect.right, rect.top
    left, right, bottom, top = (ctypes.c_double() for _ in range(4))
    if c_api.FPDFText_GetCharBox(handle, at, left, right, bottom, top):
        return left.value, bottom.value, right.value, top.value
    return None


class ImagePages(ImageFile):
    """An open image file for display; without characters."""

    def __len__(self) -> int:
        return int(getattr(self._picture, "n_frames", 1))

    def label(self, number: int) -> str | None:
        """Return None: images have no page labels."""
        return None

    def show(self, number: int, width: int) -> Image.Image:
        """Return a page in colour, `width` pixels wide at most."""
        picture = self._frame(number, lambda frame: on_white(reduce_to_8_bit(frame)).convert("RGB"))
        scale = min(1.0, _scale(*picture.size, width))
        return picture.resize((max(1, round(picture.width * scale)), max(1, round(picture.height * scale))))

    def scan(self, number: int) -> Image.Image:
        """Return a page for OCR."""
        return self.render(number, _OCR_SCALE, 0)

    def characters(self, number: int) -> PageText:
        """Return no characters."""
        return PageText("", (), 1.0, 1.0)

    def boxes(self, number: int, places: Sequence[Box]) -> PageText:
        """Return no characters: positions in images are not known."""
        return self.characters(number)


def open_pages(path: Path, kind: str) -> PdfPages | ImagePages:
    """Open a PDF or image file for display."""
    return ImagePages(path) if kind == "image" else PdfPages(path)
