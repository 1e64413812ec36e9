"""Request handlers for claims: documents that are said to be a work, to be confirmed or refused by the researcher.

Not called by any tool: agents cannot decide on their own claims.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from citeloom.api.library import ClaimedDocument, ConfirmClaim, DocumentRow, ListClaims, RefuseClaim
from citeloom.api.verbs import handles
from citeloom.catalog import Catalog
from citeloom.catalog.documents import Document, State
from citeloom.catalog.projects import Project
from citeloom.core.errors import CiteLoomError, Code
from citeloom.core.jobs import JobQueue
from citeloom.core.types import Record
from citeloom.importing.requests import ImportRequest
from citeloom.importing.stages.match import (
    BY_RESEARCHER,
    CONFIRMED,
    REFUSED,
    RecordFinder,
    RecordMatch,
    replace_record,
    stored_record,
    why_unconfirmed,
    with_metadata,
)
from citeloom.index.filters import of_document
from citeloom.library.agent_documents import clear_citekey
from citeloom.library.documents import document_row, row_fields
from citeloom.search.indexes import Indexes

_MIN_ID_LENGTH = 6  # characters: an id may be shortened to a unique prefix


@dataclass
class ClaimService:
    """Lists the claims of a project and records the researcher's decisions."""

    _catalog: Catalog
    _indexes: Indexes
    _jobs: JobQueue
    _find_work: Callable[[Project, str], object]  # raises CITEKEY_NOT_FOUND with similar keys

    @handles(ListClaims)
    def list_claims(self, request: ListClaims) -> list[ClaimedDocument]:
        """List documents with an undecided claim, and why they do not count as the claimed work."""
        project = self._catalog.projects.get(request.project)
        found = (d for d in self._catalog.documents.with_claim(project.id) if d.open_claim and d.state == State.READY)
        return [ClaimedDocument(**row_fields(d), why=why_unconfirmed(d)) for d in found]

    @handles(ConfirmClaim)
    def confirm_claim(self, request: ConfirmClaim) -> DocumentRow:
        """Assign a document to the claimed work, or to the one in the request."""
        project, document = self._find_document(request.project, request.doc_id)
        key = (request.citekey or document.claimed_citekey).strip()
        if not key:
            raise CiteLoomError(
                Code.INVALID_INPUT,
                "No work is claimed for this document.",
                "Name the work; on the command line: --as CITEKEY.",
            )
        record = self._record(project, document, key)
        other_pages = document.pages and record.page_range != document.record.get("page_range")
        if other_pages:
            document.converter = ""  # marks it as to be read, until its passages have the record's pages
        document.decision = CONFIRMED
        self._decide(
            project, document, RecordMatch(record, BY_RESEARCHER, document.claimed_citekey, document.claimed_by)
        )
        if other_pages:
            self._jobs.submit(ImportRequest(project.id, documents=[document.doc_id]))
        return document_row(document)

    @handles(RefuseClaim)
    def refuse_claim(self, request: RefuseClaim) -> DocumentRow:
        """Refuse the claim of a document, so that it is not listed again."""
        project, document = self._find_document(request.project, request.doc_id)
        if not document.claimed_citekey:
            raise CiteLoomError(
                Code.INVALID_INPUT, "No work is claimed for this document.", "There is nothing to refuse."
            )
        document.decision = REFUSED
        if document.by_agent:  # with a citekey of its own, an agent's text would look like a work
            found = RecordMatch(
                Record(citekey="", title=document.title), None, document.claimed_citekey, document.claimed_by
            )
        else:
            seen, claim = document.record.get("_seen"), document.record.get("_claim", {})
            if not seen:
                raise CiteLoomError(Code.INVALID_INPUT, "This document has not been read yet.", "Sync, then decide.")
            found = _references(project).find(self._catalog, document, Path(document.source), seen, claim)
        self._decide(project, document, found)
        return document_row(document)

    def _decide(self, project: Project, document: Document, found: RecordMatch) -> None:
        with self._indexes.write_lock(project):
            collection = self._indexes.open(project)
            replace_record(self._catalog, collection, document, found)
            if not document.citekey:
                clear_citekey(collection, document)
            elif document.version:
                claim = {"claimed_citekey": document.open_claim or None}
                collection.rewrite(of_document(document.doc_id), claim)

    def _find_document(self, project_id: str, doc_id: str) -> tuple[Project, Document]:
        project, named = self._catalog.projects.get(project_id), doc_id.strip()
        document = self._catalog.documents.find(project.id, named) if named else None
        if document is None and len(named) >= _MIN_ID_LENGTH:
            matches = [d for d in self._catalog.documents.with_claim(project.id) if d.doc_id.startswith(named)]
            document = matches[0] if len(matches) == 1 else None
        if document is None:
            raise CiteLoomError(
                Code.DOCUMENT_NOT_FOUND,
                f"No document {named[:80]!r} in project '{project.id}'.",
                f"'citeloom documents {project.id} --doubtful' lists those to decide on, with their ids.",
            )
        if document.zotero:
            raise CiteLoomError(
                Code.INVALID_INPUT,
                "Zotero determines which work this document is.",
                "Move the attachment to another item there.",
            )
        return project, document

    def _record(self, project: Project, document: Document, key: str) -> Record:
        """Return the record of a work: from the references, another document, or the claim itself."""
        if record := _references(project).with_key(key):
            return record
        known = self._catalog.documents.with_citekey(project.id, key)
        if other := next((d for d in known if d.matched_by and d.doc_id != document.doc_id), None):
            return stored_record(other)
        if key == document.claimed_citekey:
            claim = {**document.record.get("_claim", {}), "citekey": key}
            return with_metadata(Record(citekey=key, title=document.title), claim)
        self._find_work(project, key)
        raise CiteLoomError(Code.CITEKEY_NOT_FOUND, f"{key} has no record.", "Choose a work that has one.")


def _references(project: Project) -> RecordFinder:
    return RecordFinder(Path(project.references_path) if project.references_path else None)
