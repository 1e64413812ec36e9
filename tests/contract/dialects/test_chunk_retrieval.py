"""Conformance with seed 000: `chunk-retrieval`, from the examples of its document."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from citeloom.core.settings import BUNDLED_DENSE
from tests.contract.dialects.conftest import Agent
from tests.support import citeloom, done

NESTED = {
    "project": "clean-arch",
    "source": {"path": "docs/clean-arch.pdf", "title": "Clean Architecture"},
    "zotero": {"citekey": "cleanArchitecture2023", "tags": ["architecture"]},
    "doc": {"page_span": [45, 46], "section": "Entities", "section_path": ["Part I", "Chapter 3"]},
    "embed_model": BUNDLED_DENSE,
    "version": "1",
    "fulltext": None,
}
ITEM = {"render_text", "score", "citekey", "section", "page_span", "section_path", "doi"}


@pytest.fixture(scope="module")
def agent(library: Path) -> Iterator[Agent]:
    with Agent(library, "chunk-retrieval") as one:
        yield one


@pytest.fixture(scope="module")
def reader(sample_home: Path) -> Iterator[Agent]:
    """An agent on the sample library, which it only reads."""
    with Agent(sample_home, "chunk-retrieval") as one:
        yield one


def chunks(count: int, **metadata: Any) -> list[dict[str, Any]]:
    vectors = ([0.05] * 383 + [n / 1000] for n in range(count))
    return [
        {
            "id": f"chunk-{n}",
            "text": f"Entity number {n} is distinct.",
            "embedding": vector,
            "metadata": NESTED | metadata,
        }
        for n, vector in enumerate(vectors)
    ]


def test_the_tools_and_their_parameters_are_those_of_the_document(agent: Agent) -> None:
    assert list(agent.tools) == ["store_chunks", "find_chunks", "query_hybrid", "inspect_collection", "list_projects"]
    search = {
        "project": {"type": "string", "required": True},
        "query": {"type": "string", "required": True},
        "top_k": {"type": "integer", "required": False},
        "filters": {"type": "object", "required": False},
    }
    assert agent.parameters("find_chunks") == agent.parameters("query_hybrid") == search
    assert agent.parameters("inspect_collection")["sample"] == {"type": "integer", "default": 0, "required": False}
    assert set(agent.parameters("store_chunks")) == {"project", "items"}
    assert set(agent.tools["store_chunks"]["inputSchema"]["properties"]["items"]["items"]["properties"]) == {
        "id", "text", "embedding", "metadata",
    }  # fmt: skip


def test_chunks_are_stored_with_nested_metadata_found_and_inspected(agent: Agent) -> None:
    for _ in range(2):  # the same ids replace what was there
        stored = agent.ask("store_chunks", project="clean-arch", items=chunks(100))
        assert stored == {
            "chunks_written": 100, "project": "clean-arch", "embed_model": BUNDLED_DENSE, "warnings": [],
        }  # fmt: skip
    found = agent.ask("find_chunks", project="clean-arch", query="entities", filters={"zotero.tags": ["architecture"]})
    assert found["count"] == len(found["items"]) == 6
    for item in found["items"]:
        assert set(item) == ITEM | {"full_text"} and item["full_text"] is None
        assert (item["section"], item["section_path"]) == ("Entities", ["Part I", "Chapter 3"])
        assert item["page_span"] == [45, 46] and item["citekey"] == "", (
            "what an agent stored is no work until confirmed"
        )
    assert agent.ask("find_chunks", project="clean-arch", query="x", filters={"tags": ["other"]})["items"] == []

    inspected = agent.ask("inspect_collection", project="clean-arch", sample=2)
    assert set(inspected) == {"project", "collection", "size", "embed_model", "payload_keys", "indexes", "sample"}
    assert (inspected["collection"], inspected["size"]) == ("proj-clean-arch", 100)
    assert inspected["payload_keys"] == ["project", "source", "zotero", "doc", "embed_model", "version", "fulltext"]
    assert {"project", "zotero.tags"} <= set(inspected["indexes"]["keyword"])
    assert "fulltext" in inspected["indexes"]["fulltext"]
    assert len(inspected["sample"]) == 2
    assert inspected["sample"][0]["source"] == {"path": "docs/clean-arch.pdf", "title": "Clean Architecture"}
    assert inspected["sample"][0]["doc"] == NESTED["doc"]


@pytest.mark.parametrize("tool", ["find_chunks", "query_hybrid"])
def test_passages_of_real_papers_come_ready_to_cite(reader: Agent, tool: str) -> None:
    found = reader.ask(tool, project="sample/library", query="Do street trees cool the night?", top_k=2)
    assert set(found) == {"items", "count"} | ({"hybrid_enabled"} if tool == "query_hybrid" else set())
    assert found["count"] == len(found["items"]) == 2 and found.get("hybrid_enabled", True) is True
    best = found["items"][0]
    assert set(best) - {"url"} == ITEM | ({"full_text"} if tool == "find_chunks" else set())
    assert best["citekey"] == "nakamuraStreetTreesNocturnal2022" and best["doi"] == "10.5555/ucp.2022.17.1045"
    first, last = best["page_span"]
    assert 1 <= first <= last <= 4 and 0 <= best["score"] <= 1 and len(best["render_text"]) <= 1_800


def test_the_access_log_has_what_a_search_with_filters_sent(library: Path, agent: Agent) -> None:
    question = "which entity does nobody else ask for?"
    agent.ask("find_chunks", project="clean-arch", query=question, filters={"tags": ["architecture"]}, top_k=3)
    log = json.loads(done(citeloom(library, "log", "--json")))
    (entry,) = [one for one in log if one["asked"] == question]
    assert (entry["project_id"], len(entry["passages"])) == ("clean-arch", 3)


def test_a_project_in_the_filters_widens_nothing(library: Path, agent: Agent) -> None:
    done(citeloom(library, "project", "add", "empty"))
    for filters in ({"project": "clean-arch"}, {"project_id": "clean-arch"}):
        assert agent.ask("find_chunks", project="empty", query="entities", filters=filters)["items"] == []


def test_projects_are_listed(agent: Agent) -> None:
    (project,) = [one for one in agent.ask("list_projects")["projects"] if one["id"] == "clean-arch"]
    assert project == {
        "id": "clean-arch", "collection": "proj-clean-arch", "embed_model": BUNDLED_DENSE, "hybrid_enabled": True,
    }  # fmt: skip


def test_an_unknown_project_is_named_with_those_there_are(agent: Agent) -> None:
    for tool, more in (
        ("find_chunks", {"query": "x"}),
        ("store_chunks", {"items": chunks(1)}),
        ("inspect_collection", {}),
    ):
        error = agent.refused(tool, project="citeloom/unknown", **more)["error"]
        projects = [one["id"] for one in agent.ask("list_projects")["projects"]]
        assert error == {
            "code": "INVALID_PROJECT",
            "message": f"Project 'citeloom/unknown' not found. Available projects: {projects}",
            "details": {"project_id": "citeloom/unknown", "available_projects": projects},
        }


@pytest.mark.parametrize(
    ("changed", "code"),
    [
        ({"embedding": [0.1] * 10}, "EMBEDDING_MISMATCH"),
        ({"metadata": NESTED | {"embed_model": "other/model"}}, "EMBEDDING_MISMATCH"),
        ({"metadata": NESTED | {"zotero": {"citekey": ["a"]}}}, "INVALID_INPUT"),
        ({"metadata": NESTED | {"doc": {"page_span": [3]}}}, "INVALID_INPUT"),
    ],
    ids=["dimension", "model", "citekey", "pages"],
)
def test_a_chunk_that_does_not_fit_is_refused_with_its_batch(agent: Agent, changed: dict[str, Any], code: str) -> None:
    before = agent.ask("inspect_collection", project="clean-arch")["size"]
    items = [*chunks(2), {**chunks(1)[0], "id": "bad", **changed}]
    assert agent.refused("store_chunks", project="clean-arch", items=items)["error"]["code"] == code
    assert agent.ask("inspect_collection", project="clean-arch")["size"] == before


def test_limits_are_kept(agent: Agent) -> None:
    assert "500" in agent.refused("store_chunks", project="clean-arch", items=chunks(501))["error"]["message"]
    assert agent.refused("inspect_collection", project="clean-arch", sample=6)["error"]["code"] == "INVALID_INPUT"
    found = agent.ask("find_chunks", project="clean-arch", query="entities", top_k=50)
    assert found["count"] <= 20
