"""Text in the picture of a page: recognised one page at a time, by Tesseract or RapidOCR."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import replace
from importlib import metadata, util
from itertools import groupby
from operator import attrgetter
from typing import TYPE_CHECKING, Protocol

from citeloom.documents import ocr_tesseract
from citeloom.documents.ocr_languages import normalise
from citeloom.documents.ocr_words import OcrWord, certain_letters, is_noise, mean_confidence, sideways
from citeloom.errors import CiteLoomError, Code

if TYPE_CHECKING:
    from PIL.Image import Image as PageImage

__all__ = ["OcrWord", "PageWords", "Recogniser", "engines", "normalise"]

_PAGE_INCHES = 11.7  # the long side of A4, for pictures that do not say their resolution
_FEWEST_PIXELS = 1600  # on the long side; smaller pages are enlarged: 100 dpi gains 1.7 % of the words
_DENSEST, _DENSE_ENOUGH = 350.0, 300.0  # dpi; denser pages are reduced: the same words in half the time
_LOWEST_TOLD = 100.0  # dpi; 72 and 96 are what programs write that do not know
_MOST_PIXELS = 40_000_000
_LONGEST_SIDE = 30_000  # Tesseract counts pixels in 16 bits
_FAINTEST = 24  # grey levels between paper and ink


class PageWords(list[OcrWord]):
    """The words of a page, placed in the upright page.

    The upright page is the image given, turned counter-clockwise by `quarter_turns`:
    `image.rotate(90 * quarter_turns, expand=True)`. `turned` is the text that stands at another angle than the rest,
    such as a stamp along the margin; it is not among the words.
    """

    def __init__(self, words: Iterable[OcrWord] = (), quarter_turns: int = 0, turned: str = "") -> None:
        super().__init__(words)
        self.quarter_turns = quarter_turns
        self.turned = turned


class _Engine(Protocol):
    warnings: list[str]
    languages: tuple[str, ...]
    unsure_below: float

    def read(self, image: PageImage, dpi: float) -> list[OcrWord]: ...


class Recogniser:
    """Recognises the text of a document's pages."""

    def __init__(self, languages: Sequence[str], engine: str = "tesseract") -> None:
        self._engine = _engine(engine, languages)
        self.warnings: list[str] = self._engine.warnings
        self.languages: tuple[str, ...] = self._engine.languages
        self._quarter_turns = 0

    def words(self, image: PageImage) -> PageWords:
        """The words of a page image; none for a blank one.

        A page that lies on its side or its head is read in the direction in which its text stands upright, and its
        words have their places there: see PageWords. Dropped are specks, words with a confidence below 0.2 that
        hold no two letters or digits in a row.
        """
        if not image.width or not image.height:
            return PageWords()
        grey = _grey(image)
        if _is_blank(grey):
            return PageWords()
        scale, dpi = _fit(image)
        if scale != 1:
            grey = grey.resize((max(round(image.width * scale), 1), max(round(image.height * scale), 1)))
        # The pages of a document mostly lie the same way: begin as the page before was read.
        page = self._read(grey, dpi, self._quarter_turns)
        if self._turns_needed(page):
            again = self._read(grey, dpi, (self._quarter_turns + self._turns_needed(page)) % 4)
            page = max(page, again, key=lambda reading: certain_letters(_upright_words(reading)))
            self._quarter_turns = page.quarter_turns
        return _upright_words(page, scale)

    def _turns_needed(self, page: PageWords) -> int:
        """Quarter turns until the text stands upright, as far as a first reading tells.

        Both engines read text that runs downward and box it higher than wide; text that runs upward or stands on its
        head they take for the other direction, and are unsure of nearly every word.
        """
        unsure = mean_confidence(page) < self._engine.unsure_below
        if sideways(page):
            return 3 if unsure else 1
        return 2 if page and unsure else 0

    def _read(self, grey: PageImage, dpi: float, quarter_turns: int) -> PageWords:
        turned = grey.rotate(90 * quarter_turns, expand=True) if quarter_turns else grey
        return PageWords(self._engine.read(turned, dpi), quarter_turns)


def engines() -> dict[str, str]:
    """The OCR engines and what there is of them, for people who look for a fault."""
    found = ocr_tesseract.find()
    tesseract = "not installed"
    if found:
        names = " ".join(sorted(found.data())) or "no language data"
        tesseract = f"{ocr_tesseract.version(found)} from {found.origin}, {names}"
    rapidocr = metadata.version("rapidocr") if util.find_spec("rapidocr") else "not installed"
    return {"tesseract": tesseract, "rapidocr": rapidocr}


def _engine(name: str, languages: Sequence[str]) -> _Engine:
    if name == "tesseract":
        return ocr_tesseract.Tesseract(languages)
    if name == "rapidocr":
        from citeloom.documents.ocr_rapid import RapidOcr

        return RapidOcr(languages)
    raise CiteLoomError(
        Code.INVALID_INPUT, f"There is no OCR engine {name[:40]!r}.", "Choose tesseract or rapidocr.", engine=name
    )


def _grey(image: PageImage) -> PageImage:
    """The image in 256 greys, on white paper where it is transparent."""
    from PIL import Image

    try:
        if image.mode[0] in "IF":  # more than 256 greys: Pillow would cut them off
            low, high = (float(level) for level in image.getextrema())  # type: ignore[arg-type]
            factor = 255 / ((high - low) or 1)
            return image.convert("F").point(lambda value: value * factor - low * factor).convert("L")
        if image.mode == "LAB":
            return image.getchannel("L")
        if "A" in image.mode or "a" in image.mode or "transparency" in image.info:
            colours = image.convert("RGBA")
            return Image.alpha_composite(Image.new("RGBA", image.size, "white"), colours).convert("L")
        return image.convert("L")
    except (OSError, SyntaxError, ValueError) as error:
        raise CiteLoomError(
            Code.CONVERSION_FAILED,
            f"The picture is damaged: {error}.",
            "Open it in a picture viewer; if it fails there too, scan or download it again.",
        ) from None


def _is_blank(grey: PageImage) -> bool:
    levels = [level for level, count in enumerate(grey.histogram()) if count]
    return levels[-1] - levels[0] < _FAINTEST


def _fit(image: PageImage) -> tuple[float, float]:
    """By how much to enlarge or reduce a page before it is read, and its dots per inch then."""
    longest = max(image.size)
    supposed = longest / _PAGE_INCHES
    told = float(next(iter(image.info.get("dpi") or ()), 0))
    known = told >= _LOWEST_TOLD
    # A picture that claims more than its page can have was not scanned at that.
    dpi = min(told, supposed) if known else supposed
    scale = 2.0 if longest < _FEWEST_PIXELS else 1.0
    if known and dpi > _DENSEST:
        scale = _DENSE_ENOUGH / dpi
    scale = min(scale, _LONGEST_SIDE / longest, math.sqrt(_MOST_PIXELS / (image.width * image.height)))
    return scale, dpi * scale


def _upright_words(page: PageWords, scale: float = 1.0) -> PageWords:
    """A page without specks and without the lines that stand at another angle, in the scale of its image."""
    kept = PageWords(quarter_turns=page.quarter_turns)
    angled: list[str] = []
    for _, line in groupby((word for word in page if not is_noise(word)), key=attrgetter("line")):
        words = list(line)
        if sideways(words):
            angled += [word.text for word in words]
        else:
            kept += words if scale == 1 else [_unscaled(word, scale) for word in words]
    kept.turned = " ".join(angled)
    return kept


def _unscaled(word: OcrWord, scale: float) -> OcrWord:
    return replace(
        word,
        x0=word.x0 / scale,
        y0=word.y0 / scale,
        x1=word.x1 / scale,
        y1=word.y1 / scale,
        baseline=word.baseline / scale,
        size=word.size / scale,
    )
