"""The conditional elements of a style (`choose`, `if`, `else`): tests on the item, the cite and its position."""

from __future__ import annotations

from collections.abc import Callable

from citeloom.citing.elements import joined
from citeloom.citing.marks import plain
from citeloom.citing.numbers import is_numeric
from citeloom.citing.run import Run, StyleElement


class Choose(StyleElement):
    """The `choose` element: the first branch whose condition holds."""

    def render(self, run: Run, delimiter: str = "") -> str | None:
        """Render the branch; the delimiter of the enclosing element joins its children."""
        branch = next((branch for branch in self if branch.holds(run)), None)
        return None if branch is None else joined(branch, run, delimiter)


class If(StyleElement):
    """A conditional branch."""

    def holds(self, run: Run) -> bool:
        """Evaluate the condition."""
        results = [
            test(run, value) for name, test in _TESTS.items() if name in self.attrib for value in self.get(name).split()
        ]
        if "type" in self.attrib:  # an item has one type: several types are alternatives even if all tests must hold
            results.append(run.work.type in self.get("type").split())
        match = self.get("match", "all")
        return any(results) != (match == "none") if match in ("any", "none") else all(results)


class Else(StyleElement):
    """The branch that is taken if no other is."""

    def holds(self, run: Run) -> bool:
        """Return True."""
        return True


def _has(run: Run, variable: str) -> bool:
    if variable == "locator":
        return run.cite is not None and bool(run.cite.locator)
    if variable == "citation-number":
        return run.number > 0
    if variable == "year-suffix":
        return bool(run.telling.year_suffix)
    if variable == "first-reference-note-number":
        return run.note_number > 0
    return run.work.has(variable)  # also a suppressed variable: the style asks about the item


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
