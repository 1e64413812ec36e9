"""Reranks the best hits with the cross-encoder of the settings. Called by `search.query`."""

from __future__ import annotations

import time
from collections.abc import Sequence

from citeloom.api.search import RerankCost
from citeloom.core.cancel import Cancel
from citeloom.index.models.reranker import Reranker
from citeloom.search.grouping import HitGroup

CANDIDATES = 30
_BATCH = 5  # texts scored between two checks of the deadline


def rerank(
    reranker: Reranker, question: str, groups: Sequence[HitGroup], deadline: float, cancel: Cancel
) -> RerankCost | None:
    """Set the scores of hits to the cross-encoder's; None, without changes, if `deadline` would be missed."""
    began, scores = time.monotonic(), list[float]()
    texts = [str(group.merged().payload.get("chunk_text", "")) for group in groups]
    for start in range(0, len(texts), _BATCH):
        cancel.check()
        # The time of the first batches predicts the rest.
        seconds_per_text = (time.monotonic() - began) / start if start else 0.0
        if time.monotonic() + seconds_per_text * (len(texts) - start) > deadline:
            return None
        scores += reranker.scores(question, texts[start : start + _BATCH])
    for group, score in zip(groups, scores, strict=True):
        group.score = round(min(1.0, max(0.0, score)), 4)
    return RerankCost(reranker.name, len(texts), round(time.monotonic() - began, 3))
