"""Wording of hits: highlighted words, cut texts, authors and pages. Used by the search page and other lists."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from citeloom.api.search import SearchHit
from citeloom.core.text.normalize import fold_for_search
from citeloom.core.text.sanitize import clean
from citeloom.core.text.stopwords import FUNCTION_WORDS

_WORD = re.compile(r"\w+")
_BEYOND = re.compile("[\U00010000-\U0010ffff]")
_NOT_SET_OFF = FUNCTION_WORDS | {"warum", "wer", "wo"}
_STEM = 4  # letters from which on the beginning of a word is enough: "tree" sets off "trees"


def set_off(text: str, question: str) -> list[tuple[int, int]]:
    """Where the words of the question stand in a text: beginning and end of each."""
    asked = {fold_for_search(word) for word in _WORD.findall(question)}
    wanted = {word for word in asked if word not in _NOT_SET_OFF and (len(word) > 1 or not word.isascii())}
    stems = tuple(word for word in wanted if len(word) >= _STEM)
    if not wanted:
        return []
    found = []
    for match in _WORD.finditer(text):
        word = fold_for_search(match.group())
        if word in wanted or (stems and word.startswith(stems)):
            found.append(match.span())
    return found


def utf16(text: str, at: int) -> int:
    """A place in a text as Qt counts: letters beyond the first plane, such as emoji, count twice."""
    return at if text.isascii() else at + len(_BEYOND.findall(text, 0, at))


def cut(text: str, most: int) -> str:
    """A text of one line, cut where it is long."""
    text = " ".join(clean(text[: 2 * most]).split())
    return text if len(text) <= most else text[: most - 1].rstrip() + "…"


def isolated(text: str) -> str:
    """A text that keeps its own direction within a line that runs the other way."""
    return f"\u2068{text}\u2069"


def names(authors: Sequence[str]) -> str:
    """Who wrote it, as it stands in a running text."""
    last = [author.split(",")[0].strip() for author in authors if author.strip()]
    if len(last) > 2:
        return f"{last[0]} et al."
    return " & ".join(last)


def span(first: Any, last: Any) -> str:
    """A page or a run of pages."""
    return str(first) if first == last else f"{first}–{last}"


def also_cites(hit: SearchHit) -> str:
    """Where else the same is said, such as the preprint of a work: each citation once."""
    cites = dict.fromkeys(other.cite for other in hit.also_in if other.cite)
    return cut(" ".join(cites), 200)
