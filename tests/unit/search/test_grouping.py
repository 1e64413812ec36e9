"""What is shown of the passages that were found: each thing once, neighbours together, not one work alone."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citeloom.api.search import PassageReference
from citeloom.index.base import ScoredPoint
from citeloom.search.grouping import HitGroup, group_hits
from citeloom.search.hits import search_hit

FOOTPRINT = (
    "The harbour lights were switched off on alternate nights, and the thrushes came down elsewhere in the dark."
)
LEDGER = "Pepper comes in and pepper goes out, and the balance at the end of each year is a quantity of pepper alone."
REEF = "Recovery began on the outer slope in 2018, in the lagoon in 2019, and had scarcely begun on the flat by then."


def hit(score: float, text: str, doc: str = "a", place: int = 0, **more: Any) -> ScoredPoint:
    payload = {"chunk_id": f"{doc}-{place}", "doc_id": doc, "citekey": f"key-{doc}", "chunk_index": place}
    made = {"chunk_text": text, "version": "1", "section_path": ["Results"], "text_source": "native", **payload, **more}
    return ScoredPoint(f"{doc}-{place}", score, made)


def shown(
    found: list[ScoredPoint], most: int = 6, per_document: int | None = None, max_chars: int = 1800
) -> list[HitGroup]:
    return group_hits(found, most, per_document=per_document, max_chars=max_chars)


def ids(chosen: list[HitGroup]) -> list[list[str]]:
    return [[part.id for part in one.parts] for one in chosen]


def test_a_passage_of_preprint_and_published_work_is_shown_once_and_says_where_else_it_stands() -> None:
    preprint = f"Keywords: birds, light. {FOOTPRINT}"
    published = FOOTPRINT.replace("harbour", "Harbour") + " We thank the harbour."
    found = [hit(0.9, preprint, "arxiv", 3), hit(0.7, LEDGER, "venturi"), hit(0.5, published, "journal", 7)]
    chosen = shown(found)
    assert ids(chosen) == [["arxiv-3"], ["venturi-0"]]
    answer = search_hit(chosen[0], max_chars=1800, full_text=False)
    assert answer.also_in == (PassageReference("journal-7", "[@key-journal]"),)
    assert search_hit(chosen[1], max_chars=1800, full_text=False).also_in == ()


def test_of_two_alike_and_about_equally_near_the_one_with_a_printed_page_is_shown() -> None:
    paged = hit(0.88, FOOTPRINT, "journal", page_labels=["12"], page_start=4, page_end=4)
    chosen = shown([hit(0.9, FOOTPRINT, "arxiv"), paged])
    assert ids(chosen) == [["journal-0"]]
    assert chosen[0].merged().score == 0.88
    assert [other.id for other in chosen[0].also_in] == ["arxiv-0"]
    assert ids(shown([hit(0.9, FOOTPRINT, "arxiv"), hit(0.6, FOOTPRINT, "journal", page_labels=["12"])])) == [
        ["arxiv-0"]
    ]


def test_what_counts_as_no_work_never_stands_before_the_work_that_says_the_same() -> None:
    stored = hit(1.0, FOOTPRINT, "agent", citekey="", text_source="agent", page_labels=["1"], doi="10.5555/x")
    (chosen,) = shown([stored, hit(0.3, FOOTPRINT, "journal")])
    assert [part.id for part in chosen.parts] == ["journal-0"]
    answer = search_hit(chosen, max_chars=1800, full_text=False)
    assert (answer.cite, answer.also_in) == ("[@key-journal]", (PassageReference("agent-0", None),))


def test_passages_that_share_a_sentence_among_others_are_both_shown() -> None:
    found = [hit(0.9, f"{FOOTPRINT} {LEDGER}", "a"), hit(0.8, f"{FOOTPRINT} {REEF}", "b")]
    assert len(shown(found)) == 2


METHODS = (
    "Participants were {n} adults. All of them gave written consent, were told that they could stop at any time, and"
    " slept in the laboratory on two nights a week apart. Spindles were counted by hand at the central electrodes."
    " Sleep {did} recall (β = {b}, p {sign} .05)."
)
TABLE = (
    "| site | 2018 | 2019 |\n| --- | --- | --- |\n| lagoon | 12.3 | {n} |\n| slope | 4.1 | 5.6 |\n| flat | 0.2 | 0.3 |"
)
SAID = {"n": "120", "did": "improved", "b": "0.31", "sign": "<"}


@pytest.mark.parametrize(
    ("text", "other"),
    [
        (METHODS, {"n": "250"}),
        (METHODS, {"did": "did not improve"}),
        (METHODS, {"did": "impaired"}),
        (METHODS, {"b": "−0.31"}),
        (METHODS, {"sign": ">"}),
        (TABLE, {"n": "12.1"}),
        ("All of it is said {n} times and in the same words, which are many, up to the very last one {n}.", {"n": "2"}),
        ("{n}", {"n": "→"}),
    ],
)
def test_passages_alike_but_for_what_they_say_are_both_shown(text: str, other: dict[str, str]) -> None:
    one = text.format(**SAID)
    for around in ("{}", "A longer beginning of its own. {}", "{} And an end that the other lacks."):
        differing = around.format(text.format(**{**SAID, **other}))
        assert len(shown([hit(0.9, one, "a"), hit(0.8, differing, "b")])) == 2
        assert len(shown([hit(0.9, differing, "a"), hit(0.8, one, "b")])) == 2


def test_how_a_text_is_set_makes_no_other_text() -> None:
    printed = METHODS.format(**SAID).replace("laboratory", "labo- ratory").replace("consent", "CONSENT,")
    assert len(shown([hit(0.9, METHODS.format(**SAID), "a"), hit(0.8, printed, "b")])) == 1


def test_of_very_long_texts_only_the_very_same_is_shown_once() -> None:
    book = f"{FOOTPRINT} " * 200
    assert ids(shown([hit(0.9, book, "a"), hit(0.8, f"{book}2", "b"), hit(0.7, book, "c")])) == [["a-0"], ["b-0"]]


def test_a_passage_that_says_much_more_than_the_one_shown_is_shown_too() -> None:
    assert len(shown([hit(0.9, FOOTPRINT, "a"), hit(0.8, f"{FOOTPRINT} {LEDGER} {REEF}", "b")])) == 2


def test_short_passages_are_alike_only_when_they_say_the_same() -> None:
    assert ids(shown([hit(0.9, "Bees dance.", "a"), hit(0.8, "Bees sting.", "b"), hit(0.7, "bees DANCE", "c")])) == [
        ["a-0"],
        ["b-0"],
    ]


def test_neighbours_become_one_hit_on_the_pages_of_both() -> None:
    found = [
        hit(0.9, LEDGER, place=5, page_start=4, page_end=5, page_labels=["70", "71"], ocr_confidence=0.9),
        hit(0.8, REEF, "b"),
        hit(0.7, FOOTPRINT, place=4, page_start=4, page_end=4, page_labels=["70"], ocr_confidence=0.7),
    ]
    first, second = (search_hit(one, max_chars=1800, full_text=True) for one in shown(found))
    assert (first.chunk_id, first.score) == ("a-5", 0.9)
    assert first.full_text == first.render_text == f"{FOOTPRINT}\n\n{LEDGER}"
    assert (first.page_span, first.page_labels) == ((4, 5), ("70", "71"))
    assert (first.cite, first.ocr_confidence) == ("[@key-a, pp. 70–71]", 0.7)
    assert first.merged == (
        PassageReference("a-4", "[@key-a, p. 70]"),
        PassageReference("a-5", "[@key-a, pp. 70–71]"),
    )
    assert (second.chunk_id, second.merged) == ("b-0", ())


def test_a_passage_between_two_hits_joins_all_three() -> None:
    found = [hit(0.9, LEDGER, place=1), hit(0.8, REEF, place=3), hit(0.7, FOOTPRINT, place=2)]
    assert ids(shown(found)) == [["a-1", "a-2", "a-3"]]


@pytest.mark.parametrize(
    "more",
    [
        {"place": 3},
        {"doc": "b"},
        {"version": "2"},
        {"section_path": ["Discussion"]},
        {"text_source": "ocr"},
        {"page_labels": ["3"]},
        {"chunk_text": "x " * 900},
    ],
    ids=lambda more: next(iter(more)),
)
def test_what_does_not_stand_together_or_does_not_fit_stays_apart(more: dict[str, Any]) -> None:
    other = hit(0.8, LEDGER, **{"place": 2, **more})
    assert len(shown([hit(0.9, REEF, place=1), other])) == 2


def test_highlights_stay_apart() -> None:
    mark: dict[str, Any] = {"text_source": "annotation", "annotation": {"annotation": "A"}}
    assert len(shown([hit(0.9, REEF, place=1, **mark), hit(0.8, LEDGER, place=2, **mark)])) == 2


def test_what_overlapping_passages_both_say_stands_there_once_even_where_an_agent_stored_them() -> None:
    first, second = f"{REEF} {FOOTPRINT}", f"{FOOTPRINT} {LEDGER} {LEDGER[:50]}"
    found = [hit(0.9, first, place=1, file_type="stored"), hit(0.8, second, place=2, file_type="stored")]
    (one,) = shown(found)
    assert one.merged().payload["chunk_text"] == f"{REEF} {second}"
    # Without it, the order in which an agent sent passages says nothing.
    assert len(shown([hit(0.9, REEF, place=1, file_type="stored"), hit(0.8, LEDGER, place=2, file_type="stored")])) == 2


def test_equal_rows_at_the_end_of_one_passage_and_the_beginning_of_the_next_are_both_shown() -> None:
    row = "| no mussels seen | 0 | 0 | 0 |"
    first, second = f"| sea otters seen | 3 | 1 | 2 |\n{row}", f"{row}\n| urchins | 40 | 38 | 41 |"
    (one,) = shown([hit(0.9, first, place=1), hit(0.8, second, place=2)])
    assert one.merged().payload["chunk_text"].count(row) == 2


def test_a_better_copy_never_brings_a_work_more_hits_than_were_asked_for() -> None:
    paged: dict[str, Any] = {"page_labels": ["7"], "page_start": 3, "page_end": 3}
    found = [hit(0.9, LEDGER, "journal", 1), hit(0.8, REEF, "arxiv", 5), hit(0.79, REEF, "journal", 9, **paged)]
    assert ids(shown(found, per_document=1)) == [["journal-1"], ["arxiv-5"]]
    assert ids(shown(found, per_document=2)) == [["journal-1"], ["journal-9"]]


def test_one_work_gives_at_most_so_many_hits_and_others_come_in_their_place() -> None:
    found = [hit(0.9 - n / 100, f"{n} {n + 1} {n + 2} {n + 3}", "a", 10 * n) for n in range(5)]
    found += [hit(0.5, REEF, "b"), hit(0.4, LEDGER, "c")]
    assert ids(shown(found, most=3, per_document=1)) == [["a-0"], ["b-0"], ["c-0"]]
    assert ids(shown(found, most=3, per_document=2)) == [["a-0"], ["a-10"], ["b-0"]]
    assert ids(shown(found, most=3)) == [["a-0"], ["a-10"], ["a-20"]]


words = st.lists(st.sampled_from(["salt", "grain", "pepper", "x"]), max_size=12).map(" ".join)
passages = st.lists(
    st.tuples(words, st.sampled_from("ab"), st.integers(0, 5), st.floats(0, 1)), max_size=12, unique_by=lambda p: p[1:3]
)


@given(passages, st.integers(1, 6), st.none() | st.integers(1, 3))
def test_what_is_shown_falls_in_score_and_every_passage_stands_in_one_place(
    made: list[tuple[str, str, int, float]], most: int, per_document: int | None
) -> None:
    found = sorted((hit(score, text, doc, place) for text, doc, place, score in made), key=lambda h: -h.score)
    chosen = shown(found, most, per_document)
    assert len(chosen) <= most
    scores = [one.merged().score for one in chosen]
    assert scores == sorted(scores, reverse=True)
    seen = [h.id for one in chosen for h in (*one.parts, *one.also_in)]
    assert len(seen) == len(set(seen))
    for one in chosen:
        places = [part.payload["chunk_index"] for part in one.parts]
        assert places == list(range(places[0], places[0] + len(places)))
    if per_document is None and len(chosen) < most:
        assert sorted(seen) == sorted(h.id for h in found)
