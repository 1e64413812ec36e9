"""What the catalog says of works: one as BibTeX or CSL-JSON to copy, and what all of a project can be filtered by."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from dataclasses import asdict
from typing import Any

from citeloom.bibliography.bibtex_out import to_bibtex
from citeloom.engine.works import csl_of
from citeloom.errors import CiteLoomError, Code
from citeloom.index.edge import EdgeCollection
from citeloom.index.filters import SECTION_SEPARATOR, section_keys
from citeloom.store import Catalog, Project
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
