"""The best passages read again with the question by a cross-encoder, where the settings name one and there is time."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any, Protocol

from citeloom.core.cancel import Cancel
from citeloom.search.grouping import Chosen

CANDIDATES = 30
_AT_ONCE = 5  # between two looks at the clock


class Reranker(Protocol):
    """What judges how well passages answer a question."""

    name: str

    def scores(self, question: str, texts: Sequence[str]) -> list[float]:
        """A score from 0 to 1 for each text."""


def rerank(
    reranker: Reranker, question: str, chosen: Sequence[Chosen], until: float, cancel: Cancel
) -> dict[str, Any] | None:
    """Give passages the cross-encoder's scores and say what that cost; None, and no change, where there is no time."""
    began, scores = time.monotonic(), list[float]()
    texts = [str(one.as_one().payload.get("chunk_text", "")) for one in chosen]
    for start in range(0, len(texts), _AT_ONCE):
        cancel.check()
        # The first ones tell how long the rest will take.
        each = (time.monotonic() - began) / start if start else 0.0
        if time.monotonic() + each * (len(texts) - start) > until:
            return None
        scores += reranker.scores(question, texts[start : start + _AT_ONCE])
    for one, score in zip(chosen, scores, strict=True):
        one.score = round(min(1.0, max(0.0, score)), 4)
    return {"model": reranker.name, "candidates": len(texts), "seconds": round(time.monotonic() - began, 3)}
