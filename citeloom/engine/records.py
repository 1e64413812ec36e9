"""What the catalog says of works: one as BibTeX or CSL-JSON to copy, and what all of a project can be filtered by."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from dataclasses import asdict
from typing import Any

from citeloom.bibliography.bibtex_out import to_bibtex
from citeloom.bibliography.csl import record_from_csl
from citeloom.errors import CiteLoomError, Code
from citeloom.index.edge import EdgeCollection
from citeloom.index.filters import SECTION_SEPARATOR, section_keys
from citeloom.store import Catalog, Document, Project
from citeloom.store.facets import MOST_VALUES, Facets

FORMATS = ("bibtex", "csl-json")

_MOST_PATHS = 100_000  # of headings that are looked through for their outermost ones


class Records:
    """Gives back what is known of works."""

    def __init__(self, catalog: Catalog, open_collection: Callable[[Project], EdgeCollection]) -> None:
        self._catalog = catalog
        self._collection = open_collection
        self._facets = Facets(catalog.db)

    def record(self, project: Project, citekey: str, form: str) -> dict[str, str]:
        """A work's record, by its citekey or one that it had before."""
        if form not in FORMATS:
            raise CiteLoomError(
                Code.INVALID_INPUT,
                f"There is no format '{form[:60]}'.",
                f"It can be: {', '.join(FORMATS)}.",
                valid=list(FORMATS),
            )
        now = self._catalog.aliases.current(project.id, citekey)
        document = self._catalog.documents.get(project.id, None, now or citekey)
        csl = csl_of(document)
        if form == "bibtex":
            return {"text": to_bibtex(csl, document.citekey)}
        # A list of one is a CSL-JSON file that any reference manager imports.
        return {"text": json.dumps([csl], ensure_ascii=False, indent=2) + "\n"}

    def facets(self, project: Project) -> dict[str, Any]:
        """What a project's searchable documents can be filtered by, most frequent first."""
        return {**asdict(self._facets.of(project.id)), "sections": _sections(self._collection(project))}


def _sections(collection: EdgeCollection) -> list[str]:
    """The outermost headings as `section_prefix` compares them: small letters, without their numbers."""
    counts: Counter[str] = Counter()
    for path, passages in collection.values("section_keys", _MOST_PATHS).items():
        top = path.split(SECTION_SEPARATOR, 1)[0]
        if section_keys([top]) == [top]:  # a numbered heading stands there without its number too
            counts[top] += passages
    return [name for name, _ in counts.most_common(MOST_VALUES)]


def csl_of(document: Document) -> dict[str, Any]:
    """A document's work as CSL-JSON: its record, and where that is silent or was corrected, what the document says."""
    known = document.record
    csl: dict[str, Any] = dict(known.get("csl") or {})
    said = record_from_csl(csl, files=())
    if document.title and document.title != said.title:
        csl["title"] = document.title
    if (authors := known.get("authors")) and authors != list(said.authors):
        csl["author"] = [_person(name) for name in authors]
    if (year := known.get("year")) is not None and year != said.year:
        csl["issued"] = {"date-parts": [[year]]}
    for name, variable in (("doi", "DOI"), ("url", "URL"), ("item_type", "type"), ("language", "language")):
        if (value := known.get(name)) and value != getattr(said, name):
            csl[variable] = value
    if (tags := known.get("tags")) and tags != list(said.tags):
        csl["keyword"] = ", ".join(tags)
    return {"type": "document", **csl, "id": document.citekey, "citation-key": document.citekey}


def _person(name: str) -> dict[str, str]:
    family, comma, given = (part.strip() for part in name.partition(","))
    return {"family": family, "given": given} if comma and family and given else {"literal": name}
