"""The branches of a style: which one is taken depends on the work, the cite and its place."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from citeproc import model

from citeloom.csl.context import Run
from citeloom.csl.elements.basic import joined
from citeloom.csl.text.markup import plain
from citeloom.csl.text.numbers import is_numeric


class If(model.If):
    """A branch of a style, taken where its conditions hold."""

    def render(self, run: Run, delimiter: str = "", **_: Any) -> str | None:  # type: ignore[override]
        """The branch's text; where the condition fails the next branch is tried."""
        results = [
            test(run, value) for name, test in _TESTS.items() if name in self.attrib for value in self.get(name).split()
        ]
        if "type" in self.attrib:  # a work has one type: several name alternatives, also where all tests must hold
            results.append(run.work.type in self.get("type").split())
        match = self.get("match", "all")
        holds = any(results) if match in ("any", "none") else all(results)
        if holds == (match == "none"):
            raise model.ConditionFailed
        return joined(self, run, delimiter)


class Else(model.Else):
    """The branch where no other was taken."""

    def render(self, run: Run, delimiter: str = "", **_: Any) -> str | None:  # type: ignore[override]
        """The branch's text."""
        return joined(self, run, delimiter)


def _has(run: Run, variable: str) -> bool:
    if variable == "locator":
        return run.cite is not None and bool(run.cite.locator)
    if variable == "citation-number":
        return run.number > 0
    if variable == "year-suffix":
        return bool(run.telling.year_suffix)
    if variable == "first-reference-note-number":
        return run.note_number > 0
    return run.work.has(variable)  # also what was written in another's place: a style asks about the work


def _is_number(run: Run, variable: str) -> bool:
    if variable == "locator":
        return run.cite is not None and is_numeric(run.cite.locator)
    if variable == "citation-number":
        return True
    return _has(run, variable) and is_numeric(
        plain(run.work.fields.get("page" if variable == "page-first" else variable, ""))
    )


def _is_uncertain(run: Run, variable: str) -> bool:
    when = run.work.dates.get(variable)
    return when is not None and when.circa


def _has_locator(run: Run, label: str) -> bool:
    return run.cite is not None and bool(run.cite.locator) and run.cite.label == label


_TESTS: dict[str, Callable[[Run, str], bool]] = {
    "variable": _has,
    "is-numeric": _is_number,
    "is-uncertain-date": _is_uncertain,
    "locator": _has_locator,
    "position": lambda run, name: not run.in_bibliography and name in run.position,
    "disambiguate": lambda run, value: run.telling.choice == (value == "true"),
}
