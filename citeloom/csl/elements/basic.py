"""The elements of a style that citeproc-py leaves unfinished, finished: texts, numbers, labels, groups, macros."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from citeproc import model

from citeloom.csl.context import Run, StyleNotUsableError
from citeloom.csl.text.case import change_case
from citeloom.csl.text.markup import HIDDEN, plain, wrap
from citeloom.csl.text.numbers import format_pages, is_numeric, is_plural, long_ordinal, names_its_part, ordinal, roman
from citeloom.csl.vocabulary import NS, NUMBERS

_LINKED = frozenset({"DOI", "URL", "PMID", "PMCID"})
_WRITTEN = frozenset({"choose", "date", "group", "label", "names", "number", "text"})
_MOST_MACROS = 2_000  # calls for one work; the longest styles need sixty


def joined(children: Iterable[Any], run: Run, delimiter: str = "") -> str | None:
    """The texts of elements with a delimiter between; nothing where none has any."""
    texts = []
    for child in children:
        name = str(child.tag).removeprefix(NS)
        if name not in _WRITTEN:
            raise StyleNotUsableError(f"the element <{name}>")
        text = child.render(run, delimiter=delimiter) if name == "choose" else child.render(run)
        if text:
            texts.append(str(text))
    shown = [text for text in texts if text != HIDDEN]
    return delimiter.join(shown) if shown else HIDDEN if texts else None


def _finish(element: Any, text: str | None) -> str | None:
    """The text with an element's periods, typography and affixes."""
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
    return format_pages(text, way, _dash(run))


def _dash(run: Run) -> str:
    """What stands between the ends of a range of numbers."""
    return run.terms.get("page-range-delimiter") or "–"


def _value(run: Run, variable: str) -> str:
    """What the record or the cite says for a variable, as a reader reads it."""
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
            return ""  # a style that asks twice means the place of the first
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
    return re.sub(r"\s*-\s*", _dash(run), text) if dashed else text


class Text(model.Text):
    """A variable, macro, term or fixed text."""

    def render(self, run: Run, **_: Any) -> str | None:
        """The text as the style writes it."""
        variable = self.get("variable")
        if variable is not None:
            return self._variable_text(run, variable)
        if self.get("macro") is not None:
            called, rendered = run.called, run.rendered
            macro = run.macros.get(self.get("macro"))
            text = None if macro is None else macro.render(run)
            if text != HIDDEN and run.called > called and run.rendered == rendered:
                return None  # a macro stands or falls like a group
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
        return self._finished(run, text)

    def _finished(self, run: Run, text: str | None) -> str | None:
        if not text:
            return None
        text = change_case(text, self.get("text-case"), _language(run))
        if self.get("quotes") == "true" and run.sorting is None:
            text = wrap("quote", text)
        return _finish(self, text)

    def _variable_text(self, run: Run, variable: str) -> str | None:
        short = f"{variable}-short"
        if self.get("form") == "short" and run.work.has(short):
            variable = short
        text = _value(run, variable)
        if variable in _LINKED and text and run.sorting is None:
            return self._linked(run, variable, text)
        return self._finished(run, text)

    def _linked(self, run: Run, variable: str, text: str) -> str | None:
        prefix = str(self.get("prefix", ""))
        address = prefix.rfind("http")
        suffix = str(self.get("suffix", ""))
        if address >= 0:
            if text.lower().startswith("http"):
                return prefix[:address] + wrap("link", text) + suffix
            return prefix[:address] + wrap("link", prefix[address:] + text) + suffix
        return prefix + wrap("link", text) + suffix


class Number(model.Number):
    """A number, as figures, an ordinal or Roman."""

    def render(self, run: Run, **_: Any) -> str | None:
        """The number as the style writes it."""
        variable = self.get("variable")
        text = _value(run, variable)
        if run.sorting is not None:
            return re.sub(r"\d+", lambda found: found.group().zfill(8), text) or None
        if is_numeric(plain(text)):
            text = re.sub(r"(?<!\w)\d+(?!\w)", lambda found: self._one(run, int(found.group()), variable), text)
            text = re.sub(r"(?<=\w)\s*[-–]\s*(?=\w)", _dash(run), text)
            text = re.sub(r"\s*&\s*", " & ", re.sub(r"\s*,\s*", ", ", text))
        return _finish(self, change_case(text, self.get("text-case"), _language(run)))

    def _one(self, run: Run, number: int, variable: str) -> str:
        form = self.get("form", "numeric")
        if form == "ordinal":
            return ordinal(run.terms, number, variable)
        if form == "long-ordinal":
            return long_ordinal(run.terms, number, variable)
        return roman(number) if form == "roman" and 0 < number < 6000 else str(number)


class Label(model.Label):
    """The word before a number or beside a name: p., vol., eds."""

    def render(self, run: Run, **_: Any) -> str | None:
        """The label, where what it stands for is there."""
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
        """The label of people in a role: ed., trans."""
        return self._word(run, role, plural)

    def _word(self, run: Run, name: str, several: bool) -> str:
        wanted = self.get("plural", "contextual")
        several = wanted == "always" or (wanted == "contextual" and several)
        word = run.terms.get(name, self.get("form"), plural=several)
        return _finish(self, change_case(word, self.get("text-case"), run.terms.locale[:2])) or ""


class Group(model.Group):
    """Parts that stand together, and fall together where no variable of theirs has a value."""

    def render(self, run: Run, **_: Any) -> str | None:
        """The parts joined; nothing where only fixed words are left."""
        called, rendered = run.called, run.rendered
        delimiter = self.get("delimiter", "")
        text = joined(self, run, delimiter)
        if not text or text == HIDDEN or (run.called > called and run.rendered == rendered):
            run.rendered = rendered
            run.called = max(run.called, called + 1)
            return HIDDEN if text == HIDDEN else None
        run.rendered += 1  # a group that is there counts as a variable for the group around it
        run.called += 1
        return _finish(self, text)


class Macro(model.Macro):
    """A part of a style that others call by name."""

    def render(self, run: Run, **_: Any) -> str | None:  # type: ignore[override]
        """The part's text."""
        run.macros_called += 1
        if run.macros_called > _MOST_MACROS:
            raise StyleNotUsableError("macros that call each other without end")
        return joined(self, run)
