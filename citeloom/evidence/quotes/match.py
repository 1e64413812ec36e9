"""Matches a whole quotation: all of its pieces, in order and not too far apart. Called by `verification`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from citeloom.core.text.section_names import is_reference_list
from citeloom.evidence.quotes import quotation, tokens
from citeloom.evidence.quotes.compare import Compared, compare, missing, weigh
from citeloom.evidence.quotes.judge import BRACKETS, ELLIPSIS, Judge
from citeloom.evidence.quotes.lookup import likeness, nearest, occurrences
from citeloom.evidence.quotes.page_claim import Claim
from citeloom.evidence.quotes.quotation import Piece

_MAX_PIECES = 40  # beyond, dots are no ellipses and brackets no insertions
_LOOKED_AT, _LOOKED_AT_OF_LONG, _WORDS_LOOKED_AT = 50, 3, 10_000  # places compared word by word
_INSERTION_STANDS_FOR = 15  # words of the work
_ELLIPSIS_STANDS_FOR = 800
_BESIDE_FEW_WORDS = 40  # a piece of few words stands everywhere: it must be close by
_FEW_WORDS = 4
_HIDES = 3  # an ellipsis for so few words that hold a negation hides it
_NEAR = 0.62  # how much of a quotation the work must have for it to be a changed one
_NEAR_ROW = 3  # of so many words in a row at least
_SPLICED, _SPLICED_ROW, _SPLICED_REST = 0.85, 4, 4


@dataclass(slots=True)
class Match:
    """What a work has of a quotation."""

    parts: list[Compared]
    likeness: float
    places: int = 1
    reason: str | None = None  # why it is not exact although no word differs
    allowed: set[str] = field(default_factory=set)

    @property
    def exact(self) -> bool:
        """Whether every piece stands there word for word, in order."""
        return self.reason is None and all(part.exact for part in self.parts)

    @property
    def near(self) -> bool:
        """Whether it is this passage, though changed."""
        row = max(_longest_row(part) for part in self.parts)
        return self.likeness >= _NEAR and row >= min(_NEAR_ROW, sum(len(p.piece.words) for p in self.parts) // 2)

    @property
    def cut(self) -> str:
        """What stands between the pieces where they are shown."""
        return "{+…+}" if self.reason else "…"

    @property
    def first(self) -> int:
        """The first of its words in the work."""
        return min(part.first for part in self.placed)

    @property
    def last(self) -> int:
        """The last of its words in the work."""
        return max(part.behind for part in self.placed) - 1

    @property
    def placed(self) -> list[Compared]:
        """The pieces that the work has."""
        return [part for part in self.parts if part.placed]


def _longest_row(part: Compared) -> int:
    longest = row = 0
    before = (-2, -2)
    for i, j in part.pairs:
        row = row + 1 if (i - 1, j - 1) == before else 1
        longest, before = max(longest, row), (i, j)
    return longest


class Matcher:
    """Finds quotations in one work; of several places it prefers the page that was claimed."""

    def __init__(self, judge: Judge, claim: Claim | None) -> None:
        self._judge, self._claim = judge, claim

    def find(self, pieces: Sequence[Piece]) -> Match | None:
        """The best that the work has of a quotation, or None where it has nothing like it."""
        if len(pieces) > _MAX_PIECES:
            return None
        return self._one(pieces[0]) if len(pieces) == 1 else self._several(pieces)

    def _one(self, piece: Piece) -> Match | None:
        places = occurrences(piece, self._judge)
        looked_at = max(_LOOKED_AT_OF_LONG, min(_LOOKED_AT, _WORDS_LOOKED_AT // len(piece.words)))
        found = [compare(piece, self._judge, low, high, whole=True) for low, high in places[:looked_at]]
        standing = [compared for compared in found if compared is not None]
        exact = [compared for compared in standing if compared.exact]
        if exact:
            best = min(exact, key=self._rank)
            more = max(0, len(places) - looked_at)
            return Match([best], 1.0, len(exact) + more, allowed=set(best.allowed))
        candidates = [*standing, *nearest(piece, self._judge)]
        if not candidates:
            return None
        best = min(candidates, key=lambda c: (-round(likeness(c), 2), len(c.differences), self._rank(c)))
        match = Match([best], likeness(best), allowed=set(best.allowed))
        return match if best.exact else self._spliced(piece, match)

    def _rank(self, part: Compared) -> tuple[bool, bool, bool, int]:
        place = self._judge.work.origin(part.first)
        claimed = self._claim is not None and place.page is not None and self._on_claimed_page(part)
        return not claimed, is_reference_list(place.section_path), place.aside, part.first

    def _on_claimed_page(self, part: Compared) -> bool:
        work = self._judge.work
        start, end = work.origin(part.first).page, work.origin(part.behind - 1).page
        return bool(self._claim and start and end and self._claim.check(work, start, end).right)

    def _spliced(self, piece: Piece, match: Match) -> Match:
        """Where one place has only the beginning or the end: whether another has the rest, word for word."""
        part = match.parts[0]
        if not part.pairs or _longest_row(part) < _SPLICED_ROW:
            return match
        low, high = part.pairs[0][0], part.pairs[-1][0] + 1
        held = self._again(self._cut(piece, low, high), part)
        parts = [self._rest(piece, 0, low, held), held, self._rest(piece, high, len(piece.words), held)]
        found = [part for part in parts if part]
        share = sum(part.weight for part in found) / sum(weigh(piece))
        if sum(part.placed for part in found) > 1 and share >= _SPLICED and share > match.likeness:
            allowed = set().union(*(part.allowed for part in found))
            return Match(found, min(share, 0.99), reason="spliced", allowed=allowed)
        return match

    def _cut(self, piece: Piece, low: int, high: int) -> Piece:
        return Piece(piece.words[low:high], piece.tail if high == len(piece.words) else "", "")

    def _again(self, piece: Piece, part: Compared) -> Compared:
        return compare(piece, self._judge, part.pairs[0][1], part.pairs[-1][1] + 1, whole=True) or part

    def _rest(self, piece: Piece, low: int, high: int, held: Compared) -> Compared | None:
        if low == high:
            return None
        rest = self._cut(piece, low, high)
        says = high - low >= _SPLICED_REST and sum(weight == 1.0 for weight in weigh(rest)) > 1
        for first, behind in occurrences(rest, self._judge)[:1] if says else ():
            return compare(rest, self._judge, first, behind, whole=True)
        return missing(rest, held.behind)

    def _several(self, pieces: Sequence[Piece]) -> Match | None:
        places = [occurrences(piece, self._judge) for piece in pieces]
        parts: list[Compared | None] | None = None
        best: tuple[object, ...] | None = None
        # Beginning with the piece that stands in the fewest places, the others are looked for around it.
        anchor = min(range(len(pieces)), key=lambda n: (not places[n], len(places[n]), -len(pieces[n].words)))
        for low, high in places[anchor][:_LOOKED_AT]:
            row = self._row(places, anchor, (low, high))
            compared = [
                compare(piece, self._judge, *place, whole=True) if place else None
                for piece, place in zip(pieces, row, strict=True)
            ]
            found = [part for part in compared if part]
            order = (
                sum(part is None or not part.exact for part in compared),
                self._rank(found[0])[:3],
                found[-1].behind - found[0].first,
            )
            if best is None or order < best:
                best, parts = order, compared
        if parts is None:
            parts = [None] * len(pieces)
        filled = [part or self._near_to(piece, parts) for piece, part in zip(pieces, parts, strict=True)]
        return self._assemble(pieces, filled)

    def _row(
        self, places: Sequence[Sequence[tuple[int, int]]], anchor: int, at: tuple[int, int]
    ) -> list[tuple[int, int] | None]:
        """For each piece the place next to the anchor's in the right direction, if it has one."""
        row: list[tuple[int, int] | None] = [None] * len(places)
        row[anchor] = at
        behind = at[1]
        for number in range(anchor + 1, len(places)):
            following = next((place for place in places[number] if place[0] >= behind), None)
            if following:
                row[number], behind = following, following[1]
        first = at[0]
        for number in range(anchor - 1, -1, -1):
            before = next((place for place in reversed(places[number]) if place[1] <= first), None)
            if before:
                row[number], first = before, before[0]
        return row

    def _near_to(self, piece: Piece, parts: Sequence[Compared | None]) -> Compared | None:
        candidates = [c for c in nearest(piece, self._judge) if likeness(c) >= _NEAR]
        found = [part for part in parts if part]
        if not found or not candidates:
            return candidates[0] if candidates else None
        return min(candidates, key=lambda c: (-round(likeness(c), 1), abs(c.first - found[0].first)))

    def _assemble(self, pieces: Sequence[Piece], parts: Sequence[Compared | None]) -> Match | None:
        behind = max((part.behind for part in parts if part), default=None)
        if behind is None:
            return None
        found = [part or missing(piece, behind) for piece, part in zip(pieces, parts, strict=True)]
        total = sum(sum(weigh(piece)) for piece in pieces)
        surplus = sum(part.surplus for part in found)
        match = Match(found, sum(part.weight for part in found) / (total + 0.5 * surplus))
        match.allowed = set().union(*(part.allowed for part in found))
        counted = zip(found, quotation.together(pieces), strict=True)
        for (before, one), (after, other) in pairwise((part, count) for part, count in counted if part.placed):
            few = min(one, other) < _FEW_WORDS
            match.allowed.add(ELLIPSIS if after.piece.after == "ellipsis" else BRACKETS)
            if not self._close(before, after, few=few):
                match.reason = match.reason or "far apart"
            elif self._hides_negation(before, after):
                match.reason = match.reason or "negation left out"
        return match

    def _close(self, before: Compared, after: Compared, *, few: bool) -> bool:
        work = self._judge.work
        between = after.first - before.behind
        if between < 0 or work.piece(before.first) != work.piece(after.first):
            return False
        if after.piece.after == "insertion":
            return between <= _INSERTION_STANDS_FOR
        page, later = work.origin(before.behind - 1).page, work.origin(after.first).page
        most = _BESIDE_FEW_WORDS if few else _ELLIPSIS_STANDS_FOR
        return between <= most and (page is None or later is None or later - page <= 1)

    def _hides_negation(self, before: Compared, after: Compared) -> bool:
        between = range(before.behind, after.first)
        return len(between) <= _HIDES and any(tokens.is_negation(self._judge.work.fold(at)) for at in between)
