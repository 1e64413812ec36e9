"""A long import writes the record of today, not the one it found when it began."""

from __future__ import annotations

import json
from dataclasses import asdict

from citeloom.catalog.documents import Document
from citeloom.core.types import Record
from citeloom.importing.sources.folder import ItemRecord
from citeloom.importing.stages.match import latest_record

FOUND = Record("old2019", "Old", ("Evans, R.",), tags=("a",), csl={"type": "book", "author": [{"family": "Evans"}]})
SINCE = Record("new2019", "New", ("Evans, R.", "Novak, N."), 2019, tags=("a", "b"), collections=("Thesis",))
WORK = ItemRecord("found", {}, lambda: FOUND)


def row(record_hash: str | None) -> Document:
    plain = {**json.loads(json.dumps(asdict(SINCE))), "_seen": {"title": "x"}}
    return Document("p", "d", "zotero:library/items/A", record=plain, record_hash=record_hash)


def test_what_another_import_wrote_since_is_the_latest_word() -> None:
    assert latest_record(row("another"), WORK) == SINCE


def test_else_it_is_what_was_found() -> None:
    assert latest_record(row("found"), WORK) is FOUND
    assert latest_record(row(None), WORK) is FOUND
    assert latest_record(None, WORK) is FOUND
