"""What is known while one work is written in one place: the work, the cite, and what was written so far."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from citeloom.csl.dates import When
from citeloom.csl.records import Person, Work
from citeloom.csl.terms import Terms
from citeloom.csl.text.markup import wrap
from citeloom.csl.vocabulary import NS

_FONT = {
    "font-style": {"italic": "italic", "oblique": "italic", "normal": "upright"},
    "font-variant": {"small-caps": "small-caps", "normal": "full-caps"},
    "font-weight": {"bold": "bold", "normal": "light", "light": "light"},
    "text-decoration": {"underline": "underline"},
    "vertical-align": {"sup": "super", "sub": "sub"},
}


class StyleNotUsableError(Exception):
    """A style asks for what cannot be written; the text says what, in words that fit a sentence."""


def layout_of(area: Any) -> Any:
    """The layout of a citation or bibliography; of several for different languages, the one for all others."""
    layouts = area.findall(f"{NS}layout")
    return next((layout for layout in layouts if layout.get("locale") is None), layouts[0])


@dataclass(frozen=True, slots=True)
class Cite:
    """One work cited at one place, with what the writer says about it."""

    key: str
    locator: str = ""
    label: str = "page"
    prefix: str = ""
    suffix: str = ""
    suppress_author: bool = False
    in_text: bool = False


@dataclass(frozen=True, slots=True)
class Telling:
    """What tells a work from others that would be cited in the same words."""

    names: int = 0  # how many names are shown at least
    given: tuple[int, ...] = ()  # for each name: 0 as the style has it, 1 with initials, 2 with the given name
    choice: bool = False  # the style's own "disambiguate" branch
    year_suffix: str = ""


@dataclass(slots=True)
class Run:
    """The writing of one work in a citation, a bibliography or a sort key."""

    work: Work
    terms: Terms
    area: Any  # the style's citation or bibliography
    macros: Mapping[str, Any]  # the parts of the style that others call by name
    cite: Cite | None = None
    number: int = 0
    position: frozenset[str] = frozenset({"first"})
    note_number: int = 0
    telling: Telling = field(default_factory=Telling)
    year_suffix_placed: bool = False  # the style itself says where the letter goes
    sorting: Mapping[str, str] | None = None
    in_sentence: bool = False  # the names stand in the writer's own sentence: "and", not "&"
    author: str | None = None  # None: shown; else what stands in place of the first names ("" hides them)

    # What was written so far; each new run starts from nothing.
    pattern: Any = field(default=None, init=False)  # the names for which others stand in
    first_names: str | None = field(default=None, init=False)  # the first names as they were written
    first_list: str = field(default="", init=False)  # the same without a label
    first_people: tuple[Person, ...] = field(default=(), init=False)
    called: int = field(default=0, init=False)  # variables asked for, and those that gave a text
    rendered: int = field(default=0, init=False)
    used: list[str] = field(default_factory=list, init=False)
    silent: set[str] = field(default_factory=set, init=False)  # variables that were written in place of others
    macros_called: int = field(default=0, init=False)
    suffix_written: bool = field(default=False, init=False)
    locator_written: bool = field(default=False, init=False)

    @property
    def in_bibliography(self) -> bool:
        """Whether this is an entry of the bibliography."""
        return str(self.area.tag).endswith("bibliography")

    def fresh(self, **changes: Any) -> Run:
        """The same writing from the start."""
        return replace(self, **changes)

    def option(self, name: str, default: str | None = None) -> str | None:
        """An option of the citation or bibliography, else of the style."""
        value = self.area.get(name)
        if value is None:
            value = self.area.getparent().get(name)
        return default if value is None else str(value)

    def field(self, variable: str) -> str:
        """What the record says, once; nothing where it was already written in another's place."""
        self.called += 1
        self.used.append(variable)
        return "" if variable in self.silent else self.work.fields.get(variable, "")

    def date(self, variable: str) -> When | None:
        """A date of the record."""
        self.called += 1
        self.used.append(variable)
        return None if variable in self.silent else self.work.dates.get(variable)

    def people(self, variable: str) -> tuple[Person, ...]:
        """The names of the record in a role."""
        self.used.append(variable)
        return () if variable in self.silent else self.work.names.get(variable, ())

    def take_year_suffix(self) -> str:
        """The letter after the year, where the style does not place it itself; given once."""
        if self.suffix_written or self.year_suffix_placed or not self.telling.year_suffix or self.sorting is not None:
            return ""
        self.suffix_written = True
        return self.telling.year_suffix

    @staticmethod
    def typography(attributes: Mapping[str, str], text: str) -> str:
        """The text in the italics, bold, … that a style's element asks for."""
        if text:
            for name, kinds in _FONT.items():
                kind = kinds.get(attributes.get(name, ""))
                if kind:
                    text = wrap(kind, text)
        return text
