"""Which of the found passages are shown: one of several alike, neighbours as one, not too many of one work."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from citeloom.index.collection import Hit

# Two passages are alike where so much of the shorter stands in the other, counted in runs of words. A preprint and
# the published work are cut into passages at other places, so that they rarely agree from end to end.
_ALIKE = 0.7
_RUN = 4  # words
_NEAR_TIE = 0.05  # passages alike whose scores differ by less: the one that can be cited better is shown
_BETWEEN = "\n\n"
_SHORTEST_OVERLAP, _LONGEST_OVERLAP = 20, 2_000  # characters at the end of a passage that the next may begin with
_WORD = re.compile(r"\w+")
_Runs = frozenset[tuple[str, ...]]


@dataclass(slots=True)
class Chosen:
    """A hit as it is shown."""

    parts: list[Hit]  # the passages it is made of, in the order of reading
    score: float
    also_in: list[Hit] = field(default_factory=list)  # passages that say the same
    runs: list[_Runs] = field(default_factory=list)  # the words of its parts

    @property
    def best(self) -> Hit:
        """The part that was found first."""
        return max(self.parts, key=lambda part: part.score)

    def as_one(self) -> Hit:
        """Its parts as one passage: known by the best of them, on the pages of all."""
        if len(self.parts) == 1:
            return replace(self.parts[0], score=self.score)
        first, last, best = self.parts[0].payload, self.parts[-1].payload, self.best
        labels = [label for part in self.parts for label in part.payload.get("page_labels") or []]
        sure = [c for part in self.parts if (c := part.payload.get("ocr_confidence")) is not None]
        together = {
            "chunk_text": _joined(self.parts),
            "page_start": first.get("page_start"),
            "page_end": last.get("page_end"),
            "page_labels": list(dict.fromkeys(labels)),
            "ocr_confidence": min(sure, default=None),
        }
        return Hit(best.id, self.score, {**best.payload, **together})


def choose(found: Iterable[Hit], most: int, *, per_document: int | None, max_chars: int) -> list[Chosen]:
    """What to show of passages that come best first; neighbours become one where their text fits into `max_chars`."""
    chosen: list[Chosen] = []
    for hit in found:
        runs = _runs(_text(hit))
        if twin := next((one for one in chosen if any(_alike(runs, known) for known in one.runs)), None):
            _add_alike(twin, hit, runs)
        elif beside := [one for one in chosen if _continue(one.parts, [hit], max_chars)]:
            beside[0].parts = _in_order([*beside[0].parts, hit])
            beside[0].runs.append(runs)
            # It may have closed the gap to another hit.
            for other in beside[1:]:
                if _continue(beside[0].parts, other.parts, max_chars):
                    beside[0].parts = _in_order([*beside[0].parts, *other.parts])
                    beside[0].runs += other.runs
                    beside[0].also_in += other.also_in
                    chosen.remove(other)
        elif per_document and sum(_work(one.best) == _work(hit) for one in chosen) >= per_document:
            continue
        elif len(chosen) == most:
            break
        else:
            chosen.append(Chosen([hit], hit.score, runs=[runs]))
    return sorted(chosen, key=lambda one: -one.score)


def _text(hit: Hit) -> str:
    return str(hit.payload.get("chunk_text", ""))


def _runs(text: str) -> _Runs:
    words = _WORD.findall(text.casefold())
    return frozenset(zip(*(words[at:] for at in range(_RUN)), strict=False)) or frozenset([tuple(words)])


def _alike(one: _Runs, other: _Runs) -> bool:
    return len(one & other) >= _ALIKE * min(len(one), len(other))


def _add_alike(chosen: Chosen, hit: Hit, runs: _Runs) -> None:
    shown = chosen.best
    if len(chosen.parts) == 1 and shown.score - hit.score < _NEAR_TIE and _citable(hit) > _citable(shown):
        chosen.parts, chosen.score, chosen.runs, hit = [hit], hit.score, [runs], shown
    chosen.also_in.append(hit)


def _citable(hit: Hit) -> tuple[bool, bool]:
    """How well a passage can be cited: a printed page, and a DOI."""
    return bool(hit.payload.get("page_labels")), bool(hit.payload.get("doi"))


def _work(hit: Hit) -> str:
    return str(hit.payload.get("citekey") or hit.payload.get("doc_id"))


def _place(hit: Hit) -> int:
    return int(hit.payload.get("chunk_index", 0))


def _in_order(parts: Sequence[Hit]) -> list[Hit]:
    return sorted(parts, key=_place)


def _continue(some: Sequence[Hit], others: Sequence[Hit], max_chars: int) -> bool:
    """Whether passages stand one after the other in a section of the same document, and may be shown whole together.

    Highlights and comments of the researcher are one each, and a page is known for all parts or for none.
    """
    one, other = some[0].payload, others[0].payload
    if any(one.get(key) != other.get(key) for key in ("doc_id", "version", "section_path", "text_source")):
        return False
    if one.get("annotation") or bool(one.get("page_labels")) != bool(other.get("page_labels")):
        return False
    before, after = (some, others) if _place(some[0]) < _place(others[0]) else (others, some)
    if _place(after[0]) - _place(before[-1]) != 1:
        return False
    # What agents store has the order it was sent in: only the text itself shows that one continues the other.
    if one.get("file_type") == "stored" and not _overlap(_text(before[-1]), _text(after[0])):
        return False
    return len(_joined([*before, *after])) <= max_chars


def _joined(parts: Sequence[Hit]) -> str:
    """What passages say one after the other; what two of them both have stands there once."""
    whole = _text(parts[0])
    for part in parts[1:]:
        following = _text(part)
        overlap = _overlap(whole, following)
        whole = whole + following[overlap:] if overlap else f"{whole}{_BETWEEN}{following}"
    return whole


def _overlap(text: str, following: str) -> int:
    """How many characters at the end of a text the following one begins with."""
    at = max(0, len(text) - _LONGEST_OVERLAP)
    while (at := text.find(following[:_SHORTEST_OVERLAP], at)) >= 0:
        if following.startswith(text[at:]):
            return len(text) - at if len(text) - at >= _SHORTEST_OVERLAP else 0
        at += 1
    return 0
