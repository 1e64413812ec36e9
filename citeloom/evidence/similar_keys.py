"""Finds citekeys similar to an unknown one. Used by `works`, `check` and `export` for suggestions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from difflib import SequenceMatcher

_MAX_COMPARED = 30  # candidates compared letter by letter; the others share fewer trigrams
_MIN_SIMILARITY = 0.5
_MIN_SHARE_OF_BEST = 0.75  # of the best candidate's similarity
_MAX_LENGTH = 200


class SimilarKeys:
    """Trigram index of citekeys."""

    def __init__(self, keys: Iterable[str]) -> None:
        self._keys = sorted(set(filter(None, keys)))
        self._by_trigram: dict[str, list[int]] = {}
        for number, key in enumerate(self._keys):
            for trigram in _trigrams(key):
                self._by_trigram.setdefault(trigram, []).append(number)

    def similar(self, key: str, limit: int = 3) -> list[str]:
        """Return the most similar citekeys, best first."""
        trigrams = _trigrams(key)
        shared: Counter[int] = Counter()
        for trigram in trigrams:
            shared.update(self._by_trigram.get(trigram, ()))
        scored = []
        for number, count in shared.most_common(_MAX_COMPARED):
            candidate = self._keys[number]
            # A short key may be the beginning of a long one, so the overlap is relative to the shorter.
            overlap = count / max(1, min(len(trigrams), len(_trigrams(candidate))))
            ratio = SequenceMatcher(None, key[:_MAX_LENGTH].casefold(), candidate[:_MAX_LENGTH].casefold()).ratio()
            if max(overlap, ratio) >= _MIN_SIMILARITY:
                scored.append((-(overlap + ratio), candidate))
        scored.sort()
        return [candidate for score, candidate in scored[:limit] if score <= scored[0][0] * _MIN_SHARE_OF_BEST]


def _trigrams(key: str) -> set[str]:
    padded = f"  {key[:_MAX_LENGTH].casefold()} "
    return {padded[at : at + 3] for at in range(len(padded) - 2)}
