"""Verifies a quotation against the prepared text of one work. Called by `evidence.verify`."""

from __future__ import annotations

from citeloom.api.evidence import Change, Verdict
from citeloom.core.text.section_names import is_reference_list
from citeloom.evidence.quotes import diff, quotation, tokens
from citeloom.evidence.quotes.judge import BRACKETS, Judge
from citeloom.evidence.quotes.lexicon import Lexicon
from citeloom.evidence.quotes.match import Match, Matcher
from citeloom.evidence.quotes.page_claim import Claim, PageCheck
from citeloom.evidence.quotes.quotation import Piece
from citeloom.evidence.quotes.quote_finding import QuoteFinding
from citeloom.evidence.quotes.surroundings import is_quotation, sentence
from citeloom.evidence.quotes.work_text import WorkText

_MIN_WORDS, _MIN_LETTERS, _MIN_UNSPACED = 4, 15, 8
_FAR_APART_MARGIN = 0.1  # by which pieces that are far apart must be a better match than one place
_MAX_COMMON_WORDS, _MIN_COMMON_PLACES = 8, 4  # fewer words at this many places prove nothing


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
        if other and (match is None or other.exact or other.likeness >= match.likeness + _margin(match, other)):
            match, pieces = other, edited
            if len(edited) == 1:  # the insertions are at its ends
                match.allowed.add(BRACKETS)
    reason = _inconclusive_reason(pieces, match)
    return _finding(work, match, claim, reason)


def _margin(match: Match, other: Match) -> float:
    return _FAR_APART_MARGIN if other.reason == "far apart" and match.reason is None else 0.0


def _inconclusive_reason(pieces: tuple[Piece, ...], match: Match | None) -> str | None:
    words = [word.folds[0] for piece in pieces for word in piece.words]
    # Single words between ellipses occur in every work in this order.
    longest = max(quotation.together(pieces))
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
        return QuoteFinding(Verdict.ABSENT, round(match.likeness / 2, 3), page_claimed=claimed)
    first, last = match.first, match.last
    start, end = work.origin(first), work.origin(last)
    pages = (start.page, end.page) if start.page is not None and end.page is not None else None
    check = claim.check(work, *pages) if claim and pages else PageCheck(None)
    if reason:
        verdict = Verdict.INCONCLUSIVE
    else:
        verdict, reason = (Verdict.EXACT if match.exact else Verdict.NEAR), match.reason
    return QuoteFinding(
        verdict,
        1.0 if match.exact else round(min(match.likeness, 0.99), 3),
        reason,
        text=" … ".join(" ".join(work.raw(p.first, p.stop).split()) for p in match.placed),
        sentence=" … ".join(dict.fromkeys(sentence(work, p.first, p.stop) for p in match.placed)),
        page_span=pages,
        page_labels=_labels(work, pages),
        page_claimed=claimed,
        page_right=check.right,
        pdf_page_claimed=check.counts_pdf_pages,
        section_path=start.section_path,
        allowed=tuple(sorted(match.allowed)),
        diff=None if match.exact else f" {match.cut} ".join(diff.render(part, work) for part in match.parts),
        changes=_changes(work, match),
        in_references=is_reference_list(start.section_path),
        is_quotation=all(is_quotation(work, part.first, part.stop) for part in match.placed),
        aside=start.aside,
        text_source=start.text_source,
        ocr_confidence=start.ocr_confidence,
        places=match.places,
    )


def _changes(work: WorkText, match: Match) -> tuple[Change, ...]:
    return tuple(change for part in match.parts for change in diff.changes(part, work))


def _labels(work: WorkText, pages: tuple[int, int] | None) -> tuple[str, ...]:
    if pages is None:
        return ()
    return tuple(work.pages[number].label for number in range(pages[0], pages[1] + 1) if number in work.pages)
