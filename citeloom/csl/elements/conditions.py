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
    """A conditional branch."""

    def holds(self, context: RenderContext) -> bool:
        """Evaluate the condition."""
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


class Else(StyleElement):
    """The branch that is taken if no other is."""

    def holds(self, context: RenderContext) -> bool:
        """Return True."""
        return True


def _has(context: RenderContext, variable: str) -> bool:
    if variable == "locator":
        return context.cite is not None and bool(context.cite.locator)
    if variable == "citation-number":
        return context.number > 0
    if variable == "year-suffix":
        return bool(context.disambiguation.year_suffix)
    if variable == "first-reference-note-number":
        return context.note_number > 0
    return context.item.has(variable)  # also a suppressed variable: the style asks about the item


def _is_number(context: RenderContext, variable: str) -> bool:
    if variable == "locator":
        return context.cite is not None and is_numeric(context.cite.locator)
    if variable == "citation-number":
        return True
    return _has(context, variable) and is_numeric(
        plain(context.item.fields.get("page" if variable == "page-first" else variable, ""))
    )


def _is_uncertain(context: RenderContext, variable: str) -> bool:
    date = context.item.dates.get(variable)
    return date is not None and date.circa


def _has_locator(context: RenderContext, label: str) -> bool:
    return context.cite is not None and bool(context.cite.locator) and context.cite.label == label


_TESTS: dict[str, Callable[[RenderContext, str], bool]] = {
    "variable": _has,
    "is-numeric": _is_number,
    "is-uncertain-date": _is_uncertain,
    "locator": _has_locator,
    "position": lambda context, name: not context.in_bibliography and name in context.position,
    "disambiguate": lambda context, value: context.disambiguation.style_branch == (value == "true"),
}
