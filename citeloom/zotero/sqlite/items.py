"""Items, collections and searches from zotero.sqlite, in the JSON of Zotero's API.

Whole tables are read with a handful of queries, then split by library.
"""

from __future__ import annotations

import html
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from citeloom.zotero.types import MY_LIBRARY, Item, Library, SavedSearch, Snapshot, ZoteroCollection, item_from_json

Rows = Callable[[str], Iterable[tuple[Any, ...]]]  # the rows of a query

_LINK_MODES = ("imported_file", "imported_url", "linked_file", "linked_url", "embedded_image")
_ANNOTATION_TYPES = {1: "highlight", 2: "note", 3: "image", 4: "ink", 5: "underline", 6: "text"}
_MARK_TEXT = ("highlight", "underline")
# Stored as a sortable date and the original text: "1999-00-00 c. 1999".
_MULTIPART_FIELDS = frozenset({"date", "dateDecided", "dateEnacted", "filingDate", "issueDate"})
_MULTIPART = re.compile(r"[0-9]{4}-(?:0[0-9]|1[0-2])-(?:[0-2][0-9]|3[01]) ")
_MOMENT = re.compile(
    r"[0-9]{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12][0-9]|3[01]) (?:[01][0-9]|2[0-3]):[0-5][0-9](?::[0-5][0-9])?"
)
_SQL_DATE = re.compile(r"([0-9]{4})-([0-9]{2})-([0-9]{2})(?: (.+))?", re.DOTALL)
_NOTE_WRAPPER = re.compile(r'<div class="zotero-note znv[0-9]+">')


def read_libraries(rows: Rows) -> dict[int, Library]:
    """Return My Library, then the groups, by library id; feeds are left out."""
    found = {number: Library(MY_LIBRARY, "My Library") for (number,) in rows(_USER_LIBRARY)}
    groups = [(Library(f"groups/{group}", _text(name)), number) for number, group, name in rows(_GROUPS)]
    for library, number in sorted(groups, key=lambda group: (group[0].name, group[0].id)):
        found[number] = library
    return found


def read_snapshots(rows: Rows) -> list[Snapshot]:
    """Return a snapshot of every library, without the trash and its children."""
    collections = _collections(rows)
    searches, items = _searches(rows), _items(rows, collections)
    return [
        Snapshot(
            library,
            {collection.key: collection for place, collection in collections.values() if place == number},
            searches[number],
            items[number],
        )
        for number, library in read_libraries(rows).items()
    ]


def _collections(rows: Rows) -> Mapping[int, tuple[int, ZoteroCollection]]:
    found = {number: (library, key, _text(name), parent) for number, library, key, name, parent in rows(_COLLECTIONS)}
    trashed = {number for (number,) in rows("SELECT collectionID FROM deletedCollections")}
    deleted = _with_descendants(trashed, {number: parent for number, (*_, parent) in found.items()})
    return {
        number: (library, ZoteroCollection(key, name, found[parent][1] if parent in found else None))
        for number, (library, key, name, parent) in found.items()
        if number not in deleted
    }


def _searches(rows: Rows) -> Mapping[int, dict[str, SavedSearch]]:
    conditions: dict[int, list[Mapping[str, str]]] = defaultdict(list)
    for number, condition, operator, written in rows(_CONDITIONS):
        value = _text(written)
        if condition in ("collection", "savedSearch"):
            value = value.rpartition("_")[2]  # old ones have the library before the key: 0_ABCD2345
        conditions[number].append({"condition": _text(condition), "operator": _text(operator), "value": value})
    found: dict[int, dict[str, SavedSearch]] = defaultdict(dict)
    for number, library, key, name in rows(_SEARCHES):
        found[library][key] = SavedSearch(key, _text(name), tuple(conditions[number]))
    return found


def _items(rows: Rows, collections: Mapping[int, tuple[int, ZoteroCollection]]) -> Mapping[int, dict[str, Item]]:
    data: dict[int, dict[str, Any]] = {}
    library_of: dict[int, int] = {}
    parent_of: dict[int, int | None] = {}
    for number, library, key, item_type, added, modified, parent in rows(_ITEMS):
        library_of[number], parent_of[number] = library, parent
        data[number] = {
            "key": key,
            "itemType": _text(item_type),
            "dateAdded": _iso(added),
            "dateModified": _iso(modified),
        }
    trashed = {number for (number,) in rows("SELECT itemID FROM deletedItems")}
    for number in _with_descendants(trashed, parent_of):
        data.pop(number, None)
    for number, item in data.items():
        parent = parent_of[number]
        if parent in data:
            item["parentItem"] = data[parent]["key"]
    for add in (_add_fields, _add_creators, _add_tags, _add_attachments, _add_notes, _add_annotations):
        add(rows, data)
    _add_collections(rows, data, collections)
    found: dict[int, dict[str, Item]] = defaultdict(dict)
    for number, item in data.items():
        found[library_of[number]][item["key"]] = item_from_json(item)
    return found


def _with_descendants(deleted: set[int], parent_of: Mapping[int, int | None]) -> set[int]:
    below: dict[int, list[int]] = defaultdict(list)
    for number, parent in parent_of.items():
        if parent is not None:
            below[parent].append(number)
    found, pending = set(deleted), list(deleted)
    while pending:
        for child in below[pending.pop()]:
            if child not in found:
                found.add(child)
                pending.append(child)
    return found


def _add_fields(rows: Rows, data: Mapping[int, dict[str, Any]]) -> None:
    for number, name, written in rows(_FIELDS):
        item = data.get(number)
        if item is None or item["itemType"] == "note":
            continue
        value = _text(written)
        if name in _MULTIPART_FIELDS and _MULTIPART.match(value) and not _MOMENT.fullmatch(value):
            value = value[11:]
        item[name] = _iso(value) if name == "accessDate" else value


def _add_creators(rows: Rows, data: Mapping[int, dict[str, Any]]) -> None:
    for number, first, last, one_field, creator_type in rows(_CREATORS):
        if number in data:
            name = {"name": _text(last)} if one_field == 1 else {"firstName": _text(first), "lastName": _text(last)}
            data[number].setdefault("creators", []).append({**name, "creatorType": _text(creator_type)})


def _add_tags(rows: Rows, data: Mapping[int, dict[str, Any]]) -> None:
    for number, name, automatic in rows(_TAGS):
        if number in data:
            tag = {"tag": _text(name), "type": 1} if automatic else {"tag": _text(name)}
            data[number].setdefault("tags", []).append(tag)


def _add_collections(
    rows: Rows, data: Mapping[int, dict[str, Any]], collections: Mapping[int, tuple[int, ZoteroCollection]]
) -> None:
    for number, collection in rows(_COLLECTION_ITEMS):
        if collection in collections and number in data and "parentItem" not in data[number]:
            data[number].setdefault("collections", []).append(collections[collection][1].key)


def _add_attachments(rows: Rows, data: Mapping[int, dict[str, Any]]) -> None:
    for number, mode, content_type, charset, written in rows(_ATTACHMENTS):
        if number not in data:
            continue
        link_mode = _LINK_MODES[mode] if mode in range(len(_LINK_MODES)) else ""
        item, path = data[number], _text(written)
        item.update(linkMode=link_mode, contentType=_text(content_type))
        if link_mode != "embedded_image":
            item["charset"] = _text(charset)
        if link_mode == "linked_file":
            item["path"] = path
        elif link_mode != "linked_url":
            item["filename"] = _file_name(path)


def _file_name(path: str) -> str:
    if path.startswith(("storage:", "attachments:")):
        return path.partition(":")[2].rpartition("/")[2]
    return re.split(r"[/\\]", path)[-1]


def _add_notes(rows: Rows, data: Mapping[int, dict[str, Any]]) -> None:
    for number, note in rows("SELECT itemID, note FROM itemNotes"):
        if number in data:
            data[number]["note"] = _note(_text(note))


def _note(note: str) -> str:
    wrapper = _NOTE_WRAPPER.match(note)
    if wrapper:
        return note[wrapper.end() :].removesuffix("</div>")
    # Plain text of an old Zotero that was never converted.
    return "".join(f"<p>{html.escape(line, quote=False)}</p>" for line in note.split("\n")) if note else ""


def _add_annotations(rows: Rows, data: Mapping[int, dict[str, Any]]) -> None:
    for number, kind, author, text, comment, colour, page_label, sort_index, position in rows(_ANNOTATIONS):
        if number not in data:
            continue
        annotation_type = _ANNOTATION_TYPES.get(kind, "")
        data[number].update(
            annotationType=annotation_type,
            annotationAuthorName=_text(author),
            annotationText=_text(text) if annotation_type in _MARK_TEXT else "",
            annotationComment=_text(comment),
            annotationColor=_text(colour),
            annotationPageLabel=_text(page_label),
            annotationSortIndex=_text(sort_index),
            annotationPosition=_text(position),
        )


def _text(value: object) -> str:
    # SQLite stores "12" as a number in untyped columns.
    if value is None:
        return ""
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


def _iso(value: object) -> str:
    parts = _SQL_DATE.fullmatch(_text(value))
    if not parts:
        return ""
    year, month, day, clock = parts.groups()
    date = year if month == "00" else f"{year}-{month}" if day == "00" else f"{year}-{month}-{day}"
    return f"{date}T{clock}Z" if clock else date


_USER_LIBRARY = "SELECT libraryID FROM libraries WHERE type = 'user'"
_GROUPS = "SELECT libraryID, groupID, name FROM groups"
_COLLECTIONS = "SELECT collectionID, libraryID, key, collectionName, parentCollectionID FROM collections"
_SEARCHES = """
    SELECT savedSearchID, libraryID, key, savedSearchName FROM savedSearches
    WHERE savedSearchID NOT IN (SELECT savedSearchID FROM deletedSearches)
"""
_CONDITIONS = """
    SELECT savedSearchID, condition, operator, value FROM savedSearchConditions
    ORDER BY savedSearchID, searchConditionID
"""
_ITEMS = """
    SELECT items.itemID, items.libraryID, items.key, typeName, dateAdded, dateModified,
        CASE typeName
            WHEN 'attachment' THEN itemAttachments.parentItemID
            WHEN 'note' THEN itemNotes.parentItemID
            WHEN 'annotation' THEN itemAnnotations.parentItemID
        END
    FROM items
    LEFT JOIN itemTypesCombined USING (itemTypeID)
    LEFT JOIN itemAttachments ON itemAttachments.itemID = items.itemID
    LEFT JOIN itemNotes ON itemNotes.itemID = items.itemID
    LEFT JOIN itemAnnotations ON itemAnnotations.itemID = items.itemID
"""
_FIELDS = """
    SELECT itemID, fieldName, value FROM itemData
    JOIN itemDataValues USING (valueID) JOIN fieldsCombined USING (fieldID)
"""
_CREATORS = """
    SELECT itemID, firstName, lastName, fieldMode, creatorType FROM itemCreators
    JOIN creators USING (creatorID) LEFT JOIN creatorTypes USING (creatorTypeID)
    ORDER BY itemID, orderIndex
"""
_TAGS = "SELECT itemID, name, type FROM itemTags JOIN tags USING (tagID)"
_COLLECTION_ITEMS = "SELECT itemID, collectionID FROM collectionItems"
_ATTACHMENTS = """
    SELECT itemID, linkMode, contentType, charset, path FROM itemAttachments LEFT JOIN charsets USING (charsetID)
"""
_ANNOTATIONS = """
    SELECT itemID, type, authorName, text, comment, color, pageLabel, sortIndex, position FROM itemAnnotations
"""
