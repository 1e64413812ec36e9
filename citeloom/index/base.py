"""Collection, the interface of a project's index, and the types of its points and hits.

Implemented by index/edge (embedded) and index/server; obtained from index/registry.
"""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from citeloom.core import fault_injection as faults
from citeloom.core.errors import Code
from citeloom.index import filters as f
from citeloom.index import fusion as ranking

if TYPE_CHECKING:
    from citeloom.index.qdrant_models import ClientLibrary  # which imports this module

KEYWORD_FIELDS = (
    "project_id", "doc_id", "citekey", "tags", "item_type", "text_source", "file_type", "collections", "source",
    "source_path", "version", "section_names", "page_labels",
)  # fmt: skip
INTEGER_FIELDS = ("year", "page_start", "page_end", "chunk_index", "header_level")
TEXT_FIELDS = ("chunk_text", "title", "authors")
BOOL_FIELDS = ("references",)  # set on passages of a reference list

# Each call into Qdrant Edge holds the GIL, so that large batches would delay searches.
BATCH = faults.number("index.batch", 64)
_MIN_CANDIDATES = 50


@dataclass(frozen=True, slots=True)
class SparseVector:
    """Sparse vector: weights by token id."""

    indices: list[int]
    values: list[float]


Vector = Sequence[float] | SparseVector


@dataclass(frozen=True, slots=True)
class Point:
    """A passage with its vectors, as stored."""

    id: str  # a UUID
    dense: Sequence[float] | None  # None until it is embedded
    sparse: SparseVector | None
    payload: dict[str, Any]


@dataclass(frozen=True, slots=True)
class ScoredPoint:
    """A passage as found."""

    id: str
    score: float  # 0 to 1
    payload: dict[str, Any]
    by_words_only: bool = False  # the score compares words alone: it has no dense vector yet


@dataclass(frozen=True, slots=True)
class Fusion:
    """Options for combining the dense and the sparse ranking of a hybrid search."""

    method: str = "blend"
    k: int = 60


class Collection(ABC):
    """Collection of one project's passages, embedded or on a server.

    Backends implement the abstract methods at the end; everything else is the same for all.
    """

    _library: ClientLibrary[Any]

    def __init__(self) -> None:
        # Sets of passages that readers must not see: being written, or replaced and not yet deleted. Each reader works
        # with the sets hidden at its start, and a change waits for the readers that began before it: a search sees a
        # document's old set or its new one, and no search waits for another.
        self._hidden: set[str] = set()
        self._change = 0
        self._readers: dict[int, int] = {}  # number of readers by the change they began after
        self._reader_done = threading.Condition()

    @property
    def hides_passages(self) -> bool:
        """Whether passages are hidden: they are being written, or were replaced and could not be deleted."""
        return bool(self._hidden)

    def hide(self, passage_set: str) -> None:
        """Hide a set of passages from readers."""
        with self._reader_done:
            self._hidden.add(passage_set)
            self._wait_for_earlier_readers()

    def show(self, passage_set: str, *, instead_of: str | None = None) -> None:
        """Show a set of passages to readers and hide another in the same step."""
        with self._reader_done:
            self._hidden.discard(passage_set)
            if instead_of is not None:
                self._hidden.add(instead_of)
            self._wait_for_earlier_readers()

    def upsert(self, points: Sequence[Point]) -> None:
        """Insert or replace passages."""
        for start in range(0, len(points), BATCH):
            with self._translated(Code.STORAGE_ERROR, "The index could not be written"):
                self._write(points[start : start + BATCH])
            faults.point("index.batch_written", points[start].payload.get("source"))

    def add_vectors(self, vectors: Mapping[str, Sequence[float]]) -> None:
        """Add dense vectors to passages by id; those that are gone are ignored."""
        ids = list(vectors)
        for start in range(0, len(ids), BATCH):
            batch = ids[start : start + BATCH]
            with self._translated(Code.STORAGE_ERROR, "The index could not be written"):
                self._add_vectors({id: vectors[id] for id in batch})
            faults.point("index.vectors_written", batch[0])

    def delete(self, where: f.Condition) -> int:
        """Delete passages; return their number."""
        with self._translated(Code.STORAGE_ERROR, "The index could not be written"):
            count = self._count(where)
            if count:
                self._delete(where)
            faults.point("index.deleted")
            return count

    def rewrite(self, where: f.Condition, values: dict[str, Any]) -> None:
        """Update payload values of passages; vectors stay."""
        with self._translated(Code.STORAGE_ERROR, "The index could not be written"):
            self._rewrite(where, values)

    def search(
        self,
        dense: Sequence[float] | None,
        sparse: SparseVector | None,
        limit: int,
        where: f.Condition = f.EVERYTHING,
        fusion: Fusion | None = None,
        *,
        some_without_vector: bool = False,
    ) -> list[ScoredPoint]:
        """Return the best passages by dense vector, sparse vector or both, best first; ties are ordered by id.

        Among very many equal scores, the backend decides which ones are candidates. With `some_without_vector`,
        passages that are not embedded yet compete by their words alone, on the same scale (see `fusion.fuse`); without
        `dense`, all do. It costs one more search, and changes nothing where all are embedded.
        """
        if sparse is not None and not sparse.indices:
            sparse = None
        if dense is not None and fusion is None:
            sparse = None
        vectors = {"dense": dense, "sparse": sparse}
        queries = {name: vector for name, vector in vectors.items() if vector is not None}
        if not queries:
            return []
        candidates, by_words = max(_MIN_CANDIDATES, 3 * limit), ranking.Ranking()
        with self._reading() as hidden, self._translated(Code.QUERY_FAILED, "The search failed"):
            visible = self._visible(where, hidden)
            if fusion and sparse and some_without_vector:
                # First, so that a passage which is embedded meanwhile is found twice rather than missed.
                alone = f.Every((visible, f.WITHOUT_VECTOR)) if dense is not None else visible
                by_words = self._rankings({"sparse": sparse}, candidates, alone)["sparse"]
                visible = f.Every((visible, f.EMBEDDED))
                queries = queries if dense is not None else {}
            rankings = self._rankings(queries, candidates, visible) if queries else {}
            by_meaning, words = rankings.get("dense", {}), rankings.get("sparse", {})
            by_words = {id: score for id, score in by_words.items() if id not in by_meaning and id not in words}
            if fusion and (by_words or len(rankings) == 2):
                chosen = ranking.fuse(by_meaning, words, fusion, limit, by_words)
            else:
                chosen = ranking.top(by_meaning or ranking.scaled_bm25(words), limit)
            found = {p.id: p.payload for p in self._retrieve([id for id, _ in chosen], vectors=False)}
        return [ScoredPoint(id, score, found[id], id in by_words) for id, score in chosen if id in found]

    def get(self, ids: Sequence[str]) -> list[ScoredPoint]:
        """Return passages by id, in the given order; missing and hidden ones are left out."""
        with self._reading() as hidden:
            return [_hit(p) for p in self._by_id(ids, vectors=False) if p.payload.get("version") not in hidden]

    def get_points(self, ids: Sequence[str]) -> list[Point]:
        """Return passages by id with their vectors, in the given order, hidden ones too."""
        return self._by_id(ids, vectors=True)

    def scroll(self, where: f.Condition, limit: int) -> list[ScoredPoint]:
        """Return matching passages in document order."""
        return self._passages(where, limit, in_order=True)

    def any_passages(self, limit: int) -> list[ScoredPoint]:
        """Return some passages, in no particular order."""
        return self._passages(f.EVERYTHING, limit, in_order=False)

    def without_vectors(self, where: f.Condition, limit: int) -> list[ScoredPoint]:
        """Return matching passages that have no dense vector yet, in no particular order."""
        return self._passages(f.Every((where, f.WITHOUT_VECTOR)), limit, in_order=False)

    def count_without_vectors(self, where: f.Condition = f.EVERYTHING) -> int:
        """Return the number of matching passages that have no dense vector yet."""
        return self.count(f.Every((where, f.WITHOUT_VECTOR)))

    def stored(self, where: f.Condition, count: int) -> Iterator[Point]:
        """Yield matching passages with vectors, in document order; `count` is the number of chunk indexes."""
        for start in range(0, count, BATCH):
            batch = f.Every((where, f.Range("chunk_index", gte=start, lt=start + BATCH)))
            with self._reading() as hidden, self._translated(Code.QUERY_FAILED, "The passages could not be read"):
                found = self._page(self._visible(batch, hidden), BATCH, vectors=True)
            yield from sorted(found, key=lambda point: int(point.payload["chunk_index"]))

    def points(self, after: str | None, limit: int) -> list[Point]:
        """Return passages with vectors ordered by id, after `after`, hidden ones too."""
        with self._translated(Code.QUERY_FAILED, "The passages could not be read"):
            # The offset is inclusive.
            found = self._page(f.EVERYTHING, limit + (after is not None), vectors=True, begin=after)
        return [p for p in found if p.id != after][:limit]

    def count(self, where: f.Condition = f.EVERYTHING) -> int:
        """Return the number of matching passages."""
        with self._reading() as hidden, self._translated(Code.QUERY_FAILED, "The passages could not be counted"):
            return self._count(self._visible(where, hidden))

    def values(self, field: str, limit: int) -> dict[str, int]:
        """Return the values of a keyword field with approximate counts."""
        with self._reading() as hidden, self._translated(Code.QUERY_FAILED, "The values could not be counted"):
            return self._values(field, limit, self._visible(f.EVERYTHING, hidden) if hidden else None)

    def indexes(self) -> dict[str, list[str]]:
        """Return the fields with payload indexes, by kind."""
        with self._translated(Code.INDEX_UNAVAILABLE, "The index does not answer"):
            names = self._indexed()
        return {
            "keyword": sorted(n for n in names if n in (*KEYWORD_FIELDS, "section_keys")),
            "integer": sorted(n for n in names if n in INTEGER_FIELDS),
            "fulltext": sorted(n for n in names if n in TEXT_FIELDS),
            "bool": sorted(n for n in names if n in BOOL_FIELDS),
        }

    def add_missing_indexes(self) -> list[str]:
        """Create missing payload indexes; return their fields."""
        with self._translated(Code.STORAGE_ERROR, "The index could not be written"):
            return self._add_missing_indexes()

    def _add_missing_indexes(self) -> list[str]:
        existing = self._indexed()
        missing = {name: params for name, params in self._library.payload_indexes().items() if name not in existing}
        for name, params in missing.items():
            self._create_index(name, params)
        return list(missing)

    def vectors(self) -> tuple[int, bool]:
        """Return the size of dense vectors and whether there are sparse ones."""
        with self._translated(Code.INDEX_UNAVAILABLE, "The index does not answer"):
            return self._vectors()

    def on_disk(self) -> tuple[bool, bool]:
        """Return whether searches read exact vectors, and the search graph, from the disk instead of from memory."""
        with self._translated(Code.INDEX_UNAVAILABLE, "The index does not answer"):
            return self._on_disk()

    @contextmanager
    def _reading(self) -> Iterator[frozenset[str]]:
        """Register a reader; yield the sets that it must not see."""
        with self._reader_done:
            began, hidden = self._change, frozenset(self._hidden)
            self._readers[began] = self._readers.get(began, 0) + 1
        try:
            yield hidden
        finally:
            with self._reader_done:
                self._readers[began] -= 1
                if not self._readers[began]:
                    del self._readers[began]
                    self._reader_done.notify_all()

    def _wait_for_earlier_readers(self) -> None:
        self._change += 1
        now = self._change
        self._reader_done.wait_for(lambda: min(self._readers, default=now) >= now)

    def _visible(self, where: f.Condition, hidden: frozenset[str]) -> f.Condition:
        faults.point("index.visible")
        return f.Every((where, f.Not(f.AnyOf("version", tuple(sorted(hidden)))))) if hidden else where

    def _by_id(self, ids: Sequence[str], *, vectors: bool) -> list[Point]:
        if not ids:
            return []
        with self._translated(Code.QUERY_FAILED, "The passages could not be read"):
            found = {p.id: p for p in self._retrieve(list(dict.fromkeys(ids)), vectors=vectors)}
        return [found[id] for id in dict.fromkeys(ids) if id in found]

    def _passages(self, where: f.Condition, limit: int, *, in_order: bool) -> list[ScoredPoint]:
        with self._reading() as hidden, self._translated(Code.QUERY_FAILED, "The passages could not be read"):
            found = self._page(self._visible(where, hidden), limit, in_order=in_order)
        if in_order:  # several documents have the same chunk indexes, in any order
            found.sort(key=lambda point: (point.payload["chunk_index"], point.id))
        return [_hit(p) for p in found]

    def refuse_damaged(self) -> None:
        """Raise INDEX_UNAVAILABLE if the index was found to be damaged."""
        return

    @abstractmethod
    def close(self) -> None:
        """Flush and close the collection."""

    @abstractmethod
    def flush(self) -> None:
        """Flush pending writes."""

    @abstractmethod
    def _translated(self, code: Code, what: str) -> AbstractContextManager[None]:
        """Turn the backend's own exceptions into a CiteLoomError."""

    @abstractmethod
    def _write(self, points: Sequence[Point]) -> None:
        """Write a batch of passages."""

    @abstractmethod
    def _add_vectors(self, vectors: Mapping[str, Sequence[float]]) -> None:
        """Add dense vectors to a batch of passages; those that are gone are ignored."""

    @abstractmethod
    def _delete(self, where: f.Condition) -> None:
        """Delete passages."""

    @abstractmethod
    def _rewrite(self, where: f.Condition, values: dict[str, Any]) -> None:
        """Update payload values of passages."""

    @abstractmethod
    def _rankings(self, queries: Mapping[str, Vector], limit: int, where: f.Condition) -> dict[str, ranking.Ranking]:
        """Return ids with scores for each query: cosines for "dense", BM25 for "sparse"."""

    @abstractmethod
    def _retrieve(self, ids: Sequence[str], *, vectors: bool) -> list[Point]:
        """Return passages by id, in any order."""

    @abstractmethod
    def _page(
        self, where: f.Condition, limit: int, *, vectors: bool = False, in_order: bool = False, begin: str | None = None
    ) -> list[Point]:
        """Return matching passages ordered by id from `begin` on, or in document order."""

    @abstractmethod
    def _count(self, where: f.Condition) -> int:
        """Return the number of matching passages, hidden ones too."""

    @abstractmethod
    def _values(self, field: str, limit: int, where: f.Condition | None) -> dict[str, int]:
        """Return the values of a field with approximate counts."""

    @abstractmethod
    def _indexed(self) -> set[str]:
        """Return the fields that have an index."""

    @abstractmethod
    def _create_index(self, field: str, params: Any) -> None:
        """Create a payload index."""

    @abstractmethod
    def _vectors(self) -> tuple[int, bool]:
        """Return the size of dense vectors and whether there are sparse ones."""

    @abstractmethod
    def _on_disk(self) -> tuple[bool, bool]:
        """Return whether exact vectors, and the search graph, are read from the disk."""


def _hit(point: Point) -> ScoredPoint:
    return ScoredPoint(point.id, 1.0, point.payload)
