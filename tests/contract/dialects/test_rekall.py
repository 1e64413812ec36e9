"""Conformance with seed 003: the knowledge base of `rekall`, from the examples of its document."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from tests.contract.dialects.conftest import Agent

CORS = {
    "type": "bug",
    "title": "Fix CORS Safari header",
    "content": "Safari does not support certain CORS headers, so that requests of the browser fail.",
    "tags": ["cors", "safari", "ios"],
}
TIMEOUT = {
    "type": "bug",
    "title": "Fix timeout authentication API",
    "content": "Le timeout par défaut de 30s est insuffisant pour l'API d'auth...",
    "tags": ["timeout", "auth", "api"],
    "context": "L'utilisateur signale des erreurs de connexion intermittentes...",
    "project": "myapp",
    "confidence": 4,
}


@pytest.fixture(scope="module")
def agent(library: Path) -> Iterator[Agent]:
    with Agent(library, "rekall") as one:
        yield one


def test_the_tools_and_their_parameters_are_those_of_the_document(agent: Agent) -> None:
    assert list(agent.tools) == [
        "rekall_help",
        "rekall_search",
        "rekall_add",
        "rekall_show",
        "rekall_suggest_links",
        "rekall_suggest_generalize",
        "rekall_link",
        "rekall_accept_suggestion",
        "rekall_reject_suggestion",
    ]
    types = ["bug", "pattern", "decision", "pitfall", "config", "reference"]
    text = {"type": "string", "required": False}
    assert agent.parameters("rekall_search") == {
        "query": {"type": "string", "required": True},
        "context": text,
        "limit": {"type": "integer", "default": 5, "minimum": 1, "maximum": 20, "required": False},
        "type": {"type": "string", "enum": types, "required": False},
        "project": text,
    }
    assert agent.parameters("rekall_add") == {
        "type": {"type": "string", "enum": types, "required": True},
        "title": {"type": "string", "maxLength": 100, "required": True},
        "content": text,
        "tags": {"type": "array", "required": False},
        "context": text,
        "project": text,
        "confidence": {"type": "integer", "minimum": 0, "maximum": 5, "default": 3, "required": False},
        "memory_type": {"type": "string", "enum": ["episodic", "semantic"], "default": "episodic", "required": False},
    }
    relations = ["related", "supersedes", "derived_from", "contradicts"]
    assert agent.parameters("rekall_link")["relation_type"] == {
        "type": "string",
        "enum": relations,
        "default": "related",
        "required": False,
    }
    limit = {"limit": {"type": "integer", "default": 10, "minimum": 1, "maximum": 50, "required": False}}
    assert agent.parameters("rekall_suggest_links") == agent.parameters("rekall_suggest_generalize") == limit
    topics = ["search", "capture", "links", "citations", "all"]
    assert agent.parameters("rekall_help")["topic"]["enum"] == topics


def test_the_guide_is_given_whole_or_by_topic(agent: Agent) -> None:
    whole = agent.ask("rekall_help")
    assert set(whole) == {"guide", "topics_available"}
    assert whole["topics_available"] == ["search", "capture", "links", "citations", "all"]
    assert all(tool in whole["guide"] for tool in ("rekall_search", "rekall_show", "rekall_add", "rekall_link"))
    assert len(whole["guide"]) < 2_500, "about 400 tokens"
    part = agent.ask("rekall_help", topic="capture")["guide"]
    assert part in whole["guide"] and "rekall_add" in part


def test_an_entry_is_added_found_and_shown_as_in_the_examples(agent: Agent) -> None:
    agent.ask("rekall_add", **CORS)
    added = agent.ask("rekall_add", **TIMEOUT)
    assert set(added) == {
        "id", "title", "type", "created", "embeddings_calculated", "similar_entries", "suggestions_created",
    }  # fmt: skip
    assert (added["title"], added["type"], added["created"], added["embeddings_calculated"]) == (
        TIMEOUT["title"], "bug", True, True,
    )  # fmt: skip

    found = agent.ask("rekall_search", query="erreur navigateur Apple", context="Bug CORS sur Safari iOS", limit=3)
    assert set(found) == {"query", "total", "results", "hint"}
    assert (found["query"], found["total"]) == ("erreur navigateur Apple", len(found["results"]))
    assert found["hint"] == "Use rekall_show(id) for full content and links"
    best = found["results"][0]
    assert set(best) == {"id", "type", "title", "score", "snippet", "tags"}
    assert (best["title"], best["tags"]) == (CORS["title"], CORS["tags"])
    assert 0 <= best["score"] <= 1 and len(best["snippet"]) <= 110

    shown = agent.ask("rekall_show", id=added["id"][:24])
    assert set(shown) == {
        "id", "type", "title", "content", "tags", "project", "confidence", "status", "memory_type", "created_at",
        "updated_at", "last_accessed", "access_count", "consolidation_score", "embeddings", "links",
    }  # fmt: skip
    given = {name: TIMEOUT[name] for name in ("type", "title", "content", "tags", "project", "confidence")}
    assert {name: shown[name] for name in given} == given
    assert (shown["memory_type"], shown["access_count"]) == ("episodic", 1)
    assert shown["embeddings"] == {"summary": True, "context": True}
    assert shown["links"] == {"outgoing": [], "incoming": []}
    for name in ("created_at", "updated_at", "last_accessed"):
        datetime.fromisoformat(shown[name])


def test_a_search_keeps_to_type_project_and_limit(agent: Agent) -> None:
    agent.ask("rekall_add", type="pattern", title="Cross-origin requests best practices")
    of_type = agent.ask("rekall_search", query="requests", type="pattern")["results"]
    assert {one["type"] for one in of_type} == {"pattern"}
    of_project = agent.ask("rekall_search", query="timeout", project="myapp")["results"]
    assert [one["title"] for one in of_project] == [TIMEOUT["title"]]
    assert len(agent.ask("rekall_search", query="timeout", limit=1)["results"]) == 1


def test_entries_are_linked_and_seen_from_both_sides(agent: Agent) -> None:
    one, other = (agent.ask("rekall_add", type="decision", title=f"Decision {n}")["id"] for n in (1, 2))
    linked = agent.ask("rekall_link", source_id=one, target_id=other, relation_type="supersedes")
    assert set(linked) == {"created", "link_id", "source", "target", "relation_type"}
    assert (linked["source"], linked["target"]["title"]) == ({"id": one, "title": "Decision 1"}, "Decision 2")
    outgoing = agent.ask("rekall_show", id=one)["links"]["outgoing"]
    assert outgoing == [{"target_id": other, "target_title": "Decision 2", "relation_type": "supersedes"}]
    incoming = agent.ask("rekall_show", id=other)["links"]["incoming"]
    assert incoming == [{"source_id": one, "source_title": "Decision 1", "relation_type": "supersedes"}]


def test_suggestions_are_listed_accepted_and_rejected_for_good(agent: Agent) -> None:
    texts = [f"Timeouts of the {name} service come from its connection pool" for name in ("login", "signup", "auth")]
    ids = [agent.ask("rekall_add", type="pitfall", title=text)["id"] for text in texts]
    listed = agent.ask("rekall_suggest_links", limit=50)
    assert set(listed) == {"suggestions", "total_pending"} and listed["total_pending"] >= 3
    own = [one for one in listed["suggestions"] if {one["entry_a"]["id"], one["entry_b"]["id"]} <= set(ids)]
    assert all(set(one) == {"id", "entry_a", "entry_b", "score", "reason", "created_at"} for one in own)
    accepted = agent.ask("rekall_accept_suggestion", suggestion_id=own[0]["id"])
    assert set(accepted) == {"accepted", "suggestion_type", "action_taken", "link_created", "generalize_command"}
    assert set(accepted["link_created"]) == {"source_id", "target_id"} and accepted["generalize_command"] is None
    rejected = agent.ask("rekall_reject_suggestion", suggestion_id=own[1]["id"])
    assert rejected == {"rejected": True, "suggestion_id": own[1]["id"]}
    left = [one["id"] for one in agent.ask("rekall_suggest_links", limit=50)["suggestions"]]
    assert not {own[0]["id"], own[1]["id"]} & set(left)

    general = agent.ask("rekall_suggest_generalize")
    (cluster,) = [one for one in general["suggestions"] if {entry["id"] for entry in one["entries"]} == set(ids)]
    assert set(cluster) == {"id", "entries", "score", "reason", "created_at"}
    prepared = agent.ask("rekall_accept_suggestion", suggestion_id=cluster["id"])
    assert prepared["link_created"] is None and all(id in prepared["generalize_command"] for id in ids)


@pytest.mark.parametrize(
    ("tool", "given", "code"),
    [
        ("rekall_show", {"id": "01HX123"}, "ENTRY_NOT_FOUND"),
        ("rekall_show", {"id": "01HX"}, "ENTRY_NOT_FOUND"),
        ("rekall_add", {"type": "poem", "title": "x"}, "INVALID_ENTRY_TYPE"),
        ("rekall_search", {"query": "x", "type": "claim"}, "INVALID_ENTRY_TYPE"),
        ("rekall_accept_suggestion", {"suggestion_id": "x"}, "SUGGESTION_NOT_FOUND"),
        ("rekall_reject_suggestion", {"suggestion_id": "x"}, "SUGGESTION_NOT_FOUND"),
        ("rekall_add", {"type": "bug", "title": "x" * 101}, "INVALID_INPUT"),
        ("rekall_search", {"query": "x", "limit": 21}, "INVALID_INPUT"),
        ("rekall_help", {"topic": "weather"}, "INVALID_INPUT"),
    ],
)
def test_errors_have_the_codes_and_the_shape_of_the_document(
    agent: Agent, tool: str, given: dict[str, Any], code: str
) -> None:
    answer = agent.refused(tool, **given)
    assert set(answer) == {"error"} and set(answer["error"]) == {"code", "message", "details"}
    assert answer["error"]["code"] == code


def test_errors_of_links(agent: Agent) -> None:
    one, other = (agent.ask("rekall_add", type="config", title=f"Config {n}")["id"] for n in (1, 2))
    agent.ask("rekall_link", source_id=one, target_id=other)
    for given, code in (
        ({"source_id": one, "target_id": other}, "LINK_ALREADY_EXISTS"),
        ({"source_id": one, "target_id": one}, "SELF_LINK_ERROR"),
        ({"source_id": one, "target_id": other, "relation_type": "supports"}, "INVALID_RELATION_TYPE"),
        ({"source_id": one, "target_id": "01ZZZZZ"}, "ENTRY_NOT_FOUND"),
    ):
        assert agent.refused("rekall_link", **given)["error"]["code"] == code
