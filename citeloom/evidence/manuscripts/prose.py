"""The prose of a manuscript without its markup, with the position of each character in the manuscript.

Each format's reader builds one; `pairing` then finds sentences and quotations in the prose alone, for all formats.
Notes follow the paragraph that refers to them, and their citations may belong to its sentence.
"""

from __future__ import annotations

import re
from array import array
from dataclasses import dataclass

from citeloom.evidence.manuscripts.types import Citation

# Replaces a group of citations in the prose.
MARK = "\ufffc"
_MAX_NAMED = 10
# “See” or “quoted after”: with more words than this besides its citations, a note has prose of its own.
_MAX_WORDS = 4
_MAX_LETTERS = 50
_QUOTATION_MARKS = frozenset('“”„«»‹›‘"')
_ENDS_A_CLAUSE = re.compile(r"\s*+(?:[.;,:!?)\]]*+\s*+\Z|[.;]\s)")


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A range of the prose; sentences do not cross its ends."""

    start: int  # in the prose
    end: int
    block_quote: bool


@dataclass(frozen=True, slots=True)
class Cited:
    """A group of citations at a position of the prose."""

    at: int
    citations: tuple[Citation, ...]


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


class Prose:
    """Collects prose, citations, paragraphs and notes in the order of the markup."""

    def __init__(self) -> None:
        self._parts: list[str] = []
        self.length = 0
        self.origins = array("q")  # offset in the manuscript of each character of the prose
        self.cited: list[Cited] = []
        self.paragraphs: list[Paragraph] = []
        self.included: list[str] = []  # files that the manuscript includes; their text is not part of it
        self.unread: list[str] = []  # warnings about other parts that were not read
        self._begin = 0  # of the current paragraph
        self._open: list[_Note] = []
        self._pending: list[_Note] = []  # to follow the current paragraph

    @property
    def warnings(self) -> list[str]:
        """Return warnings about what was not read."""
        names = list(dict.fromkeys(self.included))
        shown = ", ".join(names[:_MAX_NAMED]) + (f" and {len(names) - _MAX_NAMED} more" * (len(names) > _MAX_NAMED))
        left_out = [f"What it includes was not read ({shown}): check those files too."] if names else []
        return [*self.unread, *left_out]

    @property
    def text(self) -> str:
        """The prose so far."""
        return "".join(self._parts)

    def add(self, text: str, at: int, *, verbatim: bool = True) -> None:
        """Add prose from a position of the manuscript: verbatim, or in place of the markup there."""
        if self._open:
            self._open[-1].append(_Text(text, at, verbatim))
            return
        if self.length == self._begin:  # a paragraph does not begin with blanks
            blanks = len(text) - len(text.lstrip())
            text, at = text[blanks:], at + blanks if verbatim else at
        self._parts.append(text)
        self.origins.extend(range(at, at + len(text)) if verbatim else [at] * len(text))
        self.length += len(text)

    def cite(self, citations: tuple[Citation, ...], at: int) -> None:
        """Add a group of citations."""
        if self._open:
            self._open[-1].append(_Group(citations, at))
            return
        self.cited.append(Cited(self.length, citations))
        self.add(MARK, at)

    def end_paragraph(self, *, block_quote: bool = False) -> None:
        """End a paragraph of the open note, or of the running text, which its notes then follow."""
        if self._open:
            self._open[-1].append(_End(block_quote))
            return
        if self.length > self._begin:
            self.paragraphs.append(Paragraph(self._begin, self.length, block_quote))
        self._begin = self.length
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

    def finish(self) -> Prose:
        """End all open notes and the paragraph, and return the prose."""
        while self._open:
            self.close_note()
        self.end_paragraph()
        return self

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
