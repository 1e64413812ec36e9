"""A work's record to copy."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from citeloom.api.evidence import RECORD_FORMATS, GetRecord
from citeloom.api.search import GetFacets
from citeloom.bibliography.references import load_references
from citeloom.catalog import Catalog
from citeloom.catalog.documents import Document, State
from citeloom.catalog.projects import Project
from citeloom.core.errors import CiteLoomError, Code
from citeloom.evidence.export import record_with_key
from citeloom.evidence.works import Works
from citeloom.ipc.client import Client
from tests.support import SAMPLE

HARTMANN = "hartmannQuotationErrorsScholarly2019"
CSL = {"id": "old", "type": "book", "title": "On <i>Salt</i>", "author": [{"family": "Osei", "given": "Kwame"}]}
RECORD = {"title": "On Salt", "authors": ["Osei, Kwame"], "item_type": "book", "csl": CSL}


@pytest.fixture
def works(catalog: Catalog) -> Works:
    return Works(catalog)


def keep(catalog: Catalog, project: Project, record: dict[str, Any], citekey: str = "osei", title: str = "") -> None:
    title = title or record.get("title", "")
    catalog.documents.save(
        Document(project.id, "doc", "/doc.pdf", state=State.READY, citekey=citekey, title=title, record=record)
    )


def csl_json(works: Works, project: Project, citekey: str = "osei") -> dict[str, Any]:
    (item,) = json.loads(record_with_key(works, project, citekey, "csl-json").text)
    return dict(item)


def test_a_record_stands_under_the_citekey_of_its_document(catalog: Catalog, project: Project, works: Works) -> None:
    keep(catalog, project, RECORD)
    assert csl_json(works, project) == {**CSL, "id": "osei", "citation-key": "osei"}
    text = record_with_key(works, project, "osei", "bibtex").text
    assert text == "@book{osei,\n  title = {On \\textit{Salt}},\n  author = {Osei, Kwame},\n}\n"


def test_a_citekey_that_the_work_had_before_leads_to_it(catalog: Catalog, project: Project, works: Works) -> None:
    keep(catalog, project, RECORD)
    catalog.citekey_aliases.add(project.id, "earlier", "osei")
    answer = record_with_key(works, project, "earlier", "bibtex")
    assert answer.text.startswith("@book{osei,") and answer.renamed_from == "earlier"


def test_what_was_corrected_by_hand_wins_over_the_references(catalog: Catalog, project: Project, works: Works) -> None:
    corrected = {
        "title": "On Grain",
        "authors": ["Ada", "Li, Wei"],
        "year": 2021,
        "doi": "10.5555/x",
        "tags": ["a", "b"],
    }
    keep(catalog, project, {**RECORD, **corrected})
    item = csl_json(works, project)
    assert (item["title"], item["DOI"], item["keyword"], item["type"]) == ("On Grain", "10.5555/x", "a, b", "book")
    assert item["author"] == [{"literal": "Ada"}, {"family": "Li", "given": "Wei"}]
    assert item["issued"] == {"date-parts": [[2021]]}


def test_a_document_without_a_record_is_given_by_its_title(catalog: Catalog, project: Project, works: Works) -> None:
    keep(catalog, project, {}, title="Reading notes")
    expected = {"type": "document", "title": "Reading notes", "id": "osei", "citation-key": "osei"}
    assert csl_json(works, project) == expected


@pytest.mark.parametrize(
    ("citekey", "form", "code"),
    [("nobody", "bibtex", Code.CITEKEY_NOT_FOUND), ("osei", "ris", Code.INVALID_INPUT)],
)
def test_an_unknown_work_or_format_is_refused(
    catalog: Catalog, project: Project, works: Works, citekey: str, form: str, code: Code
) -> None:
    keep(catalog, project, RECORD)
    with pytest.raises(CiteLoomError) as caught:
        record_with_key(works, project, citekey, form)
    assert caught.value.code == code and caught.value.next_step


def test_the_engine_gives_the_records_and_facets_of_the_sample_library(
    sample_home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CITELOOM_HOME", str(sample_home))
    monkeypatch.setenv("CITELOOM_WATCH", "off")
    with Client() as engine:
        values = engine.call(GetFacets(project="sample/library"))
        texts = {
            form: engine.call(GetRecord(project="sample/library", citekey=HARTMANN, format=form)).text
            for form in RECORD_FORMATS
        }
    assert values.years == (2015, 2023)
    assert {"Hartmann, Lena", "Osei, Kwame"} <= set(values.authors)
    assert "quotation accuracy" in values.tags and values.collections == ()
    assert set(values.sections) >= {"abstract", "references"}
    works = {record.citekey: record for record in load_references(SAMPLE / "library.json").records}
    for form, name in (("bibtex", "one.bib"), ("csl-json", "one.json")):
        (tmp_path / name).write_text(texts[form], encoding="utf-8")
        (again,) = load_references(tmp_path / name).records
        assert (again.citekey, again.title, again.authors) == (
            HARTMANN,
            works[HARTMANN].title,
            works[HARTMANN].authors,
        )
