"""A real Qdrant server: what the stand-in only plays.

Opt in with CITELOOM_LIVE_QDRANT=http://localhost:6333, and CITELOOM_QDRANT_API_KEY where it wants a key. With the same
variable, tests/contract/test_collections_everywhere.py runs on it too. What the tests make there, they delete.
"""

from __future__ import annotations

import os
import uuid
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from citeloom.core.errors import CiteLoomError, Code
from citeloom.index.base import Fusion, Point, SparseVector
from citeloom.index.server.collection import ServerCollection
from citeloom.index.server.connection import QdrantServer

ADDRESS, KEY = os.environ.get("CITELOOM_LIVE_QDRANT", ""), os.environ.get("CITELOOM_QDRANT_API_KEY")
pytestmark = [
    pytest.mark.live,
    pytest.mark.skipif(not ADDRESS, reason="asks a real Qdrant: set CITELOOM_LIVE_QDRANT to its address"),
]


@pytest.fixture
def server() -> QdrantServer:
    return QdrantServer(ADDRESS, KEY)


@pytest.fixture
def collection(server: QdrantServer) -> Iterator[ServerCollection]:
    made = ServerCollection.create(server, f"citeloom-test-{uuid.uuid4()}", 2, sparse=True)
    yield made
    made.close()
    server.delete_collection(made.name)


def test_the_server_is_new_enough(server: QdrantServer) -> None:
    assert server.check()


@pytest.mark.skipif(not KEY, reason="the server wants no key")
def test_a_wrong_key_is_refused() -> None:
    for key in (None, "wrong"):
        with pytest.raises(CiteLoomError) as caught:
            QdrantServer(ADDRESS, key).check()
        assert caught.value.code == Code.PERMISSION_DENIED


def test_a_collection_that_somebody_deleted_is_told(server: QdrantServer, collection: ServerCollection) -> None:
    server.delete_collection(collection.name)
    with pytest.raises(CiteLoomError, match=collection.name) as caught:
        collection.count()
    assert caught.value.code == Code.INDEX_UNAVAILABLE


def test_ten_ask_while_one_writes(collection: ServerCollection) -> None:
    def point(number: int) -> Point:
        words = SparseVector([number % 50], [1.0])
        return Point(str(uuid.UUID(int=number + 1)), [1.0, number / 10_000], words, {"chunk_text": "moth " * 200})

    def ask(number: int) -> int:
        return len(collection.search([1.0, 0.0], SparseVector([number], [1.0]), 5, fusion=Fusion()))

    collection.upsert([point(n) for n in range(100)])
    with ThreadPoolExecutor(11) as pool:
        writer = pool.submit(collection.upsert, [point(n) for n in range(5000)])
        assert set(pool.map(ask, range(50))) == {5}
        writer.result()
    assert collection.count() == 5000
