"""A collection, the passages of one project: what every index gives, and what is put into it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from citeloom.index import filters as f

KEYWORD_FIELDS = (
    "project_id", "doc_id", "citekey", "tags", "item_type", "text_source", "file_type", "collections", "source",
    "source_path", "version", "section_names",
)  # fmt: skip
INTEGER_FIELDS = ("year", "page_start", "page_end", "chunk_index")
TEXT_FIELDS = ("chunk_text", "title", "authors")
YES_NO_FIELDS = ("references",)  # passages of a list of references have it


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

    method: str = "rrf"
    k: int = 60


class Collection(ABC):
    """The passages of one project, wherever they are kept."""

    @abstractmethod
    def hide(self, passage_set: str) -> None:
        """Keep a set of passages from readers."""

    @abstractmethod
    def show(self, passage_set: str, *, instead_of: str | None = None) -> None:
        """Let readers see a set of passages, in one step with hiding another."""

    @abstractmethod
    def close(self) -> None:
        """Write everything out and let go of it."""

    @abstractmethod
    def flush(self) -> None:
        """Write everything out."""

    @abstractmethod
    def upsert(self, points: Sequence[Point]) -> None:
        """Write passages; writing one twice changes nothing."""

    @abstractmethod
    def delete(self, where: f.Condition) -> int:
        """Delete passages; gives how many there were."""

    @abstractmethod
    def rewrite(self, where: f.Condition, values: dict[str, Any]) -> None:
        """Give passages other values for some payload keys; nothing is embedded again."""

    @abstractmethod
    def search(
        self,
        dense: Sequence[float] | None,
        sparse: SparseVector | None,
        limit: int,
        where: f.Condition = f.EVERYTHING,
        fusion: Fusion | None = None,
    ) -> list[Hit]:
        """The nearest passages, best first, by meaning, by words, or by both."""

    @abstractmethod
    def get(self, ids: Sequence[str]) -> list[Hit]:
        """Passages by id; those that are not there, or not to be seen, are left out."""

    @abstractmethod
    def scroll(self, where: f.Condition, limit: int) -> list[Hit]:
        """Passages that fit, in the order of their place in the document."""

    @abstractmethod
    def any_passages(self, limit: int) -> list[Hit]:
        """A few passages, whichever they are."""

    @abstractmethod
    def stored(self, where: f.Condition, count: int) -> Iterator[Point]:
        """Passages that fit with their vectors, in the order of their place; `count` is how many places there are."""

    @abstractmethod
    def count(self, where: f.Condition = f.EVERYTHING) -> int:
        """How many passages fit."""

    @abstractmethod
    def values(self, field: str, limit: int) -> dict[str, int]:
        """The values of a field that has a keyword index, and about how many passages have each."""

    @abstractmethod
    def indexes(self) -> dict[str, list[str]]:
        """The payload indexes there are, by kind."""
