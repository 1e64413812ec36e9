"""Messages about quotations and citations: what was found and what to do about it. Used by `verify` and `check`."""

from __future__ import annotations

from collections.abc import Sequence

from citeloom.api.evidence import Verdict
from citeloom.catalog.documents import Document
from citeloom.core.types import Coverage
from citeloom.evidence.lookup_result import FoundQuote, LookupResult
from citeloom.evidence.manuscripts.types import Citation
from citeloom.evidence.quotes.page_claim import page_range
from citeloom.evidence.quotes.verdict import QuoteFinding
from citeloom.evidence.quotes.work_text import WorkText
from citeloom.evidence.works import OWN_NOTES, Work
from citeloom.importing.sources.names import shown_source
from citeloom.importing.stages.match import BY_RESEARCHER, QUICK

_MAX_NAMED = 3  # documents named in a message; the warnings name all unread ones


def verdict_message(
    result: LookupResult,
    work: Work | None,
    elsewhere: FoundQuote | None,
    unconfirmed: Document | None,
    coverage: Coverage,
) -> str:
    """Return what was found, in which file, and what to do about it."""
    found = result.found
    if result.verdict == Verdict.EXACT and found:
        exact = f"{found.work.citekey} says it word for word{_on(found.finding)}{_but_for(found.finding.allowed)}."
        return " ".join([exact, *_remarks(found)])
    if result.verdict == Verdict.NEAR and found:
        near = f"{found.work.citekey} says nearly this{_on(found.finding)}: diff shows the words that differ."
        return " ".join([near, *_remarks(found)])
    if result.verdict == Verdict.ABSENT:
        return " ".join(
            [_absent(result, work, coverage), *_elsewhere(elsewhere, work), *_unconfirmed(unconfirmed), *_files(work)]
        )
    return " ".join([_inconclusive(result, work), *_elsewhere(elsewhere, None), *_unconfirmed(unconfirmed)])


_MATCHED_BY = {
    "file": "the file that its record names",
    "zotero": "its attachment in Zotero",
    "name": "matched by its file name",
    "doi": "matched by the DOI printed in it",
    "title": "matched by its title",
    BY_RESEARCHER: "confirmed by you",
}


def matched(document: Document) -> str:
    """Return a document's file and how it was matched with its record."""
    how = _MATCHED_BY.get(document.matched_by or "") or "in none of your references, under a key made for it"
    return f"{shown_source(document)} ({'stored by an agent, ' if document.by_agent else ''}{how})"


def _files(work: Work | None) -> list[str]:
    documents = [matched(document) for document in work.readable] if work else []
    more = f" and {len(documents) - _MAX_NAMED} more" if len(documents) > _MAX_NAMED else ""
    return [f"Its text: {', '.join(documents[:_MAX_NAMED])}{more}."] if documents else []


def _unconfirmed(document: Document | None) -> list[str]:
    if document is None:
        return []
    who = "what an agent stored" if document.by_agent else f"{shown_source(document)}, which has not been confirmed"
    claim = f", said to be {document.open_claim}" if document.open_claim else ""
    return [f"Only {who}{claim}, has these words: that is no evidence."]


def pages(finding: QuoteFinding) -> str:
    """Return the printed pages of a finding, with the PDF pages if they differ."""
    labels, span = finding.page_labels, finding.page_span
    if not labels or not span:
        return ""
    printed = f"p. {labels[0]}" if labels[0] == labels[-1] else f"pp. {labels[0]}–{labels[-1]}"
    counted = str(span[0]) if span[0] == span[1] else f"{span[0]}–{span[1]}"
    return printed if printed.split(" ", 1)[1] == counted else f"{printed} (PDF page {counted})"


def incomplete(document: Document) -> str | None:
    """Return why the text of a document is not complete yet; None if it is."""
    if document.waiting_for_ocr:
        return f"{document.waiting_for_ocr} pages of {shown_source(document)} are still waiting for OCR."
    if document.converter_engine == QUICK:
        return f"{shown_source(document)} is still being read: for now its pages may be off by one."
    return None


def no_text(work: Work) -> str:
    """Return why quotations cannot be looked up in a work."""
    reasons = {d.reason for d in work.documents if d.reason}
    why = f" ({' '.join(sorted(reasons))[:300]})" if reasons else ""
    return f"{work.citekey} has no text here{why}, so nothing could be checked."


def _on(finding: QuoteFinding) -> str:
    return f" on {where}" if (where := pages(finding)) else ""


def _but_for(names: Sequence[str]) -> str:
    return ", but for " + " and ".join(filter(None, (", ".join(names[:-1]), names[-1]))) if names else ""


def _remarks(found: FoundQuote) -> list[str]:
    finding, sentences = found.finding, []
    if finding.page_right is False:
        claim = finding.page_claimed
        sentences.append(
            f"{claim} is its PDF page, not the printed one: cite {pages(finding)}."
            if finding.pdf_page_claimed
            else f"The page claimed, {claim}, is wrong."
        )
    if finding.in_references:
        sentences.append("It is in the list of references.")
    elif finding.is_quotation:
        sentences.append("The work itself quotes it from somebody else.")
    if found.document.file_type in OWN_NOTES:
        sentences.append("These are the researcher's own words about the work: its text is not here.")
    if finding.text_source == "ocr":
        sentences.append("The page was read by OCR.")
    sentences.append(f"Its text: {matched(found.document)}.")
    if found.document.by_agent:
        sentences.append("No file was read for it: the words came from an agent.")
    return sentences


def _absent(result: LookupResult, work: Work | None, coverage: Coverage) -> str:
    if work:
        read = f"all {result.pages} pages were" if result.pages else "all of its text was"
        return f"{work.citekey} does not say this: {read} read."
    searchable = f"{coverage.searchable} searchable documents (of {coverage.documents})"
    if result.documents < coverage.searchable:
        return f"It was not found: of {searchable}, the {result.documents} nearest were read page by page."
    return f"No work says this: all {searchable} were read page by page."


def _elsewhere(elsewhere: FoundQuote | None, missed: Work | None) -> list[str]:
    if elsewhere:
        what = "It" if elsewhere.finding.verdict == Verdict.EXACT else "Nearly this"
        return [f"{what} is in {elsewhere.work.citekey}{_on(elsewhere.finding)}."]
    return ["No other searchable work of the project has it."] if missed else []


def _inconclusive(result: LookupResult, work: Work | None) -> str:
    if work and not work.readable:
        return no_text(work)
    if result.found is None or result.found.finding.verdict != Verdict.INCONCLUSIVE:
        missing = " ".join(result.unread[:_MAX_NAMED]) or "No document of this project can be read yet."
        if len(result.unread) > _MAX_NAMED:
            missing += f" {len(result.unread) - _MAX_NAMED} more could not be read."
        return f"It was not found, but not everything could be read. {missing}"
    places = result.found.finding.places
    times = "once" if places == 1 else f"{places} times"
    where = f"it occurs {times} in {result.found.work.citekey}" if places else "it was not found"
    return f"It is too short or too common to prove anything; {where}. Give more of the sentence."


# -- manuscripts ---------------------------------------------------------------------------------------------


def unknown(citation: Citation, near: Sequence[str]) -> str:
    """No work has the key, or the Zotero item that a Word document cites."""
    if citation.zotero_items:
        named = f"“{citation.title}”" if citation.title else f"Zotero's item {citation.key}"
        return f"No work of this project is {named}. Add it to the project's collection in Zotero and sync."
    help_ = f"Did you mean {' or '.join(near)}?" if near else "Add the work to the project, or correct the key."
    return f"No work has the citekey {citation.key}. {help_}"


def lacks(work: Work, result: LookupResult) -> str:
    """The work does not have the quotation."""
    read = f" ({result.pages} pages read)" if result.pages else ""
    return f"{work.citekey} does not say this{read}."


def absent(work: Work, result: LookupResult, elsewhere: FoundQuote | None) -> str:
    """The work does not have the quotation, but another one may."""
    return " ".join([lacks(work, result), *_elsewhere(elsewhere, work)])


def changed(work: Work, finding: QuoteFinding) -> str:
    """The work has the quotation with changes."""
    return f"{work.citekey} says it in other words{_on(finding)}: {finding.diff}"


def wrong_page(work: Work, finding: QuoteFinding) -> str:
    """The quotation is on another page."""
    claim = finding.page_claimed
    if finding.pdf_page_claimed:
        return f"{claim} is the PDF's page: in {work.citekey} it is printed on {pages(finding)}."
    return f"In {work.citekey} this is on {pages(finding)}, not on p. {claim}."


def inconclusive(work: Work, result: LookupResult) -> str | None:
    """Nothing is proved; None for a short quotation that is in the work, which needs no message."""
    if result.unread:
        return f"It was not found in {work.citekey}, but not everything could be read. {' '.join(result.unread)}"
    if result.found and result.found.finding.places:
        return None
    return f"Too short to prove anything, and not found in {work.citekey}."


def page_outside(work: Work, claimed: str, texts: Sequence[WorkText]) -> str:
    """The work has no such page."""
    ranges = ", ".join(filter(None, map(page_range, texts)))
    return f"{work.citekey} has no page {claimed}{': its pages are ' + ranges if ranges else ''}."
