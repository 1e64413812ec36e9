"""Reading order of a page by geometry: words become lines, columns are found and read one after the other."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import chain, pairwise
from operator import attrgetter
from statistics import median

from citeloom.conversion.pdf.columns import Rows, bands, find_gutter, find_known_gutter
from citeloom.conversion.pdf.raw_page import RawPage, Word
from citeloom.conversion.text_tools import tidy

_MAX_GUTTERS = 4  # positions of gutters that a document may have
_CELL_GAP = 1.4  # in ems: a gap wider than this separates the cells of a table


LineStyle = tuple[float, bool, str]  # size, whether it is bold, font
_LEFT, _RIGHT, _BASELINE = attrgetter("x0"), attrgetter("x1"), attrgetter("y")
_STYLE = attrgetter("size", "bold", "font")


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
    text: str  # as printed, tidied
    cells: int  # parts separated by wide gaps, as the cells of a table are

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
        if word.x0 - before.x1 > ems * (before.size if before.size > word.size else word.size):
            parts.append([])
        parts[-1].append(word)
    return parts


def rows(words: list[Word]) -> Rows:
    """Group words into rows by baseline, top row first, each from left to right."""
    found: Rows = []
    levels: list[tuple[float, float]] = []  # baseline and size of each row, lowest row last
    ends: list[float] = []  # right end of each row
    # From the top down, and in a row from the left: sorting is stable.
    for word in sorted(sorted(words, key=_LEFT), key=_BASELINE, reverse=True):
        if levels and word.x0 >= ends[-1]:  # most words go on in the lowest row
            level, size = levels[-1]
            if size >= word.size and level - word.y < 0.45 * size:
                found[-1].append(word)
                ends[-1] = max(ends[-1], word.x1)
                continue
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
    return [sorted(found[i], key=_LEFT) for i in order]


def _fits(row: list[Word], word: Word) -> bool:
    """Return whether a word fits into a row without overlap; words of two tight lines would overlap."""
    x0, x1 = word.x0, word.x1
    for other in row:
        if other.x1 - x0 > 1.0 and x1 - other.x0 > 1.0:
            overlap = min(other.x1, x1) - max(other.x0, x0)
            if overlap > 0.5 * min(other.x1 - other.x0, x1 - x0) and overlap > 1.0:
                return False
    return True


def layout_by_geometry(pages: list[RawPage], page_rows: list[Rows]) -> list[list[Region]]:
    """Return the regions of every page in reading order, given its rows of words."""
    own = [find_gutter(rows_) for rows_ in page_rows]
    count = Counter(round(gutter / 6) for gutter in own if gutter is not None)
    known = [key * 6.0 for key, _ in sorted(count.items(), key=lambda item: (-item[1], item[0]))[:_MAX_GUTTERS]]
    result = []
    for page, rows_, gutter in zip(pages, page_rows, own, strict=True):
        known_gutter = find_known_gutter(rows_, known)
        result.append(_columns(rows_, gutter if known_gutter is None else known_gutter, page.number, depth=0))
    return result


def _columns(page_rows: Rows, gutter: float | None, page: int, depth: int) -> list[Region]:
    """Return the regions of rows with or without a gutter, which may themselves have columns."""
    if not page_rows:
        return []
    if gutter is None:
        return [region_of(page_rows, page)]
    result: list[Region] = []
    full: Rows = []
    for crosses, band, left, right in bands(page_rows, gutter):
        if crosses or not left or not right:
            full.extend(band)
            continue
        if full:
            result.append(region_of(full, page))
            full = []
        for side in (left, right):
            side_rows = rows(list(chain(*side)))
            result.extend(_columns(side_rows, find_gutter(side_rows) if depth == 0 else None, page, depth + 1))
    if full:
        result.append(region_of(full, page))
    return result


def region_of(page_rows: Rows, page: int, kind: RegionKind = RegionKind.TEXT) -> Region:
    """Return a region that consists of rows of words."""
    lines = []
    for row in page_rows:
        size, bold, font = _main_style(row)
        baseline = median([w.y for w in row if w.size == size])
        text, cells = _text_and_cells(row)
        lines.append(Line(row, page, row[0].x0, max(map(_RIGHT, row)), baseline, size, bold, font, tidy(text), cells))
    return Region(lines, kind)


def _main_style(row: list[Word]) -> LineStyle:
    """Return the style of most of the letters in a row."""
    styles: list[LineStyle] = list(map(_STYLE, row))
    if styles.count(styles[0]) == len(styles):
        return styles[0]
    letters: dict[LineStyle, int] = defaultdict(int)
    for style, word in zip(styles, row, strict=True):
        letters[style] += len(word.text)
    return max(letters, key=lambda style: (letters[style], style))


def _text_and_cells(row: list[Word]) -> tuple[str, int]:
    """Return the text of a row, with spaces as printed, and the number of its parts separated by wide gaps."""
    parts, cells = [row[0].text], 1
    for before, word in pairwise(row):
        gap = word.x0 - before.x1
        size = before.size if before.size > word.size else word.size
        cells += gap > _CELL_GAP * size
        # A word in two parts (a drop capital, a change of font) has no gap inside.
        touching = not word.spaced and -0.3 * word.size < gap < 0.1 * size
        parts.append(word.text if touching else " " + word.text)
    return "".join(parts), cells
