"""Completes the filters of a search by what the catalog knows of a project: renamed citekeys, file times, metadata.

Called by `search.query`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from datetime import UTC, datetime
from functools import partial
from typing import Any

from citeloom.catalog import Catalog
from citeloom.catalog.projects import Project
from citeloom.index import filters
from citeloom.index.filters import AnyOf, Condition, Reader, Some

_EVER = 10**12  # seconds: later than any time that can be written


def search_conditions(
    catalog: Catalog,
    project: Project,
    filter_by: Mapping[str, Any] | None,
    warnings: list[str],
    *,
    include_references: bool,
) -> filters.Every:
    """Return the conditions of a search in a project. Raises INVALID_INPUT with the valid choices."""
    return filters.search_conditions(
        _with_current_keys(catalog, project, filter_by, warnings),
        include_references=include_references,
        added=_readers(catalog, project, filter_by) if isinstance(filter_by, Mapping) else None,
    )


def _readers(catalog: Catalog, project: Project, filter_by: Mapping[str, Any]) -> dict[str, Reader]:
    """Return the readers of filter keys that need the catalog."""
    readers = {filters.LAST_MODIFIED: _time_reader(catalog, project)}
    if set(filter_by) - set(filters.FILTER_KEYS):
        documents = catalog.documents.with_metadata(project.id)
        readers |= {key: filters.metadata_reader(key, doc_ids) for key, doc_ids in documents.items()}
    return readers


def _time_reader(catalog: Catalog, project: Project) -> Reader:
    """Return the reader of `last_modified`, whose conditions name documents: the time of a file may change alone."""

    def within(first: int, last: int) -> Condition:
        return AnyOf("doc_id", tuple(catalog.documents.modified(project.id, first, last)))

    return Reader(
        any_of=lambda key, values: Some(tuple(within(second, second) for second in map(partial(_second, key), values))),
        bound=lambda key, operator, operand: within(*_range(operator, _second(key, operand))),
    )


def _range(operator: str, second: int) -> tuple[int, int]:
    """Return the first and the last second that a bound allows: `last_modified` is shown in whole seconds."""
    if operator.startswith("g"):
        return second + (operator == "gt"), _EVER
    return -_EVER, second - (operator == "lt")


def _second(key: str, value: Any) -> int:
    """Return a date or time as seconds since 1970; a date is its beginning, and without a time zone it is UTC."""
    try:
        time = datetime.fromisoformat(value)
        return math.floor((time if time.tzinfo else time.replace(tzinfo=UTC)).timestamp())
    except (TypeError, ValueError, OverflowError) as error:
        raise filters.invalid_filter(
            f"the filter '{key}' needs a date or time such as 2025-01-01 or 2025-01-01T09:30:00+00:00,"
            f" not {str(value)[:60]!r}"
        ) from error


def _with_current_keys(
    catalog: Catalog, project: Project, filter_by: Mapping[str, Any] | None, warnings: list[str]
) -> Mapping[str, Any] | None:
    """Return the filter with renamed citekeys replaced by the current ones, and add a warning for each."""
    if not isinstance(filter_by, Mapping) or "citekey" not in filter_by:
        return filter_by

    def current(value: Any) -> Any:
        if isinstance(value, list):
            return [current(one) for one in value]
        if isinstance(value, Mapping):
            return {operator: current(one) for operator, one in value.items()}
        now = catalog.citekey_aliases.current(project.id, value) if isinstance(value, str) else None
        if now:
            warnings.append(f"The citekey {value} is {now} now.")
        return now or value

    return {**filter_by, "citekey": current(filter_by["citekey"])}
