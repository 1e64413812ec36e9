"""Whether a work really says a quotation: the claimed work page by page, or the works that come nearest."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any

from citeloom.catalog import Catalog
from citeloom.catalog.documents import Document, State
from citeloom.catalog.projects import Project
from citeloom.conversion.tokens import vocabulary
from citeloom.core.cancel import Cancel
from citeloom.core.errors import CiteLoomError
from citeloom.core.lru_cache import LruCache
from citeloom.core.settings import BUNDLED_DENSE
from citeloom.evidence import verdict_messages
from citeloom.evidence.quotes.finding import Finding, Verdict
from citeloom.evidence.quotes.lexicon import Lexicon
from citeloom.evidence.quotes.quotation import check_quote
from citeloom.evidence.quotes.verification import verify
from citeloom.evidence.quotes.work_text import WorkText
from citeloom.evidence.works import Work, Works
from citeloom.importing.ids import STORED, shown_source
from citeloom.importing.stages.match import QUICK
from citeloom.index.base import Hit
from citeloom.index.models.embedding import ModelRegistry
from citeloom.library.document_text import DocumentTexts
from citeloom.library.passage_text import from_passages
from citeloom.search.hits import cite, document_uri
from citeloom.search.query import SearchService

_MOST_TEXTS, _MOST_BYTES = 1000, 200_000_000  # of works that are kept ready to be looked through
_NEAREST = 12  # documents that are read page by page where no work is claimed, or the claimed one lacks it
_SECONDS = 1.5  # in which to read on where those lack it: works on one subject are all near, and one of them may say it
_PASSAGES = 40  # nearest to each piece of a quotation
_PIECE, _MOST_PIECES = 50, 5  # words of a long quotation that are looked for at once
# What the researcher wrote about a work is not what the work says.
_OWN_WORDS = ("note", "annotations")


@dataclass(frozen=True, slots=True)
class Found:
    """The best place of a quotation in a work."""

    work: Work
    document: Document
    finding: Finding


@dataclass(frozen=True, slots=True)
class Looked:
    """What looking through some works gave: the best place, how much was read, and what could not be."""

    found: Found | None
    documents: int = 0
    pages: int = 0
    unread: tuple[str, ...] = ()

    @property
    def verdict(self) -> Verdict:
        """exact, near, absent or inconclusive: what could not be read whole can prove no absence."""
        said = self.found.finding.verdict if self.found else Verdict.ABSENT
        return Verdict.INCONCLUSIVE if said == Verdict.ABSENT and (self.unread or not self.documents) else said

    def joined(self, more: Looked) -> Looked:
        """This and what looking on gave; what is less near and cannot be read takes nothing from the verdict."""
        found = min((f for f in (self.found, more.found) if f), key=_rank, default=None)
        return Looked(found, self.documents + more.documents, self.pages + more.pages, self.unread)


class QuoteVerifier:
    """Looks quotations up."""

    def __init__(
        self, catalog: Catalog, works: Works, reading: DocumentTexts, questions: SearchService, models: ModelRegistry
    ) -> None:
        self._catalog = catalog
        self._works = works
        self._reading = reading
        self._questions = questions
        self._models = models
        self._texts: LruCache[WorkText] = LruCache(_MOST_TEXTS, _MOST_BYTES)

    def verify(
        self, project: Project, quote: str, citekey: str | None, page: str | None, cancel: Cancel
    ) -> dict[str, Any]:
        """The verdict on a quotation, with where it really stands."""
        check_quote(quote)
        page = (page or "").strip() or None
        work = self._works.get(project, citekey) if citekey and citekey.strip() else None
        coverage = self._catalog.documents.coverage(project.id)
        if work is None:
            looked = self.anywhere(project, quote, page, cancel, seconds=_SECONDS)
            elsewhere = None
        else:
            looked = self.in_work(project, work, quote, page, cancel)
            elsewhere = self.elsewhere(project, work, quote, cancel, seconds=_SECONDS) if _lacks(looked) else None
        lacks = looked.verdict in (Verdict.ABSENT, Verdict.INCONCLUSIVE) and not elsewhere
        unconfirmed = self._unconfirmed(project, quote, cancel) if lacks else None
        message = verdict_messages.message(looked, work, elsewhere, unconfirmed, coverage)
        return {
            "verdict": str(looked.verdict),
            "message": message,
            "quote": quote,
            **_place(looked.found, work, looked.verdict),
            "page_claimed": page,
            "elsewhere": elsewhere and brief(elsewhere),
            "unconfirmed": unconfirmed and _not_a_work(unconfirmed),
            "searched": {"documents": looked.documents, "pages": looked.pages},
            "coverage": coverage,
            "warnings": list(looked.unread),
        }

    def in_work(self, project: Project, work: Work, quote: str, page: str | None, cancel: Cancel) -> Looked:
        """The best place in one work, all of whose documents are read."""
        return self._look(project, [(work, d) for d in proper_texts(work)], quote, page, cancel)

    def anywhere(
        self,
        project: Project,
        quote: str,
        page: str | None,
        cancel: Cancel,
        but_not: Iterable[str] = (),
        *,
        seconds: float = 0.0,
    ) -> Looked:
        """The best place in the works that come nearest by words and meaning, then in others while there is time."""
        left_out = set(but_not)
        hits = self._questions.alike(project, _pieces(quote), _PASSAGES, cancel)
        ids = list(dict.fromkeys(i for hit in hits if (i := hit.payload["doc_id"]) not in left_out))
        nearest = self._catalog.documents.some(project.id, ids[:_NEAREST])
        looked = self._look(project, self._with_works(project, nearest), quote, page, cancel)
        if looked.verdict == Verdict.EXACT or not seconds:
            return looked
        until = time.monotonic() + seconds
        left_out.update(ids[:_NEAREST])
        others = [d for d in self._catalog.documents.all(project.id) if d.state == State.READY]
        order = {doc_id: number for number, doc_id in enumerate(ids)}
        others.sort(key=lambda d: order.get(d.doc_id, len(order)))
        rest = self._with_works(project, (d for d in others if d.doc_id not in left_out))
        return looked.joined(self._look(project, rest, quote, page, cancel, until))

    def _with_works(self, project: Project, documents: Iterable[Document]) -> Iterator[tuple[Work, Document]]:
        found = ((self._works.resolve(project, d.citekey), d) for d in documents)
        return ((work, d) for work, d in found if work and any(own.doc_id == d.doc_id for own in work.documents))

    def elsewhere(
        self, project: Project, work: Work, quote: str, cancel: Cancel, *, seconds: float = 0.0
    ) -> Found | None:
        """Where else in the project a quotation stands that a work lacks."""
        left_out = [d.doc_id for d in work.documents]
        looked = self.anywhere(project, quote, None, cancel, left_out, seconds=seconds)
        return looked.found if looked.verdict in (Verdict.EXACT, Verdict.NEAR) else None

    def _unconfirmed(self, project: Project, quote: str, cancel: Cancel) -> Document | None:
        """A document that says it, but counts as no work: an agent stored it, or it may not be the work it claims."""
        left_out = {d.doc_id: d for d in self._catalog.documents.claiming(project.id) if not d.citekey}
        found: dict[str, list[Hit]] = {}
        for hit in self._questions.alike(project, _pieces(quote), _PASSAGES, cancel) if left_out else ():
            found.setdefault(hit.payload["doc_id"], []).append(hit)
        for doc_id, hits in found.items():
            if document := left_out.get(doc_id):
                # Only the passages that come near: what an agent stored may be of any size.
                text = WorkText.of(from_passages(document, hits))
                if verify(quote, text, self.lexicon).verdict in (Verdict.EXACT, Verdict.NEAR):
                    return document
        return None

    def text(self, project: Project, document: Document) -> WorkText:
        """A document ready to be looked through; the last ones are kept."""
        if document.source.startswith(STORED):  # an agent may add to it at any time
            return WorkText.of(self._reading.converted(project, document))
        # With its record, because that may tell the printed pages.
        name = f"{document.doc_id} {document.version} {document.converter} {document.record.get('page_range')}"
        known = self._texts.get(name)
        if known is None:
            known = WorkText.of(self._reading.converted(project, document))
            self._texts.keep(name, known, known.size)
        return known

    def _look(
        self,
        project: Project,
        documents: Iterable[tuple[Work, Document]],
        quote: str,
        page: str | None,
        cancel: Cancel,
        until: float | None = None,
    ) -> Looked:
        """Look through all of these documents; with a time, until then or until one has it word for word."""
        best: Found | None = None
        pages, read = 0, 0
        unread: list[str] = []
        for work, document in documents:
            cancel.check()
            if until and (time.monotonic() > until or (best and best.finding.verdict == Verdict.EXACT)):
                break
            try:
                text = self.text(project, document)
            except CiteLoomError as error:
                unread.append(str(error))
                continue
            found = Found(work, document, verify(quote, text, self.lexicon, page=page))
            read, pages = read + 1, pages + (document.pages or 0)
            if best is None or _rank(found) < _rank(best):
                best = found
            if document.waiting_for_ocr:
                unread.append(verdict_messages.waiting_for_ocr(document))
            elif document.converter_engine == QUICK:
                unread.append(verdict_messages.read_quickly(document))
        return Looked(best, read, pages, tuple(unread))

    @cached_property
    def lexicon(self) -> Lexicon:
        """The vocabulary of the bundled model, for the language at large."""
        return Lexicon(vocabulary(self._models.info(BUNDLED_DENSE).tokenizer))


def brief(found: Found) -> dict[str, Any]:
    """A place in another work than the one claimed, in short."""
    finding = found.finding
    return {
        "citekey": found.work.citekey,
        "title": found.work.title,
        "cite": cite(found.work.citekey, finding.page_labels),
        "verdict": str(finding.verdict),
        "page_span": list(finding.page_span) if finding.page_span else None,
        "page_labels": list(finding.page_labels),
        "text": finding.text,
        "source": shown_source(found.document),
        "matched_by": found.document.matched_by,
        "text_source": found.document.text_source or None,
    }


def proper_texts(work: Work) -> tuple[Document, ...]:
    """The documents that hold a work's own words; else what the researcher wrote about it."""
    readable = work.readable
    return tuple(d for d in readable if d.file_type not in _OWN_WORDS) or readable


def _not_a_work(document: Document) -> dict[str, Any]:
    return {
        "doc_id": document.doc_id,
        "source": shown_source(document),
        "claimed_citekey": document.open_claim or None,
        "text_source": document.text_source or None,
    }


_ORDER = {Verdict.EXACT: 0, Verdict.NEAR: 1, Verdict.INCONCLUSIVE: 2, Verdict.ABSENT: 3}


def _rank(found: Found) -> tuple[int, bool, bool, bool, bool, float]:
    finding = found.finding
    return (
        _ORDER[finding.verdict],
        found.document.by_agent,
        finding.page_right is False,
        found.document.file_type in _OWN_WORDS,
        finding.in_references,
        -finding.score,
    )


def _lacks(looked: Looked) -> bool:
    return looked.verdict == Verdict.ABSENT or (looked.verdict == Verdict.INCONCLUSIVE and not looked.documents)


def _pieces(quote: str) -> list[str]:
    words = quote.split()
    step = max(_PIECE, -(-len(words) // _MOST_PIECES))
    return [" ".join(words[at : at + _PIECE]) for at in range(0, len(words), step)]


def _place(found: Found | None, work: Work | None, verdict: Verdict) -> dict[str, Any]:
    """Where a quotation stands; empty where it stands nowhere."""
    finding = found.finding if found and found.finding.text else None
    work = found.work if found and finding else work
    document = found.document if found and finding else None
    read = document or next(iter(proper_texts(work)), None) if work else document
    labels = list(finding.page_labels) if finding else []
    span = list(finding.page_span) if finding and finding.page_span else None
    return {
        "citekey": work.citekey if work else None,
        "renamed_from": work.renamed_from if work else None,
        "title": work.title if work else None,
        "doc_id": document.doc_id if document else None,
        "cite": cite(work.citekey, labels) if work and finding else None,
        "page_span": span,
        "page_labels": labels,
        "page_right": finding.page_right if finding else None,
        "section_path": list(finding.section_path) if finding else [],
        "text": finding.text if finding else None,
        "sentence": finding.sentence if finding else None,
        "allowed": list(finding.allowed) if finding else [],
        "diff": finding.diff if finding else None,
        "changes": [asdict(change) for change in finding.changes] if finding else [],
        "in_references": bool(finding and finding.in_references),
        "is_quotation": bool(finding and finding.is_quotation),
        "source": shown_source(read) if read else None,
        "matched_by": read.matched_by if read else None,
        "text_source": str(finding.text_source) if finding and finding.text_source else None,
        "ocr_confidence": finding.ocr_confidence if finding else None,
        "open_uri": document_uri(document, span[0] if span else 1) if document else None,
        "places": finding.places if finding else 0,
    }
