"""Checks of the metadata that an agent gives: texts and lists of the record, and custom key-values beside it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from citeloom.core.errors import CiteLoomError, Code
from citeloom.core.json_values import MAX_INTEGER
from citeloom.core.text.sanitize import one_line

MAX_KEYS = 50  # of a passage or a document
_MAX_KEY = 60  # characters
_MAX_TEXT = 2_000  # characters
_MAX_LIST = 100


def text_value(value: Any, field: str) -> str:
    """Return a text; a number is written as one. Raises INVALID_INPUT that names the field."""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise invalid_field(field, f"is {_kind(value)}", "It must be a text.")
    return str(value)


def text_list(value: Any, field: str) -> list[str]:
    """Return a list of texts, also for one text. Raises INVALID_INPUT that names the field."""
    values = value if isinstance(value, list | tuple) else [value]
    for one in values:
        if isinstance(one, bool) or not isinstance(one, str | int | float):
            raise invalid_field(field, f"has {_kind(one)} in it", "It must be a text or a list of texts.")
    return [str(one) for one in values]


def custom_metadata(given: Mapping[str, Any], field: str) -> dict[str, Any]:
    """Return custom metadata without nulls. Raises INVALID_INPUT that names what cannot be kept."""
    kept = {key: value for key, value in given.items() if value is not None}
    if len(kept) > MAX_KEYS:
        raise invalid_field(field, f"has {len(kept)} keys of its own", f"It may have up to {MAX_KEYS}.")
    for key, value in kept.items():
        name = f"{field}.{key[:_MAX_KEY]}"
        # The index writes a key in quotation marks.
        if not 1 <= len(key) <= _MAX_KEY or '"' in key or one_line(key) != key:
            raise invalid_field(
                name, "is no possible key", f"A key has 1 to {_MAX_KEY} characters, and no quotation mark."
            )
        if isinstance(value, list):
            if len(value) > _MAX_LIST:
                raise invalid_field(name, f"has {len(value)} values", f"A list may have up to {_MAX_LIST}.")
            for one in value:
                _check_value(one, name)
        else:
            _check_value(value, name)
    return kept


def _check_value(value: Any, field: str) -> None:
    if isinstance(value, str):
        if len(value) > _MAX_TEXT:
            raise invalid_field(field, f"has {len(value)} characters", f"A text may have up to {_MAX_TEXT:,}.")
    elif not isinstance(value, int | float):
        raise invalid_field(field, f"is {_kind(value)}", "It can be a text, a number, true, false, or a list of those.")
    elif not abs(value) <= MAX_INTEGER:  # infinite and nan neither
        raise invalid_field(field, "is too large a number", f"Numbers lie between -{MAX_INTEGER} and {MAX_INTEGER}.")


def invalid_field(field: str, problem: str, next_step: str) -> CiteLoomError:
    """Return the error for a field of metadata."""
    return CiteLoomError(Code.INVALID_INPUT, f"{field} {problem}.", f"{next_step} Nothing was written.")


def _kind(value: Any) -> str:
    names = {dict: "an object", list: "a list", bool: "true or false", type(None): "null"}
    return names.get(type(value), f"{str(value)[:40]!r}")
