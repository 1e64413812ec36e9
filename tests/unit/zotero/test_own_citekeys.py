"""The citation key an item carries itself."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citeloom.zotero.citekeys import own_citekey, without_key_line
from citeloom.zotero.types import Item

KEYS = st.from_regex(r"[A-Za-z0-9:_./-]{1,30}", fullmatch=True)
REMARKS = st.lists(st.from_regex(r"(tex\.[a-z]+|PMID|arXiv): [a-z0-9 ]*[a-z0-9]", fullmatch=True), max_size=4)


@given(key=KEYS, before=REMARKS, after=REMARKS, name=st.sampled_from(["Citation Key: ", "citekey:", "CITATION KEY : "]))
def test_a_key_is_found_on_any_line_of_extra_and_its_line_can_be_left_out(
    key: str, before: list[str], after: list[str], name: str
) -> None:
    extra = "\n".join([*before, name + key, *after])
    assert own_citekey(Item("AAAA2222", {"extra": extra})) == key
    assert without_key_line(extra) == "\n".join(before + after)


@given(native=KEYS, line=KEYS)
def test_the_native_field_wins_over_extra(native: str, line: str) -> None:
    item = Item("AAAA2222", {"citationKey": f" {native} ", "extra": f"Citation Key: {line}"})
    assert own_citekey(item) == native


@pytest.mark.parametrize(
    "data",
    [{}, {"extra": "Citation Key:"}, {"extra": "Citation key: see the list"}, {"citationKey": "\x1b "}, {"extra": 7}],
)
def test_what_is_no_key_is_none(data: dict[str, object]) -> None:
    assert own_citekey(Item("AAAA2222", data)) is None


@given(st.text())
def test_extra_without_a_key_line_is_kept_line_by_line(extra: str) -> None:
    if own_citekey(Item("AAAA2222", {"extra": extra})) is None:
        assert without_key_line(extra).splitlines() == "\n".join(extra.splitlines()).splitlines()
