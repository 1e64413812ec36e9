"""Items, collections and searches from zotero.sqlite, in the JSON of Zotero's API.

Whole tables are read with a handful of queries, then split by library.
"""

from __future__ import annotations

import html
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from citeloom.zotero.api_json import snapshot_from_json
from citeloom.zotero.types import MY_LIBRARY, Library, Snapshot

Rows = Callable[[str], Iterable[tuple[Any, ...]]]  # the rows of a query
_Objects = Iterator[tuple[int, dict[str, Any]]]  # the library's id and the JSON of an object

_LINK_MODES = ("imported_file", "imported_url", "linked_file", "linked_url", "embedded_image")
_ANNOTATION_TYPES = {1: "highlight", 2: "note", 3: "image", 4: "ink", 5: "underline", 6: "text"}
_ANNOTATION_TEXTS = (
    *("annotationAuthorName", "annotationText", "annotationComment", "annotationColor", "annotationPageLabel"),
    *("annotationSortIndex", "annotationPosition"),
)
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
    return {
        number: Library(MY_LIBRARY, "My Library") if group is None else Library(f"groups/{group}", _text(name))
        for number, group, name in rows(_LIBRARIES)
    }


def read_snapshots(rows: Rows) -> list[Snapshot]:
    """Return a snapshot of every library, without the trash and its children."""
    objects: list[dict[int, list[dict[str, Any]]]] = []
    for kind in (_collections(rows), _searches(rows), _items(rows)):
        objects.append(defaultdict(list))
        for library, data in kind:
            objects[-1][library].append(data)
    return [
        snapshot_from_json(library, *(by_library[number] for by_library in objects))
        for number, library in read_libraries(rows).items()
    ]


def _collections(rows: Rows) -> _Objects:
    for library, key, name, parent, deleted in rows(_COLLECTIONS):
        yield library, {"key": key, "name": _text(name), "parentCollection": parent, "deleted": deleted}


def _searches(rows: Rows) -> _Objects:
    conditions: dict[int, list[dict[str, str]]] = defaultdict(list)
    for number, condition, operator, value in rows(_CONDITIONS):
        conditions[number].append({"condition": _text(condition), "operator": _text(operator), "value": _text(value)})
    for number, library, key, name in rows(_SEARCHES):
        yield library, {"key": key, "name": _text(name), "conditions": conditions[number]}


def _items(rows: Rows) -> _Objects:
    data: dict[int, dict[str, Any]] = {}
    library_of: dict[int, int] = {}
    for number, library, key, item_type, added, modified, parent, deleted in rows(_ITEMS):
        library_of[number] = library
        data[number] = {
            "key": key,
            "itemType": _text(item_type),
            "dateAdded": _iso(added),
            "dateModified": _iso(modified),
            "parentItem": parent,
            "deleted": deleted,
        }

    def of_items(query: str) -> Iterator[tuple[Any, ...]]:
        return ((data[number], *values) for number, *values in rows(query) if number in data)

    for item, name, written in of_items(_FIELDS):
        if item["itemType"] != "note":
            item[name] = _field(name, _text(written))
    for item, first, last, one_field, creator_type in of_items(_CREATORS):
        name = {"name": _text(last)} if one_field == 1 else {"firstName": _text(first), "lastName": _text(last)}
        item.setdefault("creators", []).append({**name, "creatorType": _text(creator_type)})
    for item, name, automatic in of_items(_TAGS):
        item.setdefault("tags", []).append({"tag": _text(name), "type": 1} if automatic else {"tag": _text(name)})
    for item, collection in of_items(_COLLECTION_ITEMS):
        if not item["parentItem"]:
            item.setdefault("collections", []).append(collection)
    for item, *attachment in of_items(_ATTACHMENTS):
        item.update(_attachment(*attachment))
    for item, note in of_items("SELECT itemID, note FROM itemNotes"):
        item["note"] = _note(_text(note))
    for item, kind, *texts in of_items(_ANNOTATIONS):
        item["annotationType"] = _ANNOTATION_TYPES.get(kind, "")
        item.update(zip(_ANNOTATION_TEXTS, map(_text, texts), strict=True))
        if item["annotationType"] not in _MARK_TEXT:
            del item["annotationText"]
    return ((library_of[number], item) for number, item in data.items())


def _field(name: str, value: str) -> str:
    if name in _MULTIPART_FIELDS and _MULTIPART.match(value) and not _MOMENT.fullmatch(value):
        return value[11:]
    return _iso(value) if name == "accessDate" else value


def _attachment(mode: int, content_type: object, charset: object, path: object) -> dict[str, str]:
    link_mode = _LINK_MODES[mode] if mode in range(len(_LINK_MODES)) else ""
    data = {"linkMode": link_mode, "contentType": _text(content_type)}
    if link_mode != "embedded_image":
        data["charset"] = _text(charset)
    if link_mode == "linked_file":
        data["path"] = _text(path)
    elif link_mode != "linked_url":
        data["filename"] = _file_name(_text(path))
    return data


def _file_name(path: str) -> str:
    if path.startswith(("storage:", "attachments:")):
        return path.partition(":")[2].rpartition("/")[2]
    return re.split(r"[/\\]", path)[-1]


def _note(note: str) -> str:
    wrapper = _NOTE_WRAPPER.match(note)
    if wrapper:
        return note[wrapper.end() :].removesuffix("</div>")
    # Plain text of an old Zotero that was never converted.
    return "".join(f"<p>{html.escape(line, quote=False)}</p>" for line in note.split("\n")) if note else ""


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


_LIBRARIES = """
    SELECT libraries.libraryID, groupID, name FROM libraries LEFT JOIN groups USING (libraryID)
    WHERE libraries.type = 'user' OR groupID IS NOT NULL
    ORDER BY groupID IS NOT NULL, name, CAST(groupID AS TEXT)
"""
_COLLECTIONS = """
    SELECT collections.libraryID, collections.key, collections.collectionName, parents.key,
        collections.collectionID IN (SELECT collectionID FROM deletedCollections)
    FROM collections LEFT JOIN collections AS parents ON parents.collectionID = collections.parentCollectionID
"""
_SEARCHES = """
    SELECT savedSearchID, libraryID, key, savedSearchName FROM savedSearches
    WHERE savedSearchID NOT IN (SELECT savedSearchID FROM deletedSearches)
"""
_CONDITIONS = """
    SELECT savedSearchID, condition, operator, value FROM savedSearchConditions
    ORDER BY savedSearchID, searchConditionID
"""
_ITEMS = """
    SELECT items.itemID, items.libraryID, items.key, typeName, items.dateAdded, items.dateModified, parents.key,
        items.itemID IN (SELECT itemID FROM deletedItems)
    FROM items
    LEFT JOIN itemTypesCombined USING (itemTypeID)
    LEFT JOIN itemAttachments ON itemAttachments.itemID = items.itemID
    LEFT JOIN itemNotes ON itemNotes.itemID = items.itemID
    LEFT JOIN itemAnnotations ON itemAnnotations.itemID = items.itemID
    LEFT JOIN items AS parents ON parents.itemID = CASE typeName
        WHEN 'attachment' THEN itemAttachments.parentItemID
        WHEN 'note' THEN itemNotes.parentItemID
        WHEN 'annotation' THEN itemAnnotations.parentItemID
    END
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
_COLLECTION_ITEMS = "SELECT itemID, key FROM collectionItems JOIN collections USING (collectionID)"
_ATTACHMENTS = """
    SELECT itemID, linkMode, contentType, charset, path FROM itemAttachments LEFT JOIN charsets USING (charsetID)
"""
_ANNOTATIONS = """
    SELECT itemID, type, authorName, text, comment, color, pageLabel, sortIndex, position FROM itemAnnotations
"""
