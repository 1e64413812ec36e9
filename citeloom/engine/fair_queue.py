"""Thread pool that shares its threads fairly between clients. The server runs every tool call and search in it."""

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

MAX_QUEUED = 100  # calls of one client; an agent that works through a list sends a dozen or two at once
_MAX_ABANDONED = 16  # calls that are still running although nobody waits for them
_GIVE_WAY_SECONDS = 0.1  # an import waits no longer than this for questions, so that it always finishes

T = TypeVar("T")


class _State(Enum):
    QUEUED = auto()
    RUNNING = auto()
    ABANDONED = auto()  # still running, but nobody waits for it
    DONE = auto()


@dataclass(slots=True, eq=False)
class _Call:
    client: Hashable
    kind: str
    work: Callable[[], Any]
    done: asyncio.Future[Future[Any]]
    state: _State = _State.QUEUED
    started: float = 0.0


class FairThreadPool:
    """Runs calls in threads: round-robin over clients with queued calls, at most half of the threads for one client.

    Must be used from one event loop, except `give_way`, which is for other threads.
    """

    def __init__(self, threads: int = 0) -> None:
        # Half of them are as many as there are cores: calls that wait for a disk or a server leave room for others.
        self._threads = faults.number("engine.call_threads", threads or max(4, 2 * cores()))
        self._per_client = max(1, self._threads // 2)
        self._executor = ThreadPoolExecutor(self._threads + _MAX_ABANDONED, thread_name_prefix="call")
        self._queues: dict[Hashable, deque[_Call]] = {}  # by client; the next one to be served comes first
        self._running: Counter[Hashable] = Counter()  # by client
        self._abandoned = 0
        self._usual_seconds: dict[str, float] = {}  # by kind of call
        self._idle = threading.Event()
        self._idle.set()

    async def run(self, client: Hashable, kind: str, work: Callable[[], T], seconds: float) -> T:
        """Run `work` in a thread and return its result; raise TIMEOUT at once if it could not start in that time."""
        loop = asyncio.get_running_loop()
        self._check_wait(client, seconds)
        call = _Call(client, kind, work, loop.create_future())
        self._queues.setdefault(client, deque()).append(call)
        self._start_next(loop)
        try:
            done: Future[T] = await call.done
        except asyncio.CancelledError:
            self._abandon(call)
            self._start_next(loop)
            raise
        return done.result()

    def give_way(self) -> None:
        """Wait a moment while calls are running; for background threads."""
        self._idle.wait(_GIVE_WAY_SECONDS)

    @property
    def queued(self) -> int:
        """The number of calls that wait for a thread."""
        return sum(map(len, self._queues.values()))

    def _check_wait(self, client: Hashable, seconds: float) -> None:
        own = len(self._queues.get(client, ()))
        if own >= MAX_QUEUED:
            raise CiteLoomError(
                Code.TIMEOUT,
                f"{own} calls of this session are queued already.",
                "Send a few at a time, and more when they are answered.",
            )
        if self._running.total() < self._threads and self._running[client] < self._per_client:
            return
        before = [call for queue in self._queues.values() for call in islice(queue, own + 1)]
        at_once = min(self._threads, self._per_client * len({client, *self._queues}))
        expected = sum(self._usual_seconds.get(call.kind, 0.0) for call in before) / at_once
        if expected > seconds:
            raise CiteLoomError(
                Code.TIMEOUT,
                f"CiteLoom is busy: this would have to wait for about {expected:.0f} seconds.",
                "Try again in a moment.",
            )

    def _start_next(self, loop: asyncio.AbstractEventLoop) -> None:
        while self._running.total() < self._threads:
            client = next((client for client in self._queues if self._running[client] < self._per_client), None)
            if client is None:
                break
            queue = self._queues.pop(client)
            call = queue.popleft()
            if queue:
                self._queues[client] = queue  # after all other clients
            self._running[client] += 1
            call.state, call.started = _State.RUNNING, loop.time()
            self._executor.submit(call.work).add_done_callback(partial(_call_in_loop, loop, self._finish, call))
        faults.point("engine.calls_waiting", self.queued)
        if self._running:
            self._idle.clear()
        else:
            self._idle.set()

    def _finish(self, call: _Call, done: Future[Any]) -> None:
        loop = call.done.get_loop()
        took, usual = loop.time() - call.started, self._usual_seconds.get(call.kind)
        self._usual_seconds[call.kind] = took if usual is None else 0.9 * usual + 0.1 * took
        if call.state is _State.ABANDONED:
            self._abandoned -= 1
        else:
            self._release_thread(call)
        call.state = _State.DONE
        if not call.done.done():
            call.done.set_result(done)
        self._start_next(loop)

    def _abandon(self, call: _Call) -> None:
        """Remove a call that nobody waits for from the queue, or have another thread replace the one that runs it."""
        if call.state is _State.QUEUED:
            queue = self._queues[call.client]
            queue.remove(call)
            if not queue:
                del self._queues[call.client]
        elif call.state is _State.RUNNING and self._abandoned < _MAX_ABANDONED:
            call.state = _State.ABANDONED
            self._abandoned += 1
            self._release_thread(call)

    def _release_thread(self, call: _Call) -> None:
        self._running[call.client] -= 1
        if not self._running[call.client]:
            del self._running[call.client]


def _call_in_loop(loop: asyncio.AbstractEventLoop, function: Callable[..., None], *arguments: Any) -> None:
    with suppress(RuntimeError):  # the engine has ended meanwhile
        loop.call_soon_threadsafe(function, *arguments)
