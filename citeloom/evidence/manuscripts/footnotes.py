"""Collects prose with footnotes: notes follow their paragraph, and their citations may belong to the sentence.

Used by the readers of all formats.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from citeloom.evidence.manuscripts.prose import MARK, Prose
from citeloom.evidence.manuscripts.types import Citation

# “See” or “quoted after”: with more words than this besides its citations, a note has prose of its own.
_MAX_WORDS = 4
_MAX_LETTERS = 50
_QUOTATION_MARKS = frozenset('“”„«»‹›‘"')
_ENDS_A_CLAUSE = re.compile(r"\s*+(?:[.;,:!?)\]]*+\s*+\Z|[.;]\s)")


@dataclass(frozen=True, slots=True)
class _Text:
    text: str
    at: int
    verbatim: bool


@dataclass(frozen=True, slots=True)
class _Group:
    citations: tuple[Citation, ...]
    at: int


@dataclass(frozen=True, slots=True)
class _End:
    block_quote: bool


_Note = list[_Text | _Group | _End]


class ProseWithNotes:
    """Receives a manuscript in the order of its markup and puts each note after the paragraph that refers to it."""

    def __init__(self) -> None:
        self._prose = Prose()
        self._open: list[_Note] = []
        self._pending: list[_Note] = []
        self._has_text = False  # whether the paragraph has text yet: leading blanks are dropped

    def add(self, text: str, at: int, *, verbatim: bool = True) -> None:
        """Add prose to the open note or to the running text."""
        if self._open:
            self._open[-1].append(_Text(text, at, verbatim))
            return
        if not self._has_text:
            blanks = len(text) - len(text.lstrip())
            text, at = text[blanks:], at + blanks if verbatim else at
            self._has_text = bool(text)
        if text:
            self._prose.add(text, at, verbatim=verbatim)

    def cite(self, citations: tuple[Citation, ...], at: int) -> None:
        """Add a group of citations to the open note or to the running text."""
        if self._open:
            self._open[-1].append(_Group(citations, at))
        else:
            self._prose.cite(citations, at)
            self._has_text = True

    def end_paragraph(self, *, block_quote: bool = False) -> None:
        """End a paragraph of the open note, or of the running text, which its notes then follow."""
        if self._open:
            self._open[-1].append(_End(block_quote))
            return
        self._has_text = False
        self._prose.end_paragraph(block_quote=block_quote)
        notes, self._pending = self._pending, []
        for note in notes:
            self._write([*note, _End(False)])

    def open_note(self) -> None:
        """Begin a note."""
        self._open.append([])

    def close_note(self, *, separate: bool = False) -> None:
        """End a note; its first citations belong to the sentence that refers to it, unless it is `separate`."""
        note = self._open.pop()
        if not separate and not self._open:
            cited = _source_length(note)
            self._write([piece for piece in note[:cited] if isinstance(piece, _Group)])
            note = _rest(note, cited)
        if note:
            self._pending.append(note)

    def include(self, name: str) -> None:
        """Record a file that the manuscript includes."""
        self._prose.included.append(name)

    def finish(self) -> Prose:
        """Return the complete prose."""
        while self._open:
            self.close_note()
        self.end_paragraph()
        return self._prose

    def _write(self, note: _Note) -> None:
        for piece in note:
            if isinstance(piece, _Text):
                self.add(piece.text, piece.at, verbatim=piece.verbatim)
            elif isinstance(piece, _Group):
                self.cite(piece.citations, piece.at)
            else:
                self.end_paragraph(block_quote=piece.block_quote)


def _plain(note: _Note) -> str:
    return "".join(MARK if isinstance(p, _Group) else p.text if isinstance(p, _Text) else "\n" for p in note)


def _is_brief(text: str) -> bool:
    return (
        MARK not in text
        and len(text) <= _MAX_LETTERS
        and len(text.split()) <= _MAX_WORDS
        and _QUOTATION_MARKS.isdisjoint(text)
    )


def _rest(note: _Note, cited: int) -> _Note:
    """Return the prose of a note after the source of the sentence."""
    rest = note[cited:]
    if cited and _is_brief(_plain(rest)):
        return []
    if cited and isinstance(rest[0], _Text):
        first = rest[0]
        text = first.text.lstrip(".; ")
        at = first.at + len(first.text) - len(text) if first.verbatim else first.at
        rest[0] = _Text(text, at, first.verbatim)
    return rest


def _source_length(note: _Note) -> int:
    """Return how many pieces at the start of a note only name the source of the sentence."""
    between = _plain(note).split(MARK)
    count = 0
    while count < len(between) - 1 and _is_brief(between[count]):
        count += 1
    while count:
        after = between[count]
        if _ENDS_A_CLAUSE.match(after) or (count == len(between) - 1 and _is_brief(after)):
            break
        count -= 1
    places = [number for number, piece in enumerate(note) if isinstance(piece, _Group)]
    return places[count - 1] + 1 if count else 0
