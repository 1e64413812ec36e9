"""Applies one style to one set of items: numbering, sorting, citations and bibliography."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from operator import itemgetter
from typing import Any

from citeloom.core.text.normalize import fold
from citeloom.csl.collapse import RenderedCite, join_cites
from citeloom.csl.context import Disambiguation, RenderContext, add_affixes, apply_font, layout_of
from citeloom.csl.elements.basic import render_children
from citeloom.csl.records import CslItem, Person
from citeloom.csl.terms import Terms
from citeloom.csl.text.markup import HIDDEN, OFF, plain, wrap
from citeloom.csl.vocabulary import NAMES, NS, NUMBERS

_BASE_LETTERS = str.maketrans({"ø": "o", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "æ": "ae", "œ": "oe", "ı": "i"})


class Processor:
    """Renders the citations and the bibliography of a set of items in a style and locale."""

    def __init__(self, style: Any, terms: Terms, items: Mapping[str, CslItem]) -> None:
        self.style = style
        self.terms = terms
        self.items = items
        self.citation_area = style.find(f"{NS}citation")
        self.bibliography_area = style.find(f"{NS}bibliography")
        self.macros = {element.get("name"): element for element in style if element.tag == f"{NS}macro"}
        self.renders_year_suffix = style.find(f".//{NS}text[@variable='year-suffix']") is not None
        self.shortens_later_names = any(element.get("et-al-subsequent-min") for element in style.iter())
        self.disambiguation: dict[str, Disambiguation] = {}
        self.numbers = {key: i + 1 for i, key in enumerate(items)}
        self.order = list(items)  # of the bibliography
        if self.bibliography_area is not None:
            contexts = [self.context(key, self.bibliography_area) for key in items]
            self.order = [context.item.key for context in self.sort(self.bibliography_area, contexts)]
            self.numbers = {key: i + 1 for i, key in enumerate(self.order)}

    def context(self, key: str, area: Any, **values: Any) -> RenderContext:
        """Create the context in which an item is rendered."""
        return RenderContext(
            self.items[key],
            self.terms,
            area,
            self.macros,
            number=self.numbers.get(key, 0),
            disambiguation=self.disambiguation.get(key, Disambiguation()),
            style_renders_year_suffix=self.renders_year_suffix,
            **values,
        )

    def layout(self, context: RenderContext) -> str:
        """Render an item by the layout of its area, without the layout's affixes."""
        children = list(layout_of(context.area))
        head = render_children(children[:1], context) or ""
        if head and context.in_bibliography and context.area.get("second-field-align"):
            head = wrap("left", head)
        return head + (render_children(children[1:], context) or "")

    @property
    def is_superscript(self) -> bool:
        """Whether citations are superscript."""
        return any(element.get("vertical-align") == "sup" for element in layout_of(self.citation_area).iter())

    # -- order ---------------------------------------------------------------------------------------------------

    def sort(self, area: Any, contexts: list[RenderContext]) -> list[RenderContext]:
        """Sort by the style's keys; items without a value for a key come last."""
        sort = area.find(f"{NS}sort")
        for key in reversed([] if sort is None else list(sort)):
            valued = [(self._sort_value(key, context), context) for context in contexts]
            present = [(collation_key(value), context) for value, context in valued if value]
            present.sort(key=itemgetter(0), reverse=key.get("sort") == "descending")
            contexts = [context for _, context in present] + [context for value, context in valued if not value]
        return contexts

    def _sort_value(self, key: Any, context: RenderContext) -> str:
        variable = key.get("variable")
        options = {
            f"et-al-{name[6:]}": key.get(name)
            for name in ("names-min", "names-use-first", "names-use-last")
            if key.get(name)
        }
        if variable is None:
            macro = self.macros.get(key.get("macro"))
            return "" if macro is None else str(macro.render(context.fresh(sorting=options)) or "")
        if variable in NAMES:
            return "\x02".join(self._sort_name(person) for person in context.item.names.get(variable, ()))
        if variable == "citation-label":
            return context.item.label
        if variable in context.item.dates:
            return context.item.dates[variable].sort_key()
        text = str(context.number) if variable == "citation-number" else plain(context.item.fields.get(variable, ""))
        return re.sub(r"\d+", lambda found: found.group().zfill(8), text) if variable in NUMBERS else text

    def _sort_name(self, person: Person) -> str:
        demote = self.style.get("demote-non-dropping-particle", "display-and-sort") != "never"
        family = person.family if demote else person.whole_family
        given = " ".join(filter(None, (person.given, person.dropping, person.non_dropping if demote else "")))
        return "\x01".join(filter(None, (family, given, person.suffix)))

    # -- citations -----------------------------------------------------------------------------------------------

    def render_cite(self, context: RenderContext, *, leads: bool = False) -> RenderedCite:
        """Render a cite with its prefix and suffix."""
        text = self.layout(context)
        ibid = self.terms.get("ibid")
        prefix, suffix = context.cite.prefix, context.cite.suffix
        at_start = self.style.get("class") == "note" and (leads or prefix) and _starts_sentence(prefix.rstrip())
        if ibid and at_start and text.startswith(ibid):
            text = text[:1].upper() + text[1:]
        if context.author_replacement == "":
            text = re.sub(r"^[\s,;:]+", "", text.replace(HIDDEN, ""))  # the delimiter between names and the rest
        if not plain(text):
            return RenderedCite(context, "")
        if prefix and prefix[-1] not in " ([‘“’-–":
            prefix += " "
        if suffix and (suffix[0].isalnum() or suffix[0] in "(["):
            suffix = f" {suffix}"
        return RenderedCite(context, prefix + text + suffix)

    def citation(self, contexts: Sequence[RenderContext]) -> str:
        """Render one citation: its cites sorted, collapsed and with the affixes of the layout."""
        area = self.citation_area
        if area.find(f"{NS}sort") is not None:  # ties follow the order of the bibliography: 2019a, 2019b
            contexts = sorted(contexts, key=lambda context: self.numbers[context.item.key])
        ordered = self.sort(area, list(contexts))
        pieces = [self.render_cite(context, leads=i == 0) for i, context in enumerate(ordered)]
        layout = layout_of(area)
        inner = join_cites(
            area, pieces, self.terms, lambda context: self.render_cite(context.fresh(author_replacement=""))
        )
        return apply_font(layout.attrib, add_affixes(layout.attrib, inner))

    # -- bibliography --------------------------------------------------------------------------------------------

    def bibliography(self) -> dict[str, str]:
        """Render the bibliography; return entries by key, in the style's order."""
        area = self.bibliography_area
        if area is None:
            return {}
        layout = layout_of(area)
        dash = area.get("subsequent-author-substitute")
        entries: dict[str, str] = {}
        before = ""
        for key in self.order:
            context = self.context(key, area)
            text = self.layout(context)
            if dash is not None and context.first_list and context.first_list == before:
                text = self.layout(context.fresh(author_replacement=dash))
            before = context.first_list
            if text:
                entries[key] = apply_font(layout.attrib, add_affixes(layout.attrib, text))
        return entries


def collation_key(text: str) -> tuple[str, str]:
    """Return a sort key that ignores accents and case: Ångström sorts as Angstrom, in every language."""
    folded = plain(text).casefold()
    letters = re.sub(r"[^\w\s\x01\x02]", "", re.sub(r"[-–—/]", " ", fold(folded).translate(_BASE_LETTERS)))
    return " ".join(letters.split()), folded


def _starts_sentence(prefix: str) -> bool:
    """Whether a cite with this prefix starts a sentence."""
    return not prefix or (prefix.endswith((".", "!", "?", OFF["quote"])) and " " in prefix)
