"""Converts the issues of a manuscript check to the findings and edits of its report. Called by `check`."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from citeloom.api.evidence import Finding, FindingCounts, Level, ManuscriptEdit
from citeloom.evidence.lookup_result import FoundQuote
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
    found: FoundQuote | None = None  # the quotation in the work
    edit: ManuscriptEdit | None = None


def findings_and_edits(
    manuscript: Manuscript, issues: Sequence[Issue]
) -> tuple[tuple[Finding, ...], tuple[ManuscriptEdit, ...]]:
    """Return the findings in the order of the manuscript, and the edits that would correct them."""
    issues = sorted(issues, key=lambda issue: (issue.span.start, issue.rule))
    edits = _edits(issues)
    numbers = {(edit.start, edit.end): number for number, edit in enumerate(edits)}
    findings = (
        _finding(manuscript, issue, numbers.get((issue.edit.start, issue.edit.end)) if issue.edit else None)
        for issue in issues
    )
    return tuple(findings), tuple(edits)


def count_levels(findings: Sequence[Finding]) -> FindingCounts:
    """Count the findings of each level."""
    levels = [finding.level for finding in findings]
    return FindingCounts(levels.count("error"), levels.count("warning"), levels.count("note"))


def _edits(issues: Sequence[Issue]) -> list[ManuscriptEdit]:
    """Return the edits without those that conflict: the writer has to decide about these."""
    by_span: dict[tuple[int, int], dict[str, ManuscriptEdit]] = defaultdict(dict)
    for issue in issues:
        if edit := issue.edit:
            by_span[edit.start, edit.end].setdefault(edit.new, edit)
    return [edit for edits in by_span.values() if len(edits) == 1 for edit in edits.values()]


def _finding(manuscript: Manuscript, issue: Issue, edit: int | None) -> Finding:
    line, column = manuscript.line_and_column(issue.span.start)
    end_line, end_column = manuscript.line_and_column(issue.span.end)
    found = issue.found
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
        page_claimed=issue.citation.claimed_pages,
        page_labels=found.finding.page_labels if found else (),
        page_span=found.finding.page_span if found else None,
        diff=found.finding.diff if found else None,
        source=shown_source(found.document) if found else None,
        matched_by=found.document.matched_by if found else None,
        edit=edit,
    )
