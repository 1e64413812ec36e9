"""Vocabulary that distinguishes the words of a language from misread ones. Used by `judge`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

_MIN_LETTERS = 4  # letters: shorter entries of a list are often abbreviations
_MIN_WORDS = 3  # that must contain a trigram for it to count as one of the language


class Lexicon:
    """A word list and its letter trigrams."""

    def __init__(self, words: Iterable[str]) -> None:
        self._words = frozenset(words)
        counts = Counter(trigram for word in self._words if len(word) >= _MIN_LETTERS for trigram in trigrams(word))
        self._trigrams = frozenset(trigram for trigram, count in counts.items() if count >= _MIN_WORDS)

    def has(self, word: str) -> bool:
        """Whether a word is in the list."""
        return word in self._words

    def could_have(self, word: str) -> bool:
        """Whether a word looks like one of the language: "modem" does, "tbe" and "rnodern" do not."""
        return trigrams(word) <= self._trigrams


def trigrams(word: str) -> set[str]:
    """Return the sequences of three letters in a word, with a space before and after it."""
    padded = f" {word} "
    return {padded[at : at + 3] for at in range(len(padded) - 2)}
