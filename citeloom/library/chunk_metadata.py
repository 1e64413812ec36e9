"""Reads the metadata of a passage that an agent stores: flat or in groups, fields of the record or custom keys.

Used by `agent_documents`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from citeloom.bibliography.author_names import checked_author_names
from citeloom.core.json_values import YEARS, is_integer_within
from citeloom.core.metadata import custom_metadata, invalid_field, text_list, text_value
from citeloom.core.types import TextSource

_MAX_LABELS = 50
_MAX_PAGES = 1_000_000  # pages of a document and of its passages

_TEXTS = (
    "citekey", "doi", "url", "title", "item_type", "section", "source", "language", "class_name", "function_name",
)  # fmt: skip
_LISTS = ("authors", "tags", "collections", "section_path", "page_labels")
_NUMBERS = ("year", "page_start", "page_end", "chunk_index", "header_level")
_ABOUT_THE_ITEM = ("project", "doc_id", "embed_model", "text_source", "fulltext", "page_span")
# Groups of an older contract, and the field that a key of theirs is called elsewhere.
_GROUPS: dict[str, dict[str, str]] = {"source": {"path": "source"}, "zotero": {}, "doc": {}}
# Keys of a payload that nobody else can set.
_SET_BY_CITELOOM = frozenset(
    (
        "project_id", "chunk_id", "chunk_text", "citekey_made", "claimed_citekey", "renamed_from", "heading_chain",
        "section_keys", "section_names", "source_path", "file_type", "ocr_confidence", "sparse_model", "content_hash",
        "last_modified",
    )
)  # fmt: skip


@dataclass(slots=True)
class ChunkMetadata:
    """The metadata of one passage."""

    fields: dict[str, Any] = field(default_factory=dict)  # of the payload, without `citekey` being more than a claim
    custom: dict[str, Any] = field(default_factory=dict)
    doc_id: str = ""
    project: str = ""
    embed_model: str = ""
    fulltext: str = ""
    ignored: list[str] = field(default_factory=list)  # keys that CiteLoom sets itself


def read_metadata(given: Mapping[str, Any], place: str) -> ChunkMetadata:
    """Return the metadata of a passage; `place` is what errors call it. Raises INVALID_INPUT."""
    found, paths = _flat(given, place)
    made = ChunkMetadata()
    for name in ("project", "doc_id", "embed_model", "fulltext"):
        if name in found:
            setattr(made, name, text_value(found[name], paths[name]))
    if found.get("text_source", TextSource.AGENT) != TextSource.AGENT:
        raise invalid_field(
            paths["text_source"],
            f"is {str(found['text_source'])[:40]!r}",
            "What an agent stores has the text_source 'agent': leave it out.",
        )
    if "page_span" in found:
        span = found["page_span"]
        if not isinstance(span, list) or len(span) != 2:
            raise invalid_field(paths["page_span"], "is not two pages", "Write it as [33, 34].")
        found["page_start"], found["page_end"] = span
    made.fields = _fields(found, paths, place)
    own = (*_TEXTS, *_LISTS, *_NUMBERS, *_ABOUT_THE_ITEM)
    others = {key: value for key, value in found.items() if key not in own}
    made.ignored = sorted(_SET_BY_CITELOOM & set(others))
    made.custom = custom_metadata({key: others[key] for key in others if key not in _SET_BY_CITELOOM}, place)
    return made


def _flat(given: Mapping[str, Any], place: str) -> tuple[dict[str, Any], dict[str, str]]:
    """Return the values without groups and nulls, and where each stands; what is given flat comes first."""
    found: dict[str, Any] = {}
    paths: dict[str, str] = {}

    def add(key: str, value: Any, path: str) -> None:
        if value is not None and key not in found:
            found[key], paths[key] = value, path

    groups = {name: value for name, value in given.items() if name in _GROUPS and isinstance(value, Mapping)}
    for key, value in given.items():
        if key not in groups:
            add(key, value, f"{place}.{key}")
    for name, group in groups.items():
        for key, value in group.items():
            add(_GROUPS[name].get(key) or key, value, f"{place}.{name}.{key}")
    return found, paths


def _fields(found: Mapping[str, Any], paths: Mapping[str, str], place: str) -> dict[str, Any]:
    known: dict[str, Any] = {}
    for key in (*_TEXTS, *_LISTS, *_NUMBERS):
        value = found.get(key)
        if value is None:
            continue
        path = paths.get(key, f"{place}.{key}")
        if key == "authors" and any(
            isinstance(one, Mapping) for one in (value if isinstance(value, list) else [value])
        ):
            known[key] = checked_author_names(value, path)  # CSL names; a text stays as it is
        elif key in _LISTS:
            known[key] = text_list(value, path)
        elif key in _TEXTS:
            known[key] = text_value(value, path)
        else:
            bounds = YEARS if key == "year" else (0, _MAX_PAGES)
            if not is_integer_within(value, *bounds):
                raise invalid_field(
                    path, f"is {str(value)[:40]!r}", f"It must be a whole number from {bounds[0]} to {bounds[1]}."
                )
            known[key] = value
    first, last = known.get("page_start", known.get("page_end")), known.get("page_end", known.get("page_start"))
    if first is not None:
        if first < 1 or last < first:
            raise invalid_field(place, f"says pages {first} to {last}", "Pages count from 1.")
        known["page_start"], known["page_end"] = first, last
        known.setdefault("page_labels", [str(page) for page in range(first, min(last, first + _MAX_LABELS) + 1)])
    return known
