"""Finds the places in a work that equal a piece of a quotation, or are most similar to it. Called by `match`."""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator
from itertools import islice

from citeloom.evidence.quotes.compare import Compared, compare_best_part, weigh
from citeloom.evidence.quotes.judge import Judge
from citeloom.evidence.quotes.quotation import Piece

MAX_PLACES = 1_000
_MAX_RARE = 64  # occurrences; a more frequent word says little about where a quotation is from
_MAX_SEEDS = 40
_MAX_SEQUENCE_SEEDS = 4
_SEQUENCE_WORDS = 3  # consecutive words, searched for because single words may all be too common
_MAX_WINDOWS = 5
_SLACK = 8


def occurrences(piece: Piece, judge: Judge) -> list[tuple[int, int]]:
    """Return the ranges of the work with the same letters, in order; they may still differ in punctuation."""
    variants = {"".join(word.folds[0] for word in piece.words), "".join(word.folds[-1] for word in piece.words)}
    found = {place for letters in variants for place in islice(judge.work.find(letters), MAX_PLACES)}
    return sorted(found)


def nearest(piece: Piece, judge: Judge) -> list[Compared]:
    """Return the most similar places, best first."""
    found: dict[tuple[int, int], Compared] = {}
    for low, high in _windows(piece, judge):
        compared = compare_best_part(piece, judge, low, high)
        if compared is None:
            continue
        place = compared.first, compared.stop
        if place not in found or len(compared.pairs) > len(found[place].pairs):
            found[place] = compared
    return sorted(found.values(), key=likeness, reverse=True)


def likeness(compared: Compared) -> float:
    """Return the share of a piece that the work has at this place: 1 if all of it."""
    return compared.weight / (sum(weigh(compared.piece)) + 0.5 * compared.surplus)


def _windows(piece: Piece, judge: Judge) -> Iterator[tuple[int, int]]:
    """Yield the ranges in which several of the piece's words have about the same distances as in the piece."""
    work, count = judge.work, len(piece.words)
    width = max(12, count // 5)
    votes: defaultdict[tuple[int, int], float] = defaultdict(float)
    for at, position, weight in (*_rare_words(piece, judge), *_sequences(piece, judge)):
        votes[bisect_right(work.pieces, position), (position - at) // width] += weight
    adjacent = {(p, d): votes[p, d] + votes.get((p, d + 1), 0.0) for p, d in tuple(votes)}
    for number, diagonal in sorted(adjacent, key=lambda key: -adjacent[key])[:_MAX_WINDOWS]:
        low, high = work.pieces[number - 1], work.pieces[number] - 1
        begin = diagonal * width
        yield max(low, begin - _SLACK), min(high, begin + 2 * width + count + _SLACK)


def _rare_words(piece: Piece, judge: Judge) -> Iterator[tuple[int, int, float]]:
    work = judge.work
    counted = sorted((work.count(fold), at, fold) for at, word in enumerate(piece.words) for fold in word.folds)
    for count, at, fold in [c for c in counted if 0 < c[0] <= _MAX_RARE][:_MAX_SEEDS]:
        for position in work.positions(fold):
            yield at, position, 1 / count**0.5


def _sequences(piece: Piece, judge: Judge) -> Iterator[tuple[int, int, float]]:
    """Yield the positions of short word sequences of the piece in the work."""
    starts = range(0, len(piece.words) - _SEQUENCE_WORDS + 1, max(1, len(piece.words) // _MAX_SEEDS))
    for at in starts:
        letters = "".join(word.folds[0] for word in piece.words[at : at + _SEQUENCE_WORDS])
        found = list(islice(judge.work.find(letters), _MAX_SEQUENCE_SEEDS + 1))
        for position, _ in found:
            yield at, position, 2 / len(found) ** 0.5
