"""What stands after a key: places in a work."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citeloom.evidence.manuscripts.locators import parse_locator

PAGES = {
    "p. 33": ("33", "33", "33"),
    "33": ("33", "33", "33"),
    ", pp. 33-35": ("33", "35", "33-35"),
    "33--35": ("33", "35", "33--35"),
    "p.~33": ("33", "33", "33"),
    r"\ppno~33--5": ("33", "35", "33--5"),
    "33–5": ("33", "35", "33–5"),
    "253–4": ("253", "254", "253–4"),
    "p. 33–p. 35": ("33", "35", "33–p. 35"),
    "pages 33 to 35": ("33", "35", "33 to 35"),
    "xii–xv": ("xii", "xv", "xii–xv"),
    "p. xii f.": ("xii", "xiii", "xii f."),
    "A12": ("A12", "A12", "A12"),
    "S12–S15": ("S12", "S15", "S12–S15"),
    "S. 33": ("33", "33", "33"),
    "стр. 12": ("12", "12", "12"),
    "págs. 3–4": ("3", "4", "3–4"),
    "e1234": ("e1234", "e1234", "e1234"),
    "33f.": ("33", "34", "33f."),
    r"33\psq": ("33", "34", r"33\psq"),
    "vol. 2, p. 33": ("33", "33", "33"),
    "p. 33, n. 4": ("33", "33", "33"),
    "33, n. 4": ("33", "33", "33"),
    "1990, p. 4": ("4", "4", "4"),
    "39-1": ("39-1", "39-1", "39-1"),  # page 1 of chapter 39
}


@pytest.mark.parametrize("text", PAGES)
def test_pages_are_read_and_their_place_is_told(text: str) -> None:
    first, last, written = PAGES[text]
    found = parse_locator(text)
    assert found.pages == (first, last)
    assert found.span is not None
    assert text[found.span.start : found.span.end] == written
    assert found.suffix == ""


@pytest.mark.parametrize("text", ["chap. 2", "§ 4", "§§ 4-5", "fig. 3", "2:33", "A51/B75", "chap. 2, 33", "l. 4"])
def test_other_places_are_locators_but_no_pages(text: str) -> None:
    found = parse_locator(text)
    assert (found.locator, found.pages, found.span) == (text, None, None)


@pytest.mark.parametrize(
    "text", [", i.e. not so", "mix of both", "see there", "I, for one", "M. Weber", "s.v. ratio", ""]
)
def test_words_are_no_locator(text: str) -> None:
    found = parse_locator(text)
    assert (found.locator, found.pages, found.suffix) == ("", None, text)


def test_a_list_of_pages_reaches_from_its_first_to_its_last_and_is_no_one_place() -> None:
    found = parse_locator("pp. 33, 41 and 50–2, and passim")
    assert (found.locator, found.pages, found.span) == ("pp. 33, 41 and 50–2", ("33", "52"), None)
    assert found.suffix == ", and passim"


def test_following_pages_leave_their_end_open() -> None:
    found = parse_locator("33 ff.")
    assert found.pages is not None
    assert found.pages[0] == "33"
    assert int(found.pages[1]) >= 35


@given(st.text(alphabet="p. 3-–5xivfS§,;~\\n{}:/ab", max_size=40))
def test_whatever_is_written_the_parts_are_parts_of_it(text: str) -> None:
    found = parse_locator(text)
    assert found.locator in text
    assert text.rstrip().endswith(found.suffix)
    if found.span:
        assert text[found.span.start : found.span.end] in found.locator
    assert found.pages is None or found.locator
