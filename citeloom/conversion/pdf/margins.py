"""Margins of PDF pages: running headers, footers and printed page numbers. Called by the PDF reader.

Page numbers from the bibliographic record are added by record_page_numbers.py.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from dataclasses import dataclass
from itertools import groupby
from statistics import median

from citeloom.conversion.pdf.raw_page import RawPage, Word
from citeloom.conversion.pdf.reading_order import region_of, rows
from citeloom.conversion.text_tools import tidy
from citeloom.core.text.numerals import roman_value, to_roman

_MARGIN = 0.14  # share of the page's height in which a running header or footer is expected
_MAX_ROWS = 3  # rows examined from the top and from the bottom
_ANY_NUMBER = re.compile(r"\d+|(?<![a-z])[ivxlc]{1,7}(?![a-z])")
_NUMBER_MARGIN = 0.1
_BARE_NUMBER = re.compile(
    r"^(?:(?:page|seite|p\.|s\.)\s*)?[-–—|\[(]*\s*(\d{1,5})\s*[-–—|\])]*(?:\s*(?:of|von|/)\s*\d{1,5})?$", re.I
)
_ROMAN_NUMBER = re.compile(r"^[-–—]?\s*([ivxlc]{1,7})\s*[-–—]?$")
_NUMBERED = re.compile(r"^\d{1,2}(?:\.\d{1,2})*\.?\s+[^\W\d_]")
_EDGE_NUMBER = re.compile(r"^(\d{1,5})(?=\s|$)|(?<=\s)(\d{1,5})$")
# Numbers after these are not page numbers: "Table 3" at the top of one page and "Table 4" at the top of the next.
_NUMBERED_LABEL = re.compile(
    r"(?:table|figure|fig\.?|tabelle|tab\.|abbildung|abb\.|plate|box|example|exercise|problem|question|aufgabe|frage)\s*#"
)


# --- rows in the margins -------------------------------------------------------------------


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
    def height(self) -> tuple[bool, int]:
        """Position, coarse enough to be the same on every page."""
        return self.at_top, round(self.y / 8)


def _rows_in_margins(page: RawPage) -> list[MarginRow]:
    """Return the outermost rows of a page: at the top from above, then at the bottom from below."""
    all_rows = rows(page.words)
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


# --- printed page numbers ------------------------------------------------------------------


@dataclass(slots=True)
class PageNumbers:
    """Printed number of each page, with its origin."""

    printed: list[str | None]
    printed_from: list[str | None]  # "margin", or "neighbours" if inferred from the pages around
    rows: set[int]  # ids of the margin rows with the numbers


def _is_bare_number(row: MarginRow, page: RawPage) -> bool:
    """Return whether a row near the edge of the page consists of a page number only."""
    share = row.y / max(page.height, 1.0)
    in_margin = share > 1 - _NUMBER_MARGIN or share < _NUMBER_MARGIN
    return in_margin and bool(_BARE_NUMBER.match(row.text) or _roman_number(row.text))


def _find_page_numbers(pages: list[RawPage], margin_rows: list[list[MarginRow]]) -> PageNumbers:
    """Find the printed page numbers: integers in the margins that increase with the pages."""
    offsets_of: list[dict[int, MarginRow]] = []
    for page, candidates in zip(pages, margin_rows, strict=True):
        offsets: dict[int, MarginRow] = {}
        for row in sorted(candidates, key=lambda r: not _BARE_NUMBER.match(r.text)):
            for number in _numbers(row.text):
                offsets.setdefault(number - page.number, row)
        offsets_of.append(offsets)
    accepted = _accepted_offsets(offsets_of)
    # A row with the page's number at the usual height of page numbers is a running header.
    heights = Counter(offsets[o].height for offsets in offsets_of for o in accepted if o in offsets)
    evidence: list[int | None] = []
    number_rows: set[int] = set()
    for page, offsets in zip(pages, offsets_of, strict=True):
        own = next((offset for offset in accepted if offset in offsets), None)
        if own is not None and _is_heading(offsets[own], page):
            own = None  # section 2 at the top of page 2
        evidence.append(own)
        if own is not None and (_BARE_NUMBER.match(offsets[own].text) or heights[offsets[own].height] >= 2):
            number_rows.add(id(offsets[own]))
    for at, offsets in enumerate(offsets_of):
        if evidence[at] is None:
            others = {offset: row for offset, row in offsets.items() if not _is_heading(row, pages[at])}
            own = evidence[at] = _own_offset(at, others, evidence, heights)
            if own is not None:
                number_rows.add(id(offsets[own]))
    if len(pages) == 1 and not accepted:
        for row in margin_rows[0]:
            bare = _BARE_NUMBER.match(row.text)
            if bare and _is_bare_number(row, pages[0]):
                return PageNumbers([bare[1]], ["margin"], {id(row)})
    printed = [
        str(page.number + offset) if offset is not None and page.number + offset > 0 else None
        for page, offset in zip(pages, _filled(evidence), strict=True)
    ]
    printed_from = [
        None if number is None else "margin" if own is not None else "neighbours"
        for number, own in zip(printed, evidence, strict=True)
    ]
    _add_roman(pages, margin_rows, printed, printed_from)
    return PageNumbers(printed, printed_from, number_rows)


def _add_roman(
    pages: list[RawPage], margin_rows: list[list[MarginRow]], printed: list[str | None], printed_from: list[str | None]
) -> None:
    """Add the Roman numbers of the front matter: i, ii, iii increase with the pages before page 1."""
    own: dict[int, int] = {}  # page → its roman number
    for page, candidates in zip(pages, margin_rows, strict=True):
        for row in candidates:
            value = _roman_number(row.text)
            if value:
                own.setdefault(page.number, value)
    offsets = Counter(value - number for number, value in own.items())
    offset, count = next(iter(offsets.most_common(1)), (0, 0))
    if count < 2:
        return
    consistent = [number for number, value in own.items() if value - number == offset]
    for at in range(min(consistent) - 1, max(consistent)):
        if printed_from[at] != "margin":
            printed[at] = to_roman(at + 1 + offset)
            printed_from[at] = "margin" if at + 1 in consistent else "neighbours"
    # Pages before the first Roman number get no number extrapolated from the main text.
    for at in range(min(consistent) - 1):
        if printed_from[at] == "neighbours":
            printed[at] = printed_from[at] = None


def _roman_number(text: str) -> int | None:
    """Return the value of a line that consists of a Roman numeral only, or None."""
    match = _ROMAN_NUMBER.match(text)
    return roman_value(match[1]) if match else None


def _is_heading(row: MarginRow, page: RawPage) -> bool:
    """Return whether a row that begins with a number is a heading: larger or bolder than the text."""
    if not _NUMBERED.match(row.text):
        return False
    usual = median(word.size for word in page.words)
    return row.words[-1].size > usual + 0.8 or (row.words[-1].bold and not page.words[len(page.words) // 2].bold)


def _own_offset(
    at: int, offsets: dict[int, MarginRow], evidence: list[int | None], heights: Counter[tuple[bool, int]]
) -> int | None:
    """Return the offset of a page whose number is at the usual position, but jumps because pages are missing."""
    if not offsets:
        return None
    before = next(((i, evidence[i]) for i in range(at - 1, -1, -1) if evidence[i] is not None), None)
    after = next(((i, evidence[i]) for i in range(at + 1, len(evidence)) if evidence[i] is not None), None)
    for offset, row in offsets.items():
        if heights[row.height] < 2:
            continue
        number = at + offset
        near = [i + (known or 0) for i, known in (n for n in (before, after) if n is not None)]
        grows = (before is None or number > near[0]) and (after is None or number < near[-1])
        if near and grows and min(abs(number - other) for other in near) <= 20:
            return offset
    return None


def _numbers(text: str) -> list[int]:
    bare = _BARE_NUMBER.match(text)
    if bare:
        return [int(bare[1])]
    return [int(first or last) for first, last in _EDGE_NUMBER.findall(text)]


def _accepted_offsets(offsets_of: list[dict[int, MarginRow]]) -> list[int]:
    """Return the consistent differences between printed number and PDF page, best first."""
    count: Counter[int] = Counter(offset for offsets in offsets_of for offset in offsets)
    if not count:
        return []
    best = min(count, key=lambda offset: (-count[offset], abs(offset)))
    if count[best] < 2 or count[best] < 0.25 * len(offsets_of):
        return []
    accepted = [best]
    for offset in sorted(count, key=lambda o: (-count[o], abs(o))):
        # An inserted plate or a missing page shifts the numbers: accepted if three pages in a row agree.
        run = longest = 0
        for offsets in offsets_of:
            run = run + 1 if offset in offsets and best not in offsets else 0
            longest = max(longest, run)
        if offset != best and longest >= 3:
            accepted.append(offset)
    return accepted


def _filled(evidence: list[int | None]) -> list[int | None]:
    """Fill the offsets of pages without a printed number where their neighbours agree."""
    known = [(at, offset) for at, offset in enumerate(evidence) if offset is not None]
    filled = list(evidence)
    for at in range(len(evidence)):
        if evidence[at] is None:
            before = next((offset for where, offset in reversed(known) if where < at), None)
            after = next((offset for where, offset in known if where > at), None)
            if before is None or after is None or before == after:
                filled[at] = after if before is None else before
    return filled


# --- running headers -----------------------------------------------------------------------


@dataclass(slots=True)
class Margins:
    """Margin lines that are not part of the pages' text, and the printed page numbers."""

    lines: list[list[str]]  # by page: running headers, footers and page number, from the top
    numbers: PageNumbers


def read_margins(pages: list[RawPage]) -> Margins:
    """Find running headers, footers and printed page numbers, and remove them from the pages' words.

    A line is a running header only if it repeats on other pages at the same height, equal except for the page number.
    A line on a single page is text, whatever it looks like.
    """
    margin_rows = [_rows_in_margins(page) for page in pages]
    numbers = _find_page_numbers(pages, margin_rows)
    repeated = _repeated(margin_rows, len(pages))
    lines: list[list[str]] = []
    for page, candidates in zip(pages, margin_rows, strict=True):
        removed: list[MarginRow] = []
        for _, side in groupby(candidates, key=lambda row: row.at_top):
            outer: list[MarginRow] = []  # running headers of this side, from the edge inward
            for row in side:
                bare = _is_bare_number(row, page) and (
                    id(row) in numbers.rows or _roman_number(row.text) or len(pages) > 1
                )
                if not (bare or id(row) in numbers.rows or (row.key, row.height) in repeated):
                    break  # rows further inside are text
                outer.append(row)
            while outer and outer[-1].tight:
                outer.pop()  # it belongs to the same paragraph as the next line, which stays
            removed.extend(outer)
        removed.sort(key=lambda row: -row.y)
        lines.append([tidy(region_of([row.words], page.number).lines[0].text).strip() for row in removed])
        removed_words = {id(word) for row in removed for word in row.words}
        if removed_words:
            page.words = [word for word in page.words if id(word) not in removed_words]
    return Margins(lines, numbers)


def _repeated(margin_rows: list[list[MarginRow]], pages: int) -> set[tuple[str, tuple[bool, int]]]:
    """Return the keys of rows that repeat at the same height on several pages."""
    seen: dict[tuple[str, tuple[bool, int]], dict[int, tuple[int, ...]]] = defaultdict(dict)
    for page, candidates in enumerate(margin_rows):
        for row in candidates:
            at_top, height = row.height
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
