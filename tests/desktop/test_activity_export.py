"""The access log as a table for spreadsheets: whatever editors asked comes through, and none of it is a formula."""

from __future__ import annotations

import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citeloom.core.types import AccessEntry
from citeloom.desktop.activity.csv_export import HEADER, as_csv

# Anything an editor may send, with a liking for what means something to a spreadsheet.
TEXT = st.text(st.sampled_from("=+-@\t\r\n\"';,|") | st.characters(codec="utf-8", exclude_characters="\x00"))


@given(asked=TEXT, client=TEXT, separator=st.sampled_from(",;"))
def test_every_entry_comes_through_and_none_is_a_formula(asked: str, client: str, separator: str) -> None:
    entry = AccessEntry(1, "2026-11-16T12:00:00+00:00", "c", client, None, "query", asked, ["a", "b"], "ok", 1.5)
    written = as_csv([entry], separator).decode("utf-8-sig")
    head, row = csv.reader(io.StringIO(written, newline=""), delimiter=separator)
    assert tuple(head) == HEADER
    cells = dict(zip(head, row, strict=True))
    assert cells["asked"].removeprefix("'") == asked.removeprefix("'")
    assert cells["editor"].removeprefix("'") == client.removeprefix("'")
    assert not any(cell.startswith(("=", "+", "-", "@", "\t", "\r")) for cell in row)
    assert (cells["passages"], cells["passage ids"]) == ("2", "a b")


@pytest.mark.parametrize("asked", ["\ud800", "\x00"], ids=["half a character", "a zero"])
def test_what_no_file_can_hold_does_not_stop_the_export(asked: str) -> None:
    entry = AccessEntry(1, "", "", "", "p", "", asked, [], "", 0.0)
    assert as_csv([entry], ",").count(b"\r\n") == 2
