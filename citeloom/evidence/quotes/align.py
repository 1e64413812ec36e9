"""Aligns the words of a quotation with those of a work: patience diff, then longest common subsequence."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from itertools import pairwise

Pairs = list[tuple[int, int]]
_MAX_CELLS = 6_000  # of a table that is computed in full; larger gaps are divided at anchors first
_SLACK = 8  # extra words of the work that are compared at either end of the quotation


def align(quote: Sequence[int], work: Sequence[int]) -> Pairs:
    """Return as many pairs of equal words in the same order as possible; the work may be longer at both ends."""
    pairs: Pairs = []
    anchors = _anchors(quote, work, 0, len(quote), 0, len(work))
    if not anchors:
        return _lcs(quote, work)
    first_quote, first_work = anchors[0]
    low = max(0, first_work - first_quote - _SLACK)
    before = _lcs(quote[:first_quote][::-1], work[low:first_work][::-1])
    pairs += [(first_quote - 1 - i, first_work - 1 - j) for i, j in reversed(before)]
    for (i, j), (k, m) in pairwise(anchors):
        pairs.append((i, j))
        _between(quote, work, i + 1, k, j + 1, m, pairs)
    i, j = anchors[-1]
    pairs.append((i, j))
    rest = len(quote) - i - 1
    pairs += [(i + 1 + k, j + 1 + m) for k, m in _lcs(quote[i + 1 :], work[j + 1 : j + 1 + rest + _SLACK])]
    return pairs


def _between(quote: Sequence[int], work: Sequence[int], i: int, k: int, j: int, m: int, pairs: Pairs) -> None:
    """Append the pairs between two anchors."""
    while i < k and j < m and quote[i] == work[j]:
        pairs.append((i, j))
        i, j = i + 1, j + 1
    tail: Pairs = []
    while i < k and j < m and quote[k - 1] == work[m - 1]:
        k, m = k - 1, m - 1
        tail.append((k, m))
    if i < k and j < m:
        if (k - i) * (m - j) <= _MAX_CELLS:
            pairs += [(i + a, j + b) for a, b in _lcs(quote[i:k], work[j:m])]
        elif anchors := _anchors(quote, work, i, k, j, m):
            for a, b in anchors:
                _between(quote, work, i, a, j, b, pairs)
                pairs.append((a, b))
                i, j = a + 1, b + 1
            _between(quote, work, i, k, j, m, pairs)
        else:
            pairs += _same_positions(quote[i:k], work[j:m], i, j)
    pairs += reversed(tail)


def _anchors(quote: Sequence[int], work: Sequence[int], i: int, k: int, j: int, m: int) -> Pairs:
    """Return the words that occur once in each range: the longest sequence with the same order in both."""
    in_work = _unique_positions(work, j, m)
    found = sorted((a, in_work[word]) for word, a in _unique_positions(quote, i, k).items() if word in in_work)
    # Longest increasing subsequence, by patience sorting.
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


def _unique_positions(words: Sequence[int], low: int, high: int) -> dict[int, int]:
    positions: dict[int, int] = {}
    for at in range(low, high):
        positions[words[at]] = -1 if words[at] in positions else at
    return {word: at for word, at in positions.items() if at >= 0}


def _lcs(quote: Sequence[int], work: Sequence[int]) -> Pairs:
    """Return the longest common subsequence, as near to the beginning as possible; `_same_positions` if too large."""
    if not quote or not work:
        return []
    if len(quote) * len(work) > 4 * _MAX_CELLS:
        return _same_positions(quote, work, 0, 0)
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


def _same_positions(quote: Sequence[int], work: Sequence[int], i: int, j: int) -> Pairs:
    """Return the words that are equal at the same position: for long ranges with no unique words."""
    return [(i + n, j + n) for n, (a, b) in enumerate(zip(quote, work, strict=False)) if a == b]
