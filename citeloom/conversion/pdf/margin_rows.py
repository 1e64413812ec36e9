"""Rows of words in the top and bottom margins of PDF pages, where running headers and page numbers are."""

from __future__ import annotations

import re
from dataclasses import dataclass

from citeloom.conversion.pdf.columns import Rows
from citeloom.conversion.pdf.raw_page import RawPage, Word
from citeloom.core.text.numerals import roman_value

_MARGIN = 0.14  # share of the page's height in which a running header or footer is expected
_MAX_ROWS = 3  # rows examined from the top and from the bottom
_ANY_NUMBER = re.compile(r"\d+|(?<![a-z])[ivxlc]{1,7}(?![a-z])")


@dataclass(slots=True)
class MarginRow:
    """A row of words near the top or the bottom of a page."""

    words: list[Word]
    text: str
    key: str  # the text without its numbers, which repeats from page to page
    numbers: tuple[int, ...]
    at_top: bool
    y: float
    tight: bool  # as close to the next row inside as lines of a paragraph

    @property
    def position(self) -> tuple[bool, int]:
        """Position, coarse enough to be the same on every page."""
        return self.at_top, round(self.y / 8)


def rows_in_margins(page: RawPage, all_rows: Rows) -> list[MarginRow]:
    """Return the outermost rows of a page: at the top from above, then at the bottom from below."""
    found = []
    for place in (*range(_MAX_ROWS), *range(-1, -_MAX_ROWS - 1, -1)):
        if not -len(all_rows) <= place < len(all_rows):
            continue
        words = all_rows[place]
        y = max(words, key=lambda w: w.size).y
        share = y / max(page.height, 1.0)
        if share > 1 - _MARGIN if place >= 0 else share < _MARGIN:
            text = " ".join(word.text for word in words)
            key, numbers = _without_numbers(text.casefold())
            # Lines of the other column may be in between.
            inner = all_rows[place + 1 :][:4] if place >= 0 else all_rows[:place][:-5:-1]
            tight = any(_is_tight(words, row) for row in inner)
            found.append(MarginRow(words, text, key, numbers, place >= 0, y, tight))
    return found


def _without_numbers(text: str) -> tuple[str, tuple[int, ...]]:
    """Return a text with # for each number, Roman ones too, and the numbers."""
    numbers: list[int] = []

    def marked(match: re.Match[str]) -> str:
        value = int(match[0]) if match[0].isdigit() else roman_value(match[0])
        if value is None:  # a word: civil, ill
            return match[0]
        numbers.append(value)
        return "#"

    return _ANY_NUMBER.sub(marked, text), tuple(numbers)


def _is_tight(outer: list[Word], inner: list[Word]) -> bool:
    """Return whether two rows are spaced like lines of one paragraph."""
    left, right = outer[0].x0, outer[-1].x1
    over = [word for word in inner if word.x0 < right and word.x1 > left]
    if not over:
        return False
    one, other = max(outer, key=lambda w: w.size), max(over, key=lambda w: w.size)
    return abs(one.size - other.size) < 0.3 and abs(one.y - other.y) <= 1.3 * one.size
