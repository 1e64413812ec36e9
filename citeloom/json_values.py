"""JSON as it can be stored."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def in_whole_characters(value: Any) -> Any:
    """The same with a mark for each half of a character: JSON may hold one, and neither SQLite nor UTF-8 can."""
    if isinstance(value, str):
        return value if value.isascii() else value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if isinstance(value, Mapping):
        return {in_whole_characters(k): in_whole_characters(v) for k, v in value.items()}
    if isinstance(value, list):
        return [in_whole_characters(v) for v in value]
    return value
