"""zotero.sqlite gives what the API of a running Zotero gives, from a copy that nobody else can read."""

from __future__ import annotations

import os
import shutil
import sqlite3
import stat
import tempfile
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from citeloom.core.errors import CiteLoomError, Code
from citeloom.zotero.sqlite import copy as database_copy
from citeloom.zotero.sqlite.copy import private_copy
from citeloom.zotero.sqlite.source import SqliteSource, legacy_citekeys
from citeloom.zotero.types import MY_LIBRARY, Item, Library, Snapshot, ZoteroCollection, item_from_json
from tests.zotero_stand_in.database import running_zotero, write_better_bibtex, write_database
from tests.zotero_stand_in.world import World, example

MINE = Library(MY_LIBRARY, "My Library")


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path / "zotero")


@pytest.fixture(autouse=True)
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Whatever a test reads, and however that ends, no copy is left behind."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    monkeypatch.setattr(database_copy, "_PAUSES", (0.0, 0.0))
    yield folder
    assert not list(folder.iterdir())


def read(world: World, **how: object) -> Snapshot:
    return SqliteSource(write_database(world, world.data_folder, **how)).read(MINE)  # type: ignore[arg-type]


def change(database: Path, *statements: str) -> None:
    with closing(sqlite3.connect(database)) as connection, connection:
        for statement in statements:
            connection.execute(statement)


def refusal(database: Path) -> CiteLoomError:
    with pytest.raises(CiteLoomError) as caught:
        SqliteSource(database).read(MINE)
    assert caught.value.code is Code.ZOTERO_UNAVAILABLE
    assert caught.value.next_step
    return caught.value


def expected(world: World, library: str) -> dict[str, Item]:
    shelf = world.libraries[library]
    found = {}
    for key, data in shelf.items.items():
        if not shelf.in_trash(key):
            in_order = {name: sorted(data[name]) for name in ("collections",) if name in data}
            tags = sorted(data["tags"], key=lambda tag: str(tag["tag"]))
            found[key] = item_from_json({**data, **in_order, "tags": tags})
    return found


@pytest.mark.parametrize("wal", [False, True])
@pytest.mark.parametrize("schema", [123, 125, 129])
def test_every_item_of_a_running_zotero_is_read_as_its_api_gives_it(world: World, schema: int, wal: bool) -> None:
    example(world)
    database = write_database(world, world.data_folder, schema=schema, wal=wal)
    with running_zotero(database):
        source = SqliteSource(database)
        assert source.libraries() == [MINE, Library("groups/4242", "Lab Group")]
        for library in source.libraries():
            assert source.read(library).items == expected(world, library.id)
        assert source.about()["schema"] == schema


def test_collections_searches_and_full_text_come_along(world: World) -> None:
    keys = example(world)
    source = SqliteSource(write_database(world, world.data_folder))
    snapshot = source.read(MINE)
    assert snapshot.collections == {
        keys["retrieval"]: ZoteroCollection(keys["retrieval"], "Retrieval"),
        keys["dense"]: ZoteroCollection(keys["dense"], "Dense — nested / Ünïcode", keys["retrieval"]),
    }
    search = snapshot.searches[keys["to_read"]]
    assert search.conditions == ({"condition": "tag", "operator": "is", "value": "to-read"},)
    assert source.run_search(snapshot, search) == {keys["article"], keys["book"]}
    assert source.full_text(MINE, keys["article_pdf"]) == "The text of the article as Zotero took it."
    assert source.full_text(MINE, keys["book_pdf"]) is None
    (outside := world.data_folder.parent / "outside").mkdir()
    (outside / ".zotero-ft-cache").write_text("not Zotero's", encoding="utf-8")
    assert source.full_text(MINE, "../../outside") is None


def test_a_save_that_zotero_has_not_finished_is_not_seen(world: World) -> None:
    kept = [world.add("book", title=f"Book {number}", abstractNote="x" * 5000) for number in range(100)]
    database = write_database(world, world.data_folder)
    with running_zotero(database) as zotero:
        zotero.execute("PRAGMA cache_size = 5")  # so that half of the change is in the file already
        before = database.read_bytes()
        zotero.execute("BEGIN")
        zotero.execute("UPDATE itemDataValues SET value = value || ' changed'")
        zotero.execute("DELETE FROM items")
        assert database.read_bytes() != before
        snapshot = SqliteSource(database).read(MINE)
        zotero.execute("ROLLBACK")
    assert [snapshot.items[key].data["title"] for key in kept] == [f"Book {number}" for number in range(100)]


def test_a_change_is_seen_and_an_unchanged_database_is_not_copied_again(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    key = world.add("book", title="Before")
    database = write_database(world, world.data_folder)
    source = SqliteSource(database)
    first = source.read(MINE)
    with monkeypatch.context() as patch:
        patch.delattr(shutil, "copyfile")
        assert source.read(MINE) is first
    change(database, "UPDATE itemDataValues SET value = 'After' WHERE value = 'Before'")
    assert source.read(MINE).items[key].data["title"] == "After"


def test_the_copy_belongs_to_this_user_alone(world: World, temporary: Path) -> None:
    with private_copy(write_database(world, world.data_folder)) as (copy, _):
        assert copy.is_relative_to(temporary)
        if os.name == "posix":
            assert stat.S_IMODE(copy.parent.stat().st_mode) == 0o700


def test_a_database_that_changes_while_it_is_copied_is_copied_again(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    key = world.add("book", title="Before")
    database = write_database(world, world.data_folder)
    copyfile, copied = shutil.copyfile, []

    def copy_and_change(source: Path, target: Path) -> Path:
        copyfile(source, target)
        if not copied:
            change(database, "UPDATE itemDataValues SET value = 'After' WHERE value = 'Before'")
        copied.append(source)
        return target

    monkeypatch.setattr(shutil, "copyfile", copy_and_change)
    assert SqliteSource(database).read(MINE).items[key].data["title"] == "After"
    assert len(copied) == 2


def test_a_database_that_never_rests_is_refused(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    database = write_database(world, world.data_folder)
    copyfile = shutil.copyfile

    def copy_and_change(source: Path, target: Path) -> Path:
        change(database, "INSERT INTO tags (name) SELECT 'tag ' || count(*) FROM tags")
        return Path(copyfile(source, target))

    monkeypatch.setattr(shutil, "copyfile", copy_and_change)
    assert "without a pause" in refusal(database).message


@pytest.mark.parametrize("schema", [122, 124, 126, 130])
def test_an_unknown_schema_is_refused_by_its_number(world: World, schema: int) -> None:
    error = refusal(write_database(world, world.data_folder, schema=schema))
    assert str(schema) in error.message
    for known in ("123", "125", "129"):
        assert known in error.message
    assert error.details["schema"] == schema


def test_a_damaged_database_is_refused_whole(world: World) -> None:
    for number in range(200):
        world.add("book", title=f"Book {number}", abstractNote="x" * 2000)
    database = write_database(world, world.data_folder)
    size = database.stat().st_size
    with database.open("r+b") as file:
        file.truncate(size // 2)
    assert "damaged" in refusal(database).message


def test_what_is_no_database_of_zotero_is_refused_for_what_it_is(tmp_path: Path) -> None:
    database = tmp_path / "zotero.sqlite"
    assert "does not exist" in refusal(database).message
    database.write_bytes(b"")
    assert "not a Zotero database" in refusal(database).message
    database.write_bytes(b"a text file, long enough to have a header" * 50)
    assert "damaged" in refusal(database).message
    database.unlink()
    database.mkdir()
    assert "is a folder" in refusal(database).message


def test_without_room_for_the_copy_the_library_is_unavailable(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    database = write_database(world, world.data_folder)
    with monkeypatch.context() as patch:
        patch.setattr(tempfile, "tempdir", str(world.data_folder / "nowhere"))
        assert "cannot be copied" in refusal(database).message


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="the right to read cannot be taken away here")
def test_a_database_that_may_not_be_read_says_so(world: World) -> None:
    database = write_database(world, world.data_folder)
    database.chmod(0)
    assert "may not be read" in refusal(database).message


def test_the_trash_is_left_out_with_everything_below_it(world: World) -> None:
    outer = world.collection("Outer")
    inner = world.collection("Inner", outer)
    search = world.search("Old", [])
    kept = world.add("book", title="Kept", collections=[inner])
    attachment = world.attach(kept, "kept.pdf", None)
    world.annotate(attachment, "below the trash")
    world.trash(attachment)
    database = write_database(world, world.data_folder)
    change(
        database,
        f"INSERT INTO deletedCollections (collectionID) SELECT collectionID FROM collections WHERE key = '{outer}'",
        f"INSERT INTO deletedSearches (savedSearchID) SELECT savedSearchID FROM savedSearches WHERE key = '{search}'",
        "INSERT INTO libraries (libraryID, type) VALUES (99, 'feed')",
        "INSERT INTO items (itemTypeID, libraryID, key) VALUES (1, 99, 'FEEDFEED')",
    )
    source = SqliteSource(database)
    snapshot = source.read(MINE)
    assert source.libraries() == [MINE]
    assert (snapshot.collections, snapshot.searches, list(snapshot.items)) == ({}, {}, [kept])
    assert snapshot.items[kept].collections == ()


def test_a_group_that_zotero_does_not_have_is_no_empty_library(world: World) -> None:
    source = SqliteSource(write_database(world, world.data_folder))
    with pytest.raises(CiteLoomError, match="groups/7"):
        source.read(Library("groups/7", "Gone"))


anything = st.text(st.characters(exclude_categories=["Cs"]))


@settings(max_examples=25)
@given(st.lists(st.tuples(anything, anything), max_size=8))
def test_what_a_person_wrote_comes_back_as_written(written: list[tuple[str, str]]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        world = World(Path(folder))
        keys = [world.add("book", title=title, date=date, extra=date) for title, date in written]
        for title, date in written:
            world.note(None, f"{title}</div>{date}")
        world.add("journalArticle", title="Two", tags={tag for pair in written for tag in pair if tag})
        assert read(world).items == expected(world, MY_LIBRARY)
        assert len(keys) == len(written)


@pytest.mark.parametrize(
    ("kept", "given_"),
    [
        ("1999-00-00 c. 1999", "c. 1999"),
        ("2021-03-05 2021-03-05", "2021-03-05"),
        ("0000-00-00 n.d.", "n.d."),
        ("0000-00-00 10:30", "10:30"),
        ("2019", "2019"),
        ("2020-01-01 10:30:00", "2020-01-01 10:30:00"),
        (1984, "1984"),
    ],
)
def test_a_date_is_given_as_the_person_wrote_it(world: World, kept: str | int, given_: str) -> None:
    key = world.add("book", title="Dated", date="x")
    database = write_database(world, world.data_folder)
    with closing(sqlite3.connect(database)) as connection, connection:
        connection.execute("UPDATE itemDataValues SET value = ? WHERE value = '0000-00-00 x'", (kept,))
    assert SqliteSource(database).read(MINE).items[key].data["date"] == given_


def test_rows_that_make_no_sense_cost_only_themselves(world: World) -> None:
    book = world.add("book", title="Whole", date="2001", creators=[{"name": "Them", "creatorType": "author"}])
    stored = world.attach(book, "a.pdf", None)
    note = world.note(None, "old")
    mark = world.annotate(stored, "marked")
    database = write_database(world, world.data_folder)
    change(
        database,
        "INSERT INTO itemData SELECT itemID, 9999, 1 FROM items",  # a field that is not known
        "INSERT INTO items (itemTypeID, libraryID, key) VALUES (9999, 1, 'UNKNOWN2')",
        "INSERT INTO creators (creatorID) VALUES (9999)",
        f"INSERT INTO itemCreators SELECT itemID, 9999, 9999, 7 FROM items WHERE key = '{book}'",
        "UPDATE itemAttachments SET path = 'storage:../../outside/a.pdf', contentType = NULL, linkMode = 1",
        "UPDATE itemAnnotations SET type = 77, comment = NULL, sortIndex = '', position = x'ff'",
        "UPDATE itemNotes SET note = 'plain & old' || char(10) || 'text'",
        "UPDATE items SET dateModified = 'never'",
    )
    items = SqliteSource(database).read(MINE).items
    assert items.keys() == {book, stored, note, mark, "UNKNOWN2"}
    assert items[book].data["title"] == "Whole"
    assert items[book].data["creators"][1] == {"firstName": "", "lastName": "", "creatorType": ""}
    assert items[stored].data["filename"] == "a.pdf"
    assert items[note].data["note"] == "<p>plain &amp; old</p><p>text</p>"
    assert items[mark].parent == stored
    assert "annotationText" not in items[mark].data  # only highlights and underlines have one
    assert "dateModified" not in items[book].data


def test_four_thousand_authors_and_a_note_of_five_megabytes_are_read(world: World) -> None:
    authors = [{"firstName": "A.", "lastName": f"Author {n}", "creatorType": "author"} for n in range(4000)]
    paper = world.add("journalArticle", title="Collision", creators=authors)
    note = world.note(paper, "<p>" + "x" * 5_000_000 + "</p>")
    items = read(world).items
    assert items[paper].data["creators"] == authors
    assert len(items[note].data["note"]) == 5_000_007


def test_an_item_without_anything_is_an_item(world: World) -> None:
    key = world.add("document")
    assert read(world).items[key].type == "document"


def test_citekeys_of_an_older_better_bibtex_are_found_for_groups_too(world: World) -> None:
    mine, theirs = world.add("book"), world.add("book", library=world.group(4242, "Lab").id)
    world.libraries[MY_LIBRARY].citekeys[mine] = "own2020"
    assert legacy_citekeys(world.data_folder) == {}
    write_better_bibtex(world, world.data_folder)
    assert legacy_citekeys(world.data_folder) == {(MY_LIBRARY, mine): "own2020"}
    world.libraries["groups/4242"].citekeys[theirs] = "group2021"
    write_database(world, world.data_folder)
    database = write_better_bibtex(world, world.data_folder)
    assert legacy_citekeys(world.data_folder) == {(MY_LIBRARY, mine): "own2020", ("groups/4242", theirs): "group2021"}
    database.write_bytes(b"no database")
    assert legacy_citekeys(world.data_folder) == {}
