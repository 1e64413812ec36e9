"""Checks manuscripts: every citation against the library's keys, the works' text and their pages.

Called by the service for `evidence.check`.
"""

from __future__ import annotations

import hashlib
import re
import time
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

from citeloom.api.evidence import CheckManuscript, CheckReport, SearchedText, Verdict
from citeloom.catalog.projects import Project
from citeloom.core.cancel import Cancel
from citeloom.core.errors import CiteLoomError, Code
from citeloom.core.settings import BUNDLED_DENSE
from citeloom.evidence import messages
from citeloom.evidence.check_issues import Issue, count_levels, findings_and_edits
from citeloom.evidence.lookup_result import LookupResult
from citeloom.evidence.manuscripts.edits import key_edit, page_edit
from citeloom.evidence.manuscripts.reader import file_bytes, read_manuscript, read_text
from citeloom.evidence.manuscripts.types import Citation, Manuscript, Quotation
from citeloom.evidence.quotes.lexicon import Lexicon
from citeloom.evidence.quotes.page_claim import has_page
from citeloom.evidence.quotes.work_text import WorkText
from citeloom.evidence.verify import QuoteVerifier
from citeloom.evidence.works import SimilarKeys, Work
from citeloom.importing.sources.names import shown_source

MAX_CHARACTERS = 50_000  # in a text sent by an agent
# The score that the best passage of a cited work must have, for the bundled model. Measured on the sample
# papers: 21 sentences that paraphrase their work scored at least 0.33, four in five about other works below 0.25.
_MIN_SCORE = 0.25
# "This has been argued before" is similar to no work: a sentence needs this many words of this many letters.
_MIN_WORDS, _MIN_LETTERS = 4, 5
_MIN_KNOWN = 0.7  # share of its words that must be in the model's vocabulary


def check_manuscript(
    verifier: QuoteVerifier, project: Project, request: CheckManuscript, cancel: Cancel
) -> CheckReport:
    """Check a manuscript file, or the text of a manuscript or of a part of it."""
    if request.path is not None:
        path = Path(request.path)
        data = file_bytes(path)
        manuscript = read_manuscript(path.name, data)
        check = _Check(verifier, project, manuscript, None, cancel, seconds_elsewhere=5.0, seconds_for_hints=2.0)
        return replace(check.report(), file=str(path), sha256=hashlib.sha256(data).hexdigest())
    text, visible = request.text, request.visible
    if text is None:
        raise CiteLoomError(Code.INVALID_INPUT, "There is nothing to check.", "Give a path or a text.")
    if len(text) > MAX_CHARACTERS:
        raise CiteLoomError(
            Code.INVALID_INPUT,
            f"The text has {len(text):,} characters; at most {MAX_CHARACTERS:,} are checked at once.",
            "Send it chapter by chapter, or check the file: citeloom check FILE.",
        )
    manuscript = read_text(text, request.format)
    # Less time than for a file, since a tool call has a time limit.
    check = _Check(verifier, project, manuscript, visible, cancel, seconds_elsewhere=1.2, seconds_for_hints=0.8)
    return check.report()


@dataclass
class _Check:
    """One check of one manuscript, with limits for the optional parts."""

    verifier: QuoteVerifier
    project: Project
    manuscript: Manuscript
    visible: Collection[str] | None  # the projects that findings may name
    cancel: Cancel
    seconds_elsewhere: float
    seconds_for_hints: float
    works: dict[str, Work | None] = field(default_factory=dict)  # by the key of a citation
    unknown: dict[str, tuple[str | None, tuple[str, ...]]] = field(default_factory=dict)  # key → project, similar keys
    reported_without_text: set[str] = field(default_factory=set)
    unreadable: dict[str, str] = field(default_factory=dict)  # citekey → reason; not retried
    searched_works: dict[str, Work] = field(default_factory=dict)
    quotations: int = 0
    not_searched: int = 0
    on_claimed_page: set[Citation] = field(default_factory=set)  # citations with a quotation on the page they name
    warnings: list[str] = field(default_factory=list)

    def report(self) -> CheckReport:
        manuscript = self.manuscript
        findings, edits = findings_and_edits(manuscript, list(self._issues()))
        searched = [work for _, work in sorted(self.searched_works.items())]
        return CheckReport(
            project=self.project.id,
            format=manuscript.format,
            citations=len(manuscript.citations),
            works=len({work.citekey for work in self.works.values() if work}),
            quotations=self.quotations,
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
            coverage=self.verifier.catalog.documents.coverage(self.project.id),
            warnings=(
                *self.verifier.works.problems([self.project]),
                *manuscript.warnings,
                *self.warnings,
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
        citations = self.manuscript.citations
        if not citations:
            self.warnings.append("There is no citation in it.")
        citing: dict[Quotation, list[Citation]] = {}
        for citation in citations:
            if citation.key not in self.works:
                self.cancel.check()
                self.works[citation.key] = self.verifier.works.cited(self.project, citation)
            yield from self._key(citation)
            for quotation in citation.quotations:
                citing.setdefault(quotation, []).append(citation)
        self.quotations = len(citing)
        on_another_page: set[Citation] = set()
        for issue in [found for quotation, cites in citing.items() for found in self._quotation(quotation, cites)]:
            if issue.rule == "wrong-page":
                on_another_page.add(issue.citation)
            # A page that is right for one quotation of a citation is not changed for another.
            yield replace(issue, edit=None) if issue.citation in self.on_claimed_page else issue
        if self.not_searched:
            self.warnings.append(
                f"{self.not_searched} absent quotations were not looked for in other works, to keep the answer quick."
            )
        for citation in citations:
            if citation not in on_another_page:
                yield from self._page(citation)
            yield from self._without_text(citation)
        yield from self._hints()

    # -- keys ------------------------------------------------------------------------------------------------

    def _key(self, citation: Citation) -> Iterator[Issue]:
        work = self.works[citation.key]
        if work is None:
            if citation.key not in self.unknown:
                self.unknown[citation.key] = self._alternatives(citation)
            other, near = self.unknown[citation.key]
            if other:
                message = f"The work is in the project '{other}', not in this one."
                message += " Add it here, or check against that project."
                yield Issue("not-in-project", "error", citation.span, citation, message)
                return
            message = messages.unknown(citation, near)
            yield Issue("unknown-key", "error", citation.span, citation, message, near=near)
        elif work.renamed_from and not citation.zotero_items:  # an item cited in Word has no key to correct
            message = f"The citekey {citation.key} is {work.citekey} now."
            edit = key_edit(self.manuscript, citation, work.citekey, message)
            yield Issue("renamed-key", "error", citation.span, citation, message, edit=edit)

    def _alternatives(self, citation: Citation) -> tuple[str | None, tuple[str, ...]]:
        """Return another visible project that has the work, or similar citekeys of this project."""
        for other in self.verifier.catalog.projects.all():
            hidden = self.visible is not None and other.id not in self.visible
            if not hidden and other.id != self.project.id and self.verifier.works.cited(other, citation):
                return other.id, ()
        return None, () if citation.zotero_items else tuple(self._keys.similar(citation.key))

    @cached_property
    def _keys(self) -> SimilarKeys:
        return self.verifier.works.keys(self.project)

    # -- quotations ------------------------------------------------------------------------------------------

    def _quotation(self, quotation: Quotation, citing: Sequence[Citation]) -> Iterator[Issue]:
        """Check a quotation; with several citations it is right if any of their works has it."""
        self.cancel.check()
        results = [(citation, result) for citation in citing if (result := self._look_up(citation, quotation))]
        if results:
            yield from self._verdict(quotation, *min(results, key=lambda pair: pair[1].rank))

    def _look_up(self, citation: Citation, quotation: Quotation) -> LookupResult | None:
        """Look a quotation up in the cited work; None if nothing could be read."""
        work = self.works[citation.key]
        if work is None or work.citekey in self.unreadable:
            return None
        result = self.verifier.in_work(self.project, work, quotation.text, citation.claimed_pages, self.cancel)
        if result.documents:
            self.searched_works[work.citekey] = work
            return result
        self.unreadable[work.citekey] = " ".join(result.unread)
        return None

    def _verdict(self, quotation: Quotation, citation: Citation, result: LookupResult) -> Iterator[Issue]:
        work, found = self.works[citation.key], result.found
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
                self.on_claimed_page.add(citation)
            elif finding.page_right is False:
                message = messages.wrong_page(work, finding)
                labels = finding.page_labels[0], finding.page_labels[-1]
                edit = page_edit(self.manuscript, citation, labels, message)
                span = citation.pages_span or citation.span
                yield replace(about, rule="wrong-page", span=span, message=message, edit=edit)

    def _absent(self, work: Work, result: LookupResult, quotation: Quotation) -> str:
        if self.seconds_elsewhere <= 0:
            self.not_searched += 1
            return messages.lacks(work, result)
        began = time.monotonic()
        elsewhere = self.verifier.elsewhere(self.project, work, quotation.text, self.cancel)
        self.seconds_elsewhere -= time.monotonic() - began
        return messages.absent(work, result, elsewhere)

    # -- pages and works without text ------------------------------------------------------------------------

    def _without_text(self, citation: Citation) -> Iterator[Issue]:
        """Report, once for each work, that it has no text or that its text cannot be read now."""
        work = self.works[citation.key]
        why = self.unreadable.get(work.citekey) if work else None
        if work is None or (work.readable and not why) or work.citekey in self.reported_without_text:
            return
        self.reported_without_text.add(work.citekey)
        unreadable = f"{work.citekey} could not be read, so nothing could be checked. {why}"
        message = unreadable if why else messages.no_text(work)
        yield Issue("no-text", "warning", citation.span, citation, message)

    def _page(self, citation: Citation) -> Iterator[Issue]:
        work, claimed = self.works[citation.key], citation.claimed_pages
        if work is None or claimed is None:
            return
        texts = self._texts(work)
        answers = [has_page(text, claimed) for text in texts]
        if answers and all(answer is False for answer in answers):
            message = messages.page_outside(work, claimed, texts)
            yield Issue("page-outside-work", "error", citation.pages_span or citation.span, citation, message)

    def _texts(self, work: Work) -> list[WorkText]:
        """Return the texts of a work; none if one cannot be read, since the page may be in that one."""
        self.cancel.check()
        try:
            readable = () if work.citekey in self.unreadable else work.readable
            return [self.verifier.text(self.project, document) for document in readable]
        except CiteLoomError as error:
            self.unreadable[work.citekey] = str(error)
            return []

    # -- hints -----------------------------------------------------------------------------------------------

    def _hints(self) -> Iterator[Issue]:
        """Report citations whose work has no passage similar to their sentence; quotations are checked above."""
        if self.project.dense_model != BUNDLED_DENSE:  # the threshold was measured for the bundled model only
            return
        deadline: float | None = None  # set after the first comparison, which may load the model
        omitted = 0
        quoting = {citation.sentence for citation in self.manuscript.citations if citation.quotations}
        for citation in self.manuscript.citations:
            work = self.works[citation.key]
            if work is None or not work.readable or citation.sentence in quoting:
                continue
            if deadline and time.monotonic() > deadline:
                omitted += 1
                continue
            if not _is_comparable(citation.sentence, self.verifier.lexicon):
                continue
            self.cancel.check()
            ids = [document.doc_id for document in work.readable]
            score = self.verifier.search.best_score_in(self.project, citation.sentence, ids)
            deadline = deadline or time.monotonic() + self.seconds_for_hints
            if score is not None and score < _MIN_SCORE:
                message = f"No passage of {work.citekey} is similar to this sentence. This is a hint, not a proof."
                yield Issue("no-near-passage", "note", citation.span, citation, message)
        if omitted:
            self.warnings.append(
                f"{omitted} sentences were not compared with the passages of their works, to keep the answer quick."
            )


def _is_comparable(sentence: str, lexicon: Lexicon) -> bool:
    """Whether a sentence is long enough, and in the language of the model."""
    words = re.findall(r"[^\W\d_]+", sentence.casefold())
    long_words = {word for word in words if len(word) >= _MIN_LETTERS}
    return len(long_words) >= _MIN_WORDS and sum(map(lexicon.has, words)) >= _MIN_KNOWN * len(words)
