"""Ticking parts of Zotero."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from citeloom.desktop.zotero_tree import Part, ZoteroTree, parts_of
from tests.desktop.naming import nameless


def _said(*collections: tuple[str, str, int], searches: tuple[str, ...] = ()) -> dict[str, Any]:
    listed = [{"key": key, "path": path, "items": 2, "depth": depth} for key, path, depth in collections]
    found = [{"key": f"S{n}", "name": name} for n, name in enumerate(searches)]
    mine = {"id": "library", "name": "My Library", "items": 9, "collections": listed, "searches": found}
    group = {"id": "groups/7", "name": "Lab <b>of</b> light", "items": 3, "collections": [], "searches": []}
    return {"libraries": [mine, group]}


_TREE = _said(
    ("AA", "Owls/and gulls", 0),
    ("BB", "Owls/and gulls/Hearing", 1),
    ("CC", "Owls/and gulls/Sight", 1),
    ("DD", "Reefs", 0),
    searches=("New ones",),
)


def _at(tree: ZoteroTree, name: str) -> Part:
    every = [p for library in tree.model.libraries for p in (*library.walk(), *library.inside)]
    return next(p for p in every if p.name == name)


def _press_space(qtbot: QtBot, tree: ZoteroTree, name: str) -> None:
    part = _at(tree, name)
    index = tree.model.createIndex(part.row, 0, id(part))
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
    assert tree.chosen() == [{"words": "AA", "library": "library", "recursive": True, "tags": []}]
    assert tree.chosen_names() == ["Owls/and gulls"]
    assert _at(tree, "Hearing").shown_tick == Qt.CheckState.Checked
    assert _at(tree, "My Library").shown_tick == Qt.CheckState.PartiallyChecked


def test_what_is_unticked_inside_a_collection_is_left_out(qtbot: QtBot) -> None:
    tree = _tree(qtbot)
    _press_space(qtbot, tree, "Owls/and gulls")
    _press_space(qtbot, tree, "Sight")
    assert [(one["words"], one["recursive"]) for one in tree.chosen()] == [("AA", False), ("BB", True)]


def test_a_whole_library_is_one_choice_until_something_of_it_is_left_out(qtbot: QtBot) -> None:
    tree = _tree(qtbot)
    _press_space(qtbot, tree, "My Library")
    assert [(one["words"], one["library"]) for one in tree.chosen()] == [("*", "library")]
    _press_space(qtbot, tree, "Reefs")
    assert [one["words"] for one in tree.chosen()] == ["AA"]
    assert _at(tree, "My Library").shown_tick == Qt.CheckState.PartiallyChecked
    _press_space(qtbot, tree, "Reefs")
    assert [one["words"] for one in tree.chosen()] == ["AA", "DD"]


def test_a_saved_search_and_a_group_are_chosen(qtbot: QtBot) -> None:
    tree = _tree(qtbot)
    _press_space(qtbot, tree, "New ones")
    _press_space(qtbot, tree, "Lab <b>of</b> light")
    assert [(one["words"], one["library"]) for one in tree.chosen()] == [("search:S0", "library"), ("*", "groups/7")]


def test_ticks_survive_that_zotero_is_read_again(qtbot: QtBot) -> None:
    tree = _tree(qtbot)
    _press_space(qtbot, tree, "Reefs")
    tree.load(_said(("DD", "Coral reefs", 0)))
    assert tree.chosen_names() == ["Coral reefs"]


def test_every_part_of_the_tree_has_a_name_for_a_screen_reader(qtbot: QtBot) -> None:
    assert nameless(_tree(qtbot)) == []


_shape = st.lists(st.integers(0, 4), max_size=20)


@given(_shape, st.lists(st.tuples(st.integers(0, 30), st.booleans()), max_size=20))
def test_exactly_the_ticked_collections_are_read_once(depths: list[int], presses: list[tuple[int, bool]]) -> None:
    listed, paths = [], [""]
    for number, wished in enumerate(depths):
        depth = min(wished, len(paths) - 1)
        del paths[depth + 1 :]
        paths.append(f"{paths[-1]}/{number}".removeprefix("/"))
        listed.append((f"K{number}", paths[-1], depth))
    library = parts_of(_said(*listed))[0]
    every = list(library.walk())
    for at, ticked in presses:
        every[at % len(every)].tick(ticked)
    read: list[Part] = []
    for part, whole in library.chosen():
        read += part.walk() if whole else [part]
    ticked_ones = [part for part in every if part.ticked]
    assert sorted(p.key for p in read) == sorted(p.key for p in ticked_ones)
