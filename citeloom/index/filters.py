"""Filters of the tool contract, parsed into conditions that every backend translates."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from citeloom.core.errors import CiteLoomError, Code


@dataclass(frozen=True, slots=True)
class AnyOf:
    """Condition that a field has one of these values."""

    field: str
    values: tuple[str | int, ...]


@dataclass(frozen=True, slots=True)
class Range:
    """Condition that a number is within bounds."""

    field: str
    gte: float | None = None
    gt: float | None = None
    lte: float | None = None
    lt: float | None = None


@dataclass(frozen=True, slots=True)
class Words:
    """Condition that a text field contains all of these words, ignoring case and accents."""

    field: str
    text: str


@dataclass(frozen=True, slots=True)
class Contains:
    """Condition that a value contains a substring."""

    field: str
    text: str


@dataclass(frozen=True, slots=True)
class StartsWith:
    """Condition that a value has a prefix."""

    field: str
    text: str


@dataclass(frozen=True, slots=True)
class Absent:
    """Condition that a field has no value."""

    field: str


@dataclass(frozen=True, slots=True)
class HasVector:
    """Condition that a passage has the vector of this name: "dense" or "sparse"."""

    name: str


@dataclass(frozen=True, slots=True)
class Every:
    """Conjunction of conditions."""

    of: tuple[Condition, ...]


@dataclass(frozen=True, slots=True)
class Some:
    """Disjunction of conditions."""

    of: tuple[Condition, ...]


@dataclass(frozen=True, slots=True)
class Not:
    """Negation of a condition."""

    of: Condition


Condition = AnyOf | Range | Words | Contains | StartsWith | Absent | HasVector | Every | Some | Not

EVERYTHING = Every(())
EMBEDDED = HasVector("dense")
WITHOUT_VECTOR = Not(EMBEDDED)  # found by words only, until it is embedded


def of_document(doc_id: str) -> AnyOf:
    """Return the condition that a passage belongs to a document."""
    return AnyOf("doc_id", (doc_id,))


_LARGEST = 10**12
_MAX_NAMED = 30  # keys of metadata in a message
OPERATORS = ("$gte", "$lte", "$gt", "$lt", "$ne", "$in", "$contains")
_BOUNDS = ("$gte", "$lte", "$gt", "$lt")

SECTION_SEPARATOR = " > "
_ROMAN = r"(?=[ivxlc])c{0,3}(?:xc|xl|l?x{0,3})(?:ix|iv|v?i{0,3})"
_NUMBERING = re.compile(rf"^(?:(?:chapter|part|section|kapitel|teil)\s+)?(?:\d+(?:\.\d+)*|{_ROMAN})[.):]?\s+")


def section_keys(path: tuple[str, ...] | list[str]) -> list[str]:
    """Return a section path as filters compare it, with its numbering and without."""
    folded = [_fold(p) for p in path]
    keys = [SECTION_SEPARATOR.join(folded), SECTION_SEPARATOR.join(_NUMBERING.sub("", p) for p in folded)]
    return list(dict.fromkeys(k for k in keys if k))


def section_names(path: tuple[str, ...] | list[str]) -> list[str]:
    """Return the headings of a path as filters compare them, each with its numbering and without."""
    folded = [_fold(p) for p in path]
    return list(dict.fromkeys([*folded, *(_NUMBERING.sub("", p) for p in folded)]))


def metadata_values(metadata: Mapping[str, Any]) -> dict[str, Any]:
    """Return custom metadata as a payload has them. Qdrant Edge cannot compare true and false: they are listed too."""
    lists = {key: value if isinstance(value, list) else [value] for key, value in metadata.items()}
    flags = [_flag(key, one) for key, values in lists.items() for one in values if isinstance(one, bool)]
    return {"metadata": dict(metadata), **({"metadata_flags": flags} if flags else {})}


def _flag(key: str, value: bool) -> str:
    return f"{key}={str(value).lower()}"


def _fold(heading: str) -> str:
    return " ".join(heading.split()).casefold()


def parse(filters: Mapping[str, Any] | None, added: Mapping[str, Reader] | None = None) -> Every:
    """Parse a filter object; `added` are the keys of a project. Raises INVALID_INPUT with the valid choices."""
    if filters is None:
        return EVERYTHING
    if not isinstance(filters, Mapping):
        raise invalid_filter('filters must be an object such as {"year": {"$gte": 2015}}')
    readers = {**(added or {}), **_READERS}  # a key of CiteLoom's own comes first
    return Every(tuple(c for key, value in filters.items() for c in _conditions(key, value, readers)))


def search_conditions(
    filters: Mapping[str, Any] | None, *, include_references: bool, added: Mapping[str, Reader] | None = None
) -> Every:
    """Return the conditions of a search: reference lists are excluded, unless it filters by section_prefix."""
    conditions = parse(filters, added)
    if include_references or "section_prefix" in (filters or {}):
        return conditions
    return Every((*conditions.of, Absent("references")))


def _conditions(key: str, value: Any, readers: Mapping[str, Reader]) -> list[Condition]:
    if key not in readers:
        own = sorted(set(readers) - set(FILTER_KEYS))
        named, more = own[:_MAX_NAMED], len(own) - _MAX_NAMED
        metadata = f" Metadata here: {', '.join(named)}{f' and {more} more' if more > 0 else ''}." if own else ""
        raise invalid_filter(
            f"there is no filter '{key[:60]}'",
            f"Filters are: {', '.join(sorted(FILTER_KEYS))}.{metadata}",
            [*FILTER_KEYS, *named],
        )
    read = readers[key]
    if not isinstance(value, Mapping):
        values = value if isinstance(value, list) else [value]
        if not values:
            raise invalid_filter(f"the filter '{key}' has an empty list")
        if read.list_means_all:
            return [Every(tuple(read.any_of(key, [v]) for v in values))]
        return [read.any_of(key, values)]
    if not value:
        raise invalid_filter(f"the filter '{key}' is an empty object")
    return [_operator(key, read, operator, operand) for operator, operand in value.items()]


def _operator(key: str, read: Reader, operator: str, operand: Any) -> Condition:
    if operator not in OPERATORS:
        raise invalid_filter(
            f"there is no operator '{operator[:60]}' (in the filter '{key}')",
            f"Operators are: {', '.join(OPERATORS)}.",
            list(OPERATORS),
        )
    if operator in _BOUNDS:
        if read.bound is None:
            raise invalid_filter(f"the filter '{key}' is not a number, so {operator} does not apply to it")
        return read.bound(key, operator[1:], operand)
    if operator in ("$in", "$ne"):
        values = operand if isinstance(operand, list) else [operand]
        if not values or (operator == "$in" and values is not operand):
            raise invalid_filter(f"{operator} in the filter '{key}' needs a list of values")
        return Not(read.any_of(key, values)) if operator == "$ne" else read.any_of(key, values)
    if read.contains is None:
        raise invalid_filter(f"the filter '{key}' is not a text, so $contains does not apply to it")
    return read.contains(_text(key, operand))


@dataclass(frozen=True, slots=True)
class Reader:
    """Parser of one filter key: turns values into conditions."""

    any_of: Callable[[str, list[Any]], Condition]  # of the key and the values
    bound: Callable[[str, str, Any], Condition] | None = None  # of the key, gte, gt, lte or lt, and the value
    contains: Callable[[str], Condition] | None = None
    list_means_all: bool = False


def _keyword(field: str, *, list_means_all: bool = False) -> Reader:
    return Reader(
        any_of=lambda key, values: AnyOf(field, tuple(_text(key, v) for v in values)),
        contains=lambda text: Contains(field, text),
        list_means_all=list_means_all,
    )


def _words(field: str) -> Reader:
    return Reader(
        any_of=lambda key, values: Some(tuple(Words(field, _text(key, v)) for v in values)),
        contains=lambda text: Words(field, text),
    )


def _integer(field: str) -> Reader:
    return Reader(
        any_of=lambda key, values: AnyOf(field, tuple(_whole_number(key, v) for v in values)),
        bound=lambda key, operator, operand: Range(field, **{operator: _number(key, operand)}),
    )


def _on_page(key: str, values: list[Any]) -> Condition:
    pages = [_whole_number(key, v) for v in values]
    return Some(tuple(Every((Range("page_start", lte=page), Range("page_end", gte=page))) for page in pages))


def _page_bound(key: str, operator: str, operand: Any) -> Condition:
    # A passage on pages 4–5 matches both "from page 5 on" and "up to page 4".
    return Range("page_end" if operator.startswith("g") else "page_start", **{operator: _number(key, operand)})


def _section_prefix(key: str, values: list[Any]) -> Condition:
    # A list is one path, outermost heading first, not several alternatives.
    prefix = SECTION_SEPARATOR.join(_fold(_text(key, v)) for v in values)
    # Whole words: "Part I" is not the beginning of "Part II".
    longer = (StartsWith("section_keys", prefix + mark) for mark in (" ", ":", ".", ",", ";"))
    return Some((AnyOf("section_keys", (prefix,)), *longer))


def _from_source(key: str, values: list[Any]) -> Condition:
    names = tuple(_text(key, v) for v in values)
    return Some((AnyOf("source", names), AnyOf("source_path", names)))


def _excluded(key: str, values: list[Any]) -> Condition:
    return Not(AnyOf("section_names", tuple(_fold(_text(key, v)) for v in values)))


def metadata_reader(name: str, doc_ids: Sequence[str]) -> Reader:
    """Return the reader of a key of custom metadata; `doc_ids` are the documents that have it.

    The index knows the documents, but not the key: without them, it would have to read every payload.
    """
    field, having = f'metadata."{name}"', AnyOf("doc_id", tuple(doc_ids))
    return Reader(
        any_of=lambda key, values: Every((having, Some(tuple(_equal(name, field, value) for value in values)))),
        bound=lambda key, operator, operand: Every((having, Range(field, **{operator: _number(key, operand)}))),
        contains=lambda text: Every((having, Contains(field, text))),
    )


def _equal(name: str, field: str, value: Any) -> Condition:
    if isinstance(value, bool):
        return AnyOf("metadata_flags", (_flag(name, value),))
    if isinstance(value, str):
        # On the command line, all values are texts.
        written: list[Condition] = [AnyOf(field, (value,))]
        if re.fullmatch(r"-?[0-9]{1,12}(\.[0-9]{1,12})?", value):
            written.append(Range(field, gte=float(value), lte=float(value)))
        elif value in ("true", "false"):
            written.append(AnyOf("metadata_flags", (_flag(name, value == "true"),)))
        return Some(tuple(written))
    number = _number(name, value)
    return Range(field, gte=number, lte=number)


_READERS: dict[str, Reader] = {
    "citekey": _keyword("citekey"),
    "claimed_citekey": _keyword("claimed_citekey"),
    "doc_id": _keyword("doc_id"),
    "author": _words("authors"),
    "title": _words("title"),
    "year": _integer("year"),
    "tags": _keyword("tags", list_means_all=True),
    "collections": _keyword("collections"),
    "item_type": _keyword("item_type"),
    "section_prefix": Reader(any_of=_section_prefix),
    "exclude_sections": Reader(any_of=_excluded),
    "text_source": _keyword("text_source"),
    "page": Reader(any_of=_on_page, bound=_page_bound),
    "page_label": _keyword("page_labels"),
    "header_level": _integer("header_level"),
    "project": _keyword("project_id"),
    "file_type": _keyword("file_type"),
    "source": Reader(any_of=_from_source, contains=lambda text: Contains("source_path", text)),
}

LAST_MODIFIED = "last_modified"  # the key whose reader is added by the search: only the catalog knows the times
FILTER_KEYS = (*_READERS, LAST_MODIFIED)


def _text(key: str, value: Any) -> str:
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise invalid_filter(f"the filter '{key}' needs a text, not {value!r}")
    text = str(value).strip()
    if not text:
        raise invalid_filter(f"the filter '{key}' is empty")
    return text


def _number(key: str, value: Any) -> float:
    if isinstance(value, str) and re.fullmatch(r"\s*-?[0-9]{1,13}\s*", value):
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) <= _LARGEST:
        raise invalid_filter(
            f"the filter '{key}' needs a number from -{_LARGEST} to {_LARGEST}, not {str(value)[:60]!r}"
        )
    return value


def _whole_number(key: str, value: Any) -> int:
    number = _number(key, value)
    if number != int(number):
        raise invalid_filter(f"the filter '{key}' needs a whole number, not {number}")
    return int(number)


def invalid_filter(
    problem: str, next_step: str = "Ask help(topic='filters') for examples.", valid: Any = None
) -> CiteLoomError:
    """Return the error for a filter."""
    details = {"valid": valid} if valid else {}
    return CiteLoomError(Code.INVALID_INPUT, f"Bad filter: {problem}.", next_step, **details)
