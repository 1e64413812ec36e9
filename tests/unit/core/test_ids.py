"""Ids of documents and passages."""

from __future__ import annotations

import uuid

from hypothesis import given
from hypothesis import strategies as st

from citeloom.core.ids import document_id, passage_id, passage_set_id, stored_passage_id

SET = passage_set_id("thesis", "hash", "c1", 256)

text = st.text(max_size=20)
ids = st.tuples(text.filter(lambda t: "\n" not in t), text)


@given(ids, ids)
def test_two_sources_have_one_id_only_if_they_are_the_same(one: tuple[str, str], other: tuple[str, str]) -> None:
    assert (document_id(*one) == document_id(*other)) == (one == other)
    assert (stored_passage_id(*one) == stored_passage_id(*other)) == (one == other)
    assert document_id(*one) != stored_passage_id(*one)


def test_ids_are_the_same_in_every_run() -> None:
    assert document_id("thesis", "/a.pdf") == "6c89fd01-66e4-52e2-8bb3-649891d1a9df"
    assert passage_set_id("thesis", "hash", "c1", 256) == "f9fe42b3-c353-5d4c-9623-992c728f25d2"
    assert passage_id(SET, 7) == "d81b108c-7526-5d19-9aa0-6f3a6a1e0090"


def test_a_set_of_passages_is_another_when_anything_that_makes_it_is() -> None:
    made = {
        SET,
        passage_set_id("other", "hash", "c1", 256),
        passage_set_id("thesis", "other", "c1", 256),
        passage_set_id("thesis", "hash", "c2", 256),
        passage_set_id("thesis", "hash", "c1", 512),
    }
    assert len(made) == 5


def test_the_passages_of_all_sets_have_ids_of_their_own() -> None:
    other = passage_set_id("thesis", "other", "c1", 256)
    made = [passage_id(passage_set, index) for passage_set in (SET, other) for index in range(500)]
    assert len(set(made)) == len(made)
    assert all(str(uuid.UUID(one)) == one for one in made)
