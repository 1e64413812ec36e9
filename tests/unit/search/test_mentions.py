"""Questions that name what they look for: a work by key, author and year or title, or words in quotation marks."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citeloom.index.base import ScoredPoint
from citeloom.search.mentions import find_mentions

WORK = {
    "citekey": "sorensenArtificialLight2023",
    "authors": ["Sørensen, Ida", "Achterberg, Wim"],
    "year": 2023,
    "title": "Artificial Light and Stopover Choice in Nocturnally Migrating Thrushes",
    "chunk_text": "The outcome is a ring of crowded\nwoodland around every town. Zürich was dark.",
}


def score(question: str, **other: Any) -> float:
    keys = {"sorensen_old": "sorensenArtificialLight2023"}
    return find_mentions(question, keys.get).boosted(ScoredPoint("id", 0.2, {**WORK, **other})).score


@pytest.mark.parametrize(
    "question",
    [
        "sorensenArtificialLight2023",
        "what does @sorensenArtificialLight2023 say of age?",
        "[@sorensenArtificialLight2023, p. 3]",
        "sorensen_old",
        "Sørensen 2023",
        "sorensen 2023 age",
        "achterberg2023 age",
        "Achterberg (2023b) on the age of birds",
        "In 2023, what did Achterberg find?",
        "Ida Sørensen",
        "who says ”around every town”",
        "Sørensen & Achterberg",
        "Sørensen and Achterberg",
        "artificial light and stopover choice in nocturnally migrating thrushes",
        '"ring of crowded woodland"',
        "who says “around every town”",
        '"zurich was dark"',
    ],
)
def test_a_passage_that_the_question_names_rises_half_the_way_to_one(question: str) -> None:
    assert score(question) == 0.6


@pytest.mark.parametrize(
    "question",
    [
        "light",
        "light and birds",
        "Achterberg 1999",
        "thrushes in 2023",
        "sorensenOther2023",
        "ring of crowded woodland",
        '"ring of woodland"',
        '"crowded woodland around every tow"',
        "Achterberg on the age of migrating thrushes",
    ],
)
def test_a_question_that_names_nothing_of_a_passage_leaves_its_score(question: str) -> None:
    assert score(question) == 0.2


def test_a_name_of_two_letters_beside_a_year_is_a_name_where_it_is_written_like_one() -> None:
    assert score("Li 2023 on light", authors=["Li, Wei"]) == score("李明 2023", authors=["李明"]) == 0.6
    assert score("what changed in 2023", authors=["In, Ho"]) == 0.2


def test_half_a_title_and_more_lifts_as_much_as_it_is_of_it() -> None:
    assert 0.2 == score("artificial light stopover") < score("artificial light stopover choice thrushes") < 0.6
    assert score("Orientalism", title="Orientalism") == 0.6
    assert score("artificial light", title="") == 0.2


@given(st.text(max_size=200) | st.lists(st.sampled_from(['"', "“", "a", "A1", "2020", "@", ":"])).map(" ".join))
def test_any_question_is_read_and_scores_stay_within_bounds(question: str) -> None:
    asked = find_mentions(question, lambda key: None)
    asked.condition()
    for given_score in (0.0, 0.3, 1.0):
        assert given_score <= asked.boosted(ScoredPoint("id", given_score, WORK)).score <= 1


def test_a_very_long_question_names_only_its_phrases() -> None:
    asked = find_mentions('"a ring of crowded woodland" ' + "sorensen 2023 " * 3000 + "x" * 9000, lambda key: None)
    assert (asked.words, asked.citekeys, asked.phrases) == ((), frozenset(), ("a ring of crowded woodland",))
