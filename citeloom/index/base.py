"""A collection, the passages of one project: what every index gives, and what is put into it."""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from typing import Any

from citeloom.core import fault_injection as faults
from citeloom.core.errors import Code
from citeloom.index import filters as f
from citeloom.index import fusion as ranking

KEYWORD_FIELDS = (
    "project_id", "doc_id", "citekey", "tags", "item_type", "text_source", "file_type", "collections", "source",
    "source_path", "version", "section_names",
)  # fmt: skip
INTEGER_FIELDS = ("year", "page_start", "page_end", "chunk_index")
TEXT_FIELDS = ("chunk_text", "title", "authors")
YES_NO_FIELDS = ("references",)  # passages of a list of references have it

# Each call into Qdrant Edge holds Python's lock, so that large batches would make questions wait.
BATCH = faults.number("index.batch", 64)
_FEWEST_CANDIDATES = 50


@dataclass(frozen=True, slots=True)
class SparseVector:
    """Weighted words."""

    indices: list[int]
    values: list[float]


@dataclass(frozen=True, slots=True)
class Point:
    """A passage as the index stores it."""

    id: str  # a UUID
    dense: Sequence[float]
    sparse: SparseVector | None
    payload: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Hit:
    """A passage as the index found it."""

    id: str
    score: float  # 0 to 1
    payload: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Fusion:
    """How the two rankings of a hybrid search become one."""

    method: str = "blend"
    k: int = 60


class Collection(ABC):
    """The passages of one project, wherever they are kept.

    A backend gives the steps at the end; what they add up to is the same for all.
    """

    def __init__(self) -> None:
        # Sets of passages that readers must not see: being written, or replaced and not yet deleted. Each reader
        # keeps to its end what it saw at its beginning, and who changes this waits for those who began before: a
        # search sees a document's old set or its new one, no search waits for another.
        self._hidden: set[str] = set()
        self._change = 0
        self._readers: dict[int, int] = {}  # how many are reading, by the change they began after
        self._reader_left = threading.Condition()

    def hide(self, passage_set: str) -> None:
        """Keep a set of passages from readers."""
        with self._reader_left:
            self._hidden.add(passage_set)
            self._wait_for_earlier_readers()

    def show(self, passage_set: str, *, instead_of: str | None = None) -> None:
        """Let readers see a set of passages, in one step with hiding another."""
        with self._reader_left:
            self._hidden.discard(passage_set)
            if instead_of is not None:
                self._hidden.add(instead_of)
            self._wait_for_earlier_readers()

    def upsert(self, points: Sequence[Point]) -> None:
        """Write passages; writing one twice changes nothing."""
        for start in range(0, len(points), BATCH):
            with self._translated(Code.STORAGE_ERROR, "The index could not be written"):
                self._write(points[start : start + BATCH])
            faults.point("index.batch_written", points[start].payload.get("source"))

    def delete(self, where: f.Condition) -> int:
        """Delete passages; gives how many there were."""
        with self._translated(Code.STORAGE_ERROR, "The index could not be written"):
            count = self._count(where)
            if count:
                self._delete(where)
            faults.point("index.deleted")
            return count

    def rewrite(self, where: f.Condition, values: dict[str, Any]) -> None:
        """Give passages other values for some payload keys; nothing is embedded again."""
        with self._translated(Code.STORAGE_ERROR, "The index could not be written"):
            self._rewrite(where, values)

    def search(
        self,
        dense: Sequence[float] | None,
        sparse: SparseVector | None,
        limit: int,
        where: f.Condition = f.EVERYTHING,
        fusion: Fusion | None = None,
    ) -> list[Hit]:
        """The nearest passages, best first, by meaning, by words, or by both; equal ones by id.

        Among very many that are equally near, which ones are looked at is the index's choice.
        """
        if sparse is not None and not sparse.indices:
            sparse = None
        if dense is not None and fusion is None:
            sparse = None
        if dense is None and sparse is None:
            return []
        each = max(_FEWEST_CANDIDATES, 3 * limit)
        with self._reading() as hidden, self._translated(Code.QUERY_FAILED, "The search failed"):
            visible = self._visible(where, hidden)
            by_meaning, by_words = self._rankings(dense, sparse, each, visible)
            if fusion is not None and dense is not None and sparse is not None:
                chosen = ranking.fuse(by_meaning, by_words, fusion, limit)
            elif dense is not None:
                chosen = ranking.by_meaning_alone(by_meaning, limit)
            else:
                chosen = ranking.by_words_alone(by_words, limit)
            found = {p.id: p.payload for p in self._retrieve([id for id, _ in chosen], vectors=False)}
        return [Hit(id, score, found[id]) for id, score in chosen if id in found]

    def get(self, ids: Sequence[str]) -> list[Hit]:
        """Passages by id, in the order asked for; those that are not there, or not to be seen, are left out."""
        with self._reading() as hidden:
            return [_hit(p) for p in self._by_id(ids, vectors=False) if p.payload.get("version") not in hidden]

    def get_points(self, ids: Sequence[str]) -> list[Point]:
        """Passages by id with their vectors, in the order asked for, hidden ones too."""
        return self._by_id(ids, vectors=True)

    def scroll(self, where: f.Condition, limit: int) -> list[Hit]:
        """Passages that fit, in the order of their place in the document."""
        return self._passages(where, limit, by_place=True)

    def any_passages(self, limit: int) -> list[Hit]:
        """A few passages, whichever they are."""
        return self._passages(f.EVERYTHING, limit, by_place=False)

    def stored(self, where: f.Condition, count: int) -> Iterator[Point]:
        """Passages that fit with their vectors, in the order of their place; `count` is how many places there are."""
        for start in range(0, count, BATCH):
            here = f.Every((where, f.Range("chunk_index", gte=start, lt=start + BATCH)))
            with self._reading() as hidden, self._translated(Code.QUERY_FAILED, "The passages could not be read"):
                found = self._page(self._visible(here, hidden), BATCH, vectors=True)
            yield from sorted(found, key=lambda point: int(point.payload["chunk_index"]))

    def points(self, after: str | None, limit: int) -> list[Point]:
        """Passages with their vectors in the order of their ids, hidden ones too, from the one after this id."""
        with self._translated(Code.QUERY_FAILED, "The passages could not be read"):
            # The index begins with the id it is given.
            found = self._page(f.EVERYTHING, limit + (after is not None), vectors=True, begin=after)
        return [p for p in found if p.id != after][:limit]

    def count(self, where: f.Condition = f.EVERYTHING) -> int:
        """How many passages fit."""
        with self._reading() as hidden, self._translated(Code.QUERY_FAILED, "The passages could not be counted"):
            return self._count(self._visible(where, hidden))

    def values(self, field: str, limit: int) -> dict[str, int]:
        """The values of a field that has a keyword index, and about how many passages have each."""
        with self._reading() as hidden, self._translated(Code.QUERY_FAILED, "The values could not be counted"):
            return self._values(field, limit, self._visible(f.EVERYTHING, hidden) if hidden else None)

    def indexes(self) -> dict[str, list[str]]:
        """The payload indexes there are, by kind."""
        with self._translated(Code.INDEX_UNAVAILABLE, "The index does not answer"):
            names = self._indexed()
        return {
            "keyword": sorted(n for n in names if n in (*KEYWORD_FIELDS, "section_keys")),
            "integer": sorted(n for n in names if n in INTEGER_FIELDS),
            "fulltext": sorted(n for n in names if n in TEXT_FIELDS),
            "bool": sorted(n for n in names if n in YES_NO_FIELDS),
        }

    def add_missing_indexes(self) -> list[str]:
        """Make the payload indexes that filters need and that are not there; gives their fields."""
        with self._translated(Code.STORAGE_ERROR, "The index could not be written"):
            return self._add_missing_indexes()

    def vectors(self) -> tuple[int, bool]:
        """How many numbers a dense vector has, and whether there are sparse ones."""
        with self._translated(Code.INDEX_UNAVAILABLE, "The index does not answer"):
            return self._vectors()

    @contextmanager
    def _reading(self) -> Iterator[frozenset[str]]:
        """The sets that this reader must not see, to its end."""
        with self._reader_left:
            began, hidden = self._change, frozenset(self._hidden)
            self._readers[began] = self._readers.get(began, 0) + 1
        try:
            yield hidden
        finally:
            with self._reader_left:
                self._readers[began] -= 1
                if not self._readers[began]:
                    del self._readers[began]
                    self._reader_left.notify_all()

    def _wait_for_earlier_readers(self) -> None:
        self._change += 1
        now = self._change
        self._reader_left.wait_for(lambda: min(self._readers, default=now) >= now)

    def _visible(self, where: f.Condition, hidden: frozenset[str]) -> f.Condition:
        faults.point("index.visible")
        return f.Every((where, f.Not(f.AnyOf("version", tuple(sorted(hidden)))))) if hidden else where

    def _by_id(self, ids: Sequence[str], *, vectors: bool) -> list[Point]:
        if not ids:
            return []
        with self._translated(Code.QUERY_FAILED, "The passages could not be read"):
            found = {p.id: p for p in self._retrieve(list(dict.fromkeys(ids)), vectors=vectors)}
        return [found[id] for id in dict.fromkeys(ids) if id in found]

    def _passages(self, where: f.Condition, limit: int, *, by_place: bool) -> list[Hit]:
        with self._reading() as hidden, self._translated(Code.QUERY_FAILED, "The passages could not be read"):
            found = self._page(self._visible(where, hidden), limit, by_place=by_place)
        if by_place:  # places are equal in several documents, and then in any order
            found.sort(key=lambda point: (point.payload["chunk_index"], point.id))
        return [_hit(p) for p in found]

    def refuse_damaged(self) -> None:
        """Raise INDEX_UNAVAILABLE where what it holds has been found to be damaged."""
        return

    @abstractmethod
    def close(self) -> None:
        """Write everything out and let go of it."""

    @abstractmethod
    def flush(self) -> None:
        """Write everything out."""

    @abstractmethod
    def _translated(self, code: Code, what: str) -> AbstractContextManager[None]:
        """Turn the backend's own exceptions into a CiteLoomError."""

    @abstractmethod
    def _write(self, points: Sequence[Point]) -> None:
        """Write a batch of passages."""

    @abstractmethod
    def _delete(self, where: f.Condition) -> None:
        """Delete passages."""

    @abstractmethod
    def _rewrite(self, where: f.Condition, values: dict[str, Any]) -> None:
        """Give passages other values for some payload keys."""

    @abstractmethod
    def _rankings(
        self, dense: Sequence[float] | None, sparse: SparseVector | None, limit: int, where: f.Condition
    ) -> tuple[dict[str, float], dict[str, float]]:
        """The nearest ids by meaning with their cosines and by words with their weights; empty where not asked."""

    @abstractmethod
    def _retrieve(self, ids: Sequence[str], *, vectors: bool) -> list[Point]:
        """Passages by id, in any order; without vectors unless they are asked for."""

    @abstractmethod
    def _page(
        self, where: f.Condition, limit: int, *, vectors: bool = False, by_place: bool = False, begin: str | None = None
    ) -> list[Point]:
        """Passages that fit in the order of their ids, from an id on, or in the order of their places."""

    @abstractmethod
    def _count(self, where: f.Condition) -> int:
        """How many passages fit, hidden or not."""

    @abstractmethod
    def _values(self, field: str, limit: int, where: f.Condition | None) -> dict[str, int]:
        """The values of a field, and about how many passages have each."""

    @abstractmethod
    def _indexed(self) -> set[str]:
        """The fields that have an index."""

    @abstractmethod
    def _add_missing_indexes(self) -> list[str]:
        """Make the payload indexes that are not there; gives their fields."""

    @abstractmethod
    def _vectors(self) -> tuple[int, bool]:
        """How many numbers a dense vector has, and whether there are sparse ones."""


def _hit(point: Point) -> Hit:
    return Hit(point.id, 1.0, point.payload)
