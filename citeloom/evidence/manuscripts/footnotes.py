"""Prose with footnotes: a note does not interrupt its sentence; citations of a note without prose belong to it."""

from __future__ import annotations

import re
from dataclasses import dataclass

from citeloom.evidence.manuscripts.prose import MARK, Prose
from citeloom.evidence.manuscripts.types import Citation

# “See” or “quoted after”: with more words than this beside its citations, a note says something of its own.
_FEW_WORDS = 4
_FEW_LETTERS = 50
_QUOTATION_MARKS = frozenset('“”„«»‹›‘"')
_ENDS_A_CLAUSE = re.compile(r"\s*+(?:[.;,:!?)\]]*+\s*+\Z|[.;]\s)")


@dataclass(frozen=True, slots=True)
class _Words:
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


_Note = list[_Words | _Group | _End]


class ProseWithNotes:
    """Takes a manuscript in the order of its markup and writes its notes after the paragraphs they hang on."""

    def __init__(self) -> None:
        self._prose = Prose()
        self._open: list[_Note] = []
        self._waiting: list[_Note] = []
        self._begun = False  # whether the paragraph has words yet: none begins with a blank, or is nothing else

    def add(self, text: str, at: int, *, verbatim: bool = True) -> None:
        """Prose, in the note that is open or in the running text."""
        if self._open:
            self._open[-1].append(_Words(text, at, verbatim))
            return
        if not self._begun:
            blanks = len(text) - len(text.lstrip())
            text, at = text[blanks:], at + blanks if verbatim else at
            self._begun = bool(text)
        if text:
            self._prose.add(text, at, verbatim=verbatim)

    def cite(self, citations: tuple[Citation, ...], at: int) -> None:
        """A group of citations, in the note that is open or in the running text."""
        if self._open:
            self._open[-1].append(_Group(citations, at))
        else:
            self._prose.cite(citations, at)
            self._begun = True

    def end_paragraph(self, *, block_quote: bool = False) -> None:
        """The end of a paragraph of the note that is open, or of the running text: then its notes follow."""
        if self._open:
            self._open[-1].append(_End(block_quote))
            return
        self._begun = False
        self._prose.end_paragraph(block_quote=block_quote)
        notes, self._waiting = self._waiting, []
        for note in notes:
            self._write([*note, _End(False)])

    def open_note(self) -> None:
        """What comes now belongs to a note, up to its close."""
        self._open.append([])

    def close_note(self, *, apart: bool = False) -> None:
        """The note is complete; what it cites first stands for the sentence it hangs on, unless it is set apart."""
        note = self._open.pop()
        if not apart and not self._open:
            cited = _standing_for_the_sentence(note)
            self._write([piece for piece in note[:cited] if isinstance(piece, _Group)])
            note = _rest(note, cited)
        if note:
            self._waiting.append(note)

    def include(self, name: str) -> None:
        """Another file is drawn in here."""
        self._prose.included.append(name)

    def finish(self) -> Prose:
        """All that was said."""
        while self._open:
            self.close_note()
        self.end_paragraph()
        return self._prose

    def _write(self, note: _Note) -> None:
        for piece in note:
            if isinstance(piece, _Words):
                self.add(piece.text, piece.at, verbatim=piece.verbatim)
            elif isinstance(piece, _Group):
                self.cite(piece.citations, piece.at)
            else:
                self.end_paragraph(block_quote=piece.block_quote)


def _plain(note: _Note) -> str:
    return "".join(MARK if isinstance(p, _Group) else p.text if isinstance(p, _Words) else "\n" for p in note)


def _says_little(text: str) -> bool:
    return (
        MARK not in text
        and len(text) <= _FEW_LETTERS
        and len(text.split()) <= _FEW_WORDS
        and _QUOTATION_MARKS.isdisjoint(text)
    )


def _rest(note: _Note, cited: int) -> _Note:
    """What a note says of its own after what it cites for the sentence."""
    rest = note[cited:]
    if cited and _says_little(_plain(rest)):
        return []
    if cited and isinstance(rest[0], _Words):
        first = rest[0]
        text = first.text.lstrip(".; ")
        at = first.at + len(first.text) - len(text) if first.verbatim else first.at
        rest[0] = _Words(text, at, first.verbatim)
    return rest


def _standing_for_the_sentence(note: _Note) -> int:
    """How many pieces of a note, up to its last such citation, only say where the sentence comes from."""
    between = _plain(note).split(MARK)
    count = 0
    while count < len(between) - 1 and _says_little(between[count]):
        count += 1
    while count:
        after = between[count]
        if _ENDS_A_CLAUSE.match(after) or (count == len(between) - 1 and _says_little(after)):
            break
        count -= 1
    places = [number for number, piece in enumerate(note) if isinstance(piece, _Group)]
    return places[count - 1] + 1 if count else 0
