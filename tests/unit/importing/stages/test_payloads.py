"""Payloads of passages."""

from __future__ import annotations

import json
from dataclasses import replace

from citeloom.catalog.documents import Document
from citeloom.catalog.projects import Project
from citeloom.core.ids import passage_id, passage_set_id
from citeloom.core.types import Passage, Record
from citeloom.importing.stages.payloads import payload, record_values

CONTRACT = {
    "project_id", "doc_id", "chunk_id", "chunk_index", "citekey", "doi", "url", "year", "authors", "title",
    "item_type", "tags", "collections", "section", "section_path", "heading_chain", "page_start", "page_end",
    "page_labels", "source_path", "file_type", "chunk_text", "text_source", "ocr_confidence", "zotero", "embed_model",
    "sparse_model", "version", "content_hash", "last_modified", "metadata",
}  # fmt: skip
PROJECT = Project("thesis", "proj-thesis", None, None, "dense/m", "f", 4, "sparse/m", 1, 0, "")
DOCUMENT = Document("thesis", "doc", "/papers/Müller 2019.pdf", "pdf", content_hash="hash")
RECORD = Record(
    "müller2019",
    "Salt",
    ("Müller, Ève",),
    2019,
    "10.1/x",
    "https://example.org/x",
    "article-journal",
    ("method",),
    ("Thesis",),
)
SET = passage_set_id("thesis", "hash", "c1", 256)


def test_the_payload_has_every_key_of_the_contract() -> None:
    passage = Passage(3, "Grain and salt.", ("2 Trade", "2.1 Salt"), 4, 5, ("253", "254"))
    made = payload(PROJECT, DOCUMENT, RECORD, passage, SET)
    assert set(made) >= CONTRACT
    assert json.loads(json.dumps(made)) == made
    expected = {
        "project_id": "thesis",
        "doc_id": "doc",
        "chunk_id": passage_id(SET, 3),
        "chunk_index": 3,
        "citekey": "müller2019",
        "doi": "10.1/x",
        "year": 2019,
        "authors": ["Müller, Ève"],
        "tags": ["method"],
        "collections": ["Thesis"],
        "section": "2.1 Salt",
        "section_path": ["2 Trade", "2.1 Salt"],
        "heading_chain": "2 Trade > 2.1 Salt",
        "page_start": 4,
        "page_end": 5,
        "page_labels": ["253", "254"],
        "source": "Müller 2019.pdf",
        "source_path": "/papers/Müller 2019.pdf",
        "chunk_text": "Grain and salt.",
        "text_source": "native",
        "embed_model": "dense/m",
        "sparse_model": "sparse/m",
        "version": SET,
        "content_hash": "hash",
    }
    assert {key: made[key] for key in expected} == expected


def test_a_passage_has_the_time_of_its_file_and_what_is_said_of_it_besides() -> None:
    about = {"colour": "red", "checked": True}
    document = replace(DOCUMENT, size=9, mtime_ns=1_735_689_600 * 10**9 + 5, metadata=about)
    made = payload(PROJECT, document, RECORD, Passage(0, "x"), SET)
    assert (made["last_modified"], made["metadata"]) == ("2025-01-01T00:00:00+00:00", about)
    assert made["metadata_flags"] == ["checked=true"]


def test_a_passage_without_section_or_page_says_so() -> None:
    made = payload(PROJECT, DOCUMENT, RECORD, Passage(0, "x", extra={"lines": [1, 9], "function_name": "f"}), SET)
    assert (made["section"], made["section_path"], made["heading_chain"]) == (None, [], "")
    assert (made["page_start"], made["page_end"], made["page_labels"]) == (None, None, [])
    assert (made["lines"], made["function_name"]) == ([1, 9], "f")


def test_what_comes_from_the_record_is_all_that_a_changed_record_rewrites() -> None:
    passage, claiming = Passage(0, "x", ("Salt",), 1, 1, ("1",)), replace(DOCUMENT, claimed_citekey="said2020")
    other = Record("new2020", "Grain", ("Nova, N.",), 2020, None, None, "book", ("t",), (), key_made=True)
    before = payload(PROJECT, DOCUMENT, RECORD, passage, SET)
    after = payload(PROJECT, claiming, other, passage, SET, ["before2019"])
    assert {**before, **record_values(other, ["before2019"], "said2020")} == after
    changed = {key for key in before if before[key] != after[key]}
    assert changed == set(record_values(other))
