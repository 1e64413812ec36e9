"""Documents table: one row per file or note, with its state, conversion and record."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any

from citeloom.catalog import coverage
from citeloom.catalog.coverage import EmbeddingState
from citeloom.catalog.database import Table, now
from citeloom.core import fault_injection as faults
from citeloom.core.errors import CiteLoomError, Code
from citeloom.core.text.normalize import fold
from citeloom.core.types import Coverage


class State(StrEnum):
    """State of a document."""

    PENDING = "pending"  # known, not searchable yet
    READY = "ready"  # searchable
    FAILED = "failed"  # could not be read; see `reason`
    DUPLICATE = "duplicate"  # the same content as another document, which is searchable
    WITHOUT_FILE = "without_file"  # a record whose file is not on this disk


# File types of texts that come from Zotero itself, not from a file.
ZOTERO_TEXT_TYPES = ("note", "annotations", "fulltext")
# Begins the warning of a document with passages that the model refused.
NOT_EMBEDDED = "Some of its passages are found by their words only, because they were not embedded"
STORED_TYPE = "stored"  # the file type of passages that an agent stored


@dataclass(slots=True)
class Document:
    """A row of the documents table."""

    project_id: str
    doc_id: str
    source: str  # path, address or Zotero item it came from
    file_type: str = ""
    state: State = State.PENDING
    reason_code: str | None = None
    reason: str | None = None
    size: int = 0
    mtime_ns: int = 0
    content_hash: str | None = None
    version: str | None = None  # the set of passages that is searchable
    writing: str | None = None  # the set of passages being written, while it is
    citekey: str = ""
    key_made: bool = False
    matched_by: str | None = None
    title: str = ""
    record: dict[str, Any] = field(default_factory=dict)
    pages: int | None = None
    chunks: int = 0
    without_vector: int = 0  # passages that are found by their words only, until they are embedded
    word_coverage: float | None = None
    converter: str = ""  # version of the last converter, even if it failed
    text_source: str = ""  # native, ocr or mixed
    converter_engine: str = ""  # quick, docling or plain
    fallback_reason: str | None = None  # why docling's structure was not used
    ocr_languages: list[str] = field(default_factory=list)  # languages of OCR; empty: no OCR was done
    waiting_for_ocr: int = 0  # pages that are missing in its quick text
    slow_pages: dict[str, list[int]] = field(default_factory=dict)  # pages that need more than a text layer, by reason
    ocr_share: float | None = None  # share of its pages read by OCR; None: unknown
    warnings: list[str] = field(default_factory=list)
    path: str = ""  # path of its file, if the source is not a path
    zotero: dict[str, str] = field(default_factory=dict)  # library, item, attachment
    record_hash: str | None = None  # of Zotero's metadata when the record was created
    language: str = ""  # of its text, such as "de"; "": unknown
    claimed_citekey: str = ""  # work claimed by an agent, or by the file itself although that work has another file
    claimed_by: str = ""  # agent, or the evidence in the file: name, doi, title
    decision: str = ""  # of the researcher on that claim: confirmed or refused; reset when the content changes
    metadata: dict[str, Any] = field(default_factory=dict)  # custom metadata: what is said of it beside its record
    created_at: str = ""  # when it was first added; set by the first `save`
    updated_at: str = ""

    @property
    def last_modified(self) -> str | None:
        """Time of its file in whole seconds, as ISO 8601 in UTC; None for what is no file on this disk."""
        if not _has_file_time(self):
            return None
        return datetime.fromtimestamp(self.mtime_ns // _SECOND, UTC).isoformat()

    @property
    def open_claim(self) -> str:
        """Claimed citekey that the researcher has not decided on yet, or ""."""
        return "" if self.decision else self.claimed_citekey

    @property
    def by_agent(self) -> bool:
        """Return whether its passages were stored by an agent."""
        return self.file_type == STORED_TYPE


_COLUMNS = [f.name for f in fields(Document)]
_AS_JSON = ("record", "ocr_languages", "slow_pages", "warnings", "zotero", "metadata")
_WRITTEN = [*_COLUMNS, "words", "year"]  # the last ones only for lists
_VALUES = f"INTO documents ({', '.join(_WRITTEN)}) VALUES ({', '.join(':' + c for c in _WRITTEN)})"
_INSERT = f"INSERT OR IGNORE {_VALUES}"
_UPSERT = f"INSERT {_VALUES} ON CONFLICT (project_id, doc_id) DO UPDATE SET " + ", ".join(
    f"{c} = excluded.{c}" for c in _WRITTEN if c not in ("project_id", "doc_id", "created_at")
)
_SECOND = 10**9  # nanoseconds
# A document without a file of its own, and a download, has another number in the place of the time.
_HAS_FILE_TIME = "size > 0 AND mtime_ns > 0 AND file_type NOT IN (SELECT value FROM json_each(:no_files))"
_NO_FILES = (*ZOTERO_TEXT_TYPES, STORED_TYPE)
# Sort orders, written exactly as the table's indexes, so that SQLite need not sort 100,000 rows for each page.
_LOCATION = "coalesce(nullif(path, ''), source)"
_CITEKEY = "nullif(citekey, '') COLLATE NOCASE"
_ORDERS = {
    "citekey": (_CITEKEY, "state"),
    "title": ("words", "state"),
    "status": ("state", _CITEKEY),
    "pages": ("pages", "state"),
    "word_coverage": ("word_coverage", "state"),
    "ocr_share": ("ocr_share", "state"),
    "source": (f"{_LOCATION} COLLATE NOCASE", "state"),
    "year": ("year", "state"),
}
_MAY_BE_NULL = (_CITEKEY, "pages", "word_coverage", "ocr_share", "year")
SORTS = tuple(_ORDERS)
_BACKFILL_BATCH = 1000


def _has_file_time(document: Document) -> bool:
    return document.size > 0 and document.mtime_ns > 0 and document.file_type not in _NO_FILES


def _from_row(row: sqlite3.Row) -> Document:
    values = {name: row[name] for name in _COLUMNS}
    values["state"] = State(values["state"])
    values["key_made"] = bool(values["key_made"])
    for name in _AS_JSON:
        values[name] = json.loads(values[name])
    return Document(**values)


def _search_text(title: str, citekey: str, claimed: str, record: dict[str, Any], location: str) -> str:
    """Return the folded text by which a document is found and sorted, beginning with its title."""
    keys = f"{citekey} {claimed}".strip()
    return fold("\n".join((title or location, keys, "; ".join(record.get("authors") or ()), location)))


def year_of(record: dict[str, Any]) -> int | None:
    """Return the year of a record, or None."""
    year = record.get("year")
    return year if isinstance(year, int) else None


class Documents(Table):
    """The documents table."""

    _backfilled = False  # whether all rows have the columns that lists need

    def save(self, document: Document) -> None:
        """Insert or replace the row of a document."""
        self._write(document, _UPSERT)

    def add(self, document: Document) -> None:
        """Insert the row of a document, unless it is known."""
        self._write(document, _INSERT)

    def _write(self, document: Document, sql: str) -> None:
        document.updated_at = now()
        document.created_at = document.created_at or document.updated_at
        values = asdict(document)
        location = document.path or document.source
        values["words"] = _search_text(
            document.title, document.citekey, document.claimed_citekey, document.record, location
        )
        values["year"] = year_of(document.record)
        values |= {name: json.dumps(values[name], ensure_ascii=False) for name in _AS_JSON}
        self._db.write(sql, values)
        faults.point("catalog.document_saved", document.source)

    def mark_writing(self, document: Document, passage_set: str | None) -> None:
        """Record only which set of passages is about to be written; the rest of the row stays valid until then."""
        if self.find(document.project_id, document.doc_id) is None:
            self.save(Document(document.project_id, document.doc_id, document.source, document.file_type))
        self._db.write(
            "UPDATE documents SET writing = ? WHERE project_id = ? AND doc_id = ?",
            (passage_set, document.project_id, document.doc_id),
        )

    def all(self, project_id: str) -> list[Document]:
        """Return all documents of a project."""
        return self._select(project_id, "true ORDER BY source")

    def page(
        self,
        project_id: str,
        *,
        state: str | None = None,
        find: str = "",
        sort: str = "citekey",
        descending: bool = False,
        limit: int = 200,
        offset: int = 0,
    ) -> tuple[list[str], int]:
        """Return the ids of one page of documents and the total number; missing values sort last."""
        self._backfill()
        where, values = "project_id = ?", [project_id]
        if state:
            where, values = f"{where} AND state = ?", [*values, state]
        if words := fold(find).split():
            # The index contains the words and is much smaller than the rows, which are not read for the search.
            by_words = "documents INDEXED BY list_by_words"
            matching = f"{where} AND {' AND '.join(['instr(words, ?) > 0'] * len(words))}"
            total = self._db.value(f"SELECT count(*) FROM {by_words} WHERE {matching}", [*values, *words])
            where = f"{where} AND rowid IN (SELECT rowid FROM {by_words} WHERE {matching})"
            values = [*values, *values, *words]
        else:
            total = self._db.value(f"SELECT count(*) FROM documents WHERE {where}", values)
        direction = "DESC" if descending else "ASC"
        first, second = _ORDERS[sort]
        # Descending, SQLite sorts nulls last anyway; without NULLS LAST it can use the index.
        last = " NULLS LAST" if first in _MAY_BE_NULL and not descending else ""
        # The rowid makes the order stable.
        order = f"{first} {direction}{last}, {second} {direction}, rowid {direction}"
        sql = f"SELECT doc_id FROM documents WHERE {where} ORDER BY {order} LIMIT ? OFFSET ?"
        return self._db.column(sql, [*values, limit, offset]), total

    def known_files(self, project_id: str) -> list[dict[str, Any]]:
        """Return the columns of all documents that planning needs."""
        rows = self._db.rows(
            "SELECT doc_id, source, path, file_type, state, reason_code, reason, size, mtime_ns, content_hash, version,"
            " pages, converter, converter_engine, record_hash FROM documents WHERE project_id = ?",
            (project_id,),
        )
        return [dict(r) for r in rows]

    def interrupted(self, project_id: str) -> list[Document]:
        """Return the documents whose passages were being written when the engine ended."""
        return self._select(project_id, "writing IS NOT NULL")

    def by_ids(self, project_id: str, doc_ids: Sequence[str]) -> list[Document]:
        """Return documents by id, in the given order; unknown ids are left out."""
        rows = self._select(project_id, "doc_id IN (SELECT value FROM json_each(?))", json.dumps(list(doc_ids)))
        found = {document.doc_id: document for document in rows}
        return [found[doc_id] for doc_id in dict.fromkeys(doc_ids) if doc_id in found]

    def ids_in_state(self, project_id: str, state: State) -> list[str]:
        """Return the ids of all documents in a state."""
        sql = "SELECT doc_id FROM documents WHERE project_id = ? AND state = ? ORDER BY source"
        return self._db.column(sql, (project_id, state))

    def find(self, project_id: str, doc_id: str | None = None, source: str | None = None) -> Document | None:
        """Return a document by id or by source, or None."""
        column, value = ("doc_id", doc_id) if doc_id else ("source", source)
        return next(iter(self._select(project_id, f"{column} = ?", value)), None)

    def get(self, project_id: str, doc_id: str | None, citekey: str | None) -> Document:
        """Return a document by id or citekey; of several of a work, one with a file. Raises DOCUMENT_NOT_FOUND."""
        if doc_id:
            found = self.find(project_id, doc_id)
        else:
            where = (
                "citekey = ? AND citekey != '' ORDER BY"
                " state = 'ready' DESC, file_type IN (SELECT value FROM json_each(?)), file_type = ?, source LIMIT 1"
            )
            of_work = self._select(project_id, where, citekey, json.dumps(ZOTERO_TEXT_TYPES), STORED_TYPE)
            found = next(iter(of_work), None)
        if found is None:
            raise CiteLoomError(
                Code.DOCUMENT_NOT_FOUND,
                f"No document {(doc_id or citekey or '')[:80]!r} in this project.",
                "list_documents gives the ids and citekeys there are.",
            )
        return found

    def modified(self, project_id: str, first: int, last: int) -> list[str]:
        """Return the ids of documents whose files were last modified from one second to another since 1970."""
        values = {"first": first, "last": last, "second": _SECOND, "no_files": json.dumps(_NO_FILES)}
        sql = (
            "SELECT doc_id FROM documents WHERE project_id = :project AND mtime_ns / :second BETWEEN :first AND :last"
            f" AND {_HAS_FILE_TIME}"
        )
        return self._db.column(sql, {"project": project_id, **values})

    def with_metadata(self, project_id: str) -> dict[str, list[str]]:
        """Return the ids of the documents that have custom metadata, by its keys."""
        sql = (
            "SELECT key, doc_id FROM documents, json_each(metadata) WHERE project_id = ? AND metadata != '{}'"
            " ORDER BY key, doc_id"
        )
        found: dict[str, list[str]] = {}
        for key, doc_id in self._db.rows(sql, (project_id,)):
            found.setdefault(key, []).append(doc_id)
        return found

    def find_same_content(self, project_id: str, content_hash: str, excluding: str) -> Document | None:
        """Return another searchable document with the same content, or None."""
        where = "content_hash = ? AND doc_id != ? AND +state = 'ready' LIMIT 1"  # +: not by the index of states
        return next(iter(self._select(project_id, where, content_hash, excluding)), None)

    def embedded_elsewhere(self, content_hash: str, excluding: str, fingerprint: str) -> list[Document]:
        """Return other documents with the same content, of any project, whose passages have vectors of a model."""
        sql = (
            "SELECT d.* FROM documents d JOIN projects p ON p.id = d.project_id WHERE d.content_hash = ?"
            " AND d.doc_id != ? AND p.dense_fingerprint = ? AND d.state = 'ready' AND d.without_vector < d.chunks"
        )
        return [_from_row(row) for row in self._db.rows(sql, (content_hash, excluding, fingerprint))]

    def without_vectors(self, project_id: str) -> list[Document]:
        """Return the searchable documents of which passages have no vector yet."""
        return self._select(project_id, "without_vector > 0 AND state = 'ready' ORDER BY source")

    def any_without_vectors(self, project_id: str) -> bool:
        """Whether passages of searchable documents have no vector yet, and the model did not refuse them."""
        sql = (
            "SELECT 1 FROM documents WHERE project_id = ? AND without_vector > 0 AND state = 'ready'"
            " AND instr(warnings, ?) = 0 LIMIT 1"
        )
        return self._db.value(sql, (project_id, NOT_EMBEDDED)) is not None

    def count_embedded(self, project_id: str, passages: Mapping[tuple[str, str], int]) -> None:
        """Count passages that got a vector, by document and passage set; sets that were replaced do not count."""
        with self._db.transaction():
            for (doc_id, version), count in passages.items():
                self._db.write(
                    "UPDATE documents SET without_vector = max(0, without_vector - ?)"
                    " WHERE project_id = ? AND doc_id = ? AND version = ?",
                    (count, project_id, doc_id, version),
                )

    def set_all_embedded(self, project_id: str, doc_ids: Sequence[str]) -> None:
        """Record that all passages of these documents have vectors."""
        self._db.write(
            "UPDATE documents SET without_vector = 0 WHERE project_id = ? AND without_vector > 0"
            " AND doc_id IN (SELECT value FROM json_each(?))",
            (project_id, json.dumps(list(doc_ids))),
        )

    def paths(self) -> set[str]:
        """Return the files of documents whose source is not a path, in all projects."""
        return set(self._db.column("SELECT DISTINCT path FROM documents WHERE path != ''"))

    def content_hashes(self) -> set[str]:
        """Return the content hashes of the documents of all projects."""
        return set(self._db.column("SELECT DISTINCT content_hash FROM documents WHERE content_hash IS NOT NULL"))

    def has_own_file(self, project_id: str, citekey: str, excluding: str) -> bool:
        """Return whether a work has another document whose file its record or Zotero names."""
        sql = (
            "SELECT 1 FROM documents WHERE project_id = ? AND citekey = ? AND citekey != '' AND doc_id != ?"
            " AND state IN ('ready', 'duplicate') AND matched_by IN ('file', 'zotero')"
            " AND file_type NOT IN ('note', 'annotations') LIMIT 1"
        )
        return self._db.value(sql, (project_id, citekey, excluding)) is not None

    def with_claim(self, project_id: str) -> list[Document]:
        """Return the documents with a claim to be a work, decided or not."""
        return self._select(project_id, "claimed_by != '' ORDER BY claimed_citekey, source")

    def with_doubtful_match(self, project_id: str) -> list[str]:
        """Return the ids of documents whose match may change with the other files of their works."""
        sql = (
            "SELECT doc_id FROM documents WHERE project_id = :project AND claimed_by IN ('name', 'doi', 'title')"
            " AND claimed_by != '' AND decision = ''"
            " UNION SELECT weak.doc_id FROM documents weak JOIN documents own USING (project_id, citekey)"
            " WHERE weak.project_id = :project AND weak.citekey != '' AND weak.doc_id != own.doc_id"
            " AND weak.matched_by IN ('name', 'doi', 'title') AND own.matched_by IN ('file', 'zotero')"
            " AND own.state IN ('ready', 'duplicate') AND own.file_type NOT IN ('note', 'annotations')"
        )
        return self._db.column(sql, {"project": project_id})

    def has_citekey(self, project_id: str, citekey: str, excluding: str) -> bool:
        """Return whether another document of the project has this citekey."""
        sql = "SELECT 1 FROM documents WHERE project_id = ? AND citekey = ? AND doc_id != ? LIMIT 1"
        return self._db.value(sql, (project_id, citekey, excluding)) is not None

    def citekeys_by_item(self) -> dict[tuple[str, str], tuple[str, bool]]:
        """Return the citekeys of Zotero items in all projects, by library and item, and whether CiteLoom made them."""
        sql = (
            "SELECT DISTINCT json_extract(zotero, '$.library'), json_extract(zotero, '$.item'), citekey, key_made"
            " FROM documents WHERE zotero != '{}' AND citekey != '' ORDER BY key_made DESC, citekey"
        )
        return {(row[0], row[1]): (row[2], bool(row[3])) for row in self._db.rows(sql)}

    def citekeys(self, project_id: str | None = None) -> set[str]:
        """Return the citekeys of the documents of a project, or of all projects."""
        sql, values = "SELECT DISTINCT citekey FROM documents WHERE citekey != ''", []
        if project_id is not None:
            sql, values = f"{sql} AND project_id = ?", [project_id]
        return set(self._db.column(sql, values))

    def languages(self, project_id: str | None = None) -> dict[str, int]:
        """Return the number of searchable documents by language, of a project or of all; "" is an unknown language."""
        where, values = ("AND project_id = ?", [project_id]) if project_id is not None else ("", [])
        sql = f"SELECT language, count(*) FROM documents WHERE state = 'ready' {where} GROUP BY language"
        return {row[0]: row[1] for row in self._db.rows(sql, values)}

    def with_citekey(self, project_id: str, citekey: str) -> list[Document]:
        """Return the documents of a work, unordered: sorting by source would make SQLite scan the whole project."""
        return self._select(project_id, "citekey = ? AND citekey != ''", citekey)

    def citekey_of(self, project_id: str, zotero_items: Sequence[str], doi: str) -> str | None:
        """Return the citekey of a work by one of its Zotero items, else by its DOI in lower case."""
        found: str | None = self._db.value(
            "SELECT citekey FROM documents WHERE project_id = :project AND citekey != ''"
            " AND (json_extract(zotero, '$.item') IN (SELECT value FROM json_each(:items))"
            " OR (:doi != '' AND lower(json_extract(record, '$.doi')) = :doi))"
            " ORDER BY json_extract(zotero, '$.item') IN (SELECT value FROM json_each(:items)) DESC, source LIMIT 1",
            {"project": project_id, "items": json.dumps(list(zotero_items)), "doi": doi},
        )
        return found

    def remove(self, project_id: str, doc_id: str) -> None:
        """Delete the row of a document."""
        self._db.write("DELETE FROM documents WHERE project_id = ? AND doc_id = ?", (project_id, doc_id))

    def coverage(self, project_id: str | None = None) -> Coverage:
        """Return how much of a project, or of all projects, can be searched."""
        return coverage.coverage(self._db, project_id)

    def embedding_state(self, project_id: str) -> EmbeddingState:
        """Return how many of the searchable passages of a project have a dense vector."""
        return coverage.embedding_state(self._db, project_id)

    def chunk_count(self, project_id: str) -> int:
        """Return the number of passages of a project's documents."""
        sql = "SELECT coalesce(sum(chunks), 0) FROM documents WHERE project_id = ? AND state = 'ready'"
        return int(self._db.value(sql, (project_id,)))

    def _select(self, project_id: str, where: str, *values: object) -> list[Document]:
        rows = self._db.rows(f"SELECT * FROM documents WHERE project_id = ? AND {where}", (project_id, *values))
        return [_from_row(row) for row in rows]

    def _backfill(self) -> None:
        """Fill the words and years of rows from an earlier version, once."""
        while not self._backfilled:
            rows = self._db.rows(
                f"SELECT rowid, title, citekey, claimed_citekey, record, {_LOCATION} FROM documents"
                " WHERE words IS NULL LIMIT ?",
                (_BACKFILL_BATCH,),
            )
            self._backfilled = not rows
            with self._db.transaction():
                for rowid, title, citekey, claimed, stored, location in rows:
                    record = json.loads(stored)
                    words = _search_text(title, citekey, claimed, record, location)
                    sql = "UPDATE documents SET words = ?, year = ? WHERE rowid = ?"
                    self._db.write(sql, (words, year_of(record), rowid))
