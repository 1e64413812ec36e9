"""Real parts for unit tests: a catalog, a collection, and the bundled model, loaded once."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from citeloom.catalog import Catalog
from citeloom.catalog.projects import Project
from citeloom.core.settings import BUNDLED_DENSE, BUNDLED_SPARSE
from citeloom.index.edge.collection import EdgeCollection
from citeloom.index.filters import EVERYTHING
from citeloom.index.models.embedding import DenseModel

# A busy machine is no failure.
settings.register_profile("citeloom", max_examples=50, deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("citeloom")

SIZE = 4
MODEL = {"dense_model": "some/model", "dense_fingerprint": "f" * 16, "dense_size": SIZE, "sparse_model": BUNDLED_SPARSE}


@pytest.fixture
def catalog(tmp_path: Path) -> Iterator[Catalog]:
    made = Catalog(tmp_path / "catalog.db")
    yield made
    made.close()


@pytest.fixture
def project(catalog: Catalog) -> Project:
    return catalog.projects.add("thesis", None, MODEL)


@pytest.fixture(scope="session")
def one_collection(tmp_path_factory: pytest.TempPathFactory) -> Iterator[EdgeCollection]:
    made = EdgeCollection.create(tmp_path_factory.mktemp("index") / "g0001", SIZE, sparse=True)
    yield made
    made.close()


@pytest.fixture
def collection(one_collection: EdgeCollection) -> Iterator[EdgeCollection]:
    """An empty collection. One for all tests, emptied by each: making one costs a disk dear."""
    yield one_collection
    one_collection.delete(EVERYTHING)
    for passage_set in set(one_collection._hidden):
        one_collection.show(passage_set)


@pytest.fixture(scope="session")
def bundled() -> Iterator[DenseModel]:
    """The bundled model as imports use it."""
    model = DenseModel(BUNDLED_DENSE, 2)
    yield model
    model.close()
