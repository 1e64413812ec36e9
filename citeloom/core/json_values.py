"""Checks and repairs of JSON values that SQLite, the index or UTF-8 cannot represent."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from citeloom.core.errors import CiteLoomError, Code
from citeloom.core.text.sanitize import map_texts

MAX_INTEGER = 2**53 - 1  # larger integers lose precision in JSON readers, and neither SQLite nor the index stores them
YEARS = (-9999, 9999)


def replace_lone_surrogates(value: Any) -> Any:
    """Return the value with lone surrogates replaced: JSON may contain them, SQLite and UTF-8 cannot."""
    return map_texts(lambda text: text.encode("utf-16", "surrogatepass").decode("utf-16", "replace"), value)


def is_integer_within(value: Any, least: int, most: int) -> bool:
    """Return whether a value is an integer from `least` to `most`."""
    return isinstance(value, int) and not isinstance(value, bool) and least <= value <= most


def refuse_large_integers(arguments: Any) -> None:
    """Raise INVALID_INPUT for arguments that contain an integer beyond MAX_INTEGER at any depth."""
    if (path := _path_to_large(arguments)) is not None:
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
    for key, part in parts:
        if not isinstance(part, float | str) and (path := _path_to_large(part)) is not None:
            return [str(key), *path]
    return None
