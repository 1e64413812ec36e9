"""Compares a piece of a quotation with a stretch of a work, word by word. Called by `match` and `lookup`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from citeloom.evidence.quotes import tokens
from citeloom.evidence.quotes.align import Pairs, align
from citeloom.evidence.quotes.judge import END, NOTE_NUMBER, Judge
from citeloom.evidence.quotes.ocr_confusions import look_alike
from citeloom.evidence.quotes.quotation import Piece
from citeloom.evidence.quotes.work_text import WorkText

_FUNCTION_WORD = 0.4  # how much such a word says, where any other says 1
_CREDIT, _MAX_CREDITED = 0.75, 12
_PER_WORK_WORD, _PER_QUOTE_WORD = 0.35, 0.2  # what a word without a partner costs


@dataclass(frozen=True, slots=True)
class Difference:
    """Words of the quotation and of the work, first and behind, that are not the same."""

    quote: tuple[int, int]
    work: tuple[int, int]
    punctuation: bool = False  # it is what stands before the first of these words, not the words


@dataclass(slots=True)
class Compared:
    """The result of comparing one piece."""

    piece: Piece
    first: int  # the work's words, up to behind the last
    behind: int
    weight: float = 0.0  # of the quotation's words that the work has
    surplus: int = 0  # words of the work that the quotation leaves out
    pairs: Pairs = field(default_factory=list)  # words that are the same
    differences: list[Difference] = field(default_factory=list)
    allowed: set[str] = field(default_factory=set)

    @property
    def exact(self) -> bool:
        """Whether it stands there word for word."""
        return not self.differences

    @property
    def placed(self) -> bool:
        """Whether the work has words in its place."""
        return self.behind > self.first


def missing(piece: Piece, at: int) -> Compared:
    """The outcome for a piece that the work does not have, behind words that it has."""
    return Compared(piece, at, at, differences=[Difference((0, len(piece.words)), (at, at))])


def weigh(piece: Piece) -> list[float]:
    """How much each word of a piece says."""
    return [_FUNCTION_WORD if tokens.is_function_word(word.folds[0]) else 1.0 for word in piece.words]


def compare(piece: Piece, judge: Judge, low: int, high: int, *, whole: bool) -> Compared | None:
    """Compare a piece with these words of the work; with `whole`, all of them are meant and not the best of them."""
    work = judge.work
    numbers = _numbers(piece, judge, low, high)
    if whole and numbers == list(work.ids[low:high]):
        pairs = [(i, low + i) for i in range(high - low)]
    else:
        pairs = [(i, low + j) for i, j in align(numbers, work.ids[low:high])]
        if not whole:
            pairs = _best_row(pairs, weigh(piece), work)
    if not pairs and not whole:
        return None
    if whole:
        start, end = low, high
    else:
        start, end = _edges(piece, judge, pairs, *work.piece(pairs[0][1]))
    return _Walk(piece, judge, pairs, start, end).outcome()


def _numbers(piece: Piece, judge: Judge, low: int, high: int) -> list[int]:
    """The piece's words as numbers of the work's vocabulary; what the work does not have gets one of its own."""
    vocabulary = judge.work.vocabulary
    there = set(judge.work.ids[low:high])
    numbers = []
    for at, word in enumerate(piece.words):
        found = [vocabulary[fold] for fold in word.folds if fold in vocabulary]
        numbers.append(next((number for number in found if number in there), found[0] if found else -1 - at))
    return numbers


def _best_row(pairs: Pairs, weights: Sequence[float], work: WorkText) -> Pairs:
    """The row of pairs that belongs together: a word that stands by chance far off is left out."""
    best, best_low, best_high = 0.0, 0, 0
    value, low = 0.0, 0
    for number, (i, j) in enumerate(pairs):
        if number:
            before_i, before_j = pairs[number - 1]
            if i - before_i > 1 or not _in_brackets(work, before_j + 1, j):
                value -= _PER_WORK_WORD * (j - before_j - 1) + _PER_QUOTE_WORD * (i - before_i - 1)
        if value <= 0:
            value, low = 0.0, number
        value += weights[i]
        if value > best:
            best, best_low, best_high = value, low, number + 1
    return pairs[best_low:best_high]


def _in_brackets(work: WorkText, first: int, behind: int) -> bool:
    """Whether the work sets all these words apart, as it does references to other works."""
    return work.gap(first)[-1:] + work.gap(behind)[:1] in ("()", "[]")


def _edges(piece: Piece, judge: Judge, pairs: Pairs, lowest: int, highest: int) -> tuple[int, int]:
    """How far the stretch goes beyond the outermost pairs, to hold the words that stand in place of the quotation's."""
    work = judge.work
    (i, start), (k, end) = pairs[0], pairs[-1]
    end += 1
    rest = len(piece.words) - k - 1
    for more in _likely(i):
        if start - more >= lowest and judge.run(piece.words[:i], start - more, start, opens=True) is not None:
            start -= more
            break
    else:
        inside = range(min(i, start - lowest))
        start -= _reach([(piece.words[i - 1 - n].folds[0], start - 1 - n, start - n) for n in inside], work)
    for more in _likely(rest):
        if end + more <= highest and judge.run(piece.words[k + 1 :], end, end + more) is not None:
            end += more
            break
    else:
        inside = range(min(rest, highest - end))
        end += _reach([(piece.words[k + 1 + n].folds[0], end + n, end + n) for n in inside], work)
    return start, end


def _reach(outward: Sequence[tuple[str, int, int]], work: WorkText) -> int:
    """How many words at an end of the quotation stand for words of the work, going outward word by word.

    Those within the sentence do; those beyond it only where they look alike, for else they were added.
    """
    reach, beyond = 0, False
    for number, (word, there, gap) in enumerate(outward[:_MAX_CREDITED], start=1):
        beyond = beyond or any(c in ".!?:;\n" for c in work.gap(gap))
        if not beyond or look_alike(word, work.fold(there)):
            reach = number
    return reach


def _likely(count: int) -> Sequence[int]:
    return [n for n in (count, count + 1, count - 1, count + 2) if n > 0] if count else []


class _Walk:
    """Walks along the aligned pairs of words and has the differences between them judged."""

    def __init__(self, piece: Piece, judge: Judge, pairs: Pairs, start: int, end: int) -> None:
        self._piece, self._judge, self._pairs = piece, judge, pairs
        self._weights = weigh(piece)
        self._out = Compared(piece, start, end)

    def outcome(self) -> Compared:
        out, piece = self._out, self._piece
        i, j = 0, out.first
        joined = False  # the words before are the same as well
        for k, m in (*self._pairs, (len(piece.words), out.behind)):
            if k > i or m > j:
                joined = self._stretch(i, k, j, m, joined)
            if k == len(piece.words):
                break
            self._word(k, m, joined)
            i, j, joined = k + 1, m + 1, True
        self._ends()
        return out

    def _word(self, k: int, m: int, joined: bool) -> None:
        out, word = self._out, self._piece.words[k]
        if joined:
            self._gap(k, m)
        same = self._judge.word(word, m, first=k == 0)
        if same is None:
            out.differences.append(Difference((k, k + 1), (m, m + 1)))
        else:
            out.allowed |= same
        out.pairs.append((k, m))
        out.weight += self._weights[k]

    def _gap(self, k: int, m: int) -> None:
        same = self._judge.gap(self._piece.words[k].gap, m)
        if same is None:
            self._out.differences.append(Difference((k, k), (m, m), punctuation=True))
        else:
            self._out.allowed |= same

    def _stretch(self, i: int, k: int, j: int, m: int, joined: bool) -> bool:
        """Words without a partner: whether what follows them is still joined to them."""
        out = self._out
        left_out = i == k < len(self._piece.words) and joined
        if left_out and self._judge.notes(self._piece.words[k].gap, j, m):
            out.allowed.add(NOTE_NUMBER)
            return False  # what is around the number has just been compared
        # Misread words stand beside words that were changed: those at either end are judged by themselves.
        head = i, j
        same = self._judge.run(self._piece.words[i:k], j, m, opens=i == 0)
        if same is None:
            while i < k and j < m and self._one(i, j, joined):
                i, j, joined = i + 1, j + 1, True
            tail = 0
            while i < k - tail and j < m - tail:
                at, there = k - tail - 1, m - tail - 1
                if self._judge.run(self._piece.words[at : at + 1], there, there + 1, opens=at == 0) is None:
                    break
                tail += 1
            if i < k - tail or j < m - tail:
                out.differences.append(Difference((i, k - tail), (j, m - tail)))
                if i < k - tail or not _in_brackets(self._judge.work, j, m - tail):
                    out.surplus += max(0, (m - tail - j) - (k - tail - i))
                out.weight += self._credit(i, k - tail, j, m - tail)
                joined = False
            for at, there in zip(range(k - tail, k), range(m - tail, m), strict=True):
                self._one(at, there, joined)
                joined = True
            return joined
        if joined and k > i and m > j:
            self._gap(*head)
        out.allowed |= same
        out.weight += sum(self._weights[i:k])
        if k - i == m - j:
            out.pairs += zip(range(i, k), range(j, m), strict=True)
        return True

    def _credit(self, i: int, k: int, j: int, m: int) -> float:
        """What words that differ still tell about the place: badly read ones that nothing excuses, a plural, a typo."""
        if k - i != m - j or k - i > _MAX_CREDITED:
            return 0.0
        pairs = zip(range(i, k), range(j, m), strict=True)
        alike = (a for a, b in pairs if look_alike(self._piece.words[a].folds[0], self._judge.work.fold(b)))
        return _CREDIT * sum(self._weights[a] for a in alike)

    def _one(self, i: int, j: int, joined: bool) -> bool:
        same = self._judge.run(self._piece.words[i : i + 1], j, j + 1, opens=i == 0)
        if same is None:
            return False
        if joined:
            self._gap(i, j)
        self._out.allowed |= same
        self._out.weight += self._weights[i]
        self._out.pairs.append((i, j))
        return True

    def _ends(self) -> None:
        """Half of a compound, or a number without its sign, is not what the work says."""
        out, work = self._out, self._judge.work
        if not out.pairs and not out.weight:
            return
        whole = out.first
        if whole and _clings(work.gap(whole), work.fold(whole - 1), work.fold(whole)) and work.piece(whole)[0] < whole:
            old = out.differences.pop(0) if out.differences and out.differences[0].work[0] == whole else None
            quoted, behind = (old.quote, old.work[1]) if old else ((0, 1), whole + 1)
            out.differences.insert(0, Difference(quoted, (whole - 1, behind)))
        last, count = out.behind, len(self._piece.words)
        if last < work.piece(out.first)[1] and _clings(work.gap(last), work.fold(last - 1), work.fold(last)):
            old = out.differences.pop() if out.differences and out.differences[-1].work[1] == last else None
            quoted, first = (old.quote, old.work[0]) if old else ((count - 1, count), last - 1)
            out.differences.append(Difference(quoted, (first, last + 1)))
        tail = tokens.punctuation(self._piece.tail)
        if tail and tail != tokens.punctuation(work.gap(last)):
            out.allowed.add(END)


def _clings(gap: str, before: str, after: str) -> bool:
    if gap in ("-", "‐", "‑"):
        return True
    if gap in ("–", "−"):
        return before[-1].isdigit() and after[0].isdigit()
    if gap:
        return False
    return (not before[-1].isalnum() and after[0].isdigit()) or (before[-1].isdigit() and not after[0].isalnum())
