"""Reads what an agent says of the file that it imports, before the request is stored."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from citeloom.bibliography.author_names import author_names
from citeloom.core.errors import CiteLoomError, Code

_TEXTS = ("title", "doi", "url", "item_type", "language")
_LISTS = ("tags", "collections")


def read_metadata(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return metadata with each field of a record in one form, without nulls; raise INVALID_INPUT that names a field.

    Other keys stay as they are.
    """
    metadata = {key: value for key, value in given.items() if value is not None}
    if "authors" in metadata:
        names = author_names(metadata["authors"])
        if names is None:
            raise _invalid(
                "authors",
                metadata["authors"],
                'Give a list of names, each {"family": "Smith", "given": "Jo"}, "Smith, Jo" or "Jo Smith";'
                ' an organization is {"literal": "World Health Organization"}.',
            )
        metadata["authors"] = names
    if "citekey" in metadata and not isinstance(metadata["citekey"], str):
        raise _invalid("citekey", metadata["citekey"], "Give the citekey as a text.")
    if isinstance(metadata.get("year"), str):
        metadata["year"] = metadata["year"].strip()
    for key in _TEXTS:
        if key in metadata:
            metadata[key] = _text(key, metadata[key], "Give it as a text.")
    for key in _LISTS:
        if key in metadata:
            values = metadata[key] if isinstance(metadata[key], list) else [metadata[key]]
            metadata[key] = [_text(key, value, "Give a text or a list of texts.") for value in values]
    return metadata


def _text(key: str, value: Any, next_step: str) -> str:
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise _invalid(key, value, next_step)
    return str(value)


def _invalid(key: str, value: Any, next_step: str) -> CiteLoomError:
    return CiteLoomError(Code.INVALID_INPUT, f"metadata.{key} is {str(value)[:80]!r}.", next_step)
