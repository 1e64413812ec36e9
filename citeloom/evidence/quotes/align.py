"""Aligns the words of a quotation with those of a work: patience diff, then longest common subsequence."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from itertools import pairwise

Pairs = list[tuple[int, int]]
_CELLS = 6_000  # of a table that is filled in whole; larger gaps are divided first
_SLACK = 8  # words more than the quotation has, at its ends


def align(quote: Sequence[int], work: Sequence[int]) -> Pairs:
    """Equal words in the same order in both, as many as can be; the work's first and last words may be left over."""
    pairs: Pairs = []
    anchors = _anchors(quote, work, 0, len(quote), 0, len(work))
    if not anchors:
        return _table(quote, work) if len(quote) * len(work) <= 4 * _CELLS else _in_step(quote, work, 0, 0)
    first_quote, first_work = anchors[0]
    low = max(0, first_work - first_quote - _SLACK)
    before = _table(quote[:first_quote][::-1], work[low:first_work][::-1])
    pairs += [(first_quote - 1 - i, first_work - 1 - j) for i, j in reversed(before)]
    for (i, j), (k, m) in pairwise(anchors):
        pairs.append((i, j))
        _between(quote, work, i + 1, k, j + 1, m, pairs)
    i, j = anchors[-1]
    pairs.append((i, j))
    rest = len(quote) - i - 1
    pairs += [(i + 1 + k, j + 1 + m) for k, m in _table(quote[i + 1 :], work[j + 1 : j + 1 + rest + _SLACK])]
    return pairs


def _between(quote: Sequence[int], work: Sequence[int], i: int, k: int, j: int, m: int, pairs: Pairs) -> None:
    """The pairs within two stretches that both end where an anchor is."""
    while i < k and j < m and quote[i] == work[j]:
        pairs.append((i, j))
        i, j = i + 1, j + 1
    tail: Pairs = []
    while i < k and j < m and quote[k - 1] == work[m - 1]:
        k, m = k - 1, m - 1
        tail.append((k, m))
    if i < k and j < m:
        if (k - i) * (m - j) <= _CELLS:
            pairs += [(i + a, j + b) for a, b in _table(quote[i:k], work[j:m])]
        elif anchors := _anchors(quote, work, i, k, j, m):
            for a, b in anchors:
                _between(quote, work, i, a, j, b, pairs)
                pairs.append((a, b))
                i, j = a + 1, b + 1
            _between(quote, work, i, k, j, m, pairs)
        else:
            pairs += _in_step(quote[i:k], work[j:m], i, j)
    pairs += reversed(tail)


def _anchors(quote: Sequence[int], work: Sequence[int], i: int, k: int, j: int, m: int) -> Pairs:
    """Words that stand once in each stretch, the longest row of them that has the same order in both."""
    once = _once(work, j, m)
    found = sorted((a, once[word]) for word, a in _once(quote, i, k).items() if word in once)
    # The longest increasing row, by patience sorting.
    tops: list[int] = []
    piles: list[int] = []
    before: list[int] = []
    for number, (_, b) in enumerate(found):
        pile = bisect_left(tops, b)
        before.append(piles[pile - 1] if pile else -1)
        if pile == len(tops):
            tops.append(b)
            piles.append(number)
        else:
            tops[pile], piles[pile] = b, number
    row: Pairs = []
    number = piles[-1] if piles else -1
    while number >= 0:
        row.append(found[number])
        number = before[number]
    return row[::-1]


def _once(words: Sequence[int], low: int, high: int) -> dict[int, int]:
    where: dict[int, int] = {}
    for at in range(low, high):
        where[words[at]] = -1 if words[at] in where else at
    return {word: at for word, at in where.items() if at >= 0}


def _table(quote: Sequence[int], work: Sequence[int]) -> Pairs:
    """The longest common row of words, as near to the beginning as can be."""
    if not quote or not work:
        return []
    if len(quote) * len(work) > 4 * _CELLS:
        return _in_step(quote, work, 0, 0)
    width = len(work) + 1
    rows = [[0] * width]
    for word in reversed(quote):
        below, row = rows[-1], [0] * width
        best = 0
        for j in range(len(work) - 1, -1, -1):
            if work[j] == word:
                best = below[j + 1] + 1
            else:
                best = max(best, below[j])
            row[j] = best
        rows.append(row)
    rows.reverse()
    pairs: Pairs = []
    i = j = 0
    while i < len(quote) and j < len(work):
        if quote[i] == work[j]:
            pairs.append((i, j))
            i, j = i + 1, j + 1
        elif rows[i + 1][j] >= rows[i][j + 1]:
            i += 1
        else:
            j += 1
    return pairs


def _in_step(quote: Sequence[int], work: Sequence[int], i: int, j: int) -> Pairs:
    """Words that are equal at the same place: for stretches too long and too monotonous for anything better."""
    return [(i + n, j + n) for n, (a, b) in enumerate(zip(quote, work, strict=False)) if a == b]
