"""Which of the found passages are shown: one of several alike, neighbours as one, not too many of one work."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from citeloom.index.base import Hit

# A passage says the same as one that is shown where so much of it stands there, counted in runs of words: a preprint
# and the published work are cut into passages at other places. Where both have words, these must be the very same:
# methods and tables are often alike but for a number or a "not", and that is what a thesis is about.
_ALIKE = 0.7
_RUN = 4  # words
_LONGEST_READ = 20_000  # characters: what an agent stored may be a whole book, which is alike only to itself
MOST_NAMED = 5  # places where the same is said, that an answer names
_NEAR_TIE = 0.05  # passages alike whose scores differ by less: the one that can be cited better is shown
_BETWEEN = "\n\n"
_SHORTEST_OVERLAP, _LONGEST_OVERLAP = 20, 2_000  # characters at the end of a passage that the next may begin with
_WORD = re.compile(r"\w+|[<>≤≥≠]|(?<!\w)-(?=\s?[\d.])")
_MINUS = str.maketrans("−–", "--")
_Run = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Said:
    """The words of a text, and the places of its runs of words."""

    words: _Run
    runs: dict[_Run, tuple[int, int]]  # where each stands first and last

    @classmethod
    def of(cls, text: str) -> _Said:
        if len(text) > _LONGEST_READ:
            return cls((text,), {(text,): (0, 0)})
        words = tuple(_WORD.findall(unicodedata.normalize("NFKC", text).casefold().translate(_MINUS)))
        runs: dict[_Run, tuple[int, int]] = {}
        for at, run in enumerate(zip(*(words[at:] for at in range(_RUN)), strict=False)):
            runs[run] = (runs[run][0] if run in runs else at, at)
        return cls(words, runs or {words or (text,): (0, 0)})

    def within(self, other: _Said) -> bool:
        """Whether most of this stands in the other text, and nothing between or beside it differs."""
        shared = self.runs.keys() & other.runs.keys()
        if not shared or len(shared) < _ALIKE * len(self.runs):
            return False
        # One may begin earlier or end later than the other. What both have there is compared, like what lies between.
        (first, last), (others_first, others_last) = self._span(shared), other._span(shared)
        before, after = min(first, others_first), min(len(self.words) - last, len(other.words) - others_last)
        own, others = (
            self.words[first - before : last + after],
            other.words[others_first - before : others_last + after],
        )
        return _letters(own) == _letters(others)

    def _span(self, runs: Iterable[_Run]) -> tuple[int, int]:
        places = [self.runs[run] for run in runs]
        return min(first for first, _ in places), max(last for _, last in places)


def _letters(words: _Run) -> str:
    """Words for comparison: a word that was divided at the end of a line is the same word; numbers stay apart."""
    return "".join(word if word.isalpha() else f" {word} " for word in words)


@dataclass(slots=True, eq=False)
class Chosen:
    """A hit as it is shown."""

    parts: list[Hit]  # the passages it is made of, in the order of reading
    score: float
    also_in: list[Hit] = field(default_factory=list)  # passages that say the same
    said: _Said | None = None

    @property
    def best(self) -> Hit:
        """The part that was found first."""
        return max(self.parts, key=lambda part: part.score)

    def as_one(self) -> Hit:
        """Its parts as one passage: known by the best of them, on the pages of all."""
        if len(self.parts) == 1:
            return replace(self.parts[0], score=self.score)
        best, labels = self.best, [label for part in self.parts for label in part.payload.get("page_labels") or []]
        together = {
            "chunk_text": _joined(self.parts),
            "page_start": min(self._known("page_start"), default=None),
            "page_end": max(self._known("page_end"), default=None),
            "page_labels": list(dict.fromkeys(labels)),
            "ocr_confidence": min(self._known("ocr_confidence"), default=None),
        }
        return Hit(best.id, self.score, {**best.payload, **together})

    def _known(self, key: str) -> list[Any]:
        return [value for part in self.parts if (value := part.payload.get(key)) is not None]

    def join(self, hits: Sequence[Hit]) -> None:
        """Take in passages that stand beside it."""
        self.parts = sorted([*self.parts, *hits], key=_place)
        self.said = _Said.of(_joined(self.parts))


def choose(found: Iterable[Hit], most: int, *, per_document: int | None, max_chars: int) -> list[Chosen]:
    """What to show of passages that come best first; neighbours become one where their text fits into `max_chars`."""
    chosen: list[Chosen] = []
    for hit in found:
        said = _Said.of(_text(hit))
        beside = [one for one in chosen if _continue(one.parts, [hit], max_chars)]
        twin = next((one for one in chosen if one.said and said.within(one.said)), None)
        enough = per_document is not None and sum(_work(one.best) == _work(hit) for one in chosen) >= per_document
        if twin and twin not in beside:
            _add_alike(twin, hit, said, may_show=not enough or _work(twin.best) == _work(hit))
        elif beside:
            beside[0].join([hit])
            # It may have closed the gap to another hit.
            for other in beside[1:]:
                if _continue(beside[0].parts, other.parts, max_chars):
                    beside[0].join(other.parts)
                    beside[0].also_in += other.also_in
                    chosen.remove(other)
        elif enough:
            continue
        elif len(chosen) == most:
            break
        else:
            chosen.append(Chosen([hit], hit.score, said=said))
    return sorted(chosen, key=lambda one: -one.score)


def _text(hit: Hit) -> str:
    return str(hit.payload.get("chunk_text", ""))


def _add_alike(chosen: Chosen, hit: Hit, said: _Said, *, may_show: bool) -> None:
    shown = chosen.best
    # Whatever its score, what counts as no work never stands before the work that says the same.
    near = len(chosen.parts) == 1 and (shown.score - hit.score < _NEAR_TIE or not _of_work(shown))
    if may_show and near and _citable(hit) > _citable(shown) and chosen.said and chosen.said.within(said):
        chosen.parts, chosen.score, chosen.said, hit = [hit], hit.score, said, shown
    chosen.also_in.append(hit)


def _of_work(hit: Hit) -> bool:
    return bool(hit.payload.get("citekey"))


def _citable(hit: Hit) -> tuple[bool, bool, bool]:
    """How well a passage can be cited: at all, with a printed page, and with a DOI."""
    return _of_work(hit), bool(hit.payload.get("page_labels")), bool(hit.payload.get("doi"))


def _work(hit: Hit) -> str:
    return str(hit.payload.get("citekey") or hit.payload.get("doc_id"))


def _place(hit: Hit) -> int:
    return int(hit.payload.get("chunk_index", 0))


def _paged(hit: Hit) -> tuple[bool, bool]:
    return hit.payload.get("page_start") is not None, bool(hit.payload.get("page_labels"))


def _continue(some: Sequence[Hit], others: Sequence[Hit], max_chars: int) -> bool:
    """Whether passages stand one after the other in a section of the same document, and may be shown whole together.

    Highlights and comments of the researcher are one each, and a page is known for all parts or for none.
    """
    one, other = some[0].payload, others[0].payload
    if any(one.get(key) != other.get(key) for key in ("doc_id", "version", "section_path", "text_source")):
        return False
    if one.get("annotation") or _paged(some[0]) != _paged(others[0]):
        return False
    before, after = (some, others) if _place(some[0]) < _place(others[0]) else (others, some)
    if _place(after[0]) - _place(before[-1]) != 1:
        return False
    # What agents store has the order it was sent in: only the text itself shows that one continues the other.
    if _stored(some[0]) and not _overlap(_text(before[-1]), _text(after[0])):
        return False
    return len(_joined([*before, *after])) <= max_chars


def _joined(parts: Sequence[Hit]) -> str:
    """What passages say one after the other; where an agent let them overlap, what both have stands there once.

    Our own never overlap: where one begins as the other ends, as in a table with two equal rows, the work has it twice.
    """
    whole = _text(parts[0])
    for part in parts[1:]:
        following = _text(part)
        overlap = _overlap(whole, following) if _stored(part) else 0
        whole = whole + following[overlap:] if overlap else f"{whole}{_BETWEEN}{following}"
    return whole


def _stored(hit: Hit) -> bool:
    return hit.payload.get("file_type") == "stored"


def _overlap(text: str, following: str) -> int:
    """How many characters at the end of a text the following one begins with."""
    at = max(0, len(text) - _LONGEST_OVERLAP)
    while (at := text.find(following[:_SHORTEST_OVERLAP], at)) >= 0:
        if following.startswith(text[at:]):
            return len(text) - at if len(text) - at >= _SHORTEST_OVERLAP else 0
        at += 1
    return 0
