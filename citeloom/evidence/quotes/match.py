"""Finds a whole quotation in a work: all of its pieces, in order and not too far apart. Called by `verification`."""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice, pairwise

from citeloom.core.text.section_names import is_reference_list
from citeloom.evidence.quotes import quotation, tokens
from citeloom.evidence.quotes.compare import Compared, compare, compare_best_part, missing, word_weights
from citeloom.evidence.quotes.judge import BRACKETS, ELLIPSIS, Judge
from citeloom.evidence.quotes.page_claim import Claim
from citeloom.evidence.quotes.quotation import Piece

_MAX_PIECES = 40  # with more, the dots are not ellipses and the brackets not insertions
_MAX_PLACES, _MIN_PLACES, _MAX_WORDS = 50, 3, 10_000  # places of one piece, and words in all, that are compared
_MAX_INSERTION_GAP = 15  # words of the work between two pieces
_MAX_ELLIPSIS_GAP = 800
_MAX_SHORT_PIECE_GAP = 40  # a short piece occurs everywhere, so it must be close to the next
_FEW_WORDS = 4
_MAX_HIDDEN = 3  # words; an ellipsis this short must not leave out a negation
_MIN_SIMILARITY = 0.62  # share of a quotation that the work must have for the verdict "near"
_MIN_RUN = 3  # consecutive words
_MIN_SPLICED_SHARE, _MIN_SPLICED_RUN, _MIN_SPLICED_REST = 0.85, 4, 4
_MAX_OCCURRENCES = 1_000
_MAX_RARE = 64  # occurrences; a more frequent word says little about where a quotation is from
_MAX_SEEDS = 40
_MAX_SEQUENCE_SEEDS = 4
_SEQUENCE_WORDS = 3  # consecutive words, searched for because single words may all be too common
_MAX_WINDOWS = 5
_WINDOW_SLACK = 8


@dataclass(slots=True)
class Match:
    """The best match of a quotation in a work."""

    parts: list[Compared]
    similarity: float
    places: int = 1
    reason: str | None = None  # why the match is not exact although no word differs
    allowed: set[str] = field(default_factory=set)

    @property
    def exact(self) -> bool:
        """Whether the work has every piece word for word, in order."""
        return self.reason is None and all(part.exact for part in self.parts)

    @property
    def near(self) -> bool:
        """Whether it is the quoted passage with changes."""
        run = max(_longest_run(part) for part in self.parts)
        words = sum(len(part.piece.words) for part in self.parts)
        return self.similarity >= _MIN_SIMILARITY and run >= min(_MIN_RUN, words // 2)

    @property
    def placed(self) -> list[Compared]:
        """The pieces that were found in the work."""
        return [part for part in self.parts if part.placed]


def _longest_run(part: Compared) -> int:
    longest = run = 0
    before = (-2, -2)
    for i, j in part.pairs:
        run = run + 1 if (i - 1, j - 1) == before else 1
        longest, before = max(longest, run), (i, j)
    return longest


def _cut(piece: Piece, low: int, high: int) -> Piece:
    return Piece(piece.words[low:high], piece.tail if high == len(piece.words) else "", "")


class Matcher:
    """Finds quotations in one work; of several places it prefers one on the claimed page."""

    def __init__(self, judge: Judge, claim: Claim | None) -> None:
        self._judge, self._claim = judge, claim

    def find(self, pieces: Sequence[Piece]) -> Match | None:
        """Return the best match of a quotation, or None if the work has nothing similar."""
        if len(pieces) > _MAX_PIECES:
            return None
        return self._find_piece(pieces[0]) if len(pieces) == 1 else self._find_pieces(pieces)

    def _find_piece(self, piece: Piece) -> Match | None:
        places = _occurrences(piece, self._judge)
        limit = max(_MIN_PLACES, min(_MAX_PLACES, _MAX_WORDS // len(piece.words)))
        candidates = [compare(piece, self._judge, low, high) for low, high in places[:limit]]
        exact = [compared for compared in candidates if compared.exact]
        if exact:
            best = min(exact, key=self._rank)
            more = max(0, len(places) - limit)
            return Match([best], 1.0, len(exact) + more, allowed=set(best.allowed))
        candidates += _nearest(piece, self._judge)
        if not candidates:
            return None
        best = min(candidates, key=lambda c: (-round(c.similarity, 2), len(c.differences), self._rank(c)))
        match = Match([best], best.similarity, allowed=set(best.allowed))
        return match if best.exact else self._spliced(piece, match)

    def _rank(self, part: Compared) -> tuple[bool, bool, bool, int]:
        work = self._judge.work
        start, end = work.origin(part.first), work.origin(part.stop - 1)
        claimed = self._claim and start.page and end.page and self._claim.check(work, start.page, end.page)
        return not claimed, is_reference_list(start.section_path), start.aside, part.first

    def _spliced(self, piece: Piece, match: Match) -> Match:
        """Return a match of two places, one with the beginning or the end and another with the rest; else `match`."""
        part = match.parts[0]
        if not part.pairs or _longest_run(part) < _MIN_SPLICED_RUN:
            return match
        low, high = part.pairs[0][0], part.pairs[-1][0] + 1
        main = compare(_cut(piece, low, high), self._judge, part.pairs[0][1], part.pairs[-1][1] + 1)
        parts = [self._rest(piece, 0, low, main), main, self._rest(piece, high, len(piece.words), main)]
        found = [part for part in parts if part]
        share = sum(part.weight for part in found) / sum(word_weights(piece))
        if sum(part.placed for part in found) > 1 and share >= _MIN_SPLICED_SHARE and share > match.similarity:
            allowed = set().union(*(part.allowed for part in found))
            return Match(found, min(share, 0.99), reason="spliced", allowed=allowed)
        return match

    def _rest(self, piece: Piece, low: int, high: int, main: Compared) -> Compared | None:
        if low == high:
            return None
        rest = _cut(piece, low, high)
        distinctive = high - low >= _MIN_SPLICED_REST and sum(weight == 1.0 for weight in word_weights(rest)) > 1
        places = _occurrences(rest, self._judge) if distinctive else []
        return compare(rest, self._judge, *places[0]) if places else missing(rest, main.stop)

    def _find_pieces(self, pieces: Sequence[Piece]) -> Match | None:
        places = [_occurrences(piece, self._judge) for piece in pieces]
        # The piece with the fewest occurrences comes first; the others are searched for around it.
        anchor = min(range(len(pieces)), key=lambda n: (not places[n], len(places[n]), -len(pieces[n].words)))
        nearby = (_nearest_places(places, anchor, at) for at in places[anchor][:_MAX_PLACES])
        candidates = [
            [compare(piece, self._judge, *at) if at else None for piece, at in zip(pieces, found, strict=True)]
            for found in nearby
        ]
        parts = min(candidates, key=self._rank_parts, default=[None] * len(pieces))
        filled = [part or self._most_similar(piece, parts) for piece, part in zip(pieces, parts, strict=True)]
        return self._assemble(pieces, filled)

    def _rank_parts(self, parts: Sequence[Compared | None]) -> tuple[int, tuple[bool, ...], int]:
        found = [part for part in parts if part]
        inexact = sum(part is None or not part.exact for part in parts)
        return inexact, self._rank(found[0])[:3], found[-1].stop - found[0].first

    def _most_similar(self, piece: Piece, parts: Sequence[Compared | None]) -> Compared | None:
        candidates = [c for c in _nearest(piece, self._judge) if c.similarity >= _MIN_SIMILARITY]
        found = [part for part in parts if part]
        if not found or not candidates:
            return candidates[0] if candidates else None
        return min(candidates, key=lambda c: (-round(c.similarity, 1), abs(c.first - found[0].first)))

    def _assemble(self, pieces: Sequence[Piece], parts: Sequence[Compared | None]) -> Match | None:
        stop = max((part.stop for part in parts if part), default=None)
        if stop is None:
            return None
        found = [part or missing(piece, stop) for piece, part in zip(pieces, parts, strict=True)]
        total = sum(sum(word_weights(piece)) for piece in pieces)
        surplus = sum(part.surplus for part in found)
        match = Match(found, sum(part.weight for part in found) / (total + 0.5 * surplus))
        match.allowed = set().union(*(part.allowed for part in found))
        counted = zip(found, quotation.word_counts(pieces), strict=True)
        for (before, one), (after, other) in pairwise((part, count) for part, count in counted if part.placed):
            few = min(one, other) < _FEW_WORDS
            match.allowed.add(ELLIPSIS if after.piece.after == "ellipsis" else BRACKETS)
            if not self._is_close(before, after, few=few):
                match.reason = match.reason or "far apart"
            elif self._hides_negation(before, after):
                match.reason = match.reason or "negation left out"
        return match

    def _is_close(self, before: Compared, after: Compared, *, few: bool) -> bool:
        work = self._judge.work
        between = after.first - before.stop
        if between < 0 or work.piece(before.first) != work.piece(after.first):
            return False
        if after.piece.after == "insertion":
            return between <= _MAX_INSERTION_GAP
        page, later = work.origin(before.stop - 1).page, work.origin(after.first).page
        limit = _MAX_SHORT_PIECE_GAP if few else _MAX_ELLIPSIS_GAP
        return between <= limit and (page is None or later is None or later - page <= 1)

    def _hides_negation(self, before: Compared, after: Compared) -> bool:
        between = range(before.stop, after.first)
        return len(between) <= _MAX_HIDDEN and any(tokens.is_negation(self._judge.work.fold(at)) for at in between)


def _nearest_places(
    places: Sequence[Sequence[tuple[int, int]]], anchor: int, at: tuple[int, int]
) -> list[tuple[int, int] | None]:
    """Return for each piece the occurrence nearest to the anchor's in the right direction, if any."""
    nearby: list[tuple[int, int] | None] = [None] * len(places)
    nearby[anchor] = at
    stop = at[1]
    for number in range(anchor + 1, len(places)):
        following = next((place for place in places[number] if place[0] >= stop), None)
        if following:
            nearby[number], stop = following, following[1]
    first = at[0]
    for number in range(anchor - 1, -1, -1):
        before = next((place for place in reversed(places[number]) if place[1] <= first), None)
        if before:
            nearby[number], first = before, before[0]
    return nearby


def _occurrences(piece: Piece, judge: Judge) -> list[tuple[int, int]]:
    """Return the ranges of the work with the same letters, in order; they may still differ in punctuation."""
    variants = {"".join(word.folds[0] for word in piece.words), "".join(word.folds[-1] for word in piece.words)}
    found = {place for letters in variants for place in islice(judge.work.find(letters), _MAX_OCCURRENCES)}
    return sorted(found)


def _nearest(piece: Piece, judge: Judge) -> list[Compared]:
    """Return the most similar places, best first."""
    found: dict[tuple[int, int], Compared] = {}
    for low, high in _windows(piece, judge):
        compared = compare_best_part(piece, judge, low, high)
        if compared is None:
            continue
        place = compared.first, compared.stop
        if place not in found or len(compared.pairs) > len(found[place].pairs):
            found[place] = compared
    return sorted(found.values(), key=lambda compared: compared.similarity, reverse=True)


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
        yield max(low, begin - _WINDOW_SLACK), min(high, begin + 2 * width + count + _WINDOW_SLACK)


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
