"""Converts CSL-JSON records to the processor's items. Invalid values are ignored or repaired; nothing here raises."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from citeloom.csl.dates import DateValue, read_date
from citeloom.csl.text.markup import plain, read_line, read_rich
from citeloom.csl.vocabulary import DATES, NAMES, NOTE_VARIABLES, TYPES, VERBATIM

_SHORT_NAMES = {"journalAbbreviation": "container-title-short", "shortTitle": "title-short", "event": "event-title"}
_LANGUAGES = {"english": "en", "eng": "en", "german": "de", "deutsch": "de", "ger": "de", "deu": "de", "french": "fr"}
_EDITION_WORDS = ["first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth"]
_EDITION = re.compile(r"(\d{1,3})(?:st|nd|rd|th|\.)?\s*(?:ed(?:ition|n)?|aufl(?:age)?)?\.?", re.IGNORECASE)
_DOI = re.compile(r"(?:https?://(?:dx\.)?doi\.org/|doi:\s*)", re.IGNORECASE)
_MAX_NOTE = 5_000  # characters of a note that are searched for variables
_JOINED_PARTICLE = re.compile(r"([^\W\d_]{1,4}[’-])(?=(\w))")  # d’Alembert, al-Khalili


def join_particle(particle: str, name: str) -> str:
    """Join a particle and a name, without a space after an apostrophe or hyphen."""
    return particle + name if particle.endswith(("’", "-")) else f"{particle} {name}".strip()


@dataclass(frozen=True, slots=True)
class Person:
    """A name in its parts; an institution is `literal` and has only a family name."""

    family: str = ""
    given: str = ""
    dropping: str = ""
    non_dropping: str = ""
    suffix: str = ""
    comma_suffix: bool = False
    literal: bool = False

    @property
    def whole_family(self) -> str:
        """The family name with its particle: van Gogh, d’Alembert."""
        return join_particle(self.non_dropping, self.family)

    @property
    def family_first(self) -> bool:
        """Whether the name is in a script that puts the family name first, without a space."""
        return any(
            unicodedata.name(c, "").startswith(("CJK", "HANGUL", "HIRAGANA", "KATAKANA")) for c in self.family[:1]
        )


@dataclass(frozen=True, slots=True)
class CslItem:
    """A record prepared for rendering: marked texts, and names and dates in their parts."""

    key: str
    type: str
    fields: Mapping[str, str]
    names: Mapping[str, tuple[Person, ...]]
    dates: Mapping[str, DateValue]

    def has(self, variable: str) -> bool:
        """Whether a variable has a value."""
        if variable == "page-first":
            variable = "page"
        return variable in self.fields or variable in self.names or variable in self.dates

    @property
    def label(self) -> str:
        """The citation label of alphabetic styles: Doe65, RoNo78."""
        own = self.fields.get("citation-label", "")
        if own:
            return own
        people = next(iter(self.names.values()), ())[:4]
        letters = {1: (4,), 2: (2, 2), 3: (2, 1, 1)}.get(len(people), (1, 1, 1, 1))
        names = "".join(person.family[:count] for person, count in zip(people, letters, strict=False))
        issued = self.dates.get("issued")
        year = f"{abs(issued.begin.year) % 100:02}" if issued and issued.begin else ""
        return (names or plain(self.fields.get("title", ""))[:4]) + year


def read_item(record: Mapping[str, Any], quotes: tuple[str, str]) -> CslItem:
    """Convert a CSL-JSON record; `quotes` are the opening quotation marks of the locale, outer and inner."""
    fields: dict[str, str] = {}
    names: dict[str, tuple[Person, ...]] = {}
    dates: dict[str, DateValue] = {}
    for name, value in _with_note(record).items():
        variable = _SHORT_NAMES.get(name, name)
        if variable in NAMES:
            listed = value if isinstance(value, list | tuple) else [value]
            people = tuple(person for person in map(_read_name, listed) if person is not None)
            if people:
                names[variable] = people
        elif variable in DATES:
            date = read_date(value)
            if date is not None:
                dates[variable] = date
        elif variable not in ("id", "type") and isinstance(value, str | int | float) and not isinstance(value, bool):
            text = read_line(str(value)) if variable in VERBATIM else read_rich(str(value), quotes)
            if text and not (name in _SHORT_NAMES and variable in fields):
                fields[variable] = text
    _normalize(fields)
    kind = str(record.get("type") or "")
    return CslItem(str(record.get("id", "")), kind if kind in TYPES else "document", fields, names, dates)


def _with_note(record: Mapping[str, Any]) -> dict[str, Any]:
    """Add the variables in the first lines of the note ("Original Date: 1923"), where Zotero stores fields it lacks."""
    own = {str(name): value for name, value in record.items() if value not in (None, "")}
    note = record.get("note")
    lines = note[:_MAX_NOTE].splitlines() if isinstance(note, str) else []
    found: dict[str, Any] = {}
    while lines:
        name, colon, value = lines[0].partition(":")
        variable = name.strip() if name.strip() in VERBATIM else name.strip().lower().replace(" ", "-")
        if not colon or variable not in NOTE_VARIABLES:
            break
        if variable in NAMES:
            family, _, given = value.partition("||")
            person = {"family": family.strip(), "given": given.strip()} if given else {"literal": family.strip()}
            found.setdefault(variable, []).append(person)
        else:
            found.setdefault(variable, value.strip())
        lines.pop(0)
    return {**found, **own, "note": "\n".join(lines)} if found else own


def _normalize(fields: dict[str, str]) -> None:
    doi = fields.get("DOI", "")
    url = fields.get("URL", "")
    if doi:
        fields["DOI"] = doi = _DOI.sub("", doi, count=1)
    if "doi.org/10." in url.lower():
        of_url = re.split(r"doi\.org/", url, maxsplit=1, flags=re.IGNORECASE)[1]
        if not doi:
            fields["DOI"] = of_url
        if not doi or of_url.lower() == doi.lower():
            del fields["URL"]  # the same address as the DOI: shown once
    if "edition" in fields:
        fields["edition"] = _edition(fields["edition"])
    if "language" in fields:
        language = re.split(r"[-_;, ]", fields["language"].lower(), maxsplit=1)[0]
        fields["language"] = _LANGUAGES.get(language, language[:2])
    if "event-title" in fields:
        fields["event"] = fields["event-title"]  # the name in older styles


def _edition(text: str) -> str:
    number = _EDITION.fullmatch(text)
    if number:
        return number.group(1)
    word = text.lower().removesuffix("edition").removesuffix("ed.").strip()
    return str(_EDITION_WORDS.index(word) + 1) if word in _EDITION_WORDS else text


def _read_name(value: Any) -> Person | None:
    if isinstance(value, str):
        family, comma, given = value.partition(",")
        value = {"family": family, "given": given} if comma else {"literal": value}
    if not isinstance(value, Mapping):
        return None
    part = {str(k): read_line(str(v)).replace("'", "’") for k, v in value.items() if isinstance(v, str | int)}
    family, given = part.get("family", ""), part.get("given", "")
    literal = part.get("literal", "")
    if literal or not family:
        return Person(family=literal or given, literal=True) if literal or given else None
    dropping, non_dropping = part.get("dropping-particle", ""), part.get("non-dropping-particle", "")
    suffix = part.get("suffix", "")
    comma_suffix = bool(value.get("comma-suffix"))
    if not suffix and "," in given:
        given, _, suffix = (piece.strip() for piece in given.partition(","))
        comma_suffix = suffix.startswith("!")
        suffix = suffix.removeprefix("!").strip()
    if len(family) > 1 and family[0] == family[-1] == '"':
        family = family.strip('"')  # in quotation marks a family name is not split
    elif not dropping and not non_dropping:
        non_dropping, family = _split_particle(family)
        given, dropping = _split_given(given)
    return Person(family, given, dropping, non_dropping, suffix, comma_suffix)


def _split_particle(family: str) -> tuple[str, str]:
    """Split lower-case particles from a family name: "van der", "Berg"."""
    words = family.split(" ")
    count = 0
    while count < len(words) - 1 and words[count][:1].islower():
        count += 1
    joined = _JOINED_PARTICLE.match(words[count])
    if joined and joined.group(1).islower() and joined.group(2).isupper():
        particle = " ".join([*words[:count], joined.group(1)])
        return particle, " ".join([words[count][joined.end() :], *words[count + 1 :]])
    return " ".join(words[:count]), " ".join(words[count:])


def _split_given(given: str) -> tuple[str, str]:
    """Split lower-case particles from the end of the given names: "Ludwig", "van"."""
    words = given.split(" ")
    count = len(words)
    while count > 1 and words[count - 1][:1].islower():
        count -= 1
    return " ".join(words[:count]), " ".join(words[count:])
