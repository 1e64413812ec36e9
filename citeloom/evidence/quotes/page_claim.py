"""Parses the page that a citation claims and compares it with the page where the quotation was found.

Used by `match`, `verification` and `evidence.check`.
"""

from __future__ import annotations

import re

from citeloom.core.text.numerals import roman_value
from citeloom.evidence.quotes.work_text import WorkText

_PAGE_WORD = re.compile(
    r"^(?:at\s+)?(?:pages?|pgs?|pp?|seiten?|ss?|pp?ágs?|páginas?|pag(?:ina|ine)?|blz|bl|fol|fols|ff?)\b\.?\s*", re.I
)
_RANGE = re.compile(
    r"(?P<first>[^\W_]+)\s*(?:(?:[-–—−‐‑]+|\bto\b|\bbis\b)\s*(?P<last>[^\W_]+)|(?P<following>ff?)\b\.?)?", re.I
)
_LABEL = re.compile(r"([^\W\d_]*)(\d{1,9})([^\W\d_]?)$")
_FF_PAGES = 3  # how many pages "33 ff." adds


class Claim:
    """The pages that a citation claims: "33", "p. 33", "253–4", "xii", "S. 12 f."."""

    def __init__(self, written: str) -> None:
        self.written = " ".join(written.split())[:100]
        bare = _PAGE_WORD.sub("", self.written).strip(" .,;()[]")
        self._whole = bare.casefold()
        self._ranges: list[tuple[str, int, int]] = []
        # "S12" is page 12 in German, and a page of a supplement elsewhere.
        for part in re.split(r"[,;&]|\band\b|\bund\b", bare):
            if match := _RANGE.match(part.strip()):
                self._ranges += _ranges(match)

    @property
    def understood(self) -> bool:
        """Whether the claim names pages."""
        return bool(self._ranges)

    def covers(self, label: str) -> bool:
        """Whether a printed page is among those claimed."""
        folded = label.casefold().strip()
        value = _value(folded)
        if folded == self._whole:
            return True
        return value is not None and any(kind == value[0] and lo <= value[1] <= hi for kind, lo, hi in self._ranges)

    def check(self, work: WorkText, first: int, last: int) -> bool | None:
        """Return whether the claim is right for text on these PDF pages; None if that is not known."""
        if not self.understood and not self._whole:
            return None
        span = [work.pages[number] for number in range(first, last + 1) if number in work.pages]
        if any(self.covers(page.label) for page in span):
            return True
        if not self.understood or not work.printed or all(not (p.printed or p.pdf_label) for p in span):
            return None
        return False


def _ranges(match: re.Match[str]) -> list[tuple[str, int, int]]:
    first = _value(match["first"].casefold())
    if first is None:
        return []
    kind, low = first
    high = low
    if match["last"]:
        last = match["last"].casefold()
        value = _value(last)
        if value is not None and value[0] in (kind, ""):
            high = value[1]
            if kind == "" and high < low and last.isdigit():  # "253–4"
                written = match["first"]
                high = int(written[: -len(last)] + last) if len(last) < len(written) else high
    elif match["following"]:
        high = low + (1 if len(match["following"]) == 1 else _FF_PAGES)
    return [(kind, min(low, high), max(low, high))]


def _value(label: str) -> tuple[str, int] | None:
    """Return the kind and value of a page number: arabic, roman, or with a letter before or after it."""
    if match := _LABEL.match(label):
        return match[1] + match[3], int(match[2])
    roman = roman_value(label)
    return None if roman is None else ("roman", roman)


def has_page(work: WorkText, claimed: str) -> bool | None:
    """Whether a work has any of the claimed pages; None if too few of its printed page numbers are known."""
    claim, pages = Claim(claimed), list(work.pages.values())
    if not claim.understood or not pages:
        return None
    if any(claim.covers(page.label) for page in pages):
        return True
    printed = sum(bool(page.printed or page.pdf_label) for page in pages)
    return False if 2 * printed > len(pages) else None


def page_range(work: WorkText) -> str:
    """Return the first and last printed page of a work as a range."""
    labels = [page.label for page in work.pages.values() if page.printed or page.pdf_label]
    return f"{labels[0]}–{labels[-1]}" if labels else ""
