"""The conditional elements of a style (`choose`, `if`, `else`): tests on the item, the cite and its position."""

from __future__ import annotations

from collections.abc import Callable

from citeloom.csl.context import RenderContext, StyleElement
from citeloom.csl.elements.basic import render_children
from citeloom.csl.text.markup import plain
from citeloom.csl.text.numbers import is_numeric


class Choose(StyleElement):
    """The `choose` element: the first branch whose condition holds."""

    def render(self, context: RenderContext, delimiter: str = "") -> str | None:
        """Render the branch; the delimiter of the enclosing element joins its children."""
        branch = next((branch for branch in self if branch.holds(context)), None)
        return None if branch is None else render_children(branch, context, delimiter)


class If(StyleElement):
    """A branch of `choose`: `if`, `else-if`, or `else`, which has no condition."""

    def holds(self, context: RenderContext) -> bool:
        """Evaluate the conditions."""
        results = [
            test(context, value)
            for name, test in _TESTS.items()
            if name in self.attrib
            for value in self.get(name).split()
        ]
        if "type" in self.attrib:  # an item has one type: several types are alternatives even if all tests must hold
            results.append(context.item.type in self.get("type").split())
        match = self.get("match", "all")
        return any(results) != (match == "none") if match in ("any", "none") else all(results)


def _has(context: RenderContext, variable: str) -> bool:
    special: dict[str, object] = {
        "locator": context.cite.locator,
        "citation-number": context.number,
        "year-suffix": context.disambiguation.year_suffix,
        "first-reference-note-number": context.note_number,
    }
    # A suppressed variable counts as well: the test is about the item.
    return bool(special[variable]) if variable in special else context.item.has(variable)


def _is_number(context: RenderContext, variable: str) -> bool:
    if variable == "locator":
        return is_numeric(context.cite.locator)
    if variable == "citation-number":
        return True
    return is_numeric(plain(context.item.fields.get("page" if variable == "page-first" else variable, "")))


def _is_uncertain(context: RenderContext, variable: str) -> bool:
    date = context.item.dates.get(variable)
    return date is not None and date.circa


_TESTS: dict[str, Callable[[RenderContext, str], bool]] = {
    "variable": _has,
    "is-numeric": _is_number,
    "is-uncertain-date": _is_uncertain,
    "locator": lambda context, label: bool(context.cite.locator) and context.cite.label == label,
    "position": lambda context, name: not context.in_bibliography and name in context.position,
    "disambiguate": lambda context, value: context.disambiguation.style_branch == (value == "true"),
}
