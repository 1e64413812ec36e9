"""Documents as the catalog knows them: rows, states, coverage."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citeloom.catalog import Catalog
from citeloom.catalog.coverage import EmbeddingState
from citeloom.catalog.documents import Document, State
from citeloom.catalog.projects import Project
from citeloom.core.errors import CiteLoomError, Code
from citeloom.core.types import Coverage

MODEL = {"dense_model": "m", "dense_fingerprint": "f", "dense_size": 4, "sparse_model": ""}


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Catalog]:
    made = Catalog(tmp_path_factory.mktemp("documents") / "catalog.db")
    made.projects.add("other", None, MODEL)
    made.documents.save(Document("other", "d", "/d", state=State.READY, chunks=99))
    yield made
    made.close()


@given(st.lists(st.tuples(st.sampled_from(State), st.integers(0, 50)), max_size=12))
def test_coverage_counts_each_document_of_the_project_once(
    shared: Catalog, given_rows: list[tuple[State, int]]
) -> None:
    shared.projects.add("one", None, MODEL)
    try:
        for number, (state, chunks) in enumerate(given_rows):
            shared.documents.save(Document("one", f"d{number}", f"/{number}.pdf", state=state, chunks=chunks))
        counts = Counter(state for state, _ in given_rows)
        assert shared.documents.coverage("one") == Coverage(
            documents=len(given_rows),
            searchable=counts[State.READY] + counts[State.DUPLICATE],
            by_meaning=counts[State.READY] + counts[State.DUPLICATE],
            pending=counts[State.PENDING],
            failed=counts[State.FAILED],
            without_file=counts[State.WITHOUT_FILE],
        )
        assert shared.documents.chunk_count("one") == sum(n for state, n in given_rows if state is State.READY)
    finally:
        shared.projects.remove("one")


@given(st.lists(st.tuples(st.sampled_from(State), st.integers(0, 2), st.sampled_from("abc")), max_size=12))
def test_a_document_counts_as_searchable_by_meaning_once_all_its_text_is_embedded(
    shared: Catalog, given_rows: list[tuple[State, int, str]]
) -> None:
    shared.projects.add("one", None, MODEL)
    shared.documents.save(Document("other", "w", "/w", state=State.READY, chunks=1, without_vector=1, content_hash="a"))
    try:
        for number, (state, without, content) in enumerate(given_rows):
            row = Document("one", f"d{number}", f"/{number}.pdf", state=state, chunks=2, without_vector=without)
            row.content_hash = content
            shared.documents.save(row)
        ready = [(without, content) for state, without, content in given_rows if state is State.READY]
        waiting = [content for without, content in ready if without]
        duplicates = [content for state, _, content in given_rows if state is State.DUPLICATE]
        embedded = len(ready) - len(waiting) + sum(content not in waiting for content in duplicates)
        coverage = shared.documents.coverage("one")
        assert (coverage.searchable, coverage.by_meaning) == (len(ready) + len(duplicates), embedded)
        every = shared.documents.coverage()
        assert every.searchable - every.by_meaning == coverage.searchable - coverage.by_meaning + 1
        missing, total = sum(without for without, _ in ready), 2 * len(ready)
        expected = (
            EmbeddingState.ALL if not missing else EmbeddingState.SOME if missing < total else EmbeddingState.NONE
        )
        assert shared.documents.embedding_state("one") is expected
    finally:
        shared.documents.remove("other", "w")
        shared.projects.remove("one")


def full(project: Project) -> Document:
    return Document(
        project.id,
        "doc",
        "/päpers/a b.pdf",
        "pdf",
        State.FAILED,
        "CONVERSION_FAILED",
        "No text.",
        size=2**40,
        mtime_ns=2**60,
        content_hash="h",
        version="v",
        writing="w",
        citekey="müller2019",
        key_made=True,
        matched_by="doi",
        title="Salz & “Korn”",
        record={"authors": ["Müller"], "csl": {"a": [1, None]}},
        metadata={"colour": "röt", "n": [1, True]},
        pages=12,
        chunks=3,
        word_coverage=0.99,
        converter="c",
        warnings=["„eins“", "two"],
    )


def test_a_document_is_read_as_it_was_saved(catalog: Catalog, project: Project) -> None:
    document = full(project)
    catalog.documents.save(document)
    assert catalog.documents.find(project.id, "doc") == document
    assert catalog.documents.find(project.id, source=document.source) == document
    assert catalog.documents.all(project.id) == [document]
    document.state, document.writing = State.READY, None
    catalog.documents.save(document)
    assert catalog.documents.all(project.id) == [document]


def test_a_document_keeps_the_time_when_it_was_added(catalog: Catalog, project: Project) -> None:
    document = full(project)
    catalog.documents.save(document)
    added = catalog.documents.all(project.id)[0].created_at
    assert added and added == catalog.documents.all(project.id)[0].updated_at
    catalog.db.write("UPDATE documents SET created_at = '2020-01-01T00:00:00.000+00:00'")
    catalog.documents.save(full(project))  # as an import does that makes the row anew
    (read,) = catalog.documents.all(project.id)
    assert read.created_at == "2020-01-01T00:00:00.000+00:00" < read.updated_at


def test_documents_are_found_by_the_second_in_which_their_file_was_modified(catalog: Catalog, project: Project) -> None:
    second = 10**9
    rows = {
        "early": Document(project.id, "early", "/a.pdf", "pdf", size=1, mtime_ns=1_000 * second + 999_999_999),
        "late": Document(project.id, "late", "/b.pdf", "pdf", size=1, mtime_ns=2_000 * second),
        "note": Document(project.id, "note", "zotero:n", "note", size=1, mtime_ns=1_000 * second),
        "download": Document(project.id, "download", "zotero:d", "pdf", size=0, mtime_ns=1_000 * second),
        "stored": Document(project.id, "stored", "stored:s", "stored"),
    }
    for document in rows.values():
        catalog.documents.save(document)
    assert {name: document.last_modified for name, document in rows.items()} == {
        "early": "1970-01-01T00:16:40+00:00",
        "late": "1970-01-01T00:33:20+00:00",
        "note": None,
        "download": None,
        "stored": None,
    }
    assert catalog.documents.modified(project.id, 1_000, 1_000) == ["early"]
    assert catalog.documents.modified(project.id, 1_001, 10**12) == ["late"]
    assert sorted(catalog.documents.modified(project.id, -(10**12), 2_000)) == ["early", "late"]
    assert catalog.documents.modified("other", -(10**12), 10**12) == []


def test_planning_sees_of_each_document_what_it_needs(catalog: Catalog, project: Project) -> None:
    document = full(project)
    catalog.documents.save(document)
    (row,) = catalog.documents.known_files(project.id)
    wanted = (
        "doc_id", "source", "path", "file_type", "state", "reason_code", "reason", "size", "mtime_ns", "content_hash",
        "version", "pages", "converter", "converter_engine", "record_hash",
    )  # fmt: skip
    assert row == {name: getattr(document, name) for name in wanted}


def test_only_documents_in_the_middle_of_a_write_are_interrupted(catalog: Catalog, project: Project) -> None:
    quiet = Document(project.id, "quiet", "/q")
    busy = Document(project.id, "busy", "/b", version="old")
    catalog.documents.save(quiet)
    catalog.documents.save(busy)
    catalog.documents.mark_writing(busy, "new")
    (found,) = catalog.documents.interrupted(project.id)
    assert (found.doc_id, found.version, found.writing) == ("busy", "old", "new")


def test_pages_of_documents_come_in_order_without_gap_or_repetition(catalog: Catalog, project: Project) -> None:
    for number in (3, 1, 4, 0, 2):
        state = State.FAILED if number % 2 else State.READY
        catalog.documents.save(Document(project.id, f"d{number}", f"/{number}", citekey=f"k{number}", state=state))
    seen = []
    for offset in range(0, 6, 2):
        ids, total = catalog.documents.page(project.id, limit=2, offset=offset)
        assert total == 5
        seen += [d.citekey for d in catalog.documents.by_ids(project.id, ids)]
    assert seen == ["k0", "k1", "k2", "k3", "k4"]
    ids, total = catalog.documents.page(project.id, state="failed", limit=10)
    assert ([d.citekey for d in catalog.documents.by_ids(project.id, ids)], total) == (["k1", "k3"], 2)


def test_a_citekey_names_the_searchable_one_of_two_documents(catalog: Catalog, project: Project) -> None:
    catalog.documents.save(Document(project.id, "a", "/a", citekey="k", state=State.FAILED))
    catalog.documents.save(Document(project.id, "b", "/b", citekey="k", state=State.READY))
    assert catalog.documents.get(project.id, None, "k").doc_id == "b"
    assert catalog.documents.get(project.id, "a", None).doc_id == "a"
    for doc_id, citekey in (("nothing", None), (None, "nothing")):
        with pytest.raises(CiteLoomError, match="nothing") as caught:
            catalog.documents.get(project.id, doc_id, citekey)
        assert caught.value.code == Code.DOCUMENT_NOT_FOUND


def test_same_content_means_another_searchable_document(catalog: Catalog, project: Project) -> None:
    catalog.documents.save(Document(project.id, "a", "/a", content_hash="h", state=State.FAILED))
    catalog.documents.save(Document(project.id, "b", "/b", content_hash="h", state=State.READY))
    found = catalog.documents.find_same_content(project.id, "h", "c")
    assert found is not None and found.doc_id == "b"
    assert catalog.documents.find_same_content(project.id, "h", "b") is None
    assert catalog.documents.find_same_content(project.id, "other", "c") is None
