"""The time left of an import, by the measured rates of its lanes."""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest

from citeloom.core.jobs import Progress
from citeloom.importing import import_progress
from citeloom.importing.import_progress import ImportProgress, Lane


@dataclass
class Clock:
    """A clock that stands still until it is moved, with the progress that is measured by it."""

    now: float = 100.0
    told: list[Progress] = field(default_factory=list)

    def monotonic(self) -> float:
        return self.now

    def work(self, progress: ImportProgress, lane: Lane, seconds: float) -> None:
        with progress.working(lane):
            self.now += seconds

    def last(self, progress: ImportProgress) -> Progress:
        progress.report()
        return self.told[-1]


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    made = Clock()
    monkeypatch.setattr(import_progress, "time", made)
    return made


@pytest.fixture
def progress(clock: Clock) -> ImportProgress:
    return ImportProgress(clock.told.append)


def test_the_time_left_follows_the_measured_rate_of_each_lane(progress: ImportProgress, clock: Clock) -> None:
    for source in "ab":
        progress.add(source, 100)
    assert clock.last(progress).eta_seconds is None, "nothing was measured"
    clock.work(progress, Lane.WORDS, 10)
    progress.opened("a", 100, waiting=0, passages=100, without_vector=100)
    # 100 pages to read at 0.1 s, 200 to embed, which takes five times as long before it was measured.
    assert clock.last(progress).eta_seconds == 10 + 200 * 0.5
    clock.work(progress, Lane.VECTORS, 20)
    progress.embedded("a", 50)
    assert clock.last(progress).eta_seconds == 10 + 150 * 0.4
    clock.work(progress, Lane.WORDS, 10)
    progress.opened("b", 100, waiting=30, passages=70, without_vector=70)
    clock.work(progress, Lane.SLOW_PAGES, 90)
    progress.opened("b", 100, waiting=20, passages=80, without_vector=80)
    assert clock.last(progress).eta_seconds == 20 * 9, "slow pages are read beside the rest"
    for source in "ab":
        progress.embedded(source, 80)
        progress.finished(source)
    assert clock.last(progress).eta_seconds == 0


def test_readers_that_work_at_the_same_time_count_as_one(progress: ImportProgress, clock: Clock) -> None:
    for source in "abc":
        progress.add(source, 10)
    with progress.working(Lane.WORDS):
        clock.work(progress, Lane.WORDS, 5)
    for source in "ab":
        progress.opened(source, 10, waiting=0, passages=10, without_vector=0)
    assert clock.last(progress).eta_seconds == 10 * 0.25 + 10 * 1.25


def test_what_an_earlier_import_has_read_says_nothing_about_the_time_of_reading(
    progress: ImportProgress, clock: Clock
) -> None:
    progress.add_read("a", 100)
    progress.opened("a", 100, waiting=0, passages=100, without_vector=100)
    assert clock.last(progress).eta_seconds is None, "no page was read, none embedded"
    clock.work(progress, Lane.VECTORS, 25)
    progress.embedded("a", 50)
    assert clock.last(progress).eta_seconds == 25
    for source in "bc":
        progress.add(source, 10)
    assert clock.last(progress).eta_seconds is None
    clock.work(progress, Lane.WORDS, 5)
    progress.opened("b", 10, waiting=0, passages=10, without_vector=0)
    assert clock.last(progress).eta_seconds == 25 + 10 * 0.5 + 10 * 0.5


def test_a_stage_in_between_is_reported_and_then_the_one_before(progress: ImportProgress, clock: Clock) -> None:
    progress.add("a", 10)
    progress.report(stage="embed", file="a.pdf", page=3, pages=10)
    with progress.stage("search graph"):
        pass
    assert [(seen.stage, seen.file, seen.page) for seen in clock.told] == [
        ("embed", "a.pdf", 3),
        ("search graph", "", 0),
        ("embed", "a.pdf", 0),
    ]
    progress.report(waits_for="The disk is full.")
    assert clock.last(progress).waits_for == "", "it goes on"
