"""Works by citekey: those of today, those of yesterday, and those that only the references know."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citeloom.catalog import Catalog
from citeloom.catalog.documents import Document, State
from citeloom.catalog.projects import Project
from citeloom.core.errors import CiteLoomError, Code
from citeloom.evidence.export import export
from citeloom.evidence.manuscripts.types import Citation, Span
from citeloom.evidence.works import SimilarKeys, Works
from citeloom.importing.stages.match import RecordFinder


def keep(catalog: Catalog, project: Project, doc_id: str, citekey: str, **more: object) -> None:
    values = {"state": State.READY, "record": {"csl": {"title": doc_id}}, "title": doc_id, **more}
    catalog.documents.save(Document(project.id, doc_id, f"/{doc_id}.pdf", citekey=citekey, **values))  # type: ignore[arg-type]


def test_an_older_key_leads_to_the_work_and_is_named(catalog: Catalog, project: Project) -> None:
    keep(catalog, project, "salt", "evans2014")
    catalog.citekey_aliases.add(project.id, "evans14", "evansSalt")
    catalog.citekey_aliases.add(project.id, "evansSalt", "evans2014")
    work = Works(catalog).get(project, "evans14")
    assert (work.citekey, work.renamed_from, work.title) == ("evans2014", "evans14", "salt")
    assert Works(catalog).get(project, "evans2014").renamed_from is None


def test_the_works_own_text_comes_before_notes_on_it(catalog: Catalog, project: Project) -> None:
    keep(catalog, project, "a-note", "evans", file_type="note")
    keep(catalog, project, "b-lost", "evans", file_type="pdf", state=State.WITHOUT_FILE)
    keep(catalog, project, "c-paper", "evans", file_type="pdf", matched_by="doi")
    work = Works(catalog).get(project, "evans")
    assert [d.doc_id for d in work.documents] == ["c-paper", "b-lost", "a-note"]
    assert [d.doc_id for d in work.readable] == ["c-paper", "a-note"]
    assert work.title == "c-paper"
    assert catalog.documents.get(project.id, None, "evans").doc_id == "c-paper"


def test_a_work_that_only_the_references_know_can_be_cited(catalog: Catalog, project: Project, tmp_path: Path) -> None:
    references = tmp_path / "library.json"
    references.write_text(json.dumps([{"id": "oseiGrain", "type": "book", "title": "Grain"}]), encoding="utf-8")
    project = replace(project, references_path=str(references))
    works = Works(catalog)
    assert (works.get(project, "oseiGrain").title, works.get(project, "oseiGrain").readable) == ("Grain", ())
    keep(catalog, project, "salt", "evans2014")
    assert [work.citekey for work in works.all(project)] == ["evans2014", "oseiGrain"]
    references.write_text(json.dumps([{"id": "oseiRice", "type": "book", "title": "Rice, again"}]), encoding="utf-8")
    assert works.resolve(project, "oseiGrain") is None
    assert works.get(project, "oseiRice").title == "Rice, again"


def test_references_that_cannot_be_read_are_said_where_a_work_is_missing(
    catalog: Catalog, project: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    references = tmp_path / "library.json"
    references.write_text("{", encoding="utf-8")
    project = replace(project, references_path=str(references))
    keep(catalog, project, "salt", "evans2014")
    works = Works(catalog)
    assert works.get(project, "evans2014").citekey == "evans2014"
    with pytest.raises(CiteLoomError) as caught:
        works.get(project, "oseiGrain")
    assert "references of project 'thesis' cannot be read" in str(caught.value)
    assert "library.json, line 1" in str(caught.value) and str(tmp_path) not in str(caught.value)
    (said,) = export(works, project, "bibtex").warnings
    assert said in str(caught.value)
    # A manuscript with a thousand citations must not have a broken file read a thousand times.
    monkeypatch.setattr("citeloom.evidence.works.load_references", None)
    assert works.resolve(project, "oseiGrain") is None
    references.unlink()
    monkeypatch.undo()
    assert "There is no file library.json" in works.problems([project])[0]


def test_a_reference_without_a_key_is_cited_by_the_one_that_an_import_makes(
    catalog: Catalog, project: Project, tmp_path: Path
) -> None:
    references = tmp_path / "library.json"
    uri = "http://zotero.org/users/1/items/ABCD2345"
    references.write_text(json.dumps([{"id": uri, "type": "book", "title": "Grain and Rice"}]), encoding="utf-8")
    (work,) = Works(catalog).all(replace(project, references_path=str(references)))
    assert (work.citekey, work.csl["id"]) == ("GrainRice", "GrainRice")
    finder = RecordFinder(references)
    assert finder.with_key("GrainRice") is not None


def test_a_key_of_today_means_more_than_one_of_yesterday(catalog: Catalog, project: Project) -> None:
    model = {"dense_model": project.dense_model, "dense_fingerprint": "", "dense_size": 4, "sparse_model": ""}
    other = catalog.projects.add("other", None, model)
    keep(catalog, project, "salt", "evans2014")
    catalog.citekey_aliases.add(project.id, "evans", "evans2014")
    assert Works(catalog).find_all([project, other], ["evans"])["evans"].citekey == "evans2014"
    keep(catalog, other, "grain", "evans")
    for projects in ([project, other], [other, project]):
        assert Works(catalog).find_all(projects, ["evans"])["evans"].title == "grain"


def test_a_work_is_found_by_its_zotero_item_before_its_doi(catalog: Catalog, project: Project, tmp_path: Path) -> None:
    keep(catalog, project, "by-doi", "evans", record={"doi": "10.5555/salt"})
    keep(catalog, project, "by-item", "osei", zotero={"library": "library", "item": "ABCD2345"})
    works = Works(catalog)

    def cited(*items: str, doi: str = "") -> str | None:
        found = works.cited(project, Citation("in Word", Span(0, 0), 0, zotero_items=items, doi=doi))
        return found.citekey if found else None

    assert cited("ABCD2345", doi="10.5555/salt") == "osei"
    assert cited("ZZZZ9999", doi="https://doi.org/10.5555/SALT") == "evans"
    assert cited() is None
    assert cited(doi="10.5555/rice") is None
    references = tmp_path / "library.json"
    references.write_text(json.dumps([{"id": "oseiRice", "DOI": "10.5555/Rice"}]), encoding="utf-8")
    project = replace(project, references_path=str(references))
    assert cited(doi="10.5555/rice") == "oseiRice"


def test_every_missing_key_is_named_with_those_near_to_it(catalog: Catalog, project: Project) -> None:
    keep(catalog, project, "salt", "evansSaltRiver2014")
    with pytest.raises(CiteLoomError) as caught:
        Works(catalog).find_all([project], ["evans2014", "evansSaltRiver2014", "qqq"])
    assert caught.value.code == Code.CITEKEY_NOT_FOUND
    assert caught.value.details["missing"] == {"evans2014": ["evansSaltRiver2014"], "qqq": []}


KEYS = st.text("abcdefghijklmnopqrstuvwxyz0123456789_:-", min_size=6, max_size=30)


@given(st.lists(KEYS, min_size=1, max_size=30, unique=True), st.data())
def test_a_key_with_one_letter_left_out_is_near(keys: list[str], data: st.DataObject) -> None:
    key = data.draw(st.sampled_from(keys))
    at = data.draw(st.integers(0, len(key) - 1))
    assert key in SimilarKeys(keys).similar(key[:at] + key[at + 1 :], limit=len(keys))


@given(st.text(max_size=300), st.lists(st.text(max_size=40), max_size=10))
def test_any_text_may_be_looked_for_among_any_names(wanted: str, names: list[str]) -> None:
    assert set(SimilarKeys(names).similar(wanted)) <= set(names)


def test_a_file_that_only_says_it_is_a_work_is_none_of_its_texts_where_the_work_has_its_own(
    catalog: Catalog, project: Project
) -> None:
    keep(catalog, project, "reprint", "evans", file_type="pdf", matched_by="doi")
    keep(catalog, project, "note", "evans", file_type="note", matched_by="zotero")
    works = Works(catalog)
    assert {d.doc_id for d in works.get(project, "evans").readable} == {"reprint", "note"}, "a note is no file"
    keep(catalog, project, "own", "evans", file_type="pdf", matched_by="zotero")
    assert {d.doc_id for d in works.get(project, "evans").readable} == {"own", "note"}
