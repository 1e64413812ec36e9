"""Folding of text: what counts as the same, and what does not."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citeloom.core.text.normalize import fold, fold_case, fold_for_search, fold_name, letters_and_digits


@given(st.text(max_size=30))
def test_a_text_is_found_by_itself_in_capitals_or_without_accents(text: str) -> None:
    assert fold(text.casefold()) == fold(text)
    plain = fold(text)
    assert fold(plain) == plain or not plain.isascii()
    assert not any(unicodedata.combining(c) for c in plain)


@pytest.mark.parametrize(
    ("function", "text", "expected"),
    [
        (fold, "Ångström", "angstrom"),
        (fold_for_search, "№ 5", "no 5"),
        (fold_case, "U\u0308bung.PDF", "übung.pdf"),
        (fold_name, "  To-Read\u3000ＡＢＣ ", "to-read abc"),
        (fold_name, "Café", "café"),
        (letters_and_digits, "4.2 Eﬃcient naı̈ve Größe?", "42efficientnaivegrosse"),
        (letters_and_digits, "§ …", ""),
    ],
)
def test_each_function_folds_what_its_name_says(function: object, text: str, expected: str) -> None:
    assert callable(function)
    assert function(text) == expected


@given(st.text(max_size=30))
def test_letters_and_digits_are_those_of_each_character_in_turn(text: str) -> None:
    assert letters_and_digits(text) == "".join(map(letters_and_digits, text))
