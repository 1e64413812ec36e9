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


def fuse(by_meaning: Ranking, by_words: Ranking, fusion: Fusion, limit: int) -> list[tuple[str, float]]:
    """Return the best of both rankings with scores from 0 to 1, best first; ties are ordered by id.

    A "blend" score is the mean of cosine and scaled BM25, so it is comparable between questions. With "rrf" (reciprocal
    rank fusion), the first of both rankings has 1 however far away it is; with "dbsf" (distribution-based score
    fusion), a score says how far a passage stands out among the others that were found.
    """
    found = {**by_meaning, **by_words}
    if fusion.method == "rrf":
        by_meaning, by_words = _by_place(by_meaning, fusion.k), _by_place(by_words, fusion.k)
    elif fusion.method == "dbsf":
        by_meaning, by_words = _by_spread(by_meaning), _by_spread(by_words)
    else:
        # More were requested of each ranking than are returned: a ranking with fewer is complete.
        return best(_blend(found, by_meaning, scaled_bm25(by_words), every_word=len(by_words) < limit), limit)
    return best({id: (by_meaning.get(id, 0.0) + by_words.get(id, 0.0)) / 2 for id in found}, limit)


def scaled_bm25(scores: Ranking) -> Ranking:
    """Map BM25, which has no upper bound, to 0 to 1 with diminishing returns."""
    return {id: score / (score + _BM25_HALF_SCORE) for id, score in scores.items() if score > 0}


def _blend(found: Ranking, by_meaning: Ranking, by_words: Ranking, *, every_word: bool) -> Ranking:
    # A passage that only one ranking found scores between 0 and the last of the other; where the sparse ranking is
    # complete, the others share no word.
    least_meaning = max(0.0, min(by_meaning.values(), default=0.0)) / 2
    least_words = 0.0 if every_word else min(by_words.values(), default=0.0) / 2
    return {id: (max(0.0, by_meaning.get(id, least_meaning)) + by_words.get(id, least_words)) / 2 for id in found}


def _by_place(scores: Ranking, k: int) -> Ranking:
    """Return reciprocal ranks: 1 for the first, whatever its score."""
    ordered = sorted(scores, key=lambda id: (-scores[id], id))
    return {id: k / (k + place) for place, id in enumerate(ordered)}


def _by_spread(scores: Ranking) -> Ranking:
    """Return scores by their distance from the mean: three standard deviations above are 1, three below 0."""
    if len(scores) < 2:
        return dict.fromkeys(scores, 0.5)
    mean = sum(scores.values()) / len(scores)
    deviation = sqrt(sum((score - mean) ** 2 for score in scores.values()) / (len(scores) - 1))
    if deviation == 0:
        return dict.fromkeys(scores, 0.5)
    return {id: 0.5 + (score - mean) / (6 * deviation) for id, score in scores.items()}


def best(scores: Ranking, limit: int) -> list[tuple[str, float]]:
    """Return the best of a ranking with scores cut to 0 to 1, best first; ties are ordered by id."""
    unit = {id: round(min(1.0, max(0.0, score)), 4) for id, score in scores.items()}
    return sorted(unit.items(), key=lambda found: (-found[1], found[0]))[:limit]
