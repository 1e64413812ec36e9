"""Reranks the best hits with a cross-encoder, where the settings name one. Called by `search.query`."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Protocol

from citeloom.api.search import RerankCost
from citeloom.core.cancel import Cancel
from citeloom.search.grouping import HitGroup

CANDIDATES = 30
_BATCH = 5  # texts scored between two looks at the clock


class Reranker(Protocol):
    """A model that scores how well texts answer a question."""

    name: str

    def scores(self, question: str, texts: Sequence[str]) -> list[float]:
        """A score from 0 to 1 for each text."""


def rerank(
    reranker: Reranker, question: str, groups: Sequence[HitGroup], deadline: float, cancel: Cancel
) -> RerankCost | None:
    """Set the scores of hits to the cross-encoder's; None, and no change, where there is no time until `deadline`."""
    began, scores = time.monotonic(), list[float]()
    texts = [str(group.merged().payload.get("chunk_text", "")) for group in groups]
    for start in range(0, len(texts), _BATCH):
        cancel.check()
        # The first ones tell how long the rest will take.
        each = (time.monotonic() - began) / start if start else 0.0
        if time.monotonic() + each * (len(texts) - start) > deadline:
            return None
        scores += reranker.scores(question, texts[start : start + _BATCH])
    for group, score in zip(groups, scores, strict=True):
        group.score = round(min(1.0, max(0.0, score)), 4)
    return RerankCost(reranker.name, len(texts), round(time.monotonic() - began, 3))
