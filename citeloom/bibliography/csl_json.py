"""Converts CSL-JSON items, as any reference manager exports them, to records."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from typing import Any
from urllib.parse import unquote

from citeloom.bibliography.file_field import parse_file_field
from citeloom.core.text.sanitize import clean
from citeloom.core.types import Record

Item = Mapping[str, Any]

_FILES = ("file", "files", "attachments")
_MARKUP = re.compile(r"</?(?:i|b|sc|sub|sup|nc|span)\b[^<>]*>", re.IGNORECASE)
_RESOLVER = re.compile(r"^(?:(?:https?://)?(?:dx\.|www\.)?doi\.org/|doi:?\s*)+", re.IGNORECASE)
_YEAR = re.compile(r"(?<!\d)\d{4}(?!\d)")
_DASHES = re.compile(r"\s*[‐‑‒–—−-]+\s*")
_ZOTERO_URI = re.compile(r"https?://(?:www\.)?zotero\.org/.+/items/", re.IGNORECASE)


def record_from_csl(item: Item, files: tuple[str, ...] | None = None) -> Record:
    """Convert a CSL-JSON item to a record; the citekey is empty if the item has none."""
    citekey = clean(citekey_of(item))  # the same text that agents and manuscripts were shown
    return Record(
        citekey=citekey,
        title=text_of(_MARKUP.sub("", text_of(item.get("title")))),
        authors=_people(item.get("author")) or _people(item.get("editor")),
        year=year_of(item.get("issued")),
        doi=_doi_of(item),
        url=text_of(item.get("URL")) or None,
        item_type=text_of(item.get("type")) or "document",
        tags=tags_of(item.get("keyword")),
        page_range=_DASHES.sub("-", text_of(item.get("page"))) or None,
        language=text_of(item.get("language")) or None,
        files=_files(item) if files is None else files,
        csl={**item, "id": citekey} if citekey else dict(item),
    )


def to_csl_json(items: Iterable[Item], *, ascii_only: bool = False) -> str:
    """Serialize items as a CSL-JSON file, without the paths of files on this machine."""
    shared = [{name: value for name, value in item.items() if name not in _FILES} for item in items]
    return json.dumps(shared, ensure_ascii=ascii_only, indent=2) + "\n"


def citekey_of(item: Item) -> str:
    """Return the item's citekey; an id that is a Zotero URI is not one."""
    if key := text_of(item.get("citation-key")):
        return key
    identifier = text_of(item.get("id"))
    if identifier and not _ZOTERO_URI.match(identifier):
        return identifier
    return _from_note(item, "citation key")


def text_of(value: object) -> str:
    """Return a value as one line of text; some exporters wrap single values in lists."""
    if isinstance(value, list):
        value = value[0] if value else ""
    if isinstance(value, bool) or not isinstance(value, (str, int, float)):
        return ""
    return " ".join(str(value).split())


def normalise_doi(value: str) -> str | None:
    """Return a DOI in lower case without its resolver, or None if the value is not a DOI."""
    doi = unquote(_RESOLVER.sub("", value.strip())).strip().rstrip(".,;").lower()
    return doi if re.match(r"10\.\d{2,9}(?:\.\d+)*/\S", doi) else None


def year_of(issued: object) -> int | None:
    """Return the year of a CSL date: date-parts of strings or numbers, else its text."""
    if isinstance(issued, Mapping):
        parts = issued.get("date-parts")
        while isinstance(parts, list) and parts:
            parts = parts[0]
        if (year := _year_in(text_of(parts))) is not None:
            return year
        return next((y for k in ("raw", "literal", "year") if (y := _year_in(text_of(issued.get(k))))), None)
    return _year_in(text_of(issued))


def tags_of(keyword: object) -> tuple[str, ...]:
    """Return the distinct tags of a keyword value, which separates them by commas or semicolons."""
    words = keyword if isinstance(keyword, list) else re.split(r"[,;]", text_of(keyword))
    return tuple(dict.fromkeys(tag for word in words if (tag := clean(text_of(word)))))


def _year_in(text: str) -> int | None:
    if re.fullmatch(r"-?\d{1,4}", text):
        return int(text)
    match = _YEAR.search(text)
    return int(match[0]) if match else None


def with_particle(particle: str, family: str) -> str:
    """Join a particle and a family name: van der Berg, d'Alembert, al-Ghazali."""
    joint = "" if particle.endswith(("'", "’", "-", "‐")) else " "
    return f"{particle}{joint}{family}" if particle and family else particle or family


def _people(names: object) -> tuple[str, ...]:
    found = (person(name) for name in names) if isinstance(names, list) else ()
    return tuple(name for name in found if name)


def person(name: object) -> str:
    """Return a CSL name as records have it: "Family, Given", or its literal."""
    if not isinstance(name, Mapping):
        return text_of(name)
    if literal := text_of(name.get("literal")):
        return literal
    family, given = text_of(name.get("family")), text_of(name.get("given"))
    # A non-dropping particle is part of the name one is sorted and cited by; a dropping one is not.
    family = with_particle(text_of(name.get("non-dropping-particle")), family)
    given = " ".join(part for part in (given, text_of(name.get("dropping-particle"))) if part)
    return ", ".join(part for part in (family, given, text_of(name.get("suffix"))) if part)


def _doi_of(item: Item) -> str | None:
    # Zotero has no DOI field for some types and stores the DOI in Extra, which CSL-JSON calls note.
    doi = text_of(item.get("DOI")) or _from_note(item, "doi")
    if not doi and "doi.org/" in (url := text_of(item.get("URL"))):
        doi = url
    return normalise_doi(doi)


def _from_note(item: Item, name: str) -> str:
    note = item.get("note")
    match = re.search(rf"^{name}\s*:\s*(\S+)", note, re.IGNORECASE | re.MULTILINE) if isinstance(note, str) else None
    return match[1] if match else ""


def _files(item: Item) -> tuple[str, ...]:
    paths: list[str] = []
    for name in _FILES:
        value = item.get(name)
        if isinstance(value, str):
            paths += parse_file_field(value)
        for attachment in value if isinstance(value, list) else ():
            path: object = attachment
            if isinstance(attachment, Mapping):
                path = next((attachment[k] for k in ("path", "localPath", "file") if attachment.get(k)), "")
            if isinstance(path, str) and path.strip():
                paths.append(path.strip())
    return tuple(dict.fromkeys(paths))
