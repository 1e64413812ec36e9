"""Ticking parts of Zotero."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from citeloom.api.importing import ZoteroCollection, ZoteroCollections, ZoteroLibrary, ZoteroSearch
from citeloom.api.library import ZoteroPart
from citeloom.desktop.widgets.zotero_tree import ZoteroNode, ZoteroTree, build_tree
from tests.desktop.naming import nameless


def _said(*collections: tuple[str, str, str | None], searches: tuple[str, ...] = ()) -> ZoteroCollections:
    listed = [ZoteroCollection(key, name, name, parent, items=2, depth=0) for key, name, parent in collections]
    found = [ZoteroSearch(f"S{n}", name) for n, name in enumerate(searches)]
    mine = ZoteroLibrary("library", "My Library", 9, listed, found)
    group = ZoteroLibrary("groups/7", "Lab <b>of</b> light", 3, [], [])
    return ZoteroCollections([mine, group])


_TREE = _said(
    ("AA", "Owls/and gulls", None),
    ("BB", "Hearing", "AA"),
    ("CC", "Sight", "AA"),
    ("DD", "Reefs", None),
    searches=("New ones",),
)


def _at(tree: ZoteroTree, name: str) -> ZoteroNode:
    every = [p for library in tree.libraries for p in (*library.walk(), *library.children)]
    return next(p for p in every if p.name == name)


def _press_space(qtbot: QtBot, tree: ZoteroTree, name: str) -> None:
    index = tree.model.findItems(name, Qt.MatchFlag.MatchExactly | Qt.MatchFlag.MatchRecursive)[0].index()
    tree.view.setCurrentIndex(tree.view.model().mapFromSource(index))  # type: ignore[attr-defined]
    qtbot.keyClick(tree.view, Qt.Key.Key_Space)


def _tree(qtbot: QtBot) -> ZoteroTree:
    tree = ZoteroTree()
    qtbot.addWidget(tree)
    tree.load(_TREE)
    tree.show()
    return tree


def test_a_collection_is_chosen_by_its_key_with_all_inside_it(qtbot: QtBot) -> None:
    tree = _tree(qtbot)
    with qtbot.waitSignal(tree.changed):
        _press_space(qtbot, tree, "Owls/and gulls")
    assert tree.chosen() == [ZoteroPart(name="AA", library="library")]
    assert tree.chosen_names() == ["Owls/and gulls"]
    assert _at(tree, "Hearing").check_state == Qt.CheckState.Checked
    assert _at(tree, "My Library").check_state == Qt.CheckState.PartiallyChecked


def test_what_is_unticked_inside_a_collection_is_left_out(qtbot: QtBot) -> None:
    tree = _tree(qtbot)
    _press_space(qtbot, tree, "Owls/and gulls")
    _press_space(qtbot, tree, "Sight")
    assert [(one.name, one.recursive) for one in tree.chosen()] == [("AA", False), ("BB", True)]


def test_a_whole_library_is_one_choice_until_something_of_it_is_left_out(qtbot: QtBot) -> None:
    tree = _tree(qtbot)
    _press_space(qtbot, tree, "My Library")
    assert [(one.name, one.library) for one in tree.chosen()] == [("*", "library")]
    _press_space(qtbot, tree, "Reefs")
    assert [one.name for one in tree.chosen()] == ["AA"]
    assert _at(tree, "My Library").check_state == Qt.CheckState.PartiallyChecked
    _press_space(qtbot, tree, "Reefs")
    assert [one.name for one in tree.chosen()] == ["AA", "DD"]


def test_a_saved_search_and_a_group_are_chosen(qtbot: QtBot) -> None:
    tree = _tree(qtbot)
    _press_space(qtbot, tree, "New ones")
    _press_space(qtbot, tree, "Lab <b>of</b> light")
    assert [(one.name, one.library) for one in tree.chosen()] == [("search:S0", "library"), ("*", "groups/7")]


def test_ticks_survive_that_zotero_is_read_again(qtbot: QtBot) -> None:
    tree = _tree(qtbot)
    _press_space(qtbot, tree, "Reefs")
    tree.load(_said(("DD", "Coral reefs", None)))
    assert tree.chosen_names() == ["Coral reefs"]


def test_every_part_of_the_tree_has_a_name_for_a_screen_reader(qtbot: QtBot) -> None:
    assert nameless(_tree(qtbot)) == []


def test_of_two_collections_of_one_name_each_keeps_what_is_inside_it() -> None:
    said = _said(("AA", "Twice", None), ("CC", "In the first", "AA"), ("BB", "Twice", None), ("DD", "In both", "BB"))
    library = build_tree(said)[0]
    assert [(part.key, [inner.key for inner in part.children]) for part in library.children] == [
        ("AA", ["CC"]),
        ("BB", ["DD"]),
    ]


_parents = st.lists(st.integers(-1, 20), max_size=20)


@given(_parents, st.lists(st.tuples(st.integers(0, 30), st.booleans()), max_size=20))
def test_exactly_the_ticked_collections_are_read_once(parents: list[int], presses: list[tuple[int, bool]]) -> None:
    listed = [(f"K{n}", str(n), f"K{parent}" if parent >= 0 else None) for n, parent in enumerate(parents)]
    library = build_tree(_said(*listed))[0]
    every = list(library.walk())
    assert len(every) == 1 + len(listed)
    for at, ticked in presses:
        every[at % len(every)].set_checked(ticked)
    read: list[ZoteroNode] = []
    for part, whole in library.chosen():
        read += part.walk() if whole else [part]
    ticked_ones = [part for part in every if part.checked]
    assert sorted(p.key for p in read) == sorted(p.key for p in ticked_ones)
