"""`citeloom check --watch`: checks manuscripts again whenever they are saved."""

from __future__ import annotations

import hashlib
import time
from collections import Counter
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

import click

from citeloom.api.evidence import Finding
from citeloom.cli.check_report import print_coverage, print_findings, print_result, print_summary
from citeloom.cli.check_run import CheckedManuscript, check_one, exit_code
from citeloom.cli.shared.output import count
from citeloom.core.errors import Code
from citeloom.core.files.file_stamp import file_stamp

_POLL_SECONDS = 0.25  # how often the files are checked for changes
_RETRY_SECONDS = 5.0  # before an unreachable engine is tried again


def watch(names: Sequence[str], project: str | None) -> int:
    """Check manuscripts now and after every save, until Ctrl-C; return the last results."""
    watched: list[_Watched] = []
    try:
        for name in dict.fromkeys(names):
            watched.append(_Watched(name, project))
            print_result(watched[-1].checked)
        print_coverage([file.checked for file in watched])
        click.echo(f"Watching {count(len(watched), 'file')}. Ctrl-C ends it.")
        while True:
            time.sleep(_POLL_SECONDS)
            for file in watched:
                file.check_if_saved()
    except KeyboardInterrupt:
        return exit_code([file.checked for file in watched])


class _Watched:
    """A manuscript with its last known file state and its last check."""

    def __init__(self, name: str, project: str | None) -> None:
        self._name = name
        self._project = project
        self._file = Path(name).expanduser()
        self._stamp = self._checked_stamp = file_stamp(self._file)
        self._retry_at: float | None = None
        self.checked = self._check()

    def check_if_saved(self) -> None:
        """Check it again if it was saved since, and print what is new."""
        before, self._stamp = self._stamp, file_stamp(self._file)
        if self._stamp != before:  # it may still be being written: wait for the next poll
            return
        retry = self._retry_at is not None and time.monotonic() >= self._retry_at
        saved = self._stamp != self._checked_stamp
        self._checked_stamp = self._stamp
        if not retry and (not saved or self._same_content()):
            return
        previous, self.checked = self.checked, self._check()
        if self.checked.problem and str(self.checked.problem) == str(previous.problem):
            return
        click.echo(f"{datetime.now():%H:%M:%S} checked again:")
        print_changes(previous, self.checked)

    def _same_content(self) -> bool:
        report = self.checked.report
        try:
            content = Path(self.checked.path).read_bytes()
        except OSError:
            return True  # missing for a moment: checked when it exists again
        return report is not None and hashlib.sha256(content).hexdigest() == report.sha256

    def _check(self) -> CheckedManuscript:
        checked = check_one(self._name, self._project)
        if _lost_engine(checked):  # it may have just stopped; a second request starts a new one
            checked = check_one(self._name, self._project)
        self._retry_at = time.monotonic() + _RETRY_SECONDS if _lost_engine(checked) else None
        return checked


def print_changes(before: CheckedManuscript, now: CheckedManuscript) -> None:
    """Print new findings, the number of resolved ones, and the summary."""
    if before.report is None or now.report is None:
        print_result(now)
        return
    known = Counter(_identity(finding) for finding in before.report.findings)
    fresh = []
    for finding in now.report.findings:
        if known[_identity(finding)]:
            known[_identity(finding)] -= 1
        else:
            fresh.append(finding)
    print_findings(now, fresh)
    if resolved := known.total():
        click.echo(f"{now.name}: {count(resolved, 'finding')} fewer than before.")
    print_summary(now)


def _identity(finding: Finding) -> tuple[str, ...]:
    """Return a key that identifies a finding independently of its position."""
    return finding.rule, finding.citekey, finding.message, finding.sentence


def _lost_engine(checked: CheckedManuscript) -> bool:
    return checked.problem is not None and checked.problem.code == Code.ENGINE_UNAVAILABLE
