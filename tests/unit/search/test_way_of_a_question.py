"""The way of a question through a real index and catalog; only the models are small ones made here."""

from __future__ import annotations

import uuid
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from citeloom.api.search import Query, QueryResult
from citeloom.catalog import Catalog
from citeloom.core.cancel import Cancel
from citeloom.core.errors import CiteLoomError, Code
from citeloom.core.settings import Search, Settings
from citeloom.index.base import Point, SparseVector
from citeloom.index.edge.collection import Bm25, EdgeCollection
from citeloom.index.models.embedding import ModelRegistry
from citeloom.search.query import SearchService

MODEL = {"dense_model": "some/model", "dense_fingerprint": "f", "dense_size": 2, "sparse_model": "words"}
BM25 = Bm25("english")


class Shelf:
    """Every text means the same, so that words decide; the reranker likes what begins late in the alphabet."""

    info = SimpleNamespace(fingerprint="f")
    name = "by-letter"

    def for_questions(self, name: str) -> Shelf:
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
        points.append(Point(str(uuid.UUID(int=number)), [1.0, 0.0], BM25.passage(text), payload))
    made.upsert(points)
    yield made
    made.close()


@pytest.fixture
def ask(collection: EdgeCollection, tmp_path: Path) -> Iterator[Any]:
    catalog = Catalog(tmp_path / "catalog.db")
    catalog.projects.add("thesis", None, MODEL)

    def query(text: str, rerank: str = "", **more: Any) -> QueryResult:
        settings = Settings(search=Search(rerank=rerank))
        search = SearchService(catalog, cast("ModelRegistry", Shelf()), settings, lambda _: collection)
        return search.query(Query(project="thesis", text=text, hybrid=True, **more), Cancel())

    yield query
    catalog.close()


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
