"""The plan stage: records what an import will do, so that what is pending or has no file is known at once."""

from __future__ import annotations

from collections.abc import Sequence

from citeloom.catalog.documents import Document
from citeloom.core.errors import CiteLoomError, Code
from citeloom.core.ids import document_id
from citeloom.importing.discovery import ImportPlan
from citeloom.importing.import_state import ImportState
from citeloom.importing.sources.folder import FoundFile
from citeloom.importing.sources.names import source_name
from citeloom.importing.stages.match import save_without_file, set_item_record


def record_plan(state: ImportState, made: ImportPlan) -> None:
    """Write rows for new documents and works without a file, and count what will not be read."""
    found, plan, result, project_id = made.found, made.plan, state.result, state.project.id
    for path, error in found.problems.items():
        result.add_failure(path, error)
    if found.other_kinds:
        kinds = ", ".join(f"{kind} {n}" for kind, n in found.other_kinds.most_common(8))
        count = sum(found.other_kinds.values())
        result.warnings.append(f"{count} files of other types were skipped ({kinds}).")
    result.warnings += found.warnings
    save_pending(state, plan.to_read)
    for file in plan.without_file:
        save_without_file(state.catalog, document_row(state, file), file, file.missing)
    result.without_file += len(plan.without_file) + len(plan.still_without)
    if not state.request.force_rebuild:  # a rebuild counts what it carries over
        result.skipped += len(plan.unchanged)
    for doc_id in plan.still_failed:
        if document := state.catalog.documents.find(project_id, doc_id):
            code = Code(document.reason_code or Code.CONVERSION_FAILED)
            result.add_failure(document.source, CiteLoomError(code, document.reason or ""))


def set_removed(state: ImportState, made: ImportPlan) -> None:
    """Set the documents that the import removes: so many only after a confirmation."""
    plan = made.plan
    state.removed = {*plan.removed, *plan.disallowed}
    if plan.removes_many and not state.request.allow_mass_removal:
        state.removed = set(plan.disallowed)
        state.result.held_back = len(plan.removed)
        state.result.warnings.append(
            f"{len(plan.removed)} documents are no longer in their source."
            " So many are not removed without confirmation: confirm it when you sync;"
            f" on the command line, 'citeloom sync {state.project.id} --yes'."
        )


def save_pending(state: ImportState, files: Sequence[FoundFile]) -> None:
    """Write rows for documents that are not known yet."""
    known = {row["source"] for row in state.catalog.documents.known_files(state.project.id)}
    fresh = [(file, document_row(state, file)) for file in files if file.source not in known]
    for file, document in fresh:  # before the catalog is locked: thousands of records take a while
        document.title = source_name(file.source)
        if file.item:
            set_item_record(state.catalog, document, file.item)
    with state.catalog.db.transaction():
        for _, document in fresh:
            state.catalog.documents.add(document)  # another import may have read it meanwhile


def document_row(state: ImportState, file: FoundFile) -> Document:
    """Return the row of a file's document, or a new one."""
    project_id = state.project.id
    known = state.catalog.documents.find(project_id, source=file.source)
    return known or Document(project_id, document_id(project_id, file.source), file.source, file.file_type)
