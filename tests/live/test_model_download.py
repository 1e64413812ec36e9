"""A model from its hub, downloaded for real. Opt in with CITELOOM_LIVE_MODELS=1."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from citeloom.index.models.embedding import DenseModel
from citeloom.index.models.reranker import Reranker

pytestmark = [
    pytest.mark.live,
    pytest.mark.skipif(not os.environ.get("CITELOOM_LIVE_MODELS"), reason="asks a hub: set CITELOOM_LIVE_MODELS=1"),
]


def test_a_model_named_in_the_settings_is_downloaded_where_that_is_allowed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CITELOOM_HOME", str(tmp_path))
    model = DenseModel("BAAI/bge-small-en-v1.5", allow_download=True)
    assert (model.info.size, model.info.max_tokens) == (384, 512)
    assert len(model.embed_query("sleep spindles")) == 384


def test_a_cross_encoder_is_downloaded_and_tells_an_answer_from_another_text(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CITELOOM_HOME", str(tmp_path))
    reranker = Reranker("Xenova/ms-marco-MiniLM-L-6-v2", allow_download=True)
    near, far = reranker.scores(
        "How often are quotations wrong?", ["A quarter of all citations err.", "Corals bleach."]
    )
    assert 0 <= far < near <= 1
