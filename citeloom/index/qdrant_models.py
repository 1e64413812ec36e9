"""Conversions that both Qdrant client libraries share: conditions to their filters, points to their records and back.

qdrant_edge and qdrant_client have the same names of classes and arguments; the backends pass in what differs.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Generic, TypeVar, cast

from citeloom.index import filters as f
from citeloom.index.base import (
    BOOL_FIELDS,
    INTEGER_FIELDS,
    KEYWORD_FIELDS,
    TEXT_FIELDS,
    Point,
    SparseVector,
    Vector,
)

_Filter = TypeVar("_Filter")


@dataclass(frozen=True, slots=True)
class ClientLibrary(Generic[_Filter]):
    """Builds the models of one client library."""

    library: Any  # the module with Filter, FieldCondition and Match…
    filter_type: type[_Filter]
    range_type: Callable[..., Any]
    is_empty: Callable[[str], Any]  # the condition that a field has no value
    has_vector: Callable[[str], Any]  # the condition that there is a vector of a name
    index_options: Callable[[str], dict[str, Any]]  # of a payload index, by its kind
    word_tokenizer: Any

    def filter(self, where: f.Condition) -> _Filter:
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
            case f.HasVector(name):
                return self.has_vector(name)
            case f.Every(conditions):
                return library.Filter(must=[self._condition(c) for c in conditions])
            case f.Some(conditions):
                return library.Filter(should=[self._condition(c) for c in conditions])
            case f.Not(condition):
                return library.Filter(must_not=[self._condition(condition)])

    def vector(self, vector: Vector) -> Any:
        """Return a dense or sparse vector of the library."""
        if isinstance(vector, SparseVector):
            return self.library.SparseVector(indices=vector.indices, values=vector.values)
        return list(vector)

    def vectors(self, point: Point) -> dict[str, Any]:
        """Return the vectors of a point by name."""
        named = {"dense": point.dense, "sparse": point.sparse}
        return {name: self.vector(vector) for name, vector in named.items() if vector is not None}

    def payload_indexes(self) -> dict[str, Any]:
        """Return the payload indexes that filters need, by field."""
        library, options = self.library, self.index_options
        words = library.TextIndexParams(
            tokenizer=self.word_tokenizer, lowercase=True, ascii_folding=True, phrase_matching=True, **options("text")
        )
        return {
            **dict.fromkeys(KEYWORD_FIELDS, library.KeywordIndexParams(**options("keyword"))),
            "section_keys": library.KeywordIndexParams(prefix=True, **options("keyword")),
            **dict.fromkeys(INTEGER_FIELDS, library.IntegerIndexParams(lookup=True, range=True, **options("integer"))),
            **dict.fromkeys(TEXT_FIELDS, words),
            **dict.fromkeys(BOOL_FIELDS, library.BoolIndexParams(**options("bool"))),
        }


def on_disk(dense: Mapping[str, Any], hnsw: Mapping[str, Any] | None) -> tuple[bool, bool]:
    """Return whether dense vectors and their search graph are on disk, by the configuration of both as JSON."""
    return _is_on_disk(dense), _is_on_disk(dense.get("hnsw_config"), hnsw)


def _is_on_disk(*configured: Mapping[str, Any] | None) -> bool:
    """Return what the first of these says; `memory` is newer than `on_disk` and overrides it."""
    for part in configured:
        if part and part.get("memory") is not None:
            return str(part["memory"]) == "cold"
        if part and part.get("on_disk") is not None:
            return bool(part["on_disk"])
    return False


def point_from_record(record: Any) -> Point:
    """Return a record as a point, with the requested vectors."""
    vectors = cast("dict[str, Any]", record.vector or {})
    stored, numbers = vectors.get("sparse"), vectors.get("dense")
    sparse = SparseVector(stored.indices, stored.values) if stored is not None else None
    dense = array("f", numbers) if numbers is not None else None
    return Point(str(record.id), dense, sparse, record.payload or {})
