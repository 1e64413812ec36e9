"""Checks manuscripts with the engine, and determines the exit code. Used by every form of `citeloom check`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from citeloom.api.evidence import CheckManuscript, CheckReport
from citeloom.api.verbs import encode
from citeloom.cli.shared.engine_call import ask
from citeloom.cli.shared.output import absolute
from citeloom.core.errors import CiteLoomError, Code

RIGHT, WRONG, NOT_CHECKED = 0, 1, 2
_FATAL = (Code.INVALID_PROJECT, Code.ENGINE_UNAVAILABLE)  # these fail for all manuscripts


@dataclass(frozen=True, slots=True)
class CheckedManuscript:
    """A manuscript with its report, or the error why it could not be checked."""

    name: str  # as given on the command line
    path: str  # absolute
    report: CheckReport | None = None
    problem: CiteLoomError | None = None

    @property
    def code(self) -> int:
        """Exit code for this manuscript alone."""
        if self.report is None:
            return NOT_CHECKED
        return WRONG if self.report.counts.error else RIGHT

    def as_dict(self) -> dict[str, Any]:
        """Return the values for JSON output."""
        if self.problem is not None:
            return {"file": self.path, "error": self.problem.as_dict()}
        return dict(encode(self.report))


def check_one(name: str, project: str | None, waiting_for: str = "Checking") -> CheckedManuscript:
    """Check one manuscript; a failure becomes part of the result."""
    path = absolute(name)
    try:
        return CheckedManuscript(name, path, report=ask(CheckManuscript(path=path, project=project), waiting_for))
    except CiteLoomError as error:
        return CheckedManuscript(name, path, problem=error)


def check_all(names: Sequence[str], project: str | None) -> Iterator[CheckedManuscript]:
    """Check manuscripts one by one; a failure does not stop the others."""
    for number, name in enumerate(names, start=1):
        manuscript = check_one(name, project, f"Checking {number} of {len(names)}" if len(names) > 1 else "Checking")
        yield manuscript
        if manuscript.problem and manuscript.problem.code in _FATAL:
            return


def exit_code(manuscripts: Sequence[CheckedManuscript]) -> int:
    """Return the exit code of a run: a manuscript that could not be checked outweighs errors found in others."""
    return max((manuscript.code for manuscript in manuscripts), default=RIGHT)
