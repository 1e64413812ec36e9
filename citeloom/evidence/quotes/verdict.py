"""Verifies a quotation against the prepared text of one work. Called by `evidence.verify`."""

from __future__ import annotations

import re
from dataclasses import dataclass

from citeloom.api.evidence import Change, Verdict
from citeloom.core.text.section_names import is_reference_list
from citeloom.core.text.sentences import sentences
from citeloom.core.types import TextSource
from citeloom.evidence.quotes import quotation, tokens
from citeloom.evidence.quotes.compare import Compared, Difference
from citeloom.evidence.quotes.judge import BRACKETS, Judge
from citeloom.evidence.quotes.lexicon import Lexicon
from citeloom.evidence.quotes.match import Match, Matcher
from citeloom.evidence.quotes.page_claim import Claim
from citeloom.evidence.quotes.quotation import Piece
from citeloom.evidence.quotes.work_text import WorkText

_MIN_WORDS, _MIN_LETTERS, _MIN_UNSPACED = 4, 15, 8
_FAR_APART_MARGIN = 0.1  # by which pieces that are far apart must be a better match than one place
_MAX_COMMON_WORDS, _MIN_COMMON_PLACES = 8, 4  # fewer words at this many places prove nothing
_CLOSED_BY = {"“": "”", "„": "“”", "«": "»", "»": "«", "‘": "’", "‚": "‘’", '"': '"', "「": "」", "『": "』", "‹": "›"}
_MARKS = re.compile(r"[“”„«»‘’‚\"「」『』‹›]")
_DIFF_CONTEXT = 6  # unchanged words shown on either side of a difference
_MAX_CONTEXT = 1_500  # characters on either side that are searched for sentence ends and quotation marks


@dataclass(frozen=True, slots=True)
class QuoteFinding:
    """A verdict, the place in the work, and the differences."""

    verdict: Verdict
    score: float  # 0 to 1, to compare works
    # Why inconclusive ("short", "common"), or why near although no word differs ("spliced", "far apart",
    # "negation left out" by an ellipsis).
    reason: str | None = None
    text: str | None = None  # as in the work
    sentence: str | None = None  # the sentences around it
    page_span: tuple[int, int] | None = None  # PDF pages
    page_labels: tuple[str, ...] = ()  # as printed, one for each page
    page_claimed: str | None = None
    page_right: bool | None = None  # None: no page was claimed, or the printed page numbers are not known
    pdf_page_claimed: bool = False  # the claim is a PDF page number, and the work has other printed ones
    section_path: tuple[str, ...] = ()
    allowed: tuple[str, ...] = ()  # kinds of differences that do not count
    diff: str | None = None
    changes: tuple[Change, ...] = ()
    in_references: bool = False
    is_quotation: bool = False  # the work itself quotes it
    aside: bool = False  # a caption, footnote, figure or margin
    text_source: TextSource | None = None
    ocr_confidence: float | None = None
    places: int = 0  # number of occurrences in the work


def verify(quote: str, work: WorkText, lexicon: Lexicon, *, page: str | None = None) -> QuoteFinding:
    """Look a quotation up in a work; the lexicon distinguishes words of the language from misread ones."""
    quotation.check_quote(quote)
    claim = Claim(page) if page and page.strip() else None
    pieces, *others = quotation.readings(quote)
    words = [word.folds[0] for word in pieces[0].words]
    matcher = Matcher(Judge(work, lexicon, words), claim)
    match = matcher.find(pieces)
    for edited in others:
        if match and match.exact:
            break
        other = matcher.find(edited)
        if other and (match is None or other.exact or other.similarity >= match.similarity + _margin(match, other)):
            match, pieces = other, edited
            if len(edited) == 1:  # the insertions are at its ends
                match.allowed.add(BRACKETS)
    return _finding(work, match, claim, _inconclusive_reason(pieces, match))


def _margin(match: Match, other: Match) -> float:
    return _FAR_APART_MARGIN if other.reason == "far apart" and match.reason is None else 0.0


def _inconclusive_reason(pieces: tuple[Piece, ...], match: Match | None) -> str | None:
    words = [word.folds[0] for piece in pieces for word in piece.words]
    # Single words between ellipses occur in every work in this order.
    longest = max(quotation.word_counts(pieces))
    if any(tokens.is_unspaced(word) for word in words):
        short = len("".join(words)) < _MIN_UNSPACED or longest < _MIN_WORDS
    else:
        short = longest < _MIN_WORDS or len("".join(words)) < _MIN_LETTERS
    if short:
        return "short"
    if all(tokens.is_function_word(word) for word in words):
        return "common"
    if match and match.exact and match.places >= _MIN_COMMON_PLACES and len(words) < _MAX_COMMON_WORDS:
        return "common"
    return None


def _finding(work: WorkText, match: Match | None, claim: Claim | None, reason: str | None) -> QuoteFinding:
    claimed = claim.written if claim else None
    if match is None or (reason and not match.exact):
        verdict = Verdict.INCONCLUSIVE if reason else Verdict.ABSENT
        return QuoteFinding(verdict, 0.0, reason, page_claimed=claimed)
    if not match.exact and not match.near:
        return QuoteFinding(Verdict.ABSENT, round(match.similarity / 2, 3), page_claimed=claimed)
    placed = match.placed
    start = work.origin(min(part.first for part in placed))
    end = work.origin(max(part.stop for part in placed) - 1)
    pages = (start.page, end.page) if start.page is not None and end.page is not None else None
    numbers = [number for number in range(pages[0], pages[1] + 1) if number in work.pages] if pages else []
    page_right = claim.check(work, *pages) if claim and pages else None
    counts_pdf_pages = page_right is False and claim is not None and any(claim.covers(str(n)) for n in numbers)
    cut = "{+…+}" if match.reason else "…"
    if reason:
        verdict = Verdict.INCONCLUSIVE
    else:
        verdict, reason = (Verdict.EXACT if match.exact else Verdict.NEAR), match.reason
    return QuoteFinding(
        verdict,
        1.0 if match.exact else round(min(match.similarity, 0.99), 3),
        reason,
        text=" … ".join(" ".join(work.raw(p.first, p.stop).split()) for p in placed),
        sentence=" … ".join(dict.fromkeys(_sentence(work, p.first, p.stop) for p in placed)),
        page_span=pages,
        page_labels=tuple(work.pages[number].label for number in numbers),
        page_claimed=claimed,
        page_right=page_right,
        pdf_page_claimed=counts_pdf_pages,
        section_path=start.section_path,
        allowed=tuple(sorted(match.allowed)),
        diff=None if match.exact else f" {cut} ".join(_word_diff(part, work) for part in match.parts),
        changes=tuple(_change(part, found, work) for part in match.parts for found in part.differences),
        in_references=is_reference_list(start.section_path),
        is_quotation=all(_is_quotation(work, part.first, part.stop) for part in placed),
        aside=start.aside,
        text_source=start.text_source,
        ocr_confidence=start.ocr_confidence,
        places=match.places,
    )


def _sentence(work: WorkText, first: int, stop: int) -> str:
    """Return the sentences that contain these words."""
    start, end = work.starts[first], work.ends[stop - 1]
    text, offset = _around(work, first, stop)
    found = [(a, b) for a, b in sentences(text) if a + offset < end and b + offset > start]
    return " ".join(text[found[0][0] : found[-1][1]].split()) if found else ""


def _is_quotation(work: WorkText, first: int, stop: int) -> bool:
    """Whether the work has these words in quotation marks."""
    start, end = work.starts[first], work.ends[stop - 1]
    text, offset = _around(work, first, stop)
    closers, opened = "", -1
    for mark in _MARKS.finditer(text):
        at = mark.start() + offset
        if closers:
            if mark[0] in closers and not _is_apostrophe(text, mark.start()):
                if opened < start and at >= end:
                    return True
                closers = ""
        elif mark[0] in _CLOSED_BY and at < start:
            closers, opened = _CLOSED_BY[mark[0]], at
    return False


def _is_apostrophe(text: str, at: int) -> bool:
    return text[at] == "’" and text[at - 1 : at].isalpha() and text[at + 1 : at + 2].isalpha()


def _around(work: WorkText, first: int, stop: int) -> tuple[str, int]:
    low, high = work.paragraph(first, stop)
    low = max(low, work.starts[first] - _MAX_CONTEXT)
    return work.text[low : min(high, work.ends[stop - 1] + _MAX_CONTEXT)], low


def _word_diff(part: Compared, work: WorkText) -> str:
    """Return a piece as "the [-quotation's-] {+work's+} words"; long unchanged parts are shortened."""
    shown: list[str] = []
    at = 0
    for difference in part.differences:
        low, high = difference.quote
        if low < at:
            continue
        shown += _unchanged(part.piece, at, low, opens=at == 0, closes=False)
        found = _change(part, difference, work)
        shown += [f"[-{found.quote}-]"] * bool(found.quote) + [f"{{+{found.work}+}}"] * bool(found.work)
        at = high
    shown += _unchanged(part.piece, at, len(part.piece.words), opens=at == 0, closes=True)
    return " ".join(shown)


def _change(part: Compared, difference: Difference, work: WorkText) -> Change:
    """Return the words, or the punctuation, of a difference."""
    (low, high), (first, stop) = difference.quote, difference.work
    if difference.punctuation:
        return Change(_collapse_spaces(part.piece.words[low].gap), _collapse_spaces(work.gap(first)))
    return Change(_written(part.piece, low, high), _collapse_spaces(work.raw(first, stop)))


def _written(piece: Piece, low: int, high: int) -> str:
    words = piece.words[low:high]
    return _collapse_spaces("".join((word.gap if number else "") + word.written for number, word in enumerate(words)))


def _unchanged(piece: Piece, low: int, high: int, *, opens: bool, closes: bool) -> list[str]:
    if low >= high:
        return []
    before, after = (0 if opens else _DIFF_CONTEXT), (0 if closes else _DIFF_CONTEXT)
    if high - low <= before + after + 2:
        return [_written(piece, low, high)]
    return list(filter(None, (_written(piece, low, low + before), "…", _written(piece, high - after, high))))


def _collapse_spaces(text: str) -> str:
    return " ".join(text.split())
