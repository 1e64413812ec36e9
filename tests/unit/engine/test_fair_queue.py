"""Who asks for much waits for it himself: turns go round, and what would come too late is refused at once."""

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
from citeloom.engine.fair_queue import Turns
from tests.support import WAIT

LONG = 3600.0


class PageContext:
    """Turns whose calls note that they have come, and end when they are let go."""

    def __init__(self, threads: int) -> None:
        self.turns = Turns(threads)
        self.came: list[str] = []
        self.tasks: dict[str, asyncio.Task[str]] = {}
        self._may_end: defaultdict[str, threading.Event] = defaultdict(threading.Event)

    def ask(self, *names: str, seconds: float = LONG) -> None:
        """Begin calls; the first letter of a call is who asks."""
        for name in names:
            work = partial(self._work, name, self._may_end[name])
            self.tasks[name] = asyncio.create_task(self.turns.run(name[0], name[0], work, seconds))

    async def have_come(self, count: int) -> None:
        """Wait until so many calls have got a thread."""
        async with asyncio.timeout(WAIT):
            while len(self.came) < count:
                await asyncio.sleep(0.001)

    async def finish(self, *names: str) -> list[str]:
        """Let calls end, all of them if none is named; gives their answers."""
        for name in names or self.tasks:
            self._may_end[name].set()
        return list(await asyncio.gather(*(self.tasks[name] for name in names or self.tasks)))

    async def give_up(self, name: str) -> None:
        """Wait no longer for a call."""
        self.tasks.pop(name).cancel()
        await a_moment()

    def close(self) -> None:
        """Let every thread end."""
        for event in self._may_end.values():
            event.set()

    def _work(self, name: str, may_end: threading.Event) -> str:
        self.came.append(name)
        assert may_end.wait(WAIT)
        return f"answer to {name}"


def on_a_loop(test: Callable[[PageContext], Awaitable[Any]], threads: int = 2) -> None:
    async def run() -> None:
        desk = PageContext(threads)
        try:
            await test(desk)
        finally:
            desk.close()

    asyncio.run(run())


async def a_moment() -> None:
    for _ in range(5):
        await asyncio.sleep(0)


def test_those_who_wait_take_turns_and_everyone_gets_their_own_answer() -> None:
    async def test(desk: PageContext) -> None:
        desk.ask("a1", "a2", "a3", "a4")
        await desk.have_come(1)
        desk.ask("b1", "b2", "c1", "c2")
        await desk.have_come(2)
        for position in range(8):
            name = desk.came[position]
            assert await desk.finish(name) == [f"answer to {name}"]
            await desk.have_come(min(8, position + 3))
        assert desk.came == ["a1", "b1", "a2", "b2", "c1", "a3", "c2", "a4"]

    on_a_loop(test)


def test_nobody_takes_more_than_half_of_the_threads() -> None:
    async def test(desk: PageContext) -> None:
        desk.ask("a1", "a2", "a3", "a4", "a5")
        await a_moment()
        assert desk.turns.waiting == 3
        desk.ask("b1")
        await a_moment()
        assert desk.turns.waiting == 3
        await desk.finish()

    on_a_loop(test, threads=4)


def test_more_calls_than_can_wait_are_refused_at_once_and_others_are_not(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fair_queue, "MOST_WAITING", 2)

    async def test(desk: PageContext) -> None:
        desk.ask("a1", "a2", "a3")
        await a_moment()
        desk.ask("a4")
        with pytest.raises(CiteLoomError, match="Send a few at a time") as refused:
            await desk.tasks.pop("a4")
        assert refused.value.code == Code.TIMEOUT
        desk.ask("b1")
        assert len(await desk.finish()) == 4

    on_a_loop(test)


def test_what_would_wait_longer_than_its_time_is_refused_at_once() -> None:
    async def test(desk: PageContext) -> None:
        desk.turns._usual = {"a": 10.0, "b": 10.0}
        desk.ask("a1", "b1", "a2", "b2")  # two threads: a2 and b2 wait
        await a_moment()
        desk.ask("c1", seconds=9.0)
        with pytest.raises(CiteLoomError, match="about 10 seconds") as refused:
            await desk.tasks.pop("c1")
        assert refused.value.code == Code.TIMEOUT
        desk.ask("c2", seconds=11.0)
        assert len(await desk.finish()) == 5

    on_a_loop(test)


def test_a_call_that_nobody_waits_for_leaves_the_queue_or_its_thread() -> None:
    async def test(desk: PageContext) -> None:
        desk.ask("a1", "a2", "a3")
        await desk.have_come(1)
        await desk.give_up("a2")
        assert desk.turns.waiting == 1
        await desk.give_up("a1")  # its thread has not noticed: a3 gets another
        assert desk.turns.waiting == 0
        assert await desk.finish() == ["answer to a3"]
        assert sorted(desk.came) == ["a1", "a3"]

    on_a_loop(test)


def test_calls_that_never_notice_keep_no_more_than_half_of_the_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fair_queue, "_MOST_LEFT", 1)

    async def test(desk: PageContext) -> None:
        desk.ask("a1", "a2", "a3")
        await desk.have_come(1)
        await desk.give_up("a1")
        await desk.have_come(2)
        await desk.give_up("a2")
        assert desk.turns.waiting == 1
        desk.ask("b1")
        assert await desk.finish("b1") == ["answer to b1"]
        assert desk.turns.waiting == 1
        desk.close()  # they end after all
        assert await desk.finish("a3") == ["answer to a3"]
        desk.ask("a4", "b2")
        assert len(await desk.finish()) == 4

    on_a_loop(test)


def test_an_error_comes_out_as_it_was() -> None:
    def fail() -> None:
        raise CiteLoomError(Code.QUERY_FAILED, "No.")

    async def test(desk: PageContext) -> None:
        with pytest.raises(CiteLoomError, match="No") as error:
            await desk.turns.run("a", "a", fail, LONG)
        assert error.value.code == Code.QUERY_FAILED
        desk.ask("a1")
        assert await desk.finish() == ["answer to a1"]

    on_a_loop(test)


def test_an_import_waits_while_somebody_is_answered_but_not_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    async def test(desk: PageContext) -> None:
        passed = threading.Event()

        def work() -> None:
            desk.turns.give_way()
            passed.set()

        monkeypatch.setattr(fair_queue, "_GIVE_WAY_SECONDS", WAIT)
        desk.ask("a1")
        await a_moment()
        importing = threading.Thread(target=work)
        importing.start()
        assert not passed.is_set()
        await desk.finish()
        importing.join(WAIT)
        assert passed.is_set()

        desk.ask("a2")
        await a_moment()
        monkeypatch.setattr(fair_queue, "_GIVE_WAY_SECONDS", 0.0)
        desk.turns.give_way()
        await desk.finish()

    on_a_loop(test)
