"""Compares a piece of a quotation with a range of words of a work. Called by `match`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from citeloom.evidence.quotes import tokens
from citeloom.evidence.quotes.align import Pairs, align
from citeloom.evidence.quotes.judge import END, NOTE_NUMBER, Judge
from citeloom.evidence.quotes.ocr_confusions import look_alike
from citeloom.evidence.quotes.quotation import Piece
from citeloom.evidence.quotes.work_text import WorkText

_FUNCTION_WORD_WEIGHT = 0.4  # any other word weighs 1
_SIMILAR_WORD_CREDIT, _MAX_CREDITED = 0.75, 12
_WORK_WORD_COST, _QUOTE_WORD_COST = 0.35, 0.2  # of a word without a counterpart


@dataclass(frozen=True, slots=True)
class Difference:
    """Words of the quotation and of the work that differ, each as a half-open range."""

    quote: tuple[int, int]
    work: tuple[int, int]
    punctuation: bool = False  # the punctuation before the first of these words differs, not the words


@dataclass(slots=True)
class Compared:
    """The result of comparing one piece."""

    piece: Piece
    first: int  # the range of the work's words, half-open
    stop: int
    weight: float = 0.0  # total weight of the quotation's words that the work has
    surplus: int = 0  # words of the work that the quotation leaves out
    pairs: Pairs = field(default_factory=list)  # of equal words: index in the piece, index in the work
    differences: list[Difference] = field(default_factory=list)
    allowed: set[str] = field(default_factory=set)

    @property
    def exact(self) -> bool:
        """Whether the work has the piece word for word."""
        return not self.differences

    @property
    def placed(self) -> bool:
        """Whether the piece was found anywhere in the work."""
        return self.stop > self.first

    @property
    def similarity(self) -> float:
        """The share of the piece that the work has at this place: 1 if all of it."""
        return self.weight / (sum(word_weights(self.piece)) + 0.5 * self.surplus)


def missing(piece: Piece, at: int) -> Compared:
    """Return the result for a piece that the work lacks; `at` is the position after the words that it has."""
    return Compared(piece, at, at, differences=[Difference((0, len(piece.words)), (at, at))])


def word_weights(piece: Piece) -> list[float]:
    """Return the weight of each word of a piece."""
    return [_FUNCTION_WORD_WEIGHT if tokens.is_function_word(word.folds[0]) else 1.0 for word in piece.words]


def compare(piece: Piece, judge: Judge, low: int, high: int) -> Compared:
    """Compare a piece with all words of a range of the work."""
    numbers, in_work = _numbers(piece, judge, low, high), judge.work.ids[low:high]
    same = numbers == list(in_work)
    pairs = [(i, i) for i in range(high - low)] if same else align(numbers, in_work)
    return _Comparison(piece, judge, [(i, low + j) for i, j in pairs], low, high).result()


def compare_best_part(piece: Piece, judge: Judge, low: int, high: int) -> Compared | None:
    """Compare a piece with the most similar part of a range of the work; None if no word is equal."""
    work = judge.work
    pairs = [(i, low + j) for i, j in align(_numbers(piece, judge, low, high), work.ids[low:high])]
    pairs = _best_sequence(pairs, word_weights(piece), work)
    if not pairs:
        return None
    start, end = _edges(piece, judge, pairs, *work.piece(pairs[0][1]))
    return _Comparison(piece, judge, pairs, start, end).result()


def _numbers(piece: Piece, judge: Judge, low: int, high: int) -> list[int]:
    """Return the vocabulary ids of the piece's words; a word that the work lacks gets a negative one of its own."""
    vocabulary = judge.work.vocabulary
    in_range = set(judge.work.ids[low:high])
    numbers = []
    for at, word in enumerate(piece.words):
        found = [vocabulary[fold] for fold in word.folds if fold in vocabulary]
        numbers.append(next((number for number in found if number in in_range), found[0] if found else -1 - at))
    return numbers


def _best_sequence(pairs: Pairs, weights: Sequence[float], work: WorkText) -> Pairs:
    """Return the pairs that belong together, without words that match by chance far away."""
    best, best_low, best_high = 0.0, 0, 0
    value, low = 0.0, 0
    for number, (i, j) in enumerate(pairs):
        if number:
            before_i, before_j = pairs[number - 1]
            if i - before_i > 1 or not _in_brackets(work, before_j + 1, j):
                value -= _WORK_WORD_COST * (j - before_j - 1) + _QUOTE_WORD_COST * (i - before_i - 1)
        if value <= 0:
            value, low = 0.0, number
        value += weights[i]
        if value > best:
            best, best_low, best_high = value, low, number + 1
    return pairs[best_low:best_high]


def _in_brackets(work: WorkText, first: int, stop: int) -> bool:
    """Whether the work has all these words in brackets, like references to other works."""
    return work.gap(first)[-1:] + work.gap(stop)[:1] in ("()", "[]")


def _edges(piece: Piece, judge: Judge, pairs: Pairs, lowest: int, highest: int) -> tuple[int, int]:
    """Extend the range beyond the outermost pairs to the words that correspond to changed words of the quotation."""
    work = judge.work
    (i, start), (k, end) = pairs[0], pairs[-1]
    end += 1
    rest = len(piece.words) - k - 1
    for more in _likely_lengths(i):
        if start - more >= lowest and judge.run(piece.words[:i], start - more, start, opens=True) is not None:
            start -= more
            break
    else:
        inside = range(min(i, start - lowest))
        start -= _reach([(piece.words[i - 1 - n].folds[0], start - 1 - n, start - n) for n in inside], work)
    for more in _likely_lengths(rest):
        if end + more <= highest and judge.run(piece.words[k + 1 :], end, end + more) is not None:
            end += more
            break
    else:
        inside = range(min(rest, highest - end))
        end += _reach([(piece.words[k + 1 + n].folds[0], end + n, end + n) for n in inside], work)
    return start, end


def _reach(outward: Sequence[tuple[str, int, int]], work: WorkText) -> int:
    """Return how many words at an end of the quotation correspond to words of the work, counted outward.

    Words within the sentence always do; words beyond it only if they look alike, since others were added.
    """
    reach, beyond = 0, False
    for number, (word, in_work, gap) in enumerate(outward[:_MAX_CREDITED], start=1):
        beyond = beyond or any(c in ".!?:;\n" for c in work.gap(gap))
        if not beyond or look_alike(word, work.fold(in_work)):
            reach = number
    return reach


def _likely_lengths(count: int) -> Sequence[int]:
    return [n for n in (count, count + 1, count - 1, count + 2) if n > 0] if count else []


class _Comparison:
    """One comparison: goes through the aligned pairs and asks the judge about the differences between them."""

    def __init__(self, piece: Piece, judge: Judge, pairs: Pairs, start: int, end: int) -> None:
        self._piece, self._judge, self._pairs = piece, judge, pairs
        self._weights = word_weights(piece)
        self._out = Compared(piece, start, end)

    def result(self) -> Compared:
        out, piece = self._out, self._piece
        i, j = 0, out.first
        joined = False  # whether the preceding words are equal as well
        for k, m in (*self._pairs, (len(piece.words), out.stop)):
            if k > i or m > j:
                joined = self._unpaired(i, k, j, m, joined)
            if k == len(piece.words):
                break
            self._pair(k, m, self._judge.word(piece.words[k], m, first=k == 0), joined)
            i, j, joined = k + 1, m + 1, True
        self._ends()
        return out

    def _pair(self, i: int, j: int, allowed: set[str] | None, joined: bool) -> None:
        """Record two words that correspond to each other."""
        if joined:
            self._gap(i, j)
        self._record(allowed, Difference((i, i + 1), (j, j + 1)))
        self._out.pairs.append((i, j))
        self._out.weight += self._weights[i]

    def _gap(self, k: int, m: int) -> None:
        same = self._judge.gap(self._piece.words[k].gap, m)
        self._record(same, Difference((k, k), (m, m), punctuation=True))

    def _record(self, allowed: set[str] | None, difference: Difference) -> None:
        if allowed is None:
            self._out.differences.append(difference)
        else:
            self._out.allowed |= allowed

    def _unpaired(self, i: int, k: int, j: int, m: int, joined: bool) -> bool:
        """Compare words without a counterpart; return whether the punctuation after them is still to be compared."""
        out = self._out
        left_out = i == k < len(self._piece.words) and joined
        if left_out and self._judge.notes(self._piece.words[k].gap, j, m):
            out.allowed.add(NOTE_NUMBER)
            return False  # the punctuation around the number has just been compared
        same = self._judge.run(self._piece.words[i:k], j, m, opens=i == 0)
        if same is None:
            return self._unequal(i, k, j, m, joined)
        if joined and k > i and m > j:
            self._gap(i, j)
        out.allowed |= same
        out.weight += sum(self._weights[i:k])
        if k - i == m - j:
            out.pairs += zip(range(i, k), range(j, m), strict=True)
        return True

    def _unequal(self, i: int, k: int, j: int, m: int, joined: bool) -> bool:
        """Compare changed words: misread words may be next to them, so those at either end are judged one by one."""
        out = self._out
        while i < k and j < m and (allowed := self._judge_word(i, j)) is not None:
            self._pair(i, j, allowed, joined)
            i, j, joined = i + 1, j + 1, True
        tail: list[tuple[int, int, set[str]]] = []
        while i < k and j < m and (allowed := self._judge_word(k - 1, m - 1)) is not None:
            k, m = k - 1, m - 1
            tail.append((k, m, allowed))
        if i < k or j < m:
            out.differences.append(Difference((i, k), (j, m)))
            if i < k or not _in_brackets(self._judge.work, j, m):
                out.surplus += max(0, (m - j) - (k - i))
            out.weight += self._credit(i, k, j, m)
            joined = False
        for at, in_work, allowed in reversed(tail):
            self._pair(at, in_work, allowed, joined)
            joined = True
        return joined

    def _judge_word(self, i: int, j: int) -> set[str] | None:
        return self._judge.run(self._piece.words[i : i + 1], j, j + 1, opens=i == 0)

    def _credit(self, i: int, k: int, j: int, m: int) -> float:
        """Return the partial weight of words that look alike: OCR errors that are not allowed, plurals, typos."""
        if k - i != m - j or k - i > _MAX_CREDITED:
            return 0.0
        pairs = zip(range(i, k), range(j, m), strict=True)
        alike = (a for a, b in pairs if look_alike(self._piece.words[a].folds[0], self._judge.work.fold(b)))
        return _SIMILAR_WORD_CREDIT * sum(self._weights[a] for a in alike)

    def _ends(self) -> None:
        """Check the ends: half of a compound, or a number without its sign, is a difference."""
        out, work = self._out, self._judge.work
        if not out.pairs and not out.weight:
            return
        start = out.first
        if start and _is_attached(work, start) and work.piece(start)[0] < start:
            old = out.differences.pop(0) if out.differences and out.differences[0].work[0] == start else None
            quoted, stop = (old.quote, old.work[1]) if old else ((0, 1), start + 1)
            out.differences.insert(0, Difference(quoted, (start - 1, stop)))
        end, count = out.stop, len(self._piece.words)
        if end < work.piece(out.first)[1] and _is_attached(work, end):
            old = out.differences.pop() if out.differences and out.differences[-1].work[1] == end else None
            quoted, first = (old.quote, old.work[0]) if old else ((count - 1, count), end - 1)
            out.differences.append(Difference(quoted, (first, end + 1)))
        tail = tokens.punctuation(self._piece.tail)
        if tail and tail != tokens.punctuation(work.gap(end)):
            out.allowed.add(END)


def _is_attached(work: WorkText, at: int) -> bool:
    """Whether a word is attached to the previous one, by a hyphen or as a number and its sign."""
    gap, before, after = work.gap(at), work.fold(at - 1), work.fold(at)
    if gap in ("-", "‐", "‑"):
        return True
    if gap in ("–", "−"):
        return before[-1].isdigit() and after[0].isdigit()
    if gap:
        return False
    return (not before[-1].isalnum() and after[0].isdigit()) or (before[-1].isdigit() and not after[0].isalnum())
