"""Roman numerals."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citeloom.core.text.numerals import ranges, roman_value, to_roman


@given(st.integers(1, 5999))
def test_a_number_comes_back_from_its_numeral_in_either_case(number: int) -> None:
    assert roman_value(to_roman(number)) == number
    assert roman_value(to_roman(number).upper()) == number


@pytest.mark.parametrize("text", ["", "iiii", "vx", "civil", "ill", "12", "ic", "İ"])
def test_other_texts_are_no_numerals(text: str) -> None:
    assert roman_value(text) is None


@given(st.sets(st.integers(1, 400)))
def test_ranges_name_each_number_once_in_order(numbers: set[int]) -> None:
    named = [
        number
        for part in filter(None, ranges(numbers).split(", "))
        for first, _, last in [part.partition("–")]
        for number in range(int(first), int(last or first) + 1)
    ]
    assert named == sorted(numbers)


def test_numbers_that_follow_each_other_are_one_range() -> None:
    assert ranges([5, 1, 2, 3, 7]) == "1–3, 5, 7"
