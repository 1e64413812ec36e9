"""A manuscript's citations against the library: is there such a key, does the work say it, is it on that page."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from citeloom.catalog import Catalog
from citeloom.catalog.documents import Document
from citeloom.catalog.projects import Project
from citeloom.core.cancel import Cancel
from citeloom.core.errors import CiteLoomError, Code
from citeloom.evidence import check_messages, verdict_messages
from citeloom.evidence.check_findings import ERROR, NOTE, WARNING, Finding, as_answer, claimed_pages
from citeloom.evidence.check_hints import Hints
from citeloom.evidence.manuscripts.edits import key_edit, page_edit
from citeloom.evidence.manuscripts.files import bytes_of
from citeloom.evidence.manuscripts.reader import read_manuscript, read_text
from citeloom.evidence.manuscripts.types import Citation, Manuscript, Quotation
from citeloom.evidence.quotes.finding import Verdict
from citeloom.evidence.quotes.page_claim import has_page
from citeloom.evidence.quotes.work_text import WorkText
from citeloom.evidence.similar_keys import NearNames
from citeloom.evidence.verify import Looked, QuoteVerifier, proper_texts
from citeloom.evidence.works import Work, Works
from citeloom.importing.ids import shown_source
from citeloom.search.query import SearchService

MOST_CHARACTERS = 50_000  # of a text that an agent sends


@dataclass(frozen=True, slots=True)
class Patience:
    """Seconds in all for what an answer can do without: a person waits longer than a tool's time limit lets agents."""

    elsewhere: float  # for the works that do say what the cited ones lack
    hints: float


_OF_A_PERSON, _OF_AN_AGENT = Patience(5.0, 2.0), Patience(1.2, 0.8)


class CheckService:
    """Checks manuscripts."""

    def __init__(self, catalog: Catalog, works: Works, quoting: QuoteVerifier, questions: SearchService) -> None:
        self._catalog = catalog
        self._works = works
        self._quoting = quoting
        self._questions = questions

    def file(self, project: Project, path: Path, cancel: Cancel) -> dict[str, Any]:
        """Check a manuscript on the disk."""
        data = bytes_of(path)
        manuscript = read_manuscript(path.name, data)
        report = self.check(project, manuscript, None, _OF_A_PERSON, cancel)
        return {**report, "file": str(path), "sha256": hashlib.sha256(data).hexdigest()}

    def text(
        self, project: Project, text: str, visible: frozenset[str] | None, cancel: Cancel, form: str | None = None
    ) -> dict[str, Any]:
        """Check a piece of a manuscript."""
        if len(text) > MOST_CHARACTERS:
            raise CiteLoomError(
                Code.INVALID_INPUT,
                f"The text has {len(text):,} characters; at most {MOST_CHARACTERS:,} are checked at once.",
                "Send it chapter by chapter, or check the file: citeloom check FILE.",
            )
        report = self.check(project, read_text(text, form), visible, _OF_AN_AGENT, cancel)
        return {**report, "file": None, "sha256": None}

    def check(
        self,
        project: Project,
        manuscript: Manuscript,
        visible: frozenset[str] | None,
        patience: Patience,
        cancel: Cancel,
    ) -> dict[str, Any]:
        """Every citation of a manuscript against key, quotation and page."""
        hints = Hints(self._questions, self._quoting, project, patience.hints, cancel)
        check = _Check(
            self._catalog, self._works, self._quoting, hints, project, manuscript, visible, patience.elsewhere, cancel
        )
        found = as_answer(manuscript, list(check.findings()))
        return {
            "project": project.id,
            "format": manuscript.format,
            "citations": len(manuscript.citations),
            "works": len({work.citekey for work in check.works.values() if work}),
            "quotations": check.quotations,
            **found,
            "texts": [_text(work, d) for work in check.looked_through() for d in proper_texts(work)],
            "fixable": manuscript.fixable,
            "encoding": manuscript.encoding,
            "coverage": self._catalog.documents.coverage(project.id),
            "warnings": [
                *self._works.problems([project]),
                *manuscript.warnings,
                *check.warnings,
                *(check_messages.by_agent(w) for w in check.looked_through() if any(d.by_agent for d in w.readable)),
            ],
        }


def _text(work: Work, document: Document) -> dict[str, Any]:
    return {
        "citekey": work.citekey,
        "source": shown_source(document),
        "matched_by": document.matched_by,
        "text_source": document.text_source or None,
        "words": verdict_messages.matched(document),
    }


class _Check:
    """One check of one manuscript."""

    def __init__(
        self,
        catalog: Catalog,
        works: Works,
        quoting: QuoteVerifier,
        hints: Hints,
        project: Project,
        manuscript: Manuscript,
        visible: frozenset[str] | None,
        seconds_for_elsewhere: float,
        cancel: Cancel,
    ) -> None:
        self._catalog = catalog
        self._all = works
        self._quoting = quoting
        self._hints = hints
        self._project = project
        self._manuscript = manuscript
        self._visible = visible
        self._cancel = cancel
        self._names: NearNames | None = None
        self._unknown: dict[str, tuple[str | None, tuple[str, ...]]] = {}  # of each, its other project or near names
        self._said_no_text: set[str] = set()
        self._unreadable: dict[str, str] = {}  # works that are not tried again, and why
        self._seconds_left = seconds_for_elsewhere
        self._not_sought = 0
        self._looked_through: dict[str, Work] = {}
        self._on_claimed_page: set[Citation] = set()  # those with a quotation that stands there
        self.works: dict[str, Work | None] = {}
        self.quotations = 0
        self.warnings: list[str] = []

    def findings(self) -> Iterator[Finding]:
        """What a writer should know, in no order."""
        citations = self._manuscript.citations
        if not citations:
            self.warnings.append(check_messages.NO_CITATIONS)
        citing: dict[Quotation, list[Citation]] = {}
        for citation in citations:
            if citation.key not in self.works:
                self._cancel.check()
                self.works[citation.key] = self._all.cited(self._project, citation)
            yield from self._key(citation)
            for quotation in citation.quotations:
                citing.setdefault(quotation, []).append(citation)
        self.quotations = len(citing)
        elsewhere_than_claimed: set[Citation] = set()
        for finding in [found for quotation, among in citing.items() for found in self._quotation(quotation, among)]:
            if finding.rule == "wrong-page":
                elsewhere_than_claimed.add(finding.citation)
            # A page that is right for one quotation of a citation is not taken away for another.
            yield replace(finding, edit=None) if finding.citation in self._on_claimed_page else finding
        if self._not_sought:
            self.warnings.append(check_messages.not_sought_elsewhere(self._not_sought))
        for citation in citations:
            if citation not in elsewhere_than_claimed:
                yield from self._page(citation)
            yield from self._without_text(citation)
        yield from self._hints.findings(citations, self.works)
        if self._hints.left_out:
            self.warnings.append(check_messages.hints_left_out(self._hints.left_out))

    def looked_through(self) -> list[Work]:
        """The works in which quotations were looked up, by citekey."""
        return sorted(self._looked_through.values(), key=lambda work: work.citekey)

    # -- keys ------------------------------------------------------------------------------------------------

    def _key(self, citation: Citation) -> Iterator[Finding]:
        work = self.works[citation.key]
        if work is None:
            if citation.key not in self._unknown:
                self._unknown[citation.key] = self._where_else(citation)
            other, near = self._unknown[citation.key]
            if other:
                yield Finding("not-in-project", ERROR, citation.span, citation, check_messages.not_in_project(other))
                return
            said = check_messages.unknown(citation, near)
            yield Finding("unknown-key", ERROR, citation.span, citation, said, near=near)
        elif work.renamed_from and not citation.zotero_items:  # Word cites items, whatever their keys have become
            edit = key_edit(self._manuscript, citation, work.citekey)
            said = check_messages.renamed(citation.key, work.citekey)
            yield Finding("renamed-key", ERROR, citation.span, citation, said, edit=edit, why=said)

    def _where_else(self, citation: Citation) -> tuple[str | None, tuple[str, ...]]:
        """Another project that has the work, or the names that come near."""
        if other := self._other_project(citation):
            return other, ()
        if self._names is None:
            self._names = self._all.names(self._project)
        return None, () if citation.zotero_items else tuple(self._names.near(citation.key))

    def _other_project(self, citation: Citation) -> str | None:
        """Another project, of those that may be seen, that has the work."""
        for project in self._catalog.projects.all():
            hidden = self._visible is not None and project.id not in self._visible
            if not hidden and project.id != self._project.id and self._all.cited(project, citation):
                return project.id
        return None

    # -- quotations ------------------------------------------------------------------------------------------

    def _quotation(self, quotation: Quotation, citing: Sequence[Citation]) -> Iterator[Finding]:
        """A quotation of which several citations may be the source is right if any of the works says it."""
        self._cancel.check()
        read = [(citation, looked) for citation in citing if (looked := self._look(citation, quotation))]
        if read:
            yield from self._verdict(quotation, *min(read, key=lambda pair: _rank(pair[1])))

    def _look(self, citation: Citation, quotation: Quotation) -> Looked | None:
        """What looking the quotation up in the cited work gave; None where nothing could be read."""
        work, claimed = self.works[citation.key], claimed_pages(citation)
        if work is None or work.citekey in self._unreadable:
            return None
        looked = self._quoting.in_work(self._project, work, quotation.text, claimed, self._cancel)
        if looked.documents:
            self._looked_through[work.citekey] = work
            return looked
        self._unreadable[work.citekey] = " ".join(looked.unread)
        return None

    def _verdict(self, quotation: Quotation, citation: Citation, looked: Looked) -> Iterator[Finding]:
        work, found = self.works[citation.key], looked.found
        assert work is not None
        about = Finding("", ERROR, quotation.span, citation, "", quotation=quotation)
        if looked.verdict == Verdict.ABSENT:
            yield replace(about, rule="quote-absent", message=self._absent(work, looked, quotation))
        elif looked.verdict == Verdict.INCONCLUSIVE:
            if said := check_messages.inconclusive(work, looked):
                yield replace(about, rule="quote-too-short", level=NOTE, message=said)
        elif found:
            stands = found.finding
            about = replace(
                about,
                page_labels=tuple(stands.page_labels),
                page_span=stands.page_span,
                diff=stands.diff,
                document=found.document,
            )
            if looked.verdict == Verdict.NEAR:
                yield replace(about, rule="quote-changed", message=check_messages.changed(work, stands))
            if stands.page_right:
                self._on_claimed_page.add(citation)
            elif stands.page_right is False:
                said = check_messages.wrong_page(work, stands)
                edit = page_edit(self._manuscript, citation, (stands.page_labels[0], stands.page_labels[-1]))
                span = citation.pages_span or citation.span
                yield replace(about, rule="wrong-page", span=span, message=said, edit=edit, why=said)

    def _absent(self, work: Work, looked: Looked, quotation: Quotation) -> str:
        if self._seconds_left <= 0:
            self._not_sought += 1
            return check_messages.lacks(work, looked)
        began = time.monotonic()
        elsewhere = self._quoting.elsewhere(self._project, work, quotation.text, self._cancel)
        self._seconds_left -= time.monotonic() - began
        return check_messages.absent(work, looked, elsewhere)

    # -- pages and works without text ------------------------------------------------------------------------

    def _without_text(self, citation: Citation) -> Iterator[Finding]:
        """Said once for a work: it has no text, or its text cannot be read now."""
        work = self.works[citation.key]
        why = self._unreadable.get(work.citekey) if work else None
        if work is None or (work.readable and not why) or work.citekey in self._said_no_text:
            return
        self._said_no_text.add(work.citekey)
        said = check_messages.unreadable(work, why) if why else check_messages.no_text(work)
        yield Finding("no-text", WARNING, citation.span, citation, said)

    def _page(self, citation: Citation) -> Iterator[Finding]:
        work, claimed = self.works[citation.key], claimed_pages(citation)
        if work is None or claimed is None:
            return
        texts = self._texts(work)
        answers = [has_page(text, claimed) for text in texts]
        if answers and all(answer is False for answer in answers):
            said = check_messages.page_outside(work, claimed, texts)
            yield Finding("page-outside-work", ERROR, citation.pages_span or citation.span, citation, said)

    def _texts(self, work: Work) -> list[WorkText]:
        """The texts of a work; none where one cannot be read, for the page may stand there."""
        self._cancel.check()
        try:
            readable = () if work.citekey in self._unreadable else work.readable
            return [self._quoting.text(self._project, document) for document in readable]
        except CiteLoomError as error:
            self._unreadable[work.citekey] = str(error)
            return []


_ORDER = {Verdict.EXACT: 0, Verdict.NEAR: 1, Verdict.INCONCLUSIVE: 2, Verdict.ABSENT: 3}


def _rank(looked: Looked) -> tuple[int, bool, bool]:
    finding = looked.found.finding if looked.found else None
    return _ORDER[looked.verdict], not (finding and finding.places), bool(finding and finding.page_right is False)
