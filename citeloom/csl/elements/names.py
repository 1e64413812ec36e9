"""The `names` element of a style: order, particles, initials, et al. and substitutes."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from citeloom.csl.context import RenderContext, StyleElement, add_affixes, apply_font
from citeloom.csl.records import Person, join_particle
from citeloom.csl.text.case import change_case
from citeloom.csl.text.markup import HIDDEN

_OPTIONS = (
    "and", "delimiter-precedes-et-al", "delimiter-precedes-last", "et-al-min", "et-al-use-first", "et-al-use-last",
    "et-al-subsequent-min", "et-al-subsequent-use-first", "initialize", "initialize-with", "name-as-sort-order",
    "sort-separator",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class _NameStyle:
    """The options of a style for one list of names."""

    options: dict[str, str]
    form: str
    delimiter: str
    demote: str
    hyphen: bool
    parts: dict[str, Any]
    name: Any  # the <name> element, whose formatting and affixes apply to each name
    sorting: bool

    def number(self, name: str) -> int:
        value = self.options.get(name, "")
        return int(value) if value.isdecimal() else 0


def _child(element: Any, *tags: str) -> Any:
    return next(
        (child for child in element if isinstance(child.tag, str) and child.tag.rpartition("}")[2] in tags), None
    )


def _name_style(context: RenderContext, names: Any) -> _NameStyle:
    name = _child(names, "name")
    own = {} if name is None else dict(name.attrib)
    options: dict[str, str] = {}
    for option in _OPTIONS:
        value = own.get(option, context.option(option))
        if value is not None:
            options[option] = value
    options.update(context.sorting or {})
    if context.sorting is not None:
        # Separators that sort before every letter: a name alone comes before the same name with more.
        options.update({"name-as-sort-order": "all", "sort-separator": "\x01", "and": ""})
    root = context.area.getparent()
    return _NameStyle(
        options,
        form=own.get("form") or context.option("name-form", "long") or "long",
        delimiter="\x02"
        if context.sorting is not None
        else own.get("delimiter", context.option("name-delimiter") or ", "),
        demote=root.get("demote-non-dropping-particle", "display-and-sort"),
        hyphen=root.get("initialize-with-hyphen", "true") == "true",
        parts={part.get("name"): part for part in (() if name is None else name) if part.get("name")},
        name=name,
        sorting=context.sorting is not None,
    )


class Names(StyleElement):
    """The `names` element: lists of names with labels, or their substitute."""

    def render(self, context: RenderContext) -> str | None:
        """Render the names."""
        # Names in a substitute are formatted like the names that they replace, unless they have options of their own.
        has_own_options = context.name_template is None or _child(self, "name", "label") is not None
        pattern = self if has_own_options else context.name_template
        context.called += 1
        first = context.first_names is None and context.sorting is None
        roles = self._roles(context)
        if not roles:
            return self._substitute(context)
        if first and context.author_replacement is not None:
            return self._author_replacement(context, pattern, *roles[0])
        style = _name_style(context, pattern)
        context.rendered += 1
        if style.form == "count":
            count = sum(len(_shown(context, style, people)[0]) for _, people in roles)
            return f"{count}" if context.sorting is None else f"{count}\x01"
        texts = []
        for i, (role, people) in enumerate(roles):
            listed = _list_names(context, style, people, pattern, first and i == 0)
            if first and i == 0:
                context.first_list, context.first_people = listed, people
            texts.append(self._labelled(context, role, people, pattern, listed))
        text = (self.get("delimiter") or context.option("names-delimiter", "") or "").join(filter(None, texts))
        if context.sorting is not None:
            return f"{text}\x01"  # what follows the names, such as a year, sorts before another name
        if first:
            context.first_names = text
        return self._formatted(text)

    def _formatted(self, text: str) -> str | None:
        return add_affixes(self.attrib, apply_font(self.attrib, text)) or None

    def _roles(self, context: RenderContext) -> list[tuple[str, tuple[Person, ...]]]:
        found = [
            (role, people)
            for role in self.get("variable", "").split()
            if (people := context.use(context.item.names, role))
        ]
        one_list = {role for role, _ in found} == {"editor", "translator"} and found[0][1] == found[1][1]
        if one_list and context.terms.get("editortranslator"):
            return [("editortranslator", found[0][1])]
        return found

    def _labelled(self, context: RenderContext, role: str, people: Sequence[Person], pattern: Any, text: str) -> str:
        label = _child(pattern, "label")
        if label is None or context.sorting is not None:
            return text
        word: str = label.term_text(context, role, plural=len(people) > 1) or ""
        before = _child(pattern, "label", "name") is label and _child(pattern, "name") is not None
        return word + text if before else text + word

    def _author_replacement(
        self, context: RenderContext, pattern: Any, role: str, people: tuple[Person, ...]
    ) -> str | None:
        """Return the replacement of the first names: nothing, or the dash for a repeated author."""
        context.first_names, context.first_people = context.author_replacement or "", people
        if not context.author_replacement:
            return HIDDEN
        context.rendered += 1
        return self._formatted(self._labelled(context, role, people, pattern, context.author_replacement))

    def _substitute(self, context: RenderContext) -> str | None:
        substitute = _child(self, "substitute")
        if substitute is None:
            return None
        outer = context.name_template
        if outer is None or _child(self, "name") is not None:
            context.name_template = self
        text = self._first_of(context, substitute)
        context.name_template = outer
        return text

    def _first_of(self, context: RenderContext, substitute: Any) -> str | None:
        for child in substitute:
            before, called = len(context.variables_used), context.called
            text = child.render(context)
            if text == HIDDEN:
                return HIDDEN
            if text:
                context.suppressed.update(context.variables_used[before:])
                if context.first_names is None and context.sorting is None:
                    context.first_names = text
                    if context.author_replacement is not None:
                        return context.author_replacement or HIDDEN
                return str(text) if isinstance(child, Names) else self._formatted(str(text))
            context.called = called
        return None


def _shown(context: RenderContext, style: _NameStyle, people: tuple[Person, ...]) -> tuple[tuple[Person, ...], bool]:
    """Return the names to show, and whether others are omitted."""
    least, use_first = style.number("et-al-min"), style.number("et-al-use-first") or 1
    if "subsequent" in context.position and not context.in_bibliography:
        least = style.number("et-al-subsequent-min") or least
        use_first = style.number("et-al-subsequent-use-first") or use_first
    if not context.in_bibliography and context.sorting is None:
        use_first = max(use_first, context.disambiguation.names)
    if not least or len(people) < least or use_first >= len(people):
        return people, False
    return people[:use_first], True


def _list_names(context: RenderContext, style: _NameStyle, people: tuple[Person, ...], names: Any, first: bool) -> str:
    shown, cut = _shown(context, style, people)
    given = context.disambiguation.given if first and not context.in_bibliography else ()
    texts = [_one_name(style, person, i, given[i] if i < len(given) else 0) for i, person in enumerate(shown)]
    delimiter = style.delimiter
    if not cut:
        inverted = len(shown) > 1 and not shown[-2].literal and _inverted(style, len(shown) - 2)
        return _with_and(context, style, texts, inverted)
    if style.options.get("et-al-use-last") == "true" and len(shown) <= len(people) - 2:
        last = _one_name(style, people[-1], len(people) - 1, 0)
        return f"{delimiter.join(texts)}{delimiter}… {last}"
    et_al = _et_al(context, names)
    if not et_al:
        return delimiter.join(texts)
    rule = style.options.get("delimiter-precedes-et-al", "contextual")
    apart = rule == "always" or (rule == "contextual" and len(texts) > 1)
    apart = apart or (rule == "after-inverted-name" and _inverted(style, len(texts) - 1))
    return delimiter.join(texts) + (delimiter if apart else " ") + et_al


def _with_and(context: RenderContext, style: _NameStyle, texts: list[str], inverted: bool) -> str:
    symbol = context.terms.get("and") if context.in_sentence else "&"
    word = {"text": context.terms.get("and"), "symbol": symbol}.get(style.options.get("and", ""))
    if word is None or len(texts) < 2:
        return style.delimiter.join(texts)
    rule = style.options.get("delimiter-precedes-last", "contextual")
    apart = (
        rule == "always" or (rule == "contextual" and len(texts) > 2) or (rule == "after-inverted-name" and inverted)
    )
    return style.delimiter.join(texts[:-1]) + (style.delimiter.rstrip() if apart else "") + f" {word} " + texts[-1]


def _et_al(context: RenderContext, names: Any) -> str:
    element = _child(names, "et-al")
    term = "et-al" if element is None else element.get("term", "et-al")
    text = context.terms.get(term)
    return text if element is None else apply_font(element.attrib, text)


def _inverted(style: _NameStyle, index: int) -> bool:
    order = style.options.get("name-as-sort-order")
    return style.form == "long" and (order == "all" or (order == "first" and index == 0))


def _one_name(style: _NameStyle, person: Person, index: int, given_level: int) -> str:
    return _part(style.name, _name_text(style, person, index, given_level))


def _name_text(style: _NameStyle, person: Person, index: int, given_level: int) -> str:
    part = style.parts
    if person.literal:
        return _part(part.get("family"), person.family)
    given = person.given
    mark = style.options.get("initialize-with")
    if mark is not None and given_level < 2:
        given = initials(given, mark, hyphen=style.hyphen, whole=style.options.get("initialize") != "false")
    if person.family_first:
        long = style.form == "long" or given_level
        return _part(part.get("family"), person.family) + (_part(part.get("given"), person.given) if long else "")
    if style.form == "short" and not given_level:
        return _part(part.get("family"), person.family if _demoted(style) and style.sorting else person.whole_family)
    if style.form == "long" and _inverted(style, index):
        return _inverted_name(style, person, given)
    family = join_particle(person.dropping, person.whole_family)
    text = " ".join(filter(None, (_part(part.get("given"), given), _part(part.get("family"), family))))
    if person.suffix:
        text += (", " if person.comma_suffix else " ") + _suffix(style, person)
    return text


def _inverted_name(style: _NameStyle, person: Person, given: str) -> str:
    demoted = _demoted(style)
    family = person.family if demoted else person.whole_family
    rest = " ".join(filter(None, (given, person.dropping, person.non_dropping if demoted else "")))
    order = (_part(style.parts.get("family"), family), _part(style.parts.get("given"), rest), _suffix(style, person))
    return style.options.get("sort-separator", ", ").join(filter(None, order))


def _suffix(style: _NameStyle, person: Person) -> str:
    """Return the suffix, without its full stop if the style's initials have none."""
    return person.suffix if "." in style.options.get("initialize-with", ".") else person.suffix.rstrip(".")


def _demoted(style: _NameStyle) -> bool:
    return style.demote == "display-and-sort" or (style.demote == "sort-only" and style.sorting)


def _part(element: Any, text: str) -> str:
    if element is None or not text:
        return text
    text = change_case(text, element.get("text-case"), "")
    return add_affixes(element.attrib, apply_font(element.attrib, text))


def initials(given: str, mark: str, *, hyphen: bool = True, whole: bool = True) -> str:
    """Abbreviate given names; if not `whole`, only names that are initials already get the style's mark."""
    words = re.sub(r"\.(?=\S)", ". ", given).split()
    texts: list[str] = []
    for word in words:
        pieces = [piece for piece in re.split(r"[-‐–]", word) if piece]
        is_initial = all(piece[0].isupper() and (len(piece) == 1 or piece.endswith(".")) for piece in pieces)
        if not pieces or not pieces[0][0].isupper() or (not whole and not is_initial):
            texts.append(f" {word} ")
            continue
        abbreviated = [_initials_of(piece, mark) for piece in pieces if piece[0].isupper()]
        texts.append(("-" if hyphen else "").join(abbreviated) + mark[len(mark.rstrip()) :])
    return re.sub(r"\s+", " ", "".join(texts)).strip()


def _initials_of(piece: str, mark: str) -> str:
    """Return the initials of one name: "Ph." stays unchanged, "ME" are two."""
    bare = piece.rstrip(".")
    if piece.endswith(".") and len(bare) <= 3:
        return bare + mark.rstrip()
    several = bare.isupper() and len(bare) in (2, 3)
    return mark.join(bare if several else bare[:1]) + mark.rstrip()
