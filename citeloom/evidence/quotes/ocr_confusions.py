"""Letters that OCR confuses with others. Used by `judge` and `compare`."""

from __future__ import annotations

from functools import lru_cache

# Letters in lower case, since case has been folded. Each is taken for the other …
_EITHER_WAY = (
    "rn m", "nn m", "in m", "ni m", "iii m", "ri n", "ii n", "ii u", "cl d", "ol d", "vv w", "li h", "h b", "tl h",
    "l 1", "l i", "l |", "i 1", "i |", "l !", "i !", "t 1", "0 o", "5 s", "8 b", "6 b", "9 g", "q g", "2 z",
    "e c", "u n", "f s", "ll u",
)  # fmt: skip
# … but of what was printed as one glyph a part is lost, and none comes to it: "inflected" is no misread "infected".
_LOST = ("ff f", "fi f", "fl f", "fi i", "fl l", "fi h", "fl h", "ff ", "fi ", "fl ", "ffi ", "ffl ", "tt t")
_CONFUSED: dict[str, list[tuple[str, str]]] = {}  # what was printed, by its first letter, and what is read
for _pair in (*_EITHER_WAY, *_LOST, *(" ".join(reversed(pair.split(" "))) for pair in _EITHER_WAY)):
    _printed, _read = _pair.split(" ")
    _CONFUSED.setdefault(_printed[0], []).append((_printed, _read))
_LONGEST = 60
_SHORT = 6


@lru_cache(2048)
def may_be_misread(read: str, printed: str) -> bool:
    """Whether a folded word becomes another by few confusions of letters that look alike.

    A lost accent is none of them: "wurden" and "würden" are two words, and so are most such pairs.
    """
    if max(len(read), len(printed)) > _LONGEST or abs(len(read) - len(printed)) > 4:
        return False
    most = 1 + min(len(read), len(printed)) // 4
    return _becomes(printed, read, most)


def look_alike(one: str, other: str) -> bool:
    """Whether two words are likely the same one, badly read or badly typed; no proof of it."""
    if len(one) == len(other) > 2:
        return sum(a != b for a, b in zip(one, other, strict=True)) <= (2 if len(one) > _SHORT else 1)
    return may_be_misread(one, other) or may_be_misread(other, one)


def _becomes(printed: str, read: str, most: int) -> bool:
    """Whether `most` confusions are enough; `reached` holds the fewest for each pair of places."""
    reached = {(0, 0): 0}
    todo = [(0, 0)]
    while todo:
        i, j = todo.pop()
        used = reached[i, j]
        if i == len(printed) and j == len(read):
            return True
        steps = []
        if i < len(printed) and j < len(read) and printed[i] == read[j]:
            steps.append((i + 1, j + 1, used))
        if used < most:
            for a, b in _CONFUSED.get(printed[i : i + 1], ()):
                if printed.startswith(a, i) and read.startswith(b, j):
                    steps.append((i + len(a), j + len(b), used + 1))
        for k, m, cost in steps:
            if cost < reached.get((k, m), most + 1):
                reached[k, m] = cost
                todo.append((k, m))
    return False
