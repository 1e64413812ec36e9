"""Two rankings become one: in the same order everywhere, with scores from 0 to 1 that say what they should."""

from __future__ import annotations

import random
from typing import NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citeloom.index import fusion as ranking
from citeloom.index.base import Fusion
from citeloom.index.fusion import Ranking

BLEND, RRF, DBSF = Fusion("blend"), Fusion("rrf", 60), Fusion("dbsf")
FUSIONS = [BLEND, RRF, DBSF]
METHODS = pytest.mark.parametrize("fusion", FUSIONS, ids=lambda fusion: fusion.method)


class Candidate(NamedTuple):
    """What one of the rankings found, or both did: its cosine, and the weight of its words."""

    id: str
    dense: float | None
    sparse: float | None


def rankings(found: list[Candidate]) -> tuple[Ranking, Ranking]:
    by_meaning = {c.id: c.dense for c in found if c.dense is not None}
    return by_meaning, {c.id: c.sparse for c in found if c.sparse is not None}


def fuse(found: list[Candidate], fusion: Fusion, limit: int) -> list[tuple[str, float]]:
    return ranking.fuse(*rankings(found), fusion, limit)


cosine, weight = st.floats(-1, 1), st.floats(0, 500)
scores = st.tuples(cosine, weight) | st.tuples(cosine, st.none()) | st.tuples(st.none(), weight)
candidates = st.lists(scores, max_size=30).map(
    lambda found: [Candidate(f"{n:02}", dense, sparse) for n, (dense, sparse) in enumerate(found)]
)


@given(candidates, st.sampled_from(FUSIONS), st.integers(0, 40), st.randoms())
def test_any_rankings_give_falling_scores_from_0_to_1_in_one_order_whatever_order_they_came_in(
    found: list[Candidate], fusion: Fusion, limit: int, chance: random.Random
) -> None:
    fused = fuse(found, fusion, limit)
    assert len(fused) == min(limit, len(found))
    scores = [score for _, score in fused]
    assert all(0 <= score <= 1 for score in scores)
    assert fused == sorted(fused, key=lambda one: (-one[1], one[0]))
    if fusion is not DBSF:  # whose mean is a sum of numbers that are not exact
        assert fuse(chance.sample(found, len(found)), fusion, limit) == fused


@METHODS
def test_what_both_rankings_find_comes_before_what_one_finds(fusion: Fusion) -> None:
    found = [
        Candidate("meaning", 0.70, None),
        Candidate("both", 0.68, 19.0),
        Candidate("words", None, 20.0),
        *(Candidate(f"x{n}", 0.1, 1.0) for n in range(6)),
    ]
    assert fuse(found, fusion, 1)[0][0] == "both"


@METHODS
def test_candidates_without_any_difference_come_by_id(fusion: Fusion) -> None:
    found = [Candidate(name, 0.5, 3.0) for name in ("c", "a", "b")]
    assert [name for name, _ in fuse(found, fusion, 3)] == ["a", "b", "c"]


def test_a_blended_score_does_not_depend_on_what_else_was_found() -> None:
    one = Candidate("a", 0.6, 12.0)
    others = [Candidate(f"x{n}", 0.9, 40.0) for n in range(9)]
    alone_found, among_others = dict(fuse([one], BLEND, 10))["a"], dict(fuse([one, *others], BLEND, 10))["a"]
    assert alone_found == among_others == pytest.approx((0.6 + 12 / 27) / 2, abs=1e-4)
    assert dict(fuse([one], RRF, 10))["a"] != dict(fuse([one, *others], RRF, 10))["a"]


def test_a_blended_score_is_near_1_for_a_passage_of_the_same_words_and_low_for_one_about_something_else() -> None:
    assert fuse([Candidate("same", 1.0, 300.0)], BLEND, 1)[0][1] > 0.95
    assert fuse([Candidate("other", 0.1, 2.0)], BLEND, 1)[0][1] < 0.2
    assert fuse([Candidate("nothing", -0.2, None)], BLEND, 1)[0][1] == 0


def test_what_one_ranking_did_not_find_counts_as_less_than_the_last_it_found() -> None:
    found = [Candidate("last", 0.4, 10.0), Candidate("unfound", None, 10.0), Candidate("far", 0.0, 10.0)]
    assert [name for name, _ in fuse(found, BLEND, 3)] == ["last", "far", "unfound"]
    found[2] = Candidate("first", 0.8, 10.0)
    assert [name for name, _ in fuse(found, BLEND, 3)] == ["first", "last", "unfound"]


def test_what_holds_no_word_of_the_question_has_nothing_for_words_where_few_passages_do() -> None:
    found = [Candidate("rare", 0.3, 40.0), Candidate("other", 0.3, None)]
    assert dict(fuse(found, BLEND, 18))["other"] == 0.15
    assert dict(fuse(found, BLEND, 1)) == {"rare": dict(fuse(found, BLEND, 18))["rare"]}


def test_by_ranks_the_first_of_both_rankings_has_1() -> None:
    found = [Candidate("a", 0.2, 9.0), Candidate("b", 0.1, 8.0), Candidate("c", 0.05, None)]
    assert fuse(found, Fusion("rrf", 1), 3) == [("a", 1.0), ("b", 0.5), ("c", pytest.approx(1 / 6, abs=1e-4))]


def test_by_spread_the_mean_of_both_rankings_has_one_half() -> None:
    found = [Candidate("a", 0.9, 9.0), Candidate("b", 0.5, 5.0), Candidate("c", 0.1, 1.0)]
    assert fuse(found, DBSF, 3) == [
        ("a", pytest.approx(2 / 3, abs=1e-4)),
        ("b", 0.5),
        ("c", pytest.approx(1 / 3, abs=1e-4)),
    ]


words_alone = st.dictionaries(st.integers(0, 9).map(lambda n: f"w{n}"), st.floats(0.001, 500), min_size=1)


@given(candidates, words_alone, st.sampled_from(FUSIONS), st.integers(1, 40))
def test_passages_without_a_vector_compete_on_the_same_scale(
    found: list[Candidate], alone: Ranking, fusion: Fusion, limit: int
) -> None:
    fused = ranking.fuse(*rankings(found), fusion, limit, alone)
    assert fused == sorted(fused, key=lambda one: (-one[1], one[0]))
    assert len(fused) == min(limit, len(found) + len(alone)) and all(0 <= score <= 1 for _, score in fused)
    assert ranking.fuse(*rankings(found), fusion, limit, {}) == fuse(found, fusion, limit)


def test_a_blended_score_of_words_alone_is_not_halved_and_leaves_others_theirs() -> None:
    found = [Candidate("a", 0.6, 12.0), Candidate("b", 0.5, None)]
    together = dict(ranking.fuse(*rankings(found), BLEND, 10, {"new": 15.0}))
    assert together.pop("new") == 0.5
    assert together == dict(fuse(found, BLEND, 10))


def test_by_ranks_a_passage_without_a_vector_has_its_place_among_all_found_by_words() -> None:
    found = [Candidate("a", 0.2, 9.0), Candidate("b", 0.1, 7.0)]
    fused = dict(ranking.fuse(*rankings(found), Fusion("rrf", 1), 9, {"new": 8.0}))
    assert fused == {"a": 1.0, "new": 0.5, "b": pytest.approx((1 / 2 + 1 / 3) / 2, abs=1e-4)}


def test_one_ranking_alone_gives_the_cosine_or_the_words_pressed_between_0_and_1() -> None:
    found = [
        Candidate("a", 0.25, None),
        Candidate("b", 0.75, 15.0),
        Candidate("c", None, 45.0),
        Candidate("d", -0.5, 0.0),
    ]
    cosines, weights = rankings(found)
    assert ranking.top(cosines, 2) == [("b", 0.75), ("a", 0.25)]
    assert ranking.top(cosines, 9)[-1] == ("d", 0.0)
    assert ranking.top(ranking.scaled_bm25(weights), 9) == [("c", 0.75), ("b", 0.5)]
