"""What a check of a manuscript says: what is wrong, and what to do about it."""

from __future__ import annotations

from collections.abc import Sequence

from citeloom.engine import quote_words
from citeloom.engine.quoting import Found, Looked
from citeloom.engine.works import Work
from citeloom.quotes import Finding, Verdict, WorkText
from citeloom.quotes.pages import page_range

NO_CITATIONS = "There is no citation in it."


def unknown(key: str, near: Sequence[str]) -> str:
    """No work has the key."""
    help_ = f"Did you mean {' or '.join(near)}?" if near else "Add the work to the project, or correct the key."
    return f"No work has the citekey {key}. {help_}"


def renamed(key: str, now: str) -> str:
    """The key has become another."""
    return f"The citekey {key} is {now} now."


def not_in_project(other: str) -> str:
    """Only another project has the work."""
    return f"The work is in the project '{other}', not in this one. Add it here, or check against that project."


def absent(work: Work, looked: Looked, elsewhere: Found | None) -> str:
    """The work does not say it."""
    read = f" ({looked.pages} pages read)" if looked.pages else ""
    said = f"{work.citekey} does not say this{read}."
    if elsewhere is None:
        return f"{said} No other searchable work of the project has it."
    how = "It stands" if elsewhere.finding.verdict == Verdict.EXACT else "Nearly this stands"
    where = quote_words.pages(elsewhere.finding)
    return f"{said} {how} in {elsewhere.work.citekey}{', ' + where if where else ''}."


def changed(work: Work, finding: Finding) -> str:
    """The work says it in other words."""
    where = quote_words.pages(finding)
    return f"{work.citekey} says it in other words{' on ' + where if where else ''}: {finding.diff}"


def wrong_page(work: Work, finding: Finding) -> str:
    """It stands on another page."""
    claim = finding.page_claimed
    if finding.pdf_page_claimed:
        return f"{claim} is the PDF's page: in {work.citekey} it is printed on {quote_words.pages(finding)}."
    return f"In {work.citekey} this stands on {quote_words.pages(finding)}, not on p. {claim}."


def inconclusive(work: Work, looked: Looked) -> str | None:
    """Nothing is proved; None where that is as it should be: a short quotation that does stand in the work."""
    if looked.unread:
        return f"It was not found in {work.citekey}, but not everything could be read. {' '.join(looked.unread)}"
    if looked.found and looked.found.finding.places:
        return None
    return f"Too short to prove anything, and not found in {work.citekey}."


def no_text(work: Work) -> str:
    """Nothing of the work can be looked at."""
    return quote_words.no_text(work)


def page_outside(work: Work, claimed: str, texts: Sequence[WorkText]) -> str:
    """The work has no such page."""
    ranges = ", ".join(filter(None, map(page_range, texts)))
    return f"{work.citekey} has no page {claimed}{': its pages are ' + ranges if ranges else ''}."


def no_near_passage(work: Work) -> str:
    """A hint: nothing in the work is like the sentence."""
    return f"Nothing in {work.citekey} comes near to this sentence: a hint to look again, no proof."


def hints_left_out(count: int) -> str:
    """There was no time for all hints."""
    return f"{count} sentences were not compared with the passages of their works, to keep the answer quick."
