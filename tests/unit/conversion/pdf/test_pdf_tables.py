from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from citeloom.conversion.pdf.raw_page import Word
from citeloom.conversion.pdf.tables import table_rows
from citeloom.core.text.markdown_table import as_markdown

cell = st.text("abcXYZ019.%", min_size=1, max_size=8)


def words(rows: list[list[str]], widths: int = 90, leading: float = 14) -> list[Word]:
    """Cells set at the left of columns of equal width."""
    made = []
    for at, row in enumerate(rows):
        for column, text in enumerate(row):
            x = 50.0 + widths * column
            for word in text.split():
                made.append(Word(word, x, x + 5 * len(word), 700 - leading * at, 10, "", False))
                x += 5 * len(word) + 2.5
    return made


@given(st.integers(2, 6).flatmap(lambda n: st.lists(st.lists(cell, min_size=n, max_size=n), min_size=2, max_size=12)))
def test_full_rows_come_back_as_they_were_set(rows: list[list[str]]) -> None:
    rows = [[text.upper() for text in row] for row in rows]  # small letters would go on from the row above
    assert table_rows(words(rows)) == rows


def test_a_wrapped_cell_belongs_to_its_row_and_an_empty_one_stays_empty() -> None:
    rows = [["Unit", "Tests", "Power"], ["Seedlings, potted", "902", "21%"], ["plants", "", ""], ["Plots", "", "12%"]]
    assert table_rows(words(rows, widths=120, leading=12)) == [
        ["Unit", "Tests", "Power"],
        ["Seedlings, potted plants", "902", "21%"],
        ["Plots", "", "12%"],
    ]


def test_a_head_over_two_columns_does_not_join_them() -> None:
    made = words([["Field", "A", "B"], ["History", "58", "44"], ["Law", "41", "27"]])
    made.append(Word("Errors-of-wording-and-of-page", 140, 250, 714, 10, "", False))
    assert table_rows(made)[1:] == [["Field", "A", "B"], ["History", "58", "44"], ["Law", "41", "27"]]


def test_prose_is_no_table() -> None:
    assert table_rows(words([["one line of text"], ["and another line"]])) == []


def test_markdown_keeps_a_row_on_a_line_under_the_caption() -> None:
    text = as_markdown([["a|b", "c\nd"], ["e"]], "Table 1. Letters.")
    assert text == "Table 1. Letters.\n\n| a\\|b | c d |\n| --- | --- |\n| e |  |"
