"""Conversions that both Qdrant client libraries share: conditions to their filters, their records to points.

qdrant_edge and qdrant_client have the same names of classes and arguments; the backends pass in what differs.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, TypeVar, cast

from citeloom.index import filters as f
from citeloom.index.base import Point, SparseVector

_Filter = TypeVar("_Filter")


@dataclass(frozen=True, slots=True)
class FilterFactory(Generic[_Filter]):
    """Builds filters of one client library."""

    library: Any  # the module with Filter, FieldCondition and Match…
    filter_type: type[_Filter]
    range_type: Callable[..., Any]
    is_empty: Callable[[str], Any]  # the condition that a field has no value

    def make(self, where: f.Condition) -> _Filter:
        """Return the filter for a condition."""
        made = self._condition(where)
        return made if isinstance(made, self.filter_type) else self.library.Filter(must=[made])

    def _condition(self, where: f.Condition) -> Any:
        library = self.library
        match where:
            case f.AnyOf(field, values):
                return library.FieldCondition(key=field, match=library.MatchAny(any=list(values)))
            case f.Range(field, gte, gt, lte, lt):
                return library.FieldCondition(key=field, range=self.range_type(gte=gte, gt=gt, lte=lte, lt=lt))
            case f.Words(field, text):
                return library.FieldCondition(key=field, match=library.MatchText(text=text))
            case f.Contains(field, text):
                return library.FieldCondition(key=field, match=library.MatchSubstring(substring=text))
            case f.StartsWith(field, text):
                return library.FieldCondition(key=field, match=library.MatchPrefix(prefix=text))
            case f.Absent(field):
                return self.is_empty(field)
            case f.Every(conditions):
                return library.Filter(must=[self._condition(c) for c in conditions])
            case f.Some(conditions):
                return library.Filter(should=[self._condition(c) for c in conditions])
            case f.Not(condition):
                return library.Filter(must_not=[self._condition(condition)])


def point_from_record(record: Any) -> Point:
    """Return a record as a point, with the requested vectors."""
    vectors = cast("dict[str, Any]", record.vector or {})
    words = vectors.get("sparse")
    sparse = SparseVector(words.indices, words.values) if words is not None else None
    return Point(str(record.id), array("f", vectors.get("dense", ())), sparse, record.payload or {})
