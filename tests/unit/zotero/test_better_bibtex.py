"""Citation keys from Better BibTeX."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from citeloom.core.errors import CiteLoomError, Code
from citeloom.zotero import better_bibtex
from citeloom.zotero.better_bibtex import BetterBibTex
from citeloom.zotero.types import MY_LIBRARY, Library
from tests.zotero_stand_in.local_api import LocalZotero
from tests.zotero_stand_in.serving import Reply, Request
from tests.zotero_stand_in.world import World

MINE = Library(MY_LIBRARY, "My Library")


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path / "Zotero")


@pytest.fixture
def zotero(world: World, monkeypatch: pytest.MonkeyPatch) -> Iterator[LocalZotero]:
    monkeypatch.setattr(better_bibtex, "_PAUSES", (0.01, 0.01, 0.01))
    with LocalZotero(world) as running:
        yield running


def keyed(world: World, citekey: str, library: str = MY_LIBRARY) -> str:
    key = world.add("book", library=library, title=citekey)
    world.libraries[library].citekeys[key] = citekey
    return key


def test_it_tells_its_version(zotero: LocalZotero) -> None:
    assert BetterBibTex(zotero.url).version() == "9.0.23"


def test_a_zotero_without_it_or_no_zotero_has_no_version(world: World) -> None:
    with LocalZotero(world, better_bibtex=False) as zotero:
        assert BetterBibTex(zotero.url).version() is None
    assert BetterBibTex(zotero.url).version() is None


def test_items_have_the_keys_it_gave_them_and_others_are_left_out(world: World, zotero: LocalZotero) -> None:
    one, two = keyed(world, "lovelace1843"), keyed(world, "  noether1918 ")
    without = world.add("book", extra="Citation Key: only_in_extra")
    found = BetterBibTex(zotero.url).citekeys(MINE, [one, without, two, "NSUCHKEY"])
    assert found == {one: "lovelace1843", two: "noether1918"}


def test_a_large_library_is_asked_for_in_batches(world: World, zotero: LocalZotero) -> None:
    wanted = {keyed(world, f"key{n}"): f"key{n}" for n in range(1203)}
    assert BetterBibTex(zotero.url).citekeys(MINE, list(wanted)) == wanted
    assert len(zotero.requests) == 3


def test_groups_that_share_a_name_are_told_apart_by_their_items(world: World, zotero: LocalZotero) -> None:
    for number in (7, 4242):
        world.group(number, "Lab")
    world.group(9, "Other")
    mine, theirs = keyed(world, "mine"), keyed(world, "theirs", "groups/4242")
    source = BetterBibTex(zotero.url)
    assert source.citekeys(Library("groups/4242", "Lab"), [theirs, mine]) == {theirs: "theirs"}
    assert source.citekeys(Library("groups/5", "Left long ago"), [theirs]) == {}


def test_a_group_called_like_my_library_is_not_my_library(world: World, zotero: LocalZotero) -> None:
    group = world.group(7, "My Library")
    mine, theirs = keyed(world, "mine"), keyed(world, "theirs", group.id)
    assert BetterBibTex(zotero.url).citekeys(Library(group.id, "My Library"), [mine, theirs]) == {theirs: "theirs"}


def test_items_that_zotero_has_not_loaded_yet_are_asked_for_again(world: World, zotero: LocalZotero) -> None:
    key = keyed(world, "noether1918")
    zotero.unloaded = 3
    assert BetterBibTex(zotero.url).citekeys(MINE, [key]) == {key: "noether1918"}
    zotero.unloaded = 4
    with pytest.raises(CiteLoomError, match="UnloadedDataException"):
        BetterBibTex(zotero.url).citekeys(MINE, [key])


@pytest.mark.parametrize("said", [[], "x", None, {"result": [1]}, {"error": "no"}, {"error": {"message": None}}, {}])
def test_an_answer_of_another_shape_is_an_error(zotero: LocalZotero, said: Any) -> None:
    def answer(request: Request) -> Reply:
        return Reply(200, said if said is not None else "null", {"Content-Type": "application/json"})

    zotero.answer = answer  # type: ignore[method-assign]
    with pytest.raises(CiteLoomError) as failure:
        BetterBibTex(zotero.url).citekeys(MINE, ["ABCD2345"])
    assert failure.value.code is Code.ZOTERO_UNAVAILABLE


@pytest.mark.parametrize("fault", ["drop", "cut", "slow", "silent", "not json", "endless", 500])
def test_a_broken_answer_is_an_error(world: World, zotero: LocalZotero, fault: str | int) -> None:
    key = keyed(world, "noether1918")
    zotero.faults["/better-bibtex/json-rpc"] = fault
    with pytest.raises(CiteLoomError) as failure:
        BetterBibTex(zotero.url, timeout=0.1).citekeys(MINE, [key])
    assert failure.value.code is Code.ZOTERO_UNAVAILABLE
