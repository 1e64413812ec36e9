"""Passages that an agent stores: all of a batch is checked before any of it is written."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from citeloom.api.library import AgentChunk
from citeloom.catalog import Catalog
from citeloom.catalog.projects import Project
from citeloom.core.errors import CiteLoomError, Code
from citeloom.index.edge.collection import EdgeCollection
from citeloom.index.filters import parse
from citeloom.library import agent_documents
from citeloom.library.agent_documents import make_points

PROJECT = Project("thesis", "proj-thesis", None, None, "some/model", "f", 4, "", 1, 0, "")


def item(number: int = 0, **changes: Any) -> AgentChunk:
    chunk = AgentChunk(id=f"i{number}", text="Salt.", embedding=[1.0, 0.0, 0.0, 0.5])
    return replace(chunk, **changes)


@pytest.mark.parametrize(
    ("wrong", "code", "said"),
    [
        ({"embedding": [1.0, 2.0]}, Code.EMBEDDING_MISMATCH, "items[2].embedding has 2 numbers"),
        ({"embedding": [1.0, 2.0, float("nan"), 0.0]}, Code.INVALID_INPUT, "items[2].embedding"),
        ({"metadata": {"embed_model": "other/model"}}, Code.EMBEDDING_MISMATCH, "other/model"),
        ({"metadata": {"year": "next"}}, Code.INVALID_INPUT, "items[2].metadata.year"),
        ({"metadata": {"year": 10**400}}, Code.INVALID_INPUT, "items[2].metadata.year"),
        ({"metadata": {"page_span": [1, 10**400]}}, Code.INVALID_INPUT, "items[2].metadata.page"),
        ({"id": "a\u202eb"}, Code.INVALID_INPUT, "items[2].id"),
        ({"metadata": {"page_span": ["a", "b"]}}, Code.INVALID_INPUT, "items[2].metadata.page"),
        ({"metadata": {"text_source": "native"}}, Code.INVALID_INPUT, "text_source"),
        ({"metadata": {"citekey": ["a"]}}, Code.INVALID_INPUT, "items[2].metadata.citekey is a list"),
        ({"metadata": {"title": {"a": 1}}}, Code.INVALID_INPUT, "items[2].metadata.title is an object"),
        ({"metadata": {"section": True}}, Code.INVALID_INPUT, "items[2].metadata.section"),
        ({"metadata": {"doc_id": ["a"]}}, Code.INVALID_INPUT, "items[2].metadata.doc_id"),
        ({"metadata": {"tags": ["a", {"b": 1}]}}, Code.INVALID_INPUT, "items[2].metadata.tags has an object"),
        ({"metadata": {"source": {"path": ["x"]}}}, Code.INVALID_INPUT, "items[2].metadata.source.path"),
        ({"metadata": {"source": ["x"]}}, Code.INVALID_INPUT, "items[2].metadata.source is a list"),
        ({"metadata": {"zotero": {"citekey": {}}}}, Code.INVALID_INPUT, "items[2].metadata.zotero.citekey"),
        ({"metadata": {"doc": {"page_span": [4, 3]}}}, Code.INVALID_INPUT, "items[2].metadata says pages 4 to 3"),
        ({"metadata": {"project": "other"}}, Code.INVALID_INPUT, "items[2].metadata.project"),
        ({"metadata": {"colour": {"hue": 1}}}, Code.INVALID_INPUT, "items[2].metadata.colour is an object"),
        ({"metadata": {"doc": {"place": [[1]]}}}, Code.INVALID_INPUT, "items[2].metadata.place is a list"),
        ({"metadata": {"weight": float("nan")}}, Code.INVALID_INPUT, "items[2].metadata.weight"),
        ({"metadata": {"weight": 10**400}}, Code.INVALID_INPUT, "items[2].metadata.weight"),
        ({"metadata": {"note": "x" * 2001}}, Code.INVALID_INPUT, "items[2].metadata.note has 2001"),
        ({"metadata": {'a"b': 1}}, Code.INVALID_INPUT, "items[2].metadata.a"),
        ({"metadata": {"k" * 61: 1}}, Code.INVALID_INPUT, "items[2].metadata.kkk"),
        ({"metadata": {"": 1}}, Code.INVALID_INPUT, "items[2].metadata. is no"),
        ({"metadata": {f"k{n}": n for n in range(51)}}, Code.INVALID_INPUT, "items[2].metadata has 51 keys"),
        ({"text": " "}, Code.INVALID_INPUT, "items[2]"),
        ({"id": ""}, Code.INVALID_INPUT, "items[2]"),
    ],
)
def test_one_wrong_item_refuses_the_batch_by_its_number(wrong: dict[str, Any], code: Code, said: str) -> None:
    with pytest.raises(CiteLoomError) as caught:
        make_points(PROJECT, [item(0), item(1), item(2, **wrong)])
    assert caught.value.code == code
    assert said in caught.value.message


@pytest.mark.parametrize("count", [0, 501])
def test_a_batch_has_at_most_500_items(count: int) -> None:
    with pytest.raises(CiteLoomError, match=f"{count} items") as caught:
        make_points(PROJECT, [item(n) for n in range(count)])
    assert caught.value.code == Code.INVALID_INPUT


def test_a_small_batch_and_an_id_used_twice_are_told() -> None:
    points, _, warnings = make_points(PROJECT, [item(0), item(1), item(0, text="Grain.")])
    assert [p.payload["chunk_text"] for p in points] == ["Grain.", "Salt."]
    assert len(warnings) == 2
    assert make_points(PROJECT, [item(n) for n in range(100)])[2] == []


NESTED = {
    "project": "thesis",
    "source": {"path": "docs/clean-arch.pdf", "title": "Clean Architecture"},
    "zotero": {"citekey": "cleanArchitecture2023", "tags": ["architecture"]},
    "doc": {"page_span": [45, 46], "section": "Entities", "section_path": ["Part I", "Chapter 3"]},
    "embed_model": "some/model",
    "version": "1.0",
    "fulltext": "Salt.",
}


def test_the_nested_metadata_of_an_older_contract_mean_the_same_as_flat_ones() -> None:
    flat = {
        "source": "docs/clean-arch.pdf",
        "title": "Clean Architecture",
        "citekey": "cleanArchitecture2023",
        "tags": ["architecture"],
        "page_span": [45, 46],
        "section": "Entities",
        "section_path": ["Part I", "Chapter 3"],
        "version": "1.0",
    }
    (nested,), documents, warnings = make_points(PROJECT, [item(metadata=NESTED)])
    (same,), _, _ = make_points(PROJECT, [item(metadata=flat)])
    assert nested.payload == same.payload
    payload = nested.payload
    assert (payload["source"], payload["title"], payload["tags"]) == (
        "docs/clean-arch.pdf", "Clean Architecture", ["architecture"],
    )  # fmt: skip
    assert (payload["page_start"], payload["page_end"], payload["section"]) == (45, 46, "Entities")
    assert (payload["citekey"], payload["claimed_citekey"]) == ("", "cleanArchitecture2023")
    assert payload["metadata"] == {"version": "1.0"} and payload["version"] != "1.0"
    assert [of.fields["source"] for of in documents.values()] == ["stored:docs/clean-arch.pdf"]
    assert len(warnings) == 1  # that there are fewer than 100


def test_what_nobody_knows_is_kept_and_what_cannot_be_taken_is_said() -> None:
    about = {"colour": "red", "none": None, "zotero": {"shelf": 3}, "file_type": "pdf", "fulltext": "Other words."}
    (made,), _, warnings = make_points(PROJECT, [item(metadata=about)])
    assert made.payload["metadata"] == {"colour": "red", "shelf": 3}
    assert made.payload["file_type"] == "stored" and made.payload["chunk_text"] == "Salt."
    assert any("file_type" in warning for warning in warnings) and any("fulltext" in warning for warning in warnings)


def test_the_row_of_a_document_has_every_key_that_one_of_its_passages_has(
    catalog: Catalog, project: Project, collection: EdgeCollection
) -> None:
    def store(*about: dict[str, Any]) -> dict[str, Any]:
        items = [item(number, metadata={"doc_id": "d", **one}) for number, one in enumerate(about)]
        points, documents, _ = make_points(project, items)
        agent_documents._merge_custom(catalog, project, documents)
        collection.upsert(points)
        agent_documents.save_documents(catalog, collection, project, documents)
        return catalog.documents.all(project.id)[0].metadata

    assert store({"colour": "red"}, {"colour": "blue", "size": 3}) == {"colour": "red", "size": 3}
    assert store({"colour": "green"}) == {"colour": "green", "size": 3}
    (doc_id,) = (document.doc_id for document in catalog.documents.all(project.id))
    assert catalog.documents.with_metadata(project.id) == {"colour": [doc_id], "size": [doc_id]}
    with pytest.raises(CiteLoomError, match="gives its document 51 keys"):
        store({f"k{n}": n for n in range(49)})


def test_passages_are_found_by_what_their_metadata_says_and_cited_by_nothing(
    catalog: Catalog, project: Project, collection: EdgeCollection
) -> None:
    about = {
        "citekey": "müller2019",
        "title": "Salt",
        "page_span": [3, 4],
        "page_labels": ["33", "34"],
        "tags": "method",
    }
    points, documents, _ = make_points(
        project, [item(0, metadata={**about, "section_path": ["2 Trade"]}), item(1, metadata=about), item(2)]
    )
    for _ in range(2):  # writing twice changes nothing
        collection.upsert(points)
        agent_documents.save_documents(catalog, collection, project, documents)
    rows = {d.claimed_citekey: d for d in catalog.documents.all(project.id)}
    assert {key: (d.chunks, d.citekey, d.text_source) for key, d in rows.items()} == {
        "müller2019": (2, "", "agent"),
        "": (1, "", "agent"),
    }
    assert rows["müller2019"].title == "Salt"
    assert agent_documents.text(collection, rows["müller2019"]) == "Salt.\n\nSalt."
    for filters in ({"page": 4}, {"tags": ["method"]}, {"claimed_citekey": "müller2019"}):
        assert collection.count(parse(filters)) == 2
    assert collection.count(parse({"section_prefix": "Trade"})) == 1


def test_a_document_whose_ids_the_same_batch_gives_to_another_is_none(
    catalog: Catalog, project: Project, collection: EdgeCollection
) -> None:
    of_one, of_other = ({"metadata": {"doc_id": name}} for name in ("one", "other"))
    points, documents, _ = make_points(project, [item(0, **of_one), item(1, **of_one), item(0, **of_other)])
    collection.upsert(points)
    agent_documents.save_documents(catalog, collection, project, documents)
    assert {d.title: d.chunks for d in catalog.documents.all(project.id)} == {"one": 1, "other": 1}
    points, documents, _ = make_points(project, [item(2, metadata={"doc_id": "third"}), item(2, **of_other)])
    collection.upsert(points)
    agent_documents.save_documents(catalog, collection, project, documents)
    assert {d.title: d.chunks for d in catalog.documents.all(project.id)} == {"one": 1, "other": 2}


@pytest.mark.parametrize("mended_by", ["the same call again", "the next start"])
def test_the_counts_that_a_kill_between_passages_and_rows_left_are_corrected(
    catalog: Catalog, project: Project, collection: EdgeCollection, mended_by: str
) -> None:
    def store(numbers: range, doc_id: str, *, killed: bool = False) -> None:
        points, documents, _ = make_points(project, [item(n, metadata={"doc_id": doc_id}) for n in numbers])
        before = {str(hit.payload["doc_id"]) for hit in collection.get([point.id for point in points])}
        collection.upsert(points)
        if not killed:
            agent_documents.save_documents(catalog, collection, project, documents, before)

    store(range(5), "one")
    store(range(5, 8), "other")
    store(range(5), "other", killed=True)
    if mended_by == "the same call again":
        store(range(5), "other")
    else:
        agent_documents.migrate(catalog, project, collection)
    assert {d.title: d.chunks for d in catalog.documents.all(project.id)} == {"other": 8}


def test_what_an_earlier_version_stored_as_a_works_own_is_rewritten_when_the_index_is_opened(
    catalog: Catalog, project: Project, collection: EdgeCollection
) -> None:
    points, documents, _ = make_points(project, [item(0, metadata={"citekey": "real2019"})])
    collection.upsert([replace(p, payload={**p.payload, "citekey": "real2019", "text_source": "ocr"}) for p in points])
    agent_documents.save_documents(catalog, collection, project, documents)
    (document,) = catalog.documents.all(project.id)
    document.text_source = ""  # as a migrated row has it
    catalog.documents.save(document)
    for _ in range(2):
        agent_documents.migrate(catalog, project, collection)
        assert collection.count(parse({"citekey": "real2019"})) == 0
        assert collection.count(parse({"claimed_citekey": "real2019", "text_source": "agent"})) == 1
    assert catalog.documents.all(project.id)[0].text_source == "agent"


metadata = st.dictionaries(
    st.sampled_from(
        ["doc_id", "citekey", "year", "page_span", "page_start", "tags", "section_path", "url", "zotero", "other"]
    ),
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=2),
        max_leaves=3,
    ),
    max_size=4,
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(metadata, st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=4, max_size=4))
@example({"year": 2**70}, [1.0, 0.0, 0.0, 0.0])
@example({}, [0.0, 0.0, 0.0, 0.0])
def test_what_is_accepted_can_be_written_and_found(
    collection: EdgeCollection, about: dict[str, Any], vector: list[float]
) -> None:
    try:
        points, _, _ = make_points(PROJECT, [item(metadata=about, embedding=vector)])
    except CiteLoomError as error:
        assert error.code in (Code.INVALID_INPUT, Code.EMBEDDING_MISMATCH)
        return
    collection.upsert(points)
    (hit,) = collection.search([1.0, 0.0, 0.0, 0.0], None, 5)
    assert hit.id == points[0].id and 0 <= hit.score <= 1
