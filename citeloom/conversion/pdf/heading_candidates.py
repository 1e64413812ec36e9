"""Lines of a PDF that may be headings, with their type and the space around, and those that its outline names.

Used by headings.py.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import lru_cache
from operator import attrgetter

from citeloom.conversion.pdf.raw_page import OutlineEntry, Word
from citeloom.conversion.pdf.reading_order import Line, LineStyle, Region, RegionKind
from citeloom.conversion.text_tools import tidy
from citeloom.core.text.normalize import letters_and_digits
from citeloom.core.text.section_names import is_section_name

NUMBERED = re.compile(r"^(\d{1,2}(?:\.\d{1,2}){0,4})\.?\s+(?=[^\W\d_])(.+)$")
PART = re.compile(r"^(chapter|kapitel|part|teil|appendix|anhang)\s+([\dIVX]+|[A-Z])\b[.:]?\s*(.*)$", re.I)
# Captions too: the model mistakes a heading under a figure for its caption.
_FAR = 9.0  # in line sizes, the distance to a line that is not there
_BASELINE, _TEXT = attrgetter("y"), attrgetter("text")
_KINDS_WITH_HEADINGS = (RegionKind.TEXT, RegionKind.HEADING, RegionKind.CAPTION)


@dataclass(slots=True)
class Heading:
    """A heading: its lines and level (0 is outermost)."""

    lines: list[Line]
    level: int

    @property
    def text(self) -> str:
        """Text of the heading on one line."""
        return " ".join(line.text.strip() for line in self.lines)


@dataclass(slots=True)
class Candidate:
    """A line that may be a heading, or a part of one."""

    line: Line
    text: str
    above: float  # distance to the line above, in line sizes; large where nothing is above
    below: float
    kind: RegionKind


class BodyType:
    """Font and size of the document's running text."""

    def __init__(self, lines: list[Line]) -> None:
        letters: Counter[LineStyle] = Counter()
        for line in lines:
            letters[line.style] += sum(map(len, map(_TEXT, line.words)))
        self.size, self.bold, self.font = max(letters, key=lambda s: (letters[s], s)) if letters else (10.0, False, "")

    def stands_out(self, line: Line) -> bool:
        """Return whether every word of the line is larger or bolder than the running text."""
        if line.size < self.size - 0.6:
            return False
        if line.size >= self.size + 0.8:
            return True
        return not self.bold and _has_letters_only_in(line, lambda word: word.bold)

    def differs(self, line: Line) -> bool:
        """Return whether the line is in another font than the running text (often italic), at least as large."""
        return line.size >= self.size - 0.3 and _has_letters_only_in(line, lambda word: word.font != self.font)


def _has_letters_only_in(line: Line, fits: Callable[[Word], bool]) -> bool:
    """Return whether a line has words with letters and all of them fit; most lines end this at their first word."""
    has_letters = False
    for word in line.words:
        if any(map(str.isalpha, word.text)):
            if not fits(word):
                return False
            has_letters = True
    return has_letters


def heading_candidates(pages: list[list[Region]]) -> list[Candidate]:
    """Return the lines of a document that may be headings, in reading order."""
    found = []
    for regions in pages:
        lines = sorted((line for region in regions for line in region.lines), key=_BASELINE)
        baselines = list(map(_BASELINE, lines))
        for region in regions:
            if region.kind not in _KINDS_WITH_HEADINGS:
                continue
            for line in region.lines:
                higher = lines[bisect_right(baselines, line.y) :]
                lower = lines[: bisect_left(baselines, line.y)]
                above, below = _distance(line, higher), _distance(line, reversed(lower))
                found.append(Candidate(line, line.text.strip(), above, below, region.kind))
    return found


def _distance(line: Line, others: Iterable[Line]) -> float:
    """Return the distance to the first of the other lines in the same column, in line sizes; large if there is none."""
    size = max(line.size, 1)
    for other in others:
        distance = abs(other.y - line.y)
        if distance >= _FAR * size:
            break
        if other.x0 < line.x1 and other.x1 > line.x0 and distance > 0.3 * line.size:
            return distance / size
    return _FAR


@lru_cache(20_000)  # a long outline compares the same lines repeatedly
def title_key(text: str) -> str:
    """Return the key for comparing titles: letters and digits only."""
    # Outlines often lack accents or have them separated from their letters.
    return letters_and_digits(tidy(text))


# --- the outline ------------------------------------------------------------------------


def without_title(outline: list[OutlineEntry], title: str) -> list[OutlineEntry]:
    """Return the outline without a single root that is the document's title."""
    roots = [entry for entry in outline if entry.level == 0]
    first = outline[0].title if outline else ""
    named = bool(NUMBERED.match(first) or is_section_name(first))
    if len(roots) == 1 and len(outline) > 2 and (title_key(roots[0].title) == title_key(title) or not named):
        return [OutlineEntry(e.level - 1, e.title, e.page) for e in outline if e.level > 0]
    return outline


@lru_cache(20_000)
def _bare_key(text: str) -> str:
    text = tidy(text).strip()
    part = PART.match(text)
    if part and part[3]:
        text = part[3]
    return title_key(re.sub(r"^(?:\d+(?:\.\d+)*|[IVX]+(?=\.)|[A-Z](?=[.\s]\s?\S{2}))\.?\s+", "", text)) or title_key(
        text
    )


def headings_by_outline(candidates: list[Candidate], outline: list[OutlineEntry]) -> list[Heading] | None:
    """Return the outline's entries found among the lines; None if too few are found."""
    on_page: dict[int, list[int]] = defaultdict(list)
    for at, candidate in enumerate(candidates):
        on_page[candidate.line.page].append(at)
    headings: list[Heading] = []
    taken: set[int] = set()
    entries = [(entry, entry.page) for entry in outline if entry.page is not None and title_key(entry.title)]
    for entry, place in entries:
        for page in (place, place + 1, place - 1):
            found = _find_title(candidates, on_page.get(page, []), entry.title, taken)
            if found:
                taken.update(found)
                headings.append(Heading([candidates[at].line for at in found], entry.level))
                break
    if len(headings) < 2 or len(headings) < 0.4 * len(entries):
        return None
    return headings


def _find_title(candidates: list[Candidate], places: list[int], title: str, taken: set[int]) -> list[int]:
    """Return the indexes of the lines that form the title, preferably in heading type."""
    whole, bare = title_key(title), _bare_key(title)
    matches: list[list[int]] = []
    for start in places:
        if start in taken or not candidates[start].text:
            continue
        texts = ""
        for length in range(1, 5):
            at = start + length - 1
            if at > places[-1] or at in taken:
                break
            texts = f"{texts} {candidates[at].text}".strip()
            if title_key(texts) == whole or _bare_key(texts) == bare or _is_similar(title_key(texts), whole):
                matches.append(list(range(start, at + 1)))
                break
            if len(title_key(texts)) > len(whole) + 20:
                break
    if not matches:
        return []
    best = max(matches, key=lambda m: (candidates[m[0]].line.size, candidates[m[0]].line.bold, -m[0]))
    before = best[0] - 1
    if before >= places[0] and before not in taken:
        above = PART.match(candidates[before].text)
        if above and not above[3] and candidates[before].line.size >= candidates[best[0]].line.size - 6:
            best = [before, *best]  # "Chapter 3" on a separate line
    return best


def _is_similar(one: str, other: str) -> bool:
    """Return whether two long titles differ by a few letters only, such as remains of markup."""
    if min(len(one), len(other)) < 12 or abs(len(one) - len(other)) > 4 or one[:3] != other[:3]:
        return False
    return SequenceMatcher(None, one, other, autojunk=False).ratio() > 0.9


def with_known_names(headings: list[Heading], candidates: list[Candidate], body: BodyType) -> list[Heading]:
    """Return the headings with those that outlines tend to omit: abstract, references."""
    taken = {id(line) for heading in headings for line in heading.lines}
    top = max((h.lines[0].size for h in headings if h.level == 0), default=body.size)
    found = list(headings)
    for candidate in candidates:
        if id(candidate.line) in taken or not is_section_name(candidate.text, outside_outline=True):
            continue
        if body.stands_out(candidate.line) or candidate.text.isupper() or candidate.above > 1.5:
            found.append(Heading([candidate.line], 0 if candidate.line.size >= top - 1.5 else 1))
    return found
