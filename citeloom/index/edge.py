"""Qdrant Edge, the real engine in-process: one folder per collection, one owner. Its only importer."""

from __future__ import annotations

import errno
import os
import threading
from array import array
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, cast
from uuid import UUID

import qdrant_edge as qdrant

from citeloom.errors import CiteLoomError, Code
from citeloom.index import filters as f
from citeloom.index.collection import (
    INTEGER_FIELDS,
    KEYWORD_FIELDS,
    TEXT_FIELDS,
    YES_NO_FIELDS,
    Collection,
    Fusion,
    Hit,
    Point,
    SparseVector,
)

# Each call into Qdrant Edge holds Python's lock, so that large batches would make questions wait.
_BATCH = 64
_AVERAGE_PASSAGE_WORDS = 120.0


class Bm25:
    """BM25 weights with the stemmer and stop words of a language, without any download."""

    def __init__(self, language: str) -> None:
        try:
            self._bm25 = qdrant.Bm25(qdrant.Bm25Config(language=language, avg_len=_AVERAGE_PASSAGE_WORDS))
        except ValueError as error:
            raise CiteLoomError(
                Code.INVALID_INPUT,
                f"There are no stop words for the language '{language}'.",
                'Write it as in models.language = "english" or "german".',
            ) from error

    def passage(self, text: str) -> SparseVector:
        """Weights of a passage's words."""
        vector = self._bm25.embed_document(text)
        return SparseVector(vector.indices, vector.values)

    def query(self, text: str) -> SparseVector:
        """Weights of a question's words."""
        vector = self._bm25.embed_query(text)
        return SparseVector(vector.indices, vector.values)


class EdgeCollection(Collection):
    """The passages of one project, in a folder of their own."""

    def __init__(self, folder: Path, shard: qdrant.EdgeShard) -> None:
        self.folder = folder
        self._shard = shard
        # Sets of passages that readers must not see: being written, or replaced and not yet deleted. The lock makes
        # a change of it one step for every reader: a search sees a document's old set or its new one.
        self._hidden: set[str] = set()
        self._reading = threading.Lock()

    @classmethod
    def create(cls, folder: Path, dense_size: int, *, sparse: bool) -> EdgeCollection:
        """A new, empty collection with the indexes that filters need."""
        config = qdrant.EdgeConfig(
            vectors={"dense": qdrant.EdgeVectorParams(dense_size, qdrant.Distance.Cosine)},
            sparse_vectors={"sparse": qdrant.EdgeSparseVectorParams(modifier=qdrant.Modifier.Idf)} if sparse else None,
        )
        with _translated(Code.STORAGE_ERROR, "The index could not be made"):
            folder.mkdir(parents=True, exist_ok=True)
            shard = qdrant.EdgeShard.create(str(folder), config)
            # With enable_hnsw, Qdrant also builds graphs for frequent values of an index. Over 30,000 passages
            # optimising then took 33 s instead of 20 s, and filtered searches were neither faster nor better.
            for name in KEYWORD_FIELDS:
                keyword = qdrant.KeywordIndexParams(enable_hnsw=False)
                shard.update(qdrant.UpdateOperation.create_field_index(name, keyword))
            sections = qdrant.KeywordIndexParams(prefix=True, enable_hnsw=False)
            shard.update(qdrant.UpdateOperation.create_field_index("section_keys", sections))
            for name in INTEGER_FIELDS:
                number = qdrant.IntegerIndexParams(lookup=True, range=True, enable_hnsw=False)
                shard.update(qdrant.UpdateOperation.create_field_index(name, number))
            words = qdrant.TextIndexParams(
                tokenizer=qdrant.TokenizerType.Word,
                lowercase=True,
                ascii_folding=True,
                phrase_matching=True,
                enable_hnsw=False,
            )
            for name in TEXT_FIELDS:
                shard.update(qdrant.UpdateOperation.create_field_index(name, words))
            _add_yes_no_indexes(shard)
            shard.flush()
        return cls(folder, shard)

    @classmethod
    def open(cls, folder: Path) -> EdgeCollection:
        """The collection in a folder, or INDEX_UNAVAILABLE."""
        with _translated(Code.INDEX_UNAVAILABLE, "The index of this project cannot be opened"):
            shard = qdrant.EdgeShard.load(str(folder))
            _add_yes_no_indexes(shard)  # one made by an earlier version has none
            return cls(folder, shard)

    def hide(self, passage_set: str) -> None:
        """Keep a set of passages from readers."""
        with self._reading:
            self._hidden.add(passage_set)

    def show(self, passage_set: str, *, instead_of: str | None = None) -> None:
        """Let readers see a set of passages, in one step with hiding another."""
        with self._reading:
            self._hidden.discard(passage_set)
            if instead_of is not None:
                self._hidden.add(instead_of)

    def close(self) -> None:
        """Write everything out and let go of the folder."""
        with _translated(Code.STORAGE_ERROR, "The index could not be closed cleanly"):
            self._shard.close()

    def flush(self) -> None:
        """Write everything out."""
        with _translated(Code.STORAGE_ERROR, "The index could not be written"):
            self._shard.flush()

    def upsert(self, points: Sequence[Point]) -> None:
        """Write passages; writing one twice changes nothing."""
        for start in range(0, len(points), _BATCH):
            made = [_point(p) for p in points[start : start + _BATCH]]
            with _translated(Code.STORAGE_ERROR, "The index could not be written"):
                self._shard.update(qdrant.UpdateOperation.upsert_points(made))

    def delete(self, where: f.Condition) -> int:
        """Delete passages; gives how many there were."""
        with _translated(Code.STORAGE_ERROR, "The index could not be written"):
            condition = _filter(where)
            count = self._shard.count(qdrant.CountRequest(filter=condition))
            if count:
                self._shard.update(qdrant.UpdateOperation.delete_points_by_filter(condition))
            return count

    def rewrite(self, where: f.Condition, values: dict[str, Any]) -> None:
        """Give passages other values for some payload keys; nothing is embedded again."""
        with _translated(Code.STORAGE_ERROR, "The index could not be written"):
            self._shard.update(qdrant.UpdateOperation.set_payload_by_filter(_filter(where), values))

    def search(
        self,
        dense: Sequence[float] | None,
        sparse: SparseVector | None,
        limit: int,
        where: f.Condition = f.EVERYTHING,
        fusion: Fusion | None = None,
    ) -> list[Hit]:
        """The nearest passages, best first, by meaning, by words, or by both."""
        queries = []
        if dense is not None:
            queries.append(qdrant.Query.Nearest(list(dense), using="dense"))
        if sparse is not None and sparse.indices:
            vector = qdrant.SparseVector(sparse.indices, sparse.values)
            queries.append(qdrant.Query.Nearest(vector, using="sparse"))
        if not queries:
            return []
        fusion = fusion if len(queries) > 1 else None
        with self._reading, _translated(Code.QUERY_FAILED, "The search failed"):
            found = self._shard.query(_request(queries, limit, self._visible(where), fusion))
        by_words = dense is None
        return [Hit(str(p.id), _unit_score(p.score, fusion, by_words=by_words), p.payload or {}) for p in found]

    def get(self, ids: Sequence[str]) -> list[Hit]:
        """Passages by id; those that are not there, or not to be seen, are left out."""
        with self._reading, _translated(Code.QUERY_FAILED, "The passages could not be read"):
            records = self._shard.retrieve([UUID(i) for i in ids], True, False)
            hits = [Hit(str(r.id), 1.0, r.payload or {}) for r in records]
            return [h for h in hits if h.payload.get("version") not in self._hidden]

    def scroll(self, where: f.Condition, limit: int) -> list[Hit]:
        """Passages that fit, in the order of their place in the document."""
        return self._scroll(where, limit, qdrant.OrderBy("chunk_index", qdrant.Direction.Asc))

    def any_passages(self, limit: int) -> list[Hit]:
        """A few passages, whichever they are."""
        return self._scroll(f.EVERYTHING, limit, None)

    def stored(self, where: f.Condition, count: int) -> Iterator[Point]:
        """Passages that fit with their vectors, in the order of their place; `count` is how many places there are."""
        for start in range(0, count, _BATCH):
            here = f.Every((where, f.Range("chunk_index", gte=start, lt=start + _BATCH)))
            with self._reading, _translated(Code.QUERY_FAILED, "The passages could not be read"):
                request = qdrant.ScrollRequest(
                    filter=self._visible(here), limit=_BATCH, with_payload=True, with_vector=True
                )
                records, _ = self._shard.scroll(request)
            yield from sorted(map(_from_record, records), key=lambda point: int(point.payload["chunk_index"]))

    def _scroll(self, where: f.Condition, limit: int, order: qdrant.OrderBy | None) -> list[Hit]:
        with self._reading, _translated(Code.QUERY_FAILED, "The passages could not be read"):
            request = qdrant.ScrollRequest(
                filter=self._visible(where), limit=limit, with_payload=True, with_vector=False, order_by=order
            )
            records, _ = self._shard.scroll(request)
        return [Hit(str(r.id), 1.0, r.payload or {}) for r in records]

    def count(self, where: f.Condition = f.EVERYTHING) -> int:
        """How many passages fit."""
        with self._reading, _translated(Code.QUERY_FAILED, "The passages could not be counted"):
            return self._shard.count(qdrant.CountRequest(filter=self._visible(where)))

    def values(self, field: str, limit: int) -> dict[str, int]:
        """The values of a field that has a keyword index, and about how many passages have each."""
        with self._reading, _translated(Code.QUERY_FAILED, "The values could not be counted"):
            visible = self._visible(f.EVERYTHING) if self._hidden else None
            found = self._shard.facet(qdrant.FacetRequest(field, limit, filter=visible))
            return {str(hit.value): hit.count for hit in found.hits}

    def indexes(self) -> dict[str, list[str]]:
        """The payload indexes there are, by kind."""
        with _translated(Code.INDEX_UNAVAILABLE, "The index does not answer"):
            schema = self._shard.info().payload_schema
        return {
            "keyword": sorted(n for n in schema if n in (*KEYWORD_FIELDS, "section_keys")),
            "integer": sorted(n for n in schema if n in INTEGER_FIELDS),
            "fulltext": sorted(n for n in schema if n in TEXT_FIELDS),
            "bool": sorted(n for n in schema if n in YES_NO_FIELDS),
        }

    def _visible(self, where: f.Condition) -> qdrant.Filter:
        if self._hidden:
            where = f.Every((where, f.Not(f.AnyOf("version", tuple(sorted(self._hidden))))))
        return _filter(where)


def _add_yes_no_indexes(shard: qdrant.EdgeShard) -> None:
    for name in set(YES_NO_FIELDS) - set(shard.info().payload_schema):
        shard.update(qdrant.UpdateOperation.create_field_index(name, qdrant.BoolIndexParams(enable_hnsw=False)))


def _request(queries: list[Any], limit: int, visible: qdrant.Filter, fusion: Fusion | None) -> qdrant.QueryRequest:
    if fusion is None:
        return qdrant.QueryRequest(limit=limit, query=queries[0], filter=visible, with_payload=True)
    each = max(50, 3 * limit)
    return qdrant.QueryRequest(
        limit=limit,
        prefetches=[qdrant.Prefetch(limit=each, query=query, filter=visible) for query in queries],
        query=_fusion(fusion),
        with_payload=True,
    )


def optimise(folder: Path) -> None:
    """Build the search graph over a collection that nobody else has open. Takes minutes for large ones."""
    shard = qdrant.EdgeShard.load(str(folder))
    shard.optimize()
    shard.flush()
    shard.close()


def _point(point: Point) -> qdrant.Point:
    vectors: dict[str, Any] = {"dense": list(point.dense)}
    if point.sparse is not None:
        vectors["sparse"] = qdrant.SparseVector(point.sparse.indices, point.sparse.values)
    return qdrant.Point(UUID(point.id), vectors, point.payload)


def _from_record(record: qdrant.Record) -> Point:
    vectors = cast("dict[str, Any]", record.vector)
    words = vectors.get("sparse")
    sparse = SparseVector(words.indices, words.values) if words is not None else None
    return Point(str(record.id), array("f", vectors["dense"]), sparse, record.payload or {})


def _filter(where: f.Condition) -> qdrant.Filter:
    made = _condition(where)
    return made if isinstance(made, qdrant.Filter) else qdrant.Filter(must=[made])


def _condition(where: f.Condition) -> Any:
    match where:
        case f.AnyOf(field, values):
            return qdrant.FieldCondition(field, match=qdrant.MatchAny(cast("list[str]", list(values))))
        case f.Range(field, gte, gt, lte, lt):
            return qdrant.FieldCondition(field, range=qdrant.RangeFloat(gte=gte, gt=gt, lte=lte, lt=lt))
        case f.Words(field, text):
            return qdrant.FieldCondition(field, match=qdrant.MatchText(text))
        case f.Contains(field, text):
            return qdrant.FieldCondition(field, match=qdrant.MatchSubstring(text))
        case f.StartsWith(field, text):
            return qdrant.FieldCondition(field, match=qdrant.MatchPrefix(text))
        case f.Absent(field):
            return qdrant.IsEmptyCondition(field)
        case f.Every(conditions):
            return qdrant.Filter(must=[_condition(c) for c in conditions])
        case f.Some(conditions):
            return qdrant.Filter(should=[_condition(c) for c in conditions])
        case f.Not(condition):
            return qdrant.Filter(must_not=[_condition(condition)])


def _fusion(fusion: Fusion) -> Any:
    return qdrant.Fusion.Dbsf() if fusion.method == "dbsf" else qdrant.Fusion.Rrf(k=fusion.k)


def _unit_score(score: float, fusion: Fusion | None, *, by_words: bool) -> float:
    if fusion is None:
        # Cosine for meaning; BM25 weights are open upwards and pressed into the same scale.
        unit = score / (score + 1) if by_words else score
    elif fusion.method == "dbsf":
        unit = score / 2  # two rankings, each giving up to 1
    else:
        unit = score * fusion.k / 2  # first in both rankings is 1
    return round(min(1.0, max(0.0, unit)), 4)


@contextmanager
def _translated(code: Code, what: str) -> Iterator[None]:
    try:
        yield
    except CiteLoomError:
        raise
    except Exception as error:
        raise _error(code, what, error) from error
    except BaseException as error:
        # A panic inside Qdrant Edge arrives as a BaseException of its own.
        if type(error).__name__ != "PanicException":
            raise
        raise _error(code, what, error) from error


def _error(code: Code, what: str, error: BaseException) -> CiteLoomError:
    reason = str(error)
    if os.strerror(errno.ENOSPC) in reason or getattr(error, "errno", None) == errno.ENOSPC:
        return CiteLoomError(
            Code.STORAGE_ERROR,
            "The disk is full: nothing more can be written.",
            "Free some space and try again.",
        )
    return CiteLoomError(code, f"{what}: {reason}.", "Run the check-up ('citeloom doctor').")
