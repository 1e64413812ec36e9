"""Finds the sentence around some words of a work, and whether the work itself quotes them."""

from __future__ import annotations

import re

from citeloom.core.text.sentences import sentences
from citeloom.evidence.quotes.work_text import WorkText

_CLOSED_BY = {"“": "”", "„": "“”", "«": "»", "»": "«", "‘": "’", "‚": "‘’", '"': '"', "「": "」", "『": "』", "‹": "›"}
_MARKS = re.compile(r"[“”„«»‘’‚\"「」『』‹›]")
_AROUND = 1_500  # characters on either side in which a sentence and its quotation marks are looked for


def sentence(work: WorkText, first: int, behind: int) -> str:
    """The sentences that hold these words."""
    start, end = work.starts[first], work.ends[behind - 1]
    text, offset = _around(work, first, behind)
    held = [(a, b) for a, b in sentences(text) if a + offset < end and b + offset > start]
    return " ".join(text[held[0][0] : held[-1][1]].split()) if held else ""


def is_quotation(work: WorkText, first: int, behind: int) -> bool:
    """Whether the work sets these words in quotation marks of its own."""
    start, end = work.starts[first], work.ends[behind - 1]
    text, offset = _around(work, first, behind)
    closers, opened = "", -1
    for mark in _MARKS.finditer(text):
        at = mark.start() + offset
        if closers:
            if mark[0] in closers and not _is_apostrophe(text, mark.start()):
                if opened < start and at >= end:
                    return True
                closers = ""
        elif mark[0] in _CLOSED_BY and at < start:
            closers, opened = _CLOSED_BY[mark[0]], at
    return False


def _is_apostrophe(text: str, at: int) -> bool:
    return text[at] == "’" and text[at - 1 : at].isalpha() and text[at + 1 : at + 2].isalpha()


def _around(work: WorkText, first: int, behind: int) -> tuple[str, int]:
    low, high = work.paragraph(first, behind)
    low = max(low, work.starts[first] - _AROUND)
    return work.text[low : min(high, work.ends[behind - 1] + _AROUND)], low
