"""English and German prose about old trade, made from words and sentence patterns by a seeded chance."""

from __future__ import annotations

import random
import re
from collections.abc import Mapping

from tests.papers.words import ENGLISH, ENGLISH_SENTENCES, GERMAN, GERMAN_SENTENCES, NAMES, PLACES

_SLOT = re.compile(r"\{(\w+)\}")


class Author:
    """Writes sentences, headings, captions and references in one language, never the same heading twice."""

    def __init__(self, language: str, seed: int) -> None:
        self.language = language
        self.chance = random.Random(f"{language}-{seed}")
        self._words: Mapping[str, tuple[str, ...]] = ENGLISH if language == "en" else GERMAN
        self._patterns = ENGLISH_SENTENCES if language == "en" else GERMAN_SENTENCES
        self._waiting: list[str] = []
        self._said: set[str] = set()

    def sentence(self) -> str:
        """A sentence that was not written before."""
        while True:
            if not self._waiting:  # every pattern has its turn before one comes again
                self._waiting = self.chance.sample(self._patterns, len(self._patterns))
            text = self._filled(self._waiting.pop())
            if text not in self._said:
                self._said.add(text)
                return _capital(text)

    def paragraph(self, least: int = 3, most: int = 8) -> list[str]:
        """The sentences of a paragraph."""
        return [self.sentence() for _ in range(self.chance.randint(least, most))]

    def heading(self, long: bool = False) -> str:
        """A heading that was not used before."""
        pattern = "long_heading" if long else "heading"
        while True:
            text = _capital(self._filled(self.chance.choice(self._words[pattern])))
            if text not in self._said:
                self._said.add(text)
                return text

    def title(self) -> str:
        """The title of a paper."""
        return _capital(self._filled(self.chance.choice(self._words["title"])))

    def names(self, count: int) -> list[str]:
        """Authors, given name first."""
        givens = self.chance.sample(self._words["given"], count)
        return [f"{given} {family}" for given, family in zip(givens, self.chance.sample(NAMES, count), strict=True)]

    def affiliation(self) -> str:
        """Where an author works."""
        return self._filled(self._words["affiliation"][0])

    def caption(self, what: str, number: int) -> str:
        """The caption of a table or figure."""
        return f"{self._words[what][0]} {number}. {self._filled(self.chance.choice(self._words['caption']))}"

    def note(self) -> str:
        """A footnote."""
        return self._filled(self.chance.choice(self._words["note"]))

    def reference(self) -> str:
        """An entry of the list of references."""
        return self._filled(self.chance.choice(self._words["reference"]))

    def table(self, rows: int) -> tuple[tuple[str, ...], ...]:
        """A table: a row of names, then places with their numbers."""
        head = (self._words["place_column"][0], *self.chance.sample(self._words["goods"], 3))
        places = self.chance.sample(PLACES, rows)
        numbers = ("%d", "%.1f", "%.2f")
        return (
            tuple(cell.capitalize() for cell in head),
            *((place, *(form % self.chance.uniform(11, 940) for form in numbers)) for place in places),
        )

    def axis_words(self) -> tuple[str, str, list[str]]:
        """Names of the two axes and of the bars of a figure."""
        across, up = self._words["axes"]
        first = self.chance.randint(142, 182) * 10
        return across, up, [str(first + 10 * step) for step in range(6)]

    def _filled(self, pattern: str) -> str:
        text = _SLOT.sub(lambda slot: self._choose(slot[1]), pattern)
        return text if _SLOT.search(text) is None else self._filled(text)

    def _choose(self, name: str) -> str:
        chance = self.chance
        if name == "name":
            return chance.choice(NAMES)
        if name == "place":
            return chance.choice(PLACES)
        if name == "year":
            return str(chance.randint(1955, 2023))
        if name == "old_year":
            return str(chance.randint(1405, 1899))
        if name == "count":
            return str(chance.randint(12, 980))
        if name == "share":
            point = "." if self.language == "en" else ","
            return f"{chance.randint(2, 97)}{point}{chance.randint(1, 9)}"
        if name == "page":
            return str(chance.randint(3, 380))
        if name == "pages":
            first = chance.randint(3, 380)
            return f"{first}–{first + chance.randint(2, 40)}"
        if name == "volume":
            return str(chance.randint(2, 88))
        return chance.choice(self._words[name])


def _capital(text: str) -> str:
    return text[0].upper() + text[1:]
