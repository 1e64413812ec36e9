"""The rendering elements of a style: `text`, `number`, `label`, `group` and `macro`."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from citeloom.citing.cases import change_case
from citeloom.citing.marks import HIDDEN, plain, wrap
from citeloom.citing.numbers import format_pages, is_numeric, is_plural, long_ordinal, names_its_part, ordinal, roman
from citeloom.citing.run import Run, StyleElement, StyleNotUsableError
from citeloom.citing.vocabulary import NS, NUMBERS

_LINKED = frozenset({"DOI", "URL", "PMID", "PMCID"})
_RENDERED = frozenset({"choose", "date", "group", "label", "names", "number", "text"})
_MAX_MACRO_CALLS = 2_000  # calls for one item; the longest styles need sixty


def joined(children: Iterable[Any], run: Run, delimiter: str = "") -> str | None:
    """Render elements and join the non-empty texts; None if there are none."""
    texts = []
    for child in children:
        name = str(child.tag).removeprefix(NS)
        if name not in _RENDERED:
            raise StyleNotUsableError(f"the element <{name}>")
        text = child.render(run, delimiter=delimiter) if name == "choose" else child.render(run)
        if text:
            texts.append(str(text))
    shown = [text for text in texts if text != HIDDEN]
    return delimiter.join(shown) if shown else HIDDEN if texts else None


def _with_affixes(element: Any, text: str | None) -> str | None:
    """Apply an element's strip-periods, formatting, display and affixes."""
    if not text or text == HIDDEN:
        return text or None
    if element.get("strip-periods") == "true":
        text = text.replace(".", "")
    text = Run.typography(element.attrib, text)
    if element.get("display") in ("block", "indent"):
        text = wrap("block", text)
    elif element.get("display") == "left-margin":
        text = wrap("left", text)
    return str(element.get("prefix", "")) + text + str(element.get("suffix", ""))


def _language(run: Run) -> str:
    return run.work.language or run.terms.locale[:2]


def _pages(run: Run, text: str) -> str:
    way = run.area.getparent().get("page-range-format")
    return format_pages(text, way, _range_delimiter(run))


def _range_delimiter(run: Run) -> str:
    """Return the locale's delimiter for ranges of numbers."""
    return run.terms.get("page-range-delimiter") or "–"


def _value(run: Run, variable: str) -> str:
    """Return the value of a variable of the item or the cite, and count its use."""
    if variable == "locator":
        run.called += 1
        if run.cite is None or not run.cite.locator:
            return ""
        run.locator_written = True
        run.rendered += 1
        return (
            _pages(run, run.cite.locator)
            if run.cite.label == "page"
            else re.sub(r"(?<=\d)\s*-\s*(?=\d)", "–", run.cite.locator)
        )
    if variable == "citation-number":
        run.called += 1
        run.rendered += 1
        return str(run.number)
    if variable == "year-suffix":
        if run.suffix_written:
            return ""  # rendered once, at its first place
        run.suffix_written = bool(run.telling.year_suffix)
        return run.telling.year_suffix
    if variable == "citation-label":
        run.called += 1
        run.rendered += 1
        run.suffix_written = True
        return run.work.label + run.telling.year_suffix
    if variable == "first-reference-note-number":
        run.called += 1
        run.rendered += run.note_number > 0
        return str(run.note_number) if run.note_number else ""
    text = run.field("page" if variable == "page-first" else variable)
    if text:
        run.rendered += 1
    if variable == "page-first":
        return re.split(r"[-–—,& ]", text, maxsplit=1)[0]
    if variable == "page":
        return _pages(run, text)
    dashed = variable in NUMBERS and "-" in text and is_numeric(plain(text))
    return re.sub(r"\s*-\s*", _range_delimiter(run), text) if dashed else text


class Text(StyleElement):
    """The `text` element: a variable, macro, term or value."""

    def render(self, run: Run) -> str | None:
        """Render the text."""
        variable = self.get("variable")
        if variable is not None:
            return self._variable_text(run, variable)
        if self.get("macro") is not None:
            called, rendered = run.called, run.rendered
            macro = run.macros.get(self.get("macro"))
            text = None if macro is None else macro.render(run)
            if text != HIDDEN and run.called > called and run.rendered == rendered:
                return None  # a macro is suppressed like a group
            if text and text != HIDDEN:
                run.called += 1
                run.rendered += 1
        elif self.get("term") is not None:
            text = run.terms.get(self.get("term"), self.get("form"), plural=self.get("plural") == "true")
            if self.get("term") == "no date" and text:
                run.called += 1
                run.rendered += 1
                suffix = run.take_year_suffix()
                text += f"-{suffix}" if suffix else ""
        else:
            text = self.get("value")
        return self._formatted(run, text)

    def _formatted(self, run: Run, text: str | None) -> str | None:
        if not text:
            return None
        text = change_case(text, self.get("text-case"), _language(run))
        if self.get("quotes") == "true" and run.sorting is None:
            text = wrap("quote", text)
        return _with_affixes(self, text)

    def _variable_text(self, run: Run, variable: str) -> str | None:
        short = f"{variable}-short"
        if self.get("form") == "short" and run.work.has(short):
            variable = short
        text = _value(run, variable)
        if variable in _LINKED and text and run.sorting is None:
            return self._linked(run, variable, text)
        return self._formatted(run, text)

    def _linked(self, run: Run, variable: str, text: str) -> str | None:
        prefix = str(self.get("prefix", ""))
        address = prefix.rfind("http")
        suffix = str(self.get("suffix", ""))
        if address >= 0:
            if text.lower().startswith("http"):
                return prefix[:address] + wrap("link", text) + suffix
            return prefix[:address] + wrap("link", prefix[address:] + text) + suffix
        return prefix + wrap("link", text) + suffix


class Number(StyleElement):
    """The `number` element: numeric, ordinal or Roman."""

    def render(self, run: Run) -> str | None:
        """Render the number."""
        variable = self.get("variable")
        text = _value(run, variable)
        if run.sorting is not None:
            return re.sub(r"\d+", lambda found: found.group().zfill(8), text) or None
        if is_numeric(plain(text)):
            text = re.sub(r"(?<!\w)\d+(?!\w)", lambda found: self._one(run, int(found.group()), variable), text)
            text = re.sub(r"(?<=\w)\s*[-–]\s*(?=\w)", _range_delimiter(run), text)
            text = re.sub(r"\s*&\s*", " & ", re.sub(r"\s*,\s*", ", ", text))
        return _with_affixes(self, change_case(text, self.get("text-case"), _language(run)))

    def _one(self, run: Run, number: int, variable: str) -> str:
        form = self.get("form", "numeric")
        if form == "ordinal":
            return ordinal(run.terms, number, variable)
        if form == "long-ordinal":
            return long_ordinal(run.terms, number, variable)
        return roman(number) if form == "roman" and 0 < number < 6000 else str(number)


class Label(StyleElement):
    """The `label` element: the term for a number or a role (p., vol., eds.)."""

    def render(self, run: Run) -> str | None:
        """Render the label if its variable has a value."""
        variable = self.get("variable")
        if variable == "locator":
            if run.cite is None or not run.cite.locator:
                return None
            if run.cite.label == "page" and names_its_part(run.cite.locator):
                return None
            return self._word(run, run.cite.label, is_plural(run.cite.locator)) or None
        if variable == "first-reference-note-number":
            return self._word(run, variable, False) if run.note_number else None
        text = plain(run.work.fields.get("page" if variable == "page-first" else variable, ""))
        if not text or variable in run.silent:
            return None
        several = text.isdecimal() and int(text) != 1 if variable.startswith("number-of-") else is_plural(text)
        return self._word(run, variable, several) or None

    def of_role(self, run: Run, role: str, *, plural: bool) -> str:
        """Render the label of a role: ed., trans."""
        return self._word(run, role, plural)

    def _word(self, run: Run, name: str, several: bool) -> str:
        wanted = self.get("plural", "contextual")
        several = wanted == "always" or (wanted == "contextual" and several)
        word = run.terms.get(name, self.get("form"), plural=several)
        return _with_affixes(self, change_case(word, self.get("text-case"), run.terms.locale[:2])) or ""


class Group(StyleElement):
    """The `group` element, which is suppressed if none of its variables has a value."""

    def render(self, run: Run) -> str | None:
        """Render the children joined by the delimiter; None if only fixed texts would remain."""
        called, rendered = run.called, run.rendered
        delimiter = self.get("delimiter", "")
        text = joined(self, run, delimiter)
        if not text or text == HIDDEN or (run.called > called and run.rendered == rendered):
            run.rendered = rendered
            run.called = max(run.called, called + 1)
            return HIDDEN if text == HIDDEN else None
        run.rendered += 1  # a rendered group counts as a variable of the enclosing group
        run.called += 1
        return _with_affixes(self, text)


class Macro(StyleElement):
    """The `macro` element."""

    def render(self, run: Run) -> str | None:
        """Render the macro; raise StyleNotUsableError if macros call each other endlessly."""
        run.macros_called += 1
        if run.macros_called > _MAX_MACRO_CALLS:
            raise StyleNotUsableError("macros that call each other without end")
        return joined(self, run)
