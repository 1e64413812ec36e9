"""Formats CSL names for BibTeX and biblatex, so that their parts are parsed correctly. Used by the BibTeX writer."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping

from citeloom.bibliography.bibtex.unicode_to_latex import LatexEncoder
from citeloom.bibliography.csl_json import text_of, with_particle


def format_names(names: object, latex: LatexEncoder) -> str:
    """Format a list of CSL names, joined by "and"."""
    return " and ".join(filter(None, (_name(name, latex) for name in (names if isinstance(names, list) else ()))))


def has_particles(names: object) -> bool:
    """Whether any name has a non-dropping particle, as in "van der Berg"."""
    people = names if isinstance(names, list) else ()
    return any(isinstance(name, Mapping) and text_of(name.get("non-dropping-particle")) for name in people)


def _name(person: object, latex: LatexEncoder) -> str:
    if not isinstance(person, Mapping):
        return _in_braces(text_of(person), latex)
    if literal := text_of(person.get("literal")):
        return _in_braces(literal, latex)
    parts = ("non-dropping-particle", "family", "given", "dropping-particle", "suffix")
    particle, family, given, dropped, suffix = (text_of(person.get(part)) for part in parts)
    cited = with_particle(particle, family)
    if not cited.startswith(f"{particle} "):  # BibTeX would take d' for a separate name
        particle, family = "", cited
    given = f"{given} {dropped}".strip()
    if not family or not given:
        return _in_braces(", ".join(filter(None, (cited, given, suffix))), latex)
    # BibTeX takes everything up to a lower-case word for a particle: "Ortega y Gasset" must stay one name.
    last = _in_braces(family, latex) if any(map(_is_lower_case, family.split())) else _part(family, latex)
    last = f"{_part(particle, latex)} {last}" if particle else last
    return ", ".join(filter(None, (last, _part(suffix, latex), _part(given, latex))))


def _is_lower_case(word: str) -> bool:
    first = next((letter for letter in word if letter.isalpha()), "")
    return first.islower()


def _part(text: str, latex: LatexEncoder) -> str:
    """Encode a part of a name, in braces if BibTeX would interpret something in it, such as a comma or "and"."""
    plain = all(letter.isalpha() or unicodedata.combining(letter) or letter in " .'’-‐" for letter in text)
    return latex.text(text) if plain and "and" not in text.lower().split() else _in_braces(text, latex)


def _in_braces(text: str, latex: LatexEncoder) -> str:
    return f"{{{latex.text(text)}}}" if text else ""
