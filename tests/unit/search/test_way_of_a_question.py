"""The way of a question through a real index and catalog; only the models are small ones made here."""

from __future__ import annotations

import uuid
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from citeloom.api.search import PassageDetails, Query, QueryResult
from citeloom.catalog import Catalog
from citeloom.catalog.documents import Document, State
from citeloom.core.cancel import Cancel
from citeloom.core.errors import CiteLoomError, Code
from citeloom.core.settings import ProjectSearch, Search, Settings
from citeloom.index.base import Point, SparseVector
from citeloom.index.edge.collection import Bm25, EdgeCollection
from citeloom.index.filters import FILTER_KEYS, metadata_values
from citeloom.index.models.embedding import ModelRegistry
from citeloom.search.query import SearchService

MODEL = {"dense_model": "some/model", "dense_fingerprint": "f", "dense_size": 2, "sparse_model": "words"}
BM25 = Bm25("english")


class Shelf:
    """Every text means the same, so that words decide; the reranker likes what begins late in the alphabet."""

    info = SimpleNamespace(fingerprint="f")
    name = "by-letter"

    def dense(self, name: str) -> Shelf:
        return self

    def embed_query(self, text: str) -> list[float]:
        return [1.0, 0.0]

    def sparse(self, name: str) -> Any:
        def words(text: str, languages: object) -> SparseVector:
            return BM25.query(text)

        return SimpleNamespace(embed_query=words)

    def reranker(self, name: str) -> Shelf:
        if name != self.name:
            raise CiteLoomError(Code.MODEL_NOT_AVAILABLE, "It is not here.", "Fetch it.")
        return self

    def scores(self, question: str, texts: Sequence[str]) -> list[float]:
        return [(ord(text[0]) - ord("A")) / 26 for text in texts]


@pytest.fixture(scope="module")
def collection(tmp_path_factory: pytest.TempPathFactory) -> Iterator[EdgeCollection]:
    made = EdgeCollection.create(tmp_path_factory.mktemp("index") / "c", 2, sparse=True)
    same = "Otters sleep, and otters hold hands while they sleep so that no tide carries one away"
    texts = [f"{same}{'.' * n}" for n in range(40)] + [f"{letter} {letter} {letter} otters" for letter in "BCDEFGZ"]
    points = []
    for number, text in enumerate(texts):
        document = f"doc-{number}"
        payload = {"chunk_text": text, "doc_id": document, "citekey": document, "chunk_index": 0, "version": document}
        payload |= {"project_id": "thesis", "page_labels": [f"p{number}"], "header_level": number % 6 + 1}
        payload |= {"lines": [number, number + 9], "heading_chain": "A > B", "file_type": "markdown"}
        payload |= metadata_values({"lab": f"north {number}", "weight": number})
        points.append(Point(str(uuid.UUID(int=number)), [1.0, 0.0], BM25.passage(text), payload))
    made.upsert(points)
    yield made
    made.close()


@pytest.fixture
def ask(collection: EdgeCollection, tmp_path: Path) -> Iterator[Any]:
    catalog = Catalog(tmp_path / "catalog.db")
    catalog.projects.add("thesis", None, MODEL)
    for number in (41, 42, 43):  # their files are a day apart; the passages know nothing of it
        time = (1_735_689_600 + 86_400 * (number - 41)) * 10**9 + 700_000_000
        row = Document("thesis", f"doc-{number}", f"/{number}.md", "markdown", State.READY, size=1, mtime_ns=time)
        row.metadata = {"lab": "", "weight": 0}
        catalog.documents.save(row)

    def query(text: str, rerank: str = "", search: Search = Search(), **more: Any) -> QueryResult:  # noqa: B008
        settings = Settings(search=replace(search, rerank=rerank))
        service = SearchService(catalog, cast("ModelRegistry", Shelf()), settings, lambda _: collection)
        return service.query(Query(project="thesis", text=text, hybrid=True, **more), Cancel())

    yield query
    catalog.close()


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Any]:
    """A project of four documents, of which only those that are given are embedded, and its search service."""
    made = EdgeCollection.create(tmp_path / "desk", 2, sparse=True)
    catalog = Catalog(tmp_path / "desk.db")
    catalog.projects.add("thesis", None, MODEL)
    texts = ["Otters hold hands.", "Bats hang upside down.", "Otters dive for clams.", "Moths navigate by the moon."]

    def service(*embedded: int, models: Any = Shelf(), rerank: str = "") -> SearchService:  # noqa: B008
        for number, text in enumerate(texts):
            row = Document("thesis", f"d{number}", f"/{number}.md", state=State.READY, chunks=1)
            row.without_vector = int(number not in embedded)
            catalog.documents.save(row)
            payload = {"chunk_text": text, "doc_id": row.doc_id, "citekey": row.doc_id, "version": row.doc_id}
            vector = [1.0, 0.0] if number in embedded else None
            made.upsert([Point(str(uuid.UUID(int=number)), vector, BM25.passage(text), payload)])
        settings = Settings(search=Search(rerank=rerank))
        return SearchService(catalog, cast("ModelRegistry", models), settings, lambda _: made)

    yield service
    made.close()
    catalog.close()


def searched(service: SearchService, text: str, *, hybrid: bool = True, **more: Any) -> QueryResult:
    return service.query(Query(project="thesis", text=text, hybrid=hybrid, **more), Cancel())


def similar(service: SearchService, text: str) -> list[str]:
    project = service._catalog.projects.get("thesis")
    return [hit.payload["doc_id"] for hit in service.similar(project, [text], 4, Cancel())]


class Unloaded(Shelf):
    """Its embedding model is not there yet."""

    def dense(self, name: str) -> Shelf:
        raise CiteLoomError(Code.MODEL_NOT_AVAILABLE, "It is not here.", "Fetch it.")


def test_before_anything_is_embedded_words_find_passages_without_the_model(desk: Any) -> None:
    service = desk(models=Unloaded())
    answer = searched(service, "how do otters hold hands")
    assert [(hit.doc_id, hit.by_words_only) for hit in answer.items] == [("d0", True), ("d2", True)]
    assert answer.items[0].score > 0 and (answer.coverage.searchable, answer.coverage.by_meaning) == (4, 0)
    assert answer.warnings == ("4 of 4 documents are found by words only, until embedded.",)
    assert searched(service, "otters", fusion="rrf").items[0].score == 1
    assert similar(service, "Moths navigate by the moon") == ["d3"]
    unseen = searched(service, "otters", hybrid=False)
    assert (unseen.count, unseen.warnings) == (
        0,
        ("4 of 4 searchable documents are not embedded yet: query_hybrid finds them by their words.",),
    )


def test_embedded_passages_and_others_are_found_together_and_only_those_are_marked(desk: Any) -> None:
    service = desk(0, 1, 2)
    answer = searched(service, "how do moths navigate by the moon")
    assert [(hit.doc_id, hit.by_words_only) for hit in answer.items if hit.by_words_only] == [("d3", True)]
    assert answer.count == 4 and answer.coverage.by_meaning == 3
    assert answer.warnings == ("1 of 4 documents is found by words only, until embedded.",)
    assert {hit.doc_id for hit in searched(service, "moths", hybrid=False).items} == {"d0", "d1", "d2"}
    assert searched(service, '"navigate by the moon"').items[0].doc_id == "d3", "a phrase raises it"
    assert "d3" in similar(service, "Moths navigate by the moon")


def test_where_all_is_embedded_nothing_is_marked_and_nothing_is_said(desk: Any) -> None:
    answer = searched(desk(0, 1, 2, 3), "moths")
    assert not any(hit.by_words_only for hit in answer.items)
    assert answer.warnings == () and answer.coverage.by_meaning == answer.coverage.searchable == 4


def test_reranking_keeps_the_mark(desk: Any) -> None:
    answer = searched(desk(0, rerank="by-letter"), "otters")
    assert answer.reranked and {hit.doc_id: hit.by_words_only for hit in answer.items} == {"d0": False, "d2": True}


def test_no_work_is_compared_by_meaning_before_all_of_it_is_embedded(desk: Any) -> None:
    service = desk(0, 1)
    project = service._catalog.projects.get("thesis")
    assert service.best_score_in(project, "otters", ["d0", "d1"]) == 1.0
    assert service.best_score_in(project, "otters", ["d0", "d2"]) is None
    assert service.best_score_in(project, "otters", ["d3"]) is None


def test_top_k_passages_come_though_the_nearest_forty_say_the_same(ask: Any) -> None:
    answer = ask("otters sleep", top_k=5)
    first, *others = answer.items
    assert answer.count == 5
    assert len(first.also_in) == 5
    assert answer.warnings == ("also_in names at most 5 places; the same is said in 34 more.",)
    assert all(hit.also_in == () and hit.render_text.endswith("otters") for hit in others)


def test_a_budget_is_kept_and_what_is_left_out_is_counted(ask: Any) -> None:
    whole = ask("otters sleep", top_k=3, max_tokens=100)
    assert (whole.count, whole.truncated, whole.truncated_count) == (3, False, 0)
    assert whole.budget_utilized == pytest.approx(whole.total_tokens / 100, abs=0.001)
    cut = ask("otters sleep", top_k=3, max_tokens=whole.total_tokens - 1)
    assert (cut.items, cut.truncated, cut.truncated_count) == (whole.items[:2], True, 1)
    assert ask("otters sleep").budget_utilized is None


def test_a_reranker_decides_the_order_and_its_cost_is_said(ask: Any) -> None:
    answer = ask("otters sleep", "by-letter", top_k=3)
    assert [hit.render_text[0] for hit in answer.items] == ["Z", "O", "G"]
    assert answer.items[0].score == round(25 / 26, 4)
    assert (answer.reranked.model, answer.reranked.candidates) == ("by-letter", 8)


def test_what_a_question_names_rises_after_reranking_too_and_within_the_filters_alone(ask: Any) -> None:
    assert [hit.citekey for hit in ask("otters of doc-42", "by-letter", top_k=2).items] == ["doc-46", "doc-42"]
    hits = ask("otters of doc-40", filters={"citekey": ["doc-41", "doc-42"]}).items
    assert {hit.citekey for hit in hits} == {"doc-41", "doc-42"}


def test_without_its_reranker_an_answer_has_the_plain_order_and_says_so(ask: Any) -> None:
    plain, answer = ask("otters sleep", top_k=3), ask("otters sleep", "other/model", top_k=3)
    assert answer.items == plain.items
    assert answer.reranked is plain.reranked is None
    assert answer.warnings[0] == "Not reranked: It is not here. Fetch it."


@pytest.mark.parametrize(
    ("filters", "fitting"),
    [
        ({"last_modified": "2025-01-02T00:00:00+00:00"}, [42]),
        ({"last_modified": "2025-01-02T01:00:00+01:00"}, [42]),
        ({"last_modified": "2025-01-02"}, [42]),
        ({"last_modified": ["2025-01-01", "2025-01-03T00:00:00Z"]}, [41, 43]),
        ({"last_modified": {"$gte": "2025-01-02"}}, [42, 43]),
        ({"last_modified": {"$gt": "2025-01-02"}}, [43]),
        ({"last_modified": {"$lte": "2025-01-02"}}, [41, 42]),
        ({"last_modified": {"$lt": "2025-01-02"}}, [41]),
        ({"last_modified": {"$gte": "2025-01-02", "$lt": "2025-01-03"}}, [42]),
        ({"last_modified": {"$ne": "2025-01-02"}, "doc_id": ["doc-41", "doc-42"]}, [41]),
        ({"last_modified": "2025-01-02T00:00:01"}, []),
        ({"page_label": "p42"}, [42]),
        ({"header_level": 1, "last_modified": {"$gte": "2025-01-01"}}, [42]),
        ({"header_level": {"$gte": 2}, "last_modified": {"$gte": "2025-01-01"}}, [41, 43]),
        ({"project": "thesis", "page_label": ["p42", "p43"]}, [42, 43]),
        ({"project": "other"}, []),
        ({"lab": "north 42"}, [42]),
        ({"lab": {"$contains": "north"}}, [41, 42, 43]),
        ({"weight": {"$gt": 41}}, [42, 43]),
    ],
    ids=str,
)
def test_filters_that_need_the_catalog_find_passages_of_any_age(
    ask: Any, filters: dict[str, Any], fitting: list[int]
) -> None:
    hits = ask("otters", top_k=20, filters=filters).items
    assert sorted(hit.doc_id for hit in hits) == [f"doc-{number}" for number in fitting]


@pytest.mark.parametrize(
    "value", ["yesterday", 2025, "", None, {"$gte": 3}, {"$contains": "2025"}, {"$lt": {}}], ids=str
)
def test_what_is_no_time_is_refused(ask: Any, value: Any) -> None:
    with pytest.raises(CiteLoomError) as caught:
        ask("otters", filters={"last_modified": value})
    assert caught.value.code == Code.INVALID_INPUT and "last_modified" in caught.value.message


def test_an_unknown_filter_is_refused_with_the_metadata_keys_of_the_project(ask: Any) -> None:
    with pytest.raises(CiteLoomError) as caught:
        ask("otters", filters={"colour": "red"})
    assert caught.value.details["valid"] == [*FILTER_KEYS, "lab", "weight"]


def test_a_request_can_choose_the_fusion_and_more_hits_than_the_settings_allow(ask: Any) -> None:
    assert ask("otters", fusion="rrf").fusion == "rrf"
    # By ranks, the first of both rankings has the whole score; by scores, only what has all the words.
    assert (
        ask("otters hold hands", fusion="rrf", top_k=1).items[0].score
        != ask("otters hold hands", top_k=1).items[0].score
    )
    with pytest.raises(CiteLoomError, match="no fusion 'best'"):
        ask("otters", fusion="best")
    lowered = ask("otters", top_k=5, max_top_k=3)
    assert (lowered.count, "top_k was lowered from 5 to 3" in lowered.warnings[0]) == (3, True)
    few = Search(top_k=2, max_top_k=2)
    assert ask("otters", search=few, top_k=5).count == 2
    assert ask("otters", search=few, top_k=5, max_top_k=50).count == 5
    with pytest.raises(CiteLoomError, match="max_top_k is 1001"):
        ask("otters", max_top_k=1001)


def test_a_project_has_its_own_number_of_hits(ask: Any) -> None:
    own = Search(projects={"thesis": ProjectSearch(top_k=3, max_top_k=4), "other": ProjectSearch(top_k=1)})
    assert ask("otters", search=own).count == 3
    assert ask("otters", search=own, top_k=9).count == 4
    assert ask("otters", search=Search(projects={"thesis": ProjectSearch(max_top_k=2)})).count == 2


def test_details_come_only_if_they_are_asked_for(ask: Any) -> None:
    assert ask("otters", top_k=1).items[0].details is None
    answer = ask("otters", filters={"page_label": "p42"}, details=True)
    (hit,) = answer.items
    assert hit.details == PassageDetails(
        chunk_index=0,
        path=hit.details.path if hit.details else "",
        file_type="markdown",
        last_modified="2025-01-02T00:00:00+00:00",
        header_path="A > B",
        header_level=1,
        class_name=None,
        function_name=None,
        start_line=42,
        end_line=51,
        metadata={"lab": "north 42", "weight": 42},
    )
    assert answer.embedding_seconds >= 0 < answer.search_seconds
