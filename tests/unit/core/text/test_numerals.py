"""Roman numerals."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citeloom.core.text.numerals import roman_value, to_roman


@given(st.integers(1, 5999))
def test_a_number_comes_back_from_its_numeral_in_either_case(number: int) -> None:
    assert roman_value(to_roman(number)) == number
    assert roman_value(to_roman(number).upper()) == number


@pytest.mark.parametrize("text", ["", "iiii", "vx", "civil", "ill", "12", "ic", "İ"])
def test_other_texts_are_no_numerals(text: str) -> None:
    assert roman_value(text) is None
