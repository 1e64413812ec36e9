"""Converts parsed BibTeX and biblatex entries to CSL-JSON items. Used when a .bib file is loaded."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from bibtexparser.customization import splitname

from citeloom.bibliography.bibtex.dates import FIRST_SEASON, ISO_DATE
from citeloom.bibliography.bibtex.fields import csl_type_of
from citeloom.bibliography.bibtex.languages import tag_of
from citeloom.bibliography.bibtex.latex_to_unicode import to_unicode, unescape_verbatim
from citeloom.bibliography.bibtex.parser import MONTHS, Entry, closing_brace
from citeloom.bibliography.csl_json import tags_of

Fields = Mapping[str, str]

# CSL variables and the fields that may contain them; the first one that is present wins.
_PLAIN_FIELDS = {
    "publisher": ("publisher", "institution", "school", "organization"),
    "publisher-place": ("location", "address"),
    "collection-title": ("series",),
    "volume": ("volume",),
    "edition": ("edition",),
    "abstract": ("abstract",),
    "event-title": ("eventtitle",),
    "genre": ("type",),
    "note": ("note",),
    "title-short": ("shorttitle",),
    "chapter-number": ("chapter",),
}
_VERBATIM_FIELDS = {"DOI": "doi", "URL": "url", "ISBN": "isbn", "ISSN": "issn"}
_ONLINE = ("online", "electronic", "www", "webpage")
_INHERITED = (
    "editor", "publisher", "year", "date", "month", "location", "address", "series", "volume", "isbn", "url",
)  # fmt: skip
_EXTENDED_NAME = re.compile(r"\s*(?:family|given|prefix|suffix)(?:-i)?\s*=", re.IGNORECASE)


def csl_from_entry(entry: Entry, parents: Mapping[str, Entry]) -> dict[str, Any]:
    """Convert an entry to a CSL-JSON item; missing fields are inherited from its `crossref` entry."""
    fields = _with_inherited(entry, parents)
    if entry.kind in _ONLINE:  # its organization is the site that publishes it
        fields = {"booktitle": fields.get("organization", ""), **fields, "organization": ""}
    item: dict[str, Any] = {"id": entry.key} if entry.key else {}
    item["type"] = csl_type_of(entry.kind, _text(fields, "entrysubtype"))
    item["title"] = _title(fields, "title", "subtitle")
    item["container-title"] = (
        _title(fields, "journaltitle", "journalsubtitle")
        or _title(fields, "journal", "")
        or _title(fields, "booktitle", "booksubtitle")
    )
    for role in ("author", "editor", "translator"):
        item[role] = list(_people(fields.get(role, "")))
    item["issued"] = _issued(fields)
    for name, sources in _PLAIN_FIELDS.items():
        item[name] = next((text for source in sources if (text := _text(fields, source))), "")
    for name, source in _VERBATIM_FIELDS.items():
        item[name] = unescape_verbatim(fields.get(source, ""))
    is_article = entry.kind in ("article", "periodical", "suppperiodical")
    item["issue" if is_article else "number"] = _text(fields, "number") or _text(fields, "issue")
    item["page"] = re.sub(r"\s*[‐-―−-]+\s*", "-", _text(fields, "pages"))
    item["keyword"] = ", ".join(tags_of(_text(fields, "keywords") or _text(fields, "keyword")))
    language = _text(fields, "language") or _text(fields, "langid")
    item["language"] = tag_of(language)
    return {name: value for name, value in item.items() if value}


def _with_inherited(entry: Entry, parents: Mapping[str, Entry]) -> Fields:
    parent = parents.get(entry.fields.get("crossref", "").strip())
    if parent is None or parent is entry:
        return entry.fields
    inherited = {name: parent.fields[name] for name in _INHERITED if name in parent.fields}
    if "title" in parent.fields:
        inherited["booktitle"] = parent.fields["title"]
    if "date" in entry.fields or "year" in entry.fields:
        inherited.pop("date", None)
        inherited.pop("year", None)
    return {**inherited, **entry.fields}


def _text(fields: Fields, name: str) -> str:
    return _plain(fields.get(name, ""))


def _title(fields: Fields, name: str, subtitle_name: str) -> str:
    title, subtitle = _text(fields, name), _text(fields, subtitle_name)
    joint = " " if title.endswith(("?", "!", ":", ".")) else ": "
    return f"{title}{joint}{subtitle}" if title and subtitle else title


def _issued(fields: Fields) -> dict[str, Any]:
    date = _text(fields, "date")
    if spans := ISO_DATE.findall(date):
        days = [[int(part) for part in span if part] for span in spans[:2]]
        issued: dict[str, Any] = {"date-parts": [[_year(year), *rest] for year, *rest in days]}
        if len(days) == 1 and len(days[0]) == 2 and days[0][1] >= FIRST_SEASON:
            issued = {"date-parts": [[_year(days[0][0])]], "season": days[0][1] - FIRST_SEASON + 1}
        return {**issued, "circa": True} if "~" in fields["date"] else issued
    year = _text(fields, "year")
    if re.fullmatch(r"\d{4}", year):
        month = _month(_text(fields, "month"))
        return {"date-parts": [[int(year), month] if month else [int(year)]]}
    return {"literal": date or year} if date or year else {}


def _year(number: int) -> int:
    """Convert an ISO 8601 year to CSL, where 1 BCE is -1 and not 0."""
    return number if number > 0 else number - 1


def _month(text: str) -> int | None:
    if text.isdecimal():
        return int(text) if 1 <= int(text) <= 12 else None
    names = [name[:3].lower() for name in MONTHS]
    return names.index(text[:3].lower()) + 1 if text[:3].lower() in names else None


def _people(value: str) -> Iterator[dict[str, str]]:
    for name in _split_outside_braces(value, re.compile(r"\s+and\s+", re.IGNORECASE)):
        person = {part: text for part, raw in _name_parts(name).items() if (text := _plain(raw))}
        if person and name.strip().lower() != "others":
            yield person


def _name_parts(name: str) -> dict[str, str]:
    """Split a name into CSL's name parts, whose values are still LaTeX."""
    name = name.strip()
    if _EXTENDED_NAME.match(name):
        return _extended_name(name)
    if name.startswith("{") and _group_end(name) == len(name):
        return {"literal": name}
    try:
        parts: dict[str, list[str]] = splitname(name, strict_mode=False)  # type: ignore[no-untyped-call]
    except StopIteration:  # raised for a name that ends in a backslash
        return {"literal": name}
    family, given = " ".join(parts.get("last", ())), " ".join(parts.get("first", ()))
    if not given and "," not in name:
        return {"literal": name}
    particle, suffix = " ".join(parts.get("von", ())), " ".join(parts.get("jr", ()))
    return {"family": family, "given": given, "non-dropping-particle": particle, "suffix": suffix}


def _extended_name(name: str) -> dict[str, str]:
    """Parse a biblatex name such as `family=Berg, given=Jan, prefix=van der, useprefix=true`."""
    pairs = (part.partition("=") for part in _split_outside_braces(name, re.compile(",")))
    values = {key.strip().lower(): value.strip().strip('"') for key, _, value in pairs}
    particle = "non-dropping-particle" if values.get("useprefix", "") == "true" else "dropping-particle"
    named = {"family": "family", "given": "given", "suffix": "suffix", "prefix": particle}
    return {part: values[key] for key, part in named.items() if key in values}


def _plain(latex: str) -> str:
    return " ".join(to_unicode(latex).split())


def _split_outside_braces(text: str, separator: re.Pattern[str]) -> list[str]:
    text = " ".join(text.split())
    pieces, start, at = [], 0, 0
    while at < len(text):
        if text[at] == "{":
            at = _group_end(text, at)
        elif match := separator.match(text, at):
            pieces.append(text[start:at])
            start = at = match.end()
        else:
            at += 1
    return [piece for piece in (*pieces, text[start:]) if piece.strip()]


def _group_end(text: str, at: int = 0) -> int:
    """Return the position after the brace that closes the group at `at`."""
    end = closing_brace(text, at + 1)
    return end + 1 if end >= 0 else len(text)
