"""Blocks, footnotes and inline markup of line-based formats. Used by the readers of Org, AsciiDoc and Markdown."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import count

from citeloom.evidence.manuscripts.citation_groups import Piece
from citeloom.evidence.manuscripts.prose import Prose
from citeloom.evidence.manuscripts.types import Citation

_MAX_DELIMITER = 100


@dataclass(frozen=True, slots=True)
class Block:
    """A paragraph, heading, list item or table row; its characters have the same offsets as in the manuscript."""

    start: int
    text: str
    quote: bool
    note: str | None = None  # the footnote that it is part of


class Lines:
    """Iterates over the lines of a manuscript with their offsets; can skip to a later delimiter line."""

    def __init__(self, text: str) -> None:
        self.number = -1  # of the current line
        self._lines: list[tuple[int, str]] = []
        self._places: dict[str, list[int]] = defaultdict(list)
        start = 0
        for number, line in enumerate(text.split("\n")):
            self._lines.append((start, line))
            start += len(line) + 1
            if len(line) <= _MAX_DELIMITER and (content := line.strip().lower()):
                self._places[content].append(number)

    def __iter__(self) -> Iterator[tuple[int, str]]:
        while self.number + 1 < len(self._lines):
            self.number += 1
            yield self._lines[self.number]

    def next(self, content: str) -> int | None:
        """Return the number of the next line with only this content; None if there is none."""
        places = self._places.get(content.lower(), [])
        found = bisect_right(places, self.number)
        return places[found] if found < len(places) else None

    def skip_to(self, content: str) -> bool:
        """Continue after the next line with only this content; return whether there is one."""
        found = self.next(content)
        if found is not None:
            self.number = found
        return found is not None


class Collector:
    """Combines lines to blocks; blanks replace the markup at the start of a line."""

    def __init__(self) -> None:
        self.blocks: list[Block] = []
        self.note: str | None = None
        self.quote = False  # whether the open block is quoted
        self._parts: list[str] = []
        self._start = 0
        self._next = 0  # where the next line of the block begins if none is skipped

    @property
    def is_empty(self) -> bool:
        """Whether no block is open."""
        return not self._parts

    def add(self, start: int, line: str, prefix: int = 0, *, quote: bool = False) -> None:
        """Add a line to the block; `quote` is taken from the first line."""
        if not self._parts:
            self._start, self.quote = start, quote
        else:  # a comment or a formula may separate two lines of a paragraph
            self._parts.append(" " * (start - self._next))
        self._parts.append(" " * prefix + line[prefix:] + "\n")
        self._next = start + len(line) + 1

    def begin(self, start: int, line: str, prefix: int, *, quote: bool = False) -> None:
        """End the block and begin another one with a line."""
        self.end()
        self.add(start, line, prefix, quote=quote)

    def add_single(self, start: int, line: str, prefix: int, *, quote: bool = False) -> None:
        """End the block and add a line that is a block of its own."""
        self.begin(start, line, prefix, quote=quote)
        self.end()

    def end(self) -> None:
        """End the block."""
        if self._parts:
            self.blocks.append(Block(self._start, "".join(self._parts), self.quote, self.note))
            self._parts = []


class BlockReader(ABC):
    """Converts blocks to prose; a footnote is read at its first reference."""

    def __init__(self, blocks: Iterable[Block]) -> None:
        self.prose = Prose()
        self.groups = count()
        self._blocks = list(blocks)
        self._notes: dict[str, list[Block]] = defaultdict(list)

    @abstractmethod
    def inline(self, text: str, start: int, *, in_note: bool) -> None:
        """Add the text of a block to the prose."""

    def read(self) -> Prose:
        """Return the prose of all blocks."""
        for block in self._blocks:
            if block.note:
                self._notes[block.note].append(block)
        for block in self._blocks:
            if not block.note:
                self.inline(block.text, block.start, in_note=False)
                self.prose.end_paragraph(block_quote=block.quote)
        for name in list(self._notes):
            self.note(name, in_note=False)
            self.prose.end_paragraph()
        return self.prose.finish()

    def note(self, name: str, *, in_note: bool) -> None:
        """Read a footnote at its first reference; one referenced by another note is read at the end."""
        if in_note or name not in self._notes:
            return
        self.prose.open_note()
        for block in self._notes.pop(name):
            self.inline(block.text, block.start, in_note=True)
            self.prose.end_paragraph(block_quote=block.quote)
        self.prose.close_note()

    def inline_note(self, text: str, start: int, *, in_note: bool) -> None:
        """Read an inline footnote."""
        if not in_note:
            self.prose.open_note()
        self.inline(text, start, in_note=True)
        if not in_note:
            self.prose.close_note()


class PatternReader(BlockReader):
    """Reads blocks in which one pattern finds all inline markup; its group `inside` is an inline footnote."""

    markup: re.Pattern[str]

    @abstractmethod
    def citations(self, piece: Piece, found: re.Match[str]) -> Sequence[Citation]:
        """Return the citations of some markup; none if it is not a citation."""

    @abstractmethod
    def other(self, found: re.Match[str], start: int, *, in_note: bool) -> None:
        """Add what is prose of any other markup, in a block at `start`."""

    def inline(self, text: str, start: int, *, in_note: bool) -> None:
        """Add the text of a block to the prose, without its markup."""
        position = 0
        piece = Piece(text, start)
        for found in self.markup.finditer(text):
            self.prose.add(text[position : found.start()], start + position)
            position = found.end()
            if found["inside"] is not None:
                self.inline_note(found["inside"], start + found.start("inside"), in_note=in_note)
            elif cited := self.citations(piece, found):
                self.prose.cite(tuple(cited), start + found.start())
            else:
                self.other(found, start, in_note=in_note)
        self.prose.add(text[position:], start + position)

    def keep(self, found: re.Match[str], start: int, *names: str) -> None:
        """Add the text of these groups of the pattern to the prose."""
        for name in names:
            if found[name]:
                self.prose.add(found[name], start + found.start(name))
