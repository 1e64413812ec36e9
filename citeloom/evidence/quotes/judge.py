"""Decides which differences between a quotation and a work are allowed: typography, hyphenation, OCR errors.

Used by `compare` and `match`.
"""

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
_MAX_JOINED = 4  # words that may have been joined or split
_MAX_PREFIX = 3
_MIN_UNKNOWN_LETTERS = 6  # letters; in an unknown language, shorter words often differ by one letter
_ENDINGS = ("s", "es", "d", "ed", "ing", "r", "er", "ly")  # the lexicon may have a word only without its ending
_MIN_TYPICAL_LETTERS = 4  # shorter words are common to many languages
_SAMPLE_SIZE = 400  # words of a work from which its language is recognised
# "12", "3,4": note numbers and numbered references.
_NOTES = re.compile(r"\d{1,3}(?:,\d{1,3})*")
_WITH_NOTES = re.compile(rf"([^\W\d_]{{4,}}){_NOTES.pattern}")


class Judge:
    """Decides on the differences between one quotation and one work."""

    def __init__(self, work: WorkText, lexicon: Lexicon, quoted: Sequence[str]) -> None:
        self.work = work
        self._in_lexicon = lexicon.has
        self._plausible = lexicon.could_have
        self._quoted = quoted

    def word(self, quoted: Word, at: int, *, first: bool) -> set[str] | None:
        """Return the allowed differences between two words that are equal when folded; None if their case differs."""
        written = self.work.raw(at, at + 1)
        if quoted.bracketed:
            return {BRACKETS}
        if quoted.written == written:
            return set()
        in_quote, in_work = tokens.fold_keeping_case(quoted.written), tokens.fold_keeping_case(written)
        if in_quote == in_work:
            return {QUOTATION_MARKS if _differ_in_marks_only(quoted.written, written) else LIGATURES}
        if first and in_quote[1:] == in_work[1:]:
            return {CAPITAL}
        return None

    def gap(self, quoted: str, at: int) -> set[str] | None:
        """Return the allowed differences between the text before two equal words; None if the punctuation differs."""
        written = self.work.gap(at)
        if quoted == written:
            return set()
        if tokens.punctuation(quoted) != tokens.punctuation(written):
            return None
        allowed = set()
        if _characters(quoted, _QUOTATION_MARKS) != _characters(written, _QUOTATION_MARKS):
            allowed.add(QUOTATION_MARKS)
        if _characters(quoted, _DASHES) != _characters(written, _DASHES):
            allowed.add(DASHES)
        if "\u00ad" in quoted + written:
            allowed.add(HYPHENATION)
        if any(c.isspace() for c in quoted) != any(c.isspace() for c in written):
            allowed.add(WHITESPACE)
        return allowed

    def notes(self, quoted: str, first: int, stop: int) -> bool:
        """Whether these words are note numbers, and the quotation leaves out nothing else."""
        if stop - first > _MAX_JOINED or not self._are_notes(first, stop):
            return False
        return tokens.punctuation(quoted) == tokens.punctuation(self.work.gap(first) + self.work.gap(stop))

    def run(self, quoted: Sequence[Word], first: int, stop: int, *, opens: bool = False) -> set[str] | None:
        """Return the allowed differences between two runs of words; None if they are different words.

        `opens`: the quotation begins with them.
        """
        count = stop - first
        if not quoted or not count:
            return None
        if max(len(quoted), count) > 2 * _MAX_JOINED and len(quoted) != count:
            return None
        in_quote = [word.folds[0] for word in quoted]
        in_work = [self.work.fold(at) for at in range(first, stop)]
        if "".join(in_quote) == "".join(in_work) and in_quote != in_work:
            return self._divided_differently(quoted, in_quote, first, in_work, opens=opens)
        if len(in_quote) == count:
            return self._misread_each(quoted, in_quote, first, in_work, opens=opens)
        if max(len(in_quote), count) <= _MAX_JOINED and self._misread(in_quote, first, in_work):
            return {OCR}
        return None

    def _are_notes(self, first: int, stop: int) -> bool:
        """Whether numbers are note numbers: they directly follow a mark that ends a phrase."""
        before = self.work.gap(first)
        if first == 0 or not before or before[-1] not in '.,;:!?”’"»)':
            return False
        if not all(_NOTES.fullmatch(self.work.fold(at)) for at in range(first, stop)):
            return False
        if any(self.work.gap(at) not in _DASHES for at in range(first + 1, stop)):
            return False
        # "Fig.3", "no.7" and "3:1" are not note numbers.
        last = self.work.fold(first - 1)
        return (before[0] != "." or len(last) > 4) and not (before == ":" and last[-1].isdigit())

    def _divided_differently(
        self, quoted: Sequence[Word], in_quote: list[str], first: int, in_work: list[str], *, opens: bool
    ) -> set[str] | None:
        """Compare the same letters that are divided into words differently."""
        one, other = _ends(in_quote), _ends(in_work)
        allowed: set[str] = set()
        cased = "".join(tokens.fold_keeping_case(word.written) for word in quoted)
        written = "".join(
            tokens.fold_keeping_case(self.work.raw(at, at + 1)) for at in range(first, first + len(in_work))
        )
        if cased != written:
            if not opens or cased[1:] != written[1:]:
                return None
            allowed.add(CAPITAL)
        joined = "".join(in_quote)
        for end in sorted(one.keys() ^ other.keys()):
            if end in one:
                gap, ends = quoted[one[end]].gap, one
            else:
                gap, ends = self.work.gap(first + other[end]), other
            reason = self._division(gap, joined, end, ends, other if ends is one else one)
            if reason is None:
                return None
            allowed.add(reason)
        for end in one.keys() & other.keys():
            same = self.gap(quoted[one[end]].gap, first + other[end])
            if same is None:
                return None
            allowed |= same
        return allowed

    def _division(self, gap: str, letters: str, end: int, ends: dict[int, int], others: dict[int, int]) -> str | None:
        """Return why a word may be divided at `end`: a hyphen, or a space too many or too few; None if it may not."""
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
            other_word = len(head) <= _MAX_PREFIX and self._known(whole) and self._known(tail)
            return HYPHENATION if at_line_end or not other_word else None
        if gap.strip():
            return None
        # "ofthe" is "of the"; "nowhere" is not "now here".
        return None if self._known(whole) and self._known(head) and self._known(tail) else WHITESPACE

    def _misread_each(
        self, quoted: Sequence[Word], in_quote: list[str], first: int, in_work: list[str], *, opens: bool
    ) -> set[str] | None:
        allowed: set[str] = set()
        for number, (one, other) in enumerate(zip(in_quote, in_work, strict=True)):
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

    def _read_as(self, in_quote: str, at: int, in_work: str) -> set[str] | None:
        """Return why two words are the same one: a note number is attached, or either was misread; None if not."""
        noted = _WITH_NOTES.fullmatch(self.work.raw(at, at + 1))
        if noted and noted[1] == in_quote and self._in_lexicon(in_quote) and self.work.count(in_work) == 1:
            return {NOTE_NUMBER}
        return {OCR} if self._misread([in_quote], at, [in_work]) else None

    def _misread(self, in_quote: list[str], first: int, in_work: list[str]) -> bool:
        one, other = "".join(in_quote), "".join(in_work)
        scanned = self.work.origin(first).text_source is TextSource.OCR
        if not scanned and (not self._knows_language or self._is_name(first)):
            return False  # one letter makes another name: an OCR error is assumed only on a scanned page
        if not self._knows_language:
            seen = min(map(self.work.count, in_quote)) > max(map(self.work.count, in_work))
            return seen and min(len(one), len(other)) >= _MIN_UNKNOWN_LETTERS and may_be_misread(other, one)
        # If both look like words, it is not known which is right: "modem" and "modern".
        if not all(_no_digit(w) and (self._known(w, scanned=scanned) or self._plausible(w)) for w in in_work):
            # Text that is not from OCR is what the author wrote, unless the author uses the other word as well.
            good = all(_no_digit(w) and (self.work.count(w) or (scanned and self._in_lexicon(w))) for w in in_quote)
            return good and may_be_misread(other, one)
        bad = not all(
            _no_digit(w) and (self._is_a_word(w) or self._plausible(w) or self.work.count(w)) for w in in_quote
        )
        return bad and may_be_misread(one, other)

    @cached_property
    def _knows_language(self) -> bool:
        """Whether the lexicon has the language; in others, a word that it lacks proves nothing."""
        work = self.work
        sample = (work.fold(at) for at in range(0, len(work.ids) - 1, max(1, len(work.ids) // _SAMPLE_SIZE)))
        return self._knows_most(sample) and self._knows_most(self._quoted)

    def _knows_most(self, words: Iterable[str]) -> bool:
        typical = [word for word in words if len(word) >= _MIN_TYPICAL_LETTERS and word.isalpha()]
        return sum(map(self._in_lexicon, typical)) >= len(typical) / 3

    def _known(self, word: str, *, scanned: bool = False) -> bool:
        """Whether a word is in the lexicon, or the work uses it more than once."""
        return self._is_a_word(word) or (not scanned and self.work.count(word) > 1)

    def _is_a_word(self, word: str) -> bool:
        """Whether a word is in the lexicon, with or without an ending."""
        bare = (word.removesuffix(ending) for ending in _ENDINGS)
        return self._in_lexicon(word) or any(len(stem) > 2 and self._in_lexicon(stem) for stem in bare)

    def _is_name(self, at: int) -> bool:
        written = self.work.raw(at, at + 1)
        return written[:1].isupper() and not any(c in ".!?:\n" for c in self.work.gap(at)) and at > 0


def _ends(folds: list[str]) -> dict[int, int]:
    """Map the end of each word but the last, within the joined letters, to the index of the next word."""
    ends, length = {}, 0
    for number, word in enumerate(folds[:-1], start=1):
        length += len(word)
        ends[length] = number
    return ends


def _no_digit(word: str) -> bool:
    return not any(c.isdigit() for c in word)


def _characters(gap: str, signs: frozenset[str]) -> list[str]:
    return [c for c in gap if c in signs]


def _differ_in_marks_only(one: str, other: str) -> bool:
    return [c for c in one if c not in _QUOTATION_MARKS] == [c for c in other if c not in _QUOTATION_MARKS]
