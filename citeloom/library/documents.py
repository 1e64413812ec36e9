"""Request handlers for the documents of a project: list them and their passages, read again, delete."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from citeloom.api.library import (
    DeletedDocument,
    DeleteDocument,
    DocumentPage,
    DocumentRow,
    ListDocuments,
    ListPassages,
    PassageSummary,
    RemovedDocuments,
    RemoveDocuments,
    RereadDocuments,
    RereadStarted,
)
from citeloom.api.verbs import handles
from citeloom.catalog import Catalog
from citeloom.catalog.documents import SORTS, ZOTERO_TEXT_TYPES, Document, State, year_of
from citeloom.catalog.projects import Project
from citeloom.core.errors import CiteLoomError, Code
from citeloom.core.jobs import JobQueue
from citeloom.importing.requests import ImportRequest
from citeloom.importing.sources.names import STORED, shown_source
from citeloom.importing.stages.match import QUICK
from citeloom.importing.writer import LiveWriter
from citeloom.index.filters import AnyOf, Condition, Every, of_document
from citeloom.search.hits import document_uri, estimate_tokens
from citeloom.search.indexes import Indexes

_MAX_FIND_LENGTH = 500  # characters
_MAX_PAGE_SIZE = 1000  # documents in one page


@dataclass
class DocumentService:
    """Lists documents and their passages, queues documents to be read again and deletes them."""

    _catalog: Catalog
    _indexes: Indexes
    _jobs: JobQueue

    @handles(ListDocuments)
    def list_documents(self, request: ListDocuments) -> DocumentPage:
        """Return documents of a project, sorted and filtered as requested."""
        project = self._catalog.projects.get(request.project)
        if request.status is not None:
            _check_choice(request.status, list(State), "There is no status '{}'.")
        _check_choice(request.sort, SORTS, "Documents cannot be sorted by '{}'.")
        if not 1 <= request.limit <= _MAX_PAGE_SIZE or request.offset < 0:
            raise CiteLoomError(
                Code.INVALID_INPUT,
                f"limit {request.limit}, offset {request.offset}.",
                f"limit is 1 to {_MAX_PAGE_SIZE}, offset 0 or more.",
            )
        ids, total = self._catalog.documents.page(
            project.id,
            state=request.status,
            find=request.find[:_MAX_FIND_LENGTH],
            sort=request.sort,
            descending=request.descending,
            limit=request.limit,
            offset=min(request.offset, 2**62),  # larger values overflow in SQLite, and are past the end anyway
        )
        rows = [document_row(document) for document in self._catalog.documents.by_ids(project.id, ids)]
        rest = max(0, total - request.offset - len(rows))
        return DocumentPage(
            documents=rows,
            count=len(rows),
            total=total,
            truncated=rest > 0,
            truncated_count=rest,
            next_offset=request.offset + len(rows) if rest else None,
            coverage=self._catalog.documents.coverage(project.id),
        )

    @handles(ListPassages)
    def list_passages(self, request: ListPassages) -> list[PassageSummary]:
        """Return the passages of some documents, in the order of the documents and of their text."""
        project = self._catalog.projects.get(request.project)
        documents = self._catalog.documents.by_ids(project.id, request.doc_ids)
        collection = self._indexes.open(project)
        return [
            PassageSummary(
                chunk_id=hit.payload["chunk_id"],
                doc_id=document.doc_id,
                chunk_index=hit.payload["chunk_index"],
                page_start=hit.payload.get("page_start"),
                tokens=estimate_tokens(hit.payload["chunk_text"]),
            )
            for document in documents
            if document.chunks
            for hit in collection.scroll(_on_pages(document.doc_id, request.pages), limit=document.chunks)
        ]

    @handles(RereadDocuments)
    def reread_documents(self, request: RereadDocuments) -> RereadStarted:
        """Queue an import that reads some documents of a project again, or all that failed."""
        project = self._catalog.projects.get(request.project)
        if request.failed:
            chosen = self._catalog.documents.ids_in_state(project.id, State.FAILED)
        else:
            known = self._select_documents(project, request.doc_ids)
            chosen = [document.doc_id for document in known if not document.source.startswith(STORED)]
            if not chosen:
                raise CiteLoomError(
                    Code.INVALID_INPUT,
                    "Passages that an agent stored have no file to be read again.",
                    "Have the agent store them again.",
                )
        if not chosen:
            return RereadStarted(job_id=None, documents=0)
        since = time.time() if request.convert_again else 0.0
        job = self._jobs.submit(ImportRequest(project.id, documents=chosen, convert_since=since))
        return RereadStarted(job_id=job.id, documents=len(chosen))

    @handles(DeleteDocument)
    def delete_document(self, request: DeleteDocument) -> DeletedDocument:
        """Delete a document from the index."""
        project = self._catalog.projects.get(request.project)
        document = self._catalog.documents.get(project.id, request.doc_id, None)
        with self._indexes.write_lock(project):
            deleted = LiveWriter(self._catalog, partial(self._indexes.open, project)).remove(
                project.id, document.doc_id
            )
        note = None
        if document.zotero:
            note = "It is still in Zotero: the next sync reads it again, unless it leaves its collection there."
        elif not document.source.startswith(STORED) and Path(document.source).exists():
            note = "Its file is still there: the next import of its folder reads it again."
        return DeletedDocument(doc_id=document.doc_id, deleted_chunks=deleted, note=note)

    @handles(RemoveDocuments)
    def remove_documents(self, request: RemoveDocuments) -> RemovedDocuments:
        """Delete several documents from the index."""
        project = self._catalog.projects.get(request.project)
        chosen = self._select_documents(project, request.doc_ids)
        deleted = (
            self.delete_document(DeleteDocument(project=project.id, doc_id=document.doc_id)) for document in chosen
        )
        notes = Counter(one.note for one in deleted if one.note)
        return RemovedDocuments(
            removed=len(chosen),
            notes=[f"{count} of them: {note}" if len(chosen) > 1 else note for note, count in notes.items()],
        )

    def _select_documents(self, project: Project, doc_ids: Sequence[str]) -> Sequence[Document]:
        chosen = self._catalog.documents.by_ids(project.id, doc_ids)
        if not chosen:
            raise CiteLoomError(
                Code.DOCUMENT_NOT_FOUND,
                f"None of these documents is in project '{project.id}'.",
                "They may have been removed meanwhile: list the documents again.",
            )
        return chosen


def _on_pages(doc_id: str, pages: Sequence[int] | None) -> Condition:
    of = of_document(doc_id)
    return of if pages is None else Every((of, AnyOf("page_start", tuple(pages))))


def summary_fields(document: Document) -> dict[str, Any]:
    """Return the fields of `DocumentSummary`."""
    return {
        "doc_id": document.doc_id,
        "citekey": document.citekey,
        "claimed_citekey": document.open_claim or None,
        "citekey_made": document.key_made,
        "title": document.title,
        "source": shown_source(document),
        "file_type": document.file_type,
        "pages": document.pages,
        "chunk_count": document.chunks,
        "without_vector": document.without_vector,
        "content_hash": document.content_hash,
        "status": str(document.state),
        "reason": document.reason,
        "matched_by": document.matched_by,
        "text_source": document.text_source or None,
        "converter_engine": document.converter_engine or None,
        "fallback_reason": document.fallback_reason,
        "quick": document.converter_engine == QUICK,
        "word_coverage": document.word_coverage,
        "warnings": document.warnings,
    }


def row_fields(document: Document) -> dict[str, Any]:
    """Return the fields of `DocumentRow`."""
    path = document.path or document.source
    has_own_file = document.file_type not in ZOTERO_TEXT_TYPES and Path(path).is_absolute()
    return {
        **summary_fields(document),
        "claimed_by": document.claimed_by,
        "decision": document.decision,
        "reason_code": document.reason_code,
        "ocr_share": document.ocr_share,
        "slow_pages": document.slow_pages,
        "year": year_of(document.record),
        "authors": [str(name) for name in document.record.get("authors") or ()],
        "path": path if has_own_file else None,
        "open_uri": document_uri(document),
        "created_at": document.created_at,
        "last_modified": document.last_modified,
        "metadata": document.metadata,
    }


def document_row(document: Document) -> DocumentRow:
    """Return a document as a row of the tables shown to people."""
    return DocumentRow(**row_fields(document))


def _check_choice(given: str, valid: Sequence[str], problem: str) -> None:
    if given not in valid:
        raise CiteLoomError(
            Code.INVALID_INPUT, problem.format(given[:60]), f"It can be: {', '.join(valid)}.", valid=list(valid)
        )
