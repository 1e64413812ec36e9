"""Messages of a manuscript check: the problem and what to do about it. Used by `check` and `check_hints`."""

from __future__ import annotations

from collections.abc import Sequence

from citeloom.api.evidence import Verdict
from citeloom.evidence import verdict_messages
from citeloom.evidence.lookup_result import FoundQuote, LookupResult
from citeloom.evidence.manuscripts.types import Citation
from citeloom.evidence.quotes.page_claim import page_range
from citeloom.evidence.quotes.quote_finding import QuoteFinding
from citeloom.evidence.quotes.work_text import WorkText
from citeloom.evidence.works import Work

NO_CITATIONS = "There is no citation in it."


def unknown(citation: Citation, near: Sequence[str]) -> str:
    """No work has the key, or the Zotero item that a Word document cites."""
    if citation.zotero_items:
        named = f"“{citation.title}”" if citation.title else f"Zotero's item {citation.key}"
        return f"No work of this project is {named}. Add it to the project's collection in Zotero and sync."
    help_ = f"Did you mean {' or '.join(near)}?" if near else "Add the work to the project, or correct the key."
    return f"No work has the citekey {citation.key}. {help_}"


def renamed(key: str, now: str) -> str:
    """The key was renamed."""
    return f"The citekey {key} is {now} now."


def not_in_project(other: str) -> str:
    """Only another project has the work."""
    return f"The work is in the project '{other}', not in this one. Add it here, or check against that project."


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


def by_agent(work: Work) -> str:
    """Some of the work's text was stored by an agent, not read from a file."""
    return f"Some of the text of {work.citekey} came from an agent, and counts because you confirmed it."


def unreadable(work: Work, why: str) -> str:
    """The work was imported, but its text cannot be read now."""
    return f"{work.citekey} could not be read, so nothing could be checked. {why}"


def page_outside(work: Work, claimed: str, texts: Sequence[WorkText]) -> str:
    """The work has no such page."""
    ranges = ", ".join(filter(None, map(page_range, texts)))
    return f"{work.citekey} has no page {claimed}{': its pages are ' + ranges if ranges else ''}."


def no_near_passage(work: Work) -> str:
    """A hint: no passage of the work is similar to the sentence."""
    return f"Nothing in {work.citekey} comes near to this sentence: a hint to look again, no proof."


def not_searched_elsewhere(count: int) -> str:
    """Some absent quotations were not searched for in other works, for lack of time."""
    return f"{count} absent quotations were not looked for in other works, to keep the answer quick."


def hints_omitted(count: int) -> str:
    """Some sentences were not compared, for lack of time."""
    return f"{count} sentences were not compared with the passages of their works, to keep the answer quick."
