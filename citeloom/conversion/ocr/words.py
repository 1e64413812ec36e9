"""Words recognised by OCR: type size, orientation, noise and confidence."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

# Heights in common text typefaces, as shares of the type size: capitals, digits and ascenders; letters like x.
_ASCENT, _X_HEIGHT = 0.70, 0.48
_ASCENDING = set("bdfhklß")
_PLAIN = set("acemnorsuvwxz")
_ABOVE_CAPITALS = set("ÄÖÜÉÈÊÀÁÂÅÑÍÓÚČŠŽŘ")
_LETTERS_OR_DIGITS = re.compile(r"[^\W_]{2}")
_NOISE = 0.2


@dataclass(frozen=True, slots=True)
class OcrWord:
    """A recognised word: box in pixels with y growing downward, and the baseline and type size of its line."""

    text: str
    x0: float
    y0: float
    x1: float
    y1: float
    baseline: float  # y at the middle of its line, so that all words of a slanted line have the same
    size: float  # type size of the line, approximately the font size
    confidence: float  # 0 to 1
    line: tuple[int, int, int]  # numbers of block, paragraph and line by the engine


def type_size(words: Iterable[tuple[str, float]]) -> float | None:
    """Estimate the type size of a line from its words and the height of each above the baseline; None if unknown.

    The box of a whole line depends on which letters it contains; the height of a known letter does not.
    """
    sizes = sorted(height / share for text, height in words if (share := _word_rise(text)) and height > 0)
    if not sizes:
        return None
    middle = sizes[len(sizes) // 4 : len(sizes) - len(sizes) // 4]
    return sum(middle) / len(middle)


def _word_rise(text: str) -> float | None:
    """Return the height of a word above the baseline, as a share of the type size."""
    letters = [character for character in text if character.isalnum()]
    if not letters or _ABOVE_CAPITALS & set(letters):
        return None
    if any(map(_is_tall, letters)):
        return _ASCENT
    return _X_HEIGHT if len(letters) == len(text) and _PLAIN.issuperset(letters) else None


def line_rise(line: str) -> float:
    """Return the height of a line's ink from the baseline up to the first gap, as a share of the type size."""
    return _ASCENT if "t" in line or any(map(_is_tall, line)) else _X_HEIGHT


def _is_tall(letter: str) -> bool:
    return letter.isupper() or letter.isdigit() or letter in _ASCENDING


def is_noise(word: OcrWord) -> bool:
    """Return whether a word is noise: very low confidence, and no two letters or digits in a row."""
    return word.confidence < _NOISE and not _LETTERS_OR_DIGITS.search(word.text)


def is_wide(character: str) -> bool:
    """Return whether a character is as wide as high: Chinese, Japanese, Korean."""
    return unicodedata.east_asian_width(character) in "WF"


def sideways(words: Sequence[OcrWord]) -> bool:
    """Return whether words are printed sideways: most of their letters are in boxes higher than wide."""
    across = down = 0
    for word in words:
        # A short word can be higher than wide, and so can upright text in a vertical script.
        if len(word.text) < 3 or any(map(is_wide, word.text)):
            continue
        if word.y1 - word.y0 > word.x1 - word.x0:
            down += len(word.text)
        else:
            across += len(word.text)
    return down > across


def certain_letters(words: Sequence[OcrWord]) -> float:
    """Return the number of recognised letters, weighted by confidence."""
    return sum(len(word.text) * word.confidence for word in words)
