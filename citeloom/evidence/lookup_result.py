"""Results of looking a quotation up in works. Made by `verify`, used by `messages` and `check`."""

from __future__ import annotations

from dataclasses import dataclass

from citeloom.api.evidence import Verdict
from citeloom.catalog.documents import Document
from citeloom.evidence.quotes.verdict import QuoteFinding
from citeloom.evidence.works import OWN_NOTES, Work

_ORDER = {Verdict.EXACT: 0, Verdict.NEAR: 1, Verdict.INCONCLUSIVE: 2, Verdict.ABSENT: 3}


@dataclass(frozen=True, slots=True)
class FoundQuote:
    """The best finding for a quotation in a document of a work."""

    work: Work
    document: Document
    finding: QuoteFinding

    @property
    def rank(self) -> tuple[int, bool, bool, bool, bool, float]:
        """Sort key: the best evidence first."""
        return (
            _ORDER[self.finding.verdict],
            self.document.by_agent,
            self.finding.page_right is False,
            self.document.file_type in OWN_NOTES,
            self.finding.in_references,
            -self.finding.score,
        )


@dataclass(frozen=True, slots=True)
class LookupResult:
    """The best finding in some works, how much was read, and what could not be read."""

    found: FoundQuote | None
    documents: int = 0
    pages: int = 0
    unread: tuple[str, ...] = ()  # reason for each document that could not be read completely

    @property
    def verdict(self) -> Verdict:
        """The verdict for all of them: without complete texts, absence is not proved."""
        best = self.found.finding.verdict if self.found else Verdict.ABSENT
        return Verdict.INCONCLUSIVE if best == Verdict.ABSENT and (self.unread or not self.documents) else best

    @property
    def rank(self) -> tuple[int, bool, bool]:
        """Sort key for results of several works that a quotation may be from: the best first."""
        finding = self.found.finding if self.found else None
        return _ORDER[self.verdict], not (finding and finding.places), bool(finding and finding.page_right is False)

    def extended(self, more: LookupResult) -> LookupResult:
        """Add the result for less similar documents; unread ones among these do not affect the verdict."""
        found = min((f for f in (self.found, more.found) if f), key=lambda f: f.rank, default=None)
        return LookupResult(found, self.documents + more.documents, self.pages + more.pages, self.unread)
