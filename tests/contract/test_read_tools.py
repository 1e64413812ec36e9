"""Reading the sample library as an agent does: projects, hits, passages and documents."""

from __future__ import annotations

import re

import pypdfium2
import pytest

from tests.contract.sample_library import (
    COVERED,
    HARTMANN,
    NOTES,
    PAGE_TURNING,
    PROJECT,
    QUESTIONS,
    RECORDS,
    squeezed,
)
from tests.contract.strict_editor import StrictEditor
from tests.support import SAMPLE

RUNNING_HEAD = "Journal of Bibliographic Practice Quotation Errors in Scholarly Monographs"
HIT_KEYS = {
    "chunk_id", "doc_id", "source", "render_text", "score", "citekey", "claimed_citekey", "citekey_made",
    "renamed_from", "title", "authors", "year", "section", "section_path", "page_span", "page_labels", "doi", "url",
    "text_source", "ocr_confidence", "cite", "open_uri", "full_text", "merged", "also_in",
}  # fmt: skip
PAYLOAD_KEYS = {
    "project_id", "doc_id", "chunk_id", "chunk_index", "citekey", "doi", "url", "year", "authors", "title",
    "item_type", "tags", "collections", "section", "section_path", "heading_chain", "page_start", "page_end",
    "page_labels", "source_path", "file_type", "chunk_text", "text_source", "ocr_confidence", "zotero",
    "embed_model", "sparse_model", "version", "content_hash",
}  # fmt: skip


# -- projects and their collections ------------------------------------------------------------------------------


def test_list_projects_shows_each_project_with_its_models_and_coverage(reader: StrictEditor) -> None:
    answer = reader.call("list_projects")
    assert answer["count"] == 1
    assert answer["projects"] == [
        {
            "id": PROJECT,
            "collection": "proj-sample-library",
            "dense_model": "citeloom/all-MiniLM-L6-v2-int8",
            "sparse_model": "citeloom/bm25",
            "hybrid_enabled": True,
            "document_count": 10,
            "chunk_count": sum(d["chunk_count"] for d in reader.call("list_documents", project=PROJECT)["documents"]),
            "coverage": COVERED,
        }
    ]


def test_inspect_collection_shows_how_passages_are_kept(reader: StrictEditor) -> None:
    answer = reader.call("inspect_collection", project=PROJECT)
    assert (answer["collection"], answer["size"]) == ("proj-sample-library", answer["chunk_count"])
    assert answer["named_vectors"] == ["dense", "sparse"]
    assert set(answer["payload_keys"]) >= PAYLOAD_KEYS
    assert set(answer["indexes"]["keyword"]) >= {
        "project_id", "doc_id", "citekey", "tags", "item_type", "text_source",
    }  # fmt: skip
    assert set(answer["indexes"]["integer"]) >= {"year", "page_start", "page_end"}
    assert "chunk_text" in answer["indexes"]["fulltext"]
    assert answer["storage"]["bytes"] > 100_000
    assert (answer["storage"]["on_disk_vectors"], answer["storage"]["on_disk_hnsw"]) == (True, False)
    assert {"last_modified", "metadata"} <= set(answer["payload_keys"])
    assert (answer["jobs"], answer["sample_payloads"], answer["coverage"]) == ([], [], COVERED)


@pytest.mark.parametrize("sample", [1, 5])
def test_inspect_collection_gives_as_many_sample_payloads_as_asked_for(reader: StrictEditor, sample: int) -> None:
    payloads = reader.call("inspect_collection", project=PROJECT, sample=sample)["sample_payloads"]
    assert len({p["chunk_id"] for p in payloads}) == sample
    assert all(set(p) >= PAYLOAD_KEYS and p["project_id"] == PROJECT for p in payloads)


# -- hits --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("question", "citekey", "printed", "pdf"), PAGE_TURNING)
def test_the_best_hit_names_the_printed_page_to_cite_and_the_pdf_page_to_open(
    reader: StrictEditor, question: str, citekey: str, printed: list[str], pdf: list[int]
) -> None:
    hit = reader.call("query_hybrid", project=PROJECT, text=question)["items"][0]
    assert (hit["citekey"], hit["page_labels"], hit["page_span"]) == (citekey, printed, pdf)
    pages = f"p. {printed[0]}" if len(printed) == 1 else f"pp. {printed[0]}–{printed[-1]}"
    assert hit["cite"] == f"[@{citekey}, {pages}]"
    assert hit["open_uri"].startswith("file://") and hit["open_uri"].endswith(f".pdf#page={pdf[0]}")
    record = RECORDS[citekey]
    assert (hit["doi"], hit["title"]) == (record.get("DOI"), record["title"])
    assert (hit["year"], hit["citekey_made"]) == (record["issued"]["date-parts"][0][0], False)
    assert hit["authors"] == [f"{a['family']}, {a['given']}" for a in record["author"]]
    assert hit["section"] == hit["section_path"][-1]


@pytest.fixture(scope="module")
def pdf_pages() -> dict[str, list[str]]:
    """The pages of every sample PDF, read without CiteLoom."""
    pages = {}
    for file in (SAMPLE / "papers").glob("*.pdf"):
        with pypdfium2.PdfDocument(file) as pdf:
            pages[file.name] = [page.get_textpage().get_text_range() for page in pdf]
    return pages


@pytest.mark.parametrize("question", QUESTIONS)
def test_the_text_of_every_hit_stands_on_the_pages_it_names(
    reader: StrictEditor, pdf_pages: dict[str, list[str]], question: str
) -> None:
    hits = reader.call("query", project=PROJECT, text=question, top_k=10, full_text=True)["items"]
    hits = [hit for hit in hits if hit["source"] in pdf_pages]
    assert hits
    for hit in hits:
        first, last = hit["page_span"]
        pages = pdf_pages[hit["source"]][first - 1 : last]
        for label, page in zip(hit["page_labels"], pages, strict=True):
            assert re.search(rf"\b{label}\b", page), f"{hit['cite']}: {label} is not printed there"
        squeezed_pages = [squeezed(page) for page in pages]
        # Rows of a table are joined in another order than a PDF's text runs in.
        blocks = [squeezed(b) for b in hit["full_text"].split("\n\n") if "\t" not in b]
        pieces = [b[at : at + 30] for b in blocks for at in range(0, max(1, len(b) - 29), 10)]
        missing = [piece for piece in pieces if piece not in "\n".join(squeezed_pages)]
        # Three pieces overlap each page turn: the running heads stand in between.
        assert len(missing) <= 3 * (last - first), f"{hit['cite']}: {missing}"
        if pieces:
            assert all(any(piece in page for piece in pieces) for page in squeezed_pages), hit["cite"]


@pytest.mark.parametrize(
    ("tool", "fusion", "sparse_model"), [("query", None, None), ("query_hybrid", "blend", "citeloom/bm25")]
)
def test_a_search_answers_with_scored_hits_and_what_was_searched(
    reader: StrictEditor, tool: str, fusion: str | None, sparse_model: str | None
) -> None:
    answer = reader.call(tool, project=PROJECT, text=QUESTIONS[0])
    hits = answer["items"]
    assert answer["count"] == len(hits) == 6
    assert all(set(hit) == HIT_KEYS for hit in hits)
    scores = [hit["score"] for hit in hits]
    assert scores == sorted(scores, reverse=True) and scores[0] > scores[-1]
    assert all(0 <= score <= 1 for score in scores)
    assert all(hit["full_text"] is None and hit["render_text"] for hit in hits)
    assert (answer["fusion"], answer["sparse_model"]) == (fusion, sparse_model)
    assert answer["dense_model"] == "citeloom/all-MiniLM-L6-v2-int8"
    assert answer["coverage"] == COVERED
    assert (answer["truncated"], answer["truncated_count"], answer["budget_utilized"]) == (False, 0, None)
    assert answer["total_tokens"] > 0
    assert answer["warnings"] == []


def test_full_text_comes_only_when_it_is_asked_for(reader: StrictEditor) -> None:
    hits = reader.call("query", project=PROJECT, text=QUESTIONS[0], full_text=True)["items"]
    for hit in (hit for hit in hits if not hit["merged"]):
        passage = reader.call("get_passage", project=PROJECT, chunk_id=hit["chunk_id"])["passage"]
        assert hit["full_text"] == passage["full_text"]


def test_a_file_without_a_record_is_cited_with_a_key_that_says_it_was_made(reader: StrictEditor) -> None:
    hit = reader.call("query_hybrid", project=PROJECT, text="borrowed diligence")["items"][0]
    assert (hit["citekey"], hit["citekey_made"], hit["cite"]) == (NOTES, True, f"[@{NOTES}]")
    assert (hit["page_span"], hit["page_labels"], hit["year"]) == (None, [], None)
    assert hit["source"] == "reading-notes.md"


def test_a_question_of_one_character_is_answered(reader: StrictEditor) -> None:
    assert reader.call("query_hybrid", project=PROJECT, text="ß")["count"] == 6


def test_half_a_character_in_a_question_is_answered_too(reader: StrictEditor, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tests.support.WAIT", 5)  # a call without an answer would wait for long
    cut_emoji = "reef recovery \ud83d"  # what an editor sends that cuts a text between two halves of a character
    assert reader.call("query", project=PROJECT, text=cut_emoji)["count"] == 6


# -- how much ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("tool", ["query", "query_hybrid"])
def test_a_top_k_beyond_the_most_is_lowered_and_that_is_said(reader: StrictEditor, tool: str) -> None:
    answer = reader.call(tool, project=PROJECT, text="reviewers", top_k=10**9)
    assert answer["count"] == 20
    assert len(answer["warnings"]) == 1
    assert "1000000000" in answer["warnings"][0] and "20" in answer["warnings"][0]


def test_max_tokens_leaves_out_the_last_hits_and_says_how_many(reader: StrictEditor) -> None:
    whole = reader.call("query", project=PROJECT, text=QUESTIONS[0], top_k=10)
    answer = reader.call("query", project=PROJECT, text=QUESTIONS[0], top_k=10, max_tokens=500)
    assert answer["items"] == whole["items"][: answer["count"]]
    assert 1 <= answer["count"] < 10
    assert (answer["truncated"], answer["truncated_count"]) == (True, 10 - answer["count"])
    assert answer["total_tokens"] <= 500 < whole["total_tokens"]
    assert answer["budget_utilized"] == pytest.approx(answer["total_tokens"] / 500, abs=0.001)


def test_a_budget_too_small_for_one_passage_is_refused_with_what_one_needs(reader: StrictEditor) -> None:
    error = reader.fail("query", project=PROJECT, text=QUESTIONS[0], max_tokens=5)
    assert error["code"] == "BUDGET_EXCEEDED"
    needed = error["details"]["needed"]
    assert str(needed) in error["message"]
    assert reader.call("query", project=PROJECT, text=QUESTIONS[0], max_tokens=needed)["count"] == 1


# -- passages and documents --------------------------------------------------------------------------------------


def test_get_passage_gives_the_passage_whole_with_its_neighbours_and_its_page(reader: StrictEditor) -> None:
    hit = reader.call("query_hybrid", project=PROJECT, text=QUESTIONS[0])["items"][0]
    answer = reader.call("get_passage", project=PROJECT, chunk_id=hit["chunk_id"])
    passage = answer["passage"]
    only_found = ("score", "full_text", "merged", "also_in")
    assert {key: passage[key] for key in hit if key not in only_found} == {
        key: value for key, value in hit.items() if key not in only_found
    }
    assert (len(answer["before"]), len(answer["after"]), answer["links"]) == (1, 1, [])
    assert answer["refined_from"] is None
    assert {key: value for key, value in answer["page"].items() if key != "text"} == {
        "number": 4,
        "margin": [RUNNING_HEAD, "256"],
        "label": "256",
        "pdf_label": "256",
        "printed": "256",
        "printed_from": "margin",
        "text_source": "native",
        "ocr_confidence": None,
    }
    # In the order of the page: the neighbour, the passage, the other neighbour.
    page = squeezed(answer["page"]["text"])
    texts = [answer["before"][0]["render_text"], passage["full_text"], answer["after"][0]["render_text"]]
    places = [page.find(squeezed(text)) for text in texts]
    assert places == sorted(places) and places[0] >= 0 and len(set(places)) == 3


@pytest.mark.parametrize("context", [0, 1, 3, 10])
def test_context_says_how_many_neighbours_come_on_each_side(reader: StrictEditor, context: int) -> None:
    found = []
    for filters in ({"citekey": HARTMANN}, {"citekey": HARTMANN, "section_prefix": "References"}):
        found += reader.call("query", project=PROJECT, text="errors", top_k=20, filters=filters)["items"]
    order = _in_order(reader, found[0]["chunk_id"])
    assert {part["chunk_id"] for hit in found for part in (hit, *hit["merged"])} == set(order)
    for at, chunk_id in enumerate(order):
        answer = reader.call("get_passage", project=PROJECT, chunk_id=chunk_id, context=context)
        assert [n["chunk_id"] for n in answer["before"]] == order[max(0, at - context) : at]
        assert [n["chunk_id"] for n in answer["after"]] == order[at + 1 : at + 1 + context]


def _in_order(reader: StrictEditor, chunk_id: str) -> list[str]:
    """A document's passages from the first to the last, walked one by one."""
    order = [chunk_id]
    for side, place in (("before", 0), ("after", -1)):
        while near := reader.call("get_passage", project=PROJECT, chunk_id=order[place])[side]:
            order.insert(0 if side == "before" else len(order), near[0]["chunk_id"])
    return order


@pytest.mark.parametrize("chunk_id", ["00000000-0000-0000-0000-000000000000", "no uuid at all", "x" * 100_000, ""])
def test_an_unknown_passage_is_passage_not_found(reader: StrictEditor, chunk_id: str) -> None:
    error = reader.fail("get_passage", project=PROJECT, chunk_id=chunk_id)
    assert error["code"] == "PASSAGE_NOT_FOUND"
    assert len(error["message"]) < 400


@pytest.mark.parametrize(("pages_asked", "given"), [(None, [1, 6]), ("2", [2, 2]), (2, [2, 2]), ("3-5", [3, 5])])
def test_get_document_gives_the_pages_asked_for_as_markdown(
    reader: StrictEditor, pdf_pages: dict[str, list[str]], pages_asked: str | int | None, given: list[int]
) -> None:
    arguments = {"pages": pages_asked} if pages_asked else {}
    document = reader.call("get_document", project=PROJECT, citekey=HARTMANN, **arguments)
    by_id = reader.call("get_document", project=PROJECT, doc_id=document["doc_id"], **arguments)
    assert by_id["markdown"] == document["markdown"]
    assert (document["pages"], document["pages_given"]) == (6, given)
    assert (document["truncated"], document["next_pages"]) == (False, None)
    text = squeezed(document["markdown"])
    for number, page in enumerate(pdf_pages["hartmann2019quotation.pdf"], 1):
        body = squeezed(page)
        middle = body[len(body) // 3 :][:60]
        assert (middle in text) == (given[0] <= number <= given[1])
        printed = f"<!-- page {252 + number} (PDF {number}) -->"
        assert (printed in document["markdown"]) == (given[0] <= number <= given[1])
    assert f"<!-- margin: {RUNNING_HEAD} -->" in document["markdown"]


def test_get_document_gives_a_markdown_file_as_it_is(reader: StrictEditor) -> None:
    document = reader.call("get_document", project=PROJECT, citekey=NOTES)
    assert (document["pages"], document["pages_given"], document["file_type"]) == (None, None, "markdown")
    source = (SAMPLE / "papers" / "reading-notes.md").read_text(encoding="utf-8")
    assert squeezed(document["markdown"]) == squeezed(source)


@pytest.mark.parametrize(
    ("citekey", "pages_asked"),
    [(HARTMANN, bad) for bad in ("0", "7", "3-2", "1-99", "-3", "2-", "two", "1,2")] + [(NOTES, "1")],
)
def test_pages_that_are_not_there_are_refused(reader: StrictEditor, citekey: str, pages_asked: str) -> None:
    error = reader.fail("get_document", project=PROJECT, citekey=citekey, pages=pages_asked)
    assert error["code"] == "INVALID_INPUT"


def test_an_unknown_document_is_document_not_found(reader: StrictEditor) -> None:
    error = reader.fail("get_document", project=PROJECT, doc_id="00000000-0000-0000-0000-000000000000")
    assert error["code"] == "DOCUMENT_NOT_FOUND"
    assert "list_documents" in error["message"]


@pytest.mark.parametrize(("citekey", "near"), [("hartmanQuotationErors2019", [HARTMANN]), ("zzz", [])])
def test_an_unknown_citekey_is_citekey_not_found_with_those_that_are_near(
    reader: StrictEditor, citekey: str, near: list[str]
) -> None:
    error = reader.fail("get_document", project=PROJECT, citekey=citekey)
    assert (error["code"], error["details"]["missing"]) == ("CITEKEY_NOT_FOUND", {citekey: near})
    assert all(key in error["message"] for key in (citekey, *near))


def test_list_documents_says_of_each_what_it_is_and_whether_it_can_be_searched(reader: StrictEditor) -> None:
    answer = reader.call("list_documents", project=PROJECT)
    assert (answer["count"], answer["total"], answer["coverage"]) == (10, 10, COVERED)
    assert (answer["truncated"], answer["truncated_count"], answer["next_offset"]) == (False, 0, None)
    documents = {d["citekey"]: d for d in answer["documents"]}
    assert set(documents) == {*RECORDS, NOTES}
    assert {d["status"] for d in documents.values()} == {"ready"}
    assert not any({"path", "open_uri"} & set(d) for d in documents.values()), (
        "where files are is not an agent's to know"
    )
    assert all(d["chunk_count"] > 0 and re.fullmatch(r"[0-9a-f]{64}", d["content_hash"]) for d in documents.values())
    for citekey, record in RECORDS.items():
        first, _, last = record["page"].partition("-")
        assert documents[citekey]["title"] == record["title"]
        assert documents[citekey]["pages"] == int(last) - int(first) + 1


def test_list_documents_gives_every_document_once_page_by_page(reader: StrictEditor) -> None:
    seen, offset, left = [], 0, []
    while offset is not None:
        answer = reader.call("list_documents", project=PROJECT, limit=4, offset=offset)
        assert (answer["count"], answer["total"]) == (len(answer["documents"]), 10)
        assert answer["truncated"] == (answer["truncated_count"] > 0)
        seen += [d["doc_id"] for d in answer["documents"]]
        left.append(answer["truncated_count"])
        offset = answer["next_offset"]
    assert (len(seen), len(set(seen)), left) == (10, 10, [6, 2, 0])


@pytest.mark.parametrize(("status", "count"), [("ready", 10), ("failed", 0), ("pending", 0)])
def test_list_documents_shows_one_status_alone(reader: StrictEditor, status: str, count: int) -> None:
    assert reader.call("list_documents", project=PROJECT, status=status)["total"] == count


def test_an_unknown_status_is_refused_with_the_valid_ones(reader: StrictEditor) -> None:
    error = reader.fail("list_documents", project=PROJECT, status="lost")
    assert error["code"] == "INVALID_INPUT"
    assert error["details"]["valid"] == ["pending", "ready", "failed", "duplicate", "without_file"]


@pytest.mark.parametrize("offset", [10, 2**53 - 1])
def test_a_page_beyond_the_last_document_is_empty(reader: StrictEditor, offset: int) -> None:
    answer = reader.call("list_documents", project=PROJECT, offset=offset)
    assert (answer["documents"], answer["total"], answer["next_offset"]) == ([], 10, None)
