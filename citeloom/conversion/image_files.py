"""Image files (PNG, JPEG, TIFF with several pages) as documents whose text is recognised by OCR."""

from __future__ import annotations

import re
import threading
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Protocol, Self

from PIL import Image, ImageOps, ImageSequence, UnidentifiedImageError

from citeloom.conversion.file_errors import file_error, wrong_suffix
from citeloom.conversion.pdf.raw_page import RawPage, RawPdf
from citeloom.core.errors import CiteLoomError

_MAX_PIXELS = 150_000_000  # a page of A0 at 200 dpi has 62 million
_MAX_SIDE = 6000
_MIN_SIDE = 8  # pixels after reduction for OCR; smaller letters are not legible
_ORIENTATION = 0x0112  # EXIF tag
_DAMAGED = (OSError, ValueError, SyntaxError, EOFError)  # what Pillow raises for a damaged file
_A4_HEIGHT = 842.0  # points; assumed for an image without resolution


class PageImages(Protocol):
    """Renders the pages of a document."""

    def render(self, number: int, scale: float, quarter_turns: int) -> Image.Image:
        """Return a page as a grey image with `scale` pixels per point, turned upright."""


class ImageFile:
    """An open image file: pages without words, rendered on demand."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = threading.Lock()
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", Image.DecompressionBombWarning)  # the size is checked below
                self._picture = Image.open(path)
        except Image.DecompressionBombError as error:
            pixels = re.search(r"\d+", str(error))
            raise self._too_large(f"has {int(pixels[0]):,} pixels" if pixels else "is too large") from None
        except UnidentifiedImageError:
            raise wrong_suffix(path, "not an image") from None
        except _DAMAGED:
            raise self._damaged() from None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._picture.close()

    def read(self) -> RawPdf:
        """Return the pages, without text."""
        pages = []
        try:
            for number, frame in enumerate(ImageSequence.Iterator(self._picture), 1):
                if frame.width * frame.height > _MAX_PIXELS:
                    raise self._too_large(f"is {frame.width:,} × {frame.height:,} pixels")
                points = _A4_HEIGHT / max(frame.size)
                dpi = frame.info.get("dpi")
                if dpi and min(dpi) >= 50:
                    points = 72.0 / float(dpi[0])
                width, height = frame.width * points, frame.height * points
                if frame.getexif().get(_ORIENTATION, 1) >= 5:  # rotated by a quarter turn
                    width, height = height, width
                pages.append(RawPage(number, width, height, None, [], drawn=_is_legible(frame)))
        except _DAMAGED:
            raise self._damaged() from None
        if not any(page.drawn for page in pages):
            width, height = self._picture.size
            raise file_error(
                self._path,
                f"The image {self._path.name} is {width:,} × {height:,} pixels: no line of text in it is legible.",
                "Cut it into pieces of the shape of a page, or scan it in a higher resolution.",
            )
        return RawPdf(pages)

    def render(self, number: int, scale: float, quarter_turns: int) -> Image.Image:
        """Return a page as a grey image in its own resolution, reduced if it is very large."""
        picture = self._frame(number, to_grey)
        longest = max(picture.size)
        if longest > _MAX_SIDE:
            picture = picture.resize((picture.width * _MAX_SIDE // longest, picture.height * _MAX_SIDE // longest))
            picture.info.pop("dpi", None)
        return picture.rotate(-90 * quarter_turns, expand=True) if quarter_turns else picture

    def _frame(self, number: int, convert: Callable[[Image.Image], Image.Image]) -> Image.Image:
        """Return a page, upright and converted."""
        with self._lock, warnings.catch_warnings():
            warnings.simplefilter("ignore", Image.DecompressionBombWarning)
            try:
                self._picture.seek(number - 1)
                return convert(ImageOps.exif_transpose(self._picture))
            except _DAMAGED:
                raise self._damaged() from None

    def _damaged(self) -> CiteLoomError:
        message = f"The image {self._path.name} is damaged and cannot be opened."
        next_step = "Open it in an image viewer; if it fails there too, scan or download it again."
        return file_error(self._path, message, next_step)

    def _too_large(self, what: str) -> CiteLoomError:
        message = f"The image {self._path.name} {what}; up to {_MAX_PIXELS // 1_000_000} million pixels are read."
        return file_error(self._path, message, "Save it in a lower resolution: 300 dpi is enough for OCR.")


def to_grey(image: Image.Image) -> Image.Image:
    """Return an image in 256 greys with its resolution, transparent areas on white."""
    picture = image.getchannel("L") if image.mode == "LAB" else on_white(reduce_to_8_bit(image)).convert("L")
    picture.info = {key: image.info[key] for key in ("dpi",) if key in image.info}
    return picture


def reduce_to_8_bit(image: Image.Image) -> Image.Image:
    """Return an image with more than 256 greys in 256, stretched, because Pillow would clip them."""
    if image.mode[0] not in "IF":
        return image
    low, high = (float(level) for level in image.getextrema())  # type: ignore[arg-type]
    factor = 255 / ((high - low) or 1)
    return image.convert("F").point(lambda value: value * factor - low * factor).convert("L")


def on_white(image: Image.Image) -> Image.Image:
    """Return an image on white where it is transparent."""
    if "A" not in image.mode and "a" not in image.mode and "transparency" not in image.info:
        return image
    return Image.alpha_composite(Image.new("RGBA", image.size, "white"), image.convert("RGBA"))


def _is_legible(frame: Image.Image) -> bool:
    """Return whether an image can contain legible text after reduction for OCR."""
    return min(frame.size) * min(1.0, _MAX_SIDE / max(frame.size)) >= _MIN_SIDE
