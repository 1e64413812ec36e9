"""What a field of a Word document says: Zotero keeps its citations in them, as CSL-JSON."""

from __future__ import annotations

import json
import re
from enum import Enum
from typing import Any

from citeloom.evidence.manuscripts.locators import parse_locator
from citeloom.evidence.manuscripts.types import Citation, Span

_CITATION = re.compile(r"\s*+ADDIN\s++ZOTERO_ITEM\b")
_BIBLIOGRAPHY = re.compile(r"\s*+(?:ADDIN\s++ZOTERO_BIBL|BIBLIOGRAPHY\b|TOC\b|INDEX\b)")
_OTHER_PROGRAM = re.compile(
    r"\s*+(?:ADDIN\s++(EN\.CITE(?!\.DATA)|CSL_CITATION|Mendeley|CitaviPlaceholder|RW\.CITE)|(CITATION)\b)"
)
_PROGRAMS = {
    "EN.CITE": "EndNote", "CSL_CITATION": "Mendeley", "Mendeley": "Mendeley", "CitaviPlaceholder": "Citavi",
    "RW.CITE": "RefWorks", "CITATION": "Word itself",
}  # fmt: skip
_ITEM = re.compile(r"/items/([A-Z0-9]{8})/?\Z")
_NOWHERE = Span(0, 0)


class Kind(Enum):
    """What the shown text of a field is to the reader."""

    CITATION = "citation"
    HIDDEN = "hidden"  # made by Word or Zotero: a bibliography, a table of contents
    SHOWN = "shown"


def kind_of(code: str) -> Kind:
    """What a field with this code is."""
    if _CITATION.match(code):
        return Kind.CITATION
    return Kind.HIDDEN if _BIBLIOGRAPHY.match(code) else Kind.SHOWN


def other_program(code: str) -> str | None:
    """The program other than Zotero that made a citation, if one did."""
    found = _OTHER_PROGRAM.match(code)
    return _PROGRAMS[found[1] or found[2]] if found else None


def citations_in(code: str, group: int) -> tuple[Citation, ...]:
    """The works that a Zotero field cites; none if the field is broken."""
    start = code.find("{")
    if start < 0:
        return ()
    try:
        said, _ = json.JSONDecoder().raw_decode(code, start)
    except (ValueError, RecursionError):
        return ()
    items = said.get("citationItems") if isinstance(said, dict) else None
    return (
        tuple(_citation(item, group) for item in items or () if isinstance(item, dict))
        if isinstance(items, list)
        else ()
    )


def _citation(item: dict[str, Any], group: int) -> Citation:
    data = item.get("itemData")
    data = data if isinstance(data, dict) else {}
    uris = [uri for name in ("uris", "uri") for uri in _texts(item.get(name))]
    items = tuple(dict.fromkeys(found[1] for uri in uris if (found := _ITEM.search(uri))))
    written, label = _text(item.get("locator")), _text(item.get("label")) or "page"
    locator = parse_locator(written) if label == "page" else None
    return Citation(
        _text(data.get("citation-key")) or next(iter(items), "") or _text(data.get("title")) or _text(item.get("id")),
        _NOWHERE,
        group,
        prefix=_text(item.get("prefix")),
        locator=written if locator or not written else f"{label} {written}",
        pages=locator.pages if locator else None,
        suffix=_text(item.get("suffix")),
        suppress_author=item.get("suppress-author") is True,
        in_text=item.get("author-only") is True,
        zotero_items=items,
        doi=_text(data.get("DOI")),
        title=_text(data.get("title")),
    )


def _text(value: object) -> str:
    return " ".join(str(value).split()) if isinstance(value, str | int) and not isinstance(value, bool) else ""


def _texts(value: object) -> list[str]:
    return [uri for uri in (value if isinstance(value, list) else [value]) if isinstance(uri, str)]
