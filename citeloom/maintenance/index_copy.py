"""Copies an index to another location, resumes interrupted copies, and verifies the result.

Called by the jobs that move and back up indexes.
"""

from __future__ import annotations

import random
from array import array
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from math import sqrt
from operator import mul
from typing import Protocol, TypeVar

from citeloom.core import fault_injection as faults
from citeloom.core.errors import CiteLoomError, Code
from citeloom.core.jobs import JobStopped
from citeloom.index.base import Collection, Point

_T = TypeVar("_T")

_BATCH = faults.number("index_copy.batch", 256)  # passages per step
_SAMPLE = 200  # passages compared again at the end
_MIN_COSINE = 0.9999  # vectors are stored in single precision and normalised again


class Retry(Protocol):
    """Runs a step, and repeats it after a lost connection."""

    def __call__(self, step: Callable[[], _T], /) -> _T:
        """Run the step and return its result."""


@dataclass(slots=True)
class Copied:
    """Result of a copy."""

    passages: int = 0  # compared
    written: int = 0  # of these, passages that were missing or different in the target
    sample: list[str] = field(default_factory=list)  # random ids


def copy(
    source: Collection,
    target: Collection,
    report: Callable[[int, int], None],
    build_graph: Callable[[], None],
    stopped: Callable[[], bool],
    retried: Retry,
) -> Copied:
    """Write missing and different passages into the target, in the order of ids; every step may be repeated."""
    total, in_target = retried(source.count), retried(target.count)
    done, generator = Copied(), random.Random(total)
    after: str | None = None
    while points := retried(partial(source.points, after, _BATCH)):
        if stopped():
            raise JobStopped
        missing = points
        if in_target:  # otherwise none of these can exist in the target
            known = {p.id: p for p in retried(partial(target.get_points, [p.id for p in points]))}
            missing = [p for p in points if p.id not in known or not same(p, known[p.id])]
        retried(partial(target.upsert, missing))
        done.written += len(missing)
        for point in points:
            done.passages += 1
            if len(done.sample) < _SAMPLE:
                done.sample.append(point.id)
            elif (at := generator.randrange(done.passages)) < _SAMPLE:
                done.sample[at] = point.id
        after = points[-1].id
        report(done.passages, total)
        build_graph()
    return done


def check(source: Collection, target: Collection, sample: Sequence[str]) -> None:
    """Verify that a copy has as many passages as its source, and that a sample of them is the same."""
    counts = source.count(), target.count()
    if counts[0] != counts[1]:
        raise _different(f"it has {counts[1]:,} passages instead of {counts[0]:,}")
    for start in range(0, len(sample), _BATCH):
        ids = sample[start : start + _BATCH]
        copies = {point.id: point for point in target.get_points(ids)}
        for point in source.get_points(ids):
            if point.id not in copies:
                raise _different(f"the passage {point.id} is missing")
            if not same(point, copies[point.id]):
                raise _different(f"the passage {point.id} is different")


def same(one: Point, other: Point) -> bool:
    """Whether two passages are the same, with vectors compared within storage precision."""
    if one.payload != other.payload or _weights(one) != _weights(other):
        return False
    if one.dense is None or other.dense is None or len(one.dense) != len(other.dense):
        return one.dense is other.dense  # neither is embedded yet
    lengths = sqrt(_dot(one.dense, one.dense) * _dot(other.dense, other.dense))
    return _dot(one.dense, other.dense) >= _MIN_COSINE * lengths


def _weights(point: Point) -> dict[int, float]:
    """Return the weights of a sparse vector in single precision, independent of their order.

    Both backends store single precision, but a server sends the shortest decimal number that rounds to the value,
    while Qdrant Edge returns the exact value.
    """
    if point.sparse is None:
        return {}
    return dict(zip(point.sparse.indices, array("f", point.sparse.values), strict=True))


def _dot(one: Sequence[float], other: Sequence[float]) -> float:
    return float(sum(map(mul, one, other)))


def _different(how: str) -> CiteLoomError:
    return CiteLoomError(
        Code.STORAGE_ERROR,
        f"The copy of the index differs: {how}. The index stays where it was.",
        "Try again; if it fails again, check the server or the disk that it was copied to.",
    )
