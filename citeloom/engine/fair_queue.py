"""Threads for what is asked of the engine, in fair turns: nobody waits for another's many calls, nor in vain."""

from __future__ import annotations

import asyncio
import threading
from collections import Counter, deque
from collections.abc import Callable, Hashable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from enum import Enum, auto
from functools import partial
from itertools import islice
from typing import Any, TypeVar

from citeloom.core import fault_injection as faults
from citeloom.core.errors import CiteLoomError, Code
from citeloom.core.processes import cores

MOST_WAITING = 100  # calls of one asker; an agent that works through a list sends a dozen or two at once
_MOST_LEFT = 16  # calls that nobody waits for any more and that have not noticed yet
_GIVE_WAY_SECONDS = 0.1  # an import waits no longer than this for questions, so that it comes to its end

T = TypeVar("T")


class _State(Enum):
    WAITS = auto()
    RUNS = auto()
    LEFT = auto()  # it runs, and nobody waits for it
    OVER = auto()


@dataclass(slots=True, eq=False)
class _Call:
    asker: Hashable
    kind: str
    work: Callable[[], Any]
    ended: asyncio.Future[Future[Any]]
    state: _State = _State.WAITS
    began: float = 0.0


class Turns:
    """Runs calls in threads. Those who have calls waiting take turns, and nobody has more than half of the threads.

    Lives on one event loop; `give_way` alone is for other threads.
    """

    def __init__(self, threads: int = 0) -> None:
        # Half of them are as many as there are cores: what waits for a disk or a server leaves room for others.
        self._threads = faults.number("engine.call_threads", threads or max(4, 2 * cores()))
        self._each = max(1, self._threads // 2)
        self._pool = ThreadPoolExecutor(self._threads + _MOST_LEFT, thread_name_prefix="turn")
        self._waiting: dict[Hashable, deque[_Call]] = {}  # whose turn is next comes first
        self._running: Counter[Hashable] = Counter()
        self._left = 0
        self._usual: dict[str, float] = {}  # seconds that a call of a kind takes
        self._quiet = threading.Event()
        self._quiet.set()

    async def run(self, asker: Hashable, kind: str, work: Callable[[], T], seconds: float) -> T:
        """Do some work when it is its turn; TIMEOUT at once where that would be later than in so many seconds."""
        loop = asyncio.get_running_loop()
        self._check_room(asker, seconds)
        call = _Call(asker, kind, work, loop.create_future())
        self._waiting.setdefault(asker, deque()).append(call)
        self._start_next(loop)
        try:
            ended: Future[T] = await call.ended
        except asyncio.CancelledError:
            self._leave(call)
            self._start_next(loop)
            raise
        return ended.result()

    def give_way(self) -> None:
        """Let those go first who wait for an answer; for threads whose work nobody waits for."""
        self._quiet.wait(_GIVE_WAY_SECONDS)

    @property
    def waiting(self) -> int:
        """How many calls wait for their turn."""
        return sum(map(len, self._waiting.values()))

    def _check_room(self, asker: Hashable, seconds: float) -> None:
        own = len(self._waiting.get(asker, ()))
        if own >= MOST_WAITING:
            raise CiteLoomError(
                Code.TIMEOUT,
                f"{own} calls of this session wait for their turn already.",
                "Send a few at a time, and the next when they are answered.",
            )
        if self._running.total() < self._threads and self._running[asker] < self._each:
            return
        before = [call for calls in self._waiting.values() for call in islice(calls, own + 1)]
        at_once = min(self._threads, self._each * len({asker, *self._waiting}))
        expected = sum(self._usual.get(call.kind, 0.0) for call in before) / at_once
        if expected > seconds:
            raise CiteLoomError(
                Code.TIMEOUT,
                f"So much is being asked that this would have to wait for about {expected:.0f} seconds.",
                "Try again in a moment.",
            )

    def _start_next(self, loop: asyncio.AbstractEventLoop) -> None:
        while self._running.total() < self._threads:
            asker = next((asker for asker in self._waiting if self._running[asker] < self._each), None)
            if asker is None:
                break
            calls = self._waiting.pop(asker)
            call = calls.popleft()
            if calls:
                self._waiting[asker] = calls  # behind all others
            self._running[asker] += 1
            call.state, call.began = _State.RUNS, loop.time()
            self._pool.submit(call.work).add_done_callback(partial(_tell, loop, self._end, call))
        faults.point("engine.calls_waiting", self.waiting)
        if self._running:
            self._quiet.clear()
        else:
            self._quiet.set()

    def _end(self, call: _Call, done: Future[Any]) -> None:
        loop = call.ended.get_loop()
        took, usual = loop.time() - call.began, self._usual.get(call.kind)
        self._usual[call.kind] = took if usual is None else 0.9 * usual + 0.1 * took
        if call.state is _State.LEFT:
            self._left -= 1
        else:
            self._give_back(call)
        call.state = _State.OVER
        if not call.ended.done():
            call.ended.set_result(done)
        self._start_next(loop)

    def _leave(self, call: _Call) -> None:
        """Nobody waits for a call any more. Its thread will notice soon; if not, it must not be missed."""
        if call.state is _State.WAITS:
            calls = self._waiting[call.asker]
            calls.remove(call)
            if not calls:
                del self._waiting[call.asker]
        elif call.state is _State.RUNS and self._left < _MOST_LEFT:
            call.state = _State.LEFT
            self._left += 1
            self._give_back(call)

    def _give_back(self, call: _Call) -> None:
        self._running[call.asker] -= 1
        if not self._running[call.asker]:
            del self._running[call.asker]


def _tell(loop: asyncio.AbstractEventLoop, *what: Any) -> None:
    with suppress(RuntimeError):  # the engine has ended meanwhile
        loop.call_soon_threadsafe(*what)
