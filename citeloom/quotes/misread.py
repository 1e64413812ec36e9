"""Letters that the recognition of scanned pages takes for others."""

from __future__ import annotations

import unicodedata
from functools import lru_cache

# What is read / what was printed, both ways; letters in lower case, since case has been folded.
_PAIRS = (
    "rn m", "nn m", "in m", "ni m", "iii m", "ri n", "ii n", "ii u", "cl d", "ol d", "vv w", "li h", "h b", "tl h",
    "l 1", "l i", "l |", "i 1", "i |", "l !", "i !", "t 1", "0 o", "5 s", "8 b", "6 b", "9 g", "q g", "2 z",
    "e c", "u n", "f s", "ll u", "ff f", "fi f", "fl f", "fi i", "fl l", "fi h", "fl h", "ff ", "fi ", "fl ",
    "ffi ", "ffl ", "tt t",
)  # fmt: skip
_CONFUSED: dict[str, list[tuple[str, str]]] = {}
for _pair in _PAIRS:
    _one, _other = _pair.split(" ")
    for _a, _b in ((_one, _other), (_other, _one)):
        _CONFUSED.setdefault(_a[:1], []).append((_a, _b))
_LONGEST = 60
_SHORT = 6


@lru_cache(2048)
def may_be_misread(one: str, other: str) -> bool:
    """Whether one folded word becomes the other by few confusions of letters that look alike, and lost accents."""
    one, other = _bare(one), _bare(other)
    if max(len(one), len(other)) > _LONGEST or abs(len(one) - len(other)) > 4:
        return False
    most = 1 + min(len(one), len(other)) // 4
    return _becomes(one, other, most)


def look_alike(one: str, other: str) -> bool:
    """Whether two words are likely the same one, badly read or badly typed; no proof of it."""
    if len(one) == len(other) > 2:
        return sum(a != b for a, b in zip(one, other, strict=True)) <= (2 if len(one) > _SHORT else 1)
    return may_be_misread(one, other)


def _becomes(one: str, other: str, most: int) -> bool:
    """Whether `most` confusions are enough; `reached` holds the fewest for each pair of places."""
    reached = {(0, 0): 0}
    todo = [(0, 0)]
    while todo:
        i, j = todo.pop()
        used = reached[i, j]
        if i == len(one) and j == len(other):
            return True
        steps = []
        if i < len(one) and j < len(other) and one[i] == other[j]:
            steps.append((i + 1, j + 1, used))
        if used < most:
            for key in {one[i : i + 1], ""}:
                for a, b in _CONFUSED.get(key, ()):
                    if one.startswith(a, i) and other.startswith(b, j):
                        steps.append((i + len(a), j + len(b), used + 1))
        for k, m, cost in steps:
            if cost < reached.get((k, m), most + 1):
                reached[k, m] = cost
                todo.append((k, m))
    return False


def _bare(word: str) -> str:
    if word.isascii():
        return word
    return "".join(c for c in unicodedata.normalize("NFD", word) if not unicodedata.combining(c))
