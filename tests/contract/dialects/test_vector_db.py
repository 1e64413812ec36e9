"""Conformance with seed 002: `vector-db`, from the examples of its document."""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.contract.dialects.conftest import PAPERS, Agent
from tests.support import SAMPLE


@pytest.fixture(scope="module")
def agent(library: Path) -> Iterator[Agent]:
    with Agent(library, "vector-db") as one:
        yield one


@pytest.fixture(scope="module")
def indexed(agent: Agent, papers: Path) -> Path:
    """The folder of papers, indexed, with one that is a PDF."""
    paper = next((SAMPLE / "papers").glob("Nakamura*.pdf"))
    shutil.copy(paper, papers / "trees.pdf")
    assert agent.ask("index_directory", dir_path=str(papers))["success"] is True
    return papers


def results(agent: Agent, tool: str = "search", **given: Any) -> list[dict[str, Any]]:
    answer = agent.ask(tool, **given)
    assert answer["success"] is True and set(answer) == {"success", "data"}
    found: list[dict[str, Any]] = answer["data"]["results"]
    return found


def test_the_tools_and_their_parameters_are_those_of_the_document(agent: Agent) -> None:
    assert list(agent.tools) == ["index_file", "index_directory", "search", "search_with_filters", "search_with_budget"]
    text = {"type": "string", "required": True}
    count = {"type": "integer", "default": 5, "minimum": 1, "maximum": 50, "required": False}
    assert agent.parameters("index_file") == {"file_path": text}
    assert agent.parameters("index_directory") == {
        "dir_path": text,
        "recursive": {"type": "boolean", "default": True, "required": False},
    }
    assert agent.parameters("search") == {"query": text, "n_results": count}
    filters = {"type": "object", "required": False}
    assert agent.parameters("search_with_filters") == {"query": text, "filters": filters, "n_results": count}
    budget = agent.parameters("search_with_budget")["max_tokens"]
    assert (budget["type"], budget["default"]) == ("integer", 3000)


def test_a_file_is_indexed_with_its_hash_chunks_and_tokens(agent: Agent, papers: Path) -> None:
    file = papers / "config.md"
    answer = agent.ask("index_file", file_path=str(file))
    data = answer["data"]
    assert answer["success"] is True
    assert set(data) == {"doc_hash", "chunks_created", "chunk_ids", "total_tokens", "file_format"}
    assert data["doc_hash"] == hashlib.sha256(file.read_bytes()).hexdigest()
    assert data["chunks_created"] == len(data["chunk_ids"]) == len(set(data["chunk_ids"])) > 0
    assert data["total_tokens"] > 10 and data["file_format"] == "markdown"
    formats = [agent.ask("index_file", file_path=str(papers / name))["data"]["file_format"] for name in PAPERS]
    assert formats == ["markdown", "text", "code"]


def test_a_directory_is_indexed_once_and_faulty_files_are_listed(agent: Agent, indexed: Path) -> None:
    (indexed / "corrupted.pdf").write_bytes(b"%PDF-1.7\nnothing")
    data = agent.ask("index_directory", dir_path=str(indexed))["data"]
    assert set(data) == {"new_documents", "duplicates_skipped", "errors", "total_chunks", "chunk_ids"}
    assert (data["new_documents"], data["duplicates_skipped"], data["total_chunks"]) == (0, 4, 0)
    (problem,) = data["errors"]
    assert problem["file_path"].endswith("corrupted.pdf") and problem["error"]
    assert set(data["chunk_ids"]) == {str(indexed / name) for name in (*PAPERS, "trees.pdf")}
    assert all(data["chunk_ids"].values())


def test_a_search_gives_content_metadata_and_times(agent: Agent, indexed: Path) -> None:
    answer = agent.ask("search", query="How do I configure authentication?", n_results=5)["data"]
    assert set(answer) == {"results", "total_tokens", "query_embedding_time", "search_time"}
    assert answer["query_embedding_time"] >= 0 and answer["search_time"] > 0
    best = answer["results"][0]
    assert set(best) == {"chunk_id", "content", "score", "metadata", "token_count"}
    assert "AUTH_PROVIDER" in best["content"] and 0 <= best["score"] <= 1 and best["token_count"] > 10
    assert best["metadata"]["source_file"] == str(indexed / "config.md")
    assert best["metadata"]["file_format"] == "markdown" and best["metadata"]["header_level"] == 2
    assert best["metadata"]["header_path"] == "Configuration > Authentication Configuration"
    assert answer["total_tokens"] == sum(one["token_count"] for one in answer["results"])


def test_each_format_has_its_metadata(agent: Agent, indexed: Path) -> None:
    code = results(agent, query="greet somebody politely", n_results=1)[0]["metadata"]
    assert (code["class_name"], code["function_name"], code["file_format"]) == ("Greeter", "greet", "code")
    assert 1 <= code["start_line"] <= code["end_line"] <= 4
    text = results(agent, query="deployed with one command", n_results=1)[0]["metadata"]
    assert text["file_format"] == "text" and text["start_line"] >= 1 and text["end_line"] >= text["start_line"]
    pages = results(agent, "search_with_filters", query="trees", filters={"file_format": "pdf"}, n_results=50)
    assert {one["metadata"]["page_number"] for one in pages} and all(
        one["metadata"]["page_position"] in ("start", "middle", "end") for one in pages
    )


@pytest.mark.parametrize(
    ("filters", "expected"),
    [
        ({"source_file": "config.md"}, {"config.md"}),
        ({"source_file": "config.md", "header_level": 2}, {"config.md"}),
        ({"header_level": 2}, {"config.md", "trees.pdf"}),
        ({"source_file": {"$contains": "conf"}}, {"config.md"}),
        ({"page_number": {"$gte": 1, "$lte": 1}}, {"trees.pdf"}),
        ({"file_format": "code"}, {"tool.py"}),
        ({"file_format": "pdf", "header_level": 6}, set()),
    ],
    ids=lambda value: str(value) if isinstance(value, dict) else None,
)
def test_filters_are_those_of_the_document(
    agent: Agent, indexed: Path, filters: dict[str, Any], expected: set[str]
) -> None:
    given = dict(filters)
    if given.get("source_file") == "config.md":
        given["source_file"] = str(indexed / "config.md")
    found = results(agent, "search_with_filters", query="configuration of trees", filters=given, n_results=50)
    assert {Path(one["metadata"]["source_file"]).name for one in found} <= (expected or set())
    assert bool(found) == bool(expected)


def test_a_budget_is_kept_and_what_did_not_fit_is_counted(agent: Agent, indexed: Path) -> None:
    data = agent.ask("search_with_budget", query="trees and streets at night", max_tokens=500)["data"]
    assert data["total_tokens"] <= 500 and data["truncated"] is True and data["truncated_count"] > 0
    assert data["budget_utilized"] == pytest.approx(data["total_tokens"] / 500, abs=0.01)


def test_errors_are_worded_as_in_the_document(agent: Agent, indexed: Path, tmp_path: Path) -> None:
    (tmp_path / "secret.md").write_text("# Secret\n\nNobody may read this.\n")
    (indexed / "table.xyz").write_text("x")
    missing = str(indexed / "missing.md")
    for tool, given, message, code in (
        ("index_file", {"file_path": missing}, f"File not found: {missing}", "FILE_NOT_FOUND"),
        (
            "index_file",
            {"file_path": str(tmp_path / "secret.md")},
            f"Permission denied: {tmp_path}",
            "PERMISSION_DENIED",
        ),
        (
            "index_file",
            {"file_path": str(indexed / "table.xyz")},
            "Unsupported file format: .xyz",
            "UNSUPPORTED_FORMAT",
        ),
        (
            "index_file",
            {"file_path": str(indexed / "corrupted.pdf")},
            "Failed to extract content",
            "UNSUPPORTED_FORMAT",
        ),
        ("search", {"query": ""}, "", "INVALID_INPUT"),
        ("search", {"query": "x", "n_results": 51}, "", "INVALID_INPUT"),
        ("search_with_filters", {"query": "x", "filters": {"colour": "red"}}, "", "INVALID_INPUT"),
        ("search_with_budget", {"query": "trees", "max_tokens": 1}, "", "BUDGET_EXCEEDED"),
    ):
        answer = agent.refused(tool, **given)
        assert set(answer) == {"success", "error", "error_code", "details"} and answer["success"] is False
        assert answer["error_code"] == code, answer
        assert answer["error"].startswith(message) and answer["error"]
