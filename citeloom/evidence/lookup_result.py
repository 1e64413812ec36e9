"""Results of looking a quotation up in works. Made by `verify`; `verdict_messages` and `check_messages` word them."""

from __future__ import annotations

from dataclasses import dataclass

from citeloom.api.evidence import Verdict
from citeloom.catalog.documents import Document
from citeloom.evidence.quotes.quote_finding import QuoteFinding
from citeloom.evidence.works import Work

# What the researcher wrote about a work is not what the work says.
_OWN_NOTES = ("note", "annotations")
_ORDER = {Verdict.EXACT: 0, Verdict.NEAR: 1, Verdict.INCONCLUSIVE: 2, Verdict.ABSENT: 3}


@dataclass(frozen=True, slots=True)
class FoundQuote:
    """The best finding for a quotation in a document of a work."""

    work: Work
    document: Document
    finding: QuoteFinding

    @property
    def rank(self) -> tuple[int, bool, bool, bool, bool, float]:
        """Sorts several: the best evidence first."""
        return (
            _ORDER[self.finding.verdict],
            self.document.by_agent,
            self.finding.page_right is False,
            self.document.file_type in _OWN_NOTES,
            self.finding.in_references,
            -self.finding.score,
        )


@dataclass(frozen=True, slots=True)
class LookupResult:
    """The best finding in some works, how much was read, and what could not be."""

    found: FoundQuote | None
    documents: int = 0
    pages: int = 0
    unread: tuple[str, ...] = ()  # why, for each document that could not be read whole

    @property
    def verdict(self) -> Verdict:
        """The verdict for all of them: what could not be read whole can prove no absence."""
        best = self.found.finding.verdict if self.found else Verdict.ABSENT
        return Verdict.INCONCLUSIVE if best == Verdict.ABSENT and (self.unread or not self.documents) else best

    @property
    def rank(self) -> tuple[int, bool, bool]:
        """Sorts the results for several works that one quotation may be from: the best first."""
        finding = self.found.finding if self.found else None
        return _ORDER[self.verdict], not (finding and finding.places), bool(finding and finding.page_right is False)

    def extended(self, more: LookupResult) -> LookupResult:
        """This result and one for less similar documents, whose unread ones take nothing from the verdict."""
        found = min((f for f in (self.found, more.found) if f), key=lambda f: f.rank, default=None)
        return LookupResult(found, self.documents + more.documents, self.pages + more.pages, self.unread)


def proper_texts(work: Work) -> tuple[Document, ...]:
    """The documents that hold a work's own text; where it has none, the researcher's notes about it."""
    readable = work.readable
    return tuple(d for d in readable if d.file_type not in _OWN_NOTES) or readable
