"""A world as Zotero's own database: the tables and columns of the schemas that Zotero 7 to 10 write."""

from __future__ import annotations

import re
import shutil
import sqlite3
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from tests.zotero_stand_in.world import Shelf, World

# The same columns in every schema; a type only where Zotero's type changes what SQLite keeps.
TABLES = {
    "version": "schema TEXT PRIMARY KEY, version INT NOT NULL",
    "itemTypes": "itemTypeID INTEGER PRIMARY KEY, typeName TEXT, templateItemTypeID INT, display INT",
    "itemTypesCombined": "itemTypeID INT PRIMARY KEY, typeName TEXT, display INT, custom INT",
    "fields": "fieldID INTEGER PRIMARY KEY, fieldName TEXT, fieldFormatID INT",
    "fieldsCombined": "fieldID INT PRIMARY KEY, fieldName TEXT, label TEXT, fieldFormatID INT, custom INT",
    "creatorTypes": "creatorTypeID INTEGER PRIMARY KEY, creatorType TEXT",
    "charsets": "charsetID INTEGER PRIMARY KEY, charset TEXT UNIQUE",
    "libraries": """libraryID INTEGER PRIMARY KEY, type TEXT NOT NULL, editable INT, filesEditable INT,
        version INT DEFAULT 0, storageVersion INT DEFAULT 0, lastSync INT DEFAULT 0, archived INT DEFAULT 0""",
    "groups": "groupID INTEGER PRIMARY KEY, libraryID INT UNIQUE, name TEXT, description TEXT, version INT",
    "items": """itemID INTEGER PRIMARY KEY, itemTypeID INT NOT NULL, dateAdded TIMESTAMP, dateModified TIMESTAMP,
        clientDateModified TIMESTAMP, libraryID INT NOT NULL, key TEXT NOT NULL, version INT DEFAULT 0,
        synced INT DEFAULT 0, UNIQUE (libraryID, key)""",
    "itemDataValues": "valueID INTEGER PRIMARY KEY, value UNIQUE",
    "itemData": "itemID INT, fieldID INT, valueID, PRIMARY KEY (itemID, fieldID)",
    "itemNotes": "itemID INTEGER PRIMARY KEY, parentItemID INT, note TEXT, title TEXT",
    "itemAttachments": """itemID INTEGER PRIMARY KEY, parentItemID INT, linkMode INT, contentType TEXT, charsetID INT,
        path TEXT, syncState INT, storageModTime INT, storageHash TEXT, lastProcessedModificationTime INT""",
    "itemAnnotations": """itemID INTEGER PRIMARY KEY, parentItemID INT NOT NULL, type INTEGER NOT NULL, authorName TEXT,
        text TEXT, comment TEXT, color TEXT, pageLabel TEXT, sortIndex TEXT NOT NULL, position TEXT NOT NULL,
        isExternal INT NOT NULL DEFAULT 0""",
    "tags": "tagID INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE",
    "itemTags": "itemID INT, tagID INT, type INT NOT NULL, PRIMARY KEY (itemID, tagID)",
    "creators": """creatorID INTEGER PRIMARY KEY, firstName TEXT, lastName TEXT, fieldMode INT,
        UNIQUE (lastName, firstName, fieldMode)""",
    "itemCreators": "itemID INT, creatorID INT, creatorTypeID INT, orderIndex INT, UNIQUE (itemID, orderIndex)",
    "collections": """collectionID INTEGER PRIMARY KEY, collectionName TEXT NOT NULL, parentCollectionID INT,
        clientDateModified TIMESTAMP, libraryID INT, key TEXT, version INT DEFAULT 0, synced INT DEFAULT 0""",
    "collectionItems": "collectionID INT, itemID INT, orderIndex INT DEFAULT 0, PRIMARY KEY (collectionID, itemID)",
    "savedSearches": """savedSearchID INTEGER PRIMARY KEY, savedSearchName TEXT NOT NULL,
        clientDateModified TIMESTAMP, libraryID INT, key TEXT, version INT DEFAULT 0, synced INT DEFAULT 0""",
    "savedSearchConditions": """savedSearchID INT, searchConditionID INT, condition TEXT NOT NULL, operator TEXT,
        value TEXT, PRIMARY KEY (savedSearchID, searchConditionID)""",
    "deletedItems": "itemID INTEGER PRIMARY KEY, dateDeleted DEFAULT CURRENT_TIMESTAMP NOT NULL",
    "deletedCollections": "collectionID INTEGER PRIMARY KEY, dateDeleted DEFAULT CURRENT_TIMESTAMP NOT NULL",
    "deletedSearches": "savedSearchID INTEGER PRIMARY KEY, dateDeleted DEFAULT CURRENT_TIMESTAMP NOT NULL",
}
# What a schema added to the one before: the version, the table, the column.
ADDED = (
    (124, "itemAttachments", "lastRead INT"),
    (125, "libraries", "isAdmin INT NOT NULL DEFAULT 0"),
    (126, "itemDataValues", "valueNormalized TEXT"),
    (126, "tags", "nameNormalized TEXT"),
    (126, "creators", "firstNameNormalized TEXT"),
    (126, "creators", "lastNameNormalized TEXT"),
    (126, "itemAnnotations", "textNormalized TEXT"),
    (126, "itemAnnotations", "commentNormalized TEXT"),
    *((129, table, "clientVersion INT DEFAULT 0") for table in ("items", "collections", "savedSearches", "libraries")),
)
LINK_MODES = ("imported_file", "imported_url", "linked_file", "linked_url", "embedded_image")
ANNOTATION_TYPES = {"highlight": 1, "note": 2, "image": 3, "ink": 4, "underline": 5, "text": 6}
# What of an item's JSON stands in tables of its own.
NOT_FIELDS = frozenset(
    (
        *("key", "version", "itemType", "dateAdded", "dateModified", "deleted", "inPublications"),
        *("creators", "tags", "collections", "relations", "parentItem", "note"),
        *("linkMode", "contentType", "charset", "filename", "path", "md5", "mtime", "lastRead"),
        *("annotationType", "annotationAuthorName", "annotationText", "annotationComment"),
        *("annotationColor", "annotationPageLabel", "annotationSortIndex", "annotationPosition"),
    )
)


def write_database(world: World, folder: Path, *, schema: int = 125, wal: bool = False) -> Path:
    """Write zotero.sqlite; with `wal`, everything but the empty tables stands in zotero.sqlite-wal only."""
    path = folder / "zotero.sqlite"
    for old in folder.glob("zotero.sqlite*"):
        old.unlink()
    with tempfile.TemporaryDirectory() as aside:
        draft = Path(aside) / path.name
        with closing(sqlite3.connect(draft, isolation_level=None)) as connection:
            connection.execute(f"PRAGMA journal_mode = {'WAL' if wal else 'DELETE'}")
            connection.execute("PRAGMA wal_autocheckpoint = 0")
            connection.execute("PRAGMA synchronous = OFF")
            connection.execute("BEGIN")
            _make_tables(connection, schema)
            connection.execute("COMMIT")
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            connection.execute("BEGIN")
            _Writer(connection).write(world)
            connection.execute("COMMIT")
            for part in draft.parent.glob("zotero.sqlite*"):  # now: closing would empty the -wal
                if not part.name.endswith("-shm"):
                    shutil.copyfile(part, folder / part.name)
    return path


@contextmanager
def running_zotero(database: Path) -> Iterator[sqlite3.Connection]:
    """Hold a database as a running Zotero does: nobody else can open it."""
    with closing(sqlite3.connect(database, isolation_level=None)) as connection:
        connection.execute("PRAGMA locking_mode = EXCLUSIVE")
        connection.execute("BEGIN EXCLUSIVE")
        connection.execute("COMMIT")
        yield connection


def write_better_bibtex(world: World, folder: Path) -> Path:
    """Write the database in which an older Better BibTeX keeps the citekeys of a world."""
    path = folder / "better-bibtex.sqlite"
    path.unlink(missing_ok=True)
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("CREATE TABLE citationkey (itemID, itemKey, libraryID, citationKey, pinned)")
        for number, shelf in enumerate(world.libraries.values(), 1):
            for item, (key, citekey) in enumerate(shelf.citekeys.items(), 1):
                row = (100 * number + item, key, number, citekey, 0)
                connection.execute("INSERT INTO citationkey VALUES (?, ?, ?, ?, ?)", row)
    return path


def _make_tables(connection: sqlite3.Connection, schema: int) -> None:
    for table, columns in TABLES.items():
        connection.execute(f"CREATE TABLE {table} ({columns})")
    for version, table, column in ADDED:
        if schema >= version:
            connection.execute(f"ALTER TABLE {table} ADD COLUMN {column}")
    if schema < 127:
        connection.execute("ALTER TABLE savedSearchConditions ADD COLUMN required NONE")
        connection.execute("CREATE TABLE fulltextWords (wordID INTEGER PRIMARY KEY, word TEXT UNIQUE)")
        connection.execute("CREATE TABLE fulltextItemWords (wordID INT, itemID INT, PRIMARY KEY (wordID, itemID))")
    connection.execute("INSERT INTO version VALUES ('userdata', ?), ('compatibility', 7)", (schema,))


class _Writer:
    """Puts a world into the tables; names get numbers as they come up."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._numbers: dict[tuple[str, Any], int] = {}

    def write(self, world: World) -> None:
        for number, shelf in enumerate(world.libraries.values(), 1):
            group = shelf.id.removeprefix("groups/") if shelf.id != "library" else None
            self._insert("libraries", libraryID=number, type="group" if group else "user", editable=1, filesEditable=1)
            if group:
                self._insert("groups", groupID=int(group), libraryID=number, name=shelf.name, description="", version=1)
            self._shelf(number, shelf)

    def _shelf(self, library: int, shelf: Shelf) -> None:
        for key, collection in shelf.collections.items():
            parent = collection["parentCollection"]
            self._insert(
                "collections",
                collectionID=self._number("collection", key),
                collectionName=collection["name"],
                parentCollectionID=self._number("collection", parent) if parent else None,
                libraryID=library,
                key=key,
            )
        for key, search in shelf.searches.items():
            number = self._number("search", key)
            self._insert(
                "savedSearches", savedSearchID=number, savedSearchName=search["name"], libraryID=library, key=key
            )
            for place, condition in enumerate(search["conditions"]):
                self._insert("savedSearchConditions", savedSearchID=number, searchConditionID=place, **condition)
        for key, data in shelf.items.items():
            self._item(library, data)
            if key in shelf.trash:
                self._insert("deletedItems", itemID=self._number("item", key))

    def _item(self, library: int, data: Mapping[str, Any]) -> None:
        item, kind = self._number("item", data["key"]), data["itemType"]
        self._insert(
            "items",
            itemID=item,
            itemTypeID=self._named("itemTypes", "itemTypeID", "typeName", kind),
            dateAdded=_sql_date(data["dateAdded"]),
            dateModified=_sql_date(data["dateModified"]),
            clientDateModified=_sql_date(data["dateModified"]),
            libraryID=library,
            key=data["key"],
        )
        for name, value in data.items():
            if name not in NOT_FIELDS and value != "":
                self._field(item, name, value)
        for place, creator in enumerate(data.get("creators", ())):
            self._creator(item, place, creator)
        for tag in data.get("tags", ()):
            number = self._named("tags", "tagID", "name", tag["tag"])
            self._insert("itemTags", itemID=item, tagID=number, type=tag.get("type", 0))
        for collection in data.get("collections", ()):
            self._insert("collectionItems", collectionID=self._number("collection", collection), itemID=item)
        parent = self._number("item", data["parentItem"]) if data.get("parentItem") else None
        if data.get("note") or kind == "note":
            note = f'<div class="zotero-note znv1">{data["note"]}</div>'
            self._insert("itemNotes", itemID=item, parentItemID=parent if kind == "note" else None, note=note, title="")
        if kind == "attachment":
            self._attachment(item, parent, data)
        if kind == "annotation":
            self._annotation(item, parent, data)

    def _field(self, item: int, name: str, value: str) -> None:
        if name == "date":
            value = f"{_sortable(value)} {value}"
        if name == "accessDate":
            value = _sql_date(value)
        number = self._named("itemDataValues", "valueID", "value", value)
        self._insert(
            "itemData", itemID=item, fieldID=self._named("fields", "fieldID", "fieldName", name), valueID=number
        )

    def _creator(self, item: int, place: int, creator: Mapping[str, str]) -> None:
        one_field = "name" in creator
        name = {
            "firstName": "" if one_field else creator["firstName"],
            "lastName": creator["name"] if one_field else creator["lastName"],
            "fieldMode": int(one_field),
        }
        known = ("creator", *name.values())
        if known not in self._numbers:
            self._insert("creators", creatorID=self._number(*known), **name)
        kind = self._named("creatorTypes", "creatorTypeID", "creatorType", creator["creatorType"])
        number = self._number(*known)
        self._insert("itemCreators", itemID=item, creatorID=number, creatorTypeID=kind, orderIndex=place)

    def _attachment(self, item: int, parent: int | None, data: Mapping[str, Any]) -> None:
        charset = data.get("charset")
        self._insert(
            "itemAttachments",
            itemID=item,
            parentItemID=parent,
            linkMode=LINK_MODES.index(data["linkMode"]),
            contentType=data["contentType"],
            charsetID=self._named("charsets", "charsetID", "charset", charset) if charset else None,
            path=f"storage:{data['filename']}" if "filename" in data else data.get("path"),
        )

    def _annotation(self, item: int, parent: int | None, data: Mapping[str, Any]) -> None:
        self._insert(
            "itemAnnotations",
            itemID=item,
            parentItemID=parent,
            type=ANNOTATION_TYPES[data["annotationType"]],
            authorName=data["annotationAuthorName"] or None,
            text=data.get("annotationText"),
            comment=data["annotationComment"] or None,
            color=data["annotationColor"],
            pageLabel=data["annotationPageLabel"],
            sortIndex=data["annotationSortIndex"],
            position=data["annotationPosition"],
        )

    def _number(self, kind: str, *name: Any) -> int:
        return self._numbers.setdefault((kind, *name), len(self._numbers) + 1)

    def _named(self, table: str, id_column: str, column: str, name: str) -> int:
        known = (table, name) in self._numbers
        number = self._number(table, name)
        if not known:
            self._insert(table, **{id_column: number, column: name})
            if table in ("fields", "itemTypes"):
                self._insert(f"{table}Combined", **{id_column: number, column: name})
        return number

    def _insert(self, table: str, **values: Any) -> None:
        marks = ", ".join("?" * len(values))
        self._connection.execute(f"INSERT INTO {table} ({', '.join(values)}) VALUES ({marks})", tuple(values.values()))


def _sql_date(moment: str) -> str:
    return moment.replace("T", " ").removesuffix("Z")


def _sortable(date: str) -> str:
    # Zotero puts what it understands of a date before what the person wrote.
    whole = re.match(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", date)
    year = re.search(r"[0-9]{4}", date)
    return whole.group() if whole else f"{year.group() if year else '0000'}-00-00"
