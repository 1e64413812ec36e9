"""The `date` element of a style: date parts, ranges, seasons and years BCE."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from citeloom.csl.context import RenderContext, StyleElement, add_affixes, apply_font
from citeloom.csl.dates import DateValue, PartialDate
from citeloom.csl.text.case import change_case
from citeloom.csl.text.numbers import ordinal

_PARTS = ("year", "month", "day")


class Date(StyleElement):
    """A date variable, in a localized form or in the parts that the style lists."""

    def render(self, context: RenderContext) -> str | None:
        """Render the date."""
        variable = self.get("variable")
        date = context.use(context.item.dates, variable)
        text = "" if date is None else self._text(context, date, variable)
        context.count_call(rendered=bool(text))
        if not text or context.sorting:
            return text or None
        text = change_case(text, self.get("text-case"), context.terms.locale[:2])
        return add_affixes(self.attrib, apply_font(self.attrib, text))

    def _text(self, context: RenderContext, date: DateValue, variable: str) -> str:
        parts, delimiter = self._parts(context)
        names = {part.name for part in parts}
        if context.sorting:
            return date.sort_key(names)
        if date.begin is not None:
            return "".join(_texts(context, parts, delimiter, date, variable))
        if "year" not in names:
            return ""
        # A text such as "in press" takes the place of the year.
        return date.literal + (context.take_year_suffix() if variable == "issued" else "")

    def _parts(self, context: RenderContext) -> tuple[list[_Part], str]:
        own = {part.get("name"): part for part in self if part.get("name")}
        form = self.get("form")
        if form is None:
            return [_Part(dict(part.attrib)) for part in own.values()], self.get("delimiter", "")
        local = context.terms.dates.get(form)
        if local is None:
            return [], ""
        wanted = self.get("date-parts", "year-month-day").split("-")
        parts = []
        for attributes in local.parts:
            if attributes["name"] in wanted:
                changed = dict(own[attributes["name"]].attrib) if attributes["name"] in own else {}
                parts.append(_Part({**attributes, **changed}))
        return parts, self.get("delimiter") or local.delimiter


def _texts(context: RenderContext, parts: list[_Part], delimiter: str, date: DateValue, variable: str) -> Iterator[str]:
    assert date.begin is not None
    shown = [p for p in parts if _value(date.begin, p.name) or (date.end and _value(date.end, p.name))]
    differing = _differing(date.begin, date.end) if date.end else ()
    inside = [p for p in shown if p.name in differing]
    if not date.end or not inside:
        for i, part in enumerate(shown):
            yield (delimiter if i else "") + part.text(context, date.begin, variable)
        if date.open_end:
            yield "–"
        return
    largest = min(inside, key=lambda part: _PARTS.index(part.name))
    first, last = shown.index(inside[0]), shown.index(inside[-1])
    for i, part in enumerate(shown[: last + 1]):
        text = part.text(context, date.begin, variable, omit="suffix" if i == last else "", year_suffix=False)
        yield (delimiter if i and text else "") + text
    yield largest.attributes.get("range-delimiter", "–")
    for i, part in enumerate(shown[first:]):
        text = part.text(context, date.end, variable, omit="prefix" if i == 0 else "")
        yield (delimiter if i and text else "") + text


def _value(day: PartialDate, name: str) -> int:
    return day.month or day.season if name == "month" else int(getattr(day, name))


def _differing(begin: PartialDate, end: PartialDate) -> set[str]:
    if begin.year != end.year:
        return set(_PARTS)
    if (begin.month, begin.season) != (end.month, end.season):
        return {"month", "day"}
    return {"day"} if begin.day != end.day else set()


class _Part:
    """A `date-part`: year, month or day."""

    def __init__(self, attributes: Mapping[str, str]) -> None:
        self.attributes = attributes
        self.name = attributes["name"]

    def text(
        self, context: RenderContext, day: PartialDate, variable: str, *, omit: str = "", year_suffix: bool = True
    ) -> str:
        """Render the part with its affixes; `omit` names the one that is omitted inside a range."""
        if not _value(day, self.name):
            return ""
        text = {"year": self._year, "month": self._month, "day": self._day}[self.name](context, day)
        if self.attributes.get("strip-periods") == "true":
            text = text.replace(".", "")
        text = change_case(text, self.attributes.get("text-case"), context.terms.locale[:2])
        if self.name == "year" and variable == "issued" and year_suffix:
            text += context.take_year_suffix()
        return add_affixes({**self.attributes, omit: ""}, apply_font(self.attributes, text))

    def _year(self, context: RenderContext, day: PartialDate) -> str:
        if self.attributes.get("form") == "short":
            return f"{abs(day.year) % 100:02}"
        era = "bc" if day.year < 0 else "ad" if day.year < 1000 else ""
        return str(abs(day.year)) + (context.terms.get(era) if era else "")

    def _month(self, context: RenderContext, day: PartialDate) -> str:
        form = self.attributes.get("form", "long")
        if not day.month:
            return context.terms.get(f"season-{day.season:02}")
        if form in ("numeric", "numeric-leading-zeros"):
            return f"{day.month:02}" if form.endswith("zeros") else str(day.month)
        return context.terms.get(f"month-{day.month:02}", form)

    def _day(self, context: RenderContext, day: PartialDate) -> str:
        form = self.attributes.get("form", "numeric")
        only_first = context.terms.options.get("limit-day-ordinals-to-day-1") == "true"
        if form == "ordinal" and not (only_first and day.day > 1):
            return ordinal(context.terms, day.day, f"month-{day.month:02}")
        return f"{day.day:02}" if form == "numeric-leading-zeros" else str(day.day)
