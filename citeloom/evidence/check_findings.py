"""What a check of a manuscript found, as it is answered: where it stands, what it says, and what could be written."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from citeloom.catalog.documents import Document
from citeloom.evidence.manuscripts.edits import Edit
from citeloom.evidence.manuscripts.types import Citation, Manuscript, Quotation, Span
from citeloom.importing.ids import shown_source

ERROR, WARNING, NOTE = "error", "warning", "note"


@dataclass(frozen=True, slots=True)
class Finding:
    """Something in a manuscript that a writer should know."""

    rule: str
    level: str
    span: Span
    citation: Citation
    message: str
    quotation: Quotation | None = None
    near: tuple[str, ...] = ()
    page_labels: tuple[str, ...] = ()
    page_span: tuple[int, int] | None = None
    diff: str | None = None
    document: Document | None = None  # in which the quotation was found
    edit: Edit | None = None
    why: str = ""  # of the edit


def as_answer(manuscript: Manuscript, findings: Sequence[Finding]) -> dict[str, Any]:
    """The findings in the order of the manuscript, how many there are, and the edits that would mend them."""
    found = sorted(findings, key=lambda f: (f.span.start, f.rule))
    edits = _edits(found)
    numbers = {edit: number for number, edit in enumerate(edits)}
    return {
        "findings": [{**_finding(manuscript, f), "edit": numbers.get(f.edit) if f.edit else None} for f in found],
        "counts": {level: sum(f.level == level for f in found) for level in (ERROR, WARNING, NOTE)},
        "edits": [_edit(manuscript, edit, why) for edit, why in edits.items()],
    }


def claimed_pages(citation: Citation) -> str | None:
    """The pages that a citation names."""
    if citation.pages is None:
        return None
    first, last = citation.pages
    return first if first == last else f"{first}-{last}"


def _edits(findings: Sequence[Finding]) -> dict[Edit, str]:
    """What can be written, and why. Where one place would have to say two things, only a person can decide."""
    by_place: dict[tuple[int, int], dict[Edit, str]] = {}
    for finding in findings:
        if edit := finding.edit:
            by_place.setdefault((edit.start, edit.end), {}).setdefault(edit, finding.why)
    return {edit: why for edits in by_place.values() if len(edits) == 1 for edit, why in edits.items()}


def _finding(manuscript: Manuscript, finding: Finding) -> dict[str, Any]:
    line, column = manuscript.place(finding.span.start)
    end_line, end_column = manuscript.place(finding.span.end)
    return {
        "rule": finding.rule,
        "level": finding.level,
        "line": line,
        "column": column,
        "end_line": end_line,
        "end_column": end_column,
        "citekey": finding.citation.key,
        "message": finding.message,
        "quotation": finding.quotation.text if finding.quotation else None,
        "sentence": finding.citation.sentence,
        "near": list(finding.near),
        "page_claimed": claimed_pages(finding.citation),
        "page_labels": list(finding.page_labels),
        "page_span": list(finding.page_span) if finding.page_span else None,
        "diff": finding.diff,
        "source": shown_source(finding.document) if finding.document else None,
        "matched_by": finding.document.matched_by if finding.document else None,
    }


def _edit(manuscript: Manuscript, edit: Edit, why: str) -> dict[str, Any]:
    line, column = manuscript.place(edit.start)
    return {**asdict(edit), "line": line, "column": column, "why": why}
