"""Passages for tests of an index: few dimensions, known words, an id and a place by number."""

from __future__ import annotations

import uuid
from typing import Any

from citeloom.index.base import Point, ScoredPoint, SparseVector

SIZE = 4  # dimensions


def ident(number: int) -> str:
    """The id of a passage."""
    return str(uuid.UUID(int=number + 1))


def point(number: int, version: str = "v1", **payload: Any) -> Point:
    """A passage that differs from others by its number."""
    words = SparseVector([number % 3, 7], [1.0 + number, 0.5])
    vector = [1.0, number / 10, -0.5, 0.25]
    return Point(ident(number), vector, words, {"version": version, "chunk_index": number, "doc_id": "d", **payload})


def numbers(hits: list[ScoredPoint]) -> list[int]:
    """Which passages were found."""
    return [hit.payload["chunk_index"] for hit in hits]
