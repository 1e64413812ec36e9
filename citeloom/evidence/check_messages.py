"""Messages of a manuscript check: the problem and what to do about it. Used by `check`."""

from __future__ import annotations

from collections.abc import Sequence

from citeloom.api.evidence import Verdict
from citeloom.evidence import verdict_messages
from citeloom.evidence.lookup_result import FoundQuote, LookupResult
from citeloom.evidence.manuscripts.types import Citation
from citeloom.evidence.quotes.page_claim import page_range
from citeloom.evidence.quotes.verification import QuoteFinding
from citeloom.evidence.quotes.work_text import WorkText
from citeloom.evidence.works import Work


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
    message = lacks(work, result)
    if elsewhere is None:
        return f"{message} No other searchable work of the project has it."
    how = "It stands" if elsewhere.finding.verdict == Verdict.EXACT else "Nearly this stands"
    where = verdict_messages.pages(elsewhere.finding)
    return f"{message} {how} in {elsewhere.work.citekey}{', ' + where if where else ''}."


def changed(work: Work, finding: QuoteFinding) -> str:
    """The work has the quotation with changes."""
    where = verdict_messages.pages(finding)
    return f"{work.citekey} says it in other words{' on ' + where if where else ''}: {finding.diff}"


def wrong_page(work: Work, finding: QuoteFinding) -> str:
    """The quotation is on another page."""
    claim = finding.page_claimed
    if finding.pdf_page_claimed:
        return f"{claim} is the PDF's page: in {work.citekey} it is printed on {verdict_messages.pages(finding)}."
    return f"In {work.citekey} this stands on {verdict_messages.pages(finding)}, not on p. {claim}."


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
