"""Verifies quotations: looks them up in the claimed work, or in the works with the most similar passages.

Called by the service for `evidence.verify`, and by `check` for the quotations of a manuscript.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property

from citeloom.api.evidence import OtherWork, Searched, UnconfirmedDocument, Verdict, VerifyResult
from citeloom.catalog import Catalog
from citeloom.catalog.documents import Document, State
from citeloom.catalog.projects import Project
from citeloom.conversion.tokens import vocabulary
from citeloom.core.cancel import Cancel
from citeloom.core.errors import CiteLoomError
from citeloom.core.lru_cache import LruCache
from citeloom.core.settings import BUNDLED_DENSE
from citeloom.evidence import messages
from citeloom.evidence.lookup_result import FoundQuote, LookupResult
from citeloom.evidence.quotes.lexicon import Lexicon
from citeloom.evidence.quotes.quotation import check_quote
from citeloom.evidence.quotes.verdict import QuoteFinding, verify
from citeloom.evidence.quotes.work_text import WorkText
from citeloom.evidence.works import Work, Works
from citeloom.importing.sources.names import STORED, shown_source
from citeloom.index.base import ScoredPoint
from citeloom.index.models.embedding import ModelRegistry
from citeloom.library.document_text import DocumentTexts, from_passages
from citeloom.search.hits import cite, document_uri
from citeloom.search.query import SearchService

_MAX_TEXTS, _MAX_BYTES = 1000, 200_000_000  # of indexed works in the cache
_MAX_NEAREST = 12  # documents searched page by page if no work is claimed, or the claimed one lacks the quotation
_MORE_SECONDS = 1.5  # for further documents if those lack it: works on one subject are all similar
_MAX_SIMILAR = 40  # passages found for each piece of a quotation
_PIECE_WORDS, _MAX_PIECES = 50, 5  # a long quotation is searched for in pieces


@dataclass(eq=False)
class QuoteVerifier:
    """Looks quotations up in works."""

    catalog: Catalog
    works: Works
    document_texts: DocumentTexts
    search: SearchService
    models: ModelRegistry
    _texts: LruCache[WorkText] = field(init=False, default_factory=lambda: LruCache(_MAX_TEXTS, _MAX_BYTES))

    def verify(
        self, project: Project, quote: str, citekey: str | None, page: str | None, cancel: Cancel
    ) -> VerifyResult:
        """Verify a quotation and find its actual place."""
        check_quote(quote)
        page = (page or "").strip() or None
        work = self.works.get(project, citekey) if citekey and citekey.strip() else None
        coverage = self.catalog.documents.coverage(project.id)
        if work is None:
            result = self._in_similar(project, quote, page, cancel, seconds=_MORE_SECONDS)
            elsewhere = None
        else:
            result = self.in_work(project, work, quote, page, cancel)
            lacks = result.verdict == Verdict.ABSENT or not result.documents
            elsewhere = self.elsewhere(project, work, quote, cancel, seconds=_MORE_SECONDS) if lacks else None
        proved = result.verdict in (Verdict.EXACT, Verdict.NEAR) or elsewhere is not None
        unconfirmed = None if proved else self._unconfirmed(project, quote, cancel)
        message = messages.verdict_message(result, work, elsewhere, unconfirmed, coverage)
        document, finding = None, QuoteFinding(Verdict.ABSENT, 0.0)
        if result.found and result.found.finding.text:
            work, document, finding = result.found.work, result.found.document, result.found.finding
        searched = document or (next(iter(work.own_texts), None) if work else None)
        return VerifyResult(
            verdict=result.verdict,
            message=message,
            quote=quote,
            citekey=work.citekey if work else None,
            renamed_from=work.renamed_from if work else None,
            title=work.title if work else None,
            doc_id=document.doc_id if document else None,
            cite=cite(work.citekey, finding.page_labels) if work and document else None,
            page_span=finding.page_span,
            page_labels=finding.page_labels,
            page_claimed=page,
            page_right=finding.page_right,
            section_path=finding.section_path,
            text=finding.text,
            sentence=finding.sentence,
            allowed=finding.allowed,
            diff=finding.diff,
            changes=finding.changes,
            in_references=finding.in_references,
            is_quotation=finding.is_quotation,
            source=shown_source(searched) if searched else None,
            matched_by=searched.matched_by if searched else None,
            text_source=finding.text_source,
            ocr_confidence=finding.ocr_confidence,
            open_uri=document_uri(document, finding.page_span[0] if finding.page_span else 1) if document else None,
            places=finding.places,
            elsewhere=_other_work(elsewhere) if elsewhere else None,
            unconfirmed=_unconfirmed_document(unconfirmed) if unconfirmed else None,
            searched=Searched(result.documents, result.pages),
            coverage=coverage,
            warnings=result.unread,
        )

    def in_work(self, project: Project, work: Work, quote: str, page: str | None, cancel: Cancel) -> LookupResult:
        """Look a quotation up in all documents of one work."""
        return self._look_up(project, [(work, d) for d in work.own_texts], quote, page, cancel)

    def elsewhere(
        self, project: Project, work: Work, quote: str, cancel: Cancel, *, seconds: float = 0.0
    ) -> FoundQuote | None:
        """Find a quotation that a work lacks in another work of the project."""
        own = {d.doc_id for d in work.documents}
        result = self._in_similar(project, quote, None, cancel, own, seconds=seconds)
        return result.found if result.verdict in (Verdict.EXACT, Verdict.NEAR) else None

    def _in_similar(
        self,
        project: Project,
        quote: str,
        page: str | None,
        cancel: Cancel,
        excluded: Iterable[str] = (),
        *,
        seconds: float,
    ) -> LookupResult:
        """Look a quotation up in the documents with the most similar passages, then in others for some seconds."""
        skipped = set(excluded)
        hits = self.search.similar(project, _pieces(quote), _MAX_SIMILAR, cancel)
        ids = list(dict.fromkeys(i for hit in hits if (i := hit.payload["doc_id"]) not in skipped))
        nearest = self.catalog.documents.by_ids(project.id, ids[:_MAX_NEAREST])
        result = self._look_up(project, self._with_works(project, nearest), quote, page, cancel)
        if result.verdict == Verdict.EXACT or not seconds:
            return result
        deadline = time.monotonic() + seconds
        skipped.update(ids[:_MAX_NEAREST])
        others = [d for d in self.catalog.documents.all(project.id) if d.state == State.READY]
        order = {doc_id: number for number, doc_id in enumerate(ids)}
        others.sort(key=lambda d: order.get(d.doc_id, len(order)))
        rest = self._with_works(project, (d for d in others if d.doc_id not in skipped))
        return result.extended(self._look_up(project, rest, quote, page, cancel, deadline))

    def _with_works(self, project: Project, documents: Iterable[Document]) -> Iterator[tuple[Work, Document]]:
        found = ((self.works.resolve(project, d.citekey), d) for d in documents)
        return ((work, d) for work, d in found if work and any(own.doc_id == d.doc_id for own in work.documents))

    def _unconfirmed(self, project: Project, quote: str, cancel: Cancel) -> Document | None:
        """Return a document with the quotation that belongs to no work: stored by an agent, or with an open claim."""
        unconfirmed = {d.doc_id: d for d in self.catalog.documents.with_claim(project.id) if not d.citekey}
        found: dict[str, list[ScoredPoint]] = {}
        for hit in self.search.similar(project, _pieces(quote), _MAX_SIMILAR, cancel) if unconfirmed else ():
            found.setdefault(hit.payload["doc_id"], []).append(hit)
        for doc_id, hits in found.items():
            if document := unconfirmed.get(doc_id):
                # Only the similar passages: a stored document may be of any size.
                text = WorkText(from_passages(document, hits))
                if verify(quote, text, self.lexicon).verdict in (Verdict.EXACT, Verdict.NEAR):
                    return document
        return None

    def text(self, project: Project, document: Document) -> WorkText:
        """Return the word index of a document, from the cache if possible."""
        if document.source.startswith(STORED):  # an agent may add to it at any time
            return WorkText(self.document_texts.converted(project, document))
        # The page range of the record determines the printed pages, so it is part of the key.
        cache_key = f"{document.doc_id} {document.version} {document.converter} {document.record.get('page_range')}"
        text = self._texts.get(cache_key)
        if text is None:
            text = WorkText(self.document_texts.converted(project, document))
            self._texts.put(cache_key, text, text.size)
        return text

    def _look_up(
        self,
        project: Project,
        documents: Iterable[tuple[Work, Document]],
        quote: str,
        page: str | None,
        cancel: Cancel,
        deadline: float | None = None,
    ) -> LookupResult:
        """Look a quotation up in all of these documents; with a deadline, until then or until one has it exactly."""
        best: FoundQuote | None = None
        pages, searched = 0, 0
        unread: list[str] = []
        for work, document in documents:
            cancel.check()
            if deadline and (time.monotonic() > deadline or (best and best.finding.verdict == Verdict.EXACT)):
                break
            try:
                text = self.text(project, document)
            except CiteLoomError as error:
                unread.append(str(error))
                continue
            found = FoundQuote(work, document, verify(quote, text, self.lexicon, page=page))
            searched, pages = searched + 1, pages + (document.pages or 0)
            if best is None or found.rank < best.rank:
                best = found
            if why := messages.incomplete(document):
                unread.append(why)
        return LookupResult(best, searched, pages, tuple(unread))

    @cached_property
    def lexicon(self) -> Lexicon:
        """The vocabulary of the bundled model."""
        return Lexicon(vocabulary(self.models.info(BUNDLED_DENSE).tokenizer))


def _pieces(quote: str) -> list[str]:
    words = quote.split()
    step = max(_PIECE_WORDS, -(-len(words) // _MAX_PIECES))
    return [" ".join(words[at : at + _PIECE_WORDS]) for at in range(0, len(words), step)]


def _other_work(found: FoundQuote) -> OtherWork:
    finding, document = found.finding, found.document
    return OtherWork(
        citekey=found.work.citekey,
        title=found.work.title,
        cite=cite(found.work.citekey, finding.page_labels),
        verdict=finding.verdict,
        page_span=finding.page_span,
        page_labels=finding.page_labels,
        text=finding.text,
        source=shown_source(document),
        matched_by=document.matched_by,
        text_source=document.text_source or None,
    )


def _unconfirmed_document(document: Document) -> UnconfirmedDocument:
    return UnconfirmedDocument(
        doc_id=document.doc_id,
        source=shown_source(document),
        claimed_citekey=document.open_claim or None,
        text_source=document.text_source or None,
    )
