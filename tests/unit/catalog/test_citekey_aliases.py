"""Citekeys that were renamed lead to what they are now, however often that happened, and never in a circle."""

from __future__ import annotations

import itertools
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from citeloom.catalog import Catalog
from citeloom.catalog.documents import Document
from citeloom.catalog.projects import Project

MODEL = {"dense_model": "m", "dense_fingerprint": "f", "dense_size": 4, "sparse_model": ""}
KEYS = st.sampled_from("abcde")


def named(catalog: Catalog, project: Project, key: str, doc_id: str = "doc") -> None:
    catalog.documents.save(Document(project.id, doc_id, doc_id, citekey=key))


def rename(catalog: Catalog, project: Project, old: str, new: str, doc_id: str = "doc") -> None:
    catalog.citekey_aliases.add(project.id, old, new)
    named(catalog, project, new, doc_id)


def test_a_key_renamed_twice_leads_to_the_last_one(catalog: Catalog, project: Project) -> None:
    rename(catalog, project, "first", "second")
    rename(catalog, project, "second", "third")
    assert [catalog.citekey_aliases.current(project.id, key) for key in ("first", "second", "third", "none")] == [
        "third",
        "third",
        None,
        None,
    ]
    assert catalog.citekey_aliases.former_keys(project.id, "third") == ["first", "second"]


def test_a_key_that_another_work_has_now_is_that_works(catalog: Catalog, project: Project) -> None:
    rename(catalog, project, "old", "new")
    named(catalog, project, "old", "another")
    assert catalog.citekey_aliases.current(project.id, "old") is None
    assert catalog.citekey_aliases.former_keys(project.id, "new") == []


def test_aliases_outlive_a_document_and_go_with_the_project(catalog: Catalog, project: Project) -> None:
    rename(catalog, project, "old", "new")
    catalog.documents.remove(project.id, "doc")
    named(catalog, project, "new", "restored")
    assert catalog.citekey_aliases.current(project.id, "old") == "new"
    catalog.projects.remove(project.id)
    assert catalog.db.rows("SELECT * FROM citekey_aliases") == []


@given(st.lists(KEYS, min_size=2, max_size=8))
def test_every_key_that_a_work_had_leads_to_its_key_of_today(keys: list[str]) -> None:
    catalog = Catalog(Path(":memory:"))
    try:
        project = catalog.projects.add("p", None, MODEL)
        for old, new in itertools.pairwise(keys):
            if old != new:
                rename(catalog, project, old, new)
        named(catalog, project, keys[-1])
        before = set(keys) - {keys[-1]}
        assert {key: catalog.citekey_aliases.current(project.id, key) for key in before} == dict.fromkeys(
            before, keys[-1]
        )
        assert catalog.citekey_aliases.former_keys(project.id, keys[-1]) == sorted(before)
    finally:
        catalog.close()
