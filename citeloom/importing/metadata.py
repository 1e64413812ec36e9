"""Checks what an agent says of the file that it imports, before the request is stored. Used by the import service."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from citeloom.bibliography.author_names import checked_author_names
from citeloom.core.metadata import custom_metadata, invalid_field, text_list, text_value
from citeloom.core.types import Record
from citeloom.importing.stages.match import LISTS, split_metadata, with_metadata


def read_metadata(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return metadata with each field of a record in one form, without nulls; other keys are custom.

    Raises INVALID_INPUT that names the field.
    """
    claim, custom = split_metadata({key: value for key, value in given.items() if value is not None})
    for key, value in claim.items():
        field = f"metadata.{key}"
        if key == "authors":
            claim[key] = checked_author_names(value, field)
        elif key in LISTS:
            claim[key] = text_list(value, field)
        elif key == "citekey" and not isinstance(value, str):
            raise invalid_field(field, f"is {str(value)[:40]!r}", "It must be a text.")
        elif key != "year":
            claim[key] = text_value(value, field)
        elif isinstance(value, str):
            claim[key] = value.strip()
    with_metadata(Record(citekey=""), claim)  # raises for a year that is none
    return claim | custom_metadata(custom, "metadata")
