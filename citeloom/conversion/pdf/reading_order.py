"""Reading order of a page by geometry: words become lines, columns are found and read one after the other."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import chain, groupby, pairwise
from statistics import median

from citeloom.conversion.pdf.raw_page import RawPage, Word

_MIN_COLUMN_LINES = 4  # fewer lines side by side are a table or a figure, unless the document has columns anyway
_WORD_GAP = 0.75  # in ems: a gap narrower than this is a space between words, not a gutter
_CELL_GAP = 1.4  # in ems: a gap wider than this separates the cells of a table


Rows = list[list[Word]]  # words from left to right, row by row
LineStyle = tuple[float, bool, str]  # size, whether it is bold, font


@dataclass(slots=True)
class Line:
    """A printed line inside one column."""

    words: list[Word]
    page: int
    x0: float
    x1: float
    y: float
    size: float
    bold: bool
    font: str

    @property
    def text(self) -> str:
        """Text of the line, with spaces as printed."""
        parts = [self.words[0].text]
        for before, word in pairwise(self.words):
            # A word in two parts (a drop capital, a change of font) has no gap inside.
            gap = word.x0 - before.x1
            touching = not word.spaced and -0.3 * word.size < gap < 0.1 * max(before.size, word.size)
            parts.append(word.text if touching else " " + word.text)
        return "".join(parts)

    @property
    def cells(self) -> list[str]:
        """Text of the line split at wide gaps, as in the cells of a table."""
        return [" ".join(word.text for word in cell) for cell in split_at_gaps(self.words, _CELL_GAP)]

    @property
    def style(self) -> LineStyle:
        """Size, weight and font of most of the line."""
        return self.size, self.bold, self.font


class RegionKind(StrEnum):
    """Kind of a page region; geometry alone detects only text."""

    TEXT = "text"
    HEADING = "heading"
    CAPTION = "caption"
    FOOTNOTE = "footnote"
    FIGURE = "figure"
    TABLE = "table"


@dataclass(slots=True)
class Region:
    """Lines that are read from top to bottom: a column, a part of the page in full width, a table, a caption."""

    lines: list[Line]
    kind: RegionKind = RegionKind.TEXT
    rows: list[list[str]] = field(default_factory=list)  # the cells of a table

    @property
    def x0(self) -> float:
        """X coordinate of the left edge."""
        return min(line.x0 for line in self.lines)

    @property
    def x1(self) -> float:
        """X coordinate of the right edge."""
        return max(line.x1 for line in self.lines)

    @property
    def top(self) -> float:
        """Y coordinate of the upper edge."""
        return max(line.y + 0.7 * line.size for line in self.lines)

    @property
    def bottom(self) -> float:
        """Y coordinate of the lower edge."""
        return min(line.y for line in self.lines)


def split_at_gaps(row: list[Word], ems: float) -> Rows:
    """Split a row of words at gaps wider than this."""
    parts = [[row[0]]]
    for before, word in pairwise(row):
        if word.x0 - before.x1 > ems * max(before.size, word.size):
            parts.append([])
        parts[-1].append(word)
    return parts


def rows(words: list[Word]) -> Rows:
    """Group words into rows by baseline, top row first, each from left to right."""
    found: Rows = []
    levels: list[tuple[float, float]] = []  # baseline and size of each row, lowest row last
    ends: list[float] = []  # right end of each row
    for word in sorted(words, key=lambda w: (-w.y, w.x0)):
        for back in range(1, min(4, len(levels)) + 1):
            level, size = levels[-back]
            if level - word.y >= 0.45 * (size if size > word.size else word.size):
                continue
            if word.x0 >= ends[-back] or _fits(found[-back], word):
                found[-back].append(word)
                ends[-back] = max(ends[-back], word.x1)
                if word.size > size:  # a superscript must not define the baseline of its row
                    levels[-back] = (word.y, word.size)
                break
        else:
            found.append([word])
            ends.append(word.x1)
            levels.append((word.y, word.size))
    order = sorted(range(len(found)), key=lambda i: -levels[i][0])
    return [sorted(found[i], key=lambda w: w.x0) for i in order]


def _fits(row: list[Word], word: Word) -> bool:
    """Return whether a word fits into a row without overlap; words of two tight lines would overlap."""
    for other in row:
        overlap = min(other.x1, word.x1) - max(other.x0, word.x0)
        if overlap > 0.5 * min(other.x1 - other.x0, word.x1 - word.x0) and overlap > 1.0:
            return False
    return True


def document_gutters(pages: list[RawPage]) -> list[float]:
    """Return the x coordinates of gutters between columns in a document, most frequent first."""
    count: dict[int, int] = defaultdict(int)
    for page in pages:
        gutter = _find_gutter(rows(page.words), [])
        if gutter is not None:
            count[round(gutter / 6)] += 1
    return [key * 6.0 for key, _ in sorted(count.items(), key=lambda item: (-item[1], item[0]))[:4]]


def regions(page: RawPage, known_gutters: list[float]) -> list[Region]:
    """Return the regions of a page in reading order."""
    return _regions(page.words, page.number, known_gutters, depth=0)


def _regions(words: list[Word], page: int, known: list[float], depth: int) -> list[Region]:
    if not words:
        return []
    page_rows = rows(words)
    gutter = _find_gutter(page_rows, known if depth == 0 else []) if depth < 2 else None
    if gutter is None:
        return [region_of(page_rows, page)]
    result: list[Region] = []
    full: Rows = []
    for crosses, band, left, right in _bands(page_rows, gutter):
        if crosses or not left or not right:
            full.extend(band)
            continue
        if full:
            result.append(region_of(full, page))
            full = []
        for side in (left, right):
            result.extend(_regions(list(chain(*side)), page, [], depth + 1))
    if full:
        result.append(region_of(full, page))
    return result


def region_of(page_rows: Rows, page: int, kind: RegionKind = RegionKind.TEXT) -> Region:
    """Return a region that consists of rows of words."""
    lines = []
    for row in page_rows:
        letters: dict[LineStyle, int] = defaultdict(int)
        for word in row:
            letters[(word.size, word.bold, word.font)] += len(word.text)
        size, bold, font = max(letters, key=lambda style: (letters[style], style))
        body = [w.y for w in row if w.size == size]
        lines.append(Line(row, page, row[0].x0, max(w.x1 for w in row), median(body), size, bold, font))
    return Region(lines, kind)


def _crosses(row: list[Word], gutter: float) -> bool:
    """Return whether a row crosses the gutter: a word covers it, or only a word space is there."""
    before = after = None
    for word in row:
        if word.x0 < gutter - 1 and word.x1 > gutter + 1:
            return True
        if word.x1 <= gutter + 1:
            before = word
        elif after is None:
            after = word
    if before is None or after is None:
        return False
    return after.x0 - before.x1 < _WORD_GAP * max(before.size, after.size)


def _bands(page_rows: Rows, gutter: float) -> Iterator[tuple[bool, Rows, Rows, Rows]]:
    """Yield the page from top to bottom in bands that cross the gutter or do not, with their left and right parts."""
    for crosses, group in groupby(page_rows, key=lambda row: _crosses(row, gutter)):
        band = list(group)
        left = [[w for w in row if w.x1 <= gutter + 1] for row in band]
        right = [[w for w in row if w.x1 > gutter + 1] for row in band]
        yield crosses, band, [part for part in left if part], [part for part in right if part]


def _find_gutter(page_rows: Rows, known: list[float]) -> float | None:
    """Return the x of the gutter that separates the words into columns, or None for a single column."""
    words = [word for row in page_rows for word in row]
    if len(words) < 12:
        return None
    left, right = min(w.x0 for w in words), max(w.x1 for w in words)
    width = right - left
    for gutter in known:
        if left < gutter < right:
            best = max((g for g in (gutter - 3, gutter, gutter + 3)), key=lambda g: _score(page_rows, g, width, 1))
            if _score(page_rows, best, width, 1) > 0:
                return best
    if width < 180:
        return None
    best_score, best_at = 0, None
    for at in _white_strips(words, left + 0.2 * width, left + 0.8 * width):
        score = _score(page_rows, at, width, _MIN_COLUMN_LINES)
        if score > best_score:
            best_score, best_at = score, at
    return best_at


def _white_strips(words: list[Word], start: float, end: float) -> list[float]:
    """Return the x coordinates that the fewest words cover, one for each white strip."""
    steps = int((end - start) / 2)
    if steps < 2:
        return []
    change = [0] * (steps + 2)
    for word in words:
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
    return places[:12]


def _score(page_rows: Rows, gutter: float, width: float, min_lines: int) -> int:
    """Return the number of lines side by side in columns at this gutter; tables do not count."""
    score = 0
    for crosses, _, left, right in _bands(page_rows, gutter):
        if crosses:
            continue
        prose = _is_prose(left, width, min_lines), _is_prose(right, width, min_lines)
        # In a document with known columns, a table may fill one column beside prose in the other.
        if all(prose) or (min_lines == 1 and any(prose) and left and right):
            score += len(left) + len(right)
    return score


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
    fill = median((line[-1].x1 - line[0].x0) / max(x1 - x0, 1) for line in lines)
    words = median(len(line) for line in lines)
    inked = median(sum(w.x1 - w.x0 for w in line) / max(line[-1].x1 - line[0].x0, 1) for line in lines)
    return fill > 0.6 and words >= 3 and inked > 0.6
