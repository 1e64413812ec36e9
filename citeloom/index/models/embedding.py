"""Embedding of passages and questions; ModelRegistry loads each model once."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from typing import Any, TypeVar, cast

from citeloom.core.errors import CiteLoomError, Code
from citeloom.core.settings import BUNDLED_DENSE, BUNDLED_SPARSE, Models
from citeloom.index.base import SparseVector
from citeloom.index.models.instructions import instruction
from citeloom.index.models.loading import BUNDLED, DenseInfo, describe, load_dense, load_sparse
from citeloom.index.models.reranker import Reranker
from citeloom.index.models.stemming import code_of, passage_vector, question_vector

AUTO = "auto"  # each document in its own language
_CACHED_QUERIES = 512
_Model = TypeVar("_Model")


class DenseModel:
    """A dense model: texts to vectors.

    With `parallel`, that many texts are embedded at the same time, each on one core and by itself. On two cores with
    the bundled model that takes 61 ms of a processor a passage, against 67 to 108 in length-sorted batches of 4 to 16,
    which are padded, and 106 to 140 over both cores, which wait for each other (`make bench`: embedding).
    """

    def __init__(
        self,
        name: str,
        parallel: int = 1,
        *,
        allow_download: bool = False,
        give_way: Callable[[], object] = lambda: None,
    ) -> None:
        self.name = name
        self._give_way = give_way  # before each passage
        self._model = load_dense(name, 1, allow_download=allow_download)
        self._prefixes = instruction(name)
        self._pool = ThreadPoolExecutor(parallel, thread_name_prefix="embed")
        self.info = describe(name, self._model)
        self._query_vector = lru_cache(_CACHED_QUERIES)(self._embed_question)

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """Return the vectors of passages, in the given order."""
        try:
            return list(self._pool.map(self._embed_one, texts))
        except Exception as error:
            raise _embedding_failed(self.name, error) from error

    def close(self) -> None:
        """Stop the threads."""
        self._pool.shutdown(wait=False)

    def _embed_one(self, text: str) -> list[float]:
        self._give_way()
        text = self._prefixes.passage + text
        return cast("list[float]", next(iter(self._model.embed([text], batch_size=1))).tolist())

    def embed_query(self, text: str) -> list[float]:
        """Return the vector of a question; recent ones are cached."""
        try:
            return self._query_vector(text)
        except Exception as error:
            raise _embedding_failed(self.name, error) from error

    def _embed_question(self, text: str) -> list[float]:
        return cast("list[float]", next(iter(self._model.query_embed(self._prefixes.question + text))).tolist())


class SparseModel:
    """A sparse model: texts to sparse vectors."""

    def __init__(self, name: str, language: str = AUTO, *, allow_download: bool = False) -> None:
        self.name = name
        self._fixed = "" if language == AUTO else code_of(language)
        self._model = None if name == BUNDLED_SPARSE else load_sparse(name, allow_download=allow_download)

    def embed(self, texts: Sequence[str], language: str = "") -> list[SparseVector]:
        """Return sparse vectors of passages in a language, such as "de"; "" for an unknown one."""
        if self._model is None:
            return [passage_vector(text, self._fixed or language) for text in texts]
        return [_to_sparse_vector(v) for v in self._model.embed(list(texts), batch_size=16)]

    def embed_query(self, text: str, languages: Iterable[str] = ()) -> SparseVector:
        """Return the sparse vector of a question, for documents in these languages and in unknown ones."""
        if self._model is None:
            return question_vector(text, [*languages, self._fixed])
        return _to_sparse_vector(next(iter(self._model.query_embed(text))))


class ModelRegistry:
    """Loads each model once, with separate sessions for questions and imports, so that neither waits for the other."""

    def __init__(self, settings: Models) -> None:
        self._settings = settings
        self.give_way: Callable[[], object] = lambda: None  # called before each passage of an import
        self._lock = threading.Lock()
        self._loading: dict[tuple[str, str], threading.Lock] = {}
        self._dense: dict[tuple[str, str], DenseModel] = {}
        self._sparse: dict[tuple[str, str], SparseModel] = {}
        self._rerankers: dict[tuple[str, str], Reranker] = {}

    def info(self, name: str) -> DenseInfo:
        """Return the description of a model; the bundled one is not loaded for it."""
        return BUNDLED if name == BUNDLED_DENSE else self.for_questions(name).info

    def for_questions(self, name: str) -> DenseModel:
        """Return the model for questions."""
        return self._get(name, "questions", 1)

    def for_imports(self, name: str) -> DenseModel:
        """Return the model for imports."""
        return self._get(name, "imports", os.cpu_count() or 2)

    def sparse(self, name: str) -> SparseModel:
        """Return a sparse model."""
        allowed, language = self._settings.allow_download, self._settings.language
        return self._load_once(self._sparse, name, "words", lambda: SparseModel(name, language, allow_download=allowed))

    def reranker(self, name: str) -> Reranker:
        """Return a cross-encoder."""
        allowed = self._settings.allow_download
        return self._load_once(self._rerankers, name, "reranking", lambda: Reranker(name, allow_download=allowed))

    def release_imports(self) -> None:
        """Free the sessions that only imports need."""
        with self._lock:
            for key in [key for key in self._dense if key[1] == "imports"]:
                self._dense.pop(key).close()

    def _get(self, name: str, use: str, parallel: int) -> DenseModel:
        allowed = self._settings.allow_download
        give_way = self.give_way if use == "imports" else lambda: None
        return self._load_once(
            self._dense, name, use, lambda: DenseModel(name, parallel, allow_download=allowed, give_way=give_way)
        )

    def _load_once(
        self, loaded: dict[tuple[str, str], _Model], name: str, use: str, load: Callable[[], _Model]
    ) -> _Model:
        """Return a loaded model, or load it under a lock of its own: other models stay available meanwhile."""
        with self._lock:
            loading = self._loading.setdefault((name, use), threading.Lock())
        with loading:
            if (name, use) not in loaded:
                model = load()
                with self._lock:
                    loaded[name, use] = model
            return loaded[name, use]


def _to_sparse_vector(vector: Any) -> SparseVector:
    return SparseVector(vector.indices.tolist(), vector.values.tolist())


def _embedding_failed(name: str, error: Exception) -> CiteLoomError:
    return CiteLoomError(
        Code.EMBEDDING_FAILED, f"The model '{name}' failed on a text: {error}.", "Run the check-up ('citeloom doctor')."
    )
