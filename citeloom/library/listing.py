"""The documents of a project on their shelf: listed at scale, read again, taken off."""

from __future__ import annotations

import time
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

from citeloom.catalog.document_search import SORTS
from citeloom.catalog.documents import TEXTS_OF_ZOTERO, Document, State
from citeloom.catalog.projects import Project
from citeloom.core.errors import CiteLoomError, Code
from citeloom.importing.ids import STORED
from citeloom.importing.requests import ImportRequest
from citeloom.library.document_text import describe
from citeloom.search.hits import document_uri

if TYPE_CHECKING:
    from citeloom.engine.container import Service

_LONGEST_FIND = 500


def documents(service: Service, args: dict[str, Any]) -> dict[str, Any]:
    """Some documents of a project, in the order and with the words that were asked for."""
    project = service.catalog.projects.get(args["project"])
    status, find, sort = args.get("status"), str(args.get("find") or ""), args.get("sort") or "citekey"
    limit, offset = check_block(status, args.get("limit", 1000), args.get("offset", 0))
    if sort not in SORTS:
        raise CiteLoomError(
            Code.INVALID_INPUT,
            f"Documents cannot be sorted by '{str(sort)[:60]}'.",
            f"It can be: {', '.join(SORTS)}.",
            valid=list(SORTS),
        )
    ids, total = service.catalog.document_search.page(
        project.id,
        state=status,
        find=find[:_LONGEST_FIND],
        sort=sort,
        descending=bool(args.get("descending")),
        limit=limit,
        offset=offset,
    )
    found = service.catalog.documents.some(project.id, ids)
    return block(
        [document_row(document) for document in found], total, offset, service.catalog.documents.coverage(project.id)
    )


def check_block(status: Any, limit: Any, offset: Any) -> tuple[int, int]:
    """The bounds of a part of a list, or why there is no such part."""
    if status is not None and status not in list(State):
        raise CiteLoomError(
            Code.INVALID_INPUT,
            f"There is no status '{str(status)[:60]}'.",
            f"It can be: {', '.join(State)}.",
            valid=list(State),
        )
    if not 1 <= limit <= 1000 or offset < 0:
        raise CiteLoomError(
            Code.INVALID_INPUT,
            f"limit {limit}, offset {offset}.",
            "limit is 1 to 1000, offset 0 or more.",
        )
    return limit, min(offset, 2**62)  # more than SQLite counts to is past the end as well


def block(rows: list[dict[str, Any]], total: int, offset: int, coverage: dict[str, int]) -> dict[str, Any]:
    """A part of a list, with how much of it is left."""
    rest = max(0, total - offset - len(rows))
    return {
        "documents": rows,
        "count": len(rows),
        "total": total,
        "truncated": rest > 0,
        "truncated_count": rest,
        "next_offset": offset + len(rows) if rest else None,
        "coverage": coverage,
    }


def document_row(document: Document) -> dict[str, Any]:
    """A document as a person sees it listed."""
    path = document.path or document.source
    own = document.file_type not in TEXTS_OF_ZOTERO and Path(path).is_absolute()
    return {
        **describe(document),
        "claimed_by": document.claimed_by,
        "decision": document.decision,
        "reason_code": document.reason_code,
        "ocr_share": document.ocr_share,
        "year": document.record.get("year"),
        "authors": document.record.get("authors") or [],
        "path": path if own else None,
        "open_uri": document_uri(document),
    }


def reread(service: Service, args: dict[str, Any]) -> dict[str, Any]:
    """Read some documents of a project again, or all that failed; with `convert_again`, from scratch."""
    project = service.catalog.projects.get(args["project"])
    if args.get("failed"):
        chosen = service.catalog.documents.ids_in_state(project.id, State.FAILED)
    else:
        known = _chosen(service, project, args["doc_ids"])
        chosen = [document.doc_id for document in known if not document.source.startswith(STORED)]
        if not chosen:
            raise CiteLoomError(
                Code.INVALID_INPUT,
                "Passages that an agent stored have no file to be read again.",
                "Have the agent store them anew.",
            )
    if not chosen:
        return {"job_id": None, "documents": 0}
    since = time.time() if args.get("convert_again") else 0.0
    job = service.jobs.submit(ImportRequest(project.id, documents=chosen, convert_since=since))
    return {"job_id": job.id, "documents": len(chosen)}


def remove(service: Service, args: dict[str, Any]) -> dict[str, Any]:
    """Delete documents from the index; their files are not touched. Ids that are gone already are passed over."""
    project = service.catalog.projects.get(args["project"])
    chosen = _chosen(service, project, args["doc_ids"])
    notes = Counter(service.delete_document(project, document.doc_id)["note"] for document in chosen)
    said = [f"{count} of them: {note}" if len(chosen) > 1 else note for note, count in notes.items() if note]
    return {"removed": len(chosen), "notes": said}


def _chosen(service: Service, project: Project, doc_ids: list[str]) -> list[Document]:
    chosen = service.catalog.documents.some(project.id, [str(doc_id) for doc_id in doc_ids])
    if not chosen:
        raise CiteLoomError(
            Code.DOCUMENT_NOT_FOUND,
            f"None of these documents is in project '{project.id}'.",
            "They may have been removed meanwhile: look at the list again.",
        )
    return chosen
