"""The rendering elements of a style: `text`, `number`, `label`, `group` and `macro`."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from citeloom.core.text.numerals import to_roman
from citeloom.csl.context import RenderContext, StyleElement, StyleNotUsableError, add_affixes, apply_font
from citeloom.csl.text.case import change_case
from citeloom.csl.text.markup import HIDDEN, plain, wrap
from citeloom.csl.text.numbers import format_pages, has_own_label, is_numeric, is_plural, long_ordinal, ordinal
from citeloom.csl.vocabulary import NS, NUMBERS

_LINKED = frozenset({"DOI", "URL", "PMID", "PMCID"})
_RENDERED = frozenset({"choose", "date", "group", "label", "names", "number", "text"})
_MAX_MACRO_CALLS = 2_000  # calls for one item; the longest styles need sixty


def render_children(children: Iterable[Any], context: RenderContext, delimiter: str = "") -> str | None:
    """Render elements and join the non-empty texts; None if there are none."""
    texts = []
    for child in children:
        name = str(child.tag).removeprefix(NS)
        if name not in _RENDERED:
            raise StyleNotUsableError(f"the element <{name}>")
        text = child.render(context, delimiter=delimiter) if name == "choose" else child.render(context)
        if text:
            texts.append(str(text))
    shown = [text for text in texts if text != HIDDEN]
    return delimiter.join(shown) if shown else HIDDEN if texts else None


def _decorated(element: Any, text: str | None) -> str | None:
    """Apply an element's strip-periods, formatting, display and affixes."""
    if not text or text == HIDDEN:
        return text or None
    if element.get("strip-periods") == "true":
        text = text.replace(".", "")
    text = apply_font(element.attrib, text)
    if element.get("display") in ("block", "indent"):
        text = wrap("block", text)
    elif element.get("display") == "left-margin":
        text = wrap("left", text)
    return add_affixes(element.attrib, text)


def _language(context: RenderContext) -> str:
    return context.item.fields.get("language") or context.terms.locale[:2]


def _pages(context: RenderContext, text: str) -> str:
    return format_pages(text, context.area.getparent().get("page-range-format"), _range_delimiter(context))


def _range_delimiter(context: RenderContext) -> str:
    """Return the locale's delimiter for ranges of numbers."""
    return context.terms.get("page-range-delimiter") or "–"


def _value(context: RenderContext, variable: str) -> str:
    """Return the value of a variable of the item or the cite, and count its use."""
    if variable == "year-suffix":
        return context.take_year_suffix(explicit=True)
    text = _uncounted_value(context, variable)
    context.count_call(rendered=bool(text))
    if variable == "page-first":
        return re.split(r"[-–—,& ]", text, maxsplit=1)[0]
    if variable == "page" or (variable == "locator" and context.cite.label == "page"):
        return _pages(context, text)
    if variable == "locator":
        return re.sub(r"(?<=\d)\s*-\s*(?=\d)", "–", text)
    dashed = variable in NUMBERS and "-" in text and is_numeric(plain(text))
    return re.sub(r"\s*-\s*", _range_delimiter(context), text) if dashed else text


def _uncounted_value(context: RenderContext, variable: str) -> str:
    match variable:
        case "locator":
            context.locator_rendered = bool(context.cite.locator)
            return context.cite.locator
        case "citation-number":
            return str(context.number)
        case "citation-label":
            context.suffix_rendered = True
            return context.item.label + context.disambiguation.year_suffix
        case "first-reference-note-number":
            return str(context.note_number or "")
    return context.use(context.item.fields, "page" if variable == "page-first" else variable) or ""


class Text(StyleElement):
    """The `text` element: a variable, macro, term or value."""

    def render(self, context: RenderContext) -> str | None:
        """Render the text."""
        variable = self.get("variable")
        if variable is not None:
            return self._variable_text(context, variable)
        if self.get("macro") is not None:
            called, rendered = context.called, context.rendered
            macro = context.macros.get(self.get("macro"))
            text = None if macro is None else macro.render(context)
            if text != HIDDEN and context.called > called and context.rendered == rendered:
                return None  # a macro is suppressed like a group
            if text and text != HIDDEN:
                context.count_call(rendered=True)
        elif self.get("term") is not None:
            text = context.terms.get(self.get("term"), self.get("form"), plural=self.get("plural") == "true")
            if self.get("term") == "no date" and text:
                context.count_call(rendered=True)
                suffix = context.take_year_suffix()
                text += f"-{suffix}" if suffix else ""
        else:
            text = self.get("value")
        return self._formatted(context, text)

    def _formatted(self, context: RenderContext, text: str | None) -> str | None:
        if not text:
            return None
        text = change_case(text, self.get("text-case"), _language(context))
        if self.get("quotes") == "true" and context.sorting is None:
            text = wrap("quote", text)
        return _decorated(self, text)

    def _variable_text(self, context: RenderContext, variable: str) -> str | None:
        short = f"{variable}-short"
        if self.get("form") == "short" and context.item.has(short):
            variable = short
        text = _value(context, variable)
        if variable not in _LINKED or not text or context.sorting is not None:
            return self._formatted(context, text)
        prefix = str(self.get("prefix", ""))
        at = prefix.rfind("http") if "http" in prefix else len(prefix)
        address = text if text.lower().startswith("http") else prefix[at:] + text
        return prefix[:at] + wrap("link", address) + str(self.get("suffix", ""))


class Number(StyleElement):
    """The `number` element: numeric, ordinal or Roman."""

    def render(self, context: RenderContext) -> str | None:
        """Render the number."""
        variable = self.get("variable")
        text = _value(context, variable)
        if context.sorting is not None:
            return re.sub(r"\d+", lambda found: found.group().zfill(8), text) or None
        if is_numeric(plain(text)):
            text = re.sub(r"(?<!\w)\d+(?!\w)", lambda found: self._format(context, int(found.group()), variable), text)
            text = re.sub(r"(?<=\w)\s*[-–]\s*(?=\w)", _range_delimiter(context), text)
            text = re.sub(r"\s*&\s*", " & ", re.sub(r"\s*,\s*", ", ", text))
        return _decorated(self, change_case(text, self.get("text-case"), _language(context)))

    def _format(self, context: RenderContext, number: int, variable: str) -> str:
        form = self.get("form", "numeric")
        if form == "ordinal":
            return ordinal(context.terms, number, variable)
        if form == "long-ordinal":
            return long_ordinal(context.terms, number, variable)
        return to_roman(number) if form == "roman" and 0 < number < 6000 else str(number)


class Label(StyleElement):
    """The `label` element: the term for a number or a role (p., vol., eds.)."""

    def render(self, context: RenderContext) -> str | None:
        """Render the label if its variable has a value."""
        variable = self.get("variable")
        if variable == "locator":
            locator, label = context.cite.locator, context.cite.label
            if not locator or (label == "page" and has_own_label(locator)):
                return None
            return self.term_text(context, label, plural=is_plural(locator))
        if variable == "first-reference-note-number":
            return self.term_text(context, variable, plural=False) if context.note_number else None
        text = plain(context.item.fields.get("page" if variable == "page-first" else variable, ""))
        if not text or variable in context.suppressed:
            return None
        several = text.isdecimal() and int(text) != 1 if variable.startswith("number-of-") else is_plural(text)
        return self.term_text(context, variable, plural=several)

    def term_text(self, context: RenderContext, name: str, *, plural: bool) -> str | None:
        """Render a term in the form of this label: ed., trans., pp."""
        wanted = self.get("plural", "contextual")
        plural = wanted == "always" or (wanted == "contextual" and plural)
        word = context.terms.get(name, self.get("form"), plural=plural)
        return _decorated(self, change_case(word, self.get("text-case"), context.terms.locale[:2]))


class Group(StyleElement):
    """The `group` element, which is suppressed if none of its variables has a value."""

    def render(self, context: RenderContext) -> str | None:
        """Render the children joined by the delimiter; None if only fixed texts would remain."""
        called, rendered = context.called, context.rendered
        text = render_children(self, context, self.get("delimiter", ""))
        if not text or text == HIDDEN or (context.called > called and context.rendered == rendered):
            context.rendered = rendered
            context.called = max(context.called, called + 1)
            return HIDDEN if text == HIDDEN else None
        context.count_call(rendered=True)  # a rendered group counts as a variable of the enclosing group
        return _decorated(self, text)


class Macro(StyleElement):
    """The `macro` element."""

    def render(self, context: RenderContext) -> str | None:
        """Render the macro; raise StyleNotUsableError if macros call each other endlessly."""
        context.macros_called += 1
        if context.macros_called > _MAX_MACRO_CALLS:
            raise StyleNotUsableError("macros that call each other without end")
        return render_children(self, context)
