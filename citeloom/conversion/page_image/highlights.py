"""Finds a passage on a page by aligning its words with those of the page, and returns boxes by line."""

from __future__ import annotations

import math
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise

from citeloom.core.text.normalize import letters_and_digits

Box = tuple[float, float, float, float]  # left, top, right, bottom
NO_BOX: Box = (0.0, 0.0, 0.0, 0.0)  # of a space

_HYPHENS = frozenset("-\u00ad\u2010\u2011")
_WITHIN_WORDS = frozenset("'’‘ʼ`´\u200b\u200c\u200d\u2060\ufeff") | _HYPHENS
_OPENING = frozenset(("Ps", "Pi"))
_BEAM_WIDTH = 48  # beam width of the alignment
_MAX_OCCURRENCES = 300  # of one word; more occurrences are ignored
_MAX_GAP = 4  # words; a gap up to this counts as continuing (a footnote mark, a formula)
_SKIP_COST = 0.7  # cost of each skipped word
_JUMP_COST = 3.0  # base cost of a jump, which grows with the distance
_MIN_WEIGHT = 0.1  # of a word, on a page that has no other
_MIN_MATCHED_WEIGHT = 0.6  # share of the expected weight below which nothing is marked


@dataclass(frozen=True, slots=True)
class PageText:
    """Characters of a page in file order, with their boxes on the displayed page."""

    text: str  # words are separated by spaces
    boxes: Sequence[Box]  # one per character
    width: float
    height: float


@dataclass(frozen=True, slots=True)
class _Token:
    """A folded word and its position in the text."""

    letters: str
    start: int
    end: int
    broken: bool = False  # ends with a hyphen
    page: int = 0


@dataclass(frozen=True, slots=True)
class _Step:
    """One matched word of an alignment, linked to the match before it."""

    score: float
    word: int  # of the passage
    places: tuple[int, ...]  # indexes of tokens on the page: several if the word is hyphenated there
    before: _Step | None

    @property
    def gain(self) -> float:
        """Weight that this match adds."""
        return self.score - (self.before.score if self.before else 0.0)


def find_marks(passage: str, pages: Mapping[int, PageText], shown: int, first: int, last: int) -> list[Box]:
    """Return the boxes of a passage, which spans pages `first` to `last`, on the page `shown`; none if not found.

    They are shares of the page's width and height. `pages` has the text around the page.
    """
    passage_words = [token.letters for token in _tokens(passage)]
    page_tokens = [token for number in sorted(pages) for token in _tokens(pages[number].text, number)]
    places = _WordPositions(page_tokens)
    steps = _align(passage_words, places)
    on_page = {step.word: step for step in steps if any(page_tokens[place].page == shown for place in step.places)}
    if not on_page:
        return []
    begin = 0 if shown == first else min(on_page)
    end = len(passage_words) if shown == last else max(on_page) + 1
    elsewhere = {step.word for step in steps} - set(on_page)
    expected = sum(places.weight(passage_words[at]) for at in range(begin, end) if at not in elsewhere)
    if sum(step.gain for step in on_page.values()) < _MIN_MATCHED_WEIGHT * expected:
        return []
    marked = sorted({place for step in on_page.values() for place in step.places if page_tokens[place].page == shown})
    page = pages[shown]
    return as_shares(_lines([(place, page_tokens[place]) for place in marked], page), page)


# --- words ------------------------------------------------------------------------------


def _tokens(text: str, page: int = 0) -> Iterator[_Token]:
    letters, start, end, hyphen = "", 0, 0, False
    for at, character in enumerate(text):
        bare = letters_and_digits(character)
        alone = bool(bare) and _is_word_by_itself(character)
        if letters and (alone or (not bare and not _continues_word(character))):
            yield _Token(letters, start, _with_punctuation(text, end), hyphen, page)
            letters = ""
        if alone:
            yield _Token(bare, at, at + 1, page=page)
        elif bare:
            start = start if letters else _with_opening(text, at)
            letters, end, hyphen = letters + bare, at + 1, False
        else:
            hyphen = character in _HYPHENS
    if letters:
        yield _Token(letters, start, _with_punctuation(text, end), hyphen, page)


def _continues_word(character: str) -> bool:
    """Return whether a word continues after a character: a hyphen, an apostrophe, a separate accent."""
    return character in _WITHIN_WORDS or unicodedata.category(character) in ("Mn", "Sk", "Cf")


def _is_word_by_itself(character: str) -> bool:
    """Return whether a letter counts as a word, as in scripts without spaces."""
    return unicodedata.east_asian_width(character) == "W"


def _with_punctuation(text: str, end: int) -> int:
    while end < len(text) and not text[end].isspace() and not letters_and_digits(text[end]):
        end += 1
    return end


def _with_opening(text: str, start: int) -> int:
    while start and (unicodedata.category(text[start - 1]) in _OPENING or text[start - 1] in "\"'"):
        start -= 1
    return start


# --- the passage among the page's words -------------------------------------------------


def _align(passage_words: Sequence[str], places: _WordPositions) -> list[_Step]:
    """Return the most likely match of each word (beam search).

    Words that are adjacent in passage and page cost nothing, a jump costs more the farther it is, and rare words have
    more weight. So a passage is followed across columns and around notes, and no single "the" is matched far from its
    sentence.
    """
    paths: list[_Step] = []
    for at, word in enumerate(passage_words):
        found = places.find(word)
        if not found:
            continue
        weight = places.weight(word)
        reached: dict[int, _Step] = {}
        for place in found:
            best, before = 0.0, None
            for path in paths:
                score = path.score - _cost(place[0] - path.places[-1], at - path.word <= _MAX_GAP)
                if score > best:
                    best, before = score, path
            step = _Step(best + weight, at, place, before)
            if place[-1] not in reached or reached[place[-1]].score < step.score:
                reached[place[-1]] = step
        paths = sorted([*reached.values(), *paths], key=lambda step: step.score, reverse=True)[:_BEAM_WIDTH]
    steps: list[_Step] = []
    last = paths[0] if paths else None
    while last:
        steps.append(last)
        last = last.before
    return steps[::-1]


@cache
def _cost(distance: int, continues: bool) -> float:
    """Return the cost of continuing `distance` words farther on the page; it is lower if it `continues` the passage."""
    if continues and 1 <= distance <= _MAX_GAP:
        return _SKIP_COST * (distance - 1)
    return _JUMP_COST + math.log(1 + abs(distance))


class _WordPositions:
    """Positions of words on the page, whole or hyphenated."""

    def __init__(self, page_tokens: Sequence[_Token]) -> None:
        self._whole: defaultdict[str, list[tuple[int, ...]]] = defaultdict(list)
        self._halves: defaultdict[str, list[tuple[int, ...]]] = defaultdict(list)
        self._broken: defaultdict[str, list[int]] = defaultdict(list)
        self._count = len(page_tokens)
        self._found: dict[str, list[tuple[int, ...]]] = {}
        for at, token in enumerate(page_tokens):
            self._whole[token.letters].append((at,))
            if token.broken:
                self._broken[token.letters].append(at)
        for at, (before, after) in enumerate(pairwise(page_tokens)):
            self._halves[before.letters + after.letters].append((at, at + 1))

    def find(self, word: str) -> list[tuple[int, ...]]:
        """Return all positions of a word, each as the indexes of its tokens."""
        if word not in self._found:
            found = [*self._whole.get(word, ()), *self._halves.get(word, ())]
            for length in range(1, len(word)):
                # The second half may be anywhere: at the top of the next column, after a note or a running header.
                for head in self._broken.get(word[:length], ()):
                    found += [(head, *tail) for tail in self._whole.get(word[length:], ()) if tail != (head + 1,)]
            self._found[word] = found[:_MAX_OCCURRENCES]
        return self._found[word]

    def weight(self, word: str) -> float:
        """Return the weight of a word: the rarer on the page, the higher."""
        return math.log((self._count + 1) / max(1, len(self.find(word)))) + _MIN_WEIGHT


# --- boxes ------------------------------------------------------------------------------


def _lines(tokens: Iterable[tuple[int, _Token]], page: PageText) -> list[Box]:
    lines: list[Box] = []
    last, down = 0, False
    for at, token in tokens:
        boxes = [box for box in page.boxes[token.start : token.end] if box[2] > box[0] and box[3] > box[1]]
        if not boxes:
            continue
        word = _bounding_box(boxes)
        down = _runs_down(boxes) if len(boxes) > 1 else down
        if lines and at - last <= _MAX_GAP and _same_line(lines[-1], word, down):
            lines[-1] = _bounding_box([lines[-1], word])
        else:
            lines.append(word)
        last = at
    return lines


def _runs_down(boxes: Sequence[Box]) -> bool:
    """Return whether the characters are above each other: text printed sideways."""
    first, last = boxes[0], boxes[-1]
    across = abs(first[0] + first[2] - last[0] - last[2])
    return abs(first[1] + first[3] - last[1] - last[3]) > across


def _same_line(line: Box, part: Box, down: bool) -> bool:
    low, high = (0, 2) if down else (1, 3)
    overlap = min(line[high], part[high]) - max(line[low], part[low])
    return overlap > 0.5 * min(line[high] - line[low], part[high] - part[low])


def _bounding_box(boxes: Sequence[Box]) -> Box:
    left, top, right, bottom = zip(*boxes, strict=True)
    return min(left), min(top), max(right), max(bottom)


def as_shares(boxes: Iterable[Box], page: PageText) -> list[Box]:
    """Return boxes as shares of the page, without those outside of it."""
    shares: list[Box] = []
    for box in boxes:
        left, right = (round(min(max(x / page.width, 0.0), 1.0), 5) for x in (box[0], box[2]))
        top, bottom = (round(min(max(y / page.height, 0.0), 1.0), 5) for y in (box[1], box[3]))
        if right > left and bottom > top:
            shares.append((left, top, right, bottom))
    return shares
