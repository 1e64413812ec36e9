"""Finds the sentence around some words of a work, and whether the work itself quotes them. Used by `verification`."""

from __future__ import annotations

import re

from citeloom.core.text.sentences import sentences
from citeloom.evidence.quotes.work_text import WorkText

_CLOSED_BY = {"“": "”", "„": "“”", "«": "»", "»": "«", "‘": "’", "‚": "‘’", '"': '"', "「": "」", "『": "』", "‹": "›"}
_MARKS = re.compile(r"[“”„«»‘’‚\"「」『』‹›]")
_MAX_CONTEXT = 1_500  # characters on either side that are searched for sentence ends and quotation marks


def sentence(work: WorkText, first: int, stop: int) -> str:
    """Return the sentences that contain these words."""
    start, end = work.starts[first], work.ends[stop - 1]
    text, offset = _around(work, first, stop)
    found = [(a, b) for a, b in sentences(text) if a + offset < end and b + offset > start]
    return " ".join(text[found[0][0] : found[-1][1]].split()) if found else ""


def is_quotation(work: WorkText, first: int, stop: int) -> bool:
    """Whether the work has these words in quotation marks."""
    start, end = work.starts[first], work.ends[stop - 1]
    text, offset = _around(work, first, stop)
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


def _around(work: WorkText, first: int, stop: int) -> tuple[str, int]:
    low, high = work.paragraph(first, stop)
    low = max(low, work.starts[first] - _MAX_CONTEXT)
    return work.text[low : min(high, work.ends[stop - 1] + _MAX_CONTEXT)], low
