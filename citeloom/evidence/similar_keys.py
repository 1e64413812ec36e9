"""Finds citekeys similar to one that no work has. Called by `works` and `check` for their suggestions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from difflib import SequenceMatcher

_MAX_COMPARED = 30  # letter by letter; the others share fewer trigrams
_MIN_SIMILARITY = 0.5
_MIN_OF_BEST = 0.75  # less similar than this share of the best is not meant
_MAX_LENGTH = 200


class SimilarKeys:
    """An index of citekeys by trigrams, for thousands of them."""

    def __init__(self, keys: Iterable[str]) -> None:
        self._keys = sorted(set(filter(None, keys)))
        self._by_trigram: dict[str, list[int]] = {}
        for number, key in enumerate(self._keys):
            for trigram in _trigrams(key):
                self._by_trigram.setdefault(trigram, []).append(number)

    def similar(self, wanted: str, limit: int = 3) -> list[str]:
        """The most similar citekeys, best first; none where nothing is similar."""
        trigrams = _trigrams(wanted)
        shared: Counter[int] = Counter()
        for trigram in trigrams:
            shared.update(self._by_trigram.get(trigram, ()))
        scored = []
        for number, count in shared.most_common(_MAX_COMPARED):
            key = self._keys[number]
            # A short key may be the beginning of a long one: what counts is how much of the shorter is in the other.
            overlap = count / max(1, min(len(trigrams), len(_trigrams(key))))
            alike = SequenceMatcher(None, wanted[:_MAX_LENGTH].casefold(), key[:_MAX_LENGTH].casefold()).ratio()
            if max(overlap, alike) >= _MIN_SIMILARITY:
                scored.append((-(overlap + alike), key))
        scored.sort()
        return [key for score, key in scored[:limit] if score <= scored[0][0] * _MIN_OF_BEST]


def _trigrams(key: str) -> set[str]:
    padded = f"  {key[:_MAX_LENGTH].casefold()} "
    return {padded[at : at + 3] for at in range(len(padded) - 2)}
