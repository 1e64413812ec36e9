"""Headings of a PDF that has an outline: its entries found among the printed lines. Used by headings.py."""

from __future__ import annotations

import re
from collections import defaultdict
from difflib import SequenceMatcher
from functools import lru_cache

from citeloom.conversion.pdf.heading_candidates import NUMBERED, PART, BodyType, Candidate, Heading, title_key
from citeloom.conversion.pdf.raw_page import OutlineEntry
from citeloom.conversion.text_tools import tidy
from citeloom.core.text.section_names import is_section_name


def without_title(outline: list[OutlineEntry], title: str) -> list[OutlineEntry]:
    """Return the outline without a single root that is the document's title."""
    roots = [entry for entry in outline if entry.level == 0]
    if (
        len(roots) == 1
        and len(outline) > 2
        and (title_key(roots[0].title) == title_key(title) or not _has_number(outline))
    ):
        return [OutlineEntry(e.level - 1, e.title, e.page) for e in outline if e.level > 0]
    return outline


def _has_number(outline: list[OutlineEntry]) -> bool:
    return bool(NUMBERED.match(outline[0].title) or is_section_name(outline[0].title))


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
    entries = [entry for entry in outline if entry.page is not None and title_key(entry.title)]
    for entry in entries:
        if entry.page is None:
            continue
        for page in (entry.page, entry.page + 1, entry.page - 1):
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
            if title_key(texts) == whole or _bare_key(texts) == bare or _alike(title_key(texts), whole):
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


def _alike(one: str, other: str) -> bool:
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
