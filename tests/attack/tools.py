"""Hostile calls of every tool over stdio: each is answered, with nothing in the answer that should not be there."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from hypothesis import strategies as st

from citeloom.core.errors import Code
from tests.attack.library import SECRET, SEEN, UNSEEN, Library
from tests.attack.rounds import attack
from tests.attack.values import hidden_characters, texts, values
from tests.support import Editor

_MAX_ECHOED = 6_000  # characters of an error: a kilobyte of an argument, and what the message says itself


def run(library: Library, enough: Callable[[int], bool], seed: int) -> int:
    """Call tools until there were enough; gives how many calls were made."""
    with Editor(library.home, "--project", SEEN, "--toolsets", "read,write,notes") as editor:
        engine = library.engine()
        known = _known(editor, library)
        tools = editor.request("tools/list")["result"]["tools"]
        calls = st.one_of([_calls(tool["name"], tool["inputSchema"], known) for tool in tools])

        def check(call: tuple[str, Any]) -> None:
            name, arguments = call
            answer = editor.answer(editor.begin("tools/call", {"name": name, "arguments": arguments}), or_refusal=True)
            _check(answer, arguments, engine[1])

        made = attack(calls, check, enough, seed)
        assert library.engine() == engine, "the engine ended under the calls"
        editor.call("query_hybrid", project=SEEN, text="how often was the moth measured?")
    return made


def _known(editor: Editor, library: Library) -> list[str]:
    """Names that get a call further than a refusal."""
    documents = editor.call("list_documents", project=SEEN)["documents"]
    hits = editor.call("query", project=SEEN, text="measured")["items"]
    return [
        SEEN,
        *(document[key] for document in documents for key in ("doc_id", "citekey")),
        *(hit["chunk_id"] for hit in hits),
        str(library.papers),
        str(library.papers.parent / "outside.md"),
        "The coral was measured 2 times.",
        "apa",
        "ready",
        "agent",
    ]


def _calls(tool: str, schema: dict[str, Any], known: list[str]) -> st.SearchStrategy[tuple[str, Any]]:
    """Calls of a tool: mostly in its project, with some arguments as it wants them and some as it does not."""
    properties = schema.get("properties", {})
    arguments: dict[str, st.SearchStrategy[Any]] = {
        name: st.one_of(_fitting(about, known), values(*known)) for name, about in properties.items()
    }
    if "project" in arguments:
        arguments["project"] = st.one_of(st.just(SEEN), st.just(UNSEEN), values(*known))
    some = st.fixed_dictionaries({}, optional=arguments)
    project = {"project": st.just(SEEN)} if "project" in arguments else {}
    others = {name: value for name, value in arguments.items() if name not in project}
    in_project = st.fixed_dictionaries(project, optional=others)
    odd = st.dictionaries(texts(*properties), values(*known), max_size=3)
    return st.tuples(st.just(tool), st.one_of(some, in_project, in_project, odd))


def _fitting(about: dict[str, Any], known: list[str]) -> st.SearchStrategy[Any]:
    """A value of the kind that an argument wants."""
    kinds = about.get("type", "object")
    kind = kinds[0] if isinstance(kinds, list) else kinds
    if kind == "string":
        return texts(*known)
    if kind == "integer":
        return st.integers(-2, 25)
    if kind == "number":
        return st.floats(allow_nan=False, allow_infinity=False)
    if kind == "boolean":
        return st.booleans()
    if kind == "array":
        return st.lists(_fitting(about.get("items", {}), known), max_size=3)
    fields = {name: st.one_of(_fitting(one, known), values()) for name, one in about.get("properties", {}).items()}
    return st.one_of(st.fixed_dictionaries({}, optional=fields), _filters(known))


def _filters(known: list[str]) -> st.SearchStrategy[Any]:
    names = st.sampled_from(("citekey", "year", "tags", "author", "page", "text_source", "section_prefix", "source"))
    operators = st.sampled_from(("$gte", "$lt", "$ne", "$in", "$contains", "$where"))
    return st.dictionaries(names, values(*known) | st.dictionaries(operators, values(*known), max_size=2), max_size=3)


def _check(answer: dict[str, Any], arguments: Any, token: str) -> None:
    """What must hold of every answer."""
    text = json.dumps(answer, ensure_ascii=False)
    assert token not in text
    assert SECRET not in text or SECRET in json.dumps(arguments), "an agent was shown what it may not read"
    if "result" not in answer:  # a message that is no call is refused as one
        assert answer["error"]["code"] < 0
        return
    result = answer["result"]
    content = result["structuredContent"]
    assert content["correlation_id"]
    assert hidden_characters(answer) == set()
    if result["isError"]:
        error = content["error"]
        assert error["code"] in set(Code) - {Code.INTERNAL_ERROR}, error
        assert error["message"]
        assert len(json.dumps(error, ensure_ascii=False)) <= _MAX_ECHOED
