"""What the catalog says of works: some as BibTeX or CSL-JSON to copy, and what all of a project can be filtered by."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import asdict
from typing import Any

from citeloom.bibliography.bibtex.writer import to_bibtex
from citeloom.bibliography.csl_json import to_csl_json
from citeloom.bibliography.export import check_form
from citeloom.catalog import Catalog
from citeloom.catalog.facets import MOST_VALUES, Facets
from citeloom.catalog.projects import Project
from citeloom.evidence.works import Works
from citeloom.index.base import Collection
from citeloom.index.filters import SECTION_SEPARATOR, section_keys

FORMATS = ("bibtex", "csl-json")

_MOST_PATHS = 100_000  # of headings that are looked through for their outermost ones


class Records:
    """Gives back what is known of works."""

    def __init__(self, catalog: Catalog, open_collection: Callable[[Project], Collection], works: Works) -> None:
        self._works = works
        self._collection = open_collection
        self._facets = Facets(catalog.db)

    def record(self, project: Project, citekey: str, form: str) -> dict[str, Any]:
        """A work's record, by its citekey or one that it had before."""
        check_form(form, FORMATS)
        work = self._works.get(project, citekey)
        text = to_bibtex(work.csl, work.citekey) if form == "bibtex" else to_csl_json([work.csl])
        return {"text": text, "citekey": work.citekey, "renamed_from": work.renamed_from}

    def facets(self, project: Project) -> dict[str, Any]:
        """What a project's searchable documents can be filtered by, most frequent first."""
        return {**asdict(self._facets.of(project.id)), "sections": _sections(self._collection(project))}


def _sections(collection: Collection) -> list[str]:
    """The outermost headings as `section_prefix` compares them: small letters, without their numbers."""
    counts: Counter[str] = Counter()
    for path, passages in collection.values("section_keys", _MOST_PATHS).items():
        top = path.split(SECTION_SEPARATOR, 1)[0]
        if section_keys([top]) == [top]:  # a numbered heading stands there without its number too
            counts[top] += passages
    return [name for name, _ in counts.most_common(MOST_VALUES)]
