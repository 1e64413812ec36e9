"""What is set off in a hit, and how its particulars read."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citeloom.desktop.text.hit_text import cut, highlight_spans, names, utf16


@pytest.mark.parametrize(
    ("text", "question", "expected"),
    [
        ("The trees of Étretat", "tree étretat", ["trees", "Étretat"]),
        ("The trees of Étretat", "ETRETAT", ["Étretat"]),
        ("what the theory of heat is", "what is the heat", ["heat"]),
        ("a cat catalogue", "cat", ["cat"]),
        ("Straße und Strasse", "strasse", ["Straße", "Strasse"]),
        ("<b>bold</b>", "<b>", []),
    ],
    ids=["inflected", "accents", "little words", "short words whole", "sharp s", "markup"],
)
def test_the_words_of_the_question_are_set_off(text: str, question: str, expected: list[str]) -> None:
    assert [text[start:end] for start, end in highlight_spans(text, question)] == expected


@given(st.text(), st.text())
def test_what_is_set_off_lies_in_the_text_in_order(text: str, question: str) -> None:
    places = [at for place in highlight_spans(text, question) for at in place]
    assert places == sorted(places)
    assert all(0 <= at <= len(text) for at in places)


@given(st.text(), st.integers(min_value=0, max_value=30))
def test_places_are_counted_as_qt_does(text: str, at: int) -> None:
    assert utf16(text, at) >= at
    assert utf16(text, len(text)) == len(text.encode("utf-16-le", "surrogatepass")) // 2


@given(st.text(max_size=300), st.integers(min_value=1, max_value=50))
def test_a_cut_text_is_one_line_and_no_longer_than_asked(text: str, most: int) -> None:
    made = cut(text, most)
    assert len(made) <= most and len(made.splitlines()) <= 1


def test_authors_read_as_in_a_running_text() -> None:
    assert names([]) == ""
    assert names(["Okafor, Ada"]) == "Okafor"
    assert names(["Okafor, Ada", "Lindqvist, Bo"]) == "Okafor & Lindqvist"
    assert names(["Okafor, Ada", "WHO", "Lindqvist, Bo"]) == "Okafor et al."
