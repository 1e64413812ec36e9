"""Lists of documents as the desktop app requests them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from citeloom.api.library import DocumentPage, ListDocuments, ListPassages
from citeloom.catalog import Catalog
from citeloom.catalog.documents import Document, State
from citeloom.catalog.projects import Project
from citeloom.conversion.ocr.languages import known_languages, language_tags
from citeloom.core.errors import CiteLoomError, Code
from citeloom.core.settings import Index
from citeloom.engine.events import Events
from citeloom.engine.jobs import JobQueue
from citeloom.index.base import Point
from citeloom.index.registry import Collections
from citeloom.library.documents import DocumentService
from citeloom.search.indexes import Indexes
from tests.points import ident


@pytest.fixture
def service(catalog: Catalog, project: Project, tmp_path: Path) -> DocumentService:
    indexes = Indexes(catalog, Collections(tmp_path / "index", Index()))
    return DocumentService(catalog, indexes, JobQueue(catalog, {}, Events(), lambda jobs_wait: None))


def listed(service: DocumentService, **args: Any) -> DocumentPage:
    return service.list_documents(ListDocuments(project="thesis", **args))


def test_a_row_says_where_a_document_is_and_how_to_open_it(
    service: DocumentService, catalog: Catalog, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CITELOOM_HOME", str(tmp_path / "home"))
    work = {"library": "library", "item": "ITEM", "attachment": "FILE"}
    fetched = str(tmp_path / "home" / "downloads" / "x.md")
    record = {"year": 2019, "authors": ["Lovelace, Ada"], "url": "https://example.org/x"}
    made = {
        "folder": Document("thesis", "folder", "/papers/a b.pdf", "pdf", pages=3),
        "zotero": Document(
            "thesis", "zotero", "zotero:library/items/FILE", "pdf", path="/z/a.pdf", zotero=work, pages=3
        ),
        "note": Document("thesis", "note", "zotero:library/items/N", "note", path="/t/n.json", zotero=work),
        "away": Document("thesis", "away", "zotero:library/items/F", "pdf", State.WITHOUT_FILE, zotero=work),
        "web": Document("thesis", "web", "https://example.org/x", "markdown", path=fetched, record=record),
        "stored": Document("thesis", "stored", "stored:mine", "stored", record=record),
    }
    for document in made.values():
        catalog.documents.save(document)
    rows = {row.doc_id: row for row in listed(service).documents}
    assert {name: row.path for name, row in rows.items()} == {
        "folder": "/papers/a b.pdf", "zotero": "/z/a.pdf", "note": None, "away": None, "web": fetched, "stored": None,
    }  # fmt: skip
    assert {name: row.open_uri for name, row in rows.items()} == {
        "folder": "file:///papers/a%20b.pdf#page=1",
        "zotero": "zotero://open-pdf/library/items/FILE?page=1",
        "note": "zotero://select/library/items/FILE",
        "away": "zotero://select/library/items/ITEM",
        "web": Path(fetched).as_uri(),
        "stored": "https://example.org/x",
    }
    assert (rows["web"].year, rows["web"].authors) == (2019, ["Lovelace, Ada"])


def test_a_row_says_when_a_document_came_when_its_file_changed_and_what_is_said_of_it(
    service: DocumentService, catalog: Catalog
) -> None:
    time = 1_735_689_600 * 10**9 + 5
    catalog.documents.save(Document("thesis", "d", "/d.md", "markdown", size=1, mtime_ns=time, metadata={"lab": "N"}))
    (row,) = listed(service).documents
    assert (row.last_modified, row.metadata) == ("2025-01-01T00:00:00+00:00", {"lab": "N"})
    assert row.created_at == catalog.documents.all("thesis")[0].updated_at


def test_passages_of_documents_come_in_the_order_asked_for_and_of_their_text(
    service: DocumentService, catalog: Catalog, project: Project
) -> None:
    collection = service._indexes.create(project)
    for number, (doc_id, count) in enumerate({"a": 2, "b": 70, "empty": 0}.items()):
        catalog.documents.save(Document("thesis", doc_id, f"/{doc_id}.md", state=State.READY, chunks=count))
        payloads = [{"doc_id": doc_id, "chunk_id": f"{doc_id}{n}", "chunk_text": "x" * (n + 1)} for n in range(count)]
        collection.upsert(
            [
                Point(ident(100 * number + 99 - n), [1.0, 0, 0, 0], None, {**payload, "chunk_index": n, "version": "v"})
                for n, payload in enumerate(payloads)
            ]
        )
    found = service.list_passages(ListPassages(project="thesis", doc_ids=["b", "nowhere", "empty", "a"]))
    service._indexes.end()
    assert [one.chunk_id for one in found] == [f"b{n}" for n in range(70)] + ["a0", "a1"]
    assert [(one.doc_id, one.chunk_index, one.tokens) for one in found[-2:]] == [("a", 0, 1), ("a", 1, 1)]
    assert [one.tokens for one in found[:5]] == [1, 1, 1, 1, 2]


def test_a_list_comes_in_blocks_that_say_what_is_left(service: DocumentService, catalog: Catalog) -> None:
    for n in range(5):
        catalog.documents.save(Document("thesis", f"d{n}", f"/{n}.pdf", state=State.FAILED, reason_code="TIMEOUT"))
    block = listed(service, status="failed", sort="source", descending=True, limit=2, offset=2)
    assert [row.doc_id for row in block.documents] == ["d2", "d1"]
    assert (block.count, block.total, block.truncated_count, block.next_offset) == (2, 5, 1, 4)
    assert block.coverage.failed == 5 and block.documents[0].reason_code == "TIMEOUT"
    assert listed(service, offset=2**80).documents == []


@pytest.mark.parametrize(
    "wrong", [{"sort": "colour"}, {"status": "lost"}, {"limit": 0}, {"limit": 5000}, {"offset": -1}], ids=str
)
def test_a_list_that_cannot_be_is_refused(service: DocumentService, wrong: dict[str, Any]) -> None:
    with pytest.raises(CiteLoomError) as caught:
        listed(service, **wrong)
    assert caught.value.code == Code.INVALID_INPUT and caught.value.next_step


def test_every_language_has_a_name_and_a_code_that_the_settings_understand() -> None:
    known = known_languages()
    assert len({language.code for language in known}) == len({language.name for language in known}) == len(known)
    assert [language.code for language in known if language_tags(language.code) != [language.code]] == []
    assert all(language.name[0].isupper() for language in known)
