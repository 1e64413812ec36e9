"""Fusion of the dense and the sparse ranking of a hybrid search, the same for every backend. Called by index/base."""

from __future__ import annotations

from math import sqrt
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from citeloom.index.base import Fusion  # base imports this module

# The BM25 score that maps to 0.5: about three distinctive words shared by passage and question. Measured on SciFact,
# Cranfield and the sample library: quality is flat from 10 to 20, and also in the share of the dense score.
_BM25_HALF_SCORE = 15.0

Ranking = dict[str, float]  # ids with cosine similarities or BM25 scores


def fuse(
    dense: Ranking, sparse: Ranking, fusion: Fusion, limit: int, by_words: Ranking | None = None
) -> list[tuple[str, float]]:
    """Return the best of both rankings with scores from 0 to 1, best first; ties are ordered by id.

    A "blend" score is the mean of cosine and scaled BM25, so it is comparable between questions. With "rrf" (reciprocal
    rank fusion), the first of both rankings has 1 however far away it is; with "dbsf" (distribution-based score
    fusion), a score says how far a passage stands out among the others that were found.

    `by_words` is the BM25 of passages that have no dense vector. Theirs is the whole score, not half of it: scaled with
    "blend"; with "rrf" by the rank, and with "dbsf" by the distance, among all passages that were found by words.
    """
    found, by_words = {**dense, **sparse}, by_words or {}
    if fusion.method == "rrf":
        dense, words = _reciprocal_ranks(dense, fusion.k), _reciprocal_ranks(sparse | by_words, fusion.k)
    elif fusion.method == "dbsf":
        dense, words = _normalised(dense), _normalised(sparse | by_words)
    else:
        # More were requested of each ranking than are returned: a ranking with fewer is complete.
        blended = _blend(found, dense, scaled_bm25(sparse), sparse_complete=len(sparse) < limit)
        return top(blended | scaled_bm25(by_words), limit)
    fused = {id: (dense.get(id, 0.0) + words.get(id, 0.0)) / 2 for id in found}
    return top(fused | {id: words[id] for id in by_words}, limit)


def scaled_bm25(scores: Ranking) -> Ranking:
    """Map BM25, which has no upper bound, to 0 to 1 with diminishing returns."""
    return {id: score / (score + _BM25_HALF_SCORE) for id, score in scores.items() if score > 0}


def _blend(found: Ranking, dense: Ranking, sparse: Ranking, *, sparse_complete: bool) -> Ranking:
    # A passage that only one ranking found scores between 0 and the last of the other; where the sparse ranking is
    # complete, the others share no word.
    lowest_dense = max(0.0, min(dense.values(), default=0.0)) / 2
    lowest_sparse = 0.0 if sparse_complete else min(sparse.values(), default=0.0) / 2
    return {id: (max(0.0, dense.get(id, lowest_dense)) + sparse.get(id, lowest_sparse)) / 2 for id in found}


def _reciprocal_ranks(scores: Ranking, k: int) -> Ranking:
    """Return reciprocal ranks: 1 for the first, whatever its score."""
    ordered = sorted(scores, key=lambda id: (-scores[id], id))
    return {id: k / (k + rank) for rank, id in enumerate(ordered)}


def _normalised(scores: Ranking) -> Ranking:
    """Return scores by their distance from the mean: three standard deviations above are 1, three below 0."""
    if len(scores) < 2:
        return dict.fromkeys(scores, 0.5)
    mean = sum(scores.values()) / len(scores)
    deviation = sqrt(sum((score - mean) ** 2 for score in scores.values()) / (len(scores) - 1))
    if deviation == 0:
        return dict.fromkeys(scores, 0.5)
    return {id: 0.5 + (score - mean) / (6 * deviation) for id, score in scores.items()}


def top(scores: Ranking, limit: int) -> list[tuple[str, float]]:
    """Return the best of a ranking with scores cut to 0 to 1, best first; ties are ordered by id."""
    unit = {id: round(min(1.0, max(0.0, score)), 4) for id, score in scores.items()}
    return sorted(unit.items(), key=lambda found: (-found[1], found[0]))[:limit]
