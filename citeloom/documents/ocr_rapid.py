"""RapidOCR, where it is installed: slower than Tesseract, better on formulas and poor scans."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from citeloom.documents.ocr_languages import no_language, understand
from citeloom.documents.ocr_words import OcrWord, extent, is_wide
from citeloom.errors import CiteLoomError, Code

if TYPE_CHECKING:
    from PIL.Image import Image

# What the model in the wheel was made for: languages in Latin letters, Chinese, Japanese.
_LANGUAGES = """
af az bs ca cs cy da de en es et eu fi fr ga gl hr hu id is it ja ku la lb lt lv mi ms mt nl no oc pl pt qu ro
sk sl sq sr-Latn sv sw tr uz vi zh-Hans zh-Hant
"""
_MARGIN = 1.43  # how much higher its line boxes are than the letters in them
_NARROW, _BROAD = set("fijlrtI1.,;:'|!()[]-"), set("mwMW%&@")
_THREADS = {f"EngineConfig.onnxruntime.{kind}_op_num_threads": 1 for kind in ("intra", "inter")}


class RapidOcr:
    """Reads page images; the languages are those of its one model."""

    unsure_below = 0.8  # mean confidence; upright pages have 0.95 and more, pages on their head 0.6

    def __init__(self, languages: Sequence[str]) -> None:
        try:
            import rapidocr  # type: ignore[import-not-found]
        except ImportError:
            raise CiteLoomError(
                Code.MODEL_NOT_AVAILABLE,
                "The OCR engine rapidocr is not installed.",
                'Run `pip install "citeloom[rapidocr]"`, or choose tesseract.',
            ) from None
        models = Path(rapidocr.__file__).parent / "models"
        # Named one by one, the models are never looked for on the network.
        self._engine: Any = rapidocr.RapidOCR(
            params={
                **_THREADS,
                "Global.log_level": "error",
                "Global.use_cls": False,  # turned pages are turned as a whole
                "Global.text_score": 0.2,
                "Det.model_path": _model(models, "det"),
                "Rec.model_path": _model(models, "rec"),
            }
        )
        self.warnings: list[str] = []
        known: list[str] = []
        for text in languages:
            understood = understand(text)
            self.warnings += map(no_language, understood.unknown)
            for tag in understood.tags:
                if tag in _LANGUAGES.split():
                    known.append(tag)
                else:
                    self.warnings.append(_not_in_model(tag))
        self.languages = tuple(dict.fromkeys(known)) or ("en",)

    def read(self, image: Image, dpi: float) -> list[OcrWord]:
        """The words of a grey page image, in its pixels."""
        found = self._engine(image.convert("RGB"))
        if found.txts is None:
            return []
        lines = zip(found.boxes.tolist(), found.txts, found.scores, strict=True)
        return [
            word
            for number, (corners, text, score) in enumerate(lines, 1)
            for word in split_line(text, corners, float(score), number)
        ]


def _not_in_model(tag: str) -> str:
    return (
        f"RapidOCR cannot read the language {tag}: its model knows Latin letters, Chinese and Japanese. "
        "Choose tesseract for it."
    )


def _model(folder: Path, kind: str) -> str:
    file = next(iter(sorted(folder.glob(f"*_{kind}_*.onnx"))), None)
    if file is None:
        raise CiteLoomError(
            Code.MODEL_NOT_AVAILABLE,
            f"RapidOCR is installed without its model ({kind}).",
            'Run `pip install --force-reinstall "citeloom[rapidocr]"`.',
        )
    return str(file)


def split_line(text: str, corners: Sequence[Sequence[float]], confidence: float, number: int) -> Iterator[OcrWord]:
    """The words of a line, each with the share of the line's box that its letters take.

    The corners go round from the upper left. Text without spaces, as in Chinese, stays one word.
    """
    (left, top), (right, top_right), (_, bottom_right), (_, bottom) = corners
    height = ((bottom - top) + (bottom_right - top_right)) / 2
    rise, hang = (0.85, 0.1) if any(map(is_wide, text)) else extent(text)
    size = height / (_MARGIN * (rise + hang))
    middle = (top + top_right + bottom + bottom_right) / 4
    baseline = middle + (rise - hang) / 2 * size
    whole = sum(map(_width, text)) or 1.0
    at = 0.0
    for part in text.split(" "):
        start, end = at / whole, (at + sum(map(_width, part))) / whole
        at += sum(map(_width, part)) + _width(" ")
        if part:
            upper = [top + (top_right - top) * share for share in (start, end)]
            lower = [bottom + (bottom_right - bottom) * share for share in (start, end)]
            x0, x1 = left + (right - left) * start, left + (right - left) * end
            yield OcrWord(part, x0, min(upper), x1, max(lower), baseline, size, confidence, (1, 1, number))


def _width(character: str) -> float:
    if is_wide(character):
        return 2.0
    if character in _BROAD:
        return 1.5
    return 0.55 if character in _NARROW or character == " " else 1.0
