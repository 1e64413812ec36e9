"""Conformance with seed 001: `fastmcp`, from the examples of its document."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from citeloom.core.settings import BUNDLED_DENSE, BUNDLED_SPARSE
from tests.contract.dialects.conftest import Agent
from tests.support import citeloom, done

ITEM = {"render_text", "score", "citekey", "section", "page_span", "section_path", "doi"}
QUESTION = "Do street trees cool the night?"


@pytest.fixture(scope="module")
def agent(library: Path) -> Iterator[Agent]:
    with Agent(library, "fastmcp") as one:
        yield one


@pytest.fixture(scope="module")
def reader(sample_home: Path) -> Iterator[Agent]:
    """An agent on the sample library, which it only reads."""
    with Agent(sample_home, "fastmcp") as one:
        yield one


def test_the_tools_and_their_parameters_are_those_of_the_document(agent: Agent) -> None:
    assert list(agent.tools) == ["ingest_from_source", "query", "query_hybrid", "inspect_collection", "list_projects"]
    search = {
        "project": {"type": "string", "required": True},
        "text": {"type": "string", "required": True},
        "top_k": {"type": "integer", "required": False},
        "filters": {"type": "object", "required": False},
    }
    assert agent.parameters("query") == agent.parameters("query_hybrid") == search
    options = agent.tools["ingest_from_source"]["inputSchema"]["properties"]["options"]["properties"]
    assert set(options) == {"ocr_languages", "references_path", "force_rebuild"}


def test_documents_are_ingested_and_found(agent: Agent, papers: Path) -> None:
    ingested = agent.ask("ingest_from_source", project="clean-arch", source=str(papers))
    assert set(ingested) == {
        "chunks_written", "documents_processed", "project", "dense_model", "sparse_model", "duration_seconds",
        "warnings", "correlation_id",
    }  # fmt: skip
    assert (ingested["documents_processed"], ingested["project"]) == (3, "clean-arch")
    assert (ingested["dense_model"], ingested["sparse_model"]) == (BUNDLED_DENSE, BUNDLED_SPARSE)
    assert ingested["chunks_written"] > 0 and ingested["duration_seconds"] > 0
    again = agent.ask("ingest_from_source", project="clean-arch", source=str(papers))
    assert again["chunks_written"] == 0
    found = agent.ask("query", project="clean-arch", text="How do I configure authentication?")
    assert found["items"][0]["section_path"] == ["Configuration", "Authentication Configuration"]


def test_a_query_by_meaning_names_its_model(reader: Agent) -> None:
    found = reader.ask("query", project="sample/library", text=QUESTION, top_k=3)
    assert set(found) == {"items", "count", "model", "correlation_id"}
    assert (found["count"], found["model"]) == (3, BUNDLED_DENSE)
    assert set(found["items"][0]) - {"url"} == ITEM | {"full_text"} and found["items"][0]["full_text"] is None


def test_a_hybrid_query_ranks_by_rrf_and_says_so(reader: Agent) -> None:
    found = reader.ask("query_hybrid", project="sample/library", text=QUESTION, top_k=3)
    assert set(found) == {
        "items", "count", "hybrid_enabled", "dense_model", "sparse_model", "fusion", "correlation_id",
    }  # fmt: skip
    assert (found["hybrid_enabled"], found["fusion"]) == (True, "RRF")
    best = found["items"][0]
    assert set(best) - {"url"} == ITEM and best["citekey"] == "nakamuraStreetTreesNocturnal2022"
    assert best["score"] == pytest.approx(1.0, abs=0.05), "first in both rankings"


def test_a_collection_is_inspected(reader: Agent) -> None:
    seen = reader.ask("inspect_collection", project="sample/library", sample=1)
    assert set(seen) == {
        "project", "collection", "size", "dense_model", "sparse_model", "named_vectors", "payload_keys", "indexes",
        "storage", "sample_payloads", "correlation_id",
    }  # fmt: skip
    assert seen["named_vectors"] == ["dense", "sparse"] and len(seen["sample_payloads"]) == 1
    named = {
        "project_id", "doc_id", "section_path", "page_start", "page_end", "citekey", "doi", "year", "authors", "title",
        "tags", "source_path", "chunk_text", "heading_chain", "embed_model", "version",
    }  # fmt: skip
    assert named <= set(seen["payload_keys"])
    assert set(seen["indexes"]) == {"keyword", "fulltext"} and "chunk_text" in seen["indexes"]["fulltext"]
    assert set(seen["storage"]) == {"on_disk_vectors", "on_disk_hnsw"}
    assert all(isinstance(value, bool) for value in seen["storage"].values())
    assert reader.refused("inspect_collection", project="sample/library", sample=6)["error"]["code"] == "INVALID_INPUT"


def test_projects_are_listed_and_counted(reader: Agent) -> None:
    listed = reader.ask("list_projects")
    assert listed["count"] == len(listed["projects"]) == 1
    assert set(listed["projects"][0]) == {"id", "collection", "dense_model", "sparse_model", "hybrid_enabled"}


def test_an_unknown_project_is_named_with_those_there_are(agent: Agent) -> None:
    answer = agent.refused("query", project="invalid-project", text="x")
    assert set(answer) == {"error", "correlation_id"} and answer["error"]["code"] == "INVALID_PROJECT"
    assert answer["error"]["message"].startswith("Project 'invalid-project' not found. Available projects: clean-arch")


def test_a_project_without_a_sparse_model_refuses_hybrid_queries_only(library: Path, agent: Agent) -> None:
    settings = library / "citeloom.toml"
    settings.write_text('[models]\nsparse = ""\n')
    try:
        done(citeloom(library, "engine", "stop"))
        done(citeloom(library, "project", "add", "dense-only"))
        assert agent.refused("query_hybrid", project="dense-only", text="x")["error"]["code"] == "HYBRID_NOT_SUPPORTED"
        assert agent.ask("query", project="dense-only", text="x")["items"] == []
    finally:
        settings.unlink()


def test_a_place_that_was_not_allowed_is_refused(agent: Agent, tmp_path: Path) -> None:
    (tmp_path / "secret.md").write_text("# Secret\n\nNobody may read this.\n")
    error = agent.refused("ingest_from_source", project="clean-arch", source=str(tmp_path / "secret.md"))["error"]
    assert error["code"] == "PERMISSION_DENIED"
