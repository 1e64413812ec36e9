"""Saved searches as Zotero runs them."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citeloom.core.errors import CiteLoomError, Code
from citeloom.zotero.saved_search import evaluate
from citeloom.zotero.types import Item, Library, SavedSearch, Snapshot, ZoteroCollection, item_from_json

RECORDINGS = Path(__file__).parents[2] / "recordings"
Condition = tuple[str, str, str]


def days_ago(days: int) -> str:
    return (datetime.now(UTC) - timedelta(days=days)).strftime("%Y-%m-%dT%H:%M:%SZ")


def item(key: str, item_type: str, *, tags: tuple[str, ...] = (), **data: Any) -> Item:
    return Item(key, {"itemType": item_type, "tags": [{"tag": tag} for tag in tags], **data})


ITEMS = [
    item(
        "ARTICLE2",
        "journalArticle",
        tags=("to-read", "x"),
        title="Deep Learning 100% done",
        date="2021-03-05",
        publicationTitle="Nature",
        DOI="10.1/a",
        numPages="9",
        creators=[{"firstName": "Ada", "lastName": "Lovelace", "creatorType": "author"}],
        collections=["TOPTOP22"],
        dateAdded=days_ago(3),
        dateModified="2020-05-01T12:00:00Z",
    ),
    item(
        "CHAPTER2",
        "bookSection",
        title="Übung macht den Meister",
        date="Spring 2020",
        bookTitle="Nature and Art",
        numPages="120",
        creators=[{"name": "Lovelace Institute", "creatorType": "editor"}],
        collections=["INNER222"],
        dateAdded=days_ago(100),
        citationKey="doe2020Uebung",
    ),
    item("CASECAS2", "case", caseName="Doe v. Roe", dateDecided="c. 1999", dateAdded=days_ago(800)),
    item("PDFPDF22", "attachment", title="Full Text", parentItem="ARTICLE2", dateAdded=days_ago(100)),
    item("CHLDNOTE", "note", note="<p>about gradients</p>", parentItem="CASECAS2", dateAdded=days_ago(800)),
    item("HIGHLGHT", "annotation", tags=("key",), annotationText="a sentence", parentItem="PDFPDF22"),
]
WORKS = {"ARTICLE2", "CHAPTER2", "CASECAS2"}


def library(*searches: SavedSearch) -> Snapshot:
    collections = [ZoteroCollection("TOPTOP22", "Top"), ZoteroCollection("INNER222", "Inner", "TOPTOP22")]
    return Snapshot(
        Library("library", "My Library"),
        {c.key: c for c in collections},
        {s.key: s for s in searches},
        {i.key: i for i in ITEMS},
    )


def search(*conditions: Condition, key: str = "SEARCH22") -> SavedSearch:
    return SavedSearch(key, "mine", tuple({"condition": c, "operator": o, "value": v} for c, o, v in conditions))


def found(*conditions: Condition) -> set[str]:
    return evaluate(library(), search(*conditions))


@pytest.mark.parametrize("version", ["zotero-9", "zotero-10"])
def test_the_recorded_search_finds_what_zotero_found(version: str) -> None:
    replies = json.loads((RECORDINGS / f"{version}.json").read_text(encoding="utf-8"))
    bodies = {reply["name"]: reply.get("body") for reply in replies}
    items = [item_from_json(i["data"]) for i in bodies["trashed_incl"] if not i["data"].get("deleted")]
    saved = bodies["searches"][0]["data"]
    snapshot = Snapshot(Library("library", "My Library"), {}, {}, {i.key: i for i in items})
    tagged = {i.key for i in items if "to-read" in i.tags}
    assert evaluate(snapshot, SavedSearch(saved["key"], saved["name"], tuple(saved["conditions"]))) == tagged != set()


@pytest.mark.parametrize(
    ("condition", "keys"),
    [
        (("tag", "is", "to-read"), {"ARTICLE2"}),
        (("tag", "is", "To-Read"), set()),
        (("tag", "contains", "TO"), {"ARTICLE2"}),
        (("tag", "isNot", "to-read"), {"CHAPTER2", "CASECAS2"}),
        (("tag", "is", "key"), {"ARTICLE2"}),  # of an annotation
        (("title", "contains", "deep%done"), {"ARTICLE2"}),
        (("title", "contains", "done%deep"), set()),
        (("title", "contains", "(deep"), set()),
        (("title", "contains", "übung"), set()),  # SQLite knows the case of ASCII only
        (("title", "beginsWith", "doe"), {"CASECAS2"}),
        (("title", "beginsWith", "v."), set()),
        (("title", "doesNotContain", "e"), set()),
        (("creator", "contains", "lovelace"), {"ARTICLE2", "CHAPTER2"}),
        (("creator", "is", "Ada Lovelace"), {"ARTICLE2"}),
        (("author", "contains", "lovelace"), {"ARTICLE2"}),
        (("editor", "contains", "lovelace"), {"CHAPTER2"}),
        (("itemType", "is", "bookSection"), {"CHAPTER2"}),
        (("itemType", "isNot", "bookSection"), {"ARTICLE2", "CASECAS2"}),
        (("itemType", "is", "attachment"), {"ARTICLE2"}),
        (("publicationTitle", "contains", "nature"), {"ARTICLE2", "CHAPTER2"}),
        (("bookTitle", "contains", "nature"), {"ARTICLE2", "CHAPTER2"}),
        (("DOI", "is", "10.1/a"), {"ARTICLE2"}),
        (("citationKey", "beginsWith", "doe"), {"CHAPTER2"}),
        (("note", "contains", "gradient"), {"CASECAS2"}),
        (("childNote", "contains", "gradient"), {"CASECAS2"}),
        (("annotationText", "contains", "sentence"), {"ARTICLE2"}),
        (("anyField", "contains", "doe"), {"CASECAS2", "CHAPTER2"}),
        (("quicksearch-fields", "contains", "to-read"), {"ARTICLE2"}),
        (("numPages", "isLessThan", "100"), {"ARTICLE2"}),
        (("numPages", "isGreaterThan", "100"), {"CHAPTER2"}),
        (("year", "is", "1999"), {"CASECAS2"}),
        (("year", "contains", "202"), {"ARTICLE2", "CHAPTER2"}),
        (("date", "is", "2021"), {"ARTICLE2"}),
        (("date", "is", "March 2021"), {"ARTICLE2"}),
        (("date", "is", "Spring 2020"), {"CHAPTER2"}),
        (("date", "is", "Fall 2020"), set()),
        (("date", "is", "spring"), {"CHAPTER2"}),
        (("date", "isBefore", "2021"), {"CHAPTER2", "CASECAS2"}),
        (("date", "isAfter", "2020"), {"ARTICLE2"}),
        (("date", "isAfter", "2021"), set()),
        (("dateAdded", "isInTheLast", "10 days"), {"ARTICLE2"}),
        (("dateAdded", "isInTheLast", "6 months"), {"ARTICLE2", "CHAPTER2"}),
        (("dateAdded", "isInTheLast", "9999 years"), WORKS),
        (("dateAdded", "isBefore", "today"), WORKS),
        (("dateModified", "is", "2020-05"), {"ARTICLE2"}),
        (("dateModified", "isAfter", "2020-05-01 11:59:59"), {"ARTICLE2"}),
        (("dateModified", "isAfter", "2020-05-01 12:00:00"), set()),
        (("collection", "is", "TOPTOP22"), {"ARTICLE2"}),
        (("collection", "is", "1_TOPTOP22"), {"ARTICLE2"}),
        (("collection", "isNot", "TOPTOP22"), {"CHAPTER2", "CASECAS2"}),
        (("collection", "is", "GONE2222"), set()),
        (("unfiled", "true", ""), {"CASECAS2"}),
        (("noChildren", "true", ""), WORKS),
        (("deleted", "false", ""), WORKS),
    ],
)
def test_a_condition_finds_what_it_says(condition: Condition, keys: set[str]) -> None:
    assert found(condition) == keys


def test_conditions_are_joined_by_all_or_any() -> None:
    conditions = [("tag", "is", "x"), ("title", "contains", "Meister")]
    assert found(*conditions) == set()
    assert found(("joinMode", "any", ""), *conditions) == {"ARTICLE2", "CHAPTER2"}
    assert found(("joinMode", "all", ""), ("tag", "is", "x"), ("title", "contains", "deep")) == {"ARTICLE2"}


def test_a_recursive_search_looks_into_the_collections_below() -> None:
    assert found(("recursive", "true", ""), ("collection", "is", "TOPTOP22")) == {"ARTICLE2", "CHAPTER2"}


def test_only_a_search_of_top_level_items_leaves_children_out() -> None:
    assert found(("note", "contains", "gradients"), ("noChildren", "true", "")) == set()


def test_parents_and_children_are_taken_together_where_the_search_says_so() -> None:
    conditions = [("title", "contains", "full text"), ("tag", "is", "to-read")]
    assert found(*conditions) == set()
    for setting in ("includeParentsAndChildren", "includeParents", "includeChildren"):
        assert found(*conditions, (setting, "true", "")) == {"ARTICLE2"}


def test_an_annotation_is_found_by_what_it_is_and_never_by_what_it_is_not() -> None:
    assert found(("annotationText", "contains", "sentence"), ("itemType", "isNot", "book")) == set()


@pytest.mark.parametrize("date", ["n.d.", "429 BCE"])
def test_what_has_no_year_of_our_era_is_before_and_after_nothing(date: str) -> None:
    undated = Snapshot(Library("library", "My Library"), {}, {}, {"K": item("K", "book", date=date)})
    assert evaluate(undated, search(("date", "isBefore", "2021"))) == set()
    assert evaluate(undated, search(("date", "isAfter", "1"))) == set()


def test_a_search_within_a_search_is_run_and_a_circle_of_them_ends() -> None:
    tagged = search(("tag", "isNot", "to-read"), key="TAGGED22")
    first = search(("savedSearch", "is", "SECOND22"), ("title", "contains", "deep"), key="FIRST222")
    second = search(("savedSearch", "is", "FIRST222"), key="SECOND22")
    snapshot = library(tagged, first, second)
    assert evaluate(snapshot, search(("savedSearch", "is", "TAGGED22"))) == {"CHAPTER2", "CASECAS2"}
    assert evaluate(snapshot, search(("savedSearch", "isNot", "TAGGED22"))) == {"ARTICLE2"}
    assert evaluate(snapshot, search(("savedSearch", "is", "GONE2222"))) == set()
    assert evaluate(snapshot, first) == {"ARTICLE2"}


@pytest.mark.parametrize(
    ("name", "operator"),
    [
        ("fulltextContent", "contains"),
        ("fulltextContent/regexp", "contains"),
        ("tag", "isBefore"),
        ("title", "soundsLike"),
        ("date", "contains"),
        ("collection", "contains"),
        ("retracted", "true"),
        ("publications", "true"),
        ("deleted", "true"),
        ("newInZotero11", "is"),
    ],
)
def test_what_only_zotero_can_tell_is_refused_by_name(name: str, operator: str) -> None:
    with pytest.raises(CiteLoomError, match=f"{name} {operator}.*[Oo]pen Zotero") as error:
        found((name, operator, "1"))
    assert error.value.code is Code.INVALID_INPUT


@given(
    name=st.sampled_from(["tag", "title", "creator", "itemType", "date", "collection", "year", "numPages"]),
    value=st.text(),
)
def test_a_work_is_found_by_is_or_by_is_not(name: str, value: str) -> None:
    assert found((name, "is", value)) | found((name, "isNot", value)) == WORKS
