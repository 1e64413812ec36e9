"""A dialect: the tools and the error shape of a document that agents were set up for; CiteLoom's own is the first."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module

from citeloom.core.errors import CiteLoomError, Code
from citeloom.tools.guide import INSTRUCTIONS
from citeloom.tools.tool import Json, Tool

# By the name of `citeloom mcp --dialect`: each module has a DIALECT.
_MODULES = {
    "chunk-retrieval": "chunk_retrieval",
    "fastmcp": "fastmcp",
    "vector-db": "vector_db",
    "rekall": "rekall",
    "mcpvectordb": "mcpvectordb",
}


def _failure(error: CiteLoomError) -> Json:
    return {"error": error.as_dict()}


@dataclass(frozen=True, slots=True)
class Dialect:
    """The tools of a document, and how it words what is not a plain result."""

    name: str
    tools: Mapping[str, Tool]
    instructions: str = INSTRUCTIONS
    failure: Callable[[CiteLoomError], Json] = _failure
    in_answer: bool = False  # whether answers have the correlation id as a field; else it is in their `_meta`


def dialect(name: str) -> Dialect:
    """Return a dialect by its name; "" is CiteLoom's own contract."""
    if not name:
        from citeloom.tools.notes import TOOLS as NOTE_TOOLS
        from citeloom.tools.table import TOOLS

        return Dialect("", {**TOOLS, **NOTE_TOOLS}, in_answer=True)
    if name not in _MODULES:
        raise CiteLoomError(
            Code.INVALID_INPUT, f"There is no dialect '{name[:40]}'.", f"Dialects: {', '.join(_MODULES)}."
        )
    found: Dialect = import_module(f"citeloom.tools.dialects.{_MODULES[name]}").DIALECT
    return found
