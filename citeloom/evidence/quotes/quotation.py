"""Parses a quotation into words and pieces, at its ellipses and [insertions]. Called by `verification`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from citeloom.core.errors import CiteLoomError, Code
from citeloom.evidence.quotes import tokens

MAX_LENGTH = 20_000
_MAX_NEGATION = 3  # words; a longer insertion with a negation is a remark about the quotation
_MAX_ENDING = 3  # letters in brackets that only inflect a word

_DOTS = r"(?:…|\.(?:\s?\.){2,})"
# "(p. 33)" and "(Smith 2001, S. 33 f.)" at the end give the source: they are insertions as well.
_SOURCE = r"\((?:[^()]{0,100}[\s,:])?(?:pp?|SS?)\.\s?\d[\d\s–-]{0,20}(?:ff?\.?)?\)[\W_]{0,9}$"
_MARK = re.compile(rf"(?P<cut>[\[(]\s*{_DOTS}\s*[\])]|{_DOTS})|\[(?P<inside>[^\[\]]{{0,200}})\]|{_SOURCE}")


@dataclass(frozen=True, slots=True)
class Word:
    """A word of a quotation."""

    written: str
    folds: tuple[str, ...]  # normalized for comparison, with and without the letters in brackets
    gap: str  # the text between the previous word and this one
    bracketed: bool = False


@dataclass(frozen=True, slots=True)
class Piece:
    """Words that must be consecutive in the work."""

    words: tuple[Word, ...]
    tail: str  # the text after the last word
    after: str  # what separates it from the previous piece: "ellipsis", "insertion", or "" for the first


def check_quote(quote: str) -> None:
    """Raise INVALID_INPUT for a quotation that is too long or has no words."""
    if len(quote) > MAX_LENGTH:
        raise CiteLoomError(
            Code.INVALID_INPUT,
            f"The quotation has {len(quote):,} characters; CiteLoom checks at most {MAX_LENGTH:,} characters at once.",
            "Check it in parts.",
        )
    if not any(c.isalnum() for c in quote):
        what = "is empty" if not quote.strip() else "has no words"
        raise CiteLoomError(Code.INVALID_INPUT, f"The quotation {what}.", "Give the words as they are quoted.")


def readings(quote: str) -> list[tuple[Piece, ...]]:
    """Return the possible readings of a quotation, literal first: dots and brackets may be the work's own."""
    plain = (_piece(quote, [], ""),)
    found = [plain, _as_edited(quote, insertions=False), _as_edited(quote, insertions=True)]
    return [reading for number, reading in enumerate(found) if reading and reading not in found[:number]]


def _as_edited(quote: str, *, insertions: bool) -> tuple[Piece, ...]:
    """Split a quotation at its ellipses and, with `insertions`, at its brackets."""
    pieces: list[Piece] = []
    text, brackets = "", list[tuple[int, int]]()
    after, begin = "", 0
    for mark in _MARK.finditer(quote):
        text += quote[begin : mark.start()]
        begin = mark.end()
        if not mark["cut"] and (not insertions or _negates(mark)):
            text += mark[0]
            continue
        if _is_part_of_word(quote, mark):
            brackets.append((len(text), len(text) + len(mark["inside"])))
            text += mark["inside"]
            continue
        pieces.append(_piece(text, brackets, after))
        text, brackets = "", []
        after = "ellipsis" if mark["cut"] or (after == "ellipsis" and not pieces[-1].words) else "insertion"
    pieces.append(_piece(text + quote[begin:], brackets, after))
    return tuple(piece for piece in pieces if piece.words)


def word_counts(pieces: Sequence[Piece]) -> list[int]:
    """Return for each piece the number of words between the ellipses around it; insertions do not separate."""
    groups: list[list[Piece]] = []
    for piece in pieces:
        if piece.after == "insertion" and groups:
            groups[-1].append(piece)
        else:
            groups.append([piece])
    return [sum(len(piece.words) for piece in group) for group in groups for _ in group]


def _negates(mark: re.Match[str]) -> bool:
    """Whether an insertion negates the sentence: that changes it, even in brackets."""
    words = [tokens.fold(mark["inside"][low:high]) for low, high in tokens.spans(mark["inside"] or "")]
    return len(words) <= _MAX_NEGATION and any(map(tokens.is_negation, words))


def _is_part_of_word(quote: str, mark: re.Match[str]) -> bool:
    inside = mark["inside"]
    touches = quote[max(mark.start() - 1, 0) : mark.start()].isalpha() or quote[mark.end() : mark.end() + 1].isalpha()
    return inside is not None and inside.isalpha() and touches


def _piece(text: str, brackets: list[tuple[int, int]], after: str) -> Piece:
    found, end = [], 0
    bracket = iter((*brackets, (len(text) + 1, len(text) + 1)))
    low, high = next(bracket)
    for start, stop in tokens.spans(text):
        while high <= start:
            low, high = next(bracket)
        written = text[start:stop]
        folds, bracketed = [tokens.fold(written)], low < stop
        if bracketed:
            # "error[s]" is "error", but "[un]known" is not "known", nor "use[less]" "use".
            added = start < low and high - low <= _MAX_ENDING
            folds += [tokens.fold(text[start:low] + text[high:stop])] if added else []
        found.append(Word(written, tuple(folds), text[end:start], bracketed))
        end = stop
    return Piece(tuple(found), text[end:], after)
