"""Prints the results of `citeloom check` for people."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import click

from citeloom.api.evidence import CheckReport, Finding
from citeloom.cli.check_run import CheckedManuscript
from citeloom.cli.shared.output import coloured, count, coverage, line, one_line, print_notes

_COLOURS = {"error": "bold red", "warning": "bold yellow", "note": "cyan"}

_EXCERPT = 60  # characters


def print_result(manuscript: CheckedManuscript) -> None:
    """Print the findings in one manuscript, a summary line, and the files used for quotations."""
    report = manuscript.report
    print_findings(manuscript, report.findings if report else ())
    print_summary(manuscript)
    for text in report.texts if report else ():
        line((f"Looked up in {text.citekey}: {one_line(text.description)}", "dim"))


def print_findings(manuscript: CheckedManuscript, findings: Iterable[Finding]) -> None:
    """Print the findings in a manuscript, one per line."""
    for finding in findings:
        line(
            f"{_place(manuscript, finding)}: ",
            (finding.level, _COLOURS[finding.level]),
            ": ",
            *coloured(one_line(finding.message)),
            _excerpt(manuscript, finding),
            f" [{finding.rule}]",
        )


def print_summary(manuscript: CheckedManuscript) -> None:
    """Print a summary of the check of a manuscript, or why it failed."""
    if manuscript.report is None:
        click.echo(f"{manuscript.name}: not checked: {manuscript.problem}", err=True)
        return
    if not manuscript.report.citations:  # the warnings explain it
        click.echo(f"{manuscript.name}: {' '.join(manuscript.report.warnings)}")
        return
    click.echo(f"{manuscript.name}: {summary(manuscript.report)}")
    print_notes(manuscript.report.warnings)


def print_coverage(manuscripts: Sequence[CheckedManuscript]) -> None:
    """Print the project that the manuscripts were checked against, and how much of it is searchable."""
    against = {
        r.project: coverage(r.coverage) for manuscript in manuscripts if (r := manuscript.report) and r.citations
    }
    for project, searchable in against.items():
        click.echo(f"Checked against {project}: {searchable}.")


def summary(report: CheckReport) -> str:
    """Return a summary of a report in one sentence."""
    looked_at = f"{count(report.citations, 'citation')} of {count(report.works, 'work')}"
    if report.quotations:
        looked_at += f", {count(report.quotations, 'quotation')}"
    counts = {level: getattr(report.counts, level) for level in _COLOURS}
    found = [count(number, level) for level, number in counts.items() if number]
    return f"{looked_at}: {', '.join(found) or 'nothing is wrong'}."


def _excerpt(manuscript: CheckedManuscript, finding: Finding) -> str:
    """Return text to search for in a Word document, which has neither line nor paragraph numbers."""
    if not _is_word(manuscript):
        return ""
    words = one_line(finding.quotation or finding.sentence)
    return f" In: {words[:_EXCERPT].rstrip()}{'…' if len(words) > _EXCERPT else ''}" if words else ""


def _is_word(manuscript: CheckedManuscript) -> bool:
    return manuscript.report is not None and manuscript.report.format == "docx"


def _place(manuscript: CheckedManuscript, finding: Finding) -> str:
    if _is_word(manuscript):
        return f"{manuscript.name}: paragraph {finding.line}"
    return f"{manuscript.name}:{finding.line}:{finding.column}"
