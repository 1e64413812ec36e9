"""Models: the bundled one is the one that was tested, and a missing one says how to get it, without any network."""

from __future__ import annotations

import os
import socket
import threading
import weakref
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from citeloom.conversion.chunking import chunk
from citeloom.conversion.convert import convert
from citeloom.conversion.tokens import TokenCounter
from citeloom.core.errors import CiteLoomError, Code
from citeloom.core.settings import BUNDLED_DENSE, BUNDLED_SPARSE, Models
from citeloom.index.models import embedding, loading
from citeloom.index.models.embedding import _CACHED_QUERIES, DenseModel, ModelRegistry, SparseModel
from citeloom.index.models.reranker import Reranker
from tests.support import SAMPLE

TEXTS = [
    "How often are quotations wrong?",
    "Street trees cool the night air of mid-sized cities by about one degree. " * 8,
    "Salt",
    "Weißenborn unterscheidet Provenienz und Pertinenz; beide Prinzipien ordnen Archive.",
]


@pytest.fixture
def no_network(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """The attempts to reach another machine."""
    attempts: list[Any] = []

    def refuse(*where: Any, **_: Any) -> None:
        attempts.append(where)
        raise OSError("there is no network in this test")

    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    monkeypatch.setattr(socket.socket, "connect", refuse)
    return attempts


def test_the_bundled_model_is_described_as_it_is(bundled: DenseModel) -> None:
    info = bundled.info
    (vector,) = bundled.embed(["salt"])
    assert (info.name, info.size, info.max_tokens) == (BUNDLED_DENSE, len(vector), 256)
    assert len(info.fingerprint) == 16 and info.tokenizer.exists()
    assert np.linalg.norm(vector) == pytest.approx(1.0, abs=1e-4)


def test_texts_of_one_matter_are_nearer_than_texts_of_two(bundled: DenseModel) -> None:
    question = np.array(bundled.embed_query("errors in citations"))
    near, far = np.array(bundled.embed(["How often are quotations wrong?", "Corals recover after bleaching."]))
    assert question @ near > question @ far + 0.2


def test_a_texts_vector_does_not_depend_on_its_neighbours(bundled: DenseModel) -> None:
    together = bundled.embed(TEXTS)
    assert together == [bundled.embed([text])[0] for text in TEXTS]
    assert bundled.embed(TEXTS[::-1]) == together[::-1]
    assert bundled.embed([]) == []


@pytest.mark.parametrize("constant", ["_MODEL_SHA256", "_TOKENIZER_SHA256"])
def test_another_file_under_the_bundled_models_name_is_refused(monkeypatch: pytest.MonkeyPatch, constant: str) -> None:
    monkeypatch.setattr(loading, constant, "0" * 64)
    with pytest.raises(CiteLoomError, match="pip install") as caught:
        DenseModel(BUNDLED_DENSE)
    assert caught.value.code == Code.MODEL_NOT_AVAILABLE


def test_a_bundled_file_that_is_missing_is_told(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(loading, "_DATA", tmp_path)
    with pytest.raises(CiteLoomError, match=r"tokenizer\.json is missing") as caught:
        DenseModel(BUNDLED_DENSE)
    assert caught.value.code == Code.MODEL_NOT_AVAILABLE


@pytest.mark.parametrize(
    ("load", "meant"),
    [
        (lambda: DenseModel("citeloom/all-MiniLM-L6-int8"), BUNDLED_DENSE),
        (lambda: DenseModel("BAAI/bge-small-en-v1,5"), "BAAI/bge-small-en-v1.5"),
        (lambda: SparseModel("citeloom/bm-25", "english"), BUNDLED_SPARSE),
        (lambda: SparseModel("Qdrant/bm25s", "english"), "Qdrant/bm25"),
        (lambda: Reranker("Xenova/ms-marco-MiniLM-L6-v2"), "Xenova/ms-marco-MiniLM-L-6-v2"),
    ],
)
def test_a_model_that_does_not_exist_gets_near_names(no_network: list[Any], load: Any, meant: str) -> None:
    with pytest.raises(CiteLoomError, match="There is no model") as caught:
        load()
    assert caught.value.code == Code.MODEL_NOT_AVAILABLE
    assert meant in caught.value.details["near"] and meant in str(caught.value)
    assert not no_network


@pytest.mark.parametrize(
    "load",
    [
        lambda: DenseModel("BAAI/bge-small-en-v1.5"),
        lambda: SparseModel("prithivida/Splade_PP_en_v1", "english"),
        lambda: Reranker("Xenova/ms-marco-MiniLM-L-6-v2"),
    ],
)
def test_a_known_model_that_is_not_here_says_so_without_asking_the_network(
    no_network: list[Any], monkeypatch: pytest.MonkeyPatch, tmp_path: Path, load: Any
) -> None:
    monkeypatch.setenv("CITELOOM_HOME", str(tmp_path))
    monkeypatch.setenv("HF_HUB_OFFLINE", "0")  # whatever it is afterwards, it goes back
    with pytest.raises(CiteLoomError, match="is not on this machine") as caught:
        load()
    assert caught.value.code == Code.MODEL_NOT_AVAILABLE
    assert "allow_download" in caught.value.next_step and "citeloom models download" in caught.value.next_step
    assert not no_network


def test_a_question_is_embedded_once_while_it_is_remembered(
    bundled: DenseModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []
    real = bundled._model

    class Counting:
        def query_embed(self, text: str) -> Any:
            asked.append(text)
            return real.query_embed(text)

    monkeypatch.setattr(bundled, "_model", Counting())
    bundled._query_vector.cache_clear()
    assert bundled._query_vector.cache_info().maxsize == _CACHED_QUERIES
    first = bundled.embed_query("a")
    assert bundled.embed_query("b") != first
    assert bundled.embed_query("a") == first
    assert asked == ["a", "b"]


def test_a_model_that_fails_says_which_one_and_what(bundled: DenseModel, monkeypatch: pytest.MonkeyPatch) -> None:
    class Broken:
        def embed(self, *_: Any, **__: Any) -> Any:
            raise RuntimeError("out of memory")

        query_embed = embed

    monkeypatch.setattr(bundled, "_model", Broken())
    for call in (lambda: bundled.embed(["a"]), lambda: bundled.embed_query("never asked before")):
        with pytest.raises(CiteLoomError, match="out of memory") as caught:
            call()
        assert caught.value.code == Code.EMBEDDING_FAILED
        assert BUNDLED_DENSE in caught.value.message


def test_a_question_does_not_wait_for_a_reranker_that_is_being_loaded(monkeypatch: pytest.MonkeyPatch) -> None:
    began, go_on = threading.Event(), threading.Event()

    def slow(name: str, *, allow_download: bool) -> str:
        began.set()
        go_on.wait(30)
        return name

    monkeypatch.setattr(embedding, "Reranker", slow)
    shelf, found = ModelRegistry(Models()), list[object]()
    loading = threading.Thread(target=lambda: found.append(shelf.reranker("large")))
    loading.start()
    began.wait(30)
    asking = threading.Thread(target=lambda: found.append(shelf.sparse(BUNDLED_SPARSE).name))
    asking.start()
    asking.join(20)
    go_on.set()
    loading.join()
    asking.join()
    assert found == [BUNDLED_SPARSE, "large"]


@pytest.mark.skipif(not hasattr(os, "sched_getaffinity"), reason="no other program can limit the cores here")
def test_no_more_passages_are_embedded_at_once_than_this_process_has_cores(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda process: {3})
    assert ModelRegistry(Models()).dense(BUNDLED_DENSE)._pool._max_workers == 1


def test_questions_and_imports_share_a_model_that_is_loaded_once_and_released_when_nobody_uses_it() -> None:
    registry, before_each = ModelRegistry(Models()), list[str]()
    registry.give_way = lambda: before_each.append("a question may go first")
    model = registry.dense(BUNDLED_DENSE)
    question = model.embed_query("salt")
    assert not before_each
    (passage,) = registry.embed_passages(BUNDLED_DENSE, ["salt"])
    assert len(before_each) == 1 and np.dot(question, passage) == pytest.approx(1.0, abs=1e-4)
    assert registry.dense(BUNDLED_DENSE) is model
    assert registry.sparse(BUNDLED_SPARSE) is registry.sparse(BUNDLED_SPARSE)
    registry.release_unused(600)
    assert registry.dense(BUNDLED_DENSE) is model
    released = weakref.ref(model)
    del model
    registry.release_unused(-1)
    assert released() is None
    assert registry.dense(BUNDLED_DENSE).embed_query("salt") == pytest.approx(question, abs=1e-5)


def test_no_passage_of_the_sample_papers_is_embedded_cut_off(bundled: DenseModel) -> None:
    info = bundled.info
    tokenizer = bundled._model.model.tokenizer  # as the model itself reads, cutting at its limit
    assert tokenizer.truncation["max_length"] >= info.max_tokens
    count = TokenCounter(info.tokenizer)
    read = 0
    for paper in sorted((SAMPLE / "papers").iterdir()):
        passages = chunk(convert(paper), count, info.max_tokens)
        assert passages, paper.name
        for passage in passages:
            encoding = tokenizer.encode(passage.embedded_text)
            assert not encoding.overflowing, (paper.name, passage.text)
            assert sum(encoding.attention_mask) <= info.max_tokens
        read += len(passages)
    assert read > 100
