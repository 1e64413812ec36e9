"""Pairs citations with their sentences and quotations. Called by `reader` for every format.

A quotation between two citations may belong to either; if the sentence does not decide, it is paired with both.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import defaultdict
from dataclasses import dataclass, field, replace
from itertools import groupby

from citeloom.core.text.sentences import sentences
from citeloom.evidence.manuscripts.prose import MARK, Cited, Paragraph, Prose
from citeloom.evidence.manuscripts.quotation_marks import quoted
from citeloom.evidence.manuscripts.types import Citation, Quotation, Span

_MAX_SENTENCE = 2000  # characters; a longer sentence is divided
_MARKS = re.compile(rf"{MARK}(?: ?{MARK})++")
_ONLY_MARKS = re.compile(rf"(?<=\.) ?{MARK}\.| ?[(\[] ?(?:{MARK}[ ,;]?)++[)\]]| ?{MARK}(?=[.,;:!?)\]])|{MARK}")
_WHITE_SPACE = re.compile(r"\s")
_WORD = re.compile(r"\w")
# The source below a block quotation: a dash or a bracket and a few words.
_ATTRIBUTION = re.compile(r"(?:\A|(?<=\s)|(?<=[.!?…”»“\"]))[-–—―]{1,3}[^.!?]{0,80}\Z|[(\[][^()\[\]]{0,40}\Z")
_AFTER_ATTRIBUTION = re.compile(r"[\s.,;:]*(?:(?:pp?|S)\.?\s*)?[0-9ivxlc–-]{0,12}[\s.,;:)\]]*\Z")
# (Hartmann 2019: 257), (p. 257), (emphasis added) at the end of one.
_WRITTEN_SOURCE = re.compile(
    r"\s*\((?:[^()]{0,80}\b[12][0-9]{3}\b[^()]{0,40}|(?:pp?|S|ibid|ebd|emphasis|my|italics|Hervorh)\b[^()]{0,40}|[0-9]{1,4})\)"
    r"[\s.]*\Z"
)
_MAX_WORDS = 4  # after a work that is part of the sentence; more of them are the author's own text


@dataclass(slots=True)
class _Sentence:
    start: int
    end: int
    quotations: list[tuple[int, int]] = field(default_factory=list)
    cited: list[Cited] = field(default_factory=list)


def pair(prose: Prose) -> list[Citation]:
    """Return the citations of the prose in reading order, each with its sentence and its quotations."""
    return _Pairing(prose).pair()


class _Pairing:
    def __init__(self, prose: Prose) -> None:
        self._prose = prose
        # Line ends become blanks; all offsets stay the same.
        self._text = _WHITE_SPACE.sub(" ", prose.text)
        self._places = [cited.at for cited in prose.cited]
        self._quotations: dict[int, list[Quotation]] = defaultdict(list)  # by the place of the group
        self._sentences: dict[int, str] = {}  # by the place of the group

    def pair(self) -> list[Citation]:
        """Process the paragraphs once; block quotations are paired with the text before and after them."""
        before: _Sentence | None = None  # the sentence right before a block quotation
        unpaired: list[Paragraph] = []
        for is_block, run in groupby(self._prose.paragraphs, key=lambda paragraph: paragraph.block_quote):
            if is_block:
                unpaired = self._pair_inside(list(run))
                if unpaired and before and before.cited and self._text[before.start : before.end].endswith(":"):
                    self._add_block_quotation(unpaired, before.cited[-1])
                    unpaired = []
                continue
            for paragraph in run:
                found = self._split(paragraph)
                if unpaired:
                    self._pair_around(unpaired, before, found)
                    unpaired = []
                for sentence in found:
                    self._pair_sentence(sentence)
                before = _introduction(found, self._text)
        if unpaired:
            self._pair_around(unpaired, before, [])
        return [
            replace(
                citation,
                sentence=self._sentences.get(cited.at, ""),
                quotations=tuple(self._quotations.get(cited.at, ())),
            )
            for cited in self._prose.cited
            for citation in cited.citations
        ]

    def _split(self, paragraph: Paragraph) -> list[_Sentence]:
        """Split a paragraph into sentences, none of which ends inside a quotation or before its own citation."""
        text = self._text[paragraph.start : paragraph.end]
        quotations = [(start, end) for start, end in quoted(text) if _WORD.search(text, start, end)]
        # For the sentence splitter, citations and the ends of quotations become closing brackets.
        letters = list(text.replace(MARK, ")"))
        for _, end in quotations:
            letters[end] = ")"
        found: list[_Sentence] = []
        quotation = 0
        for start, end in sentences("".join(letters)):
            while quotation < len(quotations) and quotations[quotation][1] < start:
                quotation += 1
            if found and quotation < len(quotations) and quotations[quotation][0] < start:
                found[-1].end = end
            else:
                found.append(_Sentence(start, end))
        for sentence in found:
            sentence.start += paragraph.start
            sentence.end += paragraph.start
        self._place_citations(found, paragraph)
        starts = [sentence.start for sentence in found]
        for start, end in quotations:
            number = bisect_left(starts, start + paragraph.start + 1) - 1
            found[max(0, number)].quotations.append((start + paragraph.start, end + paragraph.start))
        for sentence in found:
            self._write(sentence)
        return found

    def _place_citations(self, found: list[_Sentence], paragraph: Paragraph) -> None:
        number = bisect_left(self._places, paragraph.start)
        for position, sentence in enumerate(found):
            while number < len(self._places) and self._places[number] < sentence.end:
                at = self._places[number]
                cited = self._prose.cited[number]
                if position and self._belongs_before(sentence, at, cited):
                    found[position - 1].cited.append(cited)
                    found[position - 1].end = sentence.start = at + 1
                else:
                    sentence.cited.append(cited)
                number += 1

    def _belongs_before(self, sentence: _Sentence, at: int, cited: Cited) -> bool:
        """Whether a citation at the start of a sentence is the source of the one before: “… end.” [@key] Next …"""
        if _WORD.search(self._text, sentence.start, at):
            return False
        following = _WORD.search(self._text, at + 1, sentence.end)
        if following is None:
            return True
        return not following[0].islower() and not any(citation.in_text for citation in cited.citations)

    def _write(self, sentence: _Sentence) -> None:
        parts: dict[int, str] = {}
        for cited in sentence.cited:
            part = (cited.at - sentence.start) // _MAX_SENTENCE
            if part not in parts:
                start = sentence.start + part * _MAX_SENTENCE
                parts[part] = _plain(self._text[start : min(sentence.end, start + _MAX_SENTENCE)])
            self._sentences[cited.at] = parts[part]

    def _pair_sentence(self, sentence: _Sentence) -> None:
        if not sentence.cited:
            return
        places = [cited.at for cited in sentence.cited]
        numbers = [bisect_left(places, start) for start, _ in sentence.quotations]
        for quotation, number in zip(sentence.quotations, numbers, strict=True):
            following = sentence.cited[number] if number < len(places) else None
            preceding = sentence.cited[number - 1] if number else None
            if preceding is None or following is None:
                candidates = [cited for cited in (preceding, following) if cited]
            elif self._is_beside(quotation, following):
                candidates = [preceding if _adds_source(preceding, following) else following]
            elif _in_text(preceding) and _in_text(following):
                candidates = [preceding if numbers[0] else following]  # A says “…”, B “…”; or “…” says A, “…” B
            elif numbers == list(range(1, len(places) + 1)):
                candidates = [preceding]  # A says “…”, while others [@b] say “…”
            else:
                candidates = [preceding, following]
            for cited in candidates:
                self._add_quotation(quotation, cited)

    def _is_beside(self, quotation: tuple[int, int], following: Cited) -> bool:
        """Whether a citation in brackets directly follows a quotation."""
        return not _in_text(following) and not _WORD.search(self._text, quotation[1], following.at)

    def _pair_inside(self, run: list[Paragraph]) -> list[Paragraph]:
        """Pair block quotations with their own citations, and return those without one."""
        unpaired: list[Paragraph] = []
        for paragraph in run:
            found = self._split(paragraph)
            cited = [sentence.cited[-1] for sentence in found if sentence.cited]
            if cited and self._is_commentary(cited[-1], paragraph):
                for sentence in found:
                    self._pair_sentence(sentence)
                continue
            unpaired.append(paragraph)
            if cited:
                self._add_block_quotation(unpaired, cited[-1])
                unpaired = []
        return unpaired

    def _is_commentary(self, cited: Cited, paragraph: Paragraph) -> bool:
        """Whether a block quotation is the author's own text about the work: a note, a callout."""
        if not _in_text(cited) or _ATTRIBUTION.search(self._text[max(paragraph.start, cited.at - 100) : cited.at]):
            return False
        after = self._text[cited.at + 1 : min(paragraph.end, cited.at + 200)]
        return sum(bool(_WORD.search(word)) for word in after.split()) > _MAX_WORDS

    def _pair_around(self, unpaired: list[Paragraph], before: _Sentence | None, after: list[_Sentence]) -> None:
        if after and after[0].cited and not _WORD.search(self._text, after[0].start, after[0].cited[0].at):
            self._add_block_quotation(unpaired, after[0].cited[0])
        elif before and before.cited:
            self._add_block_quotation(unpaired, before.cited[-1])

    def _add_block_quotation(self, paragraphs: list[Paragraph], cited: Cited) -> None:
        for paragraph in paragraphs:
            self._add_quotation(self._block(paragraph), cited, block=True)

    def _block(self, paragraph: Paragraph) -> tuple[int, int]:
        """Return the span of a block quotation without the source at its end and its quotation marks."""
        start, end = paragraph.start, paragraph.end
        mark = self._text.rfind(MARK, start, end)
        if mark >= 0 and _AFTER_ATTRIBUTION.match(self._text[mark + 1 : end]):
            attribution = _ATTRIBUTION.search(self._text[max(start, mark - 100) : mark])
            end = max(start, mark - 100) + attribution.start() if attribution else mark
        if source := _WRITTEN_SOURCE.search(self._text, max(start, end - 150), end):
            end = source.start()
        start, end = self._stripped(start, end)
        marked = quoted(self._text[start:end])
        if len(marked) == 1 and marked[0][0] == 1 and marked[0][1] >= end - start - 2:
            return start + 1, start + marked[0][1]
        return start, end

    def _stripped(self, start: int, end: int) -> tuple[int, int]:
        """Return a span without the blanks and citations at its ends."""
        while start < end and (self._text[start].isspace() or self._text[start] == MARK):
            start += 1
        while start < end and (self._text[end - 1].isspace() or self._text[end - 1] == MARK):
            end -= 1
        return start, end

    def _add_quotation(self, place: tuple[int, int], cited: Cited, *, block: bool = False) -> None:
        start, end = self._stripped(*place)
        text = _plain(self._text[start:end])
        if _WORD.search(text):
            origins = self._prose.origins
            span = Span(origins[start], origins[end - 1] + 1)
            self._quotations[cited.at].append(Quotation(text, span, block))


def _in_text(cited: Cited) -> bool:
    return cited.citations[0].in_text


def _adds_source(preceding: Cited, following: Cited) -> bool:
    """As @a [p. 3] says, “…” [see also @b]: whether the citation after the quotation only adds a source."""
    return _in_text(preceding) and bool(preceding.citations[0].pages and following.citations[0].prefix)


def _introduction(found: list[_Sentence], text: str) -> _Sentence | None:
    """Return the sentence that introduces a block quotation, with the last citation before its colon."""
    if not found:
        return None
    last = found[-1]
    if not last.cited and text[last.start : last.end].endswith(":"):
        cited = [sentence.cited[-1] for sentence in found if sentence.cited]
        return _Sentence(last.start, last.end, cited=cited[-1:])
    return last


def _plain(text: str) -> str:
    return " ".join(_ONLY_MARKS.sub("", _MARKS.sub(MARK, " ".join(text.split()))).split())
