"""Failures of CiteLoom itself, in the words of each document: time limits, the index, the model, the disk."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.contract.dialects.conftest import Agent
from tests.faults import fault
from tests.flows.steps import engine_with
from tests.support import citeloom, done, stop_engine

CODES = ("INDEX_UNAVAILABLE", "EMBEDDING_FAILED", "STORAGE_ERROR", "QUERY_FAILED", "INTERNAL_ERROR")


@pytest.fixture(scope="module")
def failing(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A data folder whose engine fails on questions that name a code, and is slow on others."""
    home = tmp_path_factory.mktemp("failing")
    done(citeloom(home, "project", "add", "clean-arch"))
    stop_engine(home)
    (home / "citeloom.toml").write_text("[timeouts]\nquery = 1\nquery_hybrid = 1\n")
    rules = [fault("search.query", "fail", code, value=code) for code in CODES]
    slow = fault("search.query", "sleep", "too slow", value=3)
    inside = fault("notes.added", "fail", "INTERNAL_ERROR", value="INTERNAL_ERROR")
    with engine_with(home, *rules, slow, inside):
        yield home


@pytest.mark.parametrize(("dialect", "question"), [("chunk-retrieval", "query"), ("fastmcp", "text")])
def test_citation_dialects_name_the_code(failing: Path, dialect: str, question: str) -> None:
    with Agent(failing, dialect) as agent:
        for tool in set(agent.tools) & {"find_chunks", "query", "query_hybrid"}:
            for code, text in (("INDEX_UNAVAILABLE", "INDEX_UNAVAILABLE"), ("TIMEOUT", "too slow")):
                answer = agent.refused(tool, project="clean-arch", **{question: text})
                assert answer["error"]["code"] == code and answer["error"]["message"]


def test_vector_db_names_the_code_of_its_document(failing: Path) -> None:
    with Agent(failing, "vector-db") as agent:
        for code in ("EMBEDDING_FAILED", "STORAGE_ERROR", "QUERY_FAILED"):
            answer = agent.refused("search", query=code)
            assert (answer["success"], answer["error_code"]) == (False, code) and answer["error"]
        assert agent.refused("search", query="INDEX_UNAVAILABLE")["error_code"] == "STORAGE_ERROR"
        assert agent.refused("search", query="too slow")["error_code"] == "QUERY_FAILED"


def test_mcpvectordb_says_what_went_wrong(failing: Path) -> None:
    with Agent(failing, "mcpvectordb") as agent:
        for question in (*CODES, "too slow"):
            answer = agent.refused("search", query=question)
            assert set(answer) == {"status", "error"} and answer["status"] == "error" and answer["error"]


def test_rekall_names_a_fault_inside(failing: Path) -> None:
    with Agent(failing, "rekall") as agent:
        answer = agent.refused("rekall_add", type="bug", title="INTERNAL_ERROR of a note")
        assert answer["error"]["code"] == "INTERNAL_ERROR"
        assert agent.ask("rekall_search", query="INTERNAL_ERROR")["total"] == 1, "it was written before"
