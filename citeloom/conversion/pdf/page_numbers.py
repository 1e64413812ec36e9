"""Printed page numbers of PDF pages, found in their margins. Called by margins.py.

Page numbers from the bibliographic record are added by page_numbers_from_record.py.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from statistics import median

from citeloom.conversion.pdf.margin_rows import MarginRow
from citeloom.conversion.pdf.raw_page import RawPage
from citeloom.core.text.numerals import roman_value, to_roman

_NUMBER_MARGIN = 0.1
_BARE_NUMBER = re.compile(
    r"^(?:(?:page|seite|p\.|s\.)\s*)?[-–—|\[(]*\s*(\d{1,5})\s*[-–—|\])]*(?:\s*(?:of|von|/)\s*\d{1,5})?$", re.I
)
_ROMAN_NUMBER = re.compile(r"^[-–—]?\s*([ivxlc]{1,7})\s*[-–—]?$")
_NUMBERED = re.compile(r"^\d{1,2}(?:\.\d{1,2})*\.?\s+[^\W\d_]")
_EDGE_NUMBER = re.compile(r"^(\d{1,5})(?=\s|$)|(?<=\s)(\d{1,5})$")


@dataclass(slots=True)
class PageNumbers:
    """Printed number of each page, with its origin."""

    printed: list[str | None]
    printed_from: list[str | None]  # "margin", or "neighbours" if inferred from the pages around
    rows: set[int]  # ids of the margin rows with the numbers


def is_bare_number(row: MarginRow, page: RawPage) -> bool:
    """Return whether a row near the edge of the page consists of a page number only."""
    share = row.y / max(page.height, 1.0)
    in_margin = share > 1 - _NUMBER_MARGIN or share < _NUMBER_MARGIN
    return in_margin and bool(_BARE_NUMBER.match(row.text) or roman_number(row.text))


def find_page_numbers(pages: list[RawPage], margin_rows: list[list[MarginRow]]) -> PageNumbers:
    """Find the printed page numbers: integers in the margins that increase with the pages."""
    offsets_of: list[dict[int, MarginRow]] = []
    for page, candidates in zip(pages, margin_rows, strict=True):
        offsets: dict[int, MarginRow] = {}
        for row in sorted(candidates, key=lambda r: not _BARE_NUMBER.match(r.text)):
            for number in _numbers(row.text):
                offsets.setdefault(number - page.number, row)
        offsets_of.append(offsets)
    accepted = _accepted_offsets(offsets_of)
    # A row with the page's number at the usual position of page numbers is a running header.
    positions = Counter(offsets[o].position for offsets in offsets_of for o in accepted if o in offsets)
    known_offsets: list[int | None] = []
    number_rows: set[int] = set()
    for page, offsets in zip(pages, offsets_of, strict=True):
        own = next((offset for offset in accepted if offset in offsets), None)
        if own is not None and _is_heading(offsets[own], page):
            own = None  # section 2 at the top of page 2
        known_offsets.append(own)
        if own is not None and (_BARE_NUMBER.match(offsets[own].text) or positions[offsets[own].position] >= 2):
            number_rows.add(id(offsets[own]))
    for at, offsets in enumerate(offsets_of):
        if known_offsets[at] is None:
            others = {offset: row for offset, row in offsets.items() if not _is_heading(row, pages[at])}
            own = known_offsets[at] = _own_offset(at, others, known_offsets, positions)
            if own is not None:
                number_rows.add(id(offsets[own]))
    if len(pages) == 1 and not accepted:
        for row in margin_rows[0]:
            bare = _BARE_NUMBER.match(row.text)
            if bare and is_bare_number(row, pages[0]):
                return PageNumbers([bare[1]], ["margin"], {id(row)})
    printed = [
        str(page.number + offset) if offset is not None and page.number + offset > 0 else None
        for page, offset in zip(pages, _filled(known_offsets), strict=True)
    ]
    printed_from = [
        None if number is None else "margin" if own is not None else "neighbours"
        for number, own in zip(printed, known_offsets, strict=True)
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
            value = roman_number(row.text)
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


def roman_number(text: str) -> int | None:
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
    at: int, offsets: dict[int, MarginRow], known_offsets: list[int | None], positions: Counter[tuple[bool, int]]
) -> int | None:
    """Return the offset of a page whose number is at the usual position, but jumps because pages are missing."""
    if not offsets:
        return None
    before = next(((i, known_offsets[i]) for i in range(at - 1, -1, -1) if known_offsets[i] is not None), None)
    after = next(
        ((i, known_offsets[i]) for i in range(at + 1, len(known_offsets)) if known_offsets[i] is not None), None
    )
    for offset, row in offsets.items():
        if positions[row.position] < 2:
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


def _filled(known_offsets: list[int | None]) -> list[int | None]:
    """Fill the offsets of pages without a printed number where their neighbours agree."""
    known = [(at, offset) for at, offset in enumerate(known_offsets) if offset is not None]
    filled = list(known_offsets)
    for at in range(len(known_offsets)):
        if known_offsets[at] is None:
            before = next((offset for where, offset in reversed(known) if where < at), None)
            after = next((offset for where, offset in known if where > at), None)
            if before is None or after is None or before == after:
                filled[at] = after if before is None else before
    return filled
