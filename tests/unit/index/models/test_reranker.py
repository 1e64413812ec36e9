"""Cross-encoders: judgements from 0 to 1, in the order of the texts. The one here judges by a text's length."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from citeloom.core.errors import CiteLoomError, Code
from citeloom.core.settings import Models
from citeloom.index.models import loading
from citeloom.index.models.embedding import ModelRegistry

NAME = "Xenova/ms-marco-MiniLM-L-6-v2"
_INT64, _FLOAT = 7, 1


def _field(number: int, value: int | bytes) -> bytes:
    """One field of a protocol buffer."""
    kind = 0 if isinstance(value, int) else 2
    body = _varint(value) if isinstance(value, int) else _varint(len(value)) + value
    return _varint(number << 3 | kind) + body


def _varint(value: int) -> bytes:
    out = b""
    while value > 127:
        out, value = out + bytes([value & 127 | 128]), value >> 7
    return out + bytes([value])


def _tensor(name: str, kind: int, second: bytes) -> bytes:
    shape = _field(1, _field(2, b"batch")) + _field(1, second)
    return _field(1, name.encode()) + _field(2, _field(1, _field(1, kind) + _field(2, shape)))


def _attribute(name: str, kind: int, *values: bytes) -> bytes:
    return _field(5, _field(1, name.encode()) + b"".join(values) + _field(20, kind))


def _node(made: str, name: str, operation: str, *attributes: bytes) -> bytes:
    ends = _field(1, name.encode()) + _field(2, made.encode()) + _field(4, operation.encode())
    return _field(1, ends + b"".join(attributes))


def network() -> bytes:
    """An ONNX network: how many tokens there are in the second text of a pair."""
    summed = _node("sum", "token_type_ids", "ReduceSum", _attribute("axes", 7, _field(8, 1)))
    cast = _node("logits", "sum", "Cast", _attribute("to", 2, _field(3, _FLOAT)))
    inputs = b"".join(
        _field(11, _tensor(name, _INT64, _field(2, b"length"))) for name in ("input_ids", "token_type_ids")
    )
    graph = summed + cast + _field(2, b"g") + inputs + _field(12, _tensor("logits", _FLOAT, _field(1, 1)))
    return _field(1, 7) + _field(7, graph) + _field(8, _field(1, b"") + _field(2, 11))


@pytest.fixture
def shelf(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ModelRegistry:
    monkeypatch.setenv("CITELOOM_HOME", str(tmp_path))
    folder = tmp_path / "cache" / "models" / f"models--{NAME.replace('/', '--')}"
    snapshot = folder / "snapshots" / "0000"
    (snapshot / "onnx").mkdir(parents=True)
    (snapshot / "onnx" / "model.onnx").write_bytes(network())
    data = Path(loading.__file__).with_name("data")
    for file in ("tokenizer.json", "config.json", "special_tokens_map.json"):
        shutil.copy(data / file, snapshot / file)
    (snapshot / "tokenizer_config.json").write_text(json.dumps({"model_max_length": 512, "pad_token": "[PAD]"}))
    (folder / "refs").mkdir()
    (folder / "refs" / "main").write_text("0000")
    return ModelRegistry(Models())


def test_each_text_gets_a_score_from_0_to_1_that_its_neighbours_do_not_change(shelf: ModelRegistry) -> None:
    reranker = shelf.reranker(NAME)
    short, long, longer = "salt", "salt and water", "salt and water in the sea"
    scores = reranker.scores("What is the sea?", [longer, short, long])
    assert 0 < scores[1] < scores[2] < scores[0] < 1
    assert scores == [reranker.scores("What is the sea?", [text])[0] for text in (longer, short, long)]
    assert reranker.scores("What is the sea?", []) == []
    assert shelf.reranker(NAME) is reranker and reranker.name == NAME


def test_a_reranker_that_fails_says_which_one_and_what(shelf: ModelRegistry, monkeypatch: pytest.MonkeyPatch) -> None:
    reranker = shelf.reranker(NAME)
    with pytest.raises(CiteLoomError, match=NAME) as caught:
        reranker.scores("a question", [7])
    assert caught.value.code == Code.EMBEDDING_FAILED and "search.rerank" in caught.value.next_step
