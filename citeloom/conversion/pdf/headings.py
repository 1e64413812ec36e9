"""Headings of a PDF: by its outline where it has one, else by type, numbering and name. Called by the PDF reader."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from dataclasses import dataclass
from functools import lru_cache

from citeloom.conversion.pdf.heading_candidates import (
    NUMBERED,
    PART,
    BodyType,
    Candidate,
    Heading,
    heading_candidates,
    headings_by_outline,
    title_key,
    with_known_names,
    without_title,
)
from citeloom.conversion.pdf.raw_page import OutlineEntry
from citeloom.conversion.pdf.reading_order import Line, LineStyle, Region, RegionKind
from citeloom.core.text.numerals import roman_value
from citeloom.core.text.section_names import is_section_name

_ROMAN = re.compile(r"^([IVX]{1,5})\.\s+(?=[A-ZÄÖÜ])(.+)$")
_LETTERED = re.compile(r"^([A-H])\.(\d{1,2}(?:\.\d{1,2})*)?\.?\s+(?=[A-ZÄÖÜ])(.+)$")
_CAPTION = re.compile(r"^(table|figure|fig\.?|tabelle|abbildung|abb\.|tab\.|listing|algorithm|box)\s*[\dIVX]", re.I)
_MAX_LETTERS = 140
_MAX_WORDS = 18


def find_headings(pages: list[list[Region]], outline: list[OutlineEntry], title: str) -> list[Heading]:
    """Return the headings of a document in reading order."""
    lines = [line for regions in pages for region in regions for line in region.lines]
    body = BodyType(lines)
    candidates = heading_candidates(pages)
    from_outline = headings_by_outline(candidates, without_title(outline, title))
    if from_outline is None:
        headings = _by_type(candidates, body, title_key(title))
    else:
        headings = with_known_names(from_outline, candidates, body)
    place = {id(candidate.line): at for at, candidate in enumerate(candidates)}
    return sorted(headings, key=lambda heading: place[id(heading.lines[0])])


@dataclass(slots=True)
class _FoundHeading:
    at: int
    lines: list[Line]
    depth: int | None  # from its number

    @property
    def style(self) -> LineStyle:
        return self.lines[0].style


def _may_be_heading(candidate: Candidate) -> bool:
    return candidate.line.cells < 3 and _is_heading_text(candidate.text)  # more cells are a table header


@lru_cache(5_000)  # a line is judged several times
def _is_heading_text(text: str) -> bool:
    return (
        3 <= len(text) <= _MAX_LETTERS
        and text[-1] not in ",;-"
        and len(text.split()) <= _MAX_WORDS
        and sum(map(str.isalpha, text)) >= 0.6 * len(text.replace(" ", ""))
        and not _CAPTION.match(text)
    )


def _number(text: str) -> tuple[tuple[int, ...], str] | None:
    """Return the number of a heading as a tuple, and its name; None without a number."""
    match = NUMBERED.match(text)
    if match:
        return tuple(int(part) for part in match[1].split(".")), match[2]
    match = _ROMAN.match(text)
    value = roman_value(match[1]) if match else None
    return ((value,), match[2]) if match and value else None


def _by_type(candidates: list[Candidate], body: BodyType, title: str) -> list[Heading]:
    found = _confirmed(candidates, body)
    styles = {f.style for f in found if body.stands_out(f.lines[0])}
    first = min((f.at for f in found), default=0)
    large: dict[LineStyle, set[int]] = defaultdict(set)
    italic: dict[LineStyle, set[int]] = defaultdict(set)
    for at, candidate in enumerate(candidates):
        if at > first and candidate.line.size >= 1.15 * body.size and _may_be_heading(candidate):
            large[candidate.line.style].add(at)
        elif at > first and body.differs(candidate.line) and _is_set_apart(candidates, at, body):
            italic[candidate.line.style].add(at)
    repeated = {style for style, places in large.items() if len(places) >= 2}
    repeated |= {style for style, places in italic.items() if len(places) >= 3}
    taken = {id(line) for f in found for line in f.lines}
    for at, candidate in enumerate(candidates):
        line = candidate.line
        if at < first or id(line) in taken or not _may_be_heading(candidate):
            continue
        if candidate.kind is RegionKind.CAPTION or (line.page == 1 and title and title_key(candidate.text) in title):
            continue
        labelled = candidate.kind is RegionKind.HEADING and candidate.above > 1.25
        if not body.stands_out(line) and at not in italic[candidate.line.style] and not labelled:
            continue
        text = candidate.text
        fits = candidate.line.style in styles or candidate.line.style in repeated or labelled
        opens = text[0].isupper() or (text[0].isdigit() and _number(text) is not None)
        if fits and opens and not text.endswith((".", ":")) and candidate.above > 1.25 and len(text.split()) <= 14:
            lines = _with_next_lines(candidates, at, taken)
            if lines[-1].text.rstrip().endswith((".", ":")):
                continue  # a sentence in the type of a heading
            found.append(_FoundHeading(at, lines, None))
            taken.update(id(taken_line) for taken_line in lines)
    found.sort(key=lambda f: f.at)
    return _with_levels(found)


def _is_set_apart(candidates: list[Candidate], at: int, body: BodyType) -> bool:
    """Return whether a short line in a distinct type has space above and running text below."""
    candidate = candidates[at]
    following = candidates[at + 1].line if at + 1 < len(candidates) else None
    return (
        _may_be_heading(candidate)
        and candidate.above > 1.35
        and len(candidate.text.split()) <= 8
        and following is not None
        and (following.font, following.size) == (body.font, body.size)
        and candidates[at - 1].line.font != candidate.line.font
    )


def _confirmed(candidates: list[Candidate], body: BodyType) -> list[_FoundHeading]:
    """Return the headings with a usual section name or a number that continues the last one."""
    found: list[_FoundHeading] = []
    taken: set[int] = set()
    last: tuple[int, ...] = ()
    for at, candidate in enumerate(candidates):
        line, text = candidate.line, candidate.text
        if id(line) in taken or not _may_be_heading(candidate):
            continue
        stands_out = body.stands_out(line) or (text.isupper() and line.size >= body.size - 0.6)
        stands_out = stands_out or candidate.kind is RegionKind.HEADING
        number = _number(text)
        alone = candidate.above > 1.25
        if is_section_name(text) and (stands_out or (alone and candidate.below > 1.25) or body.differs(line)) and alone:
            depth = len(number[0]) if number else None
        elif (
            number
            and (stands_out or (body.differs(line) and alone) or _is_set_apart_in_scan(candidate))
            and _may_follow(last, number[0])
        ):
            if text.endswith(".") and not stands_out:
                continue
            depth = len(number[0])
        elif PART.match(text) and stands_out:
            depth = 1
        elif _LETTERED.match(text) and alone and (stands_out or body.differs(line)) and found:
            lettered = _LETTERED.match(text)
            roman = any(_ROMAN.match(f.lines[0].text) for f in found)
            depth = 2 if roman or (lettered and lettered[2]) else 1
        else:
            continue
        if number:
            last = number[0]
        lines = _with_next_lines(candidates, at, taken)
        taken.update(id(taken_line) for taken_line in lines)
        found.append(_FoundHeading(at, lines, depth))
    return found


def _is_set_apart_in_scan(candidate: Candidate) -> bool:
    """Return whether a numbered line of a scan is separated by space; OCR does not recognise bold type."""
    first = candidate.line.words[0]
    apart = candidate.above > 1.35 and not candidate.text.endswith(".")
    return apart and first.recognised and "." in first.text[:-1]


def _may_follow(last: tuple[int, ...], number: tuple[int, ...]) -> bool:
    """Return whether a number may follow the last one: 2.3 follows 2.2 and 1.9, not 5 and not 2.3."""
    if not last:
        return number[0] <= 2 and all(part <= 2 for part in number[1:])
    if len(number) > 1 and number[-1] == 0:
        return False
    return last < number and number[0] - last[0] <= 2


def _with_next_lines(candidates: list[Candidate], at: int, taken: set[int]) -> list[Line]:
    """Return the lines of a heading that continues on the next lines."""
    lines = [candidates[at].line]
    while at + 1 < len(candidates) and len(lines) < 4:
        following = candidates[at + 1]
        same = _same_type(candidates[at], following) and following.line.page == lines[0].page
        if (
            not same
            or id(following.line) in taken
            or following.above > 1.45
            or _number(following.text)
            or is_section_name(following.text)
            or not _may_be_heading(following)
        ):
            break
        lines.append(following.line)
        at += 1
    return lines


def _same_type(one: Candidate, other: Candidate) -> bool:
    if one.line.words[0].recognised and one.kind is other.kind is RegionKind.HEADING:
        return abs(one.line.size - other.line.size) < 0.2 * one.line.size  # OCR measures short lines smaller
    return one.line.style == other.line.style


def _with_levels(found: list[_FoundHeading]) -> list[Heading]:
    """Assign levels by number, else by headings of the same type, else by size."""
    depths: dict[LineStyle, Counter[int]] = defaultdict(Counter)
    for f in found:
        if f.depth is not None:
            depths[f.style][f.depth] += 1
    by_style = {style: min(count, key=lambda d: (-count[d], d)) for style, count in depths.items()}
    sizes = sorted({f.style[:2] for f in found}, reverse=True)
    headings = []
    for f in found:
        if f.depth is not None:
            depth = f.depth
        elif f.style in by_style:
            depth = by_style[f.style]
        elif by_style:
            smaller = [depth for style, depth in by_style.items() if style[:2] <= f.style[:2]]
            depth = min(smaller) if smaller else max(by_style.values()) + 1
        else:
            depth = sizes.index(f.style[:2]) + 1
        headings.append(Heading(f.lines, max(0, min(depth, 5) - 1)))
    return headings
