"""The list of documents: any order, any part, any words, and rows of an earlier version among them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citeloom.catalog import Catalog, database
from citeloom.catalog.documents import SORTS, Document, State
from citeloom.catalog.projects import Project
from citeloom.core.text.normalize import fold

MODEL = {"dense_model": "m", "dense_fingerprint": "f", "dense_size": 4, "sparse_model": ""}
WORDS = st.sampled_from(["Über", "uber", "Zorn", "zorn", "", "Ångström", "emil", "Émile", "100%", "a_b"])


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Catalog]:
    made = Catalog(tmp_path_factory.mktemp("listing") / "catalog.db")
    made.projects.add("other", None, MODEL)
    made.documents.save(Document("other", "d", "/d", state=State.READY, title="Über"))
    yield made
    made.close()


rows = st.fixed_dictionaries(
    {
        "title": WORDS,
        "citekey": WORDS,
        "state": st.sampled_from(State),
        "pages": st.none() | st.integers(0, 3),
        "word_coverage": st.none() | st.sampled_from([0.5, 1.0]),
        "ocr_share": st.none() | st.sampled_from([0.0, 0.5, 1.0]),
        "path": st.sampled_from(["", "/b/x", "/B/y"]),
        "record": st.fixed_dictionaries(
            {"year": st.none() | st.integers(1990, 1992), "authors": st.lists(WORDS, max_size=2)}
        ),
    }
)


def key(document: Document, sort: str) -> Any:
    """What a person would sort by; None for nothing."""
    return {
        "citekey": document.citekey.lower() or None,
        "title": fold(document.title or document.path or document.source),
        "status": str(document.state),
        "pages": document.pages,
        "word_coverage": document.word_coverage,
        "ocr_share": document.ocr_share,
        "source": (document.path or document.source).lower(),
        "year": document.record["year"],
    }[sort]


@given(
    made=st.lists(rows, max_size=15),
    sort=st.sampled_from(SORTS),
    descending=st.booleans(),
    state=st.none() | st.sampled_from(State),
    find=st.lists(WORDS, max_size=2).map(" ".join),
    size=st.integers(1, 5),
)
def test_any_list_in_any_order_is_whole_and_sorted_with_nothing_last(
    shared: Catalog,
    made: list[dict[str, Any]],
    sort: str,
    descending: bool,
    state: State | None,
    find: str,
    size: int,
) -> None:
    shared.projects.add("one", None, MODEL)
    try:
        documents = {f"d{n}": Document("one", f"d{n}", f"/papers/{n}.pdf", **values) for n, values in enumerate(made)}
        for document in documents.values():
            shared.documents.save(document)
        wanted = {
            doc_id
            for doc_id, d in documents.items()
            if (state is None or d.state == state)
            and all(
                word in fold("\n".join((d.title, d.citekey, *d.record["authors"], d.path or d.source)))
                for word in fold(find).split()
            )
        }
        listed: list[str] = []
        while True:
            ids, total = shared.documents.page(
                "one", state=state, find=find, sort=sort, descending=descending, limit=size, offset=len(listed)
            )
            assert total == len(wanted)
            listed += ids
            if not ids:
                break
        assert sorted(listed) == sorted(wanted)
        keys = [key(documents[doc_id], sort) for doc_id in listed]
        some = [k for k in keys if k is not None]
        assert keys == some + [None] * (len(keys) - len(some))
        assert some == sorted(some, reverse=descending)
        assert [d.doc_id for d in shared.documents.by_ids("one", listed)] == listed
    finally:
        shared.projects.remove("one")


def test_documents_of_an_earlier_version_are_listed_with_what_was_known_of_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "catalog.db"
    with monkeypatch.context() as patch:
        patch.setattr(database, "_migrations", lambda steps=database._migrations(): steps[:3])  # noqa: B008
        first = Catalog(file)
        first.projects.add("thesis", None, MODEL)
        for doc_id, text_source in (("a", "native"), ("b", "ocr"), ("c", "mixed")):
            first.db.write(
                "INSERT INTO documents (project_id, doc_id, source, state, title, record, text_source, updated_at)"
                " VALUES ('thesis', ?, ?, 'ready', ?, ?, ?, '')",
                (doc_id, f"/{doc_id}", f"Über {doc_id}", f'{{"year": 19{ord(doc_id)}}}', text_source),
            )
        first.close()
    catalog = Catalog(file)
    found = catalog.documents.page("thesis", find="uber", sort="year", descending=True)
    assert found == (["c", "b", "a"], 3)
    assert {d.doc_id: d.ocr_share for d in catalog.documents.all("thesis")} == {"a": 0.0, "b": 1.0, "c": None}
    assert not catalog.projects.get("thesis").own_model
    catalog.close()


def test_lists_are_read_from_an_index_and_never_sorted(catalog: Catalog, project: Project) -> None:
    seen: list[str] = []
    rows_of = catalog.db.rows

    def explained(sql: str, values: Any = ()) -> Any:
        if sql.startswith("SELECT doc_id") and "ORDER BY" in sql:
            seen.extend(row["detail"] for row in rows_of(f"EXPLAIN QUERY PLAN {sql}", values))
        return rows_of(sql, values)

    catalog.documents.save(Document(project.id, "d", "/d"))
    catalog.db.rows = explained  # type: ignore[method-assign]
    for sort in SORTS:
        for descending in (False, True):
            catalog.documents.page(project.id, sort=sort, descending=descending)
    assert len(seen) == 2 * len(SORTS)
    assert [detail for detail in seen if "USING" not in detail or "TEMP B-TREE" in detail] == []
