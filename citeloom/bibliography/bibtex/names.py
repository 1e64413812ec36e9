"""CSL's names as BibTeX and biblatex take them."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping

from citeloom.bibliography.bibtex.unicode_to_latex import Latex
from citeloom.bibliography.csl_json import text_of, with_particle


def people(names: object, latex: Latex) -> str:
    """Names joined by "and", each so that its parts are found again."""
    return " and ".join(filter(None, (_name(name, latex) for name in (names if isinstance(names, list) else ()))))


def has_particles(names: object) -> bool:
    """Whether a name is cited with a small word before it, as in "van der Berg"."""
    people = names if isinstance(names, list) else ()
    return any(isinstance(name, Mapping) and text_of(name.get("non-dropping-particle")) for name in people)


def _name(person: object, latex: Latex) -> str:
    if not isinstance(person, Mapping):
        return _grouped(text_of(person), latex)
    if literal := text_of(person.get("literal")):
        return _grouped(literal, latex)
    parts = ("non-dropping-particle", "family", "given", "dropping-particle", "suffix")
    particle, family, given, dropped, suffix = (text_of(person.get(part)) for part in parts)
    cited = with_particle(particle, family)
    if not cited.startswith(f"{particle} "):  # BibTeX would take d' for a name of its own
        particle, family = "", cited
    given = f"{given} {dropped}".strip()
    if not family or not given:
        return _grouped(", ".join(filter(None, (cited, given, suffix))), latex)
    # BibTeX takes all before a small word for a particle: "Ortega y Gasset" must stay one name.
    last = _grouped(family, latex) if any(map(_is_small, family.split())) else _part(family, latex)
    last = f"{_part(particle, latex)} {last}" if particle else last
    return ", ".join(filter(None, (last, _part(suffix, latex), _part(given, latex))))


def _is_small(word: str) -> bool:
    first = next((letter for letter in word if letter.isalpha()), "")
    return first.islower()


def _part(text: str, latex: Latex) -> str:
    """Part of a name, in braces where BibTeX would read a comma, an "and" or anything else into it."""
    plain = all(letter.isalpha() or unicodedata.combining(letter) or letter in " .'’-‐" for letter in text)
    return latex.text(text) if plain and "and" not in text.lower().split() else _grouped(text, latex)


def _grouped(text: str, latex: Latex) -> str:
    return f"{{{latex.text(text)}}}" if text else ""
