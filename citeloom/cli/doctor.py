"""`citeloom doctor`."""

from __future__ import annotations

import sys

import click
from rich.text import Text

from citeloom.api.maintenance import CheckUp, HealthFinding
from citeloom.cli.shared.engine_call import connected, waiting
from citeloom.cli.shared.output import console
from citeloom.core import paths
from citeloom.core.errors import CiteLoomError

_OK, _NOTE, _BAD = ("ok   ", "green"), ("note ", "yellow"), ("BAD  ", "red")


@click.command()
def doctor() -> None:
    """Check every part, and say how to fix what does not work.

    The exit code is 1 if a part does not work. Documents that could not be read are listed, and do not count.
    """
    version = ".".join(map(str, sys.version_info[:3]))
    findings = [_finding("Python", version, "Install Python 3.11.", ok=sys.version_info >= (3, 11))]
    log = paths.engine_log()
    try:
        with connected() as client, waiting("Checking"):
            findings.append(_finding("engine", f"answers; its log is {log}"))
            found = client.call(CheckUp())
            findings += found
    except CiteLoomError as error:
        findings.append(_finding("engine", error.message, error.next_step or f"Its log: {log}.", ok=False))
    for finding in findings:
        mark = _NOTE if finding.note else _OK if finding.ok else _BAD
        console.print(Text.assemble(mark, f"{finding.part}: {finding.seen}"), soft_wrap=True)
        if mark is not _OK and finding.next_step:
            console.print(Text(f"     {finding.next_step}"), soft_wrap=True)
    bad = sum(not finding.ok for finding in findings)
    notes = any(finding.note for finding in findings)
    verdict = "Every part works, but some documents could not be read." if notes else "Everything works."
    click.echo(f"{bad} of {len(findings)} parts need attention." if bad else verdict)
    sys.exit(1 if bad else 0)


def _finding(part: str, seen: str, next_step: str = "", *, ok: bool = True) -> HealthFinding:
    return HealthFinding(part=part, ok=ok, note=False, seen=seen, next_step=next_step)
