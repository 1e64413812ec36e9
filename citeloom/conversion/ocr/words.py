"""Words recognised by OCR: type size, orientation, noise and confidence."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

# Heights as shares of the type size, of common text faces: capitals, digits and ascenders; letters like x.
_ASCENT, _X_HEIGHT = 0.70, 0.48
_ASCENDING = set("bdfhklß")
_PLAIN = set("acemnorsuvwxz")
_ABOVE_CAPITALS = set("ÄÖÜÉÈÊÀÁÂÅÑÍÓÚČŠŽŘ")
_LETTERS_OR_DIGITS = re.compile(r"[^\W_]{2}")
_NOISE = 0.2


@dataclass(frozen=True, slots=True)
class OcrWord:
    """A word as it was recognised: its box in pixels, y growing downward, and its line's type."""

    text: str
    x0: float
    y0: float
    x1: float
    y1: float
    baseline: float  # y at the middle of its line, so that a slanting line has one baseline
    size: float  # of the line's type, about what a font calls its size
    confidence: float  # 0 to 1
    line: tuple[int, int, int]  # block, paragraph, line as the engine numbered them


def type_size(words: Iterable[tuple[str, float]]) -> float | None:
    """The type size of a line, from its words and how far each rises above the baseline; None without a clue.

    Boxes of whole lines differ by the letters that happen to stand in them; letters of known height do not.
    """
    sizes = sorted(height / share for text, height in words if (share := _word_rise(text)) and height > 0)
    if not sizes:
        return None
    middle = sizes[len(sizes) // 4 : len(sizes) - len(sizes) // 4]
    return sum(middle) / len(middle)


def _word_rise(text: str) -> float | None:
    """How far a word's letters rise above the baseline, as a share of the type size."""
    letters = [character for character in text if character.isalnum()]
    if not letters or _ABOVE_CAPITALS & set(letters):
        return None
    if any(map(_is_tall, letters)):
        return _ASCENT
    return _X_HEIGHT if len(letters) == len(text) and _PLAIN.issuperset(letters) else None


def line_rise(line: str) -> float:
    """How far a line's ink rises from the baseline without a gap, as a share of the type size."""
    return _ASCENT if "t" in line or any(map(_is_tall, line)) else _X_HEIGHT


def _is_tall(letter: str) -> bool:
    return letter.isupper() or letter.isdigit() or letter in _ASCENDING


def is_noise(word: OcrWord) -> bool:
    """Whether a word is a speck: hardly any confidence, and no two letters or digits side by side."""
    return word.confidence < _NOISE and not _LETTERS_OR_DIGITS.search(word.text)


def is_wide(character: str) -> bool:
    """Whether a character is as wide as high: Chinese, Japanese, Korean."""
    return unicodedata.east_asian_width(character) in "WF"


def sideways(words: Sequence[OcrWord]) -> bool:
    """Whether words stand on their side: most of their letters are in boxes higher than wide."""
    across = down = 0
    for word in words:
        # A short word can be higher than wide, and so is vertical writing that stands as it should.
        if len(word.text) < 3 or any(map(is_wide, word.text)):
            continue
        if word.y1 - word.y0 > word.x1 - word.x0:
            down += len(word.text)
        else:
            across += len(word.text)
    return down > across


def mean_confidence(words: Sequence[OcrWord]) -> float:
    """The confidence of words, long ones counting more."""
    return certain_letters(words) / max(sum(len(word.text) for word in words), 1)


def certain_letters(words: Sequence[OcrWord]) -> float:
    """How many letters were recognised, each counted by its confidence."""
    return sum(len(word.text) * word.confidence for word in words)
