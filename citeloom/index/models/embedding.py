"""Embedding of passages and questions; ModelRegistry loads each model once."""

from __future__ import annotations

import gc
import logging
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from importlib.metadata import version
from typing import Any, TypeVar, cast

from citeloom.core import fault_injection as faults
from citeloom.core.errors import CiteLoomError, Code
from citeloom.core.processes import cores, release_free_memory
from citeloom.core.settings import BUNDLED_DENSE, BUNDLED_SPARSE, Models
from citeloom.index.base import SparseVector
from citeloom.index.models.instructions import instruction
from citeloom.index.models.loading import BUNDLED, DenseInfo, describe, is_static, load_dense, load_sparse
from citeloom.index.models.openvino_trial import Trial, is_installed, known_trial, try_openvino
from citeloom.index.models.reranker import Reranker
from citeloom.index.models.stemming import code_of, passage_vector, question_vector

log = logging.getLogger(__name__)

AUTO = "auto"  # each document in its own language
_CACHED_QUERIES = 512
_TRIAL_PAYS = 64  # passages of imports: trying OpenVINO takes as long as it saves with a hundred more
_Model = TypeVar("_Model")


class DenseModel:
    """A dense model: texts to vectors.

    Passages are embedded by themselves, `parallel` at the same time, each on one core. In batches they are padded to
    the longest, and over several cores the cores wait for each other: both take more time (`make bench`: embedding).
    Questions and imports share a model.
    """

    def __init__(
        self, name: str, parallel: int = 1, *, allow_download: bool = False, by_openvino: bool = False
    ) -> None:
        self.name = name
        self.by_openvino = by_openvino
        streams = parallel + 1 if by_openvino else 0  # one is left for a question
        self._model = load_dense(name, allow_download=allow_download, openvino_parallel=streams)
        self._prefixes = instruction(name)
        self._pool = ThreadPoolExecutor(parallel, thread_name_prefix="embed")
        self.info = describe(name, self._model)
        self._query_vector = lru_cache(_CACHED_QUERIES)(self._embed_question)

    def embed(self, texts: Sequence[str], give_way: Callable[[], object] = lambda: None) -> list[list[float]]:
        """Return the vectors of passages, in the given order; `give_way` is called before each."""

        def embed_one(text: str) -> list[float]:
            give_way()
            text = self._prefixes.passage + text
            return cast("list[float]", next(iter(self._model.embed([text], batch_size=1))).tolist())

        # OpenVINO prepares each change of length anew: texts of nearly equal length follow each other.
        by_length = sorted(range(len(texts)), key=lambda at: len(texts[at]))
        try:
            faults.point("models.embed", len(texts))
            vectors = dict(zip(by_length, self._pool.map(embed_one, [texts[at] for at in by_length]), strict=True))
            return [vectors[at] for at in range(len(texts))]
        except Exception as error:
            raise _embedding_failed(self.name, error) from error

    def close(self) -> None:
        """Stop the threads."""
        self._pool.shutdown(wait=False)

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
    """Loads each model once, and releases what is not used."""

    def __init__(self, settings: Models) -> None:
        self._settings = settings
        self.give_way: Callable[[], object] = lambda: None  # called before each passage of an import
        self._lock = threading.Lock()
        self._loading: dict[str, threading.Lock] = {}
        self._loaded: dict[str, Any] = {}  # by name
        self._used: dict[str, float] = {}  # when, by the monotonic clock
        self._infos: dict[str, DenseInfo] = {}  # of models that were loaded
        self._trying = threading.Lock()
        self._ended = threading.Event()
        self._trials: dict[str, Trial] = {}
        self._embedded: Counter[str] = Counter()  # passages by model

    def info(self, name: str) -> DenseInfo:
        """Return the description of a model; the bundled one is not loaded for it."""
        return BUNDLED if name == BUNDLED_DENSE else self.dense(name).info

    def known_info(self, name: str) -> DenseInfo | None:
        """Return the description of a model if it has been loaded since the engine began."""
        return BUNDLED if name == BUNDLED_DENSE else self._infos.get(name)

    def dense(self, name: str) -> DenseModel:
        """Return a dense model."""

        def load() -> DenseModel:
            trial, parallel = self._trial(name), cores()
            if trial and trial.passed:
                try:
                    return DenseModel(name, parallel, by_openvino=True)
                except Exception as error:
                    log.warning("OpenVINO cannot load the model %s: %s", name, error)
                    self._trials[name] = Trial(False, f"it cannot load the model: {error}")
            return DenseModel(name, parallel, allow_download=self._settings.allow_download)

        model = self._load_once(name, load)
        self._infos[name] = model.info
        return model

    def fastest_dense(self, name: str, *, try_again: bool = False) -> DenseModel:
        """Return a dense model, after OpenVINO was tried with it on this machine: the first time, that takes seconds.

        `try_again`: also if it has failed before.
        """
        model = self.dense(name)  # also makes sure that it is on this machine
        if model.by_openvino or (name in self._trials and not try_again) or not is_installed() or is_static(name):
            return model
        del model
        with self._trying:
            if (model := self.dense(name)).by_openvino:
                return model  # another thread has tried it meanwhile
            del model
            trial = self._trial(name)
            if not self._ended.is_set() and (trial is None or (try_again and not trial.passed)):
                trial = self._trials[name] = try_openvino(name, self._ended)
        if trial and trial.passed:
            self._release(name)
            _collect()
        return self.dense(name)

    def embed_passages(self, name: str, texts: Sequence[str]) -> list[list[float]]:
        """Return the vectors of passages of an import, which lets questions go first."""
        self._embedded[name] += len(texts)
        is_many = self._embedded[name] > _TRIAL_PAYS
        return (self.fastest_dense(name) if is_many else self.dense(name)).embed(texts, self.give_way)

    def runtime(self, name: str) -> str:
        """Return what runs a dense model, in words, and why not OpenVINO."""
        if self.dense(name).by_openvino:
            return f"OpenVINO {version('openvino')}: {self._trials[name].outcome}"
        if is_static(name):
            return "a table, needs no runtime"
        untried = "OpenVINO was not tried yet" if is_installed() else "OpenVINO is not installed"
        why = f"not OpenVINO: {self._trials[name].outcome}" if name in self._trials else untried
        return f"onnxruntime {version('onnxruntime')} ({why})"

    def _trial(self, name: str) -> Trial | None:
        """Return the outcome of trying OpenVINO with a model, or None if it was not tried."""
        if name not in self._trials and is_installed() and (known := known_trial(name)):
            self._trials[name] = known
        return self._trials.get(name)

    def sparse(self, name: str) -> SparseModel:
        """Return a sparse model."""
        allowed, language = self._settings.allow_download, self._settings.language
        return self._load_once(name, lambda: SparseModel(name, language, allow_download=allowed))

    def reranker(self, name: str) -> Reranker:
        """Return a cross-encoder."""
        allowed = self._settings.allow_download
        return self._load_once(name, lambda: Reranker(name, allow_download=allowed))

    def end(self) -> None:
        """End a trial of OpenVINO in progress, and begin none."""
        self._ended.set()

    def release_unused(self, seconds: float) -> None:
        """Free the models that nobody has used for so long."""
        until = time.monotonic() - seconds
        with self._lock:
            unused = [name for name, used in self._used.items() if used < until]
        for name in unused:
            self._release(name)
        if unused:
            _collect()

    def _release(self, name: str) -> None:
        """Free a model; who is using it keeps it until then."""
        with self._lock:
            self._loaded.pop(name, None)
            self._used.pop(name, None)

    def _load_once(self, name: str, load: Callable[[], _Model]) -> _Model:
        """Return a loaded model, or load it under a lock of its own: other models stay available meanwhile."""
        with self._lock:
            loading = self._loading.setdefault(name, threading.Lock())
        with loading:
            with self._lock:
                model: _Model | None = self._loaded.get(name)
            if model is None:
                model = load()
            with self._lock:
                self._loaded[name], self._used[name] = model, time.monotonic()
            return model


def _collect() -> None:
    """Give the memory of released models back to the system."""
    gc.collect()
    release_free_memory()


def _to_sparse_vector(vector: Any) -> SparseVector:
    return SparseVector(vector.indices.tolist(), vector.values.tolist())


def _embedding_failed(name: str, error: Exception) -> CiteLoomError:
    return CiteLoomError(
        Code.EMBEDDING_FAILED, f"The model '{name}' failed on a text: {error}.", "Run the check-up ('citeloom doctor')."
    )
