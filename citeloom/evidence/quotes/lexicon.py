"""A vocabulary that tells words of a language from misread ones. Used by `judge`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

_SHORTEST = 4  # letters: shorter entries of a list are often abbreviations
_SEEN = 3  # words in which a trigram must stand to count as one of the language


class Lexicon:
    """Judges words by a list, and by the letters that stand together in it."""

    def __init__(self, words: Iterable[str]) -> None:
        self._words = frozenset(words)
        counts = Counter(three for word in self._words if len(word) >= _SHORTEST for three in _trigrams(word))
        self._trigrams = frozenset(three for three, count in counts.items() if count >= _SEEN)

    def has(self, word: str) -> bool:
        """Whether the list has a word."""
        return word in self._words

    def could_have(self, word: str) -> bool:
        """Whether a word looks like one of the language: "modem" does, "tbe" and "rnodern" do not."""
        return _trigrams(word) <= self._trigrams


def _trigrams(word: str) -> set[str]:
    padded = f" {word} "
    return {padded[at : at + 3] for at in range(len(padded) - 2)}
