"""Which lines of a PDF are headings: by its outline where it has one, else by type, numbering and name."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import lru_cache

from citeloom.conversion.pdf.pdfium import OutlineEntry
from citeloom.conversion.pdf.reading_order import Line, Region, RegionKind
from citeloom.conversion.text_tools import tidy
from citeloom.core.text.normalize import letters_and_digits
from citeloom.core.text.section_names import is_section_name

_NUMBERED = re.compile(r"^(\d{1,2}(?:\.\d{1,2}){0,4})\.?\s+(?=[^\W\d_])(.+)$")
_ROMAN = re.compile(r"^([IVX]{1,5})\.\s+(?=[A-ZÄÖÜ])(.+)$")
_LETTERED = re.compile(r"^([A-H])\.(\d{1,2}(?:\.\d{1,2})*)?\.?\s+(?=[A-ZÄÖÜ])(.+)$")
_PART = re.compile(r"^(chapter|kapitel|part|teil|appendix|anhang)\s+([\dIVX]+|[A-Z])\b[.:]?\s*(.*)$", re.I)
_CAPTION = re.compile(r"^(table|figure|fig\.?|tabelle|abbildung|abb\.|tab\.|listing|algorithm|box)\s*[\dIVX]", re.I)
# The model takes a heading under a figure for its caption: its number or its name tell better.
_MAY_HOLD_HEADINGS = (RegionKind.TEXT, RegionKind.HEADING, RegionKind.CAPTION)
_MAX_LETTERS = 140
_MAX_WORDS = 18


@dataclass(slots=True)
class Heading:
    """A heading as printed: its lines and how deep it stands (0 is outermost)."""

    lines: list[Line]
    level: int

    @property
    def text(self) -> str:
        """The heading as one line of text."""
        return " ".join(tidy(line.text).strip() for line in self.lines)


@dataclass(slots=True)
class _Candidate:
    line: Line
    text: str
    above: float  # distance to the line above, in line sizes; large where nothing is above
    below: float
    style: tuple[float, bool, str]
    kind: RegionKind


class _Body:
    """The type in which the document's running text is set."""

    def __init__(self, lines: list[Line]) -> None:
        letters: Counter[tuple[float, bool, str]] = Counter()
        for line in lines:
            letters[(line.size, line.bold, line.font)] += sum(len(word.text) for word in line.words)
        self.size, self.bold, self.font = max(letters, key=lambda s: (letters[s], s)) if letters else (10.0, False, "")

    def stands_out(self, line: Line) -> bool:
        """Whether every word of the line is larger or bolder than the running text."""
        worded = [word for word in line.words if any(c.isalpha() for c in word.text)]
        larger = line.size >= self.size + 0.8
        bolder = not self.bold and bool(worded) and all(word.bold for word in worded)
        return (larger or bolder) and line.size >= self.size - 0.6

    def differs(self, line: Line) -> bool:
        """Whether the line is set in another font than the running text (often italic), at least as large."""
        fonts = {word.font for word in line.words if any(c.isalpha() for c in word.text)}
        return line.size >= self.size - 0.3 and bool(fonts) and self.font not in fonts


def body_size(lines: list[Line]) -> float:
    """The size of the running text."""
    return _Body(lines).size


def find_headings(pages: list[list[Region]], outline: list[OutlineEntry], title: str) -> list[Heading]:
    """The headings of a document in reading order."""
    lines = [line for regions in pages for region in regions for line in region.lines]
    body = _Body(lines)
    candidates = _candidates(pages)
    from_outline = _by_outline(candidates, _without_title(outline, title))
    if from_outline is None:
        headings = _by_type(candidates, body, _key(title))
    else:
        headings = _with_known_names(from_outline, candidates, body)
    place = {id(candidate.line): at for at, candidate in enumerate(candidates)}
    return sorted(headings, key=lambda heading: place[id(heading.lines[0])])


def _candidates(pages: list[list[Region]]) -> list[_Candidate]:
    found = []
    for regions in pages:
        lines = [line for region in regions for line in region.lines]
        for region in regions:
            if region.kind not in _MAY_HOLD_HEADINGS:
                continue
            for line in region.lines:
                above, below = _air(line, lines)
                style = (line.size, line.bold, line.font)
                found.append(_Candidate(line, tidy(line.text).strip(), above, below, style, region.kind))
    return found


def _air(line: Line, lines: list[Line]) -> tuple[float, float]:
    """The distances to the lines above and below in its column, in line sizes; large where there is none."""
    above = below = 9.0 * max(line.size, 1)
    for other in lines:
        if other.x0 < line.x1 and other.x1 > line.x0:
            distance = other.y - line.y
            if distance > 0.3 * line.size:
                above = min(above, distance)
            elif distance < -0.3 * line.size:
                below = min(below, -distance)
    return above / max(line.size, 1), below / max(line.size, 1)


# --- by the outline ---------------------------------------------------------------------


def _without_title(outline: list[OutlineEntry], title: str) -> list[OutlineEntry]:
    """The outline without an only root that is the document's title: it would stand above every section."""
    roots = [entry for entry in outline if entry.level == 0]
    if len(roots) == 1 and len(outline) > 2 and (_key(roots[0].title) == _key(title) or not _has_number(outline)):
        return [OutlineEntry(e.level - 1, e.title, e.page) for e in outline if e.level > 0]
    return outline


def _has_number(outline: list[OutlineEntry]) -> bool:
    return bool(_NUMBERED.match(outline[0].title) or is_section_name(outline[0].title))


@lru_cache(20_000)  # a long outline asks for the same lines again and again
def _key(text: str) -> str:
    # Outlines often lack accents or keep them apart from their letters.
    return letters_and_digits(tidy(text))


@lru_cache(20_000)
def _bare_key(text: str) -> str:
    text = tidy(text).strip()
    part = _PART.match(text)
    if part and part[3]:
        text = part[3]
    return _key(re.sub(r"^(?:\d+(?:\.\d+)*|[IVX]+(?=\.)|[A-Z](?=[.\s]\s?\S{2}))\.?\s+", "", text)) or _key(text)


def _by_outline(candidates: list[_Candidate], outline: list[OutlineEntry]) -> list[Heading] | None:
    """The outline's entries found among the lines, or None when the outline is of no use."""
    on_page: dict[int, list[int]] = defaultdict(list)
    for at, candidate in enumerate(candidates):
        on_page[candidate.line.page].append(at)
    headings: list[Heading] = []
    taken: set[int] = set()
    wanted = [entry for entry in outline if entry.page is not None and _key(entry.title)]
    for entry in wanted:
        if entry.page is None:
            continue
        for page in (entry.page, entry.page + 1, entry.page - 1):
            found = _find_title(candidates, on_page.get(page, []), entry.title, taken)
            if found:
                taken.update(found)
                headings.append(Heading([candidates[at].line for at in found], entry.level))
                break
    if len(headings) < 2 or len(headings) < 0.4 * len(wanted):
        return None
    return headings


def _find_title(candidates: list[_Candidate], places: list[int], title: str, taken: set[int]) -> list[int]:
    """The places of the lines that together are the title, the ones in heading type first."""
    whole, bare = _key(title), _bare_key(title)
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
            if _key(texts) == whole or _bare_key(texts) == bare or _alike(_key(texts), whole):
                matches.append(list(range(start, at + 1)))
                break
            if len(_key(texts)) > len(whole) + 20:
                break
    if not matches:
        return []
    best = max(matches, key=lambda m: (candidates[m[0]].line.size, candidates[m[0]].line.bold, -m[0]))
    before = best[0] - 1
    if before >= places[0] and before not in taken:
        above = _PART.match(candidates[before].text)
        if above and not above[3] and candidates[before].line.size >= candidates[best[0]].line.size - 6:
            best = [before, *best]  # "Chapter 3" on a line of its own
    return best


def _alike(one: str, other: str) -> bool:
    """Whether two long titles differ by a few letters only: leftovers of markup in the outline."""
    if min(len(one), len(other)) < 12 or abs(len(one) - len(other)) > 4 or one[:3] != other[:3]:
        return False
    return SequenceMatcher(None, one, other, autojunk=False).ratio() > 0.9


def _with_known_names(headings: list[Heading], candidates: list[_Candidate], body: _Body) -> list[Heading]:
    """The outline's headings and those it tends to leave out: the abstract, the references."""
    taken = {id(line) for heading in headings for line in heading.lines}
    top = max((h.lines[0].size for h in headings if h.level == 0), default=body.size)
    found = list(headings)
    for candidate in candidates:
        if id(candidate.line) in taken or not is_section_name(candidate.text, outside_outline=True):
            continue
        if body.stands_out(candidate.line) or candidate.text.isupper() or candidate.above > 1.5:
            found.append(Heading([candidate.line], 0 if candidate.line.size >= top - 1.5 else 1))
    return found


# --- by type, numbering and name --------------------------------------------------------


@dataclass(slots=True)
class _Found:
    at: int
    lines: list[Line]
    style: tuple[float, bool, str]
    depth: int | None  # from its number


def _may_be_heading(candidate: _Candidate) -> bool:
    text = candidate.text
    letters = sum(c.isalpha() for c in text)
    return (
        3 <= len(text) <= _MAX_LETTERS
        and len(text.split()) <= _MAX_WORDS
        and letters >= 0.6 * len(text.replace(" ", ""))
        and text[-1] not in ",;-"
        and not _CAPTION.match(text)
        and len(candidate.line.cells) < 3  # the head of a table
    )


def _number(text: str) -> tuple[tuple[int, ...], str] | None:
    """The number of a heading as a tuple (for comparing), and its name."""
    match = _NUMBERED.match(text)
    if match:
        return tuple(int(part) for part in match[1].split(".")), match[2]
    match = _ROMAN.match(text)
    if match:
        values = {"I": 1, "V": 5, "X": 10}
        total = 0
        for letter, following in zip(match[1], [*match[1][1:], ""], strict=True):
            value = values[letter]
            total += -value if following and values[following] > value else value
        return (total,), match[2]
    return None


def _by_type(candidates: list[_Candidate], body: _Body, title: str) -> list[Heading]:
    found = _confirmed(candidates, body)
    styles = {f.style for f in found if body.stands_out(f.lines[0])}
    first = min((f.at for f in found), default=0)
    large: dict[tuple[float, bool, str], set[int]] = defaultdict(set)
    italic: dict[tuple[float, bool, str], set[int]] = defaultdict(set)
    for at, candidate in enumerate(candidates):
        if at > first and candidate.line.size >= 1.15 * body.size and _may_be_heading(candidate):
            large[candidate.style].add(at)
        elif at > first and body.differs(candidate.line) and _stands_alone(candidates, at, body):
            italic[candidate.style].add(at)
    repeated = {style for style, places in large.items() if len(places) >= 2}
    repeated |= {style for style, places in italic.items() if len(places) >= 3}
    taken = {id(line) for f in found for line in f.lines}
    for at, candidate in enumerate(candidates):
        line = candidate.line
        if at < first or id(line) in taken or not _may_be_heading(candidate):
            continue
        if candidate.kind is RegionKind.CAPTION or (line.page == 1 and title and _key(candidate.text) in title):
            continue
        labelled = candidate.kind is RegionKind.HEADING and candidate.above > 1.25
        if not body.stands_out(line) and at not in italic[candidate.style] and not labelled:
            continue
        text = candidate.text
        fits = candidate.style in styles or candidate.style in repeated or labelled
        opens = text[0].isupper() or (text[0].isdigit() and _number(text) is not None)
        if fits and opens and not text.endswith((".", ":")) and candidate.above > 1.25 and len(text.split()) <= 14:
            lines = _with_next_lines(candidates, at, taken)
            if tidy(lines[-1].text).rstrip().endswith((".", ":")):
                continue  # a sentence in the type of a heading
            found.append(_Found(at, lines, candidate.style, None))
            taken.update(id(taken_line) for taken_line in lines)
    found.sort(key=lambda f: f.at)
    return _with_levels(found)


def _stands_alone(candidates: list[_Candidate], at: int, body: _Body) -> bool:
    """Whether a short line in a type of its own has air above and running text below."""
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


def _confirmed(candidates: list[_Candidate], body: _Body) -> list[_Found]:
    """The headings that show themselves by a known name or by a number that goes on from the last."""
    found: list[_Found] = []
    taken: set[int] = set()
    last: tuple[int, ...] = ()
    for at, candidate in enumerate(candidates):
        line, text = candidate.line, candidate.text
        if id(line) in taken or not _may_be_heading(candidate):
            continue
        out = body.stands_out(line) or (text.isupper() and line.size >= body.size - 0.6)
        out = out or candidate.kind is RegionKind.HEADING
        number = _number(text)
        alone = candidate.above > 1.25
        if is_section_name(text) and (out or (alone and candidate.below > 1.25) or body.differs(line)) and alone:
            depth = len(number[0]) if number else None
        elif number and (out or (body.differs(line) and alone) or _plain_scan(candidate)) and _goes_on(last, number[0]):
            if text.endswith(".") and not out:
                continue
            depth = len(number[0])
        elif _PART.match(text) and out:
            depth = 1
        elif _LETTERED.match(text) and alone and (out or body.differs(line)) and found:
            lettered = _LETTERED.match(text)
            roman = any(_ROMAN.match(tidy(f.lines[0].text)) for f in found)
            depth = 2 if roman or (lettered and lettered[2]) else 1
        else:
            continue
        if number:
            last = number[0]
        lines = _with_next_lines(candidates, at, taken)
        taken.update(id(taken_line) for taken_line in lines)
        found.append(_Found(at, lines, candidate.style, depth))
    return found


def _plain_scan(candidate: _Candidate) -> bool:
    """Whether a numbered line of a scan stands apart: there, nothing tells bold type from plain."""
    first = candidate.line.words[0]
    apart = candidate.above > 1.35 and not candidate.text.endswith(".")
    return apart and first.recognised and "." in first.text[:-1]


def _goes_on(last: tuple[int, ...], number: tuple[int, ...]) -> bool:
    """Whether a number may follow the last one: 2.3 follows 2.2 and 1.9, not 5 and not 2.3."""
    if not last:
        return number[0] <= 2 and all(part <= 2 for part in number[1:])
    if len(number) > 1 and number[-1] == 0:
        return False
    return last < number and number[0] - last[0] <= 2


def _with_next_lines(candidates: list[_Candidate], at: int, taken: set[int]) -> list[Line]:
    """The heading's line and those it runs over to."""
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


def _same_type(one: _Candidate, other: _Candidate) -> bool:
    if one.line.words[0].recognised and one.kind is other.kind is RegionKind.HEADING:
        return abs(one.line.size - other.line.size) < 0.2 * one.line.size  # a short line in a picture measures smaller
    return one.style == other.style


def _with_levels(found: list[_Found]) -> list[Heading]:
    """Levels from the numbers; where there is none, from headings in the same type, else from the size."""
    depths: dict[tuple[float, bool, str], Counter[int]] = defaultdict(Counter)
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
