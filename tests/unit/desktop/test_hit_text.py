"""Passages as they are pasted."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from citeloom.core.text.sanitize import clean
from citeloom.desktop.text.hit_text import opens_in_zotero, quotation
from tests.sample_results import search_hit

CITE = "[@key, p. 3]"


def test_a_short_quotation_stands_in_marks_before_its_citation() -> None:
    assert quotation(" Trees cool\nby day. ", CITE) == "“Trees cool by day.” [@key, p. 3]"


def test_a_quotation_within_the_quotation_has_single_marks() -> None:
    assert quotation("He wrote “never” twice.", CITE) == "“He wrote ‘never’ twice.” [@key, p. 3]"


def test_a_long_quotation_is_a_block_that_ends_with_its_citation() -> None:
    sentence = "word " * 41
    assert quotation(sentence, CITE) == f"> {sentence}{CITE}"
    assert quotation("One “a”.\n\n \nTwo.", CITE) == f"> One “a”.\n>\n> Two. {CITE}"


def test_of_nothing_the_citation_is_left() -> None:
    assert quotation(" \n ", CITE) == CITE


@given(st.text(max_size=600))
def test_no_word_is_lost_and_every_line_of_a_block_is_quoted(text: str) -> None:
    made = quotation(text, CITE)
    assert made.endswith(CITE)
    if made.startswith("> "):
        assert all(line.startswith(">") for line in made.split("\n"))
    bare = made.removesuffix(CITE)
    for mark in "“”‘’>":
        bare, text = bare.replace(mark, ""), text.replace(mark, "")
    assert "".join(bare.split()) == "".join(clean(text).split())


def test_only_zoteros_own_addresses_open_in_zotero() -> None:
    assert opens_in_zotero(search_hit(open_uri="zotero://open-pdf/library/items/ABC?page=3"))
    assert not opens_in_zotero(search_hit(open_uri="file:///papers/zotero:.pdf"))
    assert not opens_in_zotero(search_hit(open_uri=None))
