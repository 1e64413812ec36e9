"""Preview of an import: what it would read, change and remove. Shown to people, and used by the watcher."""

from __future__ import annotations

import threading

from citeloom.api.importing import DocumentWithoutFile, PlannedDocument, SourceProblem, SyncPreview, UpdatedDocument
from citeloom.catalog.documents import Document, State
from citeloom.importing.discovery import Discovery
from citeloom.importing.import_state import ImportContext, ImportState
from citeloom.importing.requests import ImportRequest
from citeloom.importing.sources.folder import FoundFile
from citeloom.importing.sources.names import shown_source


def preview(context: ImportContext, request: ImportRequest) -> SyncPreview:
    """Plan an import, document by document; nothing is written, converted or embedded."""
    state = ImportState(context, request, lambda progress: None, threading.Event())
    discovery = Discovery(state)
    found = discovery.find()
    plan = discovery.plan(found)
    documents, project_id = state.catalog.documents, state.project.id
    candidates = [*plan.to_read, *plan.other_record]
    known = {d.source: d for file in candidates if (d := documents.find(project_id, source=file.source))}
    removed = [d for doc_id in (*plan.removed, *plan.disallowed) if (d := documents.find(project_id, doc_id))]
    missing = [*plan.without_file, *(file for file in plan.to_read if file.missing)]
    to_read = [file for file in plan.to_read if not file.missing]
    searchable = {source for source, d in known.items() if d.state in (State.READY, State.DUPLICATE)}
    updated = [(file, known[file.source]) for file in plan.other_record if file.source in known]
    return SyncPreview(
        project=state.project.id,
        added=[PlannedDocument(*_named(file)) for file in to_read if file.source not in searchable],
        changed=[PlannedDocument(*_named(file)) for file in to_read if file.source in searchable],
        updated=[UpdatedDocument(*_named(file), _old_key(document, file)) for file, document in updated],
        without_file=[DocumentWithoutFile(*_named(file), file.missing) for file in missing],
        removed=[
            PlannedDocument(shown_source(document), document.citekey, document.title)
            for document in removed
            if document.state != State.WITHOUT_FILE
        ],
        unchanged=len(set(plan.unchanged) - {document.doc_id for _, document in updated}),
        asks=plan.removes_many,
        problems=[SourceProblem(source, str(error.code), str(error)) for source, error in found.problems.items()],
        warnings=found.warnings,
    )


def _named(file: FoundFile) -> tuple[str, str, str]:
    """Return source, citekey and title of a file."""
    record = file.item.record if file.item else None
    return file.source, record.citekey if record else "", record.title if record else ""


def _old_key(document: Document, file: FoundFile) -> str:
    """Return the old citekey of a document, if it gets a new one."""
    return document.citekey if file.item and document.citekey != file.item.record.citekey else ""
