"""JSON as it can be stored and counted with."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from citeloom.core.errors import CiteLoomError, Code

MAX_INTEGER = 2**53 - 1  # beyond it not every program reads the same number, and neither SQLite nor an index takes it
YEARS = (-9999, 9999)


def replace_lone_surrogates(value: Any) -> Any:
    """The same with a mark for each half of a character: JSON may hold one, and neither SQLite nor UTF-8 can."""
    if isinstance(value, str):
        return value if value.isascii() else value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if isinstance(value, Mapping):
        return {replace_lone_surrogates(k): replace_lone_surrogates(v) for k, v in value.items()}
    if isinstance(value, list):
        return [replace_lone_surrogates(v) for v in value]
    return value


def is_integer_within(value: Any, least: int, most: int) -> bool:
    """Whether a value is a whole number within these bounds."""
    return isinstance(value, int) and not isinstance(value, bool) and least <= value <= most


def refuse_large_integers(arguments: Any) -> None:
    """Refuse arguments with a whole number, however deep, that nothing can count with."""
    path = _path_to_large(arguments)
    if path is not None:
        raise CiteLoomError(
            Code.INVALID_INPUT,
            f"{'.'.join(path)} is too large a number.",
            f"Numbers may lie between -{MAX_INTEGER} and {MAX_INTEGER}.",
        )


def _path_to_large(value: Any) -> list[str] | None:
    if isinstance(value, int):
        return None if abs(value) <= MAX_INTEGER else []
    parts: Iterable[tuple[Any, Any]] = ()
    if isinstance(value, Mapping):
        parts = value.items()
    elif isinstance(value, list):
        parts = enumerate(value)
    for key, one in parts:
        if not isinstance(one, float | str) and (path := _path_to_large(one)) is not None:
            return [str(key), *path]
    return None
