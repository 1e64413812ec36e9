"""Preview of an import: what it would read, change and remove. Shown to people, and used by the watcher."""

from __future__ import annotations

from citeloom.api.importing import DocumentWithoutFile, PlannedDocument, SourceProblem, SyncPreview, UpdatedDocument
from citeloom.catalog.documents import Document, State
from citeloom.importing.discovery import Discovery
from citeloom.importing.import_state import ImportState
from citeloom.importing.sources.folder import FoundFile
from citeloom.importing.sources.names import shown_source


def preview(state: ImportState, discovery: Discovery) -> SyncPreview:
    """Plan an import, document by document; nothing is written, converted or embedded."""
    found = discovery.find()
    plan = discovery.plan(found)
    documents, project_id = state.catalog.documents, state.project.id
    candidates = (*plan.to_read, *plan.other_record)
    known = {file.source: documents.find(project_id, source=file.source) for file in candidates}
    removed = [d for doc_id in (*plan.removed, *plan.disallowed) if (d := documents.find(project_id, doc_id))]
    missing = [*plan.without_file, *(file for file in plan.to_read if file.missing)]
    to_read = [file for file in plan.to_read if not file.missing]
    added = [file for file in to_read if not _searchable(known.get(file.source))]
    changed = [file for file in to_read if _searchable(known.get(file.source))]
    return SyncPreview(
        project=state.project.id,
        added=[PlannedDocument(*_named(file)) for file in added],
        changed=[PlannedDocument(*_named(file)) for file in changed],
        updated=[UpdatedDocument(*_named(file), _old_key(known.get(file.source), file)) for file in plan.other_record],
        without_file=[DocumentWithoutFile(*_named(file), file.missing) for file in missing],
        removed=[
            PlannedDocument(shown_source(document), document.citekey, document.title)
            for document in removed
            if document.state != State.WITHOUT_FILE
        ],
        unchanged=len(set(plan.unchanged) - {d.doc_id for file in plan.other_record if (d := known[file.source])}),
        asks=plan.removes_many,
        problems=[SourceProblem(source, str(error.code), str(error)) for source, error in found.problems.items()],
        warnings=found.warnings,
    )


def _searchable(document: Document | None) -> bool:
    return document is not None and document.state in (State.READY, State.DUPLICATE)


def _named(file: FoundFile) -> tuple[str, str, str]:
    """Return source, citekey and title of a file."""
    record = file.item.record if file.item else None
    return file.source, record.citekey if record else "", record.title if record else ""


def _old_key(document: Document | None, file: FoundFile) -> str:
    """Return the old citekey of a document, if it gets a new one."""
    renamed = document and file.item and document.citekey != file.item.record.citekey
    return document.citekey if document and renamed else ""
