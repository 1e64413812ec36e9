"""Lists the filter values of a project's documents. Used by the search page of the desktop app."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import asdict

from citeloom.api.search import FacetsResult, GetFacets
from citeloom.api.verbs import handles
from citeloom.catalog import Catalog
from citeloom.catalog.facets import MAX_VALUES, Facets
from citeloom.catalog.projects import Project
from citeloom.index.base import Collection
from citeloom.index.filters import SECTION_SEPARATOR, section_keys

_MAX_PATHS = 100_000  # section paths that are read for their top-level headings


class FacetService:
    """Service of `search.facets`."""

    def __init__(self, catalog: Catalog, open_collection: Callable[[Project], Collection]) -> None:
        self._projects = catalog.projects
        self._collection = open_collection
        self._facets = Facets(catalog.db)

    @handles(GetFacets)
    def facets(self, request: GetFacets) -> FacetsResult:
        """Return the values of a project's searchable documents, most frequent first."""
        project = self._projects.get(request.project)
        return FacetsResult(**asdict(self._facets.of(project.id)), sections=_sections(self._collection(project)))


def _sections(collection: Collection) -> tuple[str, ...]:
    """Return the top-level headings as `section_prefix` compares them: in lower case, without their numbers."""
    counts: Counter[str] = Counter()
    for path, passages in collection.values("section_keys", _MAX_PATHS).items():
        top = path.split(SECTION_SEPARATOR, 1)[0]
        if section_keys([top]) == [top]:  # a numbered heading is listed without its number as well
            counts[top] += passages
    return tuple(name for name, _ in counts.most_common(MAX_VALUES))
