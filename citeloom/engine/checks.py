"""A manuscript's citations against the library: is there such a key, does the work say it, is it on that page."""

from __future__ import annotations

import hashlib
import re
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from citeloom.config import BUNDLED_DENSE
from citeloom.engine import check_words
from citeloom.engine.cancel import Cancel
from citeloom.engine.manuscript_files import bytes_of
from citeloom.engine.near_names import NearNames
from citeloom.engine.questions import Questions
from citeloom.engine.quoting import Looked, Quoting
from citeloom.engine.works import Work, Works
from citeloom.errors import CiteLoomError, Code
from citeloom.manuscripts.edits import Edit, key_edit, page_edit
from citeloom.manuscripts.model import Citation, Manuscript, Quotation, Span
from citeloom.manuscripts.reading import read_manuscript, read_text
from citeloom.quotes import Verdict
from citeloom.quotes.pages import has_page
from citeloom.store import Catalog, Project

MOST_CHARACTERS = 50_000  # of a text that an agent sends
_ERROR, _WARNING, _NOTE = "error", "warning", "note"
# How near the nearest passage of a cited work must come to a sentence, for the bundled model. Measured on the sample
# papers: 21 sentences that paraphrase their work came to 0.33 and more, four in five of other works stayed below 0.25.
_NEAR_ENOUGH = 0.25
_HINT_SECONDS = 2.0  # hints are worth no longer wait
_SHORTEST_HINT = 5  # words of a sentence that says anything
_KNOWN = 0.7  # of its words, those that the model's vocabulary has


@dataclass(frozen=True, slots=True)
class Finding:
    """Something in a manuscript that a writer should know."""

    rule: str
    level: str
    span: Span
    citation: Citation
    message: str
    quotation: Quotation | None = None
    near: tuple[str, ...] = ()
    page_labels: tuple[str, ...] = ()
    page_span: tuple[int, int] | None = None
    diff: str | None = None
    edit: Edit | None = None
    why: str = ""  # of the edit


class Checks:
    """Checks manuscripts."""

    def __init__(self, catalog: Catalog, works: Works, quoting: Quoting, questions: Questions) -> None:
        self._catalog = catalog
        self._works = works
        self._quoting = quoting
        self._questions = questions

    def file(self, project: Project, path: Path, cancel: Cancel) -> dict[str, Any]:
        """Check a manuscript on the disk."""
        data = bytes_of(path)
        manuscript = read_manuscript(path.name, data)
        report = self.check(project, manuscript, None, cancel)
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
        report = self.check(project, read_text(text, form), visible, cancel)
        return {**report, "file": None, "sha256": None}

    def check(
        self, project: Project, manuscript: Manuscript, visible: frozenset[str] | None, cancel: Cancel
    ) -> dict[str, Any]:
        """Every citation of a manuscript against key, quotation and page."""
        check = _Check(self._catalog, self._works, self._quoting, self._questions, project, manuscript, visible, cancel)
        found = sorted(check.findings(), key=lambda f: (f.span.start, f.rule))
        edits = _edits(found)
        numbers = {edit: number for number, edit in enumerate(edits)}
        return {
            "project": project.id,
            "format": manuscript.format,
            "citations": len(manuscript.citations),
            "works": len({work.citekey for work in check.works.values() if work}),
            "quotations": check.quotations,
            "findings": [_as_answer(manuscript, f, numbers) for f in found],
            "counts": {level: sum(f.level == level for f in found) for level in (_ERROR, _WARNING, _NOTE)},
            "edits": [_edit_as_answer(manuscript, edit, why) for edit, why in edits.items()],
            "fixable": manuscript.fixable,
            "encoding": manuscript.encoding,
            "coverage": self._catalog.documents.coverage(project.id),
            "warnings": [*manuscript.warnings, *check.warnings],
        }


class _Check:
    """One check of one manuscript."""

    def __init__(
        self,
        catalog: Catalog,
        works: Works,
        quoting: Quoting,
        questions: Questions,
        project: Project,
        manuscript: Manuscript,
        visible: frozenset[str] | None,
        cancel: Cancel,
    ) -> None:
        self._catalog = catalog
        self._all = works
        self._quoting = quoting
        self._questions = questions
        self._project = project
        self._manuscript = manuscript
        self._visible = visible
        self._cancel = cancel
        self._names: NearNames | None = None
        self._near: dict[str, tuple[str, ...]] = {}
        self._said_no_text: set[str] = set()
        self.works: dict[str, Work | None] = {}
        self.quotations = 0
        self.warnings: list[str] = []

    def findings(self) -> Iterator[Finding]:
        """What a writer should know, in no order."""
        if not self._manuscript.citations:
            self.warnings.append(check_words.NO_CITATIONS)
        groups: dict[int, list[Citation]] = {}
        for citation in self._manuscript.citations:
            groups.setdefault(citation.group, []).append(citation)
            if citation.key not in self.works:
                self.works[citation.key] = self._all.cited(self._project, citation)
            yield from self._key(citation)
        checked: list[Citation] = []
        for group in groups.values():
            self._cancel.check()
            yield from self._quotations(group)
            for citation in group:
                yield from self._without_text(citation)
                if not citation.quotations:
                    yield from self._page(citation)
            checked += [c for c in group if not c.quotations]
        yield from self._hints(checked)

    # -- keys ------------------------------------------------------------------------------------------------

    def _key(self, citation: Citation) -> Iterator[Finding]:
        work = self.works[citation.key]
        if work is None:
            if other := self._other_project(citation):
                yield Finding("not-in-project", _ERROR, citation.span, citation, check_words.not_in_project(other))
                return
            if self._names is None:
                self._names = self._all.names(self._project)
            if citation.key not in self._near:
                self._near[citation.key] = tuple(self._names.near(citation.key))
            near = self._near[citation.key]
            yield Finding(
                "unknown-key", _ERROR, citation.span, citation, check_words.unknown(citation.key, near), near=near
            )
        elif work.renamed_from:
            edit = key_edit(self._manuscript, citation, work.citekey)
            said = check_words.renamed(citation.key, work.citekey)
            yield Finding("renamed-key", _ERROR, citation.span, citation, said, edit=edit, why=said)

    def _other_project(self, citation: Citation) -> str | None:
        """Another project, of those that may be seen, that has the work."""
        for project in self._catalog.projects.all():
            hidden = self._visible is not None and project.id not in self._visible
            if not hidden and project.id != self._project.id and self._all.resolve(project, citation.key):
                return project.id
        return None

    # -- quotations ------------------------------------------------------------------------------------------

    def _quotations(self, group: Sequence[Citation]) -> Iterator[Finding]:
        """A quotation before several citations is right if any of the works says it."""
        for quotation in dict.fromkeys(q for citation in group for q in citation.quotations):
            citing = [c for c in group if quotation in c.quotations]
            self.quotations += 1
            looked = [(c, self._look(c, work, quotation)) for c in citing if (work := self.works[c.key])]
            read = [(c, one) for c, one in looked if one.documents]
            if read:
                yield from self._verdict(quotation, *min(read, key=lambda pair: _rank(pair[1])))

    def _look(self, citation: Citation, work: Work, quotation: Quotation) -> Looked:
        claimed = _claimed(citation)
        return self._quoting.in_work(self._project, work, quotation.text, claimed, self._cancel)

    def _verdict(self, quotation: Quotation, citation: Citation, looked: Looked) -> Iterator[Finding]:
        work, found = self.works[citation.key], looked.found
        assert work is not None
        about = Finding("", _ERROR, quotation.span, citation, "", quotation=quotation)
        if looked.verdict == Verdict.ABSENT:
            elsewhere = self._quoting.elsewhere(self._project, work, quotation.text, self._cancel)
            yield replace(about, rule="quote-absent", message=check_words.absent(work, looked, elsewhere))
        elif looked.verdict == Verdict.INCONCLUSIVE:
            if said := check_words.inconclusive(work, looked):
                yield replace(about, rule="quote-too-short", level=_NOTE, message=said)
        elif found:
            stands = found.finding
            about = replace(about, page_labels=tuple(stands.page_labels), page_span=stands.page_span, diff=stands.diff)
            if looked.verdict == Verdict.NEAR:
                yield replace(about, rule="quote-changed", message=check_words.changed(work, stands))
            if stands.page_right is False:
                said = check_words.wrong_page(work, stands)
                edit = page_edit(self._manuscript, citation, (stands.page_labels[0], stands.page_labels[-1]))
                span = citation.pages_span or citation.span
                yield replace(about, rule="wrong-page", span=span, message=said, edit=edit, why=said)

    # -- pages and works without text ------------------------------------------------------------------------

    def _without_text(self, citation: Citation) -> Iterator[Finding]:
        work = self.works[citation.key]
        if work is None or work.readable or work.citekey in self._said_no_text:
            return
        self._said_no_text.add(work.citekey)
        yield Finding("no-text", _WARNING, citation.span, citation, check_words.no_text(work))

    def _page(self, citation: Citation) -> Iterator[Finding]:
        work, claimed = self.works[citation.key], _claimed(citation)
        if work is None or claimed is None:
            return
        texts = [self._quoting.text(self._project, document) for document in work.readable]
        answers = [has_page(text, claimed) for text in texts]
        if answers and all(answer is False for answer in answers):
            said = check_words.page_outside(work, claimed, texts)
            yield Finding("page-outside-work", _ERROR, citation.pages_span or citation.span, citation, said)

    # -- hints -----------------------------------------------------------------------------------------------

    def _hints(self, citations: Sequence[Citation]) -> Iterator[Finding]:
        """Sentences whose cited work has nothing like them: worth a look, no more."""
        if self._project.dense_model != BUNDLED_DENSE:  # what is near to another model has not been measured
            return
        until, left = time.monotonic() + _HINT_SECONDS, 0
        for citation in citations:
            work = self.works[citation.key]
            if work is None or not work.readable or not self._says_something(citation.sentence):
                continue
            if time.monotonic() > until:
                left += 1
                continue
            self._cancel.check()
            ids = [document.doc_id for document in work.readable]
            near = self._questions.nearest_in(self._project, citation.sentence, ids)
            if near is not None and near < _NEAR_ENOUGH:
                said = check_words.no_near_passage(work)
                yield Finding("no-near-passage", _NOTE, citation.span, citation, said)
        if left:
            self.warnings.append(check_words.hints_left_out(left))

    def _says_something(self, sentence: str) -> bool:
        """Whether it is long enough, and in the language that the model compares by."""
        words = re.findall(r"[^\W\d_]+", sentence.casefold())
        return len(words) >= _SHORTEST_HINT and sum(map(self._quoting.is_word, words)) >= _KNOWN * len(words)


_ORDER = {Verdict.EXACT: 0, Verdict.NEAR: 1, Verdict.INCONCLUSIVE: 2, Verdict.ABSENT: 3}


def _rank(looked: Looked) -> tuple[int, bool]:
    return _ORDER[looked.verdict], bool(looked.found and looked.found.finding.page_right is False)


def _claimed(citation: Citation) -> str | None:
    if citation.pages is None:
        return None
    first, last = citation.pages
    return first if first == last else f"{first}-{last}"


def _edits(findings: Sequence[Finding]) -> dict[Edit, str]:
    """What can be written, and why. Where one place would have to say two things, only a person can decide."""
    by_place: dict[tuple[int, int], dict[Edit, str]] = {}
    for finding in findings:
        if edit := finding.edit:
            by_place.setdefault((edit.start, edit.end), {}).setdefault(edit, finding.why)
    return {edit: why for edits in by_place.values() if len(edits) == 1 for edit, why in edits.items()}


def _as_answer(manuscript: Manuscript, finding: Finding, numbers: Mapping[Edit, int]) -> dict[str, Any]:
    line, column = manuscript.place(finding.span.start)
    end_line, end_column = manuscript.place(finding.span.end)
    return {
        "rule": finding.rule,
        "level": finding.level,
        "line": line,
        "column": column,
        "end_line": end_line,
        "end_column": end_column,
        "citekey": finding.citation.key,
        "message": finding.message,
        "quotation": finding.quotation.text if finding.quotation else None,
        "sentence": finding.citation.sentence,
        "near": list(finding.near),
        "page_claimed": _claimed(finding.citation),
        "page_labels": list(finding.page_labels),
        "page_span": list(finding.page_span) if finding.page_span else None,
        "diff": finding.diff,
        "edit": numbers.get(finding.edit) if finding.edit else None,
    }


def _edit_as_answer(manuscript: Manuscript, edit: Edit, why: str) -> dict[str, Any]:
    line, column = manuscript.place(edit.start)
    return {**asdict(edit), "line": line, "column": column, "why": why}
