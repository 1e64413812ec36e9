"""Filters: whatever an agent sends is understood or refused, and what is understood finds what it says."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from citeloom.core.errors import CiteLoomError, Code
from citeloom.index.base import Point
from citeloom.index.edge.collection import EdgeCollection
from citeloom.index.filters import (
    EVERYTHING,
    FILTER_KEYS,
    OPERATORS,
    metadata_reader,
    metadata_values,
    parse,
    search_conditions,
    section_keys,
    section_names,
)


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Iterator[EdgeCollection]:
    made = EdgeCollection.create(tmp_path_factory.mktemp("filters") / "g0001", 2, sparse=False)
    yield made
    made.close()


def fill(index: EdgeCollection, payloads: list[dict[str, Any]]) -> None:
    """Exactly these passages, numbered in their order."""
    index.delete(EVERYTHING)
    index.upsert(
        [
            Point(str(uuid.UUID(int=number + 1)), [1.0, 0.5], None, {**payload, "chunk_index": number})
            for number, payload in enumerate(payloads)
        ]
    )


def found(index: EdgeCollection, filters: dict[str, Any] | None) -> list[int]:
    return [hit.payload["chunk_index"] for hit in index.scroll(parse(filters), 100)]


def test_lists_of_references_are_left_out_unless_a_section_is_named_or_the_settings_want_them(
    index: EdgeCollection,
) -> None:
    methods, references = ({"section_keys": section_keys([name])} for name in ("Methods", "References"))
    fill(index, [methods, {**references, "references": True}])

    def searched(filters: dict[str, Any] | None, *, include_references: bool = False) -> list[int]:
        where = search_conditions(filters, include_references=include_references)
        return [hit.payload["chunk_index"] for hit in index.scroll(where, 100)]

    assert searched(None) == searched({}) == searched({"exclude_sections": "Appendix"}) == [0]
    assert searched({"section_prefix": "References"}) == [1]
    assert searched(None, include_references=True) == [0, 1]


# -- custom metadata -----------------------------------------------------------------------------------------

LABELLED = [
    {"lab": "North", "weight": 2, "checked": True, "codes": ["a", 7, False], "note": "dry salt"},
    {"lab": "South", "weight": 2.5, "checked": False, "codes": ["b"], "n=true": True},
    {"lab": "7", "weight": -1, "note": "true"},
    {},
]


@pytest.mark.parametrize(
    ("filters", "fitting"),
    [
        ({"lab": "North"}, [0]),
        ({"lab": "north"}, []),
        ({"lab": ["North", "South"]}, [0, 1]),
        ({"lab": {"$in": ["South", "7"]}}, [1, 2]),
        ({"lab": {"$ne": "North"}}, [1, 2, 3]),
        ({"lab": {"$contains": "out"}}, [1]),
        ({"weight": 2}, [0]),
        ({"weight": "2.5"}, [1]),
        ({"weight": {"$gte": 2}}, [0, 1]),
        ({"weight": {"$gt": 2, "$lt": 3}}, [1]),
        ({"weight": {"$lte": "-1"}}, [2]),
        ({"checked": True}, [0]),
        ({"checked": "false"}, [1]),
        ({"checked": {"$ne": True}}, [1, 2, 3]),
        ({"codes": 7}, [0]),
        ({"codes": False}, [0]),
        ({"codes": ["a", "b"]}, [0, 1]),
        ({"n=true": True}, [1]),
        ({"note": "true"}, [2]),
        ({"note": {"$contains": "salt"}, "weight": 2}, [0]),
    ],
    ids=str,
)
def test_custom_metadata_are_compared_as_the_values_they_are(
    index: EdgeCollection, filters: dict[str, Any], fitting: list[int]
) -> None:
    fill(index, [{"doc_id": f"d{n}", **metadata_values(about)} for n, about in enumerate(LABELLED)])
    keys = sorted({key for about in LABELLED for key in about})
    readers = {key: metadata_reader(key, [f"d{n}" for n, about in enumerate(LABELLED) if key in about]) for key in keys}
    assert [hit.payload["chunk_index"] for hit in index.scroll(parse(filters, readers), 100)] == fitting


@pytest.mark.parametrize(
    "filters", [{"weight": {"$gte": "much"}}, {"lab": {}}, {"lab": []}, {"lab": None}, {"lab": {"$like": "N"}}], ids=str
)
def test_a_filter_of_custom_metadata_that_makes_no_sense_is_refused(filters: dict[str, Any]) -> None:
    with pytest.raises(CiteLoomError) as caught:
        parse(filters, {"lab": metadata_reader("lab", ["d"]), "weight": metadata_reader("weight", ["d"])})
    assert caught.value.code == Code.INVALID_INPUT


def test_a_filter_key_of_citeloom_comes_before_one_of_the_metadata() -> None:
    assert parse({"year": 2019}, {"year": metadata_reader("year", ["d"])}) == parse({"year": 2019})


def test_an_unknown_key_gets_the_keys_of_the_metadata_too_though_not_all_of_very_many() -> None:
    readers = {f"key{number:02}": metadata_reader(f"key{number:02}", []) for number in range(40)}
    with pytest.raises(CiteLoomError) as caught:
        parse({"jahr": 2019}, readers)
    assert caught.value.details["valid"] == [*FILTER_KEYS, *sorted(readers)[:30]]
    assert "key29 and 10 more" in caught.value.next_step


# -- anything at all -----------------------------------------------------------------------------------------

scalars = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.text(max_size=12),
    st.sampled_from(["", " ", "²", "--5", "-", "٣", "1e3", "NaN", "2019", "-7", "9" * 5000, "a > b", "\0", "*"]),
)
json_values = st.recursive(
    scalars,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(st.one_of(st.sampled_from(OPERATORS), st.text(max_size=5)), inner, max_size=3),
    ),
    max_leaves=6,
)
filter_objects = st.dictionaries(st.one_of(st.sampled_from(FILTER_KEYS), st.text(max_size=6)), json_values, max_size=3)


@settings(max_examples=250)
@given(st.one_of(filter_objects, json_values))
@example({"year": "²"})
@example({"year": "--5"})
@example({"page": {"$gte": "9" * 5000}})
@example({"year": float("nan")})
@example({"year": {"$lte": float("inf")}})
@example({"citekey": {"$ne": []}})
@example({"page": {"$ne": []}})
@example({"section_prefix": {"$ne": []}})
@example([])
@example({})
def test_any_json_is_understood_or_refused_as_invalid_input(index: EdgeCollection, filters: Any) -> None:
    try:
        where = parse(filters)
    except CiteLoomError as error:
        assert error.code == Code.INVALID_INPUT
        assert error.next_step
        return
    index.count(where)  # what is understood can be applied


@pytest.mark.parametrize(
    ("filters", "said"),
    [
        ({"jahr": 2019}, "jahr"),
        ({"year": {"$near": 3}}, "$near"),
        ({"year": "next"}, "year"),
        ({"year": True}, "year"),
        ({"year": 2019.5}, "whole number"),
        ({"year": {"$in": [2019, 2019.5]}}, "whole number"),
        ({"page": 3.5}, "whole number"),
        ({"citekey": []}, "citekey"),
        ({"citekey": {}}, "citekey"),
        ({"citekey": ""}, "citekey"),
        ({"citekey": None}, "citekey"),
        ({"citekey": {"$gte": 3}}, "$gte"),
        ({"year": {"$contains": "20"}}, "$contains"),
        ({"year": {"$in": 2019}}, "$in"),
        ({"year": {"$in": []}}, "$in"),
        ({"page": {"$ne": []}}, "page"),
        ({"author": {"$ne": []}}, "author"),
        ({"tags": [["method"]]}, "tags"),
        ("year", "filters"),
    ],
)
def test_a_refusal_names_what_is_wrong(filters: Any, said: str) -> None:
    with pytest.raises(CiteLoomError) as caught:
        parse(filters)
    assert caught.value.code == Code.INVALID_INPUT
    assert said in caught.value.message


def test_an_unknown_key_or_operator_gets_the_valid_ones() -> None:
    with pytest.raises(CiteLoomError) as key:
        parse({"jahr": 2019})
    assert key.value.details["valid"] == list(FILTER_KEYS)
    with pytest.raises(CiteLoomError) as operator:
        parse({"year": {"$near": 3}})
    assert operator.value.details["valid"] == list(OPERATORS)


# -- the meaning of the contract, in plain Python ------------------------------------------------------------

BARE = {  # a heading and its words without the numbering
    "2 Methods": "methods",
    "2.1 Sampling": "sampling",
    "IV.  Results": "results",
    "Chapter 3: Trade": "trade",
    "Civil War": "civil war",
    "Straße": "strasse",
    "References": "references",
}
CITEKEYS = ["adam2019", "adam2019b", "béla2020", "x"]
TAGS = ["method", "methods", "review", "Über"]
WORDS = ("citekey", "item_type", "file_type", "text_source", "doc_id")


def fold(heading: str) -> str:
    return " ".join(heading.split()).casefold()


def as_list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def one_holds(key: str, operator: str, value: Any, p: dict[str, Any]) -> bool:
    """Whether a passage fits one key, one operator and one value."""
    if operator == "$ne":
        return not one_holds(key, "$in", as_list(value), p)
    if key in WORDS or key in ("tags", "collections"):
        own = as_list(p[key])
        if operator == "$contains":
            return any(value in v for v in own)
        if operator == "$all":
            return all(v in own for v in value)
        return any(v in own for v in as_list(value))
    if key == "year":
        return p.get("year") is not None and compare(operator, p["year"], p["year"], value)
    if key == "page":
        return p.get("page_start") is not None and compare(operator, p["page_start"], p["page_end"], value)
    path = p["section_path"]
    if key == "section_prefix":
        wanted = " > ".join(fold(v) for v in as_list(value))
        keys = (joined(map(fold, path)), joined(BARE[h] for h in path))
        return any(k == wanted or k.startswith(tuple(wanted + mark for mark in " :.,;")) for k in keys)
    names = {fold(h) for h in path} | {BARE[h] for h in path}
    return not names & {fold(v) for v in as_list(value)}


def joined(parts: Any) -> str:
    return " > ".join(parts)


def compare(operator: str, first: int, last: int, value: Any) -> bool:
    if operator == "$gte":
        return last >= value
    if operator == "$gt":
        return last > value
    if operator == "$lte":
        return first <= value
    if operator == "$lt":
        return first < value
    return any(first <= v <= last for v in as_list(value))


def holds(filters: dict[str, Any], p: dict[str, Any]) -> bool:
    for key, value in filters.items():
        plain = "$all" if key == "tags" and isinstance(value, list) else "$in"
        operators = value if isinstance(value, dict) else {plain: value}
        if not all(one_holds(key, operator, v, p) for operator, v in operators.items()):
            return False
    return True


paths = st.lists(st.sampled_from(list(BARE)), max_size=3)


@st.composite
def payloads(draw: st.DrawFn) -> dict[str, Any]:
    path = draw(paths)
    made: dict[str, Any] = {
        "citekey": draw(st.sampled_from(CITEKEYS)),
        "item_type": draw(st.sampled_from(["book", "article"])),
        "file_type": draw(st.sampled_from(["pdf", "markdown"])),
        "text_source": draw(st.sampled_from(["native", "ocr"])),
        "doc_id": draw(st.sampled_from(["d1", "d2"])),
        "tags": draw(st.lists(st.sampled_from(TAGS), max_size=3, unique=True)),
        "collections": draw(st.lists(st.sampled_from(TAGS), max_size=2, unique=True)),
        "year": draw(st.none() | st.integers(1998, 2003)),
        "section_path": path,
        "section_keys": section_keys(path),
        "section_names": section_names(path),
        "page_start": None,
        "page_end": None,
    }
    if draw(st.booleans()):
        made["page_start"] = draw(st.integers(1, 6))
        made["page_end"] = made["page_start"] + draw(st.integers(0, 2))
    return made


def some_of(choices: dict[str, st.SearchStrategy[Any]]) -> st.SearchStrategy[dict[str, Any]]:
    """One or two of these: with more, hardly anything would ever fit."""
    keys = st.lists(st.sampled_from(list(choices)), min_size=1, max_size=2, unique=True)
    return keys.flatmap(lambda chosen: st.fixed_dictionaries({key: choices[key] for key in chosen}))


def values_for(one: st.SearchStrategy[str]) -> st.SearchStrategy[Any]:
    many = st.lists(one, min_size=1, max_size=3, unique=True)
    parts = st.sampled_from(["a", "method", "Ü", "2019", "é", "zzz", "dam"])
    return st.one_of(one, many, some_of({"$ne": one | many, "$in": many, "$contains": parts}))


def numbers(low: int, high: int) -> st.SearchStrategy[Any]:
    one = st.integers(low, high)
    many = st.lists(one, min_size=1, max_size=3)
    bounds = dict.fromkeys(("$gte", "$gt", "$lte", "$lt"), one)
    return st.one_of(one, many, some_of({**bounds, "$ne": one | many, "$in": many}))


prefixes = st.one_of(
    st.sampled_from([*BARE, *BARE.values(), "meth", "2", "chapter", "CIVIL war", "  methods "]),
    st.lists(st.sampled_from(list(BARE)), min_size=1, max_size=2),
    st.lists(st.sampled_from(list(BARE.values())), min_size=1, max_size=2),
)
excluded = st.one_of(
    st.sampled_from([*BARE, *BARE.values(), "war"]), st.lists(st.sampled_from(list(BARE)), min_size=1, max_size=2)
)
filters_of_the_contract = some_of(
    {
        "citekey": values_for(st.sampled_from(CITEKEYS)),
        "item_type": values_for(st.sampled_from(["book", "article", "thesis"])),
        "doc_id": values_for(st.sampled_from(["d1", "d2"])),
        "tags": values_for(st.sampled_from(TAGS)),
        "collections": values_for(st.sampled_from(TAGS)),
        "year": numbers(1997, 2004),
        "page": numbers(0, 9),
        "section_prefix": prefixes,
        "exclude_sections": excluded,
    },
)


@settings(max_examples=150)
@given(st.lists(payloads(), min_size=1, max_size=8), st.lists(filters_of_the_contract, min_size=1, max_size=4))
def test_a_filter_finds_exactly_what_the_contract_says(
    index: EdgeCollection, passages: list[dict[str, Any]], asked: list[dict[str, Any]]
) -> None:
    fill(index, passages)
    for filters in asked:
        expected = [number for number, passage in enumerate(passages) if holds(filters, passage)]
        assert found(index, filters) == expected, filters


def test_words_are_found_whatever_their_case_and_accents(index: EdgeCollection) -> None:
    fill(
        index,
        [
            {"authors": ["Müller, Ève", "Evans, Gareth"], "title": "Salt and Grain"},
            {"authors": ["Evanson, Kim"], "title": "On salt-free grain"},
        ],
    )
    assert found(index, {"author": "muller"}) == [0]
    assert found(index, {"author": "EVANS"}) == [0]
    assert found(index, {"author": "Gareth Evans"}) == [0]
    assert found(index, {"author": ["muller", "evanson"]}) == [0, 1]
    assert found(index, {"title": {"$contains": "salt grain"}}) == [0, 1]
    assert found(index, {"title": {"$ne": "free"}}) == [0]


def test_a_source_is_named_by_its_file_or_its_path(index: EdgeCollection) -> None:
    fill(
        index,
        [
            {"source": "a.pdf", "source_path": "/papers/a.pdf"},
            {"source": "a.pdf", "source_path": "/other/a.pdf"},
        ],
    )
    assert found(index, {"source": "a.pdf"}) == [0, 1]
    assert found(index, {"source": "/other/a.pdf"}) == [1]
    assert found(index, {"source": {"$contains": "papers"}}) == [0]
    assert found(index, {"source": {"$ne": "/other/a.pdf"}}) == [0]


def test_numbers_may_come_as_text(index: EdgeCollection) -> None:
    fill(index, [{"year": 2015}, {"year": 2019}])
    assert found(index, {"year": "2019"}) == [1]
    assert found(index, {"year": {"$gte": "2015", "$lt": "2019"}}) == [0]


def test_no_filter_finds_everything(index: EdgeCollection) -> None:
    fill(index, [{"year": 2015}, {}])
    assert found(index, None) == found(index, {}) == [0, 1]


@pytest.mark.parametrize(
    ("heading", "bare"),
    [
        ("2 Methods", "methods"),
        ("2.1. Sampling", "sampling"),
        ("3) Results", "results"),
        ("IV. Results", "results"),
        ("Chapter 12: The Trade", "the trade"),
        ("Kapitel 3 Der Handel", "der handel"),
        ("Part II The Trade", "the trade"),
        ("Section 4.2 Data", "data"),
        ("7 Große Straßen", "grosse strassen"),
    ],
)
def test_a_heading_is_known_with_its_numbering_and_without(heading: str, bare: str) -> None:
    assert section_keys([heading]) == [fold(heading), bare]
    assert section_names([heading]) == [fold(heading), bare]


@pytest.mark.parametrize("heading", ["Introduction", "Chapter 3", "Part I", "1984", "Civil War", "Civic Life", "IVF"])
def test_words_that_only_look_like_numbering_stay(heading: str) -> None:
    assert section_keys([heading]) == [fold(heading)]
    assert section_names([heading]) == [fold(heading)]


def test_the_keys_of_a_path_are_whole_paths_and_its_names_single_headings() -> None:
    path = ["1 Europe", "1.2  Salt Trade"]
    assert section_keys(path) == ["1 europe > 1.2 salt trade", "europe > salt trade"]
    assert sorted(section_names(path)) == ["1 europe", "1.2 salt trade", "europe", "salt trade"]
    assert section_keys([]) == section_names([]) == []
