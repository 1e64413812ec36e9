"""What the read tools refuse, and that a refusal says what to do instead."""

from __future__ import annotations

from typing import Any

import pytest

from tests.contract.sample_library import HARTMANN, PROJECT
from tests.contract.strict_editor import StrictEditor

ARGUMENTS: dict[str, dict[str, Any]] = {
    "inspect_collection": {},
    "query": {"text": "reefs"},
    "query_hybrid": {"text": "reefs"},
    "get_passage": {"chunk_id": "x"},
    "list_documents": {},
    "get_document": {"citekey": HARTMANN},
}


@pytest.mark.parametrize("tool", ARGUMENTS)
@pytest.mark.parametrize("project", ["sample/libary", "", "../sample/library", "sample/library\x00"])
def test_an_unknown_project_is_refused_with_the_choices(reader: StrictEditor, tool: str, project: str) -> None:
    error = reader.fail(tool, project=project, **ARGUMENTS[tool])
    assert (error["code"], error["details"]["choices"]) == ("INVALID_PROJECT", [PROJECT])
    assert PROJECT in error["message"]


@pytest.mark.parametrize("tool", ARGUMENTS)
def test_a_call_without_its_project_is_refused(reader: StrictEditor, tool: str) -> None:
    error = reader.fail(tool, **ARGUMENTS[tool])
    assert error["code"] == "INVALID_INPUT"
    assert "project: field required" in error["message"]


@pytest.mark.parametrize("tool", [*ARGUMENTS, "list_projects", "help"])
def test_an_unknown_argument_is_refused_and_the_known_ones_are_named(reader: StrictEditor, tool: str) -> None:
    known = list(reader.tools[tool]["inputSchema"].get("properties", {}))
    given = {"project": PROJECT, **ARGUMENTS[tool]} if tool in ARGUMENTS else {}
    error = reader.fail(tool, **given, reranker="on")
    assert (error["code"], error["details"]["valid"]) == ("INVALID_INPUT", known)
    assert "reranker" in error["message"]


@pytest.mark.parametrize(
    ("tool", "arguments", "named"),
    [
        *(
            (tool, arguments, named)
            for tool in ("query", "query_hybrid")
            for arguments, named in (
                ({}, "text"),
                ({"text": ""}, "empty"),
                ({"text": " \n\t "}, "empty"),
                ({"text": "a" * 100_000}, "100,000"),
                ({"text": 5}, "text"),
                ({"text": ["reefs"]}, "text"),
                ({"text": "reefs", "top_k": 0}, "top_k"),
                ({"text": "reefs", "top_k": -1}, "top_k"),
                ({"text": "reefs", "top_k": "many"}, "top_k"),
                ({"text": "reefs", "top_k": 2.5}, "top_k"),
                ({"text": "reefs", "max_tokens": 0}, "max_tokens"),
                ({"text": "reefs", "max_tokens": -5}, "max_tokens"),
                ({"text": "reefs", "full_text": "please"}, "full_text"),
            )
        ),
        ("inspect_collection", {"sample": 6}, "sample"),
        ("inspect_collection", {"sample": -1}, "sample"),
        ("get_passage", {}, "chunk_id"),
        ("get_passage", {"chunk_id": "x", "context": 11}, "context"),
        ("get_passage", {"chunk_id": "x", "context": -1}, "context"),
        ("list_documents", {"limit": 0}, "limit"),
        ("list_documents", {"limit": 1001}, "limit"),
        ("list_documents", {"offset": -1}, "offset"),
        ("get_document", {}, "doc_id or citekey"),
        ("get_document", {"doc_id": "x", "citekey": HARTMANN}, "doc_id or citekey"),
    ],
    ids=lambda value: str(value)[:40],
)
def test_a_bad_argument_is_refused_by_name(
    reader: StrictEditor, tool: str, arguments: dict[str, Any], named: str
) -> None:
    error = reader.fail(tool, project=PROJECT, **arguments)
    assert error["code"] == "INVALID_INPUT"
    assert named in error["message"]
    assert len(error["message"]) < 600


def test_a_tool_that_does_not_exist_is_refused_with_those_that_do(reader: StrictEditor) -> None:
    error = reader.fail("summarise", project=PROJECT)
    assert error["code"] == "INVALID_INPUT"
    assert all(tool in error["message"] for tool in reader.tools)


@pytest.mark.parametrize(
    "message",
    [
        {"jsonrpc": "2.0", "id": "list-as-params", "method": "tools/call", "params": [1]},
        {"jsonrpc": "2.0", "id": "number-as-method", "method": 5},
        {"id": "no-version", "method": "tools/list"},
        {"jsonrpc": "2.0", "id": "no-such-method", "method": "no/such"},
    ],
    ids=lambda message: message["id"],
)
def test_a_malformed_request_gets_an_error_and_not_silence(
    reader: StrictEditor, monkeypatch: pytest.MonkeyPatch, message: dict[str, Any]
) -> None:
    monkeypatch.setattr("tests.support.WAIT", 5)
    reader.send(message)
    assert reader.answer(message["id"])["error"]["code"] in (-32600, -32601, -32602)
