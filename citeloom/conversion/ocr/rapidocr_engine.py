"""OCR engine RapidOCR (optional): slower than Tesseract, better on formulas and poor scans."""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from PIL.Image import Image, Resampling, Transform

from citeloom.conversion.ocr.languages import parse_languages, unknown_language_warning
from citeloom.conversion.ocr.words import OcrWord, is_wide, line_rise
from citeloom.core.errors import CiteLoomError, Code

# Languages of the bundled model: Latin script, Chinese, Japanese.
_MODEL_LANGUAGES = """
af az bs ca cs cy da de en es et eu fi fr ga gl hr hu id is it ja ku la lb lt lv mi ms mt nl no oc pl pt qu ro
sk sl sq sr-Latn sv sw tr uz vi zh-Hans zh-Hant
"""
LANGUAGES = frozenset(_MODEL_LANGUAGES.split())
_WIDE_RISE = 0.85  # of Chinese and Japanese characters above the baseline, as a share of the type size
_ROWS_PER_PIXEL = 2  # rows per pixel when a line is measured
_NO_INK = 0.001
_NARROW, _BROAD = set(" fijlrtI1.,;:'|!()[]-"), set("mwMW%&@")
_THREADS = {f"EngineConfig.onnxruntime.{kind}_op_num_threads": 1 for kind in ("intra", "inter")}


class RapidOcr:
    """Recognises page images in the languages of its model."""

    min_confidence = 0.8  # mean confidence; upright pages have 0.95 and more, pages upside down 0.6

    def __init__(self, languages: Sequence[str]) -> None:
        try:
            import rapidocr
        except ImportError:
            raise CiteLoomError(
                Code.MODEL_NOT_AVAILABLE,
                "The OCR engine rapidocr is not installed.",
                'Run `pip install "citeloom[rapidocr]"`, or choose tesseract.',
            ) from None
        models = Path(rapidocr.__file__).parent / "models"
        # Explicit paths keep it from downloading models.
        self._engine: Any = rapidocr.RapidOCR(
            params={
                **_THREADS,
                "Global.log_level": "error",
                "Global.use_cls": False,  # orientation is handled for whole pages
                "Global.text_score": 0.2,
                "Det.model_path": _model(models, "det"),
                "Rec.model_path": _model(models, "rec"),
            }
        )
        self.warnings: list[str] = []
        known: list[str] = []
        for text in languages:
            parsed = parse_languages(text)
            self.warnings += map(unknown_language_warning, parsed.unknown)
            for tag in parsed.tags:
                if tag in LANGUAGES:
                    known.append(tag)
                else:
                    self.warnings.append(
                        f"RapidOCR cannot read the language {tag}: its model knows Latin letters, Chinese and "
                        "Japanese. Choose tesseract for it."
                    )
        self.languages = tuple(dict.fromkeys(known)) or ("en",)

    def read(self, image: Image, dpi: float) -> list[OcrWord]:
        """Return the words of a grey page image, in its pixels."""
        found = self._engine(image.convert("RGB"))
        if found.txts is None:
            return []
        lines = zip(found.txts, found.boxes.tolist(), found.scores, strict=True)
        words: list[OcrWord] = []
        for number, (text, corners, score) in enumerate(lines, 1):
            words += Line(text, corners, float(score), number).words(image)
        return words


def _model(folder: Path, kind: str) -> str:
    file = next(iter(sorted(folder.glob(f"*_{kind}_*.onnx"))), None)
    if file is None:
        raise CiteLoomError(
            Code.MODEL_NOT_AVAILABLE,
            f"RapidOCR is installed without its model ({kind}).",
            'Run `pip install --force-reinstall "citeloom[rapidocr]"`.',
        )
    return str(file)


@dataclass(frozen=True)
class Line:
    """A line found by RapidOCR, with its corners clockwise from the upper left."""

    text: str
    corners: Sequence[Sequence[float]]
    confidence: float
    number: int

    def words(self, image: Image) -> Iterator[OcrWord]:
        """Yield the words of the line, each with a share of the line's box by the width of its letters.

        Text without spaces, as in Chinese, stays one word.
        """
        (left, top), (right, top_right), (_, bottom_right), (_, bottom) = self.corners
        baseline, size = self._baseline_and_size(image)
        widths = [_width(character) for character in self.text]
        whole = sum(widths) or 1.0
        for word in re.finditer(r"\S+", self.text):
            start, end = sum(widths[: word.start()]) / whole, sum(widths[: word.end()]) / whole
            x0, x1 = (left + (right - left) * share for share in (start, end))
            y0 = min(top + (top_right - top) * share for share in (start, end))
            y1 = max(bottom + (bottom_right - bottom) * share for share in (start, end))
            yield OcrWord(word[0], x0, y0, x1, y1, baseline, size, self.confidence, (1, 1, self.number))

    def _baseline_and_size(self, image: Image) -> tuple[float, float]:
        """Return the baseline at the middle of the line, and its type size.

        The boxes are too loose to measure, so the ink is used: it decreases most right under the baseline, and above it
        the rows have ink without a gap up to the top of the highest letters.
        """
        (_, top), (_, top_right), (_, bottom_right), (_, bottom) = self.corners
        height = max((bottom - top + bottom_right - top_right) / 2, 1.0)
        ink = self._ink_by_row(image, round(height * _ROWS_PER_PIXEL))
        under = max(range(len(ink) // 2, len(ink)), key=lambda row: ink[row - 1] - ink[row])
        highest = under
        while highest > 0 and ink[highest - 1] > _NO_INK:
            highest -= 1
        size = (
            (under - highest) / _ROWS_PER_PIXEL / (_WIDE_RISE if any(map(is_wide, self.text)) else line_rise(self.text))
        )
        return (top + top_right) / 2 + under / _ROWS_PER_PIXEL, size or height

    def _ink_by_row(self, image: Image, rows: int) -> Sequence[float]:
        """Return the share of ink in each row of the line, 0 to 1, after rotating the line to horizontal."""
        width = max(round(self.corners[1][0] - self.corners[0][0]), 1)
        around = [value for corner in (0, 3, 2, 1) for value in self.corners[corner]]
        level = image.transform((width, rows), Transform.QUAD, around, Resampling.BILINEAR)
        greys = [grey for grey, count in enumerate(level.histogram()) if count]
        middle = (greys[0] + greys[-1]) / 2
        black = level.point([int(grey < middle) for grey in range(256)]).convert("F")
        return array("f", black.resize((1, rows), Resampling.BOX).tobytes())


def _width(character: str) -> float:
    """Return the width of a character, in typical letters."""
    if is_wide(character):
        return 2.0
    if character in _BROAD:
        return 1.5
    return 0.55 if character in _NARROW else 1.0
