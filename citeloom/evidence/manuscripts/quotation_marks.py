"""Finds text between quotation marks, in the styles of many languages. Used by `pairing`."""

from __future__ import annotations

import re
from collections import Counter

_MARKS = re.compile("[\"“”„«»‹›‘’‚'「」『』]")
_CLOSED_BY = {
    "“": "”", "„": "“”", "”": "”", "‟": "”", '"': '"', "«": "»", "»": "«", "‹": "›", "›": "‹", "‘": "’", "‚": "‘’",
    "'": "'", "「": "」", "『": "』",
}  # fmt: skip
_OPENING = frozenset("“„«»‹›‘‚「『")  # these open a quotation unless they close one
_ELISIONS = re.compile(r"(?:tis|twas|em|til|cause|n|\d0s)\b", re.IGNORECASE)
_POSSESSIVE = re.compile(r"[’'] [^\W\d_]")


def quoted(text: str) -> list[tuple[int, int]]:
    """Return the spans between outermost quotation marks, without the marks; unpaired marks are ignored."""
    found: list[tuple[int, int]] = []
    stack: list[tuple[str, int]] = []
    is_open: Counter[str] = Counter()
    marks = [mark.start() for mark in _MARKS.finditer(text)]
    for number, place in enumerate(marks):
        mark = text[place]
        following = marks[number + 1] if number + 1 < len(marks) else None
        closes = [opening for opening, closing in _CLOSED_BY.items() if mark in closing and is_open[opening]]
        if closes and _may_close(text, place, following):
            while stack[-1][0] not in closes:
                is_open[stack.pop()[0]] -= 1
            opening, start = stack.pop()
            is_open[opening] -= 1
            found.append((start + 1, place))
        elif _may_open(text, place, mark):
            stack.append((mark, place))
            is_open[mark] += 1
    return _outermost(found)


def _around(text: str, place: int) -> tuple[str, str]:
    return text[place - 1] if place else " ", text[place + 1] if place + 1 < len(text) else " "


def _may_close(text: str, place: int, following: int | None) -> bool:
    before, after = _around(text, place)
    if text[place] == '"':
        return not before.isspace() or after.isspace() or not after.isalnum()
    if text[place] not in "’'":
        return True
    if before.isspace() or after.isalnum():
        return False
    # The students’ work: a possessive, if the next mark can still close the quotation.
    if before != "s" or not _POSSESSIVE.match(text, place) or following is None or text[following] != text[place]:
        return True
    return _around(text, following)[1].isalnum() or _around(text, following)[0].isspace()


def _may_open(text: str, place: int, mark: str) -> bool:
    before, after = _around(text, place)
    if mark in "'‘":
        if _ELISIONS.match(text, place + 1):
            return False
        return mark == "‘" or (
            not before.isalnum() and before not in ".,;:!?)’”" and (after.isalnum() or after in '“"[(…')
        )
    if mark in '"”':
        return not before.isalnum() and not after.isspace()
    return mark in _OPENING


def _outermost(spans: list[tuple[int, int]]) -> list[tuple[int, int]]:
    outer: list[tuple[int, int]] = []
    for start, end in sorted(spans):
        if not outer or start >= outer[-1][1]:
            outer.append((start, end))
    return outer
