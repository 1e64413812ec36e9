"""Sentence boundaries, and where a long sentence may be split. Used to cut passages."""

from __future__ import annotations

import re

_END = re.compile(r"[.!?…][\"'”’»)\]]*(?=\s)|[。！？]|\n(?=\s*(?:[-*+•]|\d{1,3}[.)])\s)")
_ABBREVIATIONS = {
    "e.g", "i.e", "al", "cf", "vs", "fig", "figs", "eq", "eqs", "no", "nos", "vol", "vols", "pp", "p",
    "ed", "eds", "dr", "mr", "mrs", "ms", "prof", "st", "sec", "sect", "ch", "chap", "approx", "ca",
    "resp", "viz", "ref", "refs", "tab", "repr", "trans", "univ", "dept", "inc", "ltd", "jr", "sr", "jan",
    "feb", "mar", "apr", "jun", "jul", "aug", "sep", "sept", "oct", "nov", "dec", "z.b", "d.h", "u.a",
    "o.ä", "bzw", "vgl", "nr", "abb", "kap", "bd", "hrsg", "jh", "s", "f", "ff", "ebd", "usw", "evtl",
    "ggf", "sog", "u.s", "u.k", "a.m", "p.m",
}  # fmt: skip
_OPENERS = "\"'“‘«»„([{¿¡"
_CLAUSE_ENDS = (";", ":", ",", "–", "—", ")", "]")


def sentences(text: str) -> list[tuple[int, int]]:
    """Return the spans of a text's sentences, without the white space between them."""
    spans: list[tuple[int, int]] = []
    start = 0
    for match in _END.finditer(text):
        if match[0] != "\n" and match[0] not in "。！？" and not _is_end(text, start, match):
            continue
        _add(spans, text, start, match.end())
        start = match.end()
    _add(spans, text, start, len(text))
    return spans


def _add(spans: list[tuple[int, int]], text: str, start: int, end: int) -> None:
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    if start < end:
        spans.append((start, end))


def _is_end(text: str, start: int, match: re.Match[str]) -> bool:
    after = match.end()
    while after < len(text) and text[after].isspace():
        after += 1
    if after >= len(text):
        return True
    following = text[after]
    if following.islower():
        return False
    if match[0] != ".":
        return True
    before = text[max(start, match.start() - 30) : match.start()].rsplit(None, 1)
    last = before[-1].lstrip(_OPENERS).casefold() if before else ""
    # A single letter is an initial far more often than the end of a sentence.
    return last not in _ABBREVIATIONS and not (len(last) == 1 and last.isalpha())


def is_clause_end(word: str) -> bool:
    """Return whether a clause ends with this word, so that a sentence may be split after it."""
    return word.rstrip().endswith(_CLAUSE_ENDS)
