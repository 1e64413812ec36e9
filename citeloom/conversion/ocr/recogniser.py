"""Recogniser: OCR of page images with Tesseract or RapidOCR, with correction of page orientation."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from importlib import metadata, util
from itertools import groupby
from operator import attrgetter
from typing import Protocol

from PIL.Image import Image

from citeloom.conversion.ocr import tesseract_engine
from citeloom.conversion.ocr.image import prepare
from citeloom.conversion.ocr.words import OcrWord, certain_letters, is_noise, sideways
from citeloom.conversion.text_tools import mean_confidence
from citeloom.core.errors import CiteLoomError, Code


class PageWords(list[OcrWord]):
    """Words of a page, with positions in the upright page.

    The upright page is the image given, turned counter-clockwise by `quarter_turns`:
    `image.rotate(90 * quarter_turns, expand=True)`. `rotated_text` is the text printed at another angle than the rest,
    such as a stamp along the margin; it is not among the words.
    """

    def __init__(self, words: Iterable[OcrWord] = (), quarter_turns: int = 0, rotated_text: str = "") -> None:
        super().__init__(words)
        self.quarter_turns = quarter_turns
        self.rotated_text = rotated_text


class _Engine(Protocol):
    warnings: list[str]
    languages: tuple[str, ...]
    min_confidence: float

    def read(self, image: Image, dpi: float) -> list[OcrWord]: ...


class Recogniser:
    """Recognises the text of a document's pages."""

    def __init__(self, languages: Sequence[str], engine: str = "tesseract") -> None:
        self._engine = _engine(engine, languages)
        self.warnings: list[str] = self._engine.warnings
        self.languages: tuple[str, ...] = self._engine.languages
        self._quarter_turns = 0

    def words(self, image: Image) -> PageWords:
        """Recognise the words of a page image; none for a blank one.

        A page scanned sideways or upside down is rotated until its text is upright; the positions of the words refer to
        the rotated page (see PageWords). Noise is dropped: words with a confidence below 0.2 and without two letters
        or digits in a row.
        """
        prepared = prepare(image)
        if prepared is None:
            return PageWords()
        grey, dpi, scale = prepared
        # Pages of a document mostly have the same orientation: start with that of the page before.
        page = self._read(grey, dpi, self._quarter_turns)
        if self._missing_turns(page):
            rotated = self._read(grey, dpi, (self._quarter_turns + self._missing_turns(page)) % 4)
            page = max(page, rotated, key=lambda reading: certain_letters(_upright_words(reading)))
            self._quarter_turns = page.quarter_turns
        return _upright_words(page, scale)

    def _missing_turns(self, page: PageWords) -> int:
        """Return the quarter turns to upright text, judged by a first reading.

        Both engines recognise text that runs downward, with boxes higher than wide. Text that runs upward or is upside
        down is read in the wrong direction, with low confidence for nearly every word.
        """
        confidence = mean_confidence((word.confidence, word.text) for word in page) or 0.0
        unsure = confidence < self._engine.min_confidence
        if sideways(page):
            return 3 if unsure else 1
        return 2 if page and unsure else 0

    def _read(self, grey: Image, dpi: float, quarter_turns: int) -> PageWords:
        rotated = grey.rotate(90 * quarter_turns, expand=True) if quarter_turns else grey
        return PageWords(self._engine.read(rotated, dpi), quarter_turns)


def engines() -> dict[str, str]:
    """Return the versions and languages of the OCR engines."""
    found = tesseract_engine.find()
    tesseract = "not installed"
    if found:
        names = " ".join(sorted(found.data())) or "no language data"
        tesseract = f"{tesseract_engine.version(found)} from {found.origin}, {names}"
    rapidocr = metadata.version("rapidocr") if util.find_spec("rapidocr") else "not installed"
    return {"tesseract": tesseract, "rapidocr": rapidocr}


def _engine(name: str, languages: Sequence[str]) -> _Engine:
    if name == "tesseract":
        return tesseract_engine.Tesseract(languages)
    if name == "rapidocr":
        from citeloom.conversion.ocr.rapidocr_engine import RapidOcr

        return RapidOcr(languages)
    raise CiteLoomError(
        Code.INVALID_INPUT, f"There is no OCR engine {name[:40]!r}.", "Choose tesseract or rapidocr.", engine=name
    )


def _upright_words(page: PageWords, scale: float = 1.0) -> PageWords:
    """Return a page without noise and without lines at another angle, in the scale of the original image."""
    result = PageWords(quarter_turns=page.quarter_turns)
    angled: list[str] = []
    for _, line in groupby((word for word in page if not is_noise(word)), key=attrgetter("line")):
        words = list(line)
        if sideways(words):
            angled += [word.text for word in words]
        else:
            result += words if scale == 1 else [_unscaled(word, scale) for word in words]
    result.rotated_text = " ".join(angled)
    return result


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
