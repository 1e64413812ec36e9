"""Ids of passages that were replaced lead to what took their place, however often that happened."""

from __future__ import annotations

from citeloom.catalog import Catalog
from citeloom.catalog.documents import Document
from citeloom.catalog.projects import Project


def prepared(catalog: Catalog, project: Project, doc_id: str = "doc") -> None:
    catalog.documents.save(Document(project.id, doc_id, f"/{doc_id}.pdf"))


def test_an_id_leads_on_through_later_replacements_or_nowhere(catalog: Catalog, project: Project) -> None:
    prepared(catalog, project)
    catalog.replaced_passages.record(project.id, "doc", {"a1": "b1", "a2": "b2"})
    catalog.replaced_passages.record(project.id, "doc", {"b1": "c1"})
    assert catalog.replaced_passages.find(project.id, "a1") == "c1"
    assert catalog.replaced_passages.find(project.id, "b1") == "c1"
    assert catalog.replaced_passages.find(project.id, "a2") is None
    catalog.replaced_passages.record(project.id, "doc", {})  # another text: nothing of the old one is in it
    assert catalog.replaced_passages.find(project.id, "a1") is None


def test_other_documents_and_projects_are_not_touched(catalog: Catalog, project: Project) -> None:
    prepared(catalog, project)
    prepared(catalog, project, "other")
    catalog.replaced_passages.record(project.id, "other", {"x1": "y1"})
    catalog.replaced_passages.record(project.id, "doc", {"a1": "b1"})
    catalog.replaced_passages.record(project.id, "doc", {})
    assert catalog.replaced_passages.find(project.id, "x1") == "y1"
    assert catalog.replaced_passages.find("another project", "x1") is None


def test_a_document_that_goes_takes_its_ids_along_and_one_that_changes_does_not(
    catalog: Catalog, project: Project
) -> None:
    prepared(catalog, project)
    catalog.replaced_passages.record(project.id, "doc", {"a1": "b1"})
    prepared(catalog, project)
    assert catalog.replaced_passages.find(project.id, "a1") == "b1"
    catalog.documents.remove(project.id, "doc")
    assert catalog.replaced_passages.find(project.id, "a1") is None
