"""store_chunks and delete_document: passages an agent embedded itself, and documents that go."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from citeloom.core.settings import BUNDLED_DENSE
from citeloom.index.models.embedding import DenseModel
from tests.contract.strict_editor import StrictEditor
from tests.support import WRITING, citeloom, done

METADATA = {
    "doc_id": "bees-book",
    "citekey": "frisch1967",
    "title": "The Dance of the Bees",
    "authors": ["Frisch, Karl von"],
    "year": 1967,
    "doi": "10.5555/bees",
    "url": "https://example.org/bees",
    "item_type": "book",
    "tags": ["bees", "dance"],
    "collections": ["Chapter 3"],
    "section": "The waggle",
    "section_path": ["Dances", "The waggle"],
    "page_span": [12, 13],
    "page_labels": ["viii", "ix"],
    "source": "bees.epub",
    "text_source": "agent",
    "embed_model": BUNDLED_DENSE,
}
TEXTS = {
    "bees-1": "Honey bees dance to tell the others where the flowers are.",
    "bees-2": "The angle of the waggle gives the direction of the food.",
    "bees-3": "Robots have since been made to dance among living bees.",
}
PROJECT_NUMBERS = itertools.count(1)


@pytest.fixture(scope="module")
def model() -> Iterator[DenseModel]:
    """The project's dense model, as an agent has it that embeds for itself."""
    one = DenseModel(BUNDLED_DENSE)
    yield one
    one.close()


@pytest.fixture(scope="module")
def editor(shared_home: Path) -> Iterator[StrictEditor]:
    with StrictEditor(shared_home, *WRITING) as one:
        yield one


@pytest.fixture
def project(shared_home: Path) -> str:
    """An empty project of this test's own."""
    name = f"project-{next(PROJECT_NUMBERS)}"
    done(citeloom(shared_home, "project", "add", name))
    return name


@pytest.fixture(scope="module")
def untouched(shared_home: Path) -> str:
    """A project that every batch must leave as it is."""
    done(citeloom(shared_home, "project", "add", "untouched"))
    return "untouched"


@pytest.fixture
def items(model: DenseModel) -> list[dict[str, Any]]:
    """Three passages of a book, embedded."""
    vectors = model.embed(list(TEXTS.values()))
    return [
        {"id": name, "text": text, "embedding": vector, "metadata": METADATA}
        for (name, text), vector in zip(TEXTS.items(), vectors, strict=True)
    ]


def item(number: int | str, **more: Any) -> dict[str, Any]:
    """A passage whose vector does not matter."""
    return {"id": f"item-{number}", "text": f"Passage number {number}.", "embedding": [0.05] * 384, **more}


def size(editor: StrictEditor, project: str) -> int:
    """How many passages a project has."""
    return int(editor.call("inspect_collection", project=project)["size"])


# -- storing -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("tool", ["query", "query_hybrid"])
def test_a_stored_passage_is_found_with_all_its_metadata(
    editor: StrictEditor, project: str, items: list[dict[str, Any]], tool: str
) -> None:
    stored = editor.call("store_chunks", project=project, items=items)
    assert (stored["chunks_written"], stored["project"], stored["embed_model"]) == (3, project, BUNDLED_DENSE)
    hits = editor.call(tool, project=project, text="which way do bees point with the waggle", full_text=True)["items"]
    assert len(hits) == 3
    hit = hits[0]
    assert (hit["chunk_id"], hit["full_text"]) == ("bees-2", TEXTS["bees-2"])
    kept = set(METADATA) & set(hit) - {"doc_id", "citekey"}
    assert {key: hit[key] for key in kept} == {key: METADATA[key] for key in kept}
    assert (hit["text_source"], hit["claimed_citekey"]) == ("agent", "frisch1967")
    assert (hit["citekey"], hit["cite"], hit["citekey_made"]) == ("", None, False)


def test_get_passage_takes_the_id_an_agent_stored_a_passage_under(
    editor: StrictEditor, project: str, items: list[dict[str, Any]]
) -> None:
    editor.call("store_chunks", project=project, items=items)
    answer = editor.call("get_passage", project=project, chunk_id="bees-2")
    assert (answer["passage"]["chunk_id"], answer["passage"]["full_text"]) == ("bees-2", TEXTS["bees-2"])
    assert [n["chunk_id"] for n in answer["before"]] == ["bees-1"]
    assert [n["chunk_id"] for n in answer["after"]] == ["bees-3"]


def test_stored_passages_make_a_document_that_can_be_read_and_filtered(
    editor: StrictEditor, project: str, items: list[dict[str, Any]]
) -> None:
    editor.call("store_chunks", project=project, items=[*items, item(1, metadata={"citekey": "other"})])
    documents = editor.call("list_documents", project=project)["documents"]
    assert {d["claimed_citekey"]: (d["chunk_count"], d["status"], d["citekey"]) for d in documents} == {
        "frisch1967": (3, "ready", ""),
        "other": (1, "ready", ""),
    }
    doc_id = next(d["doc_id"] for d in documents if d["claimed_citekey"] == "frisch1967")
    document = editor.call("get_document", project=project, doc_id=doc_id)
    assert document["title"] == METADATA["title"]
    places = [document["markdown"].find(text) for text in TEXTS.values()]
    assert places == sorted(places) and places[0] >= 0
    for filters in (
        {"collections": "Chapter 3"},
        {"collections": {"$contains": "Chapter"}},
        {"claimed_citekey": "frisch1967"},
        {"tags": ["bees", "dance"]},
        {"item_type": "book"},
        {"page": 13},
        {"section_prefix": ["Dances", "The waggle"]},
        {"doc_id": document["doc_id"]},
        {"source": "bees.epub"},
    ):
        hits = editor.call("query", project=project, text="bees", top_k=20, filters=filters)["items"]
        assert {hit["chunk_id"] for hit in hits} == set(TEXTS), filters
    assert editor.call("query", project=project, text="bees", filters={"citekey": "frisch1967"})["items"] == []


def test_custom_metadata_of_stored_passages_are_filters_of_their_project_alone(
    editor: StrictEditor, project: str, untouched: str, items: list[dict[str, Any]]
) -> None:
    for number, one in enumerate(items):
        one["metadata"] = {
            "source": {"path": "docs/bees.pdf", "title": "Bees"},
            "zotero": {"citekey": "frisch1967", "tags": ["bees"]},
            "doc": {"page_span": [12, 13], "section_path": ["Dances"]},
            "embed_model": BUNDLED_DENSE,
            "season": "late summer",
            "flights": number,
            "checked": number == 1,
        }
    editor.call("store_chunks", project=project, items=items)

    def found(**filters: Any) -> set[str]:
        hits = editor.call("query_hybrid", project=project, text="bees", top_k=20, filters=filters)["items"]
        assert {(hit["claimed_citekey"], hit["cite"], hit["title"]) for hit in hits} <= {("frisch1967", None, "Bees")}
        return {hit["chunk_id"] for hit in hits}

    assert found(season={"$contains": "summer"}, tags="bees", page=13) == set(TEXTS)
    assert found(flights={"$gte": 1}) == {"bees-2", "bees-3"}
    assert found(checked=True) == found(flights=1) == {"bees-2"}
    assert found(season="winter") == found(project=untouched) == set()
    refused = editor.fail("query", project=project, text="bees", filters={"colour": "red"})
    assert {"season", "flights", "checked", "last_modified"} <= set(refused["details"]["valid"])
    assert "season" in refused["message"]
    elsewhere = editor.fail("query", project=untouched, text="bees", filters={"season": "late summer"})
    assert elsewhere["code"] == "INVALID_INPUT" and "flights" not in str(elsewhere)


def test_storing_the_same_passages_again_changes_nothing(
    editor: StrictEditor, project: str, items: list[dict[str, Any]]
) -> None:
    first = editor.call("store_chunks", project=project, items=items)
    before = editor.call("query", project=project, text="bees")["items"]
    again = editor.call("store_chunks", project=project, items=items)
    assert again["chunks_written"] == first["chunks_written"] == 3
    assert size(editor, project) == 3
    assert editor.call("query", project=project, text="bees")["items"] == before


def test_storing_under_a_known_id_replaces_the_passage(
    editor: StrictEditor, project: str, items: list[dict[str, Any]]
) -> None:
    editor.call("store_chunks", project=project, items=items)
    editor.call("store_chunks", project=project, items=[{**items[0], "text": "Bumble bees do not dance."}])
    assert size(editor, project) == 3
    passage = editor.call("get_passage", project=project, chunk_id="bees-1")["passage"]
    assert passage["full_text"] == "Bumble bees do not dance."


@pytest.mark.parametrize(("count", "warned"), [(1, True), (99, True), (100, False), (500, False)])
def test_a_batch_of_fewer_than_a_hundred_is_taken_as_the_last_and_that_is_said(
    editor: StrictEditor, project: str, count: int, warned: bool
) -> None:
    answer = editor.call("store_chunks", project=project, items=[item(n) for n in range(count)])
    assert answer["chunks_written"] == size(editor, project) == count
    assert any("last batch" in warning for warning in answer["warnings"]) == warned


def test_the_same_id_twice_in_a_batch_is_said(editor: StrictEditor, project: str) -> None:
    answer = editor.call("store_chunks", project=project, items=[item(1), {**item(1), "text": "The later one."}])
    assert (answer["chunks_written"], size(editor, project)) == (1, 1)
    assert any("the last one counts" in warning for warning in answer["warnings"])
    assert editor.call("get_passage", project=project, chunk_id="item-1")["passage"]["full_text"] == "The later one."


def test_a_long_passage_is_cut_at_a_sentence_and_given_whole_on_request(editor: StrictEditor, project: str) -> None:
    text = " ".join(f"Sentence number {n} says that bees never cease to dance." for n in range(1, 101))
    editor.call("store_chunks", project=project, items=[item(1, text=text)])
    (hit,) = editor.call("query", project=project, text="bees", full_text=True)["items"]
    assert hit["full_text"] == text
    kept, mark, rest = hit["render_text"].partition(" […]")
    assert (mark, rest) == (" […]", "")
    assert 1_500 < len(hit["render_text"]) <= 1_800
    assert text.startswith(kept) and kept.endswith("dance.")


@pytest.mark.parametrize(
    "metadata", [{}, {"page_start": 3}, {"page_end": 3}, {"page_span": [3, 3]}, {"page_labels": ["iii"]}], ids=str
)
def test_a_passage_stored_with_little_metadata_gets_no_citation(
    editor: StrictEditor, project: str, metadata: dict[str, Any]
) -> None:
    editor.call("store_chunks", project=project, items=[item(1, metadata=metadata)])
    (hit,) = editor.call("query", project=project, text="passage")["items"]
    assert (hit["cite"], hit["claimed_citekey"]) == (None, None)


def test_an_id_stored_again_under_another_document_is_counted_there(editor: StrictEditor, project: str) -> None:
    def stored_in(doc_id: str, *numbers: int) -> dict[str, int]:
        items = [item(n, metadata={"doc_id": doc_id}) for n in numbers]
        editor.call("store_chunks", project=project, items=items)
        documents = editor.call("list_documents", project=project)["documents"]
        assert sum(d["chunk_count"] for d in documents) == size(editor, project)
        return {d["title"]: d["chunk_count"] for d in documents}

    assert stored_in("one", 1, 2) == {"one": 2}
    assert stored_in("other", 1, 3) == {"one": 1, "other": 2}
    assert stored_in("other", 2) == {"other": 3}, "a document without passages is none"


# -- refusing to store -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("count", [0, 501])
def test_an_empty_or_too_large_batch_is_refused(editor: StrictEditor, untouched: str, count: int) -> None:
    before = size(editor, untouched)
    error = editor.fail("store_chunks", project=untouched, items=[item(n) for n in range(count)])
    assert error["code"] == "INVALID_INPUT"
    assert f"{count} items" in error["message"] and "500" in error["message"]
    assert size(editor, untouched) == before


@pytest.mark.parametrize(
    ("changed", "code", "named"),
    [
        ({"embedding": [0.05] * 383}, "EMBEDDING_MISMATCH", "384"),
        ({"embedding": [0.05] * 768}, "EMBEDDING_MISMATCH", "768"),
        ({"embedding": []}, "EMBEDDING_MISMATCH", "384"),
        ({"metadata": {"embed_model": "BAAI/bge-small-en-v1.5"}}, "EMBEDDING_MISMATCH", "bge-small"),
        ({"embedding": [1e300] * 384}, "INVALID_INPUT", "embedding"),
        ({"embedding": ["a"] * 384}, "INVALID_INPUT", "embedding"),
        ({"text": "  "}, "INVALID_INPUT", "text"),
        ({"id": ""}, "INVALID_INPUT", "id"),
        ({"colour": "red"}, "INVALID_INPUT", "colour"),
        ({"metadata": {"year": "soon"}}, "INVALID_INPUT", "year"),
        ({"metadata": {"page_span": ["a", "b"]}}, "INVALID_INPUT", "page_start"),
        ({"metadata": {"text_source": "native"}}, "INVALID_INPUT", "text_source"),
        ({"metadata": {"citekey": ["a"]}}, "INVALID_INPUT", "metadata.citekey"),
        ({"metadata": {"source": {"title": {"a": "b"}}}}, "INVALID_INPUT", "metadata.source.title"),
        ({"metadata": {"colour": {"hue": 1}}}, "INVALID_INPUT", "metadata.colour"),
    ],
    ids=lambda value: str(value)[:40],
)
def test_one_bad_item_is_named_and_nothing_of_the_batch_is_written(
    editor: StrictEditor, untouched: str, changed: dict[str, Any], code: str, named: str
) -> None:
    before = size(editor, untouched)
    good = [item(f"{named}-{n}") for n in range(2)]
    error = editor.fail("store_chunks", project=untouched, items=[*good, {**item(2), **changed}])
    assert error["code"] == code
    assert named in error["message"]
    assert "items[2]" in error["message"] or "items.2" in error["message"]
    assert len(error["message"]) < 600
    assert size(editor, untouched) == before


# -- deleting ----------------------------------------------------------------------------------------------------


def test_a_deleted_document_is_gone_from_the_index_and_its_file_stays(
    editor: StrictEditor, shared_home: Path, tmp_path: Path
) -> None:
    for name in ("otters", "bees"):
        (tmp_path / f"{name}.md").write_text(f"# {name}\n\nAll about {name}.\n\n## More\n\nEven more about {name}.\n")
    done(citeloom(shared_home, "project", "add", "deleting", "--folder", str(tmp_path)))
    editor.call("ingest_from_source", project="deleting", source=str(tmp_path))
    doomed = editor.call("query", project="deleting", text="otters")["items"][0]

    deleted = editor.call("delete_document", project="deleting", doc_id=doomed["doc_id"])
    assert (deleted["doc_id"], deleted["deleted_chunks"]) == (doomed["doc_id"], 2)
    assert "still there" in deleted["note"]
    assert (tmp_path / "otters.md").exists()
    hits = editor.call("query", project="deleting", text="otters", top_k=20)["items"]
    assert {hit["source"] for hit in hits} == {"bees.md"}
    assert [d["source"] for d in editor.call("list_documents", project="deleting")["documents"]] == ["bees.md"]
    gone = editor.fail("get_passage", project="deleting", chunk_id=doomed["chunk_id"])
    assert gone["code"] == "PASSAGE_NOT_FOUND"
    again = editor.fail("delete_document", project="deleting", doc_id=doomed["doc_id"])
    assert again["code"] == "DOCUMENT_NOT_FOUND"


def test_a_stored_document_can_be_deleted(editor: StrictEditor, project: str, items: list[dict[str, Any]]) -> None:
    editor.call("store_chunks", project=project, items=items)
    doc_id = editor.call("get_passage", project=project, chunk_id="bees-1")["passage"]["doc_id"]
    deleted = editor.call("delete_document", project=project, doc_id=doc_id)
    assert (deleted["deleted_chunks"], deleted["note"], size(editor, project)) == (3, None, 0)


@pytest.mark.parametrize("doc_id", ["", "no-such-document", "otters.md"])
def test_deleting_what_is_not_there_is_document_not_found(editor: StrictEditor, untouched: str, doc_id: str) -> None:
    error = editor.fail("delete_document", project=untouched, doc_id=doc_id)
    assert error["code"] == "DOCUMENT_NOT_FOUND"
    assert "list_documents" in error["message"]


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("store_chunks", {"items": [item(1)]}),
        ("delete_document", {"doc_id": "x"}),
        ("ingest_from_source", {"source": "x.md"}),
    ],
)
def test_writing_to_an_unknown_project_is_refused(editor: StrictEditor, tool: str, arguments: dict[str, Any]) -> None:
    assert editor.fail(tool, project="nowhere", **arguments)["code"] == "INVALID_PROJECT"
