"""Filters of a search: every key and operator of the contract keeps what fits and nothing else."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

import pytest

from tests.contract.sample_library import COVERED, HARTMANN, NOTES, PROJECT, QUESTIONS, RECORDS, Hit
from tests.contract.strict_editor import StrictEditor

FILTER_KEYS = {
    "citekey", "claimed_citekey", "doc_id", "author", "title", "year", "tags", "collections", "item_type",
    "section_prefix", "exclude_sections", "text_source", "page", "page_label", "file_type", "source", "project",
    "header_level", "last_modified",
}  # fmt: skip
ABSTRACTS = {"Abstract", "Summary", "Zusammenfassung"}  # what papers call it: "abstract" leaves them all out
OPERATORS = {"$gte", "$lte", "$gt", "$lt", "$ne", "$in", "$contains"}


def tags(hit: Hit) -> set[str]:
    return set(RECORDS.get(hit["citekey"], {}).get("keyword", "").split(", "))


def path(hit: Hit) -> list[str]:
    """The headings without their numbers."""
    return [re.sub(r"^(\d+(\.\d+)*|[IVX]+)\.?\s+", "", heading) for heading in hit["section_path"]]


def year(hit: Hit) -> int:
    return hit["year"] or 0


def pages(hit: Hit) -> range:
    return range(hit["page_span"][0], hit["page_span"][1] + 1) if hit["page_span"] else range(0)


FILTERS: list[tuple[dict[str, Any], Callable[[Hit], bool]]] = [
    ({"citekey": HARTMANN}, lambda h: h["citekey"] == HARTMANN),
    ({"citekey": [HARTMANN, NOTES]}, lambda h: h["citekey"] in (HARTMANN, NOTES)),
    ({"citekey": {"$in": [HARTMANN, NOTES]}}, lambda h: h["citekey"] in (HARTMANN, NOTES)),
    ({"citekey": {"$ne": HARTMANN}}, lambda h: h["citekey"] != HARTMANN),
    ({"citekey": {"$contains": "Quotation"}}, lambda h: "Quotation" in h["citekey"]),
    ({"author": "hartmann"}, lambda h: "Hartmann, Lena" in h["authors"]),
    ({"author": "Osei, Kwame"}, lambda h: "Osei, Kwame" in h["authors"]),
    ({"author": "sorensen"}, lambda h: any("Sørensen" in a for a in h["authors"])),
    ({"author": ["Hartmann", "Venturi"]}, lambda h: h["citekey"].startswith(("hartmann", "venturi"))),
    ({"author": {"$ne": "Hartmann"}}, lambda h: not h["citekey"].startswith("hartmann")),
    ({"author": {"$contains": "tamatoa"}}, lambda h: h["citekey"].startswith("tamatoa")),
    ({"title": "quotation errors"}, lambda h: h["citekey"] == HARTMANN),
    ({"title": {"$contains": "Reefs"}}, lambda h: h["citekey"].startswith("tamatoa")),
    ({"year": 2019}, lambda h: year(h) == 2019),
    ({"year": [2017, 2022]}, lambda h: year(h) in (2017, 2022)),
    ({"year": {"$in": [2017, 2022]}}, lambda h: year(h) in (2017, 2022)),
    ({"year": {"$ne": 2019}}, lambda h: year(h) != 2019),
    ({"year": {"$gte": 2020}}, lambda h: year(h) >= 2020),
    ({"year": {"$gt": 2020}}, lambda h: year(h) > 2020),
    ({"year": {"$lte": 2017}}, lambda h: 0 < year(h) <= 2017),
    ({"year": {"$lt": 2017}}, lambda h: 0 < year(h) < 2017),
    ({"year": {"$gte": 2017, "$lt": 2020}}, lambda h: 2017 <= year(h) < 2020),
    ({"tags": "reef recovery"}, lambda h: "reef recovery" in tags(h)),
    ({"tags": ["reef recovery", "Porites"]}, lambda h: {"reef recovery", "Porites"} <= tags(h)),
    ({"tags": {"$in": ["Porites", "usury"]}}, lambda h: bool({"Porites", "usury"} & tags(h))),
    ({"tags": {"$ne": "usury"}}, lambda h: "usury" not in tags(h)),
    ({"tags": {"$contains": "quot"}}, lambda h: any("quot" in tag for tag in tags(h))),
    ({"item_type": "document"}, lambda h: h["citekey"] == NOTES),
    ({"item_type": ["article-journal", "book"]}, lambda h: h["citekey"] != NOTES),
    ({"section_prefix": "Results"}, lambda h: bool(path(h)) and path(h)[0] == "Results"),
    ({"section_prefix": "3. results"}, lambda h: "3. Results" in h["section_path"][:1]),
    ({"section_prefix": ["Results", "Wrong pages"]}, lambda h: path(h)[:2] == ["Results", "Wrong pages"]),
    ({"exclude_sections": ["Results", "Abstract"]}, lambda h: not {"Results", *ABSTRACTS} & set(path(h))),
    ({"exclude_sections": "front matter"}, lambda h: bool(path(h)) or h["citekey"] == NOTES),
    ({"exclude_sections": "Wrong pages"}, lambda h: "Wrong pages" not in path(h)),
    ({"page": 4}, lambda h: 4 in pages(h)),
    ({"page": [1, 5]}, lambda h: 1 in pages(h) or 5 in pages(h)),
    ({"page": {"$gte": 5}}, lambda h: 5 in pages(h) or 6 in pages(h)),
    ({"page": {"$lt": 2}}, lambda h: 1 in pages(h)),
    ({"page": {"$ne": 4}}, lambda h: 4 not in pages(h)),
    ({"page_label": "254"}, lambda h: "254" in h["page_labels"]),
    ({"page_label": ["254", "255"]}, lambda h: bool({"254", "255"} & set(h["page_labels"]))),
    ({"page_label": {"$ne": "254"}}, lambda h: "254" not in h["page_labels"]),
    ({"header_level": {"$gte": 1}}, lambda h: h["source"].endswith(".md")),
    ({"file_type": "markdown"}, lambda h: h["source"].endswith(".md")),
    ({"file_type": {"$ne": "markdown"}}, lambda h: h["source"].endswith(".pdf")),
    ({"source": "reading-notes.md"}, lambda h: h["citekey"] == NOTES),
    ({"source": ["reading-notes.md", "hartmann2019quotation.pdf"]}, lambda h: h["citekey"] in (NOTES, HARTMANN)),
    ({"source": {"$contains": "offprint"}}, lambda h: h["citekey"].startswith("venturi")),
    ({"author": "Hartmann", "page": 4}, lambda h: h["citekey"] == HARTMANN and 4 in pages(h)),
]


@pytest.fixture(scope="module")
def unfiltered(reader: StrictEditor) -> dict[str, list[Hit]]:
    """What some questions of different subjects find without a filter."""
    questions = (*QUESTIONS[:4], "errors", "Results")
    return {q: reader.call("query", project=PROJECT, text=q, top_k=20)["items"] for q in questions}


def passages(hits: list[Hit]) -> set[str]:
    """Every passage that is shown, by itself or merged with its neighbours."""
    return {part["chunk_id"] for hit in hits for part in (hit, *hit["merged"])}


@pytest.mark.parametrize(("filters", "fits"), FILTERS, ids=[json.dumps(f, ensure_ascii=False) for f, _ in FILTERS])
def test_a_filter_keeps_what_fits_and_nothing_else(
    reader: StrictEditor, unfiltered: dict[str, list[Hit]], filters: dict[str, Any], fits: Callable[[Hit], bool]
) -> None:
    kept = dropped = 0
    for question, before in unfiltered.items():
        hits = reader.call("query", project=PROJECT, text=question, top_k=20, filters=filters)["items"]
        assert [h["cite"] for h in hits if not fits(h)] == []
        # What fits and was found without the filter is still found: others only make room for it.
        # A hit of several passages may fit by one of them alone.
        expected = [h["chunk_id"] for h in before if fits(h) and not h["merged"]]
        assert set(expected) <= passages(hits)
        kept, dropped = kept + len(expected), dropped + len(before) - len(expected)
    assert kept and dropped, "these questions do not put the filter to the test"


def test_hybrid_search_is_filtered_in_both_of_its_rankings(reader: StrictEditor) -> None:
    filters = {"citekey": NOTES}
    hits = reader.call("query_hybrid", project=PROJECT, text=QUESTIONS[0], top_k=20, filters=filters)["items"]
    assert {hit["citekey"] for hit in hits} == {NOTES}
    assert len(passages(hits)) == reader.call("get_document", project=PROJECT, citekey=NOTES)["chunk_count"]


def test_the_filter_doc_id_takes_the_doc_id_of_a_hit(reader: StrictEditor, unfiltered: dict[str, list[Hit]]) -> None:
    doc_id = unfiltered[QUESTIONS[0]][0]["doc_id"]
    hits = reader.call("query", project=PROJECT, text="anything", top_k=20, filters={"doc_id": doc_id})["items"]
    references = {"doc_id": doc_id, "section_prefix": "References"}
    hits += reader.call("query", project=PROJECT, text="anything", top_k=20, filters=references)["items"]
    document = reader.call("get_document", project=PROJECT, doc_id=doc_id, pages="1")
    assert {hit["doc_id"] for hit in hits} == {doc_id}
    assert len(passages(hits)) == document["chunk_count"]


def test_lists_of_references_are_searched_only_by_section(reader: StrictEditor) -> None:
    def sections(**filters: Any) -> set[str]:
        call = {"project": PROJECT, "text": "Journal of Documentation, vol. 12, pp. 1-20", "top_k": 20}
        return {path(hit)[-1] for hit in reader.call("query_hybrid", **call, filters=filters)["items"] if path(hit)}

    assert "References" not in sections()
    assert "References" not in sections(exclude_sections=["Appendix"])
    assert sections(section_prefix="References") == {"References"}


@pytest.mark.parametrize(
    "filters",
    [
        {"citekey": "nobody1900"},
        {"tags": ["reef recovery", "usury"]},
        {"collections": "Chapter 2"},
        {"text_source": "ocr"},
        {"text_source": {"$ne": "native"}},
        {"year": {"$gt": 2019, "$lt": 2020}},
        {"author": "Hartmann", "year": 2020},
        {"section_prefix": "sults"},
        {"project": "another"},
        {"header_level": 7},
        {"page_label": "9999"},
        {"last_modified": {"$gt": "2150-01-01"}},
        {"last_modified": "1970-01-02T00:00:00+00:00"},
    ],
    ids=json.dumps,
)
@pytest.mark.parametrize("tool", ["query", "query_hybrid"])
def test_a_filter_that_matches_nothing_gives_no_hits_and_says_what_was_searched(
    reader: StrictEditor, tool: str, filters: dict[str, Any]
) -> None:
    answer = reader.call(tool, project=PROJECT, text="reef recovery", filters=filters)
    assert (answer["items"], answer["count"], answer["total_tokens"]) == ([], 0, 0)
    assert answer["coverage"] == COVERED


@pytest.mark.parametrize("tool", ["query", "query_hybrid"])
def test_an_unknown_filter_is_refused_with_the_valid_ones(reader: StrictEditor, tool: str) -> None:
    error = reader.fail(tool, project=PROJECT, text="reefs", filters={"journal": "Reef Letters"})
    assert (error["code"], set(error["details"]["valid"])) == ("INVALID_INPUT", FILTER_KEYS)
    assert "'journal'" in error["message"]
    assert all(key in error["message"] for key in FILTER_KEYS)


def test_an_unknown_operator_is_refused_with_the_valid_ones(reader: StrictEditor) -> None:
    error = reader.fail("query", project=PROJECT, text="reefs", filters={"year": {"$regex": "20.."}})
    assert (error["code"], set(error["details"]["valid"])) == ("INVALID_INPUT", OPERATORS)
    assert "'$regex'" in error["message"]
    assert all(operator in error["message"] for operator in OPERATORS)


@pytest.mark.parametrize(
    "filters",
    [
        {"year": "soon"},
        {"year": True},
        {"year": {"$gte": None}},
        {"year": {"$contains": "20"}},
        {"year": {}},
        {"citekey": []},
        {"citekey": ""},
        {"citekey": {"$in": "hartmann"}},
        {"citekey": {"$gte": "h"}},
        {"citekey": {"nested": {"deep": 1}}},
        {"page": 10**15},
        {"last_modified": "soon"},
        {"last_modified": 2025},
        {"header_level": "second"},
        ["year"],
        "year",
    ],
    ids=json.dumps,
)
def test_a_filter_that_makes_no_sense_is_refused(reader: StrictEditor, filters: Any) -> None:
    assert reader.fail("query", project=PROJECT, text="reefs", filters=filters)["code"] == "INVALID_INPUT"
