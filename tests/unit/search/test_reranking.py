"""Passages read again with the question: other scores, what that cost, and the plain order where time runs out."""

from __future__ import annotations

import time
from collections.abc import Sequence

import pytest

from citeloom.core.cancel import Cancel
from citeloom.core.errors import CiteLoomError, Code
from citeloom.index.base import ScoredPoint
from citeloom.search.grouping import HitGroup
from citeloom.search.query import rerank


class ByLength:
    """A judge that likes long texts."""

    name = "by-length"

    def __init__(self, cancel: Cancel | None = None) -> None:
        self.read = 0
        self._cancel = cancel

    def scores(self, question: str, texts: Sequence[str]) -> list[float]:
        self.read += len(texts)
        if self._cancel:
            self._cancel.set()
        return [len(text) / 10 for text in texts]


def passages(count: int) -> list[HitGroup]:
    return [HitGroup([ScoredPoint(str(n), 0.5, {"chunk_text": "x" * n})], 0.5) for n in range(1, count + 1)]


def test_passages_get_the_scores_of_the_judge_within_bounds_and_the_cost_is_said() -> None:
    groups = passages(12)
    cost = rerank(ByLength(), "q", groups, time.monotonic() + 60, Cancel())
    assert [one.merged().score for one in groups] == [n / 10 for n in range(1, 11)] + [1.0, 1.0]
    assert cost and (cost.model, cost.candidates) == ("by-length", 12)
    assert cost.seconds >= 0


def test_without_time_nothing_changes() -> None:
    groups, judge = passages(12), ByLength()
    assert rerank(judge, "q", groups, time.monotonic() - 1, Cancel()) is None
    assert {one.score for one in groups} == {0.5}
    assert judge.read == 0


def test_it_stops_when_nobody_waits_any_more() -> None:
    cancel = Cancel()
    judge = ByLength(cancel)
    with pytest.raises(CiteLoomError) as caught:
        rerank(judge, "q", passages(30), time.monotonic() + 60, cancel)
    assert caught.value.code == Code.TIMEOUT
    assert judge.read < 30
