"""What a researcher decides on documents that are said to be a work. There is no tool for it: agents cannot."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from citeloom.catalog.documents import Document, State
from citeloom.catalog.projects import Project
from citeloom.core.errors import CiteLoomError, Code
from citeloom.core.types import Record
from citeloom.importing.requests import ImportRequest
from citeloom.importing.stages.match import (
    BY_YOU,
    CONFIRMED,
    REFUSED,
    Found,
    RecordFinder,
    doubt,
    found_for,
    record_of,
    rewrite,
    with_metadata,
)
from citeloom.index.filters import AnyOf
from citeloom.library import agent_chunks
from citeloom.library.listing import document_row

if TYPE_CHECKING:
    from citeloom.engine.container import Service

_SHORTEST_ID = 6  # characters of an id that name a document, where no other begins so


def claims(service: Service, args: dict[str, Any]) -> dict[str, Any]:
    """The documents that are said to be a work while nobody has decided, and why they do not count as it."""
    project = service.catalog.projects.get(args["project"])
    found = (d for d in service.catalog.documents.claiming(project.id) if d.open_claim and d.state == State.READY)
    return {"documents": [{**document_row(document), "why": doubt(document)} for document in found]}


def confirm(service: Service, args: dict[str, Any]) -> dict[str, Any]:
    """Have a document count as the work that it is said to be, or as the one named."""
    project, document = _chosen(service, args)
    key = str(args.get("key") or document.claimed_citekey).strip()
    if not key:
        raise CiteLoomError(
            Code.INVALID_INPUT,
            "Nobody says which work this document is.",
            "Name the work; on the command line: --as CITEKEY.",
        )
    record = _record(service, project, document, key)
    other_pages = document.pages and record.page_range != document.record.get("page_range")
    if other_pages:
        document.converter = ""  # to be read until its passages have the record's pages
    document.decision = CONFIRMED
    _decide(service, project, document, Found(record, BY_YOU, document.claimed_citekey, document.claimed_by))
    if other_pages:
        service.jobs.submit(ImportRequest(project.id, documents=[document.doc_id]))
    return document_row(document)


def refuse(service: Service, args: dict[str, Any]) -> dict[str, Any]:
    """Have a document not count as the work that it is said to be, and not be asked about again."""
    project, document = _chosen(service, args)
    if not document.claimed_citekey:
        raise CiteLoomError(Code.INVALID_INPUT, "Nobody says that this document is a work.", "There is nothing to do.")
    document.decision = REFUSED
    if document.by_agent:  # under a key of its own, an agent's text would look like a work
        found = Found(Record(citekey="", title=document.title), None, document.claimed_citekey, document.claimed_by)
    else:
        seen, claim = document.record.get("_seen"), document.record.get("_claim", {})
        if not seen:
            raise CiteLoomError(Code.INVALID_INPUT, "This document has not been read yet.", "Sync, then decide.")
        found = found_for(service.catalog, _references(project), document, Path(document.source), seen, claim)
    _decide(service, project, document, found)
    return document_row(document)


def _decide(service: Service, project: Project, document: Document, found: Found) -> None:
    with service.indexes.may_write(project):
        collection = service.collection(project)
        rewrite(service.catalog, collection, document, found)
        if not document.citekey:
            agent_chunks.take_back(collection, document)
        elif document.version:
            collection.rewrite(AnyOf("doc_id", (document.doc_id,)), {"claimed_citekey": document.open_claim or None})


def _chosen(service: Service, args: dict[str, Any]) -> tuple[Project, Document]:
    project, named = service.catalog.projects.get(args["project"]), str(args["doc_id"]).strip()
    document = service.catalog.documents.find(project.id, named) if named else None
    if document is None and len(named) >= _SHORTEST_ID:
        beginning = [d for d in service.catalog.documents.claiming(project.id) if d.doc_id.startswith(named)]
        document = beginning[0] if len(beginning) == 1 else None
    if document is None:
        raise CiteLoomError(
            Code.DOCUMENT_NOT_FOUND,
            f"No document {named[:80]!r} in project '{project.id}'.",
            f"'citeloom documents {project.id} --doubtful' lists those to decide on, with their ids.",
        )
    if document.zotero:
        raise CiteLoomError(
            Code.INVALID_INPUT, "Which work it is, Zotero says.", "Move the attachment to another item there."
        )
    return project, document


def _record(service: Service, project: Project, document: Document, key: str) -> Record:
    """The record of a work: of the references, of another document, or as it was claimed."""
    if record := _references(project).of_key(key):
        return record
    known = service.catalog.documents.with_citekey(project.id, key)
    if other := next((d for d in known if d.matched_by and d.doc_id != document.doc_id), None):
        return record_of(other)
    if key == document.claimed_citekey:
        claim = {**document.record.get("_claim", {}), "citekey": key}
        return with_metadata(Record(citekey=key, title=document.title), claim)
    service.works.get(project, key)  # says which keys come near, where there is no such work
    raise CiteLoomError(Code.CITEKEY_NOT_FOUND, f"{key} has no record.", "Choose a work that has one.")


def _references(project: Project) -> RecordFinder:
    return RecordFinder(Path(project.references_path) if project.references_path else None)
