"""The embedded index: what is hidden is not seen, what is written twice is there once, scores stay between 0 and 1."""

from __future__ import annotations

import errno
import os
import uuid
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import qdrant_edge
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from citeloom.errors import CiteLoomError, Code
from citeloom.index.collection import Fusion, Point, SparseVector
from citeloom.index.edge import Bm25, EdgeCollection
from citeloom.index.filters import EVERYTHING, Absent, AnyOf

SIZE = 4
FUSIONS = [None, Fusion("rrf", 60), Fusion("rrf", 2), Fusion("dbsf")]


def ident(number: int) -> str:
    return str(uuid.UUID(int=number + 1))


def point(number: int, version: str = "v1", **payload: Any) -> Point:
    words = SparseVector([number % 3, 7], [1.0 + number, 0.5])
    vector = [1.0, number / 10, -0.5, 0.25]
    return Point(ident(number), vector, words, {"version": version, "chunk_index": number, "doc_id": "d", **payload})


def numbers(hits: list[Any]) -> list[int]:
    return [hit.payload["chunk_index"] for hit in hits]


def test_a_hidden_set_is_seen_by_no_reader(collection: EdgeCollection) -> None:
    collection.upsert([point(n, "old" if n < 5 else "new") for n in range(10)])
    ids = [ident(n) for n in range(10)]
    query = ([1.0, 0.0, -0.5, 0.25], SparseVector([7], [1.0]), 100)

    def seen() -> list[set[int]]:
        return [
            set(numbers(collection.search(*query, fusion=Fusion()))),
            set(numbers(collection.search(query[0], None, 100))),
            set(numbers(collection.search(None, query[1], 100))),
            set(numbers(collection.scroll(AnyOf("doc_id", ("d",)), 100))),
            set(numbers(collection.any_passages(100))),
            set(numbers(collection.get(ids))),
            set(range(collection.count())),
        ]

    old, new = set(range(5)), set(range(5, 10))
    collection.hide("new")
    assert seen() == [old] * 7
    collection.show("new", instead_of="old")
    assert seen()[:-1] == [new] * 6
    assert collection.count() == collection.count(AnyOf("doc_id", ("d",))) == 5
    collection.show("old")
    assert seen() == [old | new] * 7


def test_a_hidden_set_can_be_deleted(collection: EdgeCollection) -> None:
    collection.upsert([point(0, "new")])
    collection.hide("new")
    assert collection.delete(AnyOf("version", ("new",))) == 1
    collection.show("new")
    assert collection.count() == 0


def test_writing_twice_changes_nothing(collection: EdgeCollection) -> None:
    points = [point(n) for n in range(150)]  # more than one batch
    collection.upsert(points)
    before = collection.scroll(EVERYTHING, 1000)
    collection.upsert(points)
    assert collection.scroll(EVERYTHING, 1000) == before
    assert numbers(before) == list(range(150))
    assert collection.count() == 150


def test_deleting_says_how_many_there_were(collection: EdgeCollection) -> None:
    collection.upsert([point(n, doc_id="a" if n < 3 else "b") for n in range(5)])
    assert collection.delete(AnyOf("doc_id", ("a",))) == 3
    assert collection.delete(AnyOf("doc_id", ("a",))) == 0
    assert numbers(collection.scroll(EVERYTHING, 10)) == [3, 4]


def test_rewriting_changes_some_values_of_some_passages(collection: EdgeCollection) -> None:
    collection.upsert([point(n, doc_id="a" if n else "b", citekey="x", title="T") for n in range(3)])
    collection.rewrite(AnyOf("doc_id", ("a",)), {"citekey": "y", "tags": ["new"]})
    values = [(h.payload["citekey"], h.payload["title"]) for h in collection.scroll(EVERYTHING, 10)]
    assert values == [("x", "T"), ("y", "T"), ("y", "T")]
    assert collection.count(AnyOf("tags", ("new",))) == collection.count(AnyOf("citekey", ("y",))) == 2


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


def test_passages_that_are_not_there_are_left_out(collection: EdgeCollection) -> None:
    collection.upsert([point(0)])
    assert numbers(collection.get([ident(0), ident(99)])) == [0]
    assert collection.get([]) == []


def test_a_search_for_nothing_finds_nothing(collection: EdgeCollection) -> None:
    collection.upsert([point(0)])
    assert collection.search(None, SparseVector([], []), 5) == []


def test_every_filter_field_has_its_index(collection: EdgeCollection) -> None:
    indexes = collection.indexes()
    assert {"project_id", "doc_id", "citekey", "tags", "item_type", "text_source"} <= set(indexes["keyword"])
    assert {"year", "page_start", "page_end"} <= set(indexes["integer"])
    assert "chunk_text" in indexes["fulltext"]


def test_passages_come_back_with_the_vectors_they_were_written_with(collection: EdgeCollection) -> None:
    written = [replace(point(n), dense=[0.6, 0.0, -0.8, 0.0]) for n in range(150)]  # more than two batches
    collection.upsert([*written, point(200, doc_id="other")])
    stored = list(collection.stored(AnyOf("doc_id", ("d",)), 150))
    assert [one.id for one in stored] == [one.id for one in written]
    assert all(list(one.dense) == pytest.approx([0.6, 0.0, -0.8, 0.0]) for one in stored)
    assert [one.sparse for one in stored] == [one.sparse for one in written]
    collection.hide("v1")
    assert list(collection.stored(AnyOf("doc_id", ("d",)), 150)) == []


def test_a_collection_of_an_earlier_version_gets_the_index_it_lacks(tmp_path: Path) -> None:
    made = EdgeCollection.create(tmp_path / "g0001", SIZE, sparse=True)
    made._shard.update(qdrant_edge.UpdateOperation.delete_field_index("references"))
    made.upsert([point(0), point(1, references=True)])
    assert made.indexes()["bool"] == []
    assert numbers(made.scroll(Absent("references"), 10)) == [0]
    made.close()
    for _ in range(2):
        again = EdgeCollection.open(tmp_path / "g0001")
        assert again.indexes()["bool"] == ["references"]
        assert numbers(again.scroll(Absent("references"), 10)) == [0]
        again.close()


# -- scores --------------------------------------------------------------------------------------------------


coordinate = st.floats(-100, 100, width=32).filter(lambda x: x == 0 or abs(x) > 1e-3)
vectors = st.lists(coordinate, min_size=SIZE, max_size=SIZE).filter(any)
words = st.dictionaries(st.integers(0, 9), st.floats(0.0625, 50, width=32), min_size=1, max_size=4).map(
    lambda weights: SparseVector(list(weights), list(weights.values()))
)


@settings(max_examples=150)
@given(
    passages=st.lists(st.tuples(vectors, words), min_size=1, max_size=8),
    dense=st.none() | vectors,
    sparse=st.none() | words,
    fusion=st.sampled_from(FUSIONS[1:]),
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


@settings(max_examples=100)
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
    assert (second.id, second.score) == (ident(1), pytest.approx(k / (k + 1), abs=0.001))


def test_a_filter_holds_inside_both_rankings(collection: EdgeCollection) -> None:
    collection.upsert([point(n, doc_id="many") for n in range(200)] + [point(200, doc_id="one")])
    for fusion in FUSIONS:
        hits = collection.search(point(0).dense, SparseVector([7], [1.0]), 3, AnyOf("doc_id", ("one",)), fusion)
        assert numbers(hits) == [200]


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


def test_a_vector_of_another_size_is_refused_and_nothing_is_written(collection: EdgeCollection) -> None:
    collection.upsert([point(0)])
    with pytest.raises(CiteLoomError, match="dim") as caught:
        collection.upsert([Point(ident(1), [1.0, 2.0], None, {})])
    assert caught.value.code == Code.STORAGE_ERROR
    with pytest.raises(CiteLoomError, match="dim") as caught:
        collection.search([1.0, 2.0], None, 3)
    assert caught.value.code == Code.QUERY_FAILED
    assert collection.count() == 1


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
    expected = {
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
