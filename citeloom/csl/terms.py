"""Locale data for a style: terms, date formats and options; those of the style override those of the locale."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from citeproc import LANGUAGE_NAMES, PRIMARY_DIALECTS
from citeproc.frontend import CitationStylesLocale

from citeloom.csl.vocabulary import NS

_LANG = "{http://www.w3.org/XML/1998/namespace}lang"
# The form that is used if one is missing.
_FALLBACK_FORMS = {"verb-short": "verb", "symbol": "short", "verb": "long", "short": "long"}


@dataclass(frozen=True, slots=True)
class Term:
    """A CSL term in singular and plural."""

    single: str
    multiple: str
    gender: str = ""
    match: str = ""


@dataclass(frozen=True, slots=True)
class DateFormat:
    """A localized date format."""

    parts: tuple[Mapping[str, str], ...]
    delimiter: str


@dataclass(slots=True)
class Terms:
    """The terms, date formats and options of a style in a locale."""

    locale: str
    terms: dict[tuple[str, str, str], Term] = field(default_factory=dict)  # by name, form and gender form
    dates: dict[str, DateFormat] = field(default_factory=dict)
    options: dict[str, str] = field(default_factory=dict)

    @property
    def quotes(self) -> tuple[str, str]:
        """The opening quotation marks of the locale, outer and inner."""
        return self.get("open-quote").strip() or "“", self.get("open-inner-quote").strip() or "‘"

    def find(self, name: str, form: str = "long", gender: str = "") -> Term | None:
        """Return a term, in the requested form or its fallback."""
        while True:
            found = self.terms.get((name, form, gender)) or self.terms.get((name, form, ""))
            if found is not None or form not in _FALLBACK_FORMS:
                return found
            form = _FALLBACK_FORMS[form]

    def get(self, name: str, form: str | None = None, *, plural: bool = False) -> str:
        """Return the text of a term; empty if there is none."""
        found = self.find(name, form or "long")
        if found is None:
            return ""
        return found.multiple if plural else found.single


def read_terms(style: Any, locale: str) -> Terms:
    """Read the terms of a style in a locale: the style's own, then the locale's, then American English."""
    common = _common_terms(locale)
    terms = Terms(locale, dict(common.terms), dict(common.dates), dict(common.options))
    own = [element for element in style if element.tag == f"{NS}locale"]
    for wanted in (None, locale.partition("-")[0], locale):
        for element in own:
            if element.get(_LANG) == wanted:
                _add(terms, element)
    return terms


@lru_cache(maxsize=8)
def _common_terms(locale: str) -> Terms:
    terms = Terms(locale)
    for name in dict.fromkeys(("en-US", PRIMARY_DIALECTS.get(locale.partition("-")[0], "en-US"), locale)):
        if name in LANGUAGE_NAMES:
            _add(terms, CitationStylesLocale(name, validate=False).root)  # type: ignore[no-untyped-call]
    return terms


def known_locale(name: str) -> str | None:
    """Return the name of the locale for "de", "de-at" or "DE_at"; None if there is none."""
    wanted = name.replace("_", "-").lower()
    spelled = {known.lower(): known for known in LANGUAGE_NAMES}
    found: str | None = spelled.get(wanted) or PRIMARY_DIALECTS.get(wanted.partition("-")[0])
    return found


def _add(terms: Terms, layer: Iterable[Any]) -> None:
    for element in layer:
        if element.tag == f"{NS}terms":
            listed = [term for term in element if term.tag == f"{NS}term"]
            if any(str(term.get("name")).startswith("ordinal") for term in listed):
                # Ordinals are replaced as a set: English "rd" must not fill a gap in French.
                terms.terms = {key: term for key, term in terms.terms.items() if not key[0].startswith("ordinal")}
            for term in listed:
                key = (term.get("name", ""), term.get("form", "long"), term.get("gender-form", ""))
                terms.terms[key] = _term(term)
        elif element.tag == f"{NS}date":
            parts = tuple(dict(part.attrib) for part in element if part.get("name"))
            terms.dates[element.get("form", "")] = DateFormat(parts, element.get("delimiter", ""))
        elif element.tag == f"{NS}style-options":
            terms.options.update(element.attrib)


def _term(element: Any) -> Term:
    one, many = element.find(f"{NS}single"), element.find(f"{NS}multiple")
    single = (element.text if one is None else one.text) or ""
    multiple = (element.text if many is None else many.text) or ""
    if one is None and many is None:
        multiple = single
    return Term(_clean_term(single), _clean_term(multiple), element.get("gender", ""), element.get("match", ""))


def _clean_term(text: str) -> str:
    return re.sub(r"(?<=\w)'(?=\w)", "’", text.strip("\n\t"))  # à l’adresse
