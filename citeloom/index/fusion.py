"""How the two rankings of a hybrid search become one, the same wherever the passages are kept."""

from __future__ import annotations

from math import sqrt
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from citeloom.index.base import Fusion  # which itself ranks by this module

# BM25 that counts as one half, about what three telling words give that a passage shares with a question. Measured on
# SciFact, Cranfield and the sample library: quality is flat from 10 to 20, and so it is in the share of meaning.
_HALF_OF_BM25 = 15.0

Ranking = dict[str, float]  # ids with cosines of meanings, or with BM25: the weights of the words that are shared


def fuse(by_meaning: Ranking, by_words: Ranking, fusion: Fusion, limit: int) -> list[tuple[str, float]]:
    """The best of both rankings with scores from 0 to 1, best first; equal ones by id.

    By "blend" a score is half how near a passage is in meaning and half how much it says in the question's own words,
    whatever else was found: it means the same from question to question. By "rrf" the first of both rankings has 1
    however far both are, and by "dbsf" a score says how far a passage stands out among the others that were found.
    """
    found = {**by_meaning, **by_words}
    if fusion.method == "rrf":
        by_meaning, by_words = _by_place(by_meaning, fusion.k), _by_place(by_words, fusion.k)
    elif fusion.method == "dbsf":
        by_meaning, by_words = _by_spread(by_meaning), _by_spread(by_words)
    else:
        # Each ranking was asked for more than are wanted: one that has fewer has all there are.
        return _best(_blend(found, by_meaning, _pressed(by_words), every_word=len(by_words) < limit), limit)
    return _best({id: (by_meaning.get(id, 0.0) + by_words.get(id, 0.0)) / 2 for id in found}, limit)


def by_meaning_alone(cosines: Ranking, limit: int) -> list[tuple[str, float]]:
    """The best of one ranking, by their cosines."""
    return _best(cosines, limit)


def by_words_alone(weights: Ranking, limit: int) -> list[tuple[str, float]]:
    """The best of one ranking, by BM25 pressed into the scale of cosines."""
    return _best(_pressed(weights), limit)


def _pressed(scores: Ranking) -> Ranking:
    """BM25 from 0 to 1: it has no upper end, and what more of it says grows less and less."""
    return {id: score / (score + _HALF_OF_BM25) for id, score in scores.items() if score > 0}


def _blend(found: Ranking, by_meaning: Ranking, by_words: Ranking, *, every_word: bool) -> Ranking:
    # What only one ranking found lies somewhere between the last that the other found and nothing; where all passages
    # with a word of the question were found, the others have none.
    least_meaning = max(0.0, min(by_meaning.values(), default=0.0)) / 2
    least_words = 0.0 if every_word else min(by_words.values(), default=0.0) / 2
    return {id: (max(0.0, by_meaning.get(id, least_meaning)) + by_words.get(id, least_words)) / 2 for id in found}


def _by_place(scores: Ranking, k: int) -> Ranking:
    """Reciprocal ranks: 1 for the first, whatever its score was."""
    ordered = sorted(scores, key=lambda id: (-scores[id], id))
    return {id: k / (k + place) for place, id in enumerate(ordered)}


def _by_spread(scores: Ranking) -> Ranking:
    """Scores by how far they lie from the mean of their ranking: three deviations above it are 1, as many below 0."""
    if len(scores) < 2:
        return dict.fromkeys(scores, 0.5)
    mean = sum(scores.values()) / len(scores)
    deviation = sqrt(sum((score - mean) ** 2 for score in scores.values()) / (len(scores) - 1))
    if deviation == 0:
        return dict.fromkeys(scores, 0.5)
    return {id: 0.5 + (score - mean) / (6 * deviation) for id, score in scores.items()}


def _best(scores: Ranking, limit: int) -> list[tuple[str, float]]:
    unit = {id: round(min(1.0, max(0.0, score)), 4) for id, score in scores.items()}
    return sorted(unit.items(), key=lambda found: (-found[1], found[0]))[:limit]
