"""A file that says it is a work whose attachment in Zotero is another file does not count as that work."""

from __future__ import annotations

import json
import threading
from dataclasses import asdict
from pathlib import Path

import pytest

from citeloom.catalog import Catalog
from citeloom.catalog.documents import Document, State
from citeloom.catalog.projects import Project
from citeloom.core.types import Passage, Record
from citeloom.importing.stages.match import RecordFinder, refresh
from citeloom.importing.stages.payloads import payload
from citeloom.index.base import Point
from citeloom.index.edge.collection import EdgeCollection
from citeloom.index.filters import parse

DOI = "10.5555/owls.7"
SEEN = {"title": "A reprint", "dois": [DOI], "first_text": f"A reprint. doi:{DOI}"}


@pytest.fixture
def records(tmp_path: Path) -> RecordFinder:
    file = tmp_path / "library.json"
    file.write_text(json.dumps([{"id": "owl2007", "type": "book", "title": "Owls at noon", "DOI": DOI}]))
    return RecordFinder(file)


@pytest.fixture
def reprint(catalog: Catalog, project: Project, collection: EdgeCollection, records: RecordFinder) -> Document:
    """A file that was matched by its DOI when its work had no file yet."""
    record = records.with_key("owl2007")
    assert record is not None
    plain = {**json.loads(json.dumps(asdict(record))), "_seen": SEEN}
    made = Document(project.id, "reprint", "/papers/reprint.md", state=State.READY, version="v", chunks=1)
    made.citekey, made.matched_by, made.record = "owl2007", "doi", plain
    catalog.documents.save(made)
    passage, passage_set = Passage(0, "Owls sleep.", (), 1, 1, ()), "0b5e5a8e-0000-4000-8000-000000000000"
    stored = payload(project, made, record, passage, passage_set)
    collection.upsert([Point(stored["chunk_id"], [1.0, 0.0, 0.0, 0.0], None, stored)])
    return made


def attachment(project: Project) -> Document:
    made = Document(project.id, "own", "zotero:users/1/items/ABC", "pdf", state=State.READY, version="z")
    made.citekey, made.matched_by, made.zotero = "owl2007", "zotero", {"library": "users/1", "item": "X"}
    return made


def test_a_weaker_match_gives_way_to_the_attachment_in_zotero_and_comes_back_when_that_has_gone(
    catalog: Catalog, project: Project, collection: EdgeCollection, records: RecordFinder, reprint: Document
) -> None:
    def again() -> tuple[str, str, str | None]:
        refresh(
            catalog,
            project.id,
            records,
            catalog.documents.with_doubtful_match(project.id),
            collection,
            threading.Event(),
        )
        now = catalog.documents.get(project.id, "reprint", None)
        return now.citekey, now.claimed_citekey, now.matched_by

    assert catalog.documents.with_doubtful_match(project.id) == []
    catalog.documents.save(attachment(project))
    assert again() == ("", "owl2007", None)
    assert collection.count(parse({"citekey": "owl2007"})) == 0
    assert collection.count(parse({"claimed_citekey": "owl2007"})) == 1
    assert catalog.citekey_aliases.current(project.id, "owl2007") is None, "the key is still that of the work"
    catalog.documents.remove(project.id, "own")
    assert again() == ("owl2007", "", "doi")
    assert collection.count(parse({"citekey": "owl2007"})) == 1


def test_notes_and_annotations_on_a_work_are_no_file_of_it(
    catalog: Catalog, project: Project, records: RecordFinder, reprint: Document
) -> None:
    for kind in ("note", "annotations"):
        note = attachment(project)
        note.doc_id, note.source, note.file_type = kind, f"zotero:{kind}", kind
        catalog.documents.save(note)
    assert catalog.documents.with_doubtful_match(project.id) == []
    assert not catalog.documents.has_own_file(project.id, "owl2007", "reprint")


def test_a_record_that_names_no_work_is_made_from_the_file_and_not_from_what_is_claimed(
    catalog: Catalog, project: Project, records: RecordFinder
) -> None:
    claim = {"citekey": "owl2007", "title": "Owls at noon", "doi": DOI, "year": 2007, "tags": ["birds"]}
    mine = Document(project.id, "mine", "/papers/mine.md")
    found = records.find(catalog, mine, Path(mine.source), {"title": "Mine", "dois": [], "first_text": "Mine"}, claim)
    assert (found.by, found.claimed, found.claimed_by) == (None, "owl2007", "agent")
    assert found.record == Record(found.record.citekey, "Mine", tags=("birds",), key_made=True)
    assert found.record.citekey != "owl2007"
