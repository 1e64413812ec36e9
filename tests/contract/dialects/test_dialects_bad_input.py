"""Every argument of every tool of every dialect may be wrong, and is answered in that document's own shape."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.contract.dialects.conftest import Agent

GOOD: dict[str, Any] = {
    "project": "clean-arch",
    **dict.fromkeys(("query", "text", "doc_id", "suggestion_id"), "x"),
    **dict.fromkeys(("source", "file_path", "path"), "config.md"),
    **dict.fromkeys(("id", "source_id"), "01ZZZZ"),
    "target_id": "01ZZZY",
    "dir_path": ".",
    "url": "https://example.org/",
    "items": [],
    "type": "bug",
    "title": "Bad input",
}
BAD = [None, 7, 2.5, True, "", "\x00", "../../etc/passwd", "x" * 200_000, ["x"], {"a": 1}, {"$gte": {"$gte": 1}}, [[]]]
FILTERS: list[dict[str, Any]] = [
    {"project_id": "other"},
    {"project": "other"},
    {"x' OR 1=1 --": "y"},
    {"title": {"$where": "1"}},
    {"title": {"$contains": {"$ne": ""}}},
    {"": ""},
    {"doc_id": None},
    {"page": 10**400},
    {"tags": []},
]
SHAPES = {
    "chunk-retrieval": {"error"},
    "fastmcp": {"error", "correlation_id"},
    "vector-db": {"success", "error", "error_code", "details"},
    "rekall": {"error"},
    "mcpvectordb": {"status", "error"},
}


@pytest.fixture(scope="module", params=SHAPES)
def agent(request: pytest.FixtureRequest, library: Path) -> Iterator[Agent]:
    with Agent(library, request.param) as one:
        one.shape = SHAPES[request.param]  # type: ignore[attr-defined]
        yield one


def check(agent: Agent, tool: str, given: dict[str, Any]) -> bool:
    """Tell whether a call was refused; if so, the answer must be in the shape of the document and say why."""
    answer, failed = agent.any(tool, **given)
    if failed:
        assert set(answer) == agent.shape, (tool, given)  # type: ignore[attr-defined]
        said = answer["error"]
        code = said["code"] if isinstance(said, dict) else answer.get("error_code", "")
        message = said["message"] if isinstance(said, dict) else said
        assert code != "INTERNAL_ERROR" and 0 < len(message) < 1_200, (tool, given, answer)
    return failed


def test_wrong_missing_and_unknown_arguments_are_refused_with_a_reason(agent: Agent) -> None:
    for tool, about in agent.tools.items():
        names = about["inputSchema"]["properties"]
        good = {name: GOOD[name] for name in names if name in GOOD}
        assert check(agent, tool, {**good, "unknown": 1}), tool
        for name in about["inputSchema"].get("required", []):
            assert check(agent, tool, {key: value for key, value in good.items() if key != name}), (tool, name)
        for name in names:
            for value in BAD:
                check(agent, tool, {**good, name: value})


def test_filters_are_data_and_open_nothing(agent: Agent) -> None:
    for tool, about in agent.tools.items():
        for name in {"filter", "filters"} & set(about["inputSchema"]["properties"]):
            good = {key: GOOD[key] for key in about["inputSchema"]["properties"] if key in GOOD}
            for filters in FILTERS:
                # Of its own project a session of these dialects is told nothing by a filter: it is ignored.
                ignored = agent.shape <= {"error", "correlation_id"} and set(filters) <= {"project", "project_id"}
                if not check(agent, tool, {**good, name: filters}) and not ignored:
                    answer, _ = agent.any(tool, **{**good, name: filters})
                    found = answer.get("items") or answer.get("results") or (answer.get("data") or {}).get("results")
                    assert not found, (tool, filters)
