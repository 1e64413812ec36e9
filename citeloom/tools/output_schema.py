"""JSON schemas of what the tools return, made from their result dataclasses: lean, and every field always there."""

from __future__ import annotations

import dataclasses
import types
from typing import Any, Union, get_args, get_origin, get_type_hints

Schema = dict[str, Any]

_PLAIN: dict[Any, str] = {str: "string", int: "integer", float: "number", bool: "boolean"}


def output_schema(result: type) -> Schema:
    """Return the schema of a tool's structured content; every answer carries its correlation id."""
    schema = _schema(result)
    schema["properties"]["correlation_id"] = {"type": "string"}
    schema["required"].append("correlation_id")
    return schema


def _schema(kind: Any) -> Schema:
    origin, inner = get_origin(kind), get_args(kind)
    if origin in (Union, types.UnionType):  # a value or None
        (value,) = (one for one in inner if one is not type(None))
        schema = _schema(value)
        return {**schema, "type": [schema["type"], "null"]}
    if origin in (list, tuple):
        return {"type": "array", "items": _schema(inner[0])}
    if dataclasses.is_dataclass(kind):
        hints = get_type_hints(kind)
        fields = {field.name: _schema(hints[field.name]) for field in dataclasses.fields(kind)}
        return {"type": "object", "properties": fields, "required": list(fields)}
    if isinstance(kind, type) and issubclass(kind, str):  # an enumeration of words, too
        return {"type": "string"}
    return {"type": _PLAIN.get(kind, "object")}
