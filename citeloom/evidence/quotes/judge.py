"""Decides which differences between a quotation and a work do not count: typography, hyphenation, OCR errors."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import cached_property

from citeloom.core.types import TextSource
from citeloom.evidence.quotes import tokens
from citeloom.evidence.quotes.lexicon import Lexicon
from citeloom.evidence.quotes.ocr_confusions import may_be_misread
from citeloom.evidence.quotes.quotation import Word
from citeloom.evidence.quotes.work_text import WorkText

WHITESPACE = "whitespace"
QUOTATION_MARKS = "quotation marks"
DASHES = "dashes"
HYPHENATION = "hyphenation"
LIGATURES = "ligatures"
OCR = "ocr"
CAPITAL = "capital at the start"
END = "punctuation at the end"
NOTE_NUMBER = "note number"
BRACKETS = "words in brackets"
ELLIPSIS = "ellipsis"

_QUOTATION_MARKS = frozenset("\"“”„‟«»‹›‘’‚‛'`´")
_DASHES = frozenset("-‐‑‒–—―−")
_MAX_TOGETHER = 4  # words that may have run together or been torn apart
_SHORT = 3
_LONG = 6  # letters from which two words of a language nobody knows hardly differ by a misread letter alone
_ENDINGS = ("s", "es", "d", "ed", "ing", "r", "er", "ly")  # of words that a vocabulary may have only without
_FULL = 4  # letters of a word that few languages share
_SAMPLE = 400  # words of a work that tell its language
# "12", "3,4": the signs of notes, and of references that are numbered.
_NOTES = re.compile(r"\d{1,3}(?:,\d{1,3})*")
_WITH_NOTES = re.compile(rf"([^\W\d_]{{4,}}){_NOTES.pattern}")


class Judge:
    """Decides on the differences between one quotation and one work."""

    def __init__(self, work: WorkText, lexicon: Lexicon, quoted: Sequence[str]) -> None:
        self.work = work
        self._is_word = lexicon.has
        self._could_be = lexicon.could_have
        self._quoted = quoted

    def word(self, quoted: Word, at: int, *, first: bool) -> set[str] | None:
        """What differs between two words that are folded alike; None where their case does."""
        written = self.work.raw(at, at + 1)
        if quoted.bracketed:
            return {BRACKETS}
        if quoted.written == written:
            return set()
        here, there = tokens.fold_keeping_case(quoted.written), tokens.fold_keeping_case(written)
        if here == there:
            return {QUOTATION_MARKS if _only_marks(quoted.written, written) else LIGATURES}
        if first and here[1:] == there[1:]:
            return {CAPITAL}
        return None

    def gap(self, quoted: str, at: int) -> set[str] | None:
        """What differs between the words before two words that are alike; None where punctuation does."""
        written = self.work.gap(at)
        if quoted == written:
            return set()
        if tokens.punctuation(quoted) != tokens.punctuation(written):
            return None
        allowed = set()
        if _signs(quoted, _QUOTATION_MARKS) != _signs(written, _QUOTATION_MARKS):
            allowed.add(QUOTATION_MARKS)
        if _signs(quoted, _DASHES) != _signs(written, _DASHES):
            allowed.add(DASHES)
        if "\u00ad" in quoted + written:
            allowed.add(HYPHENATION)
        if any(c.isspace() for c in quoted) != any(c.isspace() for c in written):
            allowed.add(WHITESPACE)
        return allowed

    def notes(self, quoted: str, first: int, behind: int) -> bool:
        """Whether words are the numbers of notes, which the quotation leaves out and nothing else."""
        if behind - first > _MAX_TOGETHER or not self._are_notes(first, behind):
            return False
        return tokens.punctuation(quoted) == tokens.punctuation(self.work.gap(first) + self.work.gap(behind))

    def run(self, quoted: Sequence[Word], first: int, behind: int, *, opens: bool = False) -> set[str] | None:
        """Why words that are written differently are the same all the same; None where they are not.

        `opens` says that the quotation begins with them.
        """
        count = behind - first
        if not quoted or not count:
            return None
        if max(len(quoted), count) > 2 * _MAX_TOGETHER and len(quoted) != count:
            return None
        here = [word.folds[0] for word in quoted]
        there = [self.work.fold(at) for at in range(first, behind)]
        if "".join(here) == "".join(there) and here != there:
            return self._divided(quoted, here, first, there, opens=opens)
        if len(here) == count:
            return self._misread_each(quoted, here, first, there, opens=opens)
        if max(len(here), count) <= _MAX_TOGETHER and self._misread(here, first, there):
            return {OCR}
        return None

    def _are_notes(self, first: int, behind: int) -> bool:
        """Whether numbers are the signs of notes: they follow a mark that ends a phrase, with nothing between."""
        before = self.work.gap(first)
        if first == 0 or not before or before[-1] not in '.,;:!?”’"»)':
            return False
        if not all(_NOTES.fullmatch(self.work.fold(at)) for at in range(first, behind)):
            return False
        if any(self.work.gap(at) not in _DASHES for at in range(first + 1, behind)):
            return False
        # "Fig.3", "no.7" and "3:1" are no notes.
        last = self.work.fold(first - 1)
        return (before[0] != "." or len(last) > 4) and not (before == ":" and last[-1].isdigit())

    def _divided(
        self, quoted: Sequence[Word], here: list[str], first: int, there: list[str], *, opens: bool
    ) -> set[str] | None:
        """The same letters, divided into words in different ways."""
        one, other = _ends(here), _ends(there)
        allowed: set[str] = set()
        cased = "".join(tokens.fold_keeping_case(word.written) for word in quoted)
        written = "".join(
            tokens.fold_keeping_case(self.work.raw(at, at + 1)) for at in range(first, first + len(there))
        )
        if cased != written:
            if not opens or cased[1:] != written[1:]:
                return None
            allowed.add(CAPITAL)
        joined = "".join(here)
        for end in sorted(one.keys() ^ other.keys()):
            if end in one:
                gap, ends = quoted[one[end]].gap, one
            else:
                gap, ends = self.work.gap(first + other[end]), other
            allowed_here = self._division(gap, joined, end, ends, other if ends is one else one)
            if allowed_here is None:
                return None
            allowed.add(allowed_here)
        for end in one.keys() & other.keys():
            same = self.gap(quoted[one[end]].gap, first + other[end])
            if same is None:
                return None
            allowed |= same
        return allowed

    def _division(self, gap: str, letters: str, end: int, ends: dict[int, int], others: dict[int, int]) -> str | None:
        """Why a word may be divided here: by a hyphen, or by a space where there should be none, or the reverse."""
        low = max((e for e in (0, *ends, *others) if e < end), default=0)
        high = min((e for e in (*ends, *others) if e > end), default=len(letters))
        head, tail, whole = letters[low:end], letters[end:high], letters[low:high]
        if head[-1].isdigit() and tail[0].isdigit():
            return None
        if tokens.is_unspaced(head[-1]) and tokens.is_unspaced(tail[0]):
            return WHITESPACE
        if tokens.is_hyphen(gap):
            at_line_end = len(gap) > 1 or gap == "\u00ad"
            # "re-sign" is not "resign"; "infor-mation" is "information".
            other_word = len(head) <= _SHORT and self._known(whole) and self._known(tail)
            return HYPHENATION if at_line_end or not other_word else None
        if gap.strip():
            return None
        # "ofthe" is "of the"; "nowhere" is not "now here".
        return None if self._known(whole) and self._known(head) and self._known(tail) else WHITESPACE

    def _misread_each(
        self, quoted: Sequence[Word], here: list[str], first: int, there: list[str], *, opens: bool
    ) -> set[str] | None:
        allowed: set[str] = set()
        for number, (one, other) in enumerate(zip(here, there, strict=True)):
            at = first + number
            if number:
                same = self.gap(quoted[number].gap, at)
                if same is None:
                    return None
                allowed |= same
            if other in quoted[number].folds:
                same = self.word(quoted[number], at, first=opens and not number)
            else:
                same = self._read_as(one, at, other)
            if same is None:
                return None
            allowed |= same
        return allowed

    def _read_as(self, here: str, at: int, there: str) -> set[str] | None:
        """Why one word stands in the work for another: a note's number clings to it, or either was misread."""
        noted = _WITH_NOTES.fullmatch(self.work.raw(at, at + 1))
        if noted and noted[1] == here and self._is_word(here) and self.work.count(there) == 1:
            return {NOTE_NUMBER}
        return {OCR} if self._misread([here], at, [there]) else None

    def _misread(self, here: list[str], first: int, there: list[str]) -> bool:
        one, other = "".join(here), "".join(there)
        scanned = self.work.origin(first).text_source is TextSource.OCR
        if not scanned and (not self._at_home or self._is_name(first)):
            return False  # names differ by a letter in earnest: only a scanned page excuses them
        if not self._at_home:
            seen = min(map(self.work.count, here)) > max(map(self.work.count, there))
            return seen and min(len(one), len(other)) >= _LONG and may_be_misread(other, one)
        # Of two that both look like words, nobody knows which is meant: "modem" and "modern".
        if not all(_is_letters(w) and (self._known(w, scanned=scanned) or self._could_be(w)) for w in there):
            # What is printed as text is what the author wrote, unless the author writes the other word as well.
            good = all(_is_letters(w) and (self.work.count(w) or (scanned and self._is_word(w))) for w in here)
            return good and may_be_misread(other, one)
        bad = not all(_is_letters(w) and (self._is_a_word(w) or self._could_be(w) or self.work.count(w)) for w in here)
        return bad and may_be_misread(one, other)

    @cached_property
    def _at_home(self) -> bool:
        """Whether `is_word` knows the language: elsewhere, that it does not know a word says nothing."""
        work = self.work
        sample = (work.fold(at) for at in range(0, len(work.ids) - 1, max(1, len(work.ids) // _SAMPLE)))
        return self._knows(sample) and self._knows(self._quoted)

    def _knows(self, said: Iterable[str]) -> bool:
        full = [word for word in said if len(word) >= _FULL and word.isalpha()]
        return sum(map(self._is_word, full)) >= len(full) / 3

    def _known(self, word: str, *, scanned: bool = False) -> bool:
        """Whether a word is one: in the language at large, or one that the work uses more than once."""
        return self._is_a_word(word) or (not scanned and self.work.count(word) > 1)

    def _is_a_word(self, word: str) -> bool:
        """Whether a word is one in the language at large, or one of those with an ending."""
        bare = (word.removesuffix(ending) for ending in _ENDINGS)
        return self._is_word(word) or any(len(stem) > 2 and self._is_word(stem) for stem in bare)

    def _is_name(self, at: int) -> bool:
        written = self.work.raw(at, at + 1)
        return written[:1].isupper() and not any(c in ".!?:\n" for c in self.work.gap(at)) and at > 0


def _ends(folds: list[str]) -> dict[int, int]:
    """Where words end within their joined letters, and which word follows; the last end is left out."""
    ends, length = {}, 0
    for number, word in enumerate(folds[:-1], start=1):
        length += len(word)
        ends[length] = number
    return ends


def _is_letters(word: str) -> bool:
    return not tokens.is_number(word)


def _signs(gap: str, signs: frozenset[str]) -> list[str]:
    return [c for c in gap if c in signs]


def _only_marks(one: str, other: str) -> bool:
    return [c for c in one if c not in _QUOTATION_MARKS] == [c for c in other if c not in _QUOTATION_MARKS]
