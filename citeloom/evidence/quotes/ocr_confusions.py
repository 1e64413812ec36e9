"""Letters that OCR confuses with others. Used by `judge` and `compare`."""

from __future__ import annotations

from functools import lru_cache

# In lower case, since words are case-folded. Each is read as the other …
_EITHER_WAY = (
    "rn m", "nn m", "in m", "ni m", "iii m", "ri n", "ii n", "ii u", "cl d", "ol d", "vv w", "li h", "h b", "tl h",
    "l 1", "l i", "l |", "i 1", "i |", "l !", "i !", "t 1", "0 o", "5 s", "8 b", "6 b", "9 g", "q g", "2 z",
    "e c", "u n", "f s", "ll u",
)  # fmt: skip
# … but a ligature can only lose a letter, not gain one: "inflected" is not a misread "infected".
_LOST = ("ff f", "fi f", "fl f", "fi i", "fl l", "fi h", "fl h", "ff ", "fi ", "fl ", "ffi ", "ffl ", "tt t")
_CONFUSED: dict[str, list[tuple[str, str]]] = {}  # (printed, read) by the first printed letter
for _pair in (*_EITHER_WAY, *_LOST, *(" ".join(reversed(pair.split(" "))) for pair in _EITHER_WAY)):
    _printed, _read = _pair.split(" ")
    _CONFUSED.setdefault(_printed[0], []).append((_printed, _read))
_MAX_LETTERS = 60
_MAX_SHORT = 6


@lru_cache(2048)
def may_be_misread(read: str, printed: str) -> bool:
    """Whether one folded word becomes another by a few confusions of letters that look alike.

    A lost accent does not count: "wurden" and "würden" are two words, and so are most such pairs.
    """
    if max(len(read), len(printed)) > _MAX_LETTERS or abs(len(read) - len(printed)) > 4:
        return False
    limit = 1 + min(len(read), len(printed)) // 4
    return _becomes(printed, read, limit)


def look_alike(one: str, other: str) -> bool:
    """Whether two words are probably the same one, misread or mistyped."""
    if len(one) == len(other) > 2:
        return sum(a != b for a, b in zip(one, other, strict=True)) <= (2 if len(one) > _MAX_SHORT else 1)
    return may_be_misread(one, other) or may_be_misread(other, one)


def _becomes(printed: str, read: str, limit: int) -> bool:
    """Whether `limit` confusions are enough; `reached` holds the fewest for each pair of positions."""
    reached = {(0, 0): 0}
    pending = [(0, 0)]
    while pending:
        i, j = pending.pop()
        used = reached[i, j]
        if i == len(printed) and j == len(read):
            return True
        steps = []
        if i < len(printed) and j < len(read) and printed[i] == read[j]:
            steps.append((i + 1, j + 1, used))
        if used < limit:
            for a, b in _CONFUSED.get(printed[i : i + 1], ()):
                if printed.startswith(a, i) and read.startswith(b, j):
                    steps.append((i + len(a), j + len(b), used + 1))
        for k, m, cost in steps:
            if cost < reached.get((k, m), limit + 1):
                reached[k, m] = cost
                pending.append((k, m))
    return False
