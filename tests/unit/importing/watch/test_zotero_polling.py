"""Zotero is looked at often enough, synced seldom enough, and nothing that happens in it is missed."""

from __future__ import annotations

import itertools
import logging
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citeloom.core.errors import CiteLoomError, Code
from citeloom.importing.watch.zotero_polling import FULL_SYNC_INTERVAL, SYNC_INTERVAL, PollState, ZoteroPoller
from citeloom.zotero.types import ZoteroProbe
from tests.support import wait_for

SECONDS = 20.0
MINUTE = 60.0


@dataclass
class World:
    """A Zotero that opens, closes and changes at set times, and a clock that only moves when somebody waits."""

    openings: list[tuple[float, float]]  # from, to
    changes: list[float] = field(default_factory=list)
    sync_takes: float = 1.0
    failing: Callable[[float], bool] = lambda _: False
    database_readable: bool = True  # while Zotero is closed
    tells: bool = True  # whether anything changed
    now: float = 0.0
    looks: list[float] = field(default_factory=list)
    syncs: list[tuple[float, float]] = field(default_factory=list)  # begin, end
    failures: list[float] = field(default_factory=list)

    def look(self) -> ZoteroProbe:
        self.looks.append(self.now)
        reachable = self.open_at(self.now)
        known = self.tells and (reachable or self.database_readable)
        return ZoteroProbe(reachable, sum(at <= self.now for at in self.changes) if known else None)

    def sync(self) -> None:
        began = self.now
        self.now += self.sync_takes
        if self.failing(began):
            self.failures.append(began)
            raise CiteLoomError(Code.ZOTERO_UNAVAILABLE, "Zotero was closed in the middle.")
        self.syncs.append((began, self.now))

    def open_at(self, moment: float) -> bool:
        return any(begin <= moment < end for begin, end in self.openings)

    def live(self, until: float) -> World:
        watcher = ZoteroPoller(self.look, self.sync, lambda: True, SECONDS, clock=lambda: self.now)
        state = PollState()
        while self.now < until:
            state = watcher.step(state)
            assert state.wait > 0
            self.now += state.wait
        return self

    def synced_within(self, moment: float, seconds: float) -> bool:
        return any(moment <= begin <= moment + seconds for begin, _ in self.syncs)


times = st.floats(0, 4000, allow_nan=False)
worlds = st.builds(
    World,
    st.lists(st.tuples(times, times).map(lambda pair: (min(pair), max(pair))), max_size=4),
    st.lists(times, max_size=40),
    st.floats(0, 8),
    database_readable=st.booleans(),
)


@given(worlds)
def test_a_change_in_a_running_zotero_is_synced_within_a_minute(world: World) -> None:
    world.live(4200)
    for change in world.changes:
        if any(begin <= change and change + MINUTE < end for begin, end in world.openings):
            assert world.synced_within(change, MINUTE)


@given(times, st.lists(times, max_size=10), st.floats(0, 8), st.booleans())
def test_an_opened_zotero_is_synced_within_a_minute(
    opens: float, changes: list[float], takes: float, readable: bool
) -> None:
    world = World([(opens, 1e9)], changes, takes, database_readable=readable).live(4200)
    assert world.synced_within(opens, MINUTE + takes)  # it may open while its database is being read


@given(worlds, st.sets(st.integers(0, 100)))
def test_between_two_syncs_there_is_always_a_rest_even_when_they_fail(world: World, bad: set[int]) -> None:
    world.failing = lambda began: int(began) % 100 in bad
    world.live(4200)
    tried = sorted([*(begin for begin, _ in world.syncs), *world.failures])
    for earlier, later in itertools.pairwise(tried):
        assert later - (earlier + world.sync_takes) >= SYNC_INTERVAL - 1e-6


@given(st.lists(st.floats(0, 2000), min_size=1, max_size=30), st.floats(1, 8))
def test_the_last_change_is_never_left_out(changes: list[float], takes: float) -> None:
    world = World([(0, 1e9)], changes, takes).live(2200)
    assert world.syncs[-1][0] >= max(changes)


def test_what_was_saved_just_before_zotero_closed_is_read_from_its_database() -> None:
    world = World([(0, 1000)], [999.0]).live(1100)
    assert world.synced_within(1000, MINUTE)
    unreadable = World([(0, 1000)], [999.0], database_readable=False).live(2000)
    assert not unreadable.synced_within(1000, 1000)


def test_an_unchanged_zotero_is_looked_at_often_and_synced_four_times_an_hour() -> None:
    world = World([(0, 1e9)]).live(3600)
    assert len(world.looks) >= 3600 / SECONDS - 5
    assert [round(begin / FULL_SYNC_INTERVAL) for begin, _ in world.syncs] == [0, 1, 2, 3]


def test_a_closed_zotero_is_looked_at_less_and_less_down_to_once_a_minute() -> None:
    world = World([(0, 100)], database_readable=False).live(700)
    closed = [at for at in world.looks if at >= 100]
    gaps = [round(later - earlier) for earlier, later in itertools.pairwise(closed)]
    assert gaps[:3] == [20, 40, 60] and set(gaps[3:]) == {60}
    assert len(world.syncs) == 1


@pytest.mark.parametrize("tells", [True, False])
def test_a_sync_that_failed_is_tried_again_less_and_less_often_until_it_succeeds(tells: bool) -> None:
    world = World([(0, 1e9)], failing=lambda began: began < 700, tells=tells).live(1500)
    gaps = [later - earlier for earlier, later in zip(world.failures, world.failures[1:], strict=False)]
    assert gaps == sorted(gaps) and gaps[-1] > 3 * gaps[0]
    assert len(world.syncs) == 1, "once it has succeeded there is nothing left to do"


def test_a_zotero_that_was_opened_anew_does_not_pay_for_the_failures_of_the_old_one() -> None:
    world = World([(0, 1000), (1100, 1e9)], failing=lambda began: began < 1000).live(1500)
    assert len(world.failures) > 3 and world.synced_within(1100, MINUTE)


@pytest.fixture
def running() -> Iterator[Callable[..., ZoteroPoller]]:
    made: list[ZoteroPoller] = []

    def start(*args: Callable[[], object]) -> ZoteroPoller:
        made.append(ZoteroPoller(*args, seconds=0))  # type: ignore[arg-type]
        made[-1].start()
        return made[-1]

    yield start
    for watcher in made:
        watcher.stop()


def test_it_sleeps_while_no_project_has_zotero_sources(running: Callable[..., ZoteroPoller]) -> None:
    asked = threading.Event()
    looked: list[int] = []

    def wanted() -> bool:
        asked.set()
        return False

    watcher = running(lambda: looked.append(1), lambda: None, wanted)
    assert asked.wait(60)
    watcher.stop()
    assert not looked


def test_no_failure_ends_it_and_stopping_does(
    running: Callable[..., ZoteroPoller], caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("SYNC_INTERVAL", "MAX_WAIT"):
        monkeypatch.setattr(f"citeloom.importing.watch.zotero_polling.{name}", 0.01)
    monkeypatch.setattr("citeloom.importing.watch.zotero_polling._MIN_WAIT", 0.01)
    looks, syncs = iter(range(10**9)), iter(range(10**9))
    synced = threading.Event()

    def look() -> ZoteroProbe:
        number = next(looks)
        if number == 1:
            raise RuntimeError("a look failed")
        return ZoteroProbe(True, number)

    def sync() -> None:
        number = next(syncs)
        if number == 0:
            raise RuntimeError("a sync failed")
        if number == 1:
            raise CiteLoomError(Code.ZOTERO_UNAVAILABLE, "Zotero has gone.")
        synced.set()

    with caplog.at_level(logging.WARNING):
        watcher = running(look, sync, lambda: True)
        assert synced.wait(60)
    watcher.stop()
    after = next(looks)
    wait_for(lambda: not watcher._thread.is_alive(), "the thread to end")
    assert next(looks) == after + 1, "nothing was looked at after the stop"
    said = [(record.levelname, bool(record.exc_info)) for record in caplog.records[:3]]
    assert sorted(said) == [("ERROR", True), ("ERROR", True), ("WARNING", False)]


def test_a_watcher_that_was_never_started_can_be_stopped() -> None:
    ZoteroPoller(lambda: ZoteroProbe(False), lambda: None, lambda: True, SECONDS).stop()


def test_who_is_poked_syncs_at_the_next_look_although_nothing_changed() -> None:
    syncs: list[float] = []
    now = [0.0]
    watcher = ZoteroPoller(
        lambda: ZoteroProbe(True, "same"), lambda: syncs.append(now[0]), lambda: True, 20, lambda: now[0]
    )
    state = watcher.step(PollState())
    for now[0] in (100.0, 200.0):
        state = watcher.step(state)
    assert syncs == [0.0]
    watcher.sync_soon()
    for now[0] in (300.0, 400.0):
        state = watcher.step(state)
    assert syncs == [0.0, 300.0]
