"""What the catalog says of works: some as BibTeX or CSL-JSON to copy, and what all of a project can be filtered by."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from citeloom.bibliography.bibtex_out import to_bibtex
from citeloom.bibliography.csl import to_csl_json
from citeloom.bibliography.library_out import check_form
from citeloom.engine.works import Works, csl_of
from citeloom.index.edge import EdgeCollection
from citeloom.index.filters import SECTION_SEPARATOR, section_keys
from citeloom.store import Catalog, Project
from citeloom.store.facets import MOST_VALUES, Facets

FORMATS = ("bibtex", "csl-json")

_MOST_PATHS = 100_000  # of headings that are looked through for their outermost ones


class Records:
    """Gives back what is known of works."""

    def __init__(
        self, catalog: Catalog, open_collection: Callable[[Project], EdgeCollection], works: Works | None = None
    ) -> None:
        self._catalog = catalog
        self._works = works or Works(catalog)
        self._collection = open_collection
        self._facets = Facets(catalog.db)

    def record(self, project: Project, citekey: str, form: str) -> dict[str, str]:
        """A work's record, by its citekey or one that it had before."""
        check_form(form, FORMATS)
        now = self._catalog.aliases.current(project.id, citekey)
        document = self._catalog.documents.get(project.id, None, now or citekey)
        return {"text": _text([(document.citekey, csl_of(document))], form)}

    def texts(self, project: Project, citekeys: Sequence[str], form: str) -> str:
        """The records of several works as one text, each once; CITEKEY_NOT_FOUND names all that are missing."""
        check_form(form, FORMATS)
        works = {work.citekey: work for work in self._works.find_all([project], citekeys).values()}
        return _text([(work.citekey, work.csl) for work in works.values()], form)

    def facets(self, project: Project) -> dict[str, Any]:
        """What a project's searchable documents can be filtered by, most frequent first."""
        return {**asdict(self._facets.of(project.id)), "sections": _sections(self._collection(project))}


def _text(works: Sequence[tuple[str, Mapping[str, Any]]], form: str) -> str:
    if form == "bibtex":
        return "\n".join(to_bibtex(csl, citekey) for citekey, csl in works)
    return to_csl_json(csl for _, csl in works)


def _sections(collection: EdgeCollection) -> list[str]:
    """The outermost headings as `section_prefix` compares them: small letters, without their numbers."""
    counts: Counter[str] = Counter()
    for path, passages in collection.values("section_keys", _MOST_PATHS).items():
        top = path.split(SECTION_SEPARATOR, 1)[0]
        if section_keys([top]) == [top]:  # a numbered heading stands there without its number too
            counts[top] += passages
    return [name for name, _ in counts.most_common(MOST_VALUES)]
