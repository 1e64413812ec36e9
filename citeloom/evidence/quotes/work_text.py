"""Word index of the text of a work, for fast lookup of quotations. Cached by `evidence.verify`."""

from __future__ import annotations

import sys
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from citeloom.core.types import OUTSIDE_BODY_TEXT, Block, BlockKind, Converted, TextSource
from citeloom.evidence.quotes import tokens

# Blocks beside the running text: they must not separate the two halves of a paragraph.
_SEPARATE_KINDS = OUTSIDE_BODY_TEXT | {BlockKind.TABLE}
_MAX_CANDIDATES = 20_000  # occurrences that are checked: very short strings occur too often
_PIECE_SEPARATOR = "\n"  # in `letters`; no word contains it, so nothing is found across pieces


@dataclass(frozen=True, slots=True)
class TextOrigin:
    """The page, section and source of a part of the text."""

    start: int  # offset in the text
    page: int | None
    section_path: tuple[str, ...]
    text_source: TextSource
    ocr_confidence: float | None
    aside: bool
    opens: bool  # whether a paragraph begins here


class WorkText:
    """A work's words in pieces: the running text is one, each caption, note, table, figure and margin another."""

    def __init__(self, converted: Converted) -> None:
        blocks, pages = converted.blocks, converted.pages
        self.pages = {page.number: replace(page, text="", margin=()) for page in pages}  # the pieces have their text
        self.printed = any(page.printed or page.pdf_label for page in pages)
        self.origins: list[TextOrigin] = []
        self.starts, self.ends = array("I"), array("I")  # of each word, in the text
        self.ids = array("I")  # of each word, in the vocabulary
        self.letter_starts = array("I")  # of each word, in `letters`
        self.pieces = array("I", [0])  # first word of each piece
        self.vocabulary: dict[str, int] = {_PIECE_SEPARATOR: 0}
        self._texts: list[str] = []
        self._letters: list[str] = []
        self._length = 0
        self._letters_length = 0
        self._folded: dict[str, tuple[str, int]] = {}
        running = [block for block in blocks if block.kind not in _SEPARATE_KINDS]
        self._add_piece(running, aside=False)
        for block in blocks:
            if block.kind in _SEPARATE_KINDS:
                self._add_piece([block], aside=block.kind in OUTSIDE_BODY_TEXT)
        for page in pages:
            for line in page.margin:
                source, confidence = page.text_source, page.ocr_confidence
                block = Block(BlockKind.TEXT, line, page=page.number, text_source=source, ocr_confidence=confidence)
                self._add_piece([block], aside=True)
        self.text = "".join(self._texts)
        self.letters = "".join(self._letters)  # all folded words, without spaces
        del self._texts, self._letters, self._folded
        self._index()

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
            self._add_word(self._length, self._length, _PIECE_SEPARATOR, 0)
            self.pieces.append(len(self.ids))

    def _add_words(self, text: str) -> None:
        offset, folded = self._length, self._folded
        for start, end in tokens.spans(text):
            word = text[start:end]
            entry = folded.get(word)
            if entry is None:
                fold = tokens.fold(word)
                entry = folded[word] = (fold, self.vocabulary.setdefault(fold, len(self.vocabulary)))
            self._add_word(offset + start, offset + end, *entry)
        self._texts.append(text)
        self._length += len(text)

    def _add_word(self, start: int, end: int, fold: str, number: int) -> None:
        self.starts.append(start)
        self.ends.append(end)
        self.ids.append(number)
        self.letter_starts.append(self._letters_length)
        self._letters.append(fold)
        self._letters_length += len(fold)

    def _index(self) -> None:
        """Index the positions of each word of the vocabulary: `_positions[_offsets[id]:_offsets[id + 1]]`."""
        counts = [0] * (len(self.vocabulary) + 1)
        for number in self.ids:
            counts[number + 1] += 1
        for number in range(1, len(counts)):
            counts[number] += counts[number - 1]
        self._offsets = array("I", counts)
        self._positions = array("I", bytes(4 * len(self.ids)))
        for position, number in enumerate(self.ids):
            self._positions[counts[number]] = position
            counts[number] += 1
        self._origin_starts = array("I", (origin.start for origin in self.origins))

    @property
    def size(self) -> int:
        """Approximate size in bytes."""
        arrays = [value for value in vars(self).values() if isinstance(value, array)]
        fixed = sum(len(a) * a.itemsize for a in arrays) + sys.getsizeof(self.text) + sys.getsizeof(self.letters)
        vocabulary = sys.getsizeof(self.vocabulary) + 90 * len(self.vocabulary)
        return fixed + vocabulary + 200 * (len(self.origins) + len(self.pages))

    def positions(self, word: str) -> array[int]:
        """Return every position of a folded word."""
        number = self.vocabulary.get(word)
        return array("I") if number is None else self._positions[self._offsets[number] : self._offsets[number + 1]]

    def count(self, word: str) -> int:
        """Return how often a folded word occurs."""
        number = self.vocabulary.get(word)
        return 0 if number is None else self._offsets[number + 1] - self._offsets[number]

    def find(self, letters: str) -> Iterator[tuple[int, int]]:
        """Yield every range of whole words with exactly these letters, half-open."""
        found = self.letters.find(letters)
        for _ in range(_MAX_CANDIDATES):
            if found < 0:
                return
            end = found + len(letters)
            first, stop = bisect_left(self.letter_starts, found), bisect_left(self.letter_starts, end)
            # A separator ends the last word too.
            whole = self.letter_starts[first] == found and self.letter_starts[stop] == end
            if whole:
                yield first, stop
            found = self.letters.find(letters, end if whole else found + 1)

    def piece(self, word: int) -> tuple[int, int]:
        """Return the range of the piece that a word belongs to, half-open."""
        number = bisect_right(self.pieces, word)
        return self.pieces[number - 1], self.pieces[number] - 1

    def origin(self, word: int) -> TextOrigin:
        """Return the page, section and source of a word."""
        return self.origins[bisect_right(self._origin_starts, self.starts[word]) - 1]

    def paragraph(self, first: int, stop: int) -> tuple[int, int]:
        """Return the span in the text of the paragraphs that contain these words."""
        low = bisect_right(self._origin_starts, self.starts[first]) - 1
        high = bisect_right(self._origin_starts, self.starts[stop - 1])
        while low > 0 and not self.origins[low].opens:
            low -= 1
        while high < len(self.origins) and not self.origins[high].opens:
            high += 1
        return self.origins[low].start, self.origins[high].start if high < len(self.origins) else len(self.text)

    def fold(self, word: int) -> str:
        """Return a word as normalized for comparison."""
        return self.letters[self.letter_starts[word] : self.letter_starts[word + 1]]

    def raw(self, first: int, stop: int) -> str:
        """Return the original text of these words."""
        return self.text[self.starts[first] : self.ends[stop - 1]] if stop > first else ""

    def gap(self, before: int) -> str:
        """Return the text between a word and the previous one."""
        return self.text[self.ends[before - 1] : self.starts[before]] if before else self.text[: self.starts[0]]
