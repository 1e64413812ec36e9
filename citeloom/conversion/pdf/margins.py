"""What stands in the margins of pages: running headers and footers, and the printed page numbers."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from dataclasses import dataclass
from statistics import median

from citeloom.conversion.pdf.pdfium import RawPage, Word
from citeloom.conversion.pdf.reading_order import region_of, rows
from citeloom.conversion.text_tools import tidy

_MARGIN = 0.14  # share of the page's height in which a running line may stand
_NUMBER_MARGIN = 0.1
_DEPTH = 3  # rows looked at from the top and from the bottom
_BARE_NUMBER = re.compile(
    r"^(?:(?:page|seite|p\.|s\.)\s*)?[-–—|\[(]*\s*(\d{1,5})\s*[-–—|\])]*(?:\s*(?:of|von|/)\s*\d{1,5})?$", re.I
)
_ROMAN_NUMBER = re.compile(r"^[-–—]?\s*([ivxlc]{1,7})\s*[-–—]?$")
_ANY_NUMBER = re.compile(r"\d+|(?<![a-z])[ivxlc]{1,7}(?![a-z])")
# What counts these counts things, not pages: "Table 3" at the top of one page and "Table 4" at the top of the next.
_COUNTS_THINGS = re.compile(
    r"(?:table|figure|fig\.?|tabelle|tab\.|abbildung|abb\.|plate|box|example|exercise|problem|question|aufgabe|frage)\s*#"
)
_NUMBERED = re.compile(r"^\d{1,2}(?:\.\d{1,2})*\.?\s+[^\W\d_]")
_EDGE_NUMBER = re.compile(r"^(\d{1,5})(?=\s|$)|(?<=\s)(\d{1,5})$")


@dataclass(slots=True)
class _Row:
    words: list[Word]
    text: str
    key: str  # the text without its numbers: what repeats from page to page
    numbers: tuple[int, ...]
    place: int  # 0, 1, 2 from the top; -1, -2, -3 from the bottom
    y: float
    tight: bool  # set as close to the next line, on the inside, as lines of a paragraph are


@dataclass(slots=True)
class Margins:
    """The lines in the margins that belong to no page's text, and the page numbers that were printed."""

    lines: list[list[str]]  # for each page its running heads and feet and its page number, from the top
    printed: list[str | None]
    printed_from: list[str | None]  # margin, or neighbours: the pages around it print theirs


def read_margins(pages: list[RawPage]) -> Margins:
    """Find running heads and feet and printed page numbers, and take them off the pages' words.

    A line runs only if it repeats: on other pages at the same height, alike but for the number that counts the pages.
    What stands on one page alone is its text, whatever it looks like.
    """
    margin_rows = [_margin_rows(page) for page in pages]
    printed, printed_from, number_rows = _printed_numbers(pages, margin_rows)
    repeated = _repeated(margin_rows, len(pages))
    lines: list[list[str]] = []
    for page, candidates in zip(pages, margin_rows, strict=True):
        gone: list[_Row] = []
        for side in (1, -1):
            outer: list[_Row] = []  # the running lines of this side, from the edge of the page inward
            for row in candidates:
                if (row.place >= 0) != (side == 1):
                    continue
                bare = _is_bare_number(row, page) and (
                    id(row) in number_rows or _roman_number(row.text) or len(pages) > 1
                )
                if not (bare or id(row) in number_rows or (row.key, row.place >= 0, round(row.y / 8)) in repeated):
                    break  # what stands inside of a line that stays is the page's text
                outer.append(row)
            while outer and outer[-1].tight:
                outer.pop()  # the line next to it stays, and this one is the same paragraph's
            gone.extend(outer)
        gone.sort(key=lambda row: -row.y)
        lines.append([tidy(region_of([row.words], page.number).lines[0].text).strip() for row in gone])
        taken = {id(word) for row in gone for word in row.words}
        if taken:
            page.words = [word for word in page.words if id(word) not in taken]
    return Margins(lines, printed, printed_from)


def _margin_rows(page: RawPage) -> list[_Row]:
    """The outermost rows of a page: those at the top from above, then those at the bottom from below."""
    all_rows = rows(page.words)
    found = []
    for place in (*range(_DEPTH), *range(-1, -_DEPTH - 1, -1)):
        if not -len(all_rows) <= place < len(all_rows):
            continue
        words = all_rows[place]
        y = max(words, key=lambda w: w.size).y
        share = y / max(page.height, 1.0)
        if share > 1 - _MARGIN if place >= 0 else share < _MARGIN:
            text = " ".join(word.text for word in words)
            key, numbers = _without_numbers(text.casefold())
            # The other column's lines may stand in between.
            inner = all_rows[place + 1 :][:4] if place >= 0 else all_rows[:place][:-5:-1]
            found.append(_Row(words, text, key, numbers, place, y, any(_is_tight(words, row) for row in inner)))
    return found


def _without_numbers(text: str) -> tuple[str, tuple[int, ...]]:
    """A text with # for each number, Roman ones too, and the numbers."""
    numbers: list[int] = []

    def marked(match: re.Match[str]) -> str:
        value = int(match[0]) if match[0].isdigit() else _roman_value(match[0])
        if value is None:  # a word: civil, ill
            return match[0]
        numbers.append(value)
        return "#"

    return _ANY_NUMBER.sub(marked, text), tuple(numbers)


def _is_tight(outer: list[Word], inner: list[Word]) -> bool:
    """Whether two rows are set like lines of one paragraph."""
    left, right = outer[0].x0, outer[-1].x1
    over = [word for word in inner if word.x0 < right and word.x1 > left]
    if not over:
        return False
    one, other = max(outer, key=lambda w: w.size), max(over, key=lambda w: w.size)
    return abs(one.size - other.size) < 0.3 and abs(one.y - other.y) <= 1.3 * one.size


def _is_bare_number(row: _Row, page: RawPage) -> bool:
    share = row.y / max(page.height, 1.0)
    in_margin = share > 1 - _NUMBER_MARGIN or share < _NUMBER_MARGIN
    return in_margin and bool(_BARE_NUMBER.match(row.text) or _roman_number(row.text))


def _repeated(margin_rows: list[list[_Row]], pages: int) -> set[tuple[str, bool, int]]:
    """The keys of rows that stand at the same height on several pages."""
    seen: dict[tuple[str, bool, int], dict[int, tuple[int, ...]]] = defaultdict(dict)
    for page, candidates in enumerate(margin_rows):
        for row in candidates:
            for height in (round(row.y / 8) - 1, round(row.y / 8), round(row.y / 8) + 1):
                seen[(row.key, row.place >= 0, height)][page] = row.numbers
    return {key for key, where in seen.items() if re.search(r"\w|#", key[0]) and _says_the_same(key[0], where, pages)}


def _says_the_same(key: str, where: dict[int, tuple[int, ...]], pages: int) -> bool:
    """Whether lines that differ in their numbers at most are one line: numbers equal, or one that counts the pages."""
    alike: dict[object, set[int]] = defaultdict(set)
    for page, numbers in where.items():
        alike[numbers].add(page)
        if not _COUNTS_THINGS.match(key):
            for at, number in enumerate(numbers):
                alike[(at, "offset", number - page)].add(page)
    return any(_is_running(group, pages) for group in alike.values())


def _is_running(where: set[int], pages: int) -> bool:
    """Whether a line on these pages runs through the document: two do in a short one, where left and right differ."""
    facing = len({page % 2 for page in where}) == 1 and pages <= 8
    return len(where) >= (2 if pages <= 4 or facing else 3)


def _printed_numbers(
    pages: list[RawPage], margin_rows: list[list[_Row]]
) -> tuple[list[str | None], list[str | None], set[int]]:
    """The printed number of each page and where it comes from; integers in the margins run along with the pages."""
    offsets_of: list[dict[int, _Row]] = []
    for page, candidates in zip(pages, margin_rows, strict=True):
        offsets: dict[int, _Row] = {}
        for row in sorted(candidates, key=lambda r: not _BARE_NUMBER.match(r.text)):
            for number in _numbers(row.text):
                offsets.setdefault(number - page.number, row)
        offsets_of.append(offsets)
    accepted = _accepted_offsets(offsets_of)
    # A row that carries the page's number at the height where other pages carry theirs is a running line.
    heights = Counter(_height(offsets[o]) for offsets in offsets_of for o in accepted if o in offsets)
    evidence: list[int | None] = []
    number_rows: set[int] = set()
    for page, offsets in zip(pages, offsets_of, strict=True):
        own = next((offset for offset in accepted if offset in offsets), None)
        if own is not None and _is_heading(offsets[own], page):
            own = None  # section 2 at the top of page 2
        evidence.append(own)
        if own is not None and (_BARE_NUMBER.match(offsets[own].text) or heights[_height(offsets[own])] >= 2):
            number_rows.add(id(offsets[own]))
    for at, offsets in enumerate(offsets_of):
        if evidence[at] is None:
            others = {offset: row for offset, row in offsets.items() if not _is_heading(row, pages[at])}
            evidence[at] = _own_offset(at, others, evidence, heights)
            if evidence[at] is not None:
                number_rows.add(id(offsets[evidence[at] or 0]))
    if len(pages) == 1 and not accepted:
        for row in margin_rows[0]:
            bare = _BARE_NUMBER.match(row.text)
            if bare and _is_bare_number(row, pages[0]):
                return [bare[1]], ["margin"], {id(row)}
    printed = [
        str(page.number + offset) if offset is not None and page.number + offset > 0 else None
        for page, offset in zip(pages, _filled(evidence), strict=True)
    ]
    printed_from = [
        None if number is None else "margin" if own is not None else "neighbours"
        for number, own in zip(printed, evidence, strict=True)
    ]
    _add_roman(pages, margin_rows, printed, printed_from)
    return printed, printed_from, number_rows


def _add_roman(
    pages: list[RawPage], margin_rows: list[list[_Row]], printed: list[str | None], printed_from: list[str | None]
) -> None:
    """Number the front matter as it is printed: i, ii, iii run along with the pages before page 1."""
    own: dict[int, int] = {}  # page → its roman number
    for page, candidates in zip(pages, margin_rows, strict=True):
        for row in candidates:
            value = _roman_number(row.text)
            if value:
                own.setdefault(page.number, value)
    offsets = Counter(value - number for number, value in own.items())
    if not offsets or offsets.most_common(1)[0][1] < 2:
        return
    offset = offsets.most_common(1)[0][0]
    true = [number for number, value in own.items() if value - number == offset]
    for at in range(min(true) - 1, max(true)):
        if printed_from[at] != "margin":
            printed[at] = _roman(at + 1 + offset)
            printed_from[at] = "margin" if at + 1 in true else "neighbours"
    # Pages before the first roman number are not numbered on from the text.
    for at in range(min(true) - 1):
        if printed_from[at] == "neighbours":
            printed[at] = printed_from[at] = None


def _roman_number(text: str) -> int | None:
    """The value of a line that is nothing but a Roman number."""
    match = _ROMAN_NUMBER.match(text)
    return _roman_value(match[1]) if match else None


def _roman_value(text: str) -> int | None:
    values = {"i": 1, "v": 5, "x": 10, "l": 50, "c": 100}
    total = 0
    for letter, following in zip(text, [*text[1:], ""], strict=True):
        value = values[letter]
        total += -value if following and values[following] > value else value
    return total if _roman(total) == text else None


def _roman(number: int) -> str:
    parts = ((100, "c"), (90, "xc"), (50, "l"), (40, "xl"), (10, "x"), (9, "ix"), (5, "v"), (4, "iv"), (1, "i"))
    text = ""
    for value, letters in parts:
        while number >= value:
            text += letters
            number -= value
    return text


def _is_heading(row: _Row, page: RawPage) -> bool:
    """Whether a row that begins with a number is a heading: larger or bolder than the page's text."""
    if not _NUMBERED.match(row.text):
        return False
    usual = median(word.size for word in page.words)
    return row.words[-1].size > usual + 0.8 or (row.words[-1].bold and not page.words[len(page.words) // 2].bold)


def _own_offset(
    at: int, offsets: dict[int, _Row], evidence: list[int | None], heights: Counter[tuple[bool, int]]
) -> int | None:
    """The offset of a page whose number stands where the others' do, but jumps: pages are missing."""
    if not offsets:
        return None
    before = next(((i, evidence[i]) for i in range(at - 1, -1, -1) if evidence[i] is not None), None)
    after = next(((i, evidence[i]) for i in range(at + 1, len(evidence)) if evidence[i] is not None), None)
    for offset, row in offsets.items():
        if heights[_height(row)] < 2:
            continue
        number = at + offset
        near = [i + (known or 0) for i, known in (n for n in (before, after) if n is not None)]
        grows = (before is None or number > near[0]) and (after is None or number < near[-1])
        if near and grows and min(abs(number - other) for other in near) <= 20:
            return offset
    return None


def _height(row: _Row) -> tuple[bool, int]:
    return row.place >= 0, round(row.y / 8)


def _numbers(text: str) -> list[int]:
    bare = _BARE_NUMBER.match(text)
    if bare:
        return [int(bare[1])]
    return [int(first or last) for first, last in _EDGE_NUMBER.findall(text)]


def _accepted_offsets(offsets_of: list[dict[int, _Row]]) -> list[int]:
    """The differences between printed number and PDF page that the document holds to, best first."""
    count: Counter[int] = Counter(offset for offsets in offsets_of for offset in offsets)
    if not count:
        return []
    best = min(count, key=lambda offset: (-count[offset], abs(offset)))
    if count[best] < 2 or count[best] < 0.25 * len(offsets_of):
        return []
    accepted = [best]
    for offset in sorted(count, key=lambda o: (-count[o], abs(o))):
        # An inserted plate or a missing page shifts the numbers: believe it where pages in a row say so.
        run = longest = 0
        for offsets in offsets_of:
            run = run + 1 if offset in offsets and best not in offsets else 0
            longest = max(longest, run)
        if offset != best and longest >= 3:
            accepted.append(offset)
    return accepted


def _filled(evidence: list[int | None]) -> list[int | None]:
    """Offsets for the pages that print no number, where their neighbours leave no doubt."""
    known = [(at, offset) for at, offset in enumerate(evidence) if offset is not None]
    filled = list(evidence)
    if not known:
        return filled
    for at in range(len(evidence)):
        if evidence[at] is None:
            before = next((offset for where, offset in reversed(known) if where < at), None)
            after = next((offset for where, offset in known if where > at), None)
            if before is None or after is None:
                filled[at] = after if before is None else before
            elif before == after:
                filled[at] = before
    return filled
