"""What a project can be filtered by."""

from __future__ import annotations

from citeloom.api.search import GetFacets
from citeloom.catalog import Catalog
from citeloom.catalog.projects import Project
from citeloom.index.base import Point
from citeloom.index.edge.collection import EdgeCollection
from citeloom.index.filters import section_keys
from citeloom.search.facets import FacetService


def test_sections_are_outermost_headings_without_numbers_most_frequent_first(
    catalog: Catalog, project: Project, collection: EdgeCollection
) -> None:
    service, request = FacetService(catalog, lambda _: collection), GetFacets(project=project.id)
    assert service.facets(request).sections == ()
    paths = [("Abstract",), ("2. Results", "Wrong pages"), ("Results",)]
    payloads = [{"section_keys": section_keys(path), "chunk_index": at} for at, path in enumerate(paths)]
    ids = [f"00000000-0000-0000-0000-00000000000{at}" for at in range(3)]
    collection.upsert([Point(i, [1.0, 0.0, 0.0, 0.0], None, p) for i, p in zip(ids, payloads, strict=True)])
    assert service.facets(request).sections == ("results", "abstract")
