"""What agents read of the tools: schemas without noise that say what is really taken."""

from __future__ import annotations

from typing import Annotated, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from pydantic import Field

from citeloom.core.errors import CiteLoomError, Code
from citeloom.tools import arguments as a
from citeloom.tools.arguments import Arguments, schema, validate
from citeloom.tools.table import TOOLS

INPUTS = {name: schema(tool.arguments) for name, tool in TOOLS.items()}
MODELS = list({tool.arguments for tool in TOOLS.values()})


def nodes(node: Any) -> list[dict[str, Any]]:
    """Every schema within a schema; the names of properties are not schemas."""
    if isinstance(node, list):
        return [found for one in node for found in nodes(one)]
    if not isinstance(node, dict):
        return []
    inner = [v for k, v in node.items() if k != "properties"] + list(node.get("properties", {}).values())
    return [node, *(found for one in inner for found in nodes(one))]


@pytest.mark.parametrize("name", TOOLS)
def test_a_schema_is_valid_and_without_noise(name: str) -> None:
    made = INPUTS[name]
    Draft202012Validator.check_schema(made)
    Draft202012Validator.check_schema(TOOLS[name].output)
    assert made["type"] == "object"
    for node in nodes(made):
        assert not {"title", "$ref", "$defs", "anyOf"} & set(node)
        assert node.get("default", "") is not None
        assert node.get("type") != "null" and "null" not in as_list(node.get("type"))
    assert "description" not in made


def as_list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def test_a_lean_schema_keeps_what_says_something() -> None:
    class Inner(Arguments):
        """For the reader of the code."""

        title: str
        default: int = 3

    class Outer(Arguments):
        """For the reader of the code."""

        title: Annotated[str, Field(description="of the work")]
        pages: str | int | None = None
        inner: Inner | None = None
        many: list[Inner] = []  # noqa: RUF012 - pydantic copies it

    inner = {
        "type": "object",
        "properties": {"title": {"type": "string"}, "default": {"type": "integer", "default": 3}},
        "required": ["title"],
    }
    assert schema(Outer) == {
        "type": "object",
        "properties": {
            "title": {"type": "string", "description": "of the work"},
            "pages": {"type": ["string", "integer"]},
            "inner": inner,
            "many": {"type": "array", "items": inner, "default": []},
        },
        "required": ["title"],
    }


@pytest.mark.parametrize("name", TOOLS)
def test_every_argument_is_named_in_its_schema(name: str) -> None:
    model = TOOLS[name].arguments
    assert set(INPUTS[name]["properties"]) == set(model.model_fields)
    required = {field for field, info in model.model_fields.items() if info.is_required()}
    assert set(INPUTS[name].get("required", [])) == required


FULL: dict[type[Arguments], dict[str, Any]] = {
    a.NoArguments: {},
    a.Inspect: {"project": "p", "sample": 2},
    a.Query: {
        "project": "p",
        "text": "t",
        "top_k": 3,
        "filters": {"year": {"$gte": 2015}},
        "max_tokens": 100,
        "full_text": True,
        "per_document": 2,
    },
    a.GetPassage: {"project": "p", "chunk_id": "c", "context": 0},
    a.ListDocuments: {"project": "p", "status": "ready", "limit": 5, "offset": 5},
    a.GetDocument: {"project": "p", "doc_id": "d", "citekey": "k", "pages": "3-5"},
    a.VerifyQuote: {"project": "p", "quote": "q", "citekey": "k", "page": "33"},
    a.FormatCitations: {"project": "p", "citekeys": ["[@k, p. 3]"], "style": "apa", "format": "citation"},
    a.CheckCitations: {"project": "p", "text": "[@k]"},
    a.Help: {"topic": "cite"},
    a.Ingest: {"project": "p", "source": "s", "options": {"recursive": False, "metadata": {"year": 2019}}},
    a.StoreChunks: {"project": "p", "items": [{"id": "i", "text": "t", "embedding": [0.5, 1], "metadata": {}}]},
    a.DeleteDocument: {"project": "p", "doc_id": "d"},
}


@pytest.mark.parametrize("model", FULL, ids=lambda model: model.__name__)
def test_what_the_schema_allows_is_taken(model: type[Arguments]) -> None:
    given_arguments = FULL[model]
    Draft202012Validator(schema(model)).validate(given_arguments)
    read_arguments = validate(model, given_arguments)
    assert read_arguments.model_dump(exclude_unset=True) == given_arguments


def test_every_tools_arguments_are_tried() -> None:
    assert set(FULL) == set(MODELS)


@pytest.mark.parametrize(
    ("model", "given_arguments", "named"),
    [
        (a.Query, {"project": "p"}, "text"),
        (a.Query, {"project": "p", "text": 3}, "text"),
        (a.Query, {"project": "p", "text": "t", "top_k": "many"}, "top_k"),
        (a.Query, {"project": "p", "text": "t", "filters": "year"}, "filters"),
        (a.Query, {"project": "p", "text": "t", "limit": 3}, "limit"),
        (
            a.StoreChunks,
            {"project": "p", "items": [{"id": "i", "text": "t", "embedding": ["x"]}]},
            "items.0.embedding.0",
        ),
        (a.NoArguments, {"project": "p"}, "project"),
    ],
)
def test_a_refusal_names_the_argument_and_the_ones_there_are(
    model: type[Arguments], given_arguments: dict[str, Any], named: str
) -> None:
    with pytest.raises(CiteLoomError) as caught:
        validate(model, given_arguments)
    assert caught.value.code == Code.INVALID_INPUT
    assert f"{named}:" in caught.value.message
    assert caught.value.details["valid"] == list(model.model_fields)
    assert "pydantic" not in str(caught.value)


@pytest.mark.parametrize(
    ("model", "given_arguments", "named", "inner", "listed"),
    [
        (
            a.Ingest,
            {"project": "p", "source": "s", "options": {"ocr": True}},
            "options.ocr",
            a.IngestOptions,
            "options can",
        ),
        (
            a.StoreChunks,
            {"project": "p", "items": [{"id": "i", "text": "t"}]},
            "items.0.embedding",
            a.ChunkItem,
            "items can",
        ),
    ],
)
def test_a_refusal_inside_an_argument_names_what_there_is_inside(
    model: type[Arguments], given_arguments: dict[str, Any], named: str, inner: type[Arguments], listed: str
) -> None:
    with pytest.raises(CiteLoomError) as caught:
        validate(model, given_arguments)
    assert f"{named}:" in caught.value.message and listed in str(caught.value)
    assert caught.value.details["valid"] == list(inner.model_fields)


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)


@settings(max_examples=200)
@given(st.sampled_from(MODELS), st.data())
def test_any_arguments_are_taken_or_refused_as_invalid_input(model: type[Arguments], data: st.DataObject) -> None:
    names = st.sampled_from([*model.model_fields, "other"])
    try:
        validate(model, data.draw(st.dictionaries(names, values, max_size=5)))
    except CiteLoomError as error:
        assert error.code == Code.INVALID_INPUT
        assert len(str(error)) < 1000
