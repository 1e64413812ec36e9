"""Calls by older names mean today's tools."""

from __future__ import annotations

from typing import Any

import pytest

from citeloom.core.errors import CiteLoomError, Code
from citeloom.tools.arguments import validate
from citeloom.tools.older_names import resolve
from citeloom.tools.table import TOOLS


def only() -> str:
    return "only"


def none() -> str:
    raise CiteLoomError(Code.INVALID_PROJECT, "Which project?")


@pytest.mark.parametrize(
    ("name", "given", "tool", "meant"),
    [
        ("find_chunks", {"query": "salt", "n_results": 3}, "query", {"text": "salt", "top_k": 3, "project": "only"}),
        ("search", {"query": "salt", "library": "b"}, "query_hybrid", {"text": "salt", "project": "b"}),
        ("search", {"text": "salt", "project_id": "b"}, "query_hybrid", {"text": "salt", "project": "b"}),
        (
            "search_with_filters",
            {"query": "salt", "filter": {"source_file": "a.pdf", "page_number": 3, "file_format": "pdf", "year": 2019}},
            "query_hybrid",
            {
                "text": "salt",
                "filters": {"source": "a.pdf", "page": 3, "file_type": "pdf", "year": 2019},
                "project": "only",
            },
        ),
        ("search_with_budget", {"query": "s"}, "query_hybrid", {"text": "s", "max_tokens": 3000, "project": "only"}),
        (
            "search_with_budget",
            {"query": "s", "max_tokens": 500},
            "query_hybrid",
            {"text": "s", "max_tokens": 500, "project": "only"},
        ),
        ("index_file", {"file_path": "/a.pdf"}, "ingest_from_source", {"source": "/a.pdf", "project": "only"}),
        (
            "index_directory",
            {"dir_path": "/p", "recursive": False, "library": "b"},
            "ingest_from_source",
            {"source": "/p", "options": {"recursive": False}, "project": "b"},
        ),
        (
            "ingest_file",
            {"path": "/a.pdf", "metadata": {"year": 2019}},
            "ingest_from_source",
            {"source": "/a.pdf", "options": {"metadata": {"year": 2019}}, "project": "only"},
        ),
        ("ingest_url", {"url": "https://x.org"}, "ingest_from_source", {"source": "https://x.org", "project": "only"}),
        ("list_libraries", {"anything": 1}, "list_projects", {}),
    ],
)
def test_an_older_call_is_todays_call(name: str, given: dict[str, Any], tool: str, meant: dict[str, Any]) -> None:
    before = dict(given)
    assert resolve(name, given, only) == (tool, meant)
    assert given == before
    validate(TOOLS[tool].arguments, meant)  # it can be carried out


def test_values_left_empty_are_as_good_as_left_out() -> None:
    assert resolve("search", {"query": "s", "filter": None, "n_results": None, "library": None}, only)[1] == {
        "text": "s",
        "project": "only",
    }


@pytest.mark.parametrize("name", ["query", "query_hybrid"])
def test_todays_search_takes_the_question_by_its_older_name(name: str) -> None:
    assert resolve(name, {"query": "s", "project": "p"}, none) == (name, {"text": "s", "project": "p"})
    both = {"query": "s", "text": "t", "project": "p"}
    assert resolve(name, both, none) == (name, both)


@pytest.mark.parametrize("name", [*TOOLS, "no_such_tool"])
def test_todays_calls_are_left_as_they_are(name: str) -> None:
    given = {"project": "p", "library": "b", "n_results": 3}
    assert resolve(name, given, none) == (name, given)


def test_no_older_name_hides_a_tool_of_today() -> None:
    from citeloom.tools import older_names

    assert not set(older_names._TOOLS) & set(TOOLS)
    assert {tool for tool, _ in older_names._TOOLS.values()} <= set(TOOLS)


def test_without_a_project_the_session_decides() -> None:
    with pytest.raises(CiteLoomError, match="Which project"):
        resolve("search", {"query": "s"}, none)
