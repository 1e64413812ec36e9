"""Gutters between the columns of a page, found by white space between lines of prose. Called by reading_order.py."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Sequence
from itertools import groupby
from operator import attrgetter
from statistics import median

from citeloom.conversion.pdf.raw_page import Word

Rows = list[list[Word]]  # words from left to right, row by row

_MIN_COLUMN_LINES = 4  # fewer lines side by side are a table or a figure, unless the document has columns anyway
_WORD_GAP = 0.75  # in ems: a gap narrower than this is a space between words, not a gutter
_MIN_WIDTH = 180.0  # points; a narrower text has one column
_MAX_STRIPS = 12  # of white, examined as gutters

_start: Callable[[Word], float] = attrgetter("x0")
_end: Callable[[Word], float] = attrgetter("x1")


class _Row:
    """A row of words, prepared to be cut at any x."""

    __slots__ = ("ends", "ordered", "words")

    def __init__(self, words: list[Word]) -> None:
        self.words = words
        self.ends = list(map(_end, words))
        self.ordered = self.ends == sorted(self.ends)  # words that overlap may end in another order than they begin

    def cut(self, x: float) -> tuple[bool, list[Word], list[Word]]:
        """Return whether the row crosses a gutter at x, and its words on the left and on the right of it.

        It crosses if a word covers the gutter or only a word space is there.
        """
        words = self.words
        if self.ordered:
            at = bisect_right(self.ends, x + 1)
            left, right = words[:at], words[at:]
        else:
            left = [word for word in words if word.x1 <= x + 1]
            right = [word for word in words if word.x1 > x + 1]
            if any(word.x0 < x - 1 for word in right):
                return True, left, right
        if not right:
            return False, left, right
        after = right[0]
        if after.x0 < x - 1:
            return True, left, right
        if not left:
            return False, left, right
        before = left[-1]
        size = before.size if before.size > after.size else after.size
        return after.x0 - before.x1 < _WORD_GAP * size, left, right


def bands(page_rows: Rows, gutter: float) -> Iterator[tuple[bool, Rows, Rows, Rows]]:
    """Yield the page from top to bottom in bands that cross the gutter or do not, with their left and right parts."""
    cuts = ((row, *_Row(row).cut(gutter)) for row in page_rows)
    for crosses, group in groupby(cuts, key=lambda cut: cut[1]):
        band = list(group)
        yield (
            crosses,
            [row for row, _, _, _ in band],
            [left for _, _, left, _ in band if left],
            [right for _, _, _, right in band if right],
        )


def find_gutter(page_rows: Rows) -> float | None:
    """Return the x of the gutter that separates the words into columns, or None for a single column."""
    extent = _extent(page_rows)
    if extent is None or extent[1] - extent[0] < _MIN_WIDTH:
        return None
    left, width = extent[0], extent[1] - extent[0]
    prepared = [_Row(row) for row in page_rows]
    starts = sorted(word.x0 for row in page_rows for word in row)
    ends = sorted(end for row in prepared for end in row.ends)
    best_score, best_at = 0, None
    for at in _white_strips(page_rows, left + 0.2 * width, left + 0.8 * width):
        crossed = bisect_left(starts, at - 1) - bisect_right(ends, at + 1)  # rows, at least
        if 2 * (len(page_rows) - crossed) <= max(best_score, 2 * _MIN_COLUMN_LINES - 1):
            continue  # most strips of a single column: too few rows are left for two
        score = _score(prepared, at, width, _MIN_COLUMN_LINES)
        if score > best_score:
            best_score, best_at = score, at
    return best_at


def find_known_gutter(page_rows: Rows, known: Sequence[float]) -> float | None:
    """Return the gutter of a page at or near one that other pages of the document have, or None."""
    extent = _extent(page_rows)
    if extent is None or not known:
        return None
    left, right = extent
    prepared = [_Row(row) for row in page_rows]
    for gutter in known:
        if left < gutter < right:
            scores = {at: _score(prepared, at, right - left, 1) for at in (gutter - 3, gutter, gutter + 3)}
            best = max(scores, key=lambda at: scores[at])
            if scores[best] > 0:
                return best
    return None


def _extent(page_rows: Rows) -> tuple[float, float] | None:
    """Return the left and right edge of the words, or None if they are too few for columns."""
    if sum(map(len, page_rows)) < 12:
        return None
    return min(row[0].x0 for row in page_rows), max(max(map(_end, row)) for row in page_rows)


def _white_strips(page_rows: Rows, start: float, end: float) -> list[float]:
    """Return the x coordinates that the fewest words cover, one for each white strip."""
    steps = int((end - start) / 2)
    if steps < 2:
        return []
    change = [0] * (steps + 2)
    for row in page_rows:
        for word in row:
            if word.x1 < start - 2 or word.x0 > end + 2:
                continue
            first = max(0, int((word.x0 - start) / 2))
            last = min(steps, int((word.x1 - start) / 2))
            if first <= last:
                change[first] += 1
                change[last + 1] -= 1
    blocked, level = [], 0
    for step in range(steps + 1):
        level += change[step]
        blocked.append(level)
    places: list[float] = []
    step = 0
    while step <= steps:
        until = step
        while until < steps and blocked[until + 1] == blocked[step]:
            until += 1
        lower_before = step == 0 or blocked[step - 1] > blocked[step]
        lower_after = until == steps or blocked[until + 1] > blocked[step]
        if lower_before and lower_after:
            places.append(start + (step + until + 1))  # the middle of the strip
        step = until + 1
    places.sort(key=lambda x: blocked[min(steps, max(0, int((x - start) / 2)))])
    return places[:_MAX_STRIPS]


def _score(page_rows: list[_Row], gutter: float, width: float, min_lines: int) -> int:
    """Return the number of lines side by side in columns at this gutter; tables do not count."""
    score = 0
    lefts: Rows = []
    rights: Rows = []
    for row in page_rows:
        crosses, left, right = row.cut(gutter)
        if not crosses:
            if left:
                lefts.append(left)
            if right:
                rights.append(right)
        elif lefts or rights:
            score += _score_of_band(lefts, rights, width, min_lines)
            lefts, rights = [], []
    return score + _score_of_band(lefts, rights, width, min_lines)


def _score_of_band(left: Rows, right: Rows, width: float, min_lines: int) -> int:
    if min_lines > 1 and min(len(left), len(right)) < min_lines:
        return 0
    prose = _is_prose(left, width, min_lines), _is_prose(right, width, min_lines)
    # In a document with known columns, a table may fill one column beside prose in the other.
    columns = all(prose) or (min_lines == 1 and any(prose) and left and right)
    return len(left) + len(right) if columns else 0


def _is_prose(lines: Rows, width: float, min_lines: int) -> bool:
    """Return whether lines fill their column as prose does; the cells of a table do not."""
    if len(lines) < min_lines:
        return False
    x0 = min(line[0].x0 for line in lines)
    x1 = max(line[-1].x1 for line in lines)
    if x1 - x0 < 0.15 * width:
        return False
    if len(lines) < _MIN_COLUMN_LINES:  # the end of a column in a document known to have columns
        return True
    if median(map(len, lines)) < 3:
        return False
    widths = [line[-1].x1 - line[0].x0 for line in lines]
    if median(widths) / max(x1 - x0, 1) <= 0.6:
        return False
    inked = (sum(map(_end, line)) - sum(map(_start, line)) for line in lines)
    return median(ink / max(wide, 1) for ink, wide in zip(inked, widths, strict=True)) > 0.6
