"""A work's record to copy, and what a project can be filtered by."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from citeloom.bibliography.references import load_references
from citeloom.catalog import Catalog
from citeloom.catalog.documents import Document, State
from citeloom.catalog.projects import Project
from citeloom.core.errors import CiteLoomError, Code
from citeloom.evidence.records import FORMATS, Records
from citeloom.evidence.works import Works
from citeloom.index.base import Point
from citeloom.index.edge.collection import EdgeCollection
from citeloom.index.filters import section_keys
from citeloom.ipc.client import Client
from tests.support import SAMPLE

HARTMANN = "hartmannQuotationErrorsScholarly2019"
CSL = {"id": "old", "type": "book", "title": "On <i>Salt</i>", "author": [{"family": "Osei", "given": "Kwame"}]}
RECORD = {"title": "On Salt", "authors": ["Osei, Kwame"], "item_type": "book", "csl": CSL}


@pytest.fixture
def records(catalog: Catalog, collection: EdgeCollection) -> Records:
    return Records(catalog, lambda project: collection, Works(catalog))


def keep(catalog: Catalog, project: Project, record: dict[str, Any], citekey: str = "osei", title: str = "") -> None:
    title = title or record.get("title", "")
    catalog.documents.save(
        Document(project.id, "doc", "/doc.pdf", state=State.READY, citekey=citekey, title=title, record=record)
    )


def csl_json(records: Records, project: Project, citekey: str = "osei") -> dict[str, Any]:
    (item,) = json.loads(records.record(project, citekey, "csl-json")["text"])
    return dict(item)


def test_a_record_stands_under_the_citekey_of_its_document(
    catalog: Catalog, project: Project, records: Records
) -> None:
    keep(catalog, project, RECORD)
    assert csl_json(records, project) == {**CSL, "id": "osei", "citation-key": "osei"}
    text = records.record(project, "osei", "bibtex")["text"]
    assert text == "@book{osei,\n  title = {On \\textit{Salt}},\n  author = {Osei, Kwame},\n}\n"


def test_a_citekey_that_the_work_had_before_leads_to_it(catalog: Catalog, project: Project, records: Records) -> None:
    keep(catalog, project, RECORD)
    catalog.citekey_aliases.note(project.id, "earlier", "osei")
    answer = records.record(project, "earlier", "bibtex")
    assert answer["text"].startswith("@book{osei,") and answer["renamed_from"] == "earlier"


def test_what_was_corrected_by_hand_wins_over_the_references(
    catalog: Catalog, project: Project, records: Records
) -> None:
    corrected = {
        "title": "On Grain",
        "authors": ["Ada", "Li, Wei"],
        "year": 2021,
        "doi": "10.5555/x",
        "tags": ["a", "b"],
    }
    keep(catalog, project, {**RECORD, **corrected})
    item = csl_json(records, project)
    assert (item["title"], item["DOI"], item["keyword"], item["type"]) == ("On Grain", "10.5555/x", "a, b", "book")
    assert item["author"] == [{"literal": "Ada"}, {"family": "Li", "given": "Wei"}]
    assert item["issued"] == {"date-parts": [[2021]]}


def test_a_document_without_a_record_is_given_by_its_title(
    catalog: Catalog, project: Project, records: Records
) -> None:
    keep(catalog, project, {}, title="Reading notes")
    expected = {"type": "document", "title": "Reading notes", "id": "osei", "citation-key": "osei"}
    assert csl_json(records, project) == expected


@pytest.mark.parametrize(
    ("citekey", "form", "code"),
    [("nobody", "bibtex", Code.CITEKEY_NOT_FOUND), ("osei", "ris", Code.INVALID_INPUT)],
)
def test_an_unknown_work_or_format_is_refused(
    catalog: Catalog, project: Project, records: Records, citekey: str, form: str, code: Code
) -> None:
    keep(catalog, project, RECORD)
    with pytest.raises(CiteLoomError) as caught:
        records.record(project, citekey, form)
    assert caught.value.code == code and caught.value.next_step


def test_sections_are_outermost_headings_without_numbers_most_frequent_first(
    catalog: Catalog, project: Project, records: Records, collection: EdgeCollection
) -> None:
    assert records.facets(project)["sections"] == []
    paths = [("Abstract",), ("2. Results", "Wrong pages"), ("Results",)]
    payloads = [{"section_keys": section_keys(path), "chunk_index": at} for at, path in enumerate(paths)]
    ids = [f"00000000-0000-0000-0000-00000000000{at}" for at in range(3)]
    collection.upsert([Point(i, [1.0, 0.0, 0.0, 0.0], None, p) for i, p in zip(ids, payloads, strict=True)])
    assert records.facets(project)["sections"] == ["results", "abstract"]


def test_the_engine_gives_the_records_and_values_of_the_sample_library(
    sample_home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CITELOOM_HOME", str(sample_home))
    monkeypatch.setenv("CITELOOM_WATCH", "off")
    with Client() as engine:
        values = engine.call("facets", project="sample/library")
        texts = {
            f: engine.call("record", project="sample/library", citekey=HARTMANN, format=f)["text"] for f in FORMATS
        }
    assert values["years"] == [2015, 2023]
    assert {"Hartmann, Lena", "Osei, Kwame"} <= set(values["authors"])
    assert "quotation accuracy" in values["tags"] and values["collections"] == []
    assert set(values["sections"]) >= {"abstract", "references"}
    works = {record.citekey: record for record in load_references(SAMPLE / "library.json").records}
    for form, name in (("bibtex", "one.bib"), ("csl-json", "one.json")):
        (tmp_path / name).write_text(texts[form], encoding="utf-8")
        (again,) = load_references(tmp_path / name).records
        assert (again.citekey, again.title, again.authors) == (
            HARTMANN,
            works[HARTMANN].title,
            works[HARTMANN].authors,
        )
