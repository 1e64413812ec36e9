"""Checks manuscripts: every citation against the library's keys, the works' text and their pages.

Called by the service for `evidence.check`.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path

from citeloom.api.evidence import CheckReport, SearchedText, Verdict
from citeloom.catalog import Catalog
from citeloom.catalog.projects import Project
from citeloom.core.cancel import Cancel
from citeloom.core.errors import CiteLoomError, Code
from citeloom.evidence import messages
from citeloom.evidence.check_hints import find_hints
from citeloom.evidence.check_issues import Issue, count_levels, findings_and_edits
from citeloom.evidence.lookup_result import LookupResult
from citeloom.evidence.manuscripts.edits import key_edit, page_edit
from citeloom.evidence.manuscripts.reader import file_bytes, read_manuscript, read_text
from citeloom.evidence.manuscripts.types import Citation, Manuscript, Quotation
from citeloom.evidence.quotes.page_claim import has_page
from citeloom.evidence.quotes.work_text import WorkText
from citeloom.evidence.similar_keys import SimilarKeys
from citeloom.evidence.verify import QuoteVerifier
from citeloom.evidence.works import Work, Works
from citeloom.importing.ids import shown_source
from citeloom.search.query import SearchService

MAX_CHARACTERS = 50_000  # in a text sent by an agent


class ManuscriptChecker:
    """Checks manuscripts against a project."""

    def __init__(self, catalog: Catalog, works: Works, verifier: QuoteVerifier, search: SearchService) -> None:
        self.catalog = catalog
        self.works = works
        self.verifier = verifier
        self.search = search

    def check_file(self, project: Project, path: Path, cancel: Cancel) -> CheckReport:
        """Check a manuscript file."""
        data = file_bytes(path)
        check = _Check(self, project, read_manuscript(path.name, data), None, cancel, elsewhere=5.0, hints=2.0)
        return replace(check.report(), file=str(path), sha256=hashlib.sha256(data).hexdigest())

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
        # Less time than for a file, since a tool call has a time limit.
        return _Check(self, project, read_text(text, form), visible, cancel, elsewhere=1.2, hints=0.8).report()


class _Check:
    """One check of one manuscript; `elsewhere` and `hints` limit the seconds for these optional parts."""

    def __init__(
        self,
        checker: ManuscriptChecker,
        project: Project,
        manuscript: Manuscript,
        visible: Collection[str] | None,
        cancel: Cancel,
        *,
        elsewhere: float,
        hints: float,
    ) -> None:
        self._checker = checker
        self._project = project
        self._manuscript = manuscript
        self._visible = visible
        self._cancel = cancel
        self._seconds_elsewhere = elsewhere
        self._seconds_for_hints = hints
        self._works: dict[str, Work | None] = {}  # by the key of a citation
        self._unknown: dict[str, tuple[str | None, tuple[str, ...]]] = {}  # key → other project, similar keys
        self._reported_without_text: set[str] = set()
        self._unreadable: dict[str, str] = {}  # citekey → reason; not retried
        self._searched_works: dict[str, Work] = {}
        self._quotations = 0
        self._not_searched = 0
        self._on_claimed_page: set[Citation] = set()  # citations with a quotation on the page they name
        self._warnings: list[str] = []

    def report(self) -> CheckReport:
        """Run the check."""
        manuscript = self._manuscript
        findings, edits = findings_and_edits(manuscript, list(self._issues()))
        searched = [work for _, work in sorted(self._searched_works.items())]
        return CheckReport(
            project=self._project.id,
            format=manuscript.format,
            citations=len(manuscript.citations),
            works=len({work.citekey for work in self._works.values() if work}),
            quotations=self._quotations,
            findings=findings,
            counts=count_levels(findings),
            edits=edits,
            texts=tuple(
                SearchedText(
                    work.citekey,
                    shown_source(document),
                    document.matched_by,
                    document.text_source or None,
                    messages.matched(document),
                )
                for work in searched
                for document in work.own_texts
            ),
            fixable=manuscript.fixable,
            encoding=manuscript.encoding,
            coverage=self._checker.catalog.documents.coverage(self._project.id),
            warnings=(
                *self._checker.works.problems([self._project]),
                *manuscript.warnings,
                *self._warnings,
                *(
                    f"Some of the text of {work.citekey} came from an agent, and counts because you confirmed it."
                    for work in searched
                    if any(document.by_agent for document in work.readable)
                ),
            ),
            file=None,
            sha256=None,
        )

    def _issues(self) -> Iterator[Issue]:
        """Yield all issues, unordered."""
        citations = self._manuscript.citations
        if not citations:
            self._warnings.append("There is no citation in it.")
        citing: dict[Quotation, list[Citation]] = {}
        for citation in citations:
            if citation.key not in self._works:
                self._cancel.check()
                self._works[citation.key] = self._checker.works.cited(self._project, citation)
            yield from self._key(citation)
            for quotation in citation.quotations:
                citing.setdefault(quotation, []).append(citation)
        self._quotations = len(citing)
        on_another_page: set[Citation] = set()
        for issue in [found for quotation, cites in citing.items() for found in self._quotation(quotation, cites)]:
            if issue.rule == "wrong-page":
                on_another_page.add(issue.citation)
            # A page that is right for one quotation of a citation is not changed for another.
            yield replace(issue, edit=None) if issue.citation in self._on_claimed_page else issue
        if self._not_searched:
            self._warnings.append(
                f"{self._not_searched} absent quotations were not looked for in other works, to keep the answer quick."
            )
        for citation in citations:
            if citation not in on_another_page:
                yield from self._page(citation)
            yield from self._without_text(citation)
        hints, omitted = find_hints(
            self._checker.search,
            self._checker.verifier,
            self._project,
            [(citation, self._works[citation.key]) for citation in citations],
            self._seconds_for_hints,
            self._cancel,
        )
        yield from hints
        if omitted:
            self._warnings.append(
                f"{omitted} sentences were not compared with the passages of their works, to keep the answer quick."
            )

    # -- keys ------------------------------------------------------------------------------------------------

    def _key(self, citation: Citation) -> Iterator[Issue]:
        work = self._works[citation.key]
        if work is None:
            if citation.key not in self._unknown:
                self._unknown[citation.key] = self._alternatives(citation)
            other, near = self._unknown[citation.key]
            if other:
                message = f"The work is in the project '{other}', not in this one."
                message += " Add it here, or check against that project."
                yield Issue("not-in-project", "error", citation.span, citation, message)
                return
            message = messages.unknown(citation, near)
            yield Issue("unknown-key", "error", citation.span, citation, message, near=near)
        elif work.renamed_from and not citation.zotero_items:  # an item cited in Word has no key to correct
            message = f"The citekey {citation.key} is {work.citekey} now."
            edit = key_edit(self._manuscript, citation, work.citekey, message)
            yield Issue("renamed-key", "error", citation.span, citation, message, edit=edit)

    def _alternatives(self, citation: Citation) -> tuple[str | None, tuple[str, ...]]:
        """Return another visible project that has the work, or similar citekeys of this project."""
        for other in self._checker.catalog.projects.all():
            hidden = self._visible is not None and other.id not in self._visible
            if not hidden and other.id != self._project.id and self._checker.works.cited(other, citation):
                return other.id, ()
        return None, () if citation.zotero_items else tuple(self._keys.similar(citation.key))

    @cached_property
    def _keys(self) -> SimilarKeys:
        return self._checker.works.keys(self._project)

    # -- quotations ------------------------------------------------------------------------------------------

    def _quotation(self, quotation: Quotation, citing: Sequence[Citation]) -> Iterator[Issue]:
        """Check a quotation; with several citations it is right if any of their works has it."""
        self._cancel.check()
        results = [(citation, result) for citation in citing if (result := self._look_up(citation, quotation))]
        if results:
            yield from self._verdict(quotation, *min(results, key=lambda pair: pair[1].rank))

    def _look_up(self, citation: Citation, quotation: Quotation) -> LookupResult | None:
        """Look a quotation up in the cited work; None if nothing could be read."""
        work = self._works[citation.key]
        if work is None or work.citekey in self._unreadable:
            return None
        result = self._checker.verifier.in_work(
            self._project, work, quotation.text, citation.claimed_pages, self._cancel
        )
        if result.documents:
            self._searched_works[work.citekey] = work
            return result
        self._unreadable[work.citekey] = " ".join(result.unread)
        return None

    def _verdict(self, quotation: Quotation, citation: Citation, result: LookupResult) -> Iterator[Issue]:
        work, found = self._works[citation.key], result.found
        assert work is not None
        about = Issue("quote-absent", "error", quotation.span, citation, "", quotation=quotation)
        if result.verdict == Verdict.ABSENT:
            yield replace(about, message=self._absent(work, result, quotation))
        elif result.verdict == Verdict.INCONCLUSIVE:
            if message := messages.inconclusive(work, result):
                yield replace(about, rule="quote-too-short", level="note", message=message)
        elif found:
            about, finding = replace(about, found=found), found.finding
            if result.verdict == Verdict.NEAR:
                yield replace(about, rule="quote-changed", message=messages.changed(work, finding))
            if finding.page_right:
                self._on_claimed_page.add(citation)
            elif finding.page_right is False:
                message = messages.wrong_page(work, finding)
                labels = finding.page_labels[0], finding.page_labels[-1]
                edit = page_edit(self._manuscript, citation, labels, message)
                span = citation.pages_span or citation.span
                yield replace(about, rule="wrong-page", span=span, message=message, edit=edit)

    def _absent(self, work: Work, result: LookupResult, quotation: Quotation) -> str:
        if self._seconds_elsewhere <= 0:
            self._not_searched += 1
            return messages.lacks(work, result)
        began = time.monotonic()
        elsewhere = self._checker.verifier.elsewhere(self._project, work, quotation.text, self._cancel)
        self._seconds_elsewhere -= time.monotonic() - began
        return messages.absent(work, result, elsewhere)

    # -- pages and works without text ------------------------------------------------------------------------

    def _without_text(self, citation: Citation) -> Iterator[Issue]:
        """Report, once for each work, that it has no text or that its text cannot be read now."""
        work = self._works[citation.key]
        why = self._unreadable.get(work.citekey) if work else None
        if work is None or (work.readable and not why) or work.citekey in self._reported_without_text:
            return
        self._reported_without_text.add(work.citekey)
        unreadable = f"{work.citekey} could not be read, so nothing could be checked. {why}"
        message = unreadable if why else messages.no_text(work)
        yield Issue("no-text", "warning", citation.span, citation, message)

    def _page(self, citation: Citation) -> Iterator[Issue]:
        work, claimed = self._works[citation.key], citation.claimed_pages
        if work is None or claimed is None:
            return
        texts = self._texts(work)
        answers = [has_page(text, claimed) for text in texts]
        if answers and all(answer is False for answer in answers):
            message = messages.page_outside(work, claimed, texts)
            yield Issue("page-outside-work", "error", citation.pages_span or citation.span, citation, message)

    def _texts(self, work: Work) -> list[WorkText]:
        """Return the texts of a work; none if one cannot be read, since the page may be in that one."""
        self._cancel.check()
        try:
            readable = () if work.citekey in self._unreadable else work.readable
            return [self._checker.verifier.text(self._project, document) for document in readable]
        except CiteLoomError as error:
            self._unreadable[work.citekey] = str(error)
            return []
