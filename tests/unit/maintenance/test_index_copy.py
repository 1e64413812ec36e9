"""Copies of an index: complete, the same, and gone on with where they were."""

from __future__ import annotations

import random
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeVar

import pytest

from citeloom.core.errors import CiteLoomError
from citeloom.core.jobs import JobStopped
from citeloom.index.base import Collection, Point, SparseVector
from citeloom.index.edge.collection import EdgeCollection
from citeloom.index.filters import AnyOf
from citeloom.index.server.collection import ServerCollection
from citeloom.index.server.connection import QdrantServer
from citeloom.maintenance.index_copy import check, copy, same
from tests.qdrant_stand_in import QdrantStandIn

T = TypeVar("T")
PASSAGES = 700  # more than two steps


def point(number: int, text: str = "") -> Point:
    draw = random.Random(number)
    words = sorted(draw.sample(range(1000), 5))
    return Point(
        str(uuid.UUID(int=draw.getrandbits(128))),
        [draw.gauss(0, 1) for _ in range(8)],
        SparseVector(words, [draw.random() for _ in words]),
        {"doc_id": f"d{number % 9}", "chunk_index": number, "chunk_text": text or f"Passage {number}.", "version": "v"},
    )


def plainly(step: Callable[[], T], /) -> T:
    return step()


def carry(source: Collection, target: Collection, stop_after: int = 10**9) -> tuple[int, list[str]]:
    told: list[int] = []
    graphs: list[None] = []
    done = copy(
        source,
        target,
        lambda done, _: told.append(done),
        lambda: graphs.append(None),
        lambda: sum(told) >= stop_after,
        plainly,
    )
    assert len(graphs) == len(told), "after each step the search graph may be built"
    assert told[-1] == done.passages == source.count()
    return done.written, done.sample


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Collection]:
    made = EdgeCollection.create(tmp_path_factory.mktemp("source"), 8, sparse=True)
    made.upsert([point(n) for n in range(PASSAGES)])
    yield made
    made.close()


@pytest.fixture
def target(tmp_path: Path) -> Iterator[Collection]:
    made = EdgeCollection.create(tmp_path, 8, sparse=True)
    yield made
    made.close()


def test_a_copy_holds_every_passage_with_the_same_vectors_and_payload(source: Collection, target: Collection) -> None:
    written, sample = carry(source, target)
    assert written == PASSAGES
    assert len(set(sample)) == 200
    check(source, target, sample)
    assert all(map(same, source.points(None, 1000), target.points(None, 1000)))


def test_a_copy_that_was_stopped_goes_on_and_writes_only_what_is_missing_or_another(
    source: Collection, target: Collection
) -> None:
    with pytest.raises(JobStopped):
        carry(source, target, stop_after=1)
    there = target.count()
    assert 0 < there < PASSAGES
    stale = source.points(None, 1)[0]
    target.upsert([Point(stale.id, stale.dense, stale.sparse, {**stale.payload, "chunk_text": "what it said before"})])
    written, _ = carry(source, target)
    assert written == PASSAGES - there + 1
    assert carry(source, target)[0] == 0
    check(source, target, [p.id for p in source.points(None, 1000)])


def test_a_copy_on_a_server_is_the_same_though_a_server_writes_numbers_its_own_way(source: Collection) -> None:
    with QdrantStandIn() as qdrant:
        target = ServerCollection.create(QdrantServer(qdrant.address), "copy", 8, sparse=True)
        _, sample = carry(source, target)
        check(source, target, sample)
        assert carry(source, target)[0] == 0, "what is there need not be written again"
        target.close()


@pytest.mark.parametrize("damage", ["missing", "text", "words", "meaning"])
def test_a_copy_that_is_not_the_same_is_found_out(source: Collection, target: Collection, damage: str) -> None:
    _, sample = carry(source, target)
    victim = next(p for p in source.points(None, 1000) if p.id == sample[7])
    changed = {
        "text": Point(victim.id, victim.dense, victim.sparse, {**victim.payload, "chunk_text": "Another."}),
        "words": Point(victim.id, victim.dense, SparseVector([1], [1.0]), victim.payload),
        "meaning": Point(victim.id, [-x for x in victim.dense], victim.sparse, victim.payload),
    }
    if damage == "missing":
        target.delete(AnyOf("chunk_text", (victim.payload["chunk_text"],)))
        target.delete(AnyOf("doc_id", ("d3",)))
    else:
        target.upsert([changed[damage]])
    with pytest.raises(CiteLoomError, match="stays where it was") as caught:
        check(source, target, sample)
    assert ("instead of" if damage == "missing" else victim.id) in caught.value.message
