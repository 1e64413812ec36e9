"""Document lists of a project: sorted, filtered by words, page by page. Used by the library's listing verbs."""

from __future__ import annotations

import json
from typing import Any

from citeloom.catalog.database import Database, Table
from citeloom.core.text.normalize import fold

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
_FILLED_AT_ONCE = 1000


def search_text(title: str, citekey: str, claimed: str, record: dict[str, Any], location: str) -> str:
    """Return the folded text by which a document is found and sorted, beginning with its title."""
    keys = f"{citekey} {claimed}".strip()
    return fold("\n".join((title or location, keys, "; ".join(record.get("authors") or ()), location)))


def year_of(record: dict[str, Any]) -> int | None:
    """Return the year of a record, or None."""
    year = record.get("year")
    return year if isinstance(year, int) else None


class DocumentSearch(Table):
    """Searches the documents table by its indexes."""

    def __init__(self, db: Database) -> None:
        super().__init__(db)
        self._filled = False

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
        self._fill()
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

    def _fill(self) -> None:
        """Fill the words and years of rows from an earlier version, once."""
        while not self._filled:
            rows = self._db.rows(
                f"SELECT rowid, title, citekey, claimed_citekey, record, {_LOCATION} FROM documents"
                " WHERE words IS NULL LIMIT ?",
                (_FILLED_AT_ONCE,),
            )
            self._filled = not rows
            with self._db.transaction():
                for number, title, citekey, claimed, stored, location in rows:
                    record = json.loads(stored)
                    words = search_text(title, citekey, claimed, record, location)
                    sql = "UPDATE documents SET words = ?, year = ? WHERE rowid = ?"
                    self._db.write(sql, (words, year_of(record), number))
