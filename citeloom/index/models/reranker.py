"""Reranking with cross-encoders, which read question and passage together: better and hundreds of times slower."""

from __future__ import annotations

import math
from collections.abc import Sequence

from citeloom.core.errors import CiteLoomError, Code
from citeloom.index.models.loading import load_reranker

_BATCH_SIZE = 1  # batch size; in a larger batch, short passages are padded to the longest and cost as much


class Reranker:
    """Scores how well passages answer a question."""

    def __init__(self, name: str, *, allow_download: bool = False) -> None:
        self.name = name
        self._model = load_reranker(name, allow_download=allow_download)

    def scores(self, question: str, texts: Sequence[str]) -> list[float]:
        """Return the scores of texts for a question, from 0 to 1."""
        try:
            return [_sigmoid(score) for score in self._model.rerank(question, list(texts), batch_size=_BATCH_SIZE)]
        except Exception as error:
            raise CiteLoomError(
                Code.EMBEDDING_FAILED,
                f"The reranker '{self.name}' failed on a text: {error}.",
                "Choose another one, or none: search.rerank in the settings.",
            ) from error


def _sigmoid(score: float) -> float:
    """Map a logit to a probability."""
    bounded = max(-60.0, min(60.0, score))
    return 1 / (1 + math.exp(-bounded))
