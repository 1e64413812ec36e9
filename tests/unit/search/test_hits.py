"""Passages as agents get them: cut at a sentence, ready to cite, within a budget."""

from __future__ import annotations

import math
from pathlib import Path, PureWindowsPath
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from citeloom.api.search import SearchHit
from citeloom.api.verbs import encode
from citeloom.core.errors import CiteLoomError, Code
from citeloom.index.base import ScoredPoint
from citeloom.search import hits as answers
from citeloom.search.grouping import HitGroup
from citeloom.search.hits import (
    CUT_MARK,
    cite,
    estimate_tokens,
    found_passage,
    open_uri,
    search_hit,
    trim,
    within_budget,
)
from citeloom.tools import results
from tests import sample_results

prose = st.lists(
    st.sampled_from(
        ["Salt", "was", "traded.", "Was", "it?", "“Yes!”", "(Grain.)", "verylongword" * 4, "\n", "e.g.", "Ä"]
    ),
    min_size=6,
    max_size=80,
).map(" ".join)
limits = st.integers(len(CUT_MARK) + 1, 400)


@given(st.one_of(st.text(max_size=300), prose), limits)
@example("a" * 50, 10)
@example(" " * 50, 10)
@example("x. " * 50, 11)
def test_a_trimmed_text_is_a_beginning_of_it_within_the_limit(text: str, limit: int) -> None:
    trimmed = trim(text, limit)
    assert len(trimmed) <= limit
    if len(text) <= limit:
        assert trimmed == text
    else:
        assert trimmed.endswith(CUT_MARK)
        kept = trimmed.removesuffix(CUT_MARK)
        assert text.startswith(kept) and kept == kept.rstrip()


@given(prose.filter(lambda text: len(text) > 20), st.data())
def test_a_text_is_cut_at_the_last_sentence_that_fits_else_at_a_word(text: str, data: st.DataObject) -> None:
    limit = data.draw(st.integers(len(CUT_MARK) + 1, len(text) - 1))
    room = limit - len(CUT_MARK)
    kept = trim(text, limit).removesuffix(CUT_MARK)
    enders = (".", "?", "!", "!”", ".)")
    ends = [n for n in range(1, room + 1) if text[:n].endswith(enders) and text[n : n + 1].isspace()]
    if ends and ends[-1] > room // 3:
        assert len(kept) == ends[-1]
    elif " " in text[1:room]:
        assert text[len(kept) :].startswith((" ", "\n"))


def test_a_text_that_fits_is_left_as_it_is() -> None:
    assert trim("Salt. Grain.", 12) == "Salt. Grain."
    assert trim("Salt was traded. Grain was not, or so they say.", 30) == "Salt was traded. […]"
    assert trim("Salt was traded for grain and more", 20) == "Salt was traded […]"


@pytest.mark.parametrize(
    ("labels", "expected"),
    [
        ([], "[@müller2019]"),
        (["33"], "[@müller2019, p. 33]"),
        (["33", "33"], "[@müller2019, p. 33]"),
        (["33", "34"], "[@müller2019, pp. 33–34]"),
        (["xii", "xiii", "1"], "[@müller2019, pp. xii–1]"),
    ],
)
def test_a_citation_names_one_page_a_span_or_none(labels: list[str], expected: str) -> None:
    assert cite("müller2019", labels) == expected


ZOTERO = {"library": "library", "item": "WORK2345", "attachment": "ABCD1234"}


@pytest.mark.parametrize(
    ("payload", "expected"),
    [
        ({"source_path": "/papers/a b#1.pdf", "page_start": 3}, "file:///papers/a%20b%231.pdf#page=3"),
        ({"source_path": "/papers/Weißenborn.md"}, "file:///papers/Wei%C3%9Fenborn.md"),
        (
            {"source_path": "/a.pdf", "zotero": ZOTERO, "page_start": 3},
            "zotero://open-pdf/library/items/ABCD1234?page=3",
        ),
        ({"zotero": {**ZOTERO, "library": "groups/7"}}, "zotero://open/groups/7/items/ABCD1234"),
        (
            {"zotero": ZOTERO, "file_type": "annotations", "page_start": 3, "annotation": {"annotation": "MARK2345"}},
            "zotero://open-pdf/library/items/ABCD1234?page=3&annotation=MARK2345",
        ),
        (
            {"zotero": ZOTERO, "file_type": "annotations", "annotation": {"annotation": "MARK2345"}},
            "zotero://open/library/items/ABCD1234?annotation=MARK2345",
        ),
        ({"zotero": ZOTERO, "file_type": "note"}, "zotero://select/library/items/ABCD1234"),
        ({"zotero": ZOTERO, "file_type": "fulltext"}, "zotero://select/library/items/WORK2345"),
        ({"source_path": "stored:x", "url": "https://example.org/x"}, "https://example.org/x"),
        ({"source_path": "stored:x"}, None),
        ({}, None),
    ],
)
@pytest.mark.skipif(Path("/a").drive != "" or not Path("/a").is_absolute(), reason="paths look otherwise there")
def test_a_passage_can_be_opened_where_it_stands(payload: dict[str, Any], expected: str | None) -> None:
    assert open_uri(payload) == expected


def test_a_passage_can_be_opened_on_windows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(answers, "Path", PureWindowsPath)
    assert open_uri({"source_path": r"C:\My Papers\a.pdf", "page_start": 3}) == "file:///C:/My%20Papers/a.pdf#page=3"


PAYLOAD = {
    "chunk_id": "c",
    "doc_id": "d",
    "source": "a.pdf",
    "source_path": "/papers/a.pdf",
    "chunk_text": "Salt was traded. " * 20,
    "citekey": "müller2019",
    "page_start": 3,
    "page_end": 4,
    "page_labels": ["253", "254"],
    "section": "Trade",
    "section_path": ["Trade"],
    "authors": ["Müller, Ève"],
    "year": 2019,
}


def test_a_hit_has_every_part_of_the_contract() -> None:
    hit = search_hit(HitGroup([ScoredPoint("id", 0.5, PAYLOAD)], 0.5), max_chars=100, full_text=False)
    assert set(encode(hit)) - {"details", "by_words_only"} == set(
        results.QUERY["properties"]["items"]["items"]["required"]
    )
    assert (hit.page_span, hit.page_labels) == ((3, 4), ("253", "254"))
    assert hit.cite == "[@müller2019, pp. 253–254]"
    assert len(hit.render_text) <= 100 and hit.full_text is None
    assert (hit.text_source, hit.citekey_made, hit.doi) == ("native", False, None)
    whole = search_hit(HitGroup([ScoredPoint("id", 0.5, PAYLOAD)], 0.5), max_chars=100, full_text=True)
    assert whole.full_text == PAYLOAD["chunk_text"]


def test_a_hit_without_pages_has_no_span_and_a_citation_without_page() -> None:
    hit = found_passage(ScoredPoint("id", 0.5, {"citekey": "k", "chunk_text": "x"}))
    assert (hit.page_span, hit.page_labels, hit.cite, hit.chunk_id) == (None, (), "[@k]", "id")


def hits(lengths: list[int]) -> tuple[SearchHit, ...]:
    return tuple(sample_results.search_hit(render_text="x" * length, full_text=None) for length in lengths)


@given(st.lists(st.integers(1, 60), max_size=8), st.none() | st.integers(1, 60))
def test_what_is_kept_fits_the_budget(lengths: list[int], budget: int | None) -> None:
    given_hits = hits(lengths)
    costs = [math.ceil(length / 4) for length in lengths]
    if budget is not None and costs and costs[0] > budget:
        with pytest.raises(CiteLoomError) as caught:
            within_budget(given_hits, budget)
        assert caught.value.code == Code.BUDGET_EXCEEDED
        assert caught.value.details == {"needed": costs[0]}
        assert within_budget(given_hits, costs[0])[0] == given_hits[:1]
        return
    kept, tokens = within_budget(given_hits, budget)
    assert kept == given_hits[: len(kept)]
    assert tokens == sum(costs[: len(kept)])
    if budget is None:
        assert len(kept) == len(lengths)
    else:
        assert tokens <= budget
        if len(kept) < len(lengths):
            assert tokens + costs[len(kept)] > budget


def test_a_full_text_costs_what_it_is_long() -> None:
    kept, tokens = within_budget([sample_results.search_hit(render_text="x" * 4, full_text="x" * 400)], 100)
    assert (len(kept), tokens) == (1, 100)
    assert estimate_tokens("") == 0
