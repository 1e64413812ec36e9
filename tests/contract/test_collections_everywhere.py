"""What every index gives: the same hits, in the same order, by the same filters, with the same errors.

The cases run on Qdrant Edge and on a Qdrant server: the stand-in, and a real one where CITELOOM_LIVE_QDRANT names its
address and CITELOOM_QDRANT_API_KEY its key.
"""

from __future__ import annotations

import os
import random
import uuid
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from citeloom.core.errors import CiteLoomError, Code
from citeloom.index.base import Collection, Fusion, Point, SparseVector
from citeloom.index.edge.collection import EdgeCollection
from citeloom.index.filters import (
    EVERYTHING,
    Absent,
    AnyOf,
    Condition,
    Contains,
    Every,
    Not,
    Range,
    Some,
    StartsWith,
    Words,
)
from citeloom.index.server.collection import ServerCollection
from citeloom.index.server.connection import QdrantServer
from tests.points import SIZE, ident, numbers, point
from tests.qdrant_stand_in import QdrantStandIn

LIVE = os.environ.get("CITELOOM_LIVE_QDRANT")
PLACES = ["edge", "server", *(["live"] if LIVE else [])]


@contextmanager
def made_in(place: str, folder: Path) -> Iterator[Collection]:
    if place == "edge":
        made: Collection = EdgeCollection.create(folder / "g0001", SIZE, sparse=True)
        yield made
        made.close()
    elif place == "server":
        with QdrantStandIn(key="k") as stand_in:
            made = ServerCollection.create(QdrantServer(stand_in.address, "k"), "proj-contract", SIZE, sparse=True)
            yield made
            made.close()
    else:
        server, name = (
            QdrantServer(str(LIVE), os.environ.get("CITELOOM_QDRANT_API_KEY")),
            f"citeloom-test-{uuid.uuid4()}",
        )
        made = ServerCollection.create(server, name, SIZE, sparse=True)
        try:
            yield made
        finally:
            made.close()
            server.delete_collection(name)


@pytest.fixture(scope="module", params=PLACES)
def one(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Collection]:
    with made_in(request.param, tmp_path_factory.mktemp("contract")) as made:
        yield made


@pytest.fixture
def collection(one: Collection) -> Iterator[Collection]:
    """An empty collection. One for all tests, emptied by each: making one costs a disk dear."""
    yield one
    for passage_set in set(one._hidden):
        one.show(passage_set)
    one.delete(EVERYTHING)


# -- written, rewritten, deleted ------------------------------------------------------------------------------


def test_an_empty_collection_gives_nothing(collection: Collection) -> None:
    assert collection.search([1.0, 0, 0, 0], SparseVector([7], [1.0]), 5, fusion=Fusion()) == []
    assert collection.search([1.0, 0, 0, 0], None, 5) == []
    assert collection.scroll(EVERYTHING, 5) == collection.any_passages(5) == collection.get([ident(0)]) == []
    assert collection.points(None, 5) == collection.get_points([ident(0)]) == list(collection.stored(EVERYTHING, 5))
    assert collection.count() == collection.delete(EVERYTHING) == 0
    assert collection.values("tags", 5) == {}
    assert collection.count_without_vectors() == len(collection.without_vectors(EVERYTHING, 5)) == 0
    collection.rewrite(EVERYTHING, {"tags": ["x"]})
    collection.upsert([])


def test_writing_twice_changes_nothing(collection: Collection) -> None:
    points = [point(n) for n in range(150)]  # more than one batch
    collection.upsert(points)
    before = collection.scroll(EVERYTHING, 1000)
    collection.upsert(points)
    assert collection.scroll(EVERYTHING, 1000) == before
    assert numbers(before) == list(range(150))
    assert collection.count() == 150


def test_deleting_says_how_many_there_were(collection: Collection) -> None:
    collection.upsert([point(n, doc_id="a" if n < 3 else "b") for n in range(5)])
    assert collection.delete(AnyOf("doc_id", ("a",))) == 3
    assert collection.delete(AnyOf("doc_id", ("a",))) == 0
    assert numbers(collection.scroll(EVERYTHING, 10)) == [3, 4]


def test_rewriting_changes_some_values_of_some_passages(collection: Collection) -> None:
    collection.upsert([point(n, doc_id="a" if n else "b", citekey="x", title="T") for n in range(3)])
    collection.rewrite(AnyOf("doc_id", ("a",)), {"citekey": "y", "tags": ["new"]})
    values = [(h.payload["citekey"], h.payload["title"]) for h in collection.scroll(EVERYTHING, 10)]
    assert values == [("x", "T"), ("y", "T"), ("y", "T")]
    assert collection.count(AnyOf("tags", ("new",))) == collection.count(AnyOf("citekey", ("y",))) == 2


def test_any_script_and_every_kind_of_value_comes_back_as_it_was(collection: Collection) -> None:
    payload: dict[str, Any] = {
        "title": "Über 日本語 — عربي \u0000 🦋 e\u0301",
        "tags": ["a/b", 'c"d', ""],
        "year": None,
        "page_labels": ["iv", "5"],
        "ocr_confidence": 0.875,
        "extra": {"lines": [1, 2], "deep": {"ß": True}},
        "source_path": "C:\\Papers\\Größe [2019].pdf",
    }
    collection.upsert([point(0, **payload)])
    (hit,) = collection.scroll(EVERYTHING, 1)
    assert hit.payload == point(0, **payload).payload
    assert collection.count(AnyOf("source_path", (payload["source_path"],))) == 1


def test_a_vector_of_another_size_is_refused_and_nothing_is_written(collection: Collection) -> None:
    collection.upsert([point(0)])
    with pytest.raises(CiteLoomError, match="dim") as caught:
        collection.upsert([Point(ident(1), [1.0, 2.0], None, {})])
    assert caught.value.code == Code.STORAGE_ERROR
    with pytest.raises(CiteLoomError, match="dim") as caught:
        collection.search([1.0, 2.0], None, 3)
    assert caught.value.code == Code.QUERY_FAILED
    assert collection.count() == 1


# -- vectors that are added later -----------------------------------------------------------------------------


def unembedded(number: int, version: str = "v1", **payload: Any) -> Point:
    return replace(point(number, version, **payload), dense=None)


def test_a_passage_gets_its_vector_later_and_keeps_words_and_payload(collection: Collection) -> None:
    written = [unembedded(n) for n in range(150)]  # more than two batches
    collection.upsert(written)
    assert collection.count_without_vectors() == collection.count() == 150
    assert collection.search([1.0, 0, 0, 0], None, 10) == []
    assert collection.get_points([ident(3)]) == [written[3]]
    collection.add_vectors({ident(n): [0.6, 0.0, -0.8, 0.0] for n in range(140)})
    assert sorted(numbers(collection.without_vectors(EVERYTHING, 1000))) == list(range(140, 150))
    assert collection.count_without_vectors(Range("chunk_index", gte=145)) == 5
    assert len(collection.search([0.6, 0.0, -0.8, 0.0], None, 1000)) == 140
    stored = collection.get_points([one.id for one in written])
    assert [(one.id, one.sparse, one.payload) for one in stored] == [(p.id, p.sparse, p.payload) for p in written]
    assert all(list(one.dense or ()) == pytest.approx([0.6, 0.0, -0.8, 0.0]) for one in stored[:140])


def test_vectors_of_passages_that_are_gone_make_no_passages(collection: Collection) -> None:
    collection.upsert([unembedded(n) for n in range(4)])
    collection.delete(AnyOf("chunk_index", (1,)))
    collection.add_vectors({ident(n): [1.0, 0.0, 0.0, 0.0] for n in (90, 1, 0, 91, 2)})
    collection.add_vectors({ident(90): [1.0, 0.0, 0.0, 0.0]})
    collection.add_vectors({})
    assert numbers(collection.without_vectors(EVERYTHING, 10)) == [3]
    assert collection.count() == 3 and [p.id for p in collection.points(None, 10)] == [ident(n) for n in (0, 2, 3)]
    assert sorted(numbers(collection.search([1.0, 0, 0, 0], None, 10))) == [0, 2]


def test_a_passage_written_again_without_its_vector_has_none(collection: Collection) -> None:
    collection.upsert([point(0), point(1)])
    collection.upsert([unembedded(0)])
    assert numbers(collection.without_vectors(EVERYTHING, 10)) == [0]
    assert numbers(collection.search([1.0, 0, 0, 0], None, 10)) == [1]


def test_a_hidden_set_gets_its_vectors_but_is_not_seen_without_them(collection: Collection) -> None:
    collection.upsert([unembedded(n, "old" if n < 2 else "new") for n in range(4)])
    collection.hide("new")
    assert sorted(numbers(collection.without_vectors(EVERYTHING, 10))) == [0, 1]
    assert collection.count_without_vectors() == 2
    collection.add_vectors({ident(n): [1.0, 0.0, 0.0, 0.0] for n in (0, 2)})
    collection.show("new", instead_of="old")
    assert numbers(collection.without_vectors(EVERYTHING, 10)) == [3]


def test_an_added_vector_of_another_size_is_refused(collection: Collection) -> None:
    collection.upsert([unembedded(0)])
    with pytest.raises(CiteLoomError, match="dim") as caught:
        collection.add_vectors({ident(0): [1.0, 2.0]})
    assert caught.value.code == Code.STORAGE_ERROR
    assert collection.count_without_vectors() == 1


# -- what readers see -----------------------------------------------------------------------------------------


def test_a_hidden_set_is_seen_by_no_reader(collection: Collection) -> None:
    collection.upsert([point(n, "old" if n < 5 else "new") for n in range(10)])
    ids = [ident(n) for n in range(10)]
    dense, sparse = [1.0, 0.0, -0.5, 0.25], SparseVector([7], [1.0])

    def seen() -> list[set[int]]:
        return [
            set(numbers(collection.search(dense, sparse, 100, fusion=Fusion()))),
            set(numbers(collection.search(dense, None, 100))),
            set(numbers(collection.search(None, sparse, 100))),
            set(numbers(collection.scroll(AnyOf("doc_id", ("d",)), 100))),
            set(numbers(collection.any_passages(100))),
            set(numbers(collection.get(ids))),
            {stored.payload["chunk_index"] for stored in collection.stored(EVERYTHING, 10)},
        ]

    old, new = set(range(5)), set(range(5, 10))
    collection.hide("new")
    assert seen() == [old] * 7
    collection.show("new", instead_of="old")
    assert seen() == [new] * 7
    assert collection.count() == collection.count(AnyOf("doc_id", ("d",))) == 5
    assert collection.values("version", 5) == {"new": 5}
    collection.show("old")
    assert seen() == [old | new] * 7
    assert collection.count() == 10


def test_a_hidden_set_can_be_deleted(collection: Collection) -> None:
    collection.upsert([point(0, "new")])
    collection.hide("new")
    assert collection.delete(AnyOf("version", ("new",))) == 1
    collection.show("new")
    assert collection.count() == 0


def test_passages_come_in_the_order_asked_for_without_those_that_are_not_there(collection: Collection) -> None:
    collection.upsert([point(n) for n in range(9)])
    assert numbers(collection.get([ident(n) for n in (7, 99, 0, 3, 7)])) == [7, 0, 3]
    assert collection.get([]) == []


def test_passages_are_read_in_the_order_of_their_places_and_ids(collection: Collection) -> None:
    collection.upsert([replace(point(n), id=ident((n * 37) % 101)) for n in range(70)])
    collection.upsert([replace(point(n), id=ident(200 - n), payload={"chunk_index": n % 2}) for n in range(8)])
    hits = collection.scroll(EVERYTHING, 100)
    assert [(h.payload["chunk_index"], h.id) for h in hits] == sorted((h.payload["chunk_index"], h.id) for h in hits)
    assert numbers(collection.scroll(Range("chunk_index", gte=3), 4)) == [3, 4, 5, 6]


def test_passages_come_back_with_the_vectors_they_were_written_with(collection: Collection) -> None:
    written = [replace(point(n), dense=[0.6, 0.0, -0.8, 0.0]) for n in range(150)]  # more than two batches
    collection.upsert([*written, point(200, doc_id="other")])
    stored = list(collection.stored(AnyOf("doc_id", ("d",)), 150))
    assert [one.id for one in stored] == [one.id for one in written]
    assert all(list(one.dense) == pytest.approx([0.6, 0.0, -0.8, 0.0]) for one in stored)
    assert [one.sparse for one in stored] == [one.sparse for one in written]


def test_all_passages_can_be_paged_through_with_their_vectors_hidden_ones_too(collection: Collection) -> None:
    written = [replace(point(n, "old" if n % 2 else "new"), id=ident((n * 37) % 101)) for n in range(70)]
    written[5] = replace(written[5], sparse=None)
    collection.upsert(written)
    collection.hide("new")
    pages, after = list[Point](), None
    while page := collection.points(after, 32):
        assert len(page) <= 32
        pages += page
        after = page[-1].id
    assert [p.id for p in pages] == sorted(p.id for p in written)
    by_id = {p.id: p for p in written}
    for copy in pages:
        assert (copy.payload, copy.sparse) == (by_id[copy.id].payload, by_id[copy.id].sparse)
        assert len(copy.dense) == SIZE
    assert collection.get_points([pages[3].id, ident(500), pages[1].id]) == [pages[3], pages[1]]


def test_the_values_of_a_field_are_counted(collection: Collection) -> None:
    collection.upsert([point(n, tags=["all", f"only {n}"] if n < 2 else ["all", "rest"]) for n in range(6)])
    assert collection.values("tags", 10) == {"all": 6, "rest": 4, "only 0": 1, "only 1": 1}
    assert collection.values("tags", 2) == {"all": 6, "rest": 4}


def test_every_filter_field_has_its_index(collection: Collection) -> None:
    indexes = collection.indexes()
    assert {"project_id", "doc_id", "citekey", "tags", "item_type", "section_keys"} <= set(indexes["keyword"])
    assert {"page_labels"} <= set(indexes["keyword"])
    assert {"year", "page_start", "page_end", "chunk_index", "header_level"} <= set(indexes["integer"])
    assert set(indexes["fulltext"]) == {"chunk_text", "title", "authors"}
    assert indexes["bool"] == ["references"]


def test_custom_metadata_keep_their_filters_when_a_record_is_rewritten(collection: Collection) -> None:
    collection.upsert([point(n, **about) for n, about in enumerate(SHELF)])
    collection.rewrite(AnyOf("doc_id", ("d",)), {"title": "Salt", "tags": ["new"]})
    assert numbers(collection.scroll(Contains('metadata."colour"', "red"), 10)) == [4]


def test_an_index_says_what_of_it_is_on_the_disk(collection: Collection) -> None:
    # An embedded one maps the exact vectors of a small project; a server has its default for both.
    assert collection.on_disk() == (isinstance(collection, EdgeCollection), False)


# -- searches -------------------------------------------------------------------------------------------------


def test_a_search_for_nothing_finds_nothing(collection: Collection) -> None:
    collection.upsert([point(0)])
    assert collection.search(None, SparseVector([], []), 5) == collection.search(None, None, 5) == []


def test_a_search_by_words_finds_only_passages_that_have_one(collection: Collection) -> None:
    collection.upsert([point(n) for n in range(6)])
    assert sorted(numbers(collection.search(None, SparseVector([2, 99], [1.0, 1.0]), 6))) == [2, 5]
    assert collection.search(None, SparseVector([99], [1.0]), 6) == []


@pytest.mark.parametrize("fusion", [None, Fusion("rrf", 60), Fusion("dbsf")], ids=["by meaning", "rrf", "dbsf"])
def test_a_filter_holds_inside_both_rankings(collection: Collection, fusion: Fusion | None) -> None:
    collection.upsert([point(n, doc_id="many") for n in range(200)] + [point(200, doc_id="one")])
    hits = collection.search(point(0).dense, SparseVector([7], [1.0]), 3, AnyOf("doc_id", ("one",)), fusion)
    assert numbers(hits) == [200]


@pytest.mark.parametrize("fusion", [None, Fusion("rrf", 60), Fusion("dbsf")], ids=["by meaning", "rrf", "dbsf"])
def test_equal_passages_come_in_the_order_of_their_ids(collection: Collection, fusion: Fusion | None) -> None:
    ids = [ident((n * 37) % 101) for n in range(20)]
    collection.upsert([Point(id, [1.0, 0, 0, 0], SparseVector([7], [1.0]), {"version": id}) for id in ids])
    hits = collection.search([1.0, 0.5, 0, 0], SparseVector([7], [1.0]), 12, fusion=fusion)
    assert [hit.id for hit in hits] == sorted(ids)[:12]
    assert len({hit.score for hit in hits}) == 1 or (fusion and fusion.method == "rrf")


SHELF: list[dict[str, Any]] = [
    {"year": 1999, "tags": ["salt", "sea"], "title": "Über Salz", "section_keys": ["1 part i > seas", "part i > seas"]},
    {"year": 2005, "tags": ["sea"], "title": "The naïve café", "section_keys": ["part ii"], "references": True},
    {"year": 2005, "tags": [], "title": "Łódź, cœur and Straße", "source_path": "/Papers/Salt [2].pdf"},
    {
        "tags": ["Salty"],
        "title": "Café au lait, naïvely",
        "authors": ["Ångström, Anders", "Noether, Emmy"],
        "page_labels": ["iv", "v"],
        "header_level": 2,
    },
    {"metadata": {"colour": "dark red", "my [1].key": ["a", "b"], "weight": 2.5, "lab": 7}},
    {"metadata": {"colour": "blue", "weight": 4, "lab": "7"}},
]
FILTERS: list[tuple[Condition, list[int]]] = [
    (EVERYTHING, [0, 1, 2, 3, 4, 5]),
    (AnyOf("tags", ("salt",)), [0]),
    (AnyOf("tags", ("salt", "Salty")), [0, 3]),
    (AnyOf("year", (2005,)), [1, 2]),
    (AnyOf("tags", ()), []),
    (Range("year", gte=2005), [1, 2]),
    (Range("year", gt=1999, lt=2005), []),
    (Range("year", lte=1999), [0]),
    (Words("title", "uber SALZ"), [0]),
    (Words("title", "cafe"), [1, 3]),
    (Words("title", "naive"), [1]),
    (Words("title", "strasse lodz Coeur"), [2]),
    (Words("authors", "emmy angstrom"), [3]),
    (Words("title", "!"), []),
    (Contains("tags", "alt"), [0, 3]),
    (Contains("source_path", "t [2]"), [2]),
    (StartsWith("section_keys", "part i "), [0]),
    (StartsWith("section_keys", "part"), [0, 1]),
    (Absent("references"), [0, 2, 3, 4, 5]),
    (Absent("tags"), [2, 4, 5]),
    (Not(AnyOf("tags", ("sea",))), [2, 3, 4, 5]),
    (Every((AnyOf("tags", ("sea",)), Not(Words("title", "salz")))), [1]),
    (Some((AnyOf("tags", ("Salty",)), Range("year", lt=2000))), [0, 3]),
    (Not(Every((AnyOf("year", (2005,)), Absent("references")))), [0, 1, 3, 4, 5]),
    (AnyOf("page_labels", ("v",)), [3]),
    (Range("header_level", gte=2, lte=2), [3]),
    (AnyOf('metadata."colour"', ("blue", "green")), [5]),
    (AnyOf('metadata."my [1].key"', ("b",)), [4]),
    (AnyOf('metadata."lab"', ("7",)), [5]),
    (Contains('metadata."colour"', "red"), [4]),
    (Range('metadata."weight"', gte=2.5, lte=2.5), [4]),
    (Range('metadata."weight"', gt=2.5), [5]),
    (Range('metadata."lab"', gte=7, lte=7), [4]),
    (Every((AnyOf("doc_id", ("d",)), Not(Range('metadata."weight"', lt=3)))), [0, 1, 2, 3, 5]),
]


def test_every_kind_of_filter_keeps_what_fits_and_nothing_else(collection: Collection) -> None:
    collection.upsert([point(n, **about) for n, about in enumerate(SHELF)])
    for where, fitting in FILTERS:
        assert numbers(collection.scroll(where, 10)) == fitting, where
        assert collection.count(where) == len(fitting), where
        assert sorted(numbers(collection.search(point(0).dense, None, 10, where))) == fitting, where


@pytest.mark.parametrize("method", ["blend", "rrf", "dbsf"])
def test_a_passage_without_its_vector_is_scored_by_its_words_and_marked(collection: Collection, method: str) -> None:
    embedded = [Point(ident(n), [1.0, n, 0, 0], SparseVector([7], [1.0 + n]), {"chunk_index": n}) for n in range(3)]
    rare = Point(ident(3), None, SparseVector([7, 8], [9.0, 9.0]), {"chunk_index": 3})
    collection.upsert([*embedded, rare, Point(ident(4), None, SparseVector([9], [1.0]), {"chunk_index": 4})])
    question = ([0.0, 0.0, 1.0, 0.0], SparseVector([7, 8], [1.0, 1.0]), 10)
    hits = collection.search(*question, fusion=Fusion(method), some_without_vector=True)
    assert numbers(hits)[0] == 3 and sorted(numbers(hits)) == [0, 1, 2, 3]
    assert [hit.by_words_only for hit in hits] == [True, False, False, False]
    where = Range("chunk_index", lt=3)
    assert collection.search(*question, where, Fusion(method), some_without_vector=True) == collection.search(
        *question, where, Fusion(method)
    )
    collection.hide("v1")
    collection.rewrite(AnyOf("chunk_index", (3,)), {"version": "v1"})
    assert sorted(numbers(collection.search(*question, fusion=Fusion(method), some_without_vector=True))) == [0, 1, 2]


@pytest.mark.parametrize("method", ["blend", "rrf", "dbsf"])
def test_where_nothing_is_embedded_yet_words_alone_find_passages(collection: Collection, method: str) -> None:
    collection.upsert([unembedded(n) for n in range(4)])
    words = SparseVector([1, 7], [1.0, 1.0])
    by_both = collection.search([1.0, 0, 0, 0], words, 10, fusion=Fusion(method), some_without_vector=True)
    assert by_both == collection.search(None, words, 10, fusion=Fusion(method), some_without_vector=True)
    assert numbers(by_both)[0] == 1 and len(by_both) == 4 and all(hit.by_words_only for hit in by_both)
    if method == "blend":
        plain = collection.search(None, words, 10)
        assert [(hit.id, hit.score) for hit in by_both] == [(hit.id, hit.score) for hit in plain]


# -- the same everywhere --------------------------------------------------------------------------------------

WORDS = ["salt", "sea", "Über", "café", "naïve", "Moth", "moths", "2019", "l'état", "co-op"]
MANY = 40  # fewer than the candidates of a search: which of many equal ones are looked at is the index's choice


def shelf_of_many() -> list[Point]:
    chance = random.Random(7)
    made = list[Point]()
    for n in range(MANY):
        vector = [chance.uniform(-1, 1) for _ in range(SIZE)]
        words = SparseVector(at := chance.sample(range(9), chance.randint(1, 4)), [chance.uniform(1, 5) for _ in at])
        if n % 5 == 4:  # a preprint: the same text once more
            vector, words = list(made[-1].dense), made[-1].sparse or words
        payload: dict[str, Any] = {"version": f"set {n % 3}", "chunk_index": n}
        payload["tags"] = chance.sample(WORDS, chance.randint(0, 3))
        payload["title"] = " ".join(chance.choices(WORDS, k=3))
        payload["section_keys"] = [" > ".join(chance.choices(WORDS, k=2))]
        if chance.random() < 0.8:
            payload["year"] = chance.randint(2000, 2005)
        if chance.random() < 0.2:
            payload["references"] = True
        made.append(Point(ident(n * 31 % 53), vector, words, payload))
    return made


@pytest.fixture(scope="module")
def everywhere(tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[Collection]]:
    """The same passages in every place, in new collections: how frequent a word is may count deleted passages too."""
    with ExitStack() as stack:
        folder = tmp_path_factory.mktemp("everywhere")
        collections = [stack.enter_context(made_in(place, folder)) for place in PLACES]
        for collection in collections:
            collection.upsert(shelf_of_many())
            collection.hide("set 2")
        yield collections


pieces = st.sampled_from([*WORDS, "sal", "", "X"])
texts = st.sampled_from(["tags", "title", "section_keys"])
conditions: st.SearchStrategy[Condition] = st.recursive(
    st.one_of(
        st.builds(AnyOf, st.just("tags"), st.lists(pieces, max_size=2).map(tuple)),
        st.builds(AnyOf, st.just("year"), st.lists(st.integers(1999, 2006), max_size=2).map(tuple)),
        st.builds(
            Range, st.just("year"), gte=st.none() | st.integers(1999, 2006), lt=st.none() | st.integers(1999, 2006)
        ),
        st.builds(Words, st.just("title"), st.lists(pieces, min_size=1, max_size=2).map(" ".join)),
        st.builds(Contains, st.sampled_from(["tags", "section_keys"]), pieces),
        st.builds(StartsWith, st.just("section_keys"), pieces),
        st.builds(Absent, st.sampled_from(["tags", "year", "references", "nothing"])),
    ),
    lambda inner: st.one_of(
        st.builds(Every, st.lists(inner, max_size=3).map(tuple)),
        st.builds(Some, st.lists(inner, min_size=1, max_size=3).map(tuple)),
        st.builds(Not, inner),
    ),
    max_leaves=4,
)
vectors = st.lists(st.integers(-3, 3), min_size=SIZE, max_size=SIZE).filter(any).map(lambda v: [float(x) for x in v])
questions = st.lists(st.integers(0, 10), min_size=1, max_size=4, unique=True).map(
    lambda words: SparseVector(words, [1.0] * len(words))
)


@settings(max_examples=60, deadline=None)
@example([1.0, 0, 0, 0], SparseVector([1, 2], [1.0, 1.0]), EVERYTHING, "rrf", 10)
@given(
    vectors, questions, conditions, st.sampled_from(["blend", "rrf", "dbsf", "dense", "sparse"]), st.integers(1, MANY)
)
def test_the_same_question_finds_the_same_passages_in_the_same_order_everywhere(
    everywhere: list[Collection], dense: list[float], sparse: SparseVector, where: Condition, way: str, limit: int
) -> None:
    fusion = Fusion(way) if way not in ("dense", "sparse") else None
    asked = (None if way == "sparse" else dense, None if way == "dense" else sparse)
    first, *others = [made.search(*asked, limit, where, fusion) for made in everywhere]
    for other in others:
        assert [hit.id for hit in other] == [hit.id for hit in first]
        assert [hit.payload for hit in other] == [hit.payload for hit in first]
        assert [hit.score for hit in other] == pytest.approx([hit.score for hit in first], abs=0.0002)
    assert len({made.count(where) for made in everywhere}) == 1
    # Where every passage is embedded, it makes no difference that some might not be.
    assert everywhere[0].search(*asked, limit, where, fusion, some_without_vector=True) == first


cosine_0 = st.tuples(st.just(0.0), st.sets(st.integers(0, 3)))
embedded_passages = st.lists(st.tuples(st.floats(0, 1), st.sets(st.integers(0, 5))), max_size=8)


@settings(max_examples=40, deadline=None)
@given(embedded_passages, cosine_0, st.sampled_from(["blend", "rrf", "dbsf"]))
def test_the_best_by_words_is_never_below_what_shares_fewer_words_and_means_something_else(
    one: Collection, others: list[tuple[float, set[int]]], worse: tuple[float, set[int]], method: str
) -> None:
    one.delete(EVERYTHING)
    question = SparseVector(list(range(7)), [1.0] * 7)

    def words(which: set[int]) -> SparseVector | None:
        return SparseVector(sorted(which), [1.0] * len(which)) if which else None

    points = [
        Point(ident(n), [cosine, (1 - cosine**2) ** 0.5, 0.0, 0.0], words(which), {"chunk_index": n})
        for n, (cosine, which) in enumerate([worse, *others])
    ]
    best = Point(ident(99), None, SparseVector(list(range(7)), [2.0] * 7), {"chunk_index": 99})
    one.upsert([*points, best])
    hits = one.search([1.0, 0.0, 0.0, 0.0], question, 20, fusion=Fusion(method), some_without_vector=True)
    found = numbers(hits)
    assert 99 in found and found.index(99) < (found.index(0) if 0 in found else len(found))
    one.delete(EVERYTHING)
