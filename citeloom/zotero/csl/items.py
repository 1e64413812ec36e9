"""Converts Zotero items to CSL-JSON.

As in Zotero's export, with four differences: years are numbers; "c. 1999" is circa, not a season called "c"; lines of
Extra become variables; the day of access is the stored one, whatever this machine's time zone.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from citeloom.zotero.citekeys import own_citekey, without_key_line
from citeloom.zotero.csl.dates import to_csl_date
from citeloom.zotero.csl.fields import (
    BASE_FIELDS,
    CSL_TYPES,
    DATE_VARIABLES,
    DATES,
    NAME_VARIABLES,
    NAMES,
    PERFORMED,
    TEXTS,
    TYPES,
    VARIABLES,
    folded,
)
from citeloom.zotero.notes import first_line, printable
from citeloom.zotero.types import Item

_ISBN = re.compile(r"(?:97[89][- ]?)?(?:\d[- ]?){9}[\dxX](?![-\d])")
_PARTICLE = re.compile(r"[^ ]+[-ʻ’' ] *(?=.)")
_LINE = re.compile(r"([A-Za-z][A-Za-z _\-]*):(.*)")
_LINE_IN_BRACES = re.compile(r"\{:([A-Za-z_\-]+):([^{}]*)\}")


def to_csl(item: Item) -> dict[str, Any]:
    """Return the item as CSL-JSON without empty values; `id` is set only for an item with a citation key."""
    csl: dict[str, Any] = {}
    if key := own_citekey(item):
        csl["id"] = csl["citation-key"] = key
    csl["type"] = TYPES.get(item.type, "document")
    fields = _fields(item)
    csl.update(_texts(item.type, fields))
    if item.type == "note" and (title := first_line(_text(item.data.get("note")))):
        csl["title"] = title
    csl.update(_names(item.data.get("creators")))
    for variable, field in DATES.items():
        if text := fields.get(field):
            csl[variable] = to_csl_date(text)
    _add_extra(csl, without_key_line(_text(item.data.get("extra"))))
    return csl


def _text(value: object) -> str:
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return ""
    return printable(str(value)).strip()


def _fields(item: Item) -> dict[str, str]:
    """Return the item's texts by base field."""
    texts = {field: text for field, value in item.data.items() if (text := _text(value))}
    return {BASE_FIELDS[field]: text for field, text in texts.items() if field in BASE_FIELDS} | texts


def _texts(item_type: str, fields: Mapping[str, str]) -> dict[str, str]:
    found: dict[str, str] = {}
    for variable, names in TEXTS.items():
        if text := next((fields[name] for name in names if name in fields), ""):
            found[variable] = _unquoted(text)
    if "ISBN" in found and (first := _ISBN.match(found["ISBN"])):
        found["ISBN"] = first[0]
    if item_type in PERFORMED and "publisher-place" in found:
        found["event-place"] = found.pop("publisher-place")
    return found


def _unquoted(text: str) -> str:
    """Remove quotation marks around a whole value, which mark it as literal."""
    return text[1:-1] if len(text) > 2 and text[0] == '"' and text.find('"', 1) == len(text) - 1 else text


def _names(creators: object) -> dict[str, list[dict[str, Any]]]:
    found: dict[str, list[dict[str, Any]]] = {}
    for creator in creators if isinstance(creators, list) else ():
        if not isinstance(creator, Mapping):
            continue
        variable = NAMES.get(_text(creator.get("creatorType")))
        name = _name(*(_text(creator.get(part)) for part in ("name", "lastName", "firstName")))
        if variable and name:
            found.setdefault(variable, []).append(name)
    return found


def _name(literal: str, family: str, given: str) -> dict[str, Any]:
    if literal:
        return {"literal": literal}
    if not family or not given:
        return {part: text for part, text in (("family", family), ("given", given)) if text}
    if len(family) > 2 and family[0] == family[-1] == '"':
        return {"family": family[1:-1], "given": given}
    particle_end = 0
    while (match := _PARTICLE.match(family, particle_end)) and _is_particle(match[0]):
        particle_end = match.end()
    given, _, suffix = (part.strip() for part in given.partition(","))
    words = given.split(" ")
    first_dropped = len(words)
    while first_dropped > 1 and _is_particle(words[first_dropped - 1]):
        first_dropped -= 1
    name: dict[str, Any] = {
        "family": family[particle_end:],
        "given": " ".join(words[:first_dropped]).strip(),
        "non-dropping-particle": family[:particle_end].strip(),
        "dropping-particle": " ".join(words[first_dropped:]).strip(),
        "suffix": suffix.removeprefix("!").strip(),
    }
    if suffix.startswith("!"):  # "Martin Luther,! Jr." is printed with its comma
        name["comma-suffix"] = True
    return {part: value for part, value in name.items() if value}


def _is_particle(word: str) -> bool:
    first = word.lstrip("-'ʻ’ ")[:1]
    return first != first.upper()


def _add_extra(csl: dict[str, Any], extra: str) -> None:
    """Move lines of Extra that name a variable into the record; the others become its note.

    As in Zotero's own citations, a type or date in Extra wins over the item's field, anything else fills a gap.
    """
    remaining: list[str] = []
    names: dict[str, list[dict[str, Any]]] = {}
    for line in _LINE_IN_BRACES.sub(_on_its_own_line, extra).splitlines():
        match = _LINE.fullmatch(line.strip())
        variable = VARIABLES.get(folded(match[1])) if match else None
        value = match[2].strip() if match else ""
        if variable == "type":
            value = TYPES.get(value, value)
        if not variable or not value or (variable == "type" and value not in CSL_TYPES):
            remaining.append(line)
        elif variable in DATE_VARIABLES:
            csl[variable] = to_csl_date(value)
        elif variable == "type":
            csl["type"] = value
        elif variable in csl:
            remaining.append(line)
        elif variable in NAME_VARIABLES:
            names.setdefault(variable, []).append(_name_in_extra(value))
        else:
            csl[variable] = _unquoted(value)
    csl.update(names)
    if note := re.sub(r"\n{3,}", "\n\n", "\n".join(remaining)).strip():
        csl["note"] = note


def _on_its_own_line(match: re.Match[str]) -> str:
    return f"\n{match[1]}:{match[2]}\n" if folded(match[1]) in VARIABLES else match[0]


def _name_in_extra(value: str) -> dict[str, Any]:
    family, parted, given = (part.strip() for part in value.partition("||"))
    return _name("", family, given) if parted and (family or given) else {"literal": value}
