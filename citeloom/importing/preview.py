"""What an import would do, for a person to read before it does it."""

from __future__ import annotations

from typing import Any

from citeloom.catalog.documents import Document, State
from citeloom.importing.discovery import Discovery
from citeloom.importing.ids import shown_source
from citeloom.importing.import_state import ImportState
from citeloom.importing.sources.folder import FoundFile


def preview(state: ImportState) -> dict[str, Any]:
    """The plan of an import, document by document; nothing is written, converted or embedded."""
    finder = Discovery(state)
    found = finder.find()
    work = finder.plan(found)
    documents, project_id = state.catalog.documents, state.project.id
    looked_at = (*work.to_read, *work.other_record)
    known = {file.source: documents.find(project_id, source=file.source) for file in looked_at}
    gone = [d for doc_id in (*work.gone, *work.disallowed) if (d := documents.find(project_id, doc_id))]
    missing = [*work.without_file, *(file for file in work.to_read if file.missing)]
    to_read = [file for file in work.to_read if not file.missing]
    added = [file for file in to_read if not _searchable(known.get(file.source))]
    changed = [file for file in to_read if _searchable(known.get(file.source))]
    return {
        "project": state.project.id,
        "added": [_file(file) for file in added],
        "changed": [_file(file) for file in changed],
        "updated": [{**_file(file), "was": _was(known.get(file.source), file)} for file in work.other_record],
        "without_file": [{**_file(file), "why": file.missing} for file in missing],
        "removed": [_document(document) for document in gone if document.state != State.WITHOUT_FILE],
        "unchanged": len(set(work.unchanged) - {d.doc_id for file in work.other_record if (d := known[file.source])}),
        "asks": work.removes_many,
        "problems": [{"source": s, "code": str(e.code), "reason": str(e)} for s, e in found.problems.items()],
        "warnings": found.warnings,
    }


def anything_to_do(plan: dict[str, Any]) -> bool:
    """Whether an import would change something."""
    removed = plan["removed"] and not plan["asks"]
    return bool(plan["added"] or plan["changed"] or plan["updated"] or plan["without_file"] or removed)


def _searchable(document: Document | None) -> bool:
    return document is not None and document.state in (State.READY, State.DUPLICATE)


def _file(file: FoundFile) -> dict[str, str]:
    record = file.work.record if file.work else None
    return {
        "source": file.source,
        "citekey": record.citekey if record else "",
        "title": record.title if record else "",
    }


def _was(document: Document | None, file: FoundFile) -> str:
    """The citekey that a document had, where it gets another."""
    renamed = document and file.work and document.citekey != file.work.record.citekey
    return document.citekey if document and renamed else ""


def _document(document: Document) -> dict[str, str]:
    return {"source": shown_source(document), "citekey": document.citekey, "title": document.title}
