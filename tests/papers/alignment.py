"""Where the words of a converted text stand in the paper it came from."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence

from tests.papers.truth import Truth

_HYPHEN = re.compile(r"(?<=[^\W\d_])[-\u2010\u2011](?=[^\W\d_])")
_RUN = 4  # words in a row that tell a place


def tokens(text: str) -> list[str]:
    """The words of a text for comparing: ligatures spelled out, case and hyphens between letters left aside."""
    text = unicodedata.normalize("NFKC", text.replace("\u00ad", ""))
    return re.findall(r"\w+", _HYPHEN.sub("", text).casefold())


class Places:
    """The words of a paper in reading order, and where a run of words stands among them."""

    def __init__(self, truth: Truth) -> None:
        self.words: list[str] = []
        self.pages: list[tuple[int, ...]] = []
        self.blocks: list[int] = []  # which block of the truth each word belongs to; below 0: a page's margin
        self.on_page: dict[int, Counter[str]] = {page.number: Counter() for page in truth.pages}
        for at, block in enumerate(truth.blocks):
            for word in block.words:
                for token in tokens(word.text):
                    self.words.append(token)
                    self.pages.append(word.pages)
                    self.blocks.append(at)
                    for page in word.pages:
                        self.on_page[page][token] += 1
        for true in truth.pages:
            for token in tokens(" ".join((*true.running, *true.imprint))):
                self.words.append(token)
                self.pages.append((true.number,))
                self.blocks.append(-true.number)
                self.on_page[true.number][token] += 1
        self._runs: dict[tuple[str, ...], list[int]] = defaultdict(list)
        for at in range(len(self.words) - _RUN + 1):
            if self.blocks[at] == self.blocks[at + _RUN - 1]:
                self._runs[tuple(self.words[at : at + _RUN])].append(at)

    def locate(self, words: Sequence[str]) -> list[set[int]]:
        """For each word the places where it stands in a run with its neighbours; empty where none is known."""
        found: list[set[int]] = [set() for _ in words]
        longest = [0] * len(words)
        for start in range(len(words) - _RUN + 1):
            for place in self._runs.get(tuple(words[start : start + _RUN]), ()):
                length = _RUN
                while (
                    start + length < len(words)
                    and place + length < len(self.words)
                    and words[start + length] == self.words[place + length]
                ):
                    length += 1
                # The longest run that holds a word says where it stands; a chance likeness is shorter.
                for offset in range(length):
                    at = start + offset
                    if length > longest[at]:
                        longest[at], found[at] = length, {place + offset}
                    elif length == longest[at]:
                        found[at].add(place + offset)
        return found

    def pages_of(self, places: Iterable[int]) -> set[int]:
        """The pages on which words at these places stand."""
        return {page for place in places for page in self.pages[place]}


def longest_rise(values: Sequence[int]) -> int:
    """How many values remain in order when those out of order are taken out."""
    ends: list[int] = []
    for value in values:
        low, high = 0, len(ends)
        while low < high:
            middle = (low + high) // 2
            low, high = (middle + 1, high) if ends[middle] < value else (low, middle)
        ends[low : low + 1] = [value]
    return len(ends)
