"""The end of an import on the command line: a few lines, however many documents there are."""

from __future__ import annotations

from collections.abc import Iterator

from citeloom.api.importing import ImportResult

_MAX_WARNINGS = 6
_MAX_FAILURES = 10


def import_summary(project: str, result: ImportResult) -> Iterator[str]:
    """Yield what an import did, how long it took, and its warnings."""
    counts = (
        (result.new, "new"),
        (result.replaced, "replaced"),
        (result.skipped - result.duplicates, "unchanged"),
        (result.duplicates, "with the same content as another"),
        (result.updated, "with another record"),
        (result.removed, "removed"),
        (result.without_file, "without a file"),
        (result.failed, "failed"),
    )
    documents = ", ".join(f"{count:,} {word}" for count, word in counts if count) or "Nothing to do"
    if result.chunks_written:
        documents += f"; {result.pages_processed:,} pages, {result.chunks_written:,} passages"
    if result.recognised:
        documents += f", {result.recognised:,} of the documents by OCR"
    yield f"{documents}."
    seconds = f"complete after {result.duration_seconds:.1f} s."
    if result.chunks_written and result.searchable_seconds:
        yield f"Found by words after {result.searchable_seconds:.1f} s, {seconds}"
    elif result.documents_processed or result.updated or result.removed:
        yield seconds.capitalize()
    # Those about the references come first: there may be one for each entry, and the next import gives them again.
    more = max(0, len(result.warnings) - _MAX_WARNINGS)
    for warning in result.warnings[more:]:
        yield f"Note: {warning}"
    if more:
        yield f"Note: there are {more:,} more notes, mostly on the references: citeloom sync {project} --json"


def import_failures(project: str, result: ImportResult) -> Iterator[str]:
    """Yield the files that could not be read, and why."""
    for error in result.errors[:_MAX_FAILURES]:
        yield f"Failed: {error['source']}: {error['reason']} [{error['code']}]"
    if (more := len(result.errors) - _MAX_FAILURES) > 0:
        yield f"and {more:,} more: citeloom documents {project} --status failed"
