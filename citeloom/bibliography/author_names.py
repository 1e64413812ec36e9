"""Reads the names of authors as people and agents write them: CSL names, "Family, Given" or "Given Family"."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from citeloom.bibliography.csl_json import person
from citeloom.core.metadata import invalid_field

_BETWEEN = re.compile(r"\s*;\s*|\s+and\s+|\s+&\s+")
_SUFFIX = re.compile(r"(?:jr|sr)\.?|I{2,3}|IV", re.IGNORECASE)
_FAMILY_FIRST = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")  # Chinese, Japanese and Korean names
_MAX_COMMAS = 2  # Family, Given, Suffix


def author_names(value: Any) -> list[str] | None:
    """Return names as records have them ("Family, Given"), from a name or a list of names; None if one is no name."""
    values = value if isinstance(value, list | tuple) else [value]
    names: list[str] = []
    for one in values:
        found = _names(one) if isinstance(one, str) else _csl_name(one)
        if not found:
            return None
        names += found
    return names


def checked_author_names(value: Any, field: str) -> list[str]:
    """Return names as records have them, or raise INVALID_INPUT that names the field."""
    names = author_names(value)
    if names is None:
        raise invalid_field(
            field,
            f"is {str(value)[:80]!r}",
            'Give a list of names, each {"family": "Smith", "given": "Jo"}, "Smith, Jo" or "Jo Smith";'
            ' an organization is {"literal": "World Health Organization"}.',
        )
    return names


def _csl_name(value: Any) -> list[str]:
    if not isinstance(value, Mapping) or not any(value.get(part) for part in ("family", "literal")):
        return []
    if any(not isinstance(part, str) for key, part in value.items() if key in ("family", "given", "literal", "suffix")):
        return []
    name = person(value)
    return [name] if name else []


def _names(text: str) -> list[str]:
    """Return the names in a text, which may be joined by "and" or semicolons; none if one of them is no name."""
    names = [" ".join(part.split()) for part in _BETWEEN.split(text.strip())]
    if any(name.count(",") > _MAX_COMMAS or not name.strip(" ,") for name in names):
        return []
    return [name if "," in name else _family_first(name) for name in names]


def _family_first(name: str) -> str:
    """Return "Family, Given" of a name in its natural order; a particle in lower case begins the family name."""
    if name.startswith("{") and name.endswith("}"):  # as BibTeX marks the name of an organization
        return name[1:-1].strip()
    words = name.split()
    if _FAMILY_FIRST.search(name):
        return ", ".join(filter(None, (words[0], " ".join(words[1:]))))
    suffix = [words.pop()] if len(words) > 2 and _SUFFIX.fullmatch(words[-1]) else []
    first = 0 if len(words) > 2 else 1  # a name of two words has a given name
    particles = (number for number, word in enumerate(words[:-1]) if number >= first and word[0].islower())
    family = next(particles, len(words) - 1)
    parts = (" ".join(words[family:]), " ".join(words[:family]), *suffix)
    return ", ".join(part for part in parts if part)
