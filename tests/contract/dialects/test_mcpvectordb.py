"""Conformance with seed 004: `mcpvectordb`, from the examples of its document."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from tests.contract.dialects.conftest import Agent
from tests.support import citeloom, done


@pytest.fixture(scope="module")
def agent(library: Path) -> Iterator[Agent]:
    with Agent(library, "mcpvectordb") as one:
        yield one


@pytest.fixture(scope="module")
def ingested(agent: Agent, papers: Path) -> dict[str, Any]:
    """A file that was ingested with metadata of its own."""
    metadata = {"team": "infra", "reviewed": True, "level": 3}
    return agent.ask("ingest_file", path=str(papers / "config.md"), metadata=metadata)


def test_the_tools_and_their_parameters_are_those_of_the_document(agent: Agent) -> None:
    assert list(agent.tools) == [
        "ingest_file", "ingest_url", "search", "list_documents", "list_libraries", "delete_document", "get_document",
    ]  # fmt: skip
    text = {"type": "string", "required": True}
    library = {"type": "string", "default": "default", "required": False}
    metadata = {"type": "object", "required": False}
    assert agent.parameters("ingest_file") == {"path": text, "library": library, "metadata": metadata}
    assert agent.parameters("ingest_url") == {"url": text, "library": library, "metadata": metadata}
    assert agent.parameters("search") == {
        "query": text,
        "top_k": {"type": "integer", "default": 5, "minimum": 1, "maximum": 100, "required": False},
        "library": {"type": "string", "required": False},
        "filter": {"type": "object", "required": False},
    }
    listing = agent.parameters("list_documents")
    assert (listing["limit"]["default"], listing["limit"]["maximum"], listing["offset"]["default"]) == (20, 1000, 0)
    assert agent.parameters("get_document") == agent.parameters("delete_document") == {"doc_id": text}
    assert agent.tools["delete_document"]["annotations"]["destructiveHint"] is True


def test_a_file_is_indexed_skipped_and_replaced(agent: Agent, papers: Path) -> None:
    file = papers / "changing.md"
    file.write_text("# Changing\n\nThe first text.\n")
    first = agent.ask("ingest_file", path=str(file))
    assert set(first) == {"status", "doc_id", "source", "library", "chunk_count"}
    assert (first["status"], first["source"], first["library"]) == ("indexed", str(file), "clean-arch")
    assert first["chunk_count"] > 0
    assert agent.ask("ingest_file", path=str(file)) == {**first, "status": "skipped"}
    file.write_text("# Changing\n\nThe second text, which is another.\n")
    assert agent.ask("ingest_file", path=str(file)) == {**first, "status": "replaced"}
    found = agent.ask("search", query="the first text")["results"]
    assert not any("first text" in one["content"] for one in found)


def test_a_search_gives_every_field_and_keeps_to_library_and_filter(
    agent: Agent, ingested: dict[str, Any], papers: Path
) -> None:
    found = agent.ask("search", query="How do I configure authentication?")["results"]
    best = found[0]
    assert set(best) == {
        "doc_id", "source", "title", "library", "file_type", "last_modified", "page", "content", "chunk_index",
        "metadata",
    }  # fmt: skip
    assert (best["doc_id"], best["source"]) == (ingested["doc_id"], str(papers / "config.md"))
    assert (best["library"], best["page"]) == ("clean-arch", 0), "a page that is not known is 0"
    assert best["metadata"] == {"team": "infra", "reviewed": True, "level": 3}
    assert datetime.fromisoformat(best["last_modified"]).timestamp() == pytest.approx(
        (papers / "config.md").stat().st_mtime, abs=1
    )
    for given in (
        {"file_type": best["file_type"]},
        {"team": "infra"},
        {"level": 3, "team": "infra"},
        {"last_modified": best["last_modified"]},
        {"library": "clean-arch"},
        {"title": best["title"]},
        {"page": 0, "chunk_index": best["chunk_index"]},
    ):
        matching = agent.ask("search", query="authentication", filter=given)["results"]
        assert ingested["doc_id"] in {one["doc_id"] for one in matching}, given
    for none in ({"team": "other"}, {"title": best["title"][:-1]}, {"chunk_index": 999}, {"page": 7}):
        assert agent.ask("search", query="authentication", filter=none)["results"] == [], none
    assert agent.ask("search", query="authentication", library="clean-arch", top_k=1)["results"][0] == found[0]


def test_the_default_library_is_that_of_the_session(library: Path, agent: Agent, ingested: dict[str, Any]) -> None:
    done(citeloom(library, "project", "add", "default"))
    try:
        assert agent.ask("list_documents", library="default") == {"documents": [], "count": 0}
        with Agent(library, "mcpvectordb", "--project", "clean-arch") as limited:
            assert limited.ask("list_documents", library="default")["count"] > 0
    finally:
        done(citeloom(library, "project", "remove", "default", stdin="y\n"))


def test_a_search_without_a_library_is_one_of_all(library: Path, agent: Agent, ingested: dict[str, Any]) -> None:
    done(citeloom(library, "project", "add", "second"))
    try:
        assert agent.ask("search", query="authentication")["results"][0]["doc_id"] == ingested["doc_id"]
        assert agent.ask("search", query="authentication", library="second")["results"] == []
        names = [one["library"] for one in agent.ask("list_libraries")["libraries"]]
        assert {"clean-arch", "second"} <= set(names)
        assert all(
            set(one) == {"library", "document_count", "chunk_count"} for one in agent.ask("list_libraries")["libraries"]
        )
    finally:
        done(citeloom(library, "project", "remove", "second", stdin="y\n"))


def test_the_access_log_has_the_passages_that_were_sent(library: Path, agent: Agent, ingested: dict[str, Any]) -> None:
    agent.ask("search", query="something that nobody else asks", top_k=2)
    log = json.loads(done(citeloom(library, "log", "--json")))
    (entry,) = [one for one in log if one["asked"] == "something that nobody else asks"]
    assert (entry["tool"], entry["project_id"], entry["outcome"]) == ("search", "clean-arch", "ok")
    assert len(entry["passages"]) == 2


def test_documents_are_listed_in_pages_read_and_deleted(agent: Agent, papers: Path) -> None:
    file = papers / "doomed.md"
    file.write_text("# Doomed\n\nThis will be deleted.\n")
    doc_id = agent.ask("ingest_file", path=str(file), metadata={"short": "lived"})["doc_id"]
    listed = agent.ask("list_documents", limit=1000)
    assert set(listed) == {"documents", "count"} and listed["count"] == len(listed["documents"])
    (row,) = [one for one in listed["documents"] if one["doc_id"] == doc_id]
    assert set(row) == {"doc_id", "source", "title", "library", "content_hash", "created_at", "metadata", "chunk_count"}
    assert row["content_hash"] == hashlib.sha256(file.read_bytes()).hexdigest()
    assert row["metadata"] == {"short": "lived"} and datetime.fromisoformat(row["created_at"])
    pages = [agent.ask("list_documents", limit=1, offset=n)["documents"] for n in range(listed["count"] + 1)]
    assert [one["doc_id"] for page in pages for one in page] == [one["doc_id"] for one in listed["documents"]]

    text = agent.ask("get_document", doc_id=doc_id)
    assert set(text) == {"doc_id", "source", "title", "library", "content", "chunk_count", "metadata"}
    assert "This will be deleted." in text["content"] and text["metadata"] == {"short": "lived"}
    deleted = agent.ask("delete_document", doc_id=doc_id)
    assert deleted == {"status": "deleted", "doc_id": doc_id, "deleted_chunks": row["chunk_count"]}
    assert "not found" in agent.refused("get_document", doc_id=doc_id)["error"]


@pytest.mark.parametrize(
    ("tool", "given"),
    [
        ("ingest_file", {"path": "/nowhere/at-all.md"}),
        ("ingest_file", {"path": ""}),
        ("ingest_file", {"path": "config.md", "library": "unknown"}),
        ("ingest_url", {"url": "https://example.org/"}),
        ("ingest_url", {"url": "ftp://example.org/"}),
        ("ingest_url", {"url": "example.org"}),
        ("search", {"query": "x", "top_k": 101}),
        ("search", {"query": "x", "top_k": 0}),
        ("search", {"query": "x", "library": "unknown"}),
        ("search", {"query": "x", "filter": {"colour": "red"}}),
        ("search", {"query": "x", "filter": {"page": [1]}}),
        ("search", {"query": "x", "filter": {"library": 5}}),
        ("list_documents", {"limit": 1001}),
        ("list_documents", {"offset": -1}),
        ("delete_document", {"doc_id": "00000000-0000-0000-0000-000000000000"}),
        ("get_document", {"doc_id": "x"}),
        ("get_document", {}),
    ],
)
def test_every_error_has_the_shape_of_the_document(agent: Agent, tool: str, given: dict[str, Any]) -> None:
    answer = agent.refused(tool, **given)
    assert set(answer) == {"status", "error"} and answer["status"] == "error" and answer["error"]
