"""Prints the results of `citeloom check` for people."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import click

from citeloom.api.evidence import CheckReport, Finding
from citeloom.cli.check_run import Checked
from citeloom.cli.shared.output import coloured, count, coverage, line, one_line, print_notes

_COLOURS = {"error": "bold red", "warning": "bold yellow", "note": "cyan"}

_EXCERPT = 60  # characters


def print_one(one: Checked) -> None:
    """Print the findings in one manuscript, a summary line, and the files used for quotations."""
    report = one.report
    print_findings(one, report.findings if report else ())
    print_summary(one)
    for text in report.texts if report else ():
        line((f"Looked up in {text.citekey}: {one_line(text.description)}", "dim"))


def print_findings(one: Checked, findings: Iterable[Finding]) -> None:
    """Print the findings in a manuscript, one per line."""
    for finding in findings:
        line(
            f"{_place(one, finding)}: ",
            (finding.level, _COLOURS[finding.level]),
            ": ",
            *coloured(one_line(finding.message)),
            _excerpt(one, finding),
            f" [{finding.rule}]",
        )


def print_summary(one: Checked) -> None:
    """Print a summary of the check of a manuscript, or why it failed."""
    if one.report is None:
        click.echo(f"{one.name}: not checked: {one.problem}", err=True)
        return
    if not one.report.citations:  # the warnings explain it
        click.echo(f"{one.name}: {' '.join(one.report.warnings)}")
        return
    click.echo(f"{one.name}: {summary(one.report)}")
    print_notes(one.report.warnings)


def print_coverage(checked: Sequence[Checked]) -> None:
    """Print the project that the manuscripts were checked against, and how much of it is searchable."""
    against = {r.project: coverage(r.coverage) for one in checked if (r := one.report) and r.citations}
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


def _excerpt(one: Checked, finding: Finding) -> str:
    """Return text to search for in a Word document, which has neither line nor paragraph numbers."""
    if not _is_word(one):
        return ""
    words = one_line(finding.quotation or finding.sentence)
    return f" In: {words[:_EXCERPT].rstrip()}{'…' if len(words) > _EXCERPT else ''}" if words else ""


def _is_word(one: Checked) -> bool:
    return one.report is not None and one.report.format == "docx"


def _place(one: Checked, finding: Finding) -> str:
    if _is_word(one):
        return f"{one.name}: paragraph {finding.line}"
    return f"{one.name}:{finding.line}:{finding.column}"
