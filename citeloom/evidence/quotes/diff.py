"""Renders differences as a word diff: "the [-quotation's-] {+work's+} words". Called by `verification`."""

from __future__ import annotations

from citeloom.api.evidence import Change
from citeloom.evidence.quotes.compare import Compared, Difference
from citeloom.evidence.quotes.quotation import Piece
from citeloom.evidence.quotes.work_text import WorkText

_CONTEXT = 6  # words shown on either side of a difference


def render(part: Compared, work: WorkText) -> str:
    """Return a piece of the quotation with its differences marked; long unchanged parts are shortened."""
    shown: list[str] = []
    at = 0
    for difference in part.differences:
        low, high = difference.quote
        if low < at:
            continue
        shown += _unchanged(part.piece, at, low, opens=at == 0, closes=False)
        found = change(part, difference, work)
        shown += [f"[-{found.quote}-]"] * bool(found.quote) + [f"{{+{found.work}+}}"] * bool(found.work)
        at = high
    shown += _unchanged(part.piece, at, len(part.piece.words), opens=at == 0, closes=True)
    return " ".join(shown)


def change(part: Compared, difference: Difference, work: WorkText) -> Change:
    """Return the words, or the punctuation, of a difference."""
    (low, high), (first, stop) = difference.quote, difference.work
    if difference.punctuation:
        return Change(_collapse_spaces(part.piece.words[low].gap), _collapse_spaces(work.gap(first)))
    return Change(_written(part.piece, low, high), _collapse_spaces(work.raw(first, stop)))


def _written(piece: Piece, low: int, high: int) -> str:
    words = piece.words[low:high]
    return _collapse_spaces("".join((word.gap if number else "") + word.written for number, word in enumerate(words)))


def _unchanged(piece: Piece, low: int, high: int, *, opens: bool, closes: bool) -> list[str]:
    if low >= high:
        return []
    before, after = (0 if opens else _CONTEXT), (0 if closes else _CONTEXT)
    if high - low <= before + after + 2:
        return [_written(piece, low, high)]
    return list(filter(None, (_written(piece, low, low + before), "…", _written(piece, high - after, high))))


def _collapse_spaces(text: str) -> str:
    return " ".join(text.split())
