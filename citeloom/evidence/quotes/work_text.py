"""The text of a work, indexed by words so that quotations are looked up quickly. Cached by `evidence.verify`."""

from __future__ import annotations

import sys
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from citeloom.core.types import ASIDE, Block, BlockKind, Converted, Page, TextSource
from citeloom.evidence.quotes import tokens

# What floats beside the running text: it must not stand between the two halves of a paragraph.
_APART = ASIDE | {BlockKind.TABLE}
_MAX_LOOKED_AT = 20_000  # of few letters there are too many to look at each
_BETWEEN_PIECES = "\n"  # in `letters`; no word holds it, so nothing is found across pieces


@dataclass(frozen=True, slots=True)
class TextOrigin:
    """The page, section and source of a stretch of the text."""

    start: int  # in the text
    page: int | None
    section_path: tuple[str, ...]
    text_source: TextSource
    ocr_confidence: float | None
    aside: bool
    opens: bool  # a paragraph begins with it


class WorkText:
    """A work as words: the running text as one piece, each caption, note, table, figure and margin as another."""

    def __init__(self, blocks: Sequence[Block], pages: Sequence[Page]) -> None:
        self.pages = {page.number: replace(page, text="", margin=()) for page in pages}  # their text is in the pieces
        self.printed = any(page.printed or page.pdf_label for page in pages)
        self.origins: list[TextOrigin] = []
        self.starts, self.ends = array("I"), array("I")  # of each word, in the text
        self.ids = array("I")  # of each word, in the vocabulary
        self.at = array("I")  # of each word, in `letters`
        self.pieces = array("I", [0])  # the word each piece begins with
        self.vocabulary: dict[str, int] = {_BETWEEN_PIECES: 0}
        self._texts: list[str] = []
        self._letters: list[str] = []
        self._length = 0
        self._letters_length = 0
        self._folded: dict[str, tuple[str, int]] = {}
        running = [block for block in blocks if block.kind not in _APART]
        self._add_piece(running, aside=False)
        for block in blocks:
            if block.kind in _APART:
                self._add_piece([block], aside=block.kind in ASIDE)
        for page in pages:
            for line in page.margin:
                source, sure = page.text_source, page.ocr_confidence
                own = Block(BlockKind.TEXT, line, page=page.number, text_source=source, ocr_confidence=sure)
                self._add_piece([own], aside=True)
        self.text = "".join(self._texts)
        self.letters = "".join(self._letters)  # all folded words without a space between them
        del self._texts, self._letters, self._folded
        self._index()

    @classmethod
    def of(cls, converted: Converted) -> WorkText:
        """Prepare a converted document."""
        return cls(converted.blocks, converted.pages)

    def _add_piece(self, blocks: Sequence[Block], *, aside: bool) -> None:
        for number, block in enumerate(blocks):
            opens = not block.continues or not number
            if self._length:
                glue = "\n\n" if opens else " "
                self._texts.append(glue)
                self._length += len(glue)
            self.origins.append(
                TextOrigin(
                    self._length,
                    block.page,
                    block.section_path,
                    block.text_source,
                    block.ocr_confidence,
                    aside,
                    opens,
                )
            )
            self._add_words(block.text)
        if len(self.ids) > self.pieces[-1]:
            self._add_word(self._length, self._length, _BETWEEN_PIECES, 0)
            self.pieces.append(len(self.ids))

    def _add_words(self, text: str) -> None:
        offset, folded = self._length, self._folded
        for start, end in tokens.spans(text):
            word = text[start:end]
            known = folded.get(word)
            if known is None:
                fold = tokens.fold(word)
                known = folded[word] = (fold, self.vocabulary.setdefault(fold, len(self.vocabulary)))
            self._add_word(offset + start, offset + end, *known)
        self._texts.append(text)
        self._length += len(text)

    def _add_word(self, start: int, end: int, fold: str, number: int) -> None:
        self.starts.append(start)
        self.ends.append(end)
        self.ids.append(number)
        self.at.append(self._letters_length)
        self._letters.append(fold)
        self._letters_length += len(fold)

    def _index(self) -> None:
        """Where each word of the vocabulary stands: `_standing[_first[id]:_first[id + 1]]`."""
        counts = [0] * (len(self.vocabulary) + 1)
        for number in self.ids:
            counts[number + 1] += 1
        for number in range(1, len(counts)):
            counts[number] += counts[number - 1]
        self._first = array("I", counts)
        self._standing = array("I", bytes(4 * len(self.ids)))
        for position, number in enumerate(self.ids):
            self._standing[counts[number]] = position
            counts[number] += 1
        self._origin_starts = array("I", (origin.start for origin in self.origins))

    @property
    def size(self) -> int:
        """About how many bytes it takes."""
        arrays = (self.starts, self.ends, self.ids, self.at, self._first, self._standing, self._origin_starts)
        fixed = sum(len(a) * a.itemsize for a in arrays) + sys.getsizeof(self.text) + sys.getsizeof(self.letters)
        vocabulary = sys.getsizeof(self.vocabulary) + 90 * len(self.vocabulary)
        return fixed + vocabulary + 200 * (len(self.origins) + len(self.pages))

    def standing(self, word: str) -> array[int]:
        """Every position at which a folded word stands."""
        number = self.vocabulary.get(word)
        return array("I") if number is None else self._standing[self._first[number] : self._first[number + 1]]

    def count(self, word: str) -> int:
        """How often a folded word stands in the work."""
        number = self.vocabulary.get(word)
        return 0 if number is None else self._first[number + 1] - self._first[number]

    def find(self, letters: str) -> Iterator[tuple[int, int]]:
        """Every stretch of whole words with exactly these letters, from its first word up to behind its last."""
        found = self.letters.find(letters)
        for _ in range(_MAX_LOOKED_AT):
            if found < 0:
                return
            first = bisect_left(self.at, found)
            behind = bisect_left(self.at, found + len(letters))
            whole = self.at[first] == found and self.at[behind] == found + len(letters)  # a separator is behind it
            if whole:
                yield first, behind
            found = self.letters.find(letters, found + (len(letters) if whole else 1))

    def piece(self, word: int) -> tuple[int, int]:
        """The piece a word belongs to, from its first word up to behind its last."""
        number = bisect_right(self.pieces, word)
        return self.pieces[number - 1], self.pieces[number] - 1

    def origin(self, word: int) -> TextOrigin:
        """The page, section and source of a word."""
        return self.origins[bisect_right(self._origin_starts, self.starts[word]) - 1]

    def paragraph(self, first: int, behind: int) -> tuple[int, int]:
        """The span in the text of the paragraphs that hold these words."""
        low = bisect_right(self._origin_starts, self.starts[first]) - 1
        high = bisect_right(self._origin_starts, self.starts[behind - 1])
        while low > 0 and not self.origins[low].opens:
            low -= 1
        while high < len(self.origins) and not self.origins[high].opens:
            high += 1
        return self.origins[low].start, self.origins[high].start if high < len(self.origins) else len(self.text)

    def fold(self, word: int) -> str:
        """A word as it is compared."""
        return self.letters[self.at[word] : self.at[word + 1]]

    def raw(self, first: int, behind: int) -> str:
        """The text of these words as it stands."""
        return self.text[self.starts[first] : self.ends[behind - 1]] if behind > first else ""

    def gap(self, before: int) -> str:
        """What stands between a word and the one before it."""
        return self.text[self.ends[before - 1] : self.starts[before]] if before else self.text[: self.starts[0]]
