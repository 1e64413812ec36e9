"""Converts the issues of a manuscript check to the findings and edits of its report. Called by `check`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from citeloom.api.evidence import Finding, FindingCounts, Level, ManuscriptEdit
from citeloom.catalog.documents import Document
from citeloom.evidence.manuscripts.edits import Edit
from citeloom.evidence.manuscripts.types import Citation, Manuscript, Quotation, Span
from citeloom.importing.sources.names import shown_source


@dataclass(frozen=True, slots=True)
class Issue:
    """A problem at a span of the manuscript, with the edit that would correct it."""

    rule: str
    level: Level
    span: Span
    citation: Citation
    message: str
    quotation: Quotation | None = None
    near: tuple[str, ...] = ()
    page_labels: tuple[str, ...] = ()
    page_span: tuple[int, int] | None = None
    diff: str | None = None
    document: Document | None = None  # where the quotation was found
    edit: Edit | None = None
    why: str = ""  # reason for the edit


def findings_and_edits(
    manuscript: Manuscript, issues: Sequence[Issue]
) -> tuple[tuple[Finding, ...], tuple[ManuscriptEdit, ...]]:
    """Return the findings in the order of the manuscript, and the edits that would correct them."""
    issues = sorted(issues, key=lambda issue: (issue.span.start, issue.rule))
    edits = _edits(issues)
    numbers = {edit: number for number, edit in enumerate(edits)}
    findings = tuple(_finding(manuscript, issue, numbers.get(issue.edit) if issue.edit else None) for issue in issues)
    return findings, tuple(_manuscript_edit(manuscript, edit, why) for edit, why in edits.items())


def count_levels(findings: Sequence[Finding]) -> FindingCounts:
    """Count the findings of each level."""
    levels = [finding.level for finding in findings]
    return FindingCounts(levels.count("error"), levels.count("warning"), levels.count("note"))


def claimed_pages(citation: Citation) -> str | None:
    """Return the pages that a citation names."""
    if citation.pages is None:
        return None
    first, last = citation.pages
    return first if first == last else f"{first}-{last}"


def _edits(issues: Sequence[Issue]) -> dict[Edit, str]:
    """Return the edits and their reasons, without those that conflict: the writer has to decide about these."""
    by_span: dict[tuple[int, int], dict[Edit, str]] = {}
    for issue in issues:
        if edit := issue.edit:
            by_span.setdefault((edit.start, edit.end), {}).setdefault(edit, issue.why)
    return {edit: why for edits in by_span.values() if len(edits) == 1 for edit, why in edits.items()}


def _finding(manuscript: Manuscript, issue: Issue, edit: int | None) -> Finding:
    line, column = manuscript.line_and_column(issue.span.start)
    end_line, end_column = manuscript.line_and_column(issue.span.end)
    return Finding(
        rule=issue.rule,
        level=issue.level,
        line=line,
        column=column,
        end_line=end_line,
        end_column=end_column,
        citekey=issue.citation.key,
        message=issue.message,
        quotation=issue.quotation.text if issue.quotation else None,
        sentence=issue.citation.sentence,
        near=issue.near,
        page_claimed=claimed_pages(issue.citation),
        page_labels=issue.page_labels,
        page_span=issue.page_span,
        diff=issue.diff,
        source=shown_source(issue.document) if issue.document else None,
        matched_by=issue.document.matched_by if issue.document else None,
        edit=edit,
    )


def _manuscript_edit(manuscript: Manuscript, edit: Edit, why: str) -> ManuscriptEdit:
    line, column = manuscript.line_and_column(edit.start)
    return ManuscriptEdit(edit.start, edit.end, edit.old, edit.new, line, column, why)
