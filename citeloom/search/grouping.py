"""Groups found passages into hits: shows duplicates once, joins neighbours, limits the hits per work.

Called by `search.query` after the index search.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from citeloom.index.base import ScoredPoint

# A passage is a duplicate of another that has this share of its word n-grams: a preprint and the published work are
# cut into passages at different places. The words that both have must be identical: methods and tables are often
# equal except for a number or a "not", and that difference matters.
_SHARED_NGRAMS = 0.7
_NGRAM = 4  # words
_MAX_COMPARED = 20_000  # characters; a longer text, such as a book stored by an agent, is compared as a whole
MAX_ALSO_IN = 5  # near-duplicates named in a hit
_NEAR_TIE = 0.05  # of duplicates whose scores differ by less, the one with the better citation is shown
_SEPARATOR = "\n\n"  # between joined passages
_MIN_OVERLAP, _MAX_OVERLAP = 20, 2_000  # characters at the end of a passage that the next may begin with
_WORD = re.compile(r"\w+|[<>≤≥≠]|(?<!\w)-(?=\s?[\d.])")
_MINUS = str.maketrans("−–", "--")
_Words = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _NGrams:
    """The words of a text, and the positions of its word n-grams."""

    words: _Words
    positions: dict[_Words, tuple[int, int]]  # first and last position of each n-gram

    @classmethod
    def of(cls, text: str) -> _NGrams:
        if len(text) > _MAX_COMPARED:
            return cls((text,), {(text,): (0, 0)})
        words = tuple(_WORD.findall(unicodedata.normalize("NFKC", text).casefold().translate(_MINUS)))
        positions: dict[_Words, tuple[int, int]] = {}
        for at, ngram in enumerate(zip(*(words[at:] for at in range(_NGRAM)), strict=False)):
            positions[ngram] = (positions[ngram][0] if ngram in positions else at, at)
        return cls(words, positions or {words or (text,): (0, 0)})

    def within(self, other: _NGrams) -> bool:
        """Whether most of this text is in the other, without differences between or beside the shared parts."""
        shared = self.positions.keys() & other.positions.keys()
        if not shared or len(shared) < _SHARED_NGRAMS * len(self.positions):
            return False
        # One may begin earlier or end later than the other: only the words that both have are compared.
        (first, last), (others_first, others_last) = self._span(shared), other._span(shared)
        before, after = min(first, others_first), min(len(self.words) - last, len(other.words) - others_last)
        own, others = (
            self.words[first - before : last + after],
            other.words[others_first - before : others_last + after],
        )
        return _normalised(own) == _normalised(others)

    def _span(self, ngrams: Iterable[_Words]) -> tuple[int, int]:
        spans = [self.positions[ngram] for ngram in ngrams]
        return min(first for first, _ in spans), max(last for _, last in spans)


def _normalised(words: _Words) -> str:
    """Join words for comparison, so that hyphenated words are equal; numbers stay separate."""
    return "".join(word if word.isalpha() else f" {word} " for word in words)


@dataclass(slots=True, eq=False)
class HitGroup:
    """Passages that are shown as one hit."""

    parts: list[ScoredPoint]  # neighbouring passages, in reading order
    score: float
    also_in: list[ScoredPoint] = field(default_factory=list)  # passages with the same text
    ngrams: _NGrams | None = None

    @property
    def best(self) -> ScoredPoint:
        """The part with the highest score."""
        return max(self.parts, key=lambda part: part.score)

    def merged(self) -> ScoredPoint:
        """Return the parts as one passage with the id of the best part and the pages of all."""
        if len(self.parts) == 1:
            return replace(self.parts[0], score=self.score)
        best, labels = self.best, [label for part in self.parts for label in part.payload.get("page_labels") or []]
        combined = {
            "chunk_text": _joined(self.parts),
            "page_start": min(self._known("page_start"), default=None),
            "page_end": max(self._known("page_end"), default=None),
            "page_labels": list(dict.fromkeys(labels)),
            "ocr_confidence": min(self._known("ocr_confidence"), default=None),
        }
        if lines := self._known("lines"):
            combined["lines"] = [min(first for first, _ in lines), max(last for _, last in lines)]
        return replace(best, score=self.score, payload={**best.payload, **combined})

    def _known(self, key: str) -> list[Any]:
        return [value for part in self.parts if (value := part.payload.get(key)) is not None]

    def add_neighbours(self, hits: Sequence[ScoredPoint]) -> None:
        """Add passages that directly precede or follow."""
        self.parts = sorted([*self.parts, *hits], key=_position)
        self.ngrams = _NGrams.of(_joined(self.parts))


def group_hits(found: Iterable[ScoredPoint], limit: int, *, per_document: int | None, max_chars: int) -> list[HitGroup]:
    """Group passages, given best first, into at most `limit` hits; neighbours are joined up to `max_chars`."""
    groups: list[HitGroup] = []
    for hit in found:
        ngrams = _NGrams.of(_text(hit))
        neighbours = [group for group in groups if _are_consecutive(group.parts, [hit], max_chars)]
        original = next((group for group in groups if group.ngrams and ngrams.within(group.ngrams)), None)
        full = per_document is not None and sum(_work(group.best) == _work(hit) for group in groups) >= per_document
        if original and original not in neighbours:
            _add_duplicate(original, hit, ngrams, may_show=not full or _work(original.best) == _work(hit))
        elif neighbours:
            neighbours[0].add_neighbours([hit])
            # The passage may have closed the gap to another hit.
            for other in neighbours[1:]:
                if _are_consecutive(neighbours[0].parts, other.parts, max_chars):
                    neighbours[0].add_neighbours(other.parts)
                    neighbours[0].also_in += other.also_in
                    groups.remove(other)
        elif full:
            continue
        elif len(groups) == limit:
            break
        else:
            groups.append(HitGroup([hit], hit.score, ngrams=ngrams))
    return sorted(groups, key=lambda group: -group.score)


def _text(hit: ScoredPoint) -> str:
    return str(hit.payload.get("chunk_text", ""))


def _add_duplicate(group: HitGroup, hit: ScoredPoint, ngrams: _NGrams, *, may_show: bool) -> None:
    shown = group.best
    # A document without a work never hides a work with the same text, whatever the scores.
    replaceable = len(group.parts) == 1 and (shown.score - hit.score < _NEAR_TIE or not _has_work(shown))
    better = _citation_rank(hit) > _citation_rank(shown)
    if may_show and replaceable and better and group.ngrams and group.ngrams.within(ngrams):
        group.parts, group.score, group.ngrams, hit = [hit], hit.score, ngrams, shown
    group.also_in.append(hit)


def _has_work(hit: ScoredPoint) -> bool:
    return bool(hit.payload.get("citekey"))


def _citation_rank(hit: ScoredPoint) -> tuple[bool, bool, bool]:
    """Sort key by citation: of a work, with a printed page, with a DOI."""
    return _has_work(hit), bool(hit.payload.get("page_labels")), bool(hit.payload.get("doi"))


def _work(hit: ScoredPoint) -> str:
    return str(hit.payload.get("citekey") or hit.payload.get("doc_id"))


def _position(hit: ScoredPoint) -> int:
    return int(hit.payload.get("chunk_index", 0))


def _page_fields(hit: ScoredPoint) -> tuple[bool, bool]:
    return hit.payload.get("page_start") is not None, bool(hit.payload.get("page_labels"))


def _are_consecutive(some: Sequence[ScoredPoint], others: Sequence[ScoredPoint], max_chars: int) -> bool:
    """Whether passages follow each other in a section of the same document, and fit into `max_chars` together.

    Highlights and comments of the researcher are never joined, and a page is known for all parts or for none.
    """
    one, other = some[0].payload, others[0].payload
    if any(one.get(key) != other.get(key) for key in ("doc_id", "version", "section_path", "text_source")):
        return False
    if one.get("annotation") or _page_fields(some[0]) != _page_fields(others[0]):
        return False
    before, after = (some, others) if _position(some[0]) < _position(others[0]) else (others, some)
    if _position(after[0]) - _position(before[-1]) != 1:
        return False
    # Stored passages have the order in which they were sent: only an overlap proves that they are consecutive.
    if _stored(some[0]) and not _overlap(_text(before[-1]), _text(after[0])):
        return False
    return len(_joined([*before, *after])) <= max_chars


def _joined(parts: Sequence[ScoredPoint]) -> str:
    """Join the text of neighbouring passages; an overlap of passages stored by an agent is included once.

    Imported passages never overlap: if one begins as the other ends, as in a table with two equal rows, the work has
    it twice.
    """
    text = _text(parts[0])
    for part in parts[1:]:
        next_text = _text(part)
        overlap = _overlap(text, next_text) if _stored(part) else 0
        text = text + next_text[overlap:] if overlap else f"{text}{_SEPARATOR}{next_text}"
    return text


def _stored(hit: ScoredPoint) -> bool:
    return hit.payload.get("file_type") == "stored"


def _overlap(text: str, next_text: str) -> int:
    """Return how many characters at the end of a text the next one begins with."""
    at = max(0, len(text) - _MAX_OVERLAP)
    while (at := text.find(next_text[:_MIN_OVERLAP], at)) >= 0:
        if next_text.startswith(text[at:]):
            return len(text) - at if len(text) - at >= _MIN_OVERLAP else 0
        at += 1
    return 0
