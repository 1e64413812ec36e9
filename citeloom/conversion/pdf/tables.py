"""Cells of a table, found by the white space between its columns."""

from __future__ import annotations

from bisect import bisect_left
from itertools import pairwise
from statistics import median

from citeloom.conversion.pdf.raw_page import Word
from citeloom.conversion.pdf.reading_order import rows, split_at_gaps
from citeloom.conversion.text_tools import tidy

_CELL_GAP = 0.75  # in ems: a wider gap separates two cells of a row
_TIGHT_GAP = 0.4  # in ems: between two known columns, this gap suffices
_SPANNING = 0.6  # of the table's width: a single cell as wide spans columns, so it is not used to find them


def table_rows(words: list[Word]) -> list[list[str]]:
    """Return the cells of a table by row; empty if the words do not form a table."""
    lines = [split_at_gaps(row, _CELL_GAP) for row in rows(words)]
    columns = _columns(lines)
    if len(columns) < 2 or len(lines) < 2:
        return []
    grid: list[list[str]] = []
    baselines: list[float] = []
    for line in lines:
        cells = [""] * len(columns)
        for piece in (part for whole in line for part in _cut_at_columns(whole, columns)):
            at = _column(piece, columns)
            text = " ".join(word.text for word in piece)
            cells[at] = f"{cells[at]} {text}".strip()
        grid.append(cells)
        baselines.append(line[0][0].y)
    return [[tidy(cell) for cell in row] for row in _joined(grid, baselines, median(w.size for w in words))]


def _columns(lines: list[list[list[Word]]]) -> list[tuple[float, float]]:
    """Return the x ranges of the columns: ranges covered by pieces, separated by white space through all rows."""
    pieces = [piece for line in lines for piece in line]
    left, right = min(p[0].x0 for p in pieces), max(p[-1].x1 for p in pieces)
    spans = [
        (piece[0].x0, piece[-1].x1)
        for line in lines
        for piece in line
        if len(line) > 1 or piece[-1].x1 - piece[0].x0 < _SPANNING * (right - left)
    ]
    columns: list[list[float]] = []
    # A heading over two columns would join them: narrow pieces come first, wide ones only extend existing columns.
    for x0, x1 in sorted(spans, key=lambda span: span[1] - span[0]):
        overlapping = [c for c in columns if min(c[1], x1) - max(c[0], x0) > 0]
        if not overlapping:
            columns.append([x0, x1])
        elif len(overlapping) == 1:
            overlapping[0][0], overlapping[0][1] = min(overlapping[0][0], x0), max(overlapping[0][1], x1)
    columns.sort()
    return [(x0, x1) for x0, x1 in columns]


def _cut_at_columns(piece: list[Word], columns: list[tuple[float, float]]) -> list[list[Word]]:
    """Split a piece that spans several columns at their borders if the gap there is more than a word space."""
    parts = [[piece[0]]]
    for before, word in pairwise(piece):
        wide = word.x0 - before.x1 > _TIGHT_GAP * max(before.size, word.size)
        if wide and _column([before], columns) != _column([word], columns):
            parts.append([])
        parts[-1].append(word)
    return parts


def _column(piece: list[Word], columns: list[tuple[float, float]]) -> int:
    x0, x1 = piece[0].x0, piece[-1].x1
    middle = (x0 + x1) / 2
    # Columns do not overlap: only those that the piece touches and their neighbours come into question.
    first, last = bisect_left(columns, (x0,)) - 1, bisect_left(columns, (x1,))
    return max(
        range(max(0, first), min(len(columns), last + 1)),
        key=lambda at: (
            min(columns[at][1], x1) - max(columns[at][0], x0),
            -abs((columns[at][0] + columns[at][1]) / 2 - middle),
        ),
    )


def _joined(grid: list[list[str]], baselines: list[float], size: float) -> list[list[str]]:
    """Join the lines of a wrapped cell: close rows with empty cells that continue in lower case."""
    joined = [grid[0]]
    for row, step in zip(grid[1:], (a - b for a, b in pairwise(baselines)), strict=True):
        before = joined[-1]
        filled = [at for at, cell in enumerate(row) if cell]
        goes_on = all(before[at] and (row[at][0].islower() or row[at][0] == "(") for at in filled)
        if goes_on and len(filled) < len(row) and step <= 1.5 * size:
            joined[-1] = [f"{a} {b}".strip() for a, b in zip(before, row, strict=True)]
        else:
            joined.append(row)
    return joined
