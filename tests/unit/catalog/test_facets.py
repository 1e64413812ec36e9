"""What documents can be filtered by follows every change of them, and nothing else."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citeloom.catalog import Catalog
from citeloom.catalog.documents import Document, State
from citeloom.catalog.facets import MAX_VALUES, Facets
from citeloom.catalog.projects import Project

MODEL = {"dense_model": "m", "dense_fingerprint": "f", "dense_size": 4, "sparse_model": ""}


def save(catalog: Catalog, project: str, number: int, state: State = State.READY, **record: Any) -> None:
    catalog.documents.save(Document(project, f"d{number}", f"/{number}", state=state, record=record))


@pytest.fixture
def facets(catalog: Catalog) -> Facets:
    return Facets(catalog.db)


def test_values_come_most_frequent_first_and_once_per_document(
    catalog: Catalog, project: Project, facets: Facets
) -> None:
    save(catalog, project.id, 1, year=1999, authors=["Osei, K."], tags=["b", "b", "b"], collections=["Thesis"])
    save(catalog, project.id, 2, year=-44, authors=["Osei, K.", "Ada"], tags=["a", "c"], collections=[])
    save(catalog, project.id, 3, tags=["c"])
    found = facets.of(project.id)
    assert found.years == (-44, 1999)
    assert found.authors == ("Osei, K.", "Ada")
    assert found.tags == ("c", "a", "b")
    assert found.collections == ("Thesis",)


def test_a_project_without_searchable_documents_has_nothing_to_filter_by(
    catalog: Catalog, project: Project, facets: Facets
) -> None:
    save(catalog, project.id, 1, State.FAILED, year=1999, tags=["a"])
    found = facets.of(project.id)
    assert (found.years, found.tags) == (None, ())


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Catalog, Facets]]:
    made = Catalog(tmp_path_factory.mktemp("facets") / "catalog.db")
    made.projects.add("other", None, MODEL)
    yield made, Facets(made.db)
    made.close()


CHANGE = st.one_of(
    st.tuples(
        st.just("save"), st.integers(0, 4), st.sampled_from([State.READY, State.PENDING]), st.sampled_from("xyz")
    ),
    st.tuples(st.just("remove"), st.integers(0, 4), st.none(), st.none()),
    st.tuples(st.just("other"), st.integers(0, 4), st.none(), st.sampled_from("xyz")),
)


@given(st.lists(CHANGE, max_size=12))
def test_after_every_change_the_values_are_those_of_the_documents(
    shared: tuple[Catalog, Facets], changes: list[tuple[str, int, State | None, str | None]]
) -> None:
    catalog, facets = shared
    catalog.projects.add("one", None, MODEL)
    try:
        tags: dict[int, str] = {}
        for what, number, state, tag in changes:
            if what == "other":
                save(catalog, "other", number, tags=[tag])
            elif what == "remove":
                catalog.documents.remove("one", f"d{number}")
                tags.pop(number, None)
            else:
                assert state is not None and tag is not None
                save(catalog, "one", number, state, tags=[tag])
                tags.pop(number, None)
                tags |= {number: tag} if state is State.READY else {}
            counts = Counter(tags.values())
            assert facets.of("one").tags == tuple(sorted(counts, key=lambda t: (-counts[t], t)))
    finally:
        catalog.projects.remove("one")
    assert facets.of("one").tags == ()


def test_a_document_that_can_no_longer_be_searched_takes_its_values_along(
    catalog: Catalog, project: Project, facets: Facets
) -> None:
    save(catalog, project.id, 1, tags=["a"])
    assert facets.of(project.id).tags == ("a",)
    catalog.db.write("UPDATE documents SET state = 'failed'")
    assert facets.of(project.id).tags == ()


def test_nothing_is_read_again_while_no_document_changes(catalog: Catalog, project: Project, facets: Facets) -> None:
    save(catalog, project.id, 1, tags=["a"])
    first = facets.of(project.id)
    catalog.projects.add_without_graph(project.id, 7)
    save(catalog, catalog.projects.add("other", None, MODEL).id, 1, tags=["b"])
    assert facets.of(project.id) is first


def test_a_large_project_is_read_to_its_end_and_cut_at_the_most_frequent(
    catalog: Catalog, project: Project, facets: Facets
) -> None:
    with catalog.db.transaction():
        for number in range(2100):
            save(catalog, project.id, number, year=number, tags=[f"t{number}"], authors=["Last"] * (number == 2099))
    found = facets.of(project.id)
    assert found.years == (0, 2099)
    assert len(found.tags) == MAX_VALUES
    assert found.authors == ("Last",)
