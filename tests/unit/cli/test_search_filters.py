"""Filters as people type them."""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citeloom.cli.search import read_filters
from citeloom.core.errors import CiteLoomError, Code
from citeloom.index.filters import parse


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ([], None),
        (["author=Evans"], {"author": "Evans"}),
        (["author = Mary Evans "], {"author": "Mary Evans"}),
        (["tags=method|review"], {"tags": ["method", "review"]}),
        (["year>=2015"], {"year": {"$gte": "2015"}}),
        (["year>=2015", "year<2020"], {"year": {"$gte": "2015", "$lt": "2020"}}),
        (["year<=2015"], {"year": {"$lte": "2015"}}),
        (["year>2015"], {"year": {"$gt": "2015"}}),
        (["citekey!=x"], {"citekey": {"$ne": "x"}}),
        (["title~sleep"], {"title": {"$contains": "sleep"}}),
        (["source=a=b.pdf"], {"source": "a=b.pdf"}),
        (["section_prefix=2 > 2.1"], {"section_prefix": "2 > 2.1"}),
        (['{"year": {"$in": [2015, 2016]}}', "author=Evans"], {"year": {"$in": [2015, 2016]}, "author": "Evans"}),
    ],
)
def test_what_is_typed_is_what_an_agent_would_send(typed: list[str], meant: dict[str, Any] | None) -> None:
    made = read_filters(tuple(typed))
    assert made == meant
    parse(made)  # the index understands it


@pytest.mark.parametrize("typed", ["author", "=Evans", "author=", "author:Evans", "", '{"year": ', "[1]", "{}x"])
def test_what_cannot_be_read_is_refused_with_examples(typed: str) -> None:
    with pytest.raises(CiteLoomError, match="author=Evans") as caught:
        read_filters((typed,))
    assert caught.value.code == Code.INVALID_INPUT
    assert repr(typed) in caught.value.message


@pytest.mark.parametrize(
    "typed",
    [("tags=method", "tags=review"), ("year=2015", "year>=2010"), ("year>=2010", "year=2015"), ("year>1", "year>2")],
)
def test_a_key_typed_twice_does_not_lose_its_first_value_in_silence(typed: tuple[str, str]) -> None:
    try:
        made = read_filters(typed)
    except CiteLoomError as error:
        assert error.code == Code.INVALID_INPUT
        return
    values = [re.split("[<>=]+", part)[1] for part in typed]
    assert all(repr(value) in repr(made) for value in values)


@given(st.lists(st.text(max_size=20), max_size=3))
def test_anything_typed_is_read_or_refused(typed: list[str]) -> None:
    try:
        made = read_filters(tuple(typed))
    except CiteLoomError as error:
        assert error.code == Code.INVALID_INPUT
        return
    assert made is None or isinstance(made, dict)
