"""Checks manuscripts: every citation against the library's keys, the works' text and their pages.

Called by the service for `evidence.check`.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from citeloom.api.evidence import CheckReport, SearchedText, Verdict
from citeloom.catalog import Catalog
from citeloom.catalog.documents import Document
from citeloom.catalog.projects import Project
from citeloom.core.cancel import Cancel
from citeloom.core.errors import CiteLoomError, Code
from citeloom.evidence import check_messages, verdict_messages
from citeloom.evidence.check_hints import Hints
from citeloom.evidence.check_issues import Issue, claimed_pages, count_levels, findings_and_edits
from citeloom.evidence.lookup_result import LookupResult, proper_texts
from citeloom.evidence.manuscripts.edits import key_edit, page_edit
from citeloom.evidence.manuscripts.reader import file_bytes, read_manuscript, read_text
from citeloom.evidence.manuscripts.types import Citation, Manuscript, Quotation
from citeloom.evidence.quotes.page_claim import has_page
from citeloom.evidence.quotes.work_text import WorkText
from citeloom.evidence.similar_keys import SimilarKeys
from citeloom.evidence.verify import QuoteVerifier
from citeloom.evidence.works import Work, Works
from citeloom.importing.sources.names import shown_source
from citeloom.search.query import SearchService

MAX_CHARACTERS = 50_000  # in a text sent by an agent


@dataclass(frozen=True, slots=True)
class TimeBudget:
    """Time limits in seconds for the optional parts of a check."""

    elsewhere: float  # searching other works for quotations that are not in the cited ones
    hints: float


_FOR_PEOPLE, _FOR_AGENTS = TimeBudget(5.0, 2.0), TimeBudget(1.2, 0.8)  # a tool call has a time limit


class ManuscriptChecker:
    """Checks manuscripts against a project."""

    def __init__(self, catalog: Catalog, works: Works, verifier: QuoteVerifier, search: SearchService) -> None:
        self._catalog = catalog
        self._works = works
        self._verifier = verifier
        self._search = search

    def check_file(self, project: Project, path: Path, cancel: Cancel) -> CheckReport:
        """Check a manuscript file."""
        data = file_bytes(path)
        report = self._check(project, read_manuscript(path.name, data), None, _FOR_PEOPLE, cancel)
        return replace(report, file=str(path), sha256=hashlib.sha256(data).hexdigest())

    def check_text(
        self, project: Project, text: str, form: str | None, visible: Collection[str] | None, cancel: Cancel
    ) -> CheckReport:
        """Check the text of a manuscript or of a part of it; findings name only `visible` projects."""
        if len(text) > MAX_CHARACTERS:
            raise CiteLoomError(
                Code.INVALID_INPUT,
                f"The text has {len(text):,} characters; at most {MAX_CHARACTERS:,} are checked at once.",
                "Send it chapter by chapter, or check the file: citeloom check FILE.",
            )
        return self._check(project, read_text(text, form), visible, _FOR_AGENTS, cancel)

    def _check(
        self,
        project: Project,
        manuscript: Manuscript,
        visible: Collection[str] | None,
        budget: TimeBudget,
        cancel: Cancel,
    ) -> CheckReport:
        hints = Hints(self._search, self._verifier, project, budget.hints, cancel)
        check = _Check(
            self._catalog, self._works, self._verifier, hints, project, manuscript, visible, budget.elsewhere, cancel
        )
        findings, edits = findings_and_edits(manuscript, list(check.issues()))
        searched = check.searched_works()
        return CheckReport(
            project=project.id,
            format=manuscript.format,
            citations=len(manuscript.citations),
            works=len({work.citekey for work in check.works.values() if work}),
            quotations=check.quotations,
            findings=findings,
            counts=count_levels(findings),
            edits=edits,
            texts=tuple(_searched_text(work, d) for work in searched for d in proper_texts(work)),
            fixable=manuscript.fixable,
            encoding=manuscript.encoding,
            coverage=self._catalog.documents.coverage(project.id),
            warnings=(
                *self._works.problems([project]),
                *manuscript.warnings,
                *check.warnings,
                *(check_messages.by_agent(w) for w in searched if any(d.by_agent for d in w.readable)),
            ),
            file=None,
            sha256=None,
        )


def _searched_text(work: Work, document: Document) -> SearchedText:
    return SearchedText(
        work.citekey,
        shown_source(document),
        document.matched_by,
        document.text_source or None,
        verdict_messages.matched(document),
    )


class _Check:
    """One check of one manuscript."""

    def __init__(
        self,
        catalog: Catalog,
        works: Works,
        verifier: QuoteVerifier,
        hints: Hints,
        project: Project,
        manuscript: Manuscript,
        visible: Collection[str] | None,
        seconds_for_elsewhere: float,
        cancel: Cancel,
    ) -> None:
        self._catalog = catalog
        self._all_works = works
        self._verifier = verifier
        self._hints = hints
        self._project = project
        self._manuscript = manuscript
        self._visible = visible
        self._cancel = cancel
        self._keys: SimilarKeys | None = None
        self._unknown: dict[str, tuple[str | None, tuple[str, ...]]] = {}  # key → other project, similar keys
        self._reported_without_text: set[str] = set()
        self._unreadable: dict[str, str] = {}  # citekey → reason; not retried
        self._remaining_seconds = seconds_for_elsewhere
        self._not_searched = 0
        self._searched_works: dict[str, Work] = {}
        self._on_claimed_page: set[Citation] = set()  # citations with a quotation on the page they name
        self.works: dict[str, Work | None] = {}
        self.quotations = 0
        self.warnings: list[str] = []

    def issues(self) -> Iterator[Issue]:
        """Run the check and yield its issues, unordered."""
        citations = self._manuscript.citations
        if not citations:
            self.warnings.append(check_messages.NO_CITATIONS)
        citing: dict[Quotation, list[Citation]] = {}
        for citation in citations:
            if citation.key not in self.works:
                self._cancel.check()
                self.works[citation.key] = self._all_works.cited(self._project, citation)
            yield from self._key(citation)
            for quotation in citation.quotations:
                citing.setdefault(quotation, []).append(citation)
        self.quotations = len(citing)
        on_another_page: set[Citation] = set()
        for issue in [found for quotation, cites in citing.items() for found in self._quotation(quotation, cites)]:
            if issue.rule == "wrong-page":
                on_another_page.add(issue.citation)
            # A page that is right for one quotation of a citation is not changed for another.
            yield replace(issue, edit=None) if issue.citation in self._on_claimed_page else issue
        if self._not_searched:
            self.warnings.append(check_messages.not_searched_elsewhere(self._not_searched))
        for citation in citations:
            if citation not in on_another_page:
                yield from self._page(citation)
            yield from self._without_text(citation)
        yield from self._hints.issues(citations, self.works)
        if self._hints.omitted:
            self.warnings.append(check_messages.hints_omitted(self._hints.omitted))

    def searched_works(self) -> list[Work]:
        """Return the works in which quotations were looked up, sorted by citekey."""
        return sorted(self._searched_works.values(), key=lambda work: work.citekey)

    # -- keys ------------------------------------------------------------------------------------------------

    def _key(self, citation: Citation) -> Iterator[Issue]:
        work = self.works[citation.key]
        if work is None:
            if citation.key not in self._unknown:
                self._unknown[citation.key] = self._alternatives(citation)
            other, near = self._unknown[citation.key]
            if other:
                yield Issue("not-in-project", "error", citation.span, citation, check_messages.not_in_project(other))
                return
            message = check_messages.unknown(citation, near)
            yield Issue("unknown-key", "error", citation.span, citation, message, near=near)
        elif work.renamed_from and not citation.zotero_items:  # an item cited in Word has no key to correct
            edit = key_edit(self._manuscript, citation, work.citekey)
            message = check_messages.renamed(citation.key, work.citekey)
            yield Issue("renamed-key", "error", citation.span, citation, message, edit=edit, why=message)

    def _alternatives(self, citation: Citation) -> tuple[str | None, tuple[str, ...]]:
        """Return another project that has the work, or similar citekeys of this project."""
        if other := self._other_project(citation):
            return other, ()
        if self._keys is None:
            self._keys = self._all_works.keys(self._project)
        return None, () if citation.zotero_items else tuple(self._keys.similar(citation.key))

    def _other_project(self, citation: Citation) -> str | None:
        """Return another visible project that has the work."""
        for project in self._catalog.projects.all():
            hidden = self._visible is not None and project.id not in self._visible
            if not hidden and project.id != self._project.id and self._all_works.cited(project, citation):
                return project.id
        return None

    # -- quotations ------------------------------------------------------------------------------------------

    def _quotation(self, quotation: Quotation, citing: Sequence[Citation]) -> Iterator[Issue]:
        """Check a quotation; with several citations it is right if any of their works has it."""
        self._cancel.check()
        results = [(citation, result) for citation in citing if (result := self._look_up(citation, quotation))]
        if results:
            yield from self._verdict(quotation, *min(results, key=lambda pair: pair[1].rank))

    def _look_up(self, citation: Citation, quotation: Quotation) -> LookupResult | None:
        """Look a quotation up in the cited work; None if nothing could be read."""
        work, claimed = self.works[citation.key], claimed_pages(citation)
        if work is None or work.citekey in self._unreadable:
            return None
        result = self._verifier.in_work(self._project, work, quotation.text, claimed, self._cancel)
        if result.documents:
            self._searched_works[work.citekey] = work
            return result
        self._unreadable[work.citekey] = " ".join(result.unread)
        return None

    def _verdict(self, quotation: Quotation, citation: Citation, result: LookupResult) -> Iterator[Issue]:
        work, found = self.works[citation.key], result.found
        assert work is not None
        about = Issue("", "error", quotation.span, citation, "", quotation=quotation)
        if result.verdict == Verdict.ABSENT:
            yield replace(about, rule="quote-absent", message=self._absent(work, result, quotation))
        elif result.verdict == Verdict.INCONCLUSIVE:
            if message := check_messages.inconclusive(work, result):
                yield replace(about, rule="quote-too-short", level="note", message=message)
        elif found:
            finding = found.finding
            about = replace(
                about,
                page_labels=finding.page_labels,
                page_span=finding.page_span,
                diff=finding.diff,
                document=found.document,
            )
            if result.verdict == Verdict.NEAR:
                yield replace(about, rule="quote-changed", message=check_messages.changed(work, finding))
            if finding.page_right:
                self._on_claimed_page.add(citation)
            elif finding.page_right is False:
                message = check_messages.wrong_page(work, finding)
                edit = page_edit(self._manuscript, citation, (finding.page_labels[0], finding.page_labels[-1]))
                span = citation.pages_span or citation.span
                yield replace(about, rule="wrong-page", span=span, message=message, edit=edit, why=message)

    def _absent(self, work: Work, result: LookupResult, quotation: Quotation) -> str:
        if self._remaining_seconds <= 0:
            self._not_searched += 1
            return check_messages.lacks(work, result)
        began = time.monotonic()
        elsewhere = self._verifier.elsewhere(self._project, work, quotation.text, self._cancel)
        self._remaining_seconds -= time.monotonic() - began
        return check_messages.absent(work, result, elsewhere)

    # -- pages and works without text ------------------------------------------------------------------------

    def _without_text(self, citation: Citation) -> Iterator[Issue]:
        """Report, once for each work, that it has no text or that its text cannot be read now."""
        work = self.works[citation.key]
        why = self._unreadable.get(work.citekey) if work else None
        if work is None or (work.readable and not why) or work.citekey in self._reported_without_text:
            return
        self._reported_without_text.add(work.citekey)
        message = check_messages.unreadable(work, why) if why else verdict_messages.no_text(work)
        yield Issue("no-text", "warning", citation.span, citation, message)

    def _page(self, citation: Citation) -> Iterator[Issue]:
        work, claimed = self.works[citation.key], claimed_pages(citation)
        if work is None or claimed is None:
            return
        texts = self._texts(work)
        answers = [has_page(text, claimed) for text in texts]
        if answers and all(answer is False for answer in answers):
            message = check_messages.page_outside(work, claimed, texts)
            yield Issue("page-outside-work", "error", citation.pages_span or citation.span, citation, message)

    def _texts(self, work: Work) -> list[WorkText]:
        """Return the texts of a work; none if one cannot be read, since the page may be in that one."""
        self._cancel.check()
        try:
            readable = () if work.citekey in self._unreadable else work.readable
            return [self._verifier.text(self._project, document) for document in readable]
        except CiteLoomError as error:
            self._unreadable[work.citekey] = str(error)
            return []
