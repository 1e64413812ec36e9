"""Every way to Zotero tells the same library, and tells all of it or nothing."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from citeloom.core.errors import CiteLoomError, Code
from citeloom.zotero.local_api import LocalApi
from citeloom.zotero.sqlite.source import SqliteSource
from citeloom.zotero.types import MY_LIBRARY, Library, LibrarySource, Snapshot
from citeloom.zotero.web_api.source import WebApi
from tests.zotero_stand_in.database import write_database
from tests.zotero_stand_in.local_api import LocalZotero
from tests.zotero_stand_in.serving import StandIn
from tests.zotero_stand_in.web_api import WebZotero
from tests.zotero_stand_in.world import World, example

KEY = "k3yThatNobodySees"
MINE = Library(MY_LIBRARY, "My Library")
GROUP = Library("groups/4242", "Lab Group")
SERVERS = ("local 9", "local 10", "web")
DATABASES = ("sqlite 123", "sqlite 125", "sqlite 129")


class Ways:
    """The ways to a world, opened as tests ask for them."""

    def __init__(self, folder: Path, stack: ExitStack) -> None:
        self.folder, self.stack = folder, stack
        self.server: StandIn | None = None

    def open(self, way: str, world: World, **bounds: Any) -> LibrarySource:
        kind, _, version = way.partition(" ")
        if kind == "sqlite":
            return SqliteSource(write_database(world, world.data_folder, schema=int(version)))
        if kind == "web":
            self.server = self.stack.enter_context(WebZotero(world, api_key=KEY))
            return WebApi(self.server.url, KEY, self.folder / "mirror", **bounds)
        self.server = self.stack.enter_context(LocalZotero(world, version=f"{version}.0.1"))
        return LocalApi(self.server.url, **bounds)


@pytest.fixture
def ways(tmp_path: Path) -> Iterator[Ways]:
    with ExitStack() as stack:
        yield Ways(tmp_path, stack)


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path / "Zotero")


@pytest.fixture(params=[*SERVERS, *DATABASES])
def way(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def plain(snapshot: Snapshot) -> dict[str, Any]:
    """A snapshot in a shape whose differences pytest can show."""
    return {
        "collections": dict(snapshot.collections),
        "searches": dict(snapshot.searches),
        "items": {key: dict(item.data) for key, item in snapshot.items.items()},
    }


def expected(world: World, library: str) -> dict[str, dict[str, Any]]:
    """The items of a world as a person would list them: with what was filled in, and without the trash."""
    shelf = world.libraries[library]
    left_out = ("key", "relations")
    return {
        key: {
            field: sorted(value, key=str) if field == "collections" else value
            for field, value in data.items()
            if field not in left_out and value not in ("", [], {}, None)
        }
        for key, data in shelf.items.items()
        if not shelf.in_trash(key)
    }


def test_the_libraries_are_my_library_and_the_groups(ways: Ways, way: str, world: World) -> None:
    example(world)
    world.group(17, "A reading circle")
    found = ways.open(way, world).libraries()
    assert found == [MINE, Library("groups/17", "A reading circle"), GROUP]


@pytest.mark.parametrize("library", [MINE, GROUP], ids=["mine", "group"])
def test_a_library_is_told_as_it_is(ways: Ways, way: str, world: World, library: Library) -> None:
    keys = example(world)
    snapshot = ways.open(way, world).read(library)
    assert plain(snapshot)["items"] == expected(world, library.id)
    assert snapshot.library == library
    if library is MINE:
        assert snapshot.collection_paths[keys["dense"]] == "Retrieval/Dense — nested / Ünïcode"
        assert snapshot.searches[keys["to_read"]].conditions == (
            {"condition": "tag", "operator": "is", "value": "to-read"},
        )


def test_every_way_tells_the_same(ways: Ways, world: World) -> None:
    example(world)
    first, *rest = [ways.open(way, world).read(MINE) for way in (*SERVERS, *DATABASES)]
    for other in rest:
        assert plain(other) == plain(first)
        assert other == first


def test_unusual_items_are_told_alike(ways: Ways, way: str, world: World) -> None:
    crowd = [{"firstName": f"A{n}", "lastName": f"Author {n}", "creatorType": "author"} for n in range(4000)]
    world.add("journalArticle", title="With a crowd", creators=crowd)
    world.add("book")
    world.add("book", title="\u200fעברית\u200e and \u202eRTL\u202c, $\\alpha$ & <b>bold</b>", date="1999-00-00 c. 1999")
    world.note(world.add("book", title="Noted", tags=["z", "a", {"tag": "m", "type": 1}]), "<p>é</p>" * 500_000)
    found = ways.open(way, world).read(MINE)
    wanted = expected(world, MY_LIBRARY)
    for data in wanted.values():
        if "tags" in data:
            data["tags"] = sorted(data["tags"], key=lambda tag: tag["tag"])
    assert {k: d for k, d in plain(found)["items"].items() if "date" not in d} == {
        k: d for k, d in wanted.items() if "date" not in d
    }
    (dated,) = (item for item in found.items.values() if "date" in item.data)
    assert dated.data["title"].endswith("<b>bold</b>") and "c. 1999" in dated.data["date"]


def test_the_trash_is_left_out_with_everything_below_it(ways: Ways, way: str, world: World) -> None:
    work = world.add("book", title="Kept")
    file = world.attach(work, "kept.pdf", b"%PDF")
    world.annotate(file, "below an attachment in the trash")
    world.trash(file)
    snapshot = ways.open(way, world).read(MINE)
    assert list(snapshot.items) == [work]


def test_an_empty_library_is_no_error(ways: Ways, way: str, world: World) -> None:
    snapshot = ways.open(way, world).read(MINE)
    assert (snapshot.items, snapshot.collections, snapshot.searches) == ({}, {}, {})


def test_a_change_is_told_with_the_next_reading(ways: Ways, way: str, world: World) -> None:
    keys = example(world)
    source = ways.open(way, world)
    before = source.read(MINE)
    world.edit(keys["book"], title="Another title")
    world.move(keys["preprint"], [keys["retrieval"]])
    world.rename_tag("to-read", "read")
    world.erase(keys["article_supplement"])
    world.restore(keys["trashed_thesis"])
    world.rename_collection(keys["retrieval"], "Finding")
    world.erase_collection(keys["dense"])
    world.erase_search(keys["to_read"])
    if way in DATABASES:
        write_database(world, world.data_folder, schema=int(way.split()[1]))
    after = source.read(MINE)
    assert plain(after)["items"] == expected(world, MY_LIBRARY)
    assert [c.name for c in after.collections.values()] == ["Finding"] and not after.searches
    assert keys["trashed_note"] in after.items and keys["trashed_note"] not in before.items


def test_an_erased_collection_holds_no_item(ways: Ways, way: str, world: World) -> None:
    keys = example(world)
    source = ways.open(way, world)
    source.read(MINE)
    world.erase_collection(keys["dense"])
    if way in DATABASES:
        write_database(world, world.data_folder, schema=int(way.split()[1]))
    after = source.read(MINE).items
    assert (after[keys["article"]].collections, after[keys["preprint"]].collections) == ((keys["retrieval"],), ())


def test_a_saved_search_finds_works_and_never_their_children(ways: Ways, way: str, world: World) -> None:
    keys = example(world)
    by_child = world.search("annotated", [{"condition": "tag", "operator": "is", "value": "ann-tag"}])
    source = ways.open(way, world)
    snapshot = source.read(MINE)
    assert source.run_search(snapshot, snapshot.searches[keys["to_read"]]) == {keys["article"], keys["book"]}
    assert source.run_search(snapshot, snapshot.searches[by_child]) == {keys["article"]}


def test_zoteros_own_text_of_a_file_is_told(ways: Ways, way: str, world: World) -> None:
    keys = example(world)
    source = ways.open(way, world)
    assert source.full_text(MINE, keys["article_pdf"]) == "The text of the article as Zotero took it."
    assert source.full_text(MINE, keys["book_pdf"]) is None
    assert source.full_text(MINE, "NSUCHKEY") is None


def test_a_library_that_is_not_there_is_an_error(ways: Ways, way: str, world: World) -> None:
    example(world)
    with pytest.raises(CiteLoomError) as failure:
        ways.open(way, world).read(Library("groups/1", "Gone"))
    assert failure.value.code is Code.ZOTERO_UNAVAILABLE


# -- what goes wrong on the way ----------------------------------------------------------------------------------

LISTS = {
    "local 9": "/api/users/0/",
    "local 10": "/api/users/0/",
    "web": "/users/12345/",
}


@pytest.mark.parametrize("way", SERVERS)
@pytest.mark.parametrize("what", ["items", "collections", "searches"])
@pytest.mark.parametrize("fault", ["drop", "cut", "slow", "silent", "not json", "endless", 404, 500])
def test_a_reply_that_is_not_whole_is_an_error_and_gives_nothing(
    ways: Ways, world: World, way: str, what: str, fault: str | int
) -> None:
    example(world)
    source = ways.open(way, world, timeout=0.2, max_bytes=2_000_000)
    assert ways.server
    ways.server.pace = 0.01
    ways.server.faults[LISTS[way] + what] = fault
    with pytest.raises(CiteLoomError) as failure:
        source.read(MINE)
    assert failure.value.code is Code.ZOTERO_UNAVAILABLE
    assert failure.value.next_step
    assert KEY not in str(failure.value.as_dict())
    ways.server.faults.clear()
    assert plain(source.read(MINE))["items"] == expected(world, MY_LIBRARY)


@pytest.mark.parametrize("way", SERVERS)
def test_a_reply_without_end_is_given_up_by_its_size(ways: Ways, world: World, way: str) -> None:
    source = ways.open(way, world, max_bytes=2_000_000)
    assert ways.server
    ways.server.faults[LISTS[way] + "items"] = "endless"
    with pytest.raises(CiteLoomError, match="more than 2 MB"):
        source.read(MINE)


@pytest.mark.parametrize("way", SERVERS)
def test_a_zotero_that_is_not_there_is_an_error_with_a_next_step(ways: Ways, world: World, way: str) -> None:
    source = ways.open(way, world)
    assert ways.server
    ways.server.close()
    for ask in (source.libraries, lambda: source.read(MINE), source.about):
        with pytest.raises(CiteLoomError) as failure:
            ask()
        assert failure.value.code is Code.ZOTERO_UNAVAILABLE
        assert failure.value.details["running"] is False
        assert re.search(r"\w+\.$", failure.value.next_step)
