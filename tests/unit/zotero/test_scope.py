"""What part of Zotero a project is, and how a person names it."""

from __future__ import annotations

import unicodedata
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citeloom.core.errors import CiteLoomError, Code
from citeloom.zotero.scope import Scope, check_tags, find_scope, select
from citeloom.zotero.types import Item, Library, SavedSearch, Snapshot, ZoteroCollection

COLLECTIONS = [
    ZoteroCollection("THESIS22", "Thesis"),
    ZoteroCollection("CHAPTR22", "Chapter 2", "THESIS22"),
    ZoteroCollection("DEEPER22", "Figures", "CHAPTR22"),
    ZoteroCollection("LOWCASE2", "figures"),
    ZoteroCollection("BOOKBK22", "Book"),
    ZoteroCollection("CHAPTRBB", "Chapter 2", "BOOKBK22"),
    ZoteroCollection("SLASHED2", "2019/2020"),
    ZoteroCollection("GERMAN22", "Übung"),
    ZoteroCollection("TWICETW2", "Twice"),
    ZoteroCollection("TWICETW3", "Twice"),
]


def item(key: str, *collections: str, tags: tuple[str, ...] = (), parent: str = "") -> Item:
    data: dict[str, Any] = {"itemType": "book", "collections": list(collections), "tags": [{"tag": t} for t in tags]}
    return Item(key, data | ({"parentItem": parent} if parent else {}))


def snapshot(
    library: Library, collections: list[ZoteroCollection], items: list[Item], *searches: SavedSearch
) -> Snapshot:
    return Snapshot(
        library,
        {c.key: c for c in collections},
        {s.key: s for s in searches},
        {i.key: i for i in items},
    )


MINE = snapshot(
    Library("library", "My Library"),
    COLLECTIONS,
    [
        item("INTHESIS", "THESIS22", tags=("To Read",)),
        item("INCHAPTR", "CHAPTR22", tags=("to read", "method")),
        item("INDEEPER", "DEEPER22"),
        item("UNFILED2", tags=("/unread",)),
        item("ACHILD22", tags=("method",), parent="INDEEPER"),
    ],
    SavedSearch("SEARCH22", "to-read"),
)
GROUP = snapshot(
    Library("groups/4242", "Lab Group"),
    [ZoteroCollection("GROUPCL2", "Group coll"), ZoteroCollection("GROUPCH2", "Thesis")],
    [item("INGROUP2", "GROUPCL2", tags=("lab",))],
)


def selected(scope: Scope) -> set[str]:
    return select(MINE, scope, lambda *_: {"INTHESIS", "ACHILD22", "gone"})


def refused(words: str, **how: Any) -> CiteLoomError:
    with pytest.raises(CiteLoomError) as error:
        find_scope([MINE, GROUP], words, **how)
    assert error.value.code is Code.INVALID_INPUT
    return error.value


@given(
    library=st.just("library") | st.integers(1).map(lambda n: f"groups/{n}"),
    kind=st.sampled_from(["all", "collection", "search"]),
    key=st.from_regex(r"[A-Z0-9]{8}", fullmatch=True),
    recursive=st.booleans(),
    tags=st.lists(st.text()).map(tuple),
)
def test_a_scope_comes_back_from_what_is_kept(library: str, kind: Any, key: str, recursive: bool, tags: Any) -> None:
    scope = Scope(library, kind, "" if kind == "all" else key, recursive, tags)
    assert Scope.from_uri(scope.to_uri()) == scope


def test_what_is_kept_can_be_read_by_people() -> None:
    assert Scope("library").to_uri() == "zotero:library"
    kept = Scope("groups/4242", "collection", "ABCD2345", False, ("to read",)).to_uri()
    assert kept == "zotero:groups/4242/collections/ABCD2345?recursive=0&tag=to%20read"


@pytest.mark.parametrize(
    "uri", ["", "zotero:", "zotero:library/collections", "zotero:library/items/ABCD2345", "file:x"]
)
def test_what_names_no_part_of_zotero_is_refused(uri: str) -> None:
    with pytest.raises(CiteLoomError):
        Scope.from_uri(uri)


@pytest.mark.parametrize(
    ("scope", "keys"),
    [
        (Scope("library"), {"INTHESIS", "INCHAPTR", "INDEEPER", "UNFILED2"}),
        (Scope("library", "collection", "THESIS22"), {"INTHESIS", "INCHAPTR", "INDEEPER"}),
        (Scope("library", "collection", "THESIS22", recursive=False), {"INTHESIS"}),
        (Scope("library", "collection", "THESIS22", tags=("TO READ",)), {"INTHESIS", "INCHAPTR"}),
        (Scope("library", "collection", "THESIS22", tags=("to read", "method")), {"INCHAPTR"}),
        (Scope("library", "search", "SEARCH22"), {"INTHESIS"}),
    ],
)
def test_a_scope_selects_top_level_items(scope: Scope, keys: set[str]) -> None:
    assert selected(scope) == keys


@pytest.mark.parametrize("kind", ["collection", "search"])
def test_what_is_gone_from_zotero_is_an_error_and_never_the_whole_library(kind: Any) -> None:
    with pytest.raises(CiteLoomError, match="GONE2222"):
        selected(Scope("library", kind, "GONE2222"))


def test_collections_in_a_circle_are_walked_once() -> None:
    ring = [ZoteroCollection("AAAAAAA2", "A", "BBBBBBB2"), ZoteroCollection("BBBBBBB2", "B", "AAAAAAA2")]
    library = snapshot(Library("library", "My Library"), ring, [item("XXXXXXX2", "BBBBBBB2")])
    assert select(library, Scope("library", "collection", "AAAAAAA2"), lambda *_: set()) == {"XXXXXXX2"}
    assert find_scope([library], "A")[0].key == "AAAAAAA2"


@pytest.mark.parametrize(
    ("words", "key", "label"),
    [
        ("Thesis", "THESIS22", "Thesis"),
        ("Thesis/Chapter 2", "CHAPTR22", "Thesis/Chapter 2"),
        ("/thesis / CHAPTER 2/", "CHAPTR22", "Thesis/Chapter 2"),
        ("CHAPTRBB", "CHAPTRBB", "Book/Chapter 2"),
        ("Figures", "DEEPER22", "Thesis/Chapter 2/Figures"),
        ("Chapter 2/figures", "DEEPER22", "Thesis/Chapter 2/Figures"),
        ("2019/2020", "SLASHED2", "2019/2020"),
        (unicodedata.normalize("NFD", "übung"), "GERMAN22", "Übung"),
        ("TWICETW3", "TWICETW3", "Twice"),
        ("Group coll", "GROUPCL2", "Lab Group: Group coll"),
        ("search:To-Read", "SEARCH22", "search: to-read"),
        ("search: SEARCH22", "SEARCH22", "search: to-read"),
    ],
)
def test_a_part_is_found_by_path_end_of_path_key_or_search(words: str, key: str, label: str) -> None:
    scope, name = find_scope([MINE, GROUP], words)
    assert (scope.key, name) == (key, label)


@pytest.mark.parametrize("library", ["Lab Group", "lab group", "4242", "groups/4242"])
def test_a_library_is_named_by_its_name_or_number(library: str) -> None:
    assert find_scope([MINE, GROUP], "*", library=library) == (Scope("groups/4242"), "Lab Group")
    assert find_scope([MINE, GROUP], "Thesis", library=library)[0].key == "GROUPCH2"


def test_nothing_or_a_star_is_the_first_library_that_has_the_tags() -> None:
    assert find_scope([MINE, GROUP], "") == (Scope("library"), "My Library")
    scope, label = find_scope([MINE, GROUP], "*", tags=["LAB"])
    assert (scope, label) == (Scope("groups/4242", tags=("lab",)), "Lab Group (tagged lab)")


def test_recursion_and_tags_are_kept_as_the_library_spells_them() -> None:
    scope, _ = find_scope([MINE], "Thesis", recursive=False, tags=["METHOD", "method"])
    assert scope == Scope("library", "collection", "THESIS22", False, ("method",))


def test_an_unknown_name_is_refused_with_near_ones() -> None:
    error = refused("Thesis/Chaptr 2")
    assert "Thesis/Chapter 2" in error.details["near"] and "Thesis/Chapter 2" in str(error)
    assert len(error.details["near"]) <= 5
    assert refused("search:toread").details["near"] == ["to-read"]
    assert refused("*", library="Lab Grup").details["near"] == ["Lab Group"]
    assert refused("2020").message  # the end of a name is no end of a path
    assert refused("x" * 100_000).details["near"] == []


def test_an_ambiguous_name_is_refused_with_the_candidates() -> None:
    assert "My Library: Thesis/Chapter 2 (CHAPTR22)" in refused("Chapter 2").details["candidates"]
    assert len(refused("Twice").details["candidates"]) == 2


def test_an_unknown_tag_is_refused_with_near_ones() -> None:
    with pytest.raises(CiteLoomError) as error:
        check_tags(MINE, ["method", "to-read"])
    assert error.value.details["near"][0].lower() == "to read"
    with pytest.raises(CiteLoomError):
        check_tags(MINE, ["unread"])


@given(st.sampled_from(sorted(MINE.collections)), st.booleans())
def test_a_collection_is_always_found_by_its_key_and_by_a_path_of_its_own(key: str, upper: bool) -> None:
    assert find_scope([MINE, GROUP], key)[0].key == key
    path = MINE.collection_paths[key]
    if list(MINE.collection_paths.values()).count(path) == 1:
        assert find_scope([MINE, GROUP], path.upper() if upper else path)[0].key == key


@given(st.text())
def test_any_words_find_a_part_or_are_refused(words: str) -> None:
    try:
        scope, _ = find_scope([MINE, GROUP], words)
    except CiteLoomError as error:
        assert error.code is Code.INVALID_INPUT
    else:
        assert scope.kind != "all" or words.strip() in ("", "*")
