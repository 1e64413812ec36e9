"""The fair thread pool: clients are served in turn, and a call that would start too late is refused at once."""

from __future__ import annotations

import asyncio
import threading
from collections import defaultdict
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any

import pytest

from citeloom.core.errors import CiteLoomError, Code
from citeloom.engine import fair_queue
from citeloom.engine.fair_queue import FairThreadPool
from tests.support import WAIT

LONG = 3600.0


class PoolUnderTest:
    """A pool whose calls note that they have started, and end when they are released."""

    def __init__(self, threads: int) -> None:
        self.pool = FairThreadPool(threads)
        self.started: list[str] = []
        self.tasks: dict[str, asyncio.Task[str]] = {}
        self._may_end: defaultdict[str, threading.Event] = defaultdict(threading.Event)

    def ask(self, *names: str, seconds: float = LONG) -> None:
        """Begin calls; the first letter of a call is its client."""
        for name in names:
            work = partial(self._work, name, self._may_end[name])
            self.tasks[name] = asyncio.create_task(self.pool.run(name[0], name[0], work, seconds))

    async def wait_until_started(self, count: int) -> None:
        """Wait until so many calls have a thread."""
        async with asyncio.timeout(WAIT):
            while len(self.started) < count:
                await asyncio.sleep(0.001)

    async def finish(self, *names: str) -> list[str]:
        """Release calls, all of them if none is named, and return their answers."""
        for name in names or self.tasks:
            self._may_end[name].set()
        return list(await asyncio.gather(*(self.tasks[name] for name in names or self.tasks)))

    async def give_up(self, name: str) -> None:
        """Cancel a call."""
        self.tasks.pop(name).cancel()
        await a_moment()

    def close(self) -> None:
        """Release all calls."""
        for event in self._may_end.values():
            event.set()

    def _work(self, name: str, may_end: threading.Event) -> str:
        self.started.append(name)
        assert may_end.wait(WAIT)
        return f"answer to {name}"


def on_a_loop(test: Callable[[PoolUnderTest], Awaitable[Any]], threads: int = 2) -> None:
    async def run() -> None:
        calls = PoolUnderTest(threads)
        try:
            await test(calls)
        finally:
            calls.close()

    asyncio.run(run())


async def a_moment() -> None:
    for _ in range(5):
        await asyncio.sleep(0)


def test_those_who_wait_take_turns_and_everyone_gets_their_own_answer() -> None:
    async def test(calls: PoolUnderTest) -> None:
        calls.ask("a1", "a2", "a3", "a4")
        await calls.wait_until_started(1)
        calls.ask("b1", "b2", "c1", "c2")
        await calls.wait_until_started(2)
        for position in range(8):
            name = calls.started[position]
            assert await calls.finish(name) == [f"answer to {name}"]
            await calls.wait_until_started(min(8, position + 3))
        assert calls.started == ["a1", "b1", "a2", "b2", "c1", "a3", "c2", "a4"]

    on_a_loop(test)


def test_nobody_takes_more_than_half_of_the_threads() -> None:
    async def test(calls: PoolUnderTest) -> None:
        calls.ask("a1", "a2", "a3", "a4", "a5")
        await a_moment()
        assert calls.pool.queued == 3
        calls.ask("b1")
        await a_moment()
        assert calls.pool.queued == 3
        await calls.finish()

    on_a_loop(test, threads=4)


def test_more_calls_than_can_wait_are_refused_at_once_and_others_are_not(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fair_queue, "MAX_QUEUED", 2)

    async def test(calls: PoolUnderTest) -> None:
        calls.ask("a1", "a2", "a3")
        await a_moment()
        calls.ask("a4")
        with pytest.raises(CiteLoomError, match="Send a few at a time") as refused:
            await calls.tasks.pop("a4")
        assert refused.value.code == Code.TIMEOUT
        calls.ask("b1")
        assert len(await calls.finish()) == 4

    on_a_loop(test)


def test_what_would_wait_longer_than_its_time_is_refused_at_once() -> None:
    async def test(calls: PoolUnderTest) -> None:
        calls.pool._usual_seconds = {"a": 10.0, "b": 10.0}
        calls.ask("a1", "b1", "a2", "b2")  # two threads: a2 and b2 wait
        await a_moment()
        calls.ask("c1", seconds=9.0)
        with pytest.raises(CiteLoomError, match="about 10 seconds") as refused:
            await calls.tasks.pop("c1")
        assert refused.value.code == Code.TIMEOUT
        calls.ask("c2", seconds=11.0)
        assert len(await calls.finish()) == 5

    on_a_loop(test)


def test_a_call_that_nobody_waits_for_leaves_the_queue_or_its_thread() -> None:
    async def test(calls: PoolUnderTest) -> None:
        calls.ask("a1", "a2", "a3")
        await calls.wait_until_started(1)
        await calls.give_up("a2")
        assert calls.pool.queued == 1
        await calls.give_up("a1")  # its thread has not noticed: a3 gets another
        assert calls.pool.queued == 0
        assert await calls.finish() == ["answer to a3"]
        assert sorted(calls.started) == ["a1", "a3"]

    on_a_loop(test)


def test_calls_that_never_notice_keep_no_more_than_half_of_the_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fair_queue, "_MAX_ABANDONED", 1)

    async def test(calls: PoolUnderTest) -> None:
        calls.ask("a1", "a2", "a3")
        await calls.wait_until_started(1)
        await calls.give_up("a1")
        await calls.wait_until_started(2)
        await calls.give_up("a2")
        assert calls.pool.queued == 1
        calls.ask("b1")
        assert await calls.finish("b1") == ["answer to b1"]
        assert calls.pool.queued == 1
        calls.close()  # they end after all
        assert await calls.finish("a3") == ["answer to a3"]
        calls.ask("a4", "b2")
        assert len(await calls.finish()) == 4

    on_a_loop(test)


def test_an_error_comes_out_as_it_was() -> None:
    def fail() -> None:
        raise CiteLoomError(Code.QUERY_FAILED, "No.")

    async def test(calls: PoolUnderTest) -> None:
        with pytest.raises(CiteLoomError, match="No") as error:
            await calls.pool.run("a", "a", fail, LONG)
        assert error.value.code == Code.QUERY_FAILED
        calls.ask("a1")
        assert await calls.finish() == ["answer to a1"]

    on_a_loop(test)


def test_an_import_waits_while_somebody_is_answered_but_not_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    async def test(calls: PoolUnderTest) -> None:
        passed = threading.Event()

        def work() -> None:
            calls.pool.give_way()
            passed.set()

        monkeypatch.setattr(fair_queue, "_GIVE_WAY_SECONDS", WAIT)
        calls.ask("a1")
        await a_moment()
        importing = threading.Thread(target=work)
        importing.start()
        assert not passed.is_set()
        await calls.finish()
        importing.join(WAIT)
        assert passed.is_set()

        calls.ask("a2")
        await a_moment()
        monkeypatch.setattr(fair_queue, "_GIVE_WAY_SECONDS", 0.0)
        calls.pool.give_way()
        await calls.finish()

    on_a_loop(test)
