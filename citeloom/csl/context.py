"""The state of rendering one item: the item, the cite, the style's options and what was rendered so far."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

from lxml import etree

from citeloom.csl.records import CslItem, Person
from citeloom.csl.terms import Terms
from citeloom.csl.text.markup import wrap
from citeloom.csl.vocabulary import NS

_Value = TypeVar("_Value")
_FONT = {
    "font-style": {"italic": "italic", "oblique": "italic", "normal": "upright"},
    "font-variant": {"small-caps": "small-caps", "normal": "full-caps"},
    "font-weight": {"bold": "bold", "normal": "light", "light": "light"},
    "text-decoration": {"underline": "underline"},
    "vertical-align": {"sup": "super", "sub": "sub"},
}


class StyleElement(etree.ElementBase):  # type: ignore[misc]  # lxml comes without types
    """Base class of the elements of a style. lxml creates them: they have no state of their own."""


class StyleNotUsableError(Exception):
    """The style needs something unsupported; the message names it and completes the sentence "The style uses …"."""


def apply_font(attributes: Mapping[str, str], text: str) -> str:
    """Apply the font attributes of an element (italic, bold, …) to a text."""
    if text:
        for name, kinds in _FONT.items():
            kind = kinds.get(attributes.get(name, ""))
            if kind:
                text = wrap(kind, text)
    return text


def add_affixes(attributes: Mapping[str, str], text: str) -> str:
    """Add the prefix and suffix of an element to a text; nothing to an empty one."""
    return attributes.get("prefix", "") + text + attributes.get("suffix", "") if text else ""


def layout_of(area: Any) -> Any:
    """Return the layout of a citation or bibliography; of several (CSL-M), the one without a locale."""
    layouts = area.findall(f"{NS}layout")
    return next((layout for layout in layouts if layout.get("locale") is None), layouts[0])


@dataclass(frozen=True, slots=True)
class Cite:
    """One item cited in a citation, with locator, prefix and suffix."""

    key: str
    locator: str = ""
    label: str = "page"
    prefix: str = ""
    suffix: str = ""
    suppress_author: bool = False
    in_text: bool = False


@dataclass(frozen=True, slots=True)
class Disambiguation:
    """What is added to the citation of an item to distinguish it from equal ones."""

    names: int = 0  # the least number of names to show
    given: tuple[int, ...] = ()  # for each name: 0 as in the style, 1 initials, 2 the given name
    style_branch: bool = False  # whether `disambiguate="true"` branches of the style are taken
    year_suffix: str = ""


@dataclass(slots=True)
class RenderContext:
    """The context of rendering one item in a citation, a bibliography or a sort key."""

    item: CslItem
    terms: Terms
    area: Any  # the style's <citation> or <bibliography>
    macros: Mapping[str, Any]  # by name
    cite: Cite = Cite("")  # without a key in a bibliography or a sort key
    number: int = 0
    position: frozenset[str] = frozenset({"first"})
    note_number: int = 0
    disambiguation: Disambiguation = Disambiguation()
    style_renders_year_suffix: bool = False  # the style renders the variable year-suffix itself
    sorting: Mapping[str, str] | None = None  # the options of a sort key; None: not a sort key
    in_sentence: bool = False  # a narrative citation: "and", not "&"
    author_replacement: str | None = None  # replaces the first names ("" hides them); None: not replaced

    # What was rendered so far; empty in each new context.
    name_template: Any = field(default=None, init=False)  # the <names> element whose substitute is rendered
    first_names: str | None = field(default=None, init=False)  # the first names as rendered
    first_list: str = field(default="", init=False)  # the same without a label
    first_people: tuple[Person, ...] = field(default=(), init=False)
    called: int = field(default=0, init=False)  # number of variables called, and of those that had a value
    rendered: int = field(default=0, init=False)
    variables_used: list[str] = field(default_factory=list, init=False)
    suppressed: set[str] = field(default_factory=set, init=False)  # rendered as a substitute: not rendered again
    macros_called: int = field(default=0, init=False)
    suffix_rendered: bool = field(default=False, init=False)
    locator_rendered: bool = field(default=False, init=False)

    @property
    def in_bibliography(self) -> bool:
        """Whether a bibliography is rendered."""
        return str(self.area.tag).endswith("bibliography")

    def fresh(self, **changes: Any) -> RenderContext:
        """Return a copy in which nothing has been rendered yet, with changes."""
        return replace(self, **changes)

    def option(self, name: str, default: str | None = None) -> str | None:
        """Return an option of the citation or bibliography, or of the whole style."""
        value = self.area.get(name)
        if value is None:
            value = self.area.getparent().get(name)
        return default if value is None else str(value)

    def use(self, values: Mapping[str, _Value], variable: str) -> _Value | None:
        """Return the value of a variable and record its use; None if it has none or is suppressed."""
        self.variables_used.append(variable)
        return None if variable in self.suppressed else values.get(variable)

    def count_call(self, *, rendered: bool) -> None:
        """Count a call of a variable, and whether it had a value: a group in which none has one is suppressed."""
        self.called += 1
        self.rendered += rendered

    def take_year_suffix(self, *, explicit: bool = False) -> str:
        """Return the year suffix once; if the style renders it explicitly, only where it does."""
        if self.suffix_rendered or (not explicit and (self.style_renders_year_suffix or self.sorting is not None)):
            return ""
        self.suffix_rendered = bool(self.disambiguation.year_suffix)
        return self.disambiguation.year_suffix
