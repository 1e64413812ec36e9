"""Margins of PDF pages: running headers and footers, removed with the page numbers. Called by the PDF reader."""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass
from itertools import groupby

from citeloom.conversion.pdf.columns import Rows
from citeloom.conversion.pdf.margin_rows import MarginRow, rows_in_margins
from citeloom.conversion.pdf.page_numbers import PageNumbers, find_page_numbers, is_bare_number, roman_number
from citeloom.conversion.pdf.raw_page import RawPage
from citeloom.conversion.pdf.reading_order import region_of

# Numbers after these are not page numbers: "Table 3" at the top of one page and "Table 4" at the top of the next.
_NUMBERED_LABEL = re.compile(
    r"(?:table|figure|fig\.?|tabelle|tab\.|abbildung|abb\.|plate|box|example|exercise|problem|question|aufgabe|frage)\s*#"
)


@dataclass(slots=True)
class Margins:
    """Margin lines that are not part of the pages' text, and the printed page numbers."""

    lines: list[list[str]]  # by page: running headers, footers and page number, from the top
    numbers: PageNumbers


def read_margins(pages: list[RawPage], page_rows: list[Rows]) -> Margins:
    """Find running headers, footers and printed page numbers, and remove them from the pages' words and their rows.

    A line is a running header only if it repeats on other pages at the same height, equal except for the page number.
    A line on a single page is text, whatever it looks like.
    """
    margin_rows = [rows_in_margins(page, all_rows) for page, all_rows in zip(pages, page_rows, strict=True)]
    numbers = find_page_numbers(pages, margin_rows)
    repeated = _repeated(margin_rows, len(pages))
    lines: list[list[str]] = []
    for at, (page, candidates) in enumerate(zip(pages, margin_rows, strict=True)):
        removed: list[MarginRow] = []
        for _, side in groupby(candidates, key=lambda row: row.at_top):
            outer: list[MarginRow] = []  # running headers of this side, from the edge inward
            for row in side:
                bare = is_bare_number(row, page) and (
                    id(row) in numbers.rows or roman_number(row.text) or len(pages) > 1
                )
                if not (bare or id(row) in numbers.rows or (row.key, row.position) in repeated):
                    break  # rows further inside are text
                outer.append(row)
            while outer and outer[-1].tight:
                outer.pop()  # it belongs to the same paragraph as the next line, which stays
            removed.extend(outer)
        removed.sort(key=lambda row: -row.y)
        lines.append([region_of([row.words], page.number).lines[0].text.strip() for row in removed])
        if removed:
            removed_words = {id(word) for row in removed for word in row.words}
            page.words = [word for word in page.words if id(word) not in removed_words]
            page_rows[at] = [row for row in page_rows[at] if id(row[0]) not in removed_words]
    return Margins(lines, numbers)


def _repeated(margin_rows: list[list[MarginRow]], pages: int) -> set[tuple[str, tuple[bool, int]]]:
    """Return the keys of rows that repeat at the same height on several pages."""
    seen: dict[tuple[str, tuple[bool, int]], dict[int, tuple[int, ...]]] = defaultdict(dict)
    for page, candidates in enumerate(margin_rows):
        for row in candidates:
            at_top, height = row.position
            for near in (height - 1, height, height + 1):
                seen[(row.key, (at_top, near))][page] = row.numbers
    return {key for key, where in seen.items() if re.search(r"\w|#", key[0]) and _is_same_header(key[0], where, pages)}


def _is_same_header(key: str, where: dict[int, tuple[int, ...]], pages: int) -> bool:
    """Return whether rows that differ only in numbers are one running header: equal numbers, or page numbers."""
    groups: dict[object, set[int]] = defaultdict(set)
    for page, numbers in where.items():
        groups[numbers].add(page)
        if not _NUMBERED_LABEL.match(key):
            for at, number in enumerate(numbers):
                groups[(at, "offset", number - page)].add(page)
    return any(_is_running(group, pages) for group in groups.values())


def _is_running(where: set[int], pages: int) -> bool:
    """Return whether a row on these pages is a running header: three pages, or two in a short document."""
    facing = len({page % 2 for page in where}) == 1 and pages <= 8
    return len(where) >= (2 if pages <= 4 or facing else 3)
