"""Qdrant Edge: what only it does, and what a reader keeps who is overtaken by a writer.

What every index does is in tests/contract/test_collections_everywhere.py.
"""

from __future__ import annotations

import errno
import os
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import qdrant_edge
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from citeloom.core.errors import CiteLoomError, Code
from citeloom.index.base import Fusion, Point, SparseVector
from citeloom.index.edge import checksums
from citeloom.index.edge.collection import Bm25, EdgeCollection, optimise
from citeloom.index.filters import EVERYTHING, Absent, AnyOf
from tests.points import SIZE, ident, numbers, point

FUSIONS = [Fusion("blend"), Fusion("rrf", 60), Fusion("rrf", 2), Fusion("dbsf")]


def test_what_was_written_is_there_after_closing_and_opening(tmp_path: Path) -> None:
    made = EdgeCollection.create(tmp_path / "g0001", SIZE, sparse=True)
    made.upsert([point(n) for n in range(3)])
    indexes = made.indexes()
    made.close()
    again = EdgeCollection.open(tmp_path / "g0001")
    assert numbers(again.scroll(EVERYTHING, 10)) == [0, 1, 2]
    assert again.indexes() == indexes
    assert numbers(again.search(None, SparseVector([7], [1.0]), 10))
    again.close()


def test_a_collection_of_an_earlier_version_gets_the_index_it_lacks(tmp_path: Path) -> None:
    made = EdgeCollection.create(tmp_path / "g0001", SIZE, sparse=True)
    for name in ("references", "doc_id"):  # the second by a kill in the middle of making it
        made._shard.update(qdrant_edge.UpdateOperation.delete_field_index(name))
    made.upsert([point(0), point(1, references=True)])
    assert made.indexes()["bool"] == [] and "doc_id" not in made.indexes()["keyword"]
    assert numbers(made.scroll(Absent("references"), 10)) == [0]
    made.close()
    checksums.forget(tmp_path / "g0001")  # an earlier version kept none
    for _ in range(2):
        again = EdgeCollection.open(tmp_path / "g0001")
        assert again.indexes()["bool"] == ["references"] and again.values("doc_id", 2) == {"d": 2}
        assert numbers(again.scroll(Absent("references"), 10)) == [0]
        again.close()


def test_vectors_can_be_added_after_optimising_and_are_there_after_opening(tmp_path: Path) -> None:
    made = EdgeCollection.create(tmp_path / "g0001", SIZE, sparse=True)
    made.upsert([replace(point(n), dense=None) for n in range(4)])
    made.add_vectors({ident(0): [1.0, 0.0, 0.0, 0.0]})
    with made.released():
        optimise(tmp_path / "g0001")
    made.add_vectors({ident(1): [1.0, 0.0, 0.0, 0.0]})
    made.close()
    again = EdgeCollection.open(tmp_path / "g0001")
    assert sorted(numbers(again.without_vectors(EVERYTHING, 10))) == [2, 3]
    assert sorted(numbers(again.search([1.0, 0.0, 0.0, 0.0], None, 10))) == [0, 1]
    assert len(again.search(None, SparseVector([7], [1.0]), 10)) == again.count() == 4
    again.close()


# -- readers and writers -------------------------------------------------------------------------------------


class HeldUp:
    """Lets a search go on after its rankings only when it is told to."""

    def __init__(self, collection: EdgeCollection, monkeypatch: pytest.MonkeyPatch) -> None:
        self.arrived, self.go_on = threading.Event(), threading.Event()
        retrieve = collection._retrieve

        def held_up(ids: Sequence[str], *, vectors: bool) -> list[Point]:
            if threading.current_thread() is not threading.main_thread():
                self.arrived.set()
                assert self.go_on.wait(30)
            return retrieve(ids, vectors=vectors)

        monkeypatch.setattr(collection, "_retrieve", held_up)


def test_a_reader_keeps_the_old_set_to_its_end_and_nobody_waits_for_it_but_the_writer(
    collection: EdgeCollection, monkeypatch: pytest.MonkeyPatch
) -> None:
    def seen() -> list[int]:
        return numbers(collection.search([1.0, 0.0, -0.5, 0.25], None, 10))

    collection.upsert([point(0, "old"), point(1, "new")])
    collection.hide("new")
    held_up, steps = HeldUp(collection, monkeypatch), list[str]()

    def replace() -> None:
        collection.show("new", instead_of="old")
        steps.append("replaced")
        collection.delete(AnyOf("version", ("old",)))

    with ThreadPoolExecutor() as pool:
        early = pool.submit(seen)
        assert held_up.arrived.wait(30)
        writer = pool.submit(replace)
        while collection.count(AnyOf("version", ("old",))):  # until the writer has begun
            assert not writer.done()
        assert seen() == [1]  # while the early reader is still reading, and the writer waits for it
        assert steps == []
        held_up.go_on.set()
        assert early.result(30) == [0]
        writer.result(30)
    assert numbers(collection.scroll(EVERYTHING, 10)) == [1]


# -- scores --------------------------------------------------------------------------------------------------


coordinate = st.floats(-100, 100, width=32).filter(lambda x: x == 0 or abs(x) > 1e-3)
vectors = st.lists(coordinate, min_size=SIZE, max_size=SIZE).filter(any)
words = st.dictionaries(st.integers(0, 9), st.floats(0.0625, 50, width=32), min_size=1, max_size=4).map(
    lambda weights: SparseVector(list(weights), list(weights.values()))
)


@settings(max_examples=60)
@given(
    passages=st.lists(st.tuples(vectors, words), min_size=1, max_size=8),
    dense=st.none() | vectors,
    sparse=st.none() | words,
    fusion=st.sampled_from(FUSIONS),
)
def test_scores_lie_between_0_and_1_and_fall_down_the_list(
    one_collection: EdgeCollection,
    passages: list[tuple[list[float], SparseVector]],
    dense: list[float] | None,
    sparse: SparseVector | None,
    fusion: Fusion,
) -> None:
    assume(dense is not None or sparse is not None)
    one_collection.delete(EVERYTHING)
    one_collection.upsert([Point(ident(n), v, w, {"chunk_index": n}) for n, (v, w) in enumerate(passages)])
    scores = [hit.score for hit in one_collection.search(dense, sparse, 20, fusion=fusion)]
    assert all(0 <= score <= 1 for score in scores)
    assert scores == sorted(scores, reverse=True)
    if dense is not None:
        assert len(scores) == len(passages)
    one_collection.delete(EVERYTHING)


@settings(max_examples=30)
@given(vectors)
def test_a_passage_asked_for_by_its_own_vector_scores_1(one_collection: EdgeCollection, vector: list[float]) -> None:
    one_collection.delete(EVERYTHING)
    one_collection.upsert([Point(ident(0), vector, None, {})])
    assert one_collection.search(vector, None, 1)[0].score > 0.99
    one_collection.delete(EVERYTHING)


@pytest.mark.parametrize("k", [1, 60])
def test_first_in_both_rankings_scores_1_when_fused_by_rank(collection: EdgeCollection, k: int) -> None:
    vectors = ([1.0, 0.0, 0.0, 0.0], [0.5, 1.0, 0.0, 0.0])
    collection.upsert([Point(ident(n), v, SparseVector([1], [2.0 - n]), {}) for n, v in enumerate(vectors)])
    first, second = collection.search(vectors[0], SparseVector([1], [1.0]), 5, fusion=Fusion("rrf", k))
    assert (first.id, first.score) == (ident(0), 1.0)
    assert second.id == ident(1)
    assert second.score == pytest.approx(k / (k + 1), abs=0.001)


def test_words_are_weighed_by_their_stems_without_stop_words() -> None:
    bm25 = Bm25("english")
    assert set(bm25.query("the quotations").indices) == set(bm25.query("quotation").indices)
    assert bm25.query("the of and").indices == []
    assert set(bm25.query("quotation").indices) <= set(bm25.passage("Wrong quotations are frequent.").indices)
    assert Bm25("german").query("und der").indices == []
    with pytest.raises(CiteLoomError, match="klingon") as caught:
        Bm25("klingon")
    assert caught.value.code == Code.INVALID_INPUT


# -- failures ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("make", [lambda f: None, lambda f: f.mkdir(), lambda f: f.write_text("x")])
def test_a_folder_without_an_index_is_unavailable(tmp_path: Path, make: Any) -> None:
    folder = tmp_path / "g0001"
    make(folder)
    with pytest.raises(CiteLoomError, match="cannot be opened") as caught:
        EdgeCollection.open(folder)
    assert caught.value.code == Code.INDEX_UNAVAILABLE
    assert caught.value.next_step


class PanicException(BaseException):
    """What a panic in Rust looks like from Python."""


class FailingShard:
    """A shard whose every call fails."""

    def __init__(self, error: BaseException) -> None:
        self._error = error

    def __getattr__(self, name: str) -> Any:
        def fail(*_: object) -> None:
            raise self._error

        return fail


@pytest.fixture
def break_it(collection: EdgeCollection, monkeypatch: pytest.MonkeyPatch) -> Callable[[BaseException], EdgeCollection]:
    """A collection whose engine fails in this way from now on."""

    def broken(error: BaseException) -> EdgeCollection:
        monkeypatch.setattr(collection, "_shard", FailingShard(error))
        return collection

    return broken


Break = Callable[[BaseException], EdgeCollection]
FULL = os.strerror(errno.ENOSPC)


@pytest.mark.parametrize(
    "error",
    [
        Exception(f"Service runtime error: wal: {FULL} (os error 28)"),
        PanicException(f"called `Result::unwrap()`: Os {{ message: {FULL!r} }}"),
        OSError(errno.ENOSPC, "anything"),
    ],
)
def test_a_full_disk_is_called_a_full_disk_however_it_shows(break_it: Break, error: BaseException) -> None:
    broken = break_it(error)
    for call in (
        lambda: broken.upsert([point(0)]),
        lambda: broken.delete(EVERYTHING),
        lambda: broken.rewrite(EVERYTHING, {"a": 1}),
        lambda: broken.add_vectors({ident(0): [1.0] * SIZE}),
        broken.flush,
        broken.close,
        lambda: broken.search([1.0] * SIZE, None, 3),
    ):
        with pytest.raises(CiteLoomError, match="disk is full") as caught:
            call()
        assert caught.value.code == Code.STORAGE_ERROR


@pytest.mark.parametrize("error", [RuntimeError("broken"), PanicException("broken")])
def test_every_other_failure_is_told_with_its_reason(break_it: Break, error: BaseException) -> None:
    broken = break_it(error)
    expected: dict[Code, list[Callable[[], Any]]] = {
        Code.STORAGE_ERROR: [lambda: broken.upsert([point(0)]), lambda: broken.delete(EVERYTHING), broken.flush],
        Code.QUERY_FAILED: [
            lambda: broken.search([1.0] * SIZE, None, 3),
            lambda: broken.get([ident(0)]),
            lambda: broken.scroll(EVERYTHING, 3),
            lambda: broken.any_passages(3),
            broken.count,
        ],
        Code.INDEX_UNAVAILABLE: [broken.indexes],
    }
    for code, calls in expected.items():
        for call in calls:
            with pytest.raises(CiteLoomError, match="broken") as caught:
                call()
            assert caught.value.code == code
            assert caught.value.next_step


def test_a_person_who_interrupts_is_not_taken_for_a_failure(break_it: Break) -> None:
    with pytest.raises(KeyboardInterrupt):
        break_it(KeyboardInterrupt()).flush()
