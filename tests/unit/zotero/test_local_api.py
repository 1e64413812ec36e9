"""The local API of a running Zotero."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citeloom.core.errors import CiteLoomError, Code
from citeloom.zotero.api_json import parse_json, snapshot_from_json
from citeloom.zotero.local_api import LocalApi
from citeloom.zotero.types import MY_LIBRARY, Library
from tests.zotero_stand_in.local_api import LocalZotero
from tests.zotero_stand_in.serving import Reply, Request, StandIn
from tests.zotero_stand_in.world import World, example

MINE = Library(MY_LIBRARY, "My Library")


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path / "Zotero")


@pytest.fixture
def zotero(world: World) -> Iterator[LocalZotero]:
    with LocalZotero(world) as running:
        yield running


def test_a_switched_off_api_says_where_to_switch_it_on(world: World) -> None:
    with LocalZotero(world, enabled=False) as zotero, pytest.raises(CiteLoomError) as failure:
        LocalApi(zotero.url).read(MINE)
    assert failure.value.code is Code.ZOTERO_UNAVAILABLE
    assert failure.value.details == {"api": "off", "version": "10.0.1"}
    assert "Settings → Advanced" in failure.value.next_step


@pytest.mark.parametrize("version", ["9.0.6", "10.0.1"])
def test_it_tells_its_version_and_which_zotero_it_is(world: World, version: str) -> None:
    with LocalZotero(world, version=f"{version}.SOURCE.7132587c2") as zotero:
        about = LocalApi(zotero.url).about()
    server_id = zotero.server_id if version == "10.0.1" else None
    assert about == {"version": version, "url": zotero.url, "server_id": server_id}


def test_a_library_is_read_with_three_requests_and_no_collection_is_asked_for(
    world: World, zotero: LocalZotero
) -> None:
    example(world)
    LocalApi(zotero.url).read(MINE)
    assert sorted(request.path for request in zotero.requests) == [
        "/api/users/0/collections",
        "/api/users/0/items",
        "/api/users/0/searches",
    ]


def test_a_library_that_changes_while_it_is_read_is_read_again(world: World, zotero: LocalZotero) -> None:
    keys = example(world)
    answer, waiting = zotero.answer, [keys["preprint"]]

    def and_move(request: Request) -> Reply | None:
        if request.path.endswith("/items") and waiting:
            new = world.collection("New")
            world.move(waiting.pop(), [new])
        return answer(request)

    zotero.answer = and_move  # type: ignore[method-assign]
    snapshot = LocalApi(zotero.url).read(MINE)
    (collection,) = snapshot.items[keys["preprint"]].collections
    assert snapshot.collections[collection].name == "New"


def test_a_library_that_never_holds_still_is_an_error(world: World, zotero: LocalZotero) -> None:
    answer = zotero.answer

    def and_change(request: Request) -> Reply | None:
        world.add("book")
        return answer(request)

    zotero.answer = and_change  # type: ignore[method-assign]
    with pytest.raises(CiteLoomError, match="kept changing"):
        LocalApi(zotero.url).read(MINE)


def test_a_search_that_is_gone_never_finds_the_whole_library(world: World, zotero: LocalZotero) -> None:
    keys = example(world)
    source = LocalApi(zotero.url)
    snapshot = source.read(MINE)
    world.erase_search(keys["to_read"])
    answer = zotero.answer

    def whole_library(request: Request) -> Reply | None:
        path = request.path.replace(f"/searches/{keys['to_read']}/items", "/items")
        return answer(replace(request, path=path))

    for reply in (answer, whole_library):
        zotero.answer = reply  # type: ignore[method-assign]
        with pytest.raises(CiteLoomError):
            source.run_search(snapshot, snapshot.searches[keys["to_read"]])


def test_one_entry_too_few_is_an_error(world: World, zotero: LocalZotero) -> None:
    example(world)
    answer = zotero.answer

    def one_less(request: Request) -> Reply | None:
        reply = answer(request)
        assert reply
        return Reply(reply.status, json.loads(reply.content())[1:], reply.headers)

    zotero.answer = one_less  # type: ignore[method-assign]
    with pytest.raises(CiteLoomError, match="fewer objects than it announces"):
        LocalApi(zotero.url).read(MINE)


def test_something_else_at_the_address_is_not_taken_for_zotero() -> None:
    class Other(StandIn):
        def answer(self, request: Request) -> Reply:
            return Reply(200, [], {"Total-Results": "0", "Content-Type": "application/json"})

    with Other() as other, pytest.raises(CiteLoomError, match="is not Zotero"):
        LocalApi(other.url).read(MINE)


@pytest.mark.parametrize("url", ["", "23119", "https://127.0.0.1:23119", "ftp://127.0.0.1", "http://"])
def test_an_address_that_is_none_is_named(url: str) -> None:
    with pytest.raises(CiteLoomError) as failure:
        LocalApi(url).read(MINE)
    assert failure.value.code is Code.INVALID_INPUT and "zotero.local_url" in str(failure.value)


def test_half_a_character_becomes_a_mark_that_can_be_stored() -> None:
    item = {"key": "ABCD2345", "itemType": "book", "title": "cut \ud83d", "tags": [{"tag": "\udc00"}], "extra": "😀"}
    snapshot = snapshot_from_json(MINE, [], [], parse_json(json.dumps([item]).encode()))
    data = snapshot.items["ABCD2345"].data
    assert (data["title"], data["extra"], data["tags"][0]["tag"]) == ("cut �", "😀", "�")


JSON: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
)
FIELDS = ("key", "name", "parentItem", "parentCollection", "collections", "tags", "conditions", "deleted", "itemType")
OBJECTS = st.lists(st.dictionaries(st.sampled_from(FIELDS), JSON), max_size=3)


@given(OBJECTS, OBJECTS, OBJECTS)
def test_whatever_comes_is_a_library_or_an_error_of_ours(
    collections: list[Any], searches: list[Any], items: list[Any]
) -> None:
    try:
        snapshot = snapshot_from_json(MINE, collections, searches, items)
    except CiteLoomError as error:
        assert error.code is Code.ZOTERO_UNAVAILABLE
        return
    json.dumps([item.data for item in snapshot.items.values()], ensure_ascii=False).encode()
    for item in snapshot.items.values():
        assert item.parent is None or item.parent in snapshot.items
        assert set(item.collections) <= set(snapshot.collections)


@given(st.binary() | st.just(b"[" * 200_000))
def test_whatever_bytes_come_are_json_or_an_error_of_ours(body: bytes) -> None:
    try:
        parse_json(body)
    except CiteLoomError as error:
        assert error.code is Code.ZOTERO_UNAVAILABLE
