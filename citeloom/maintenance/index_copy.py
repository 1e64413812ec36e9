"""Copies an index from one place to another, resumes a copy that was stopped, and checks that both are the same.

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

_BATCH = faults.number("index_copy.batch", 256)  # passages in one step
_SAMPLE = 200  # passages whose copies are compared once more at the end
_MIN_COSINE = 0.9999  # vectors are kept in single precision, and made to length 1 once more


class Retry(Protocol):
    """Runs a step, and runs it again where a lost connection ended it."""

    def __call__(self, step: Callable[[], _T], /) -> _T:
        """Return what the step returns."""


@dataclass(slots=True)
class Copied:
    """What a copy did."""

    passages: int = 0  # looked at
    written: int = 0  # of these: they were not there yet, or other ones
    sample: list[str] = field(default_factory=list)  # ids, by chance


def copy(
    source: Collection,
    target: Collection,
    report: Callable[[int, int], None],
    build_graph: Callable[[], None],
    stopped: Callable[[], bool],
    retried: Retry,
) -> Copied:
    """Write into the target what it lacks of the source, in the order of ids; every step may be repeated."""
    total, there = retried(source.count), retried(target.count)
    done, chance = Copied(), random.Random(total)
    after: str | None = None
    while points := retried(partial(source.points, after, _BATCH)):
        if stopped():
            raise JobStopped
        missing = points
        if there:  # only then can any of these be there
            known = {p.id: p for p in retried(partial(target.get_points, [p.id for p in points]))}
            missing = [p for p in points if p.id not in known or not same(p, known[p.id])]
        retried(partial(target.upsert, missing))
        done.written += len(missing)
        for point in points:
            done.passages += 1
            if len(done.sample) < _SAMPLE:
                done.sample.append(point.id)
            elif (at := chance.randrange(done.passages)) < _SAMPLE:
                done.sample[at] = point.id
        after = points[-1].id
        report(done.passages, total)
        build_graph()
    return done


def check(source: Collection, target: Collection, sample: Sequence[str]) -> None:
    """Prove that a copy holds as many passages as its source, and the same ones as far as a sample tells."""
    counts = source.count(), target.count()
    if counts[0] != counts[1]:
        raise _unequal(f"it holds {counts[1]:,} passages instead of {counts[0]:,}")
    for start in range(0, len(sample), _BATCH):
        ids = sample[start : start + _BATCH]
        copies = {point.id: point for point in target.get_points(ids)}
        for point in source.get_points(ids):
            if point.id not in copies:
                raise _unequal(f"the passage {point.id} is missing")
            if not same(point, copies[point.id]):
                raise _unequal(f"the passage {point.id} is another one")


def same(one: Point, other: Point) -> bool:
    """Whether two passages are the same, vectors as far as they can be kept."""
    if one.payload != other.payload or _words(one) != _words(other) or len(one.dense) != len(other.dense):
        return False
    lengths = sqrt(_product(one.dense, one.dense) * _product(other.dense, other.dense))
    return _product(one.dense, other.dense) >= _MIN_COSINE * lengths


def _words(point: Point) -> dict[int, float]:
    """The weights of words in single precision, in whatever order they came.

    Both places keep them so, but a server writes the shortest number that means the same, where Qdrant Edge gives the
    exact value of it.
    """
    if point.sparse is None:
        return {}
    return dict(zip(point.sparse.indices, array("f", point.sparse.values), strict=True))


def _product(one: Sequence[float], other: Sequence[float]) -> float:
    return float(sum(map(mul, one, other)))


def _unequal(how: str) -> CiteLoomError:
    return CiteLoomError(
        Code.STORAGE_ERROR,
        f"The copy of the index is not the same: {how}. The index stays where it was.",
        "Try it again; if that does not help, look after the server or the disk it was copied to.",
    )
