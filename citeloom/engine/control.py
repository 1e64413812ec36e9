"""The control session of command line and desktop app: JSON lines `{"id", "verb", "args"}` → `{"id", "result"}`."""

from __future__ import annotations

import asyncio
import logging
import math
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

from citeloom.api.engine import Stop, Subscribe
from citeloom.api.events import Event, JobProgress, encode_event
from citeloom.api.maintenance import Restore
from citeloom.api.search import Query
from citeloom.core import fault_injection as faults
from citeloom.core.cancel import Cancel
from citeloom.core.errors import CiteLoomError, Code, unexpected
from citeloom.core.json_values import refuse_large_integers
from citeloom.engine.container import Container
from citeloom.ipc import protocol

if TYPE_CHECKING:
    from citeloom.engine.server import Connection

log = logging.getLogger(__name__)

_MAX_UNSENT = 100  # events for a client that does not read; with more, progress is dropped


class ControlSession:
    """Serves one control connection: requests run concurrently, and events are sent in between."""

    def __init__(self, container: Container, connection: Connection, stop_engine: Callable[[str], None]) -> None:
        self._container = container
        self._connection = connection
        self._stop_engine = stop_engine
        self._loop = asyncio.get_running_loop()
        self._unsubscribe: Callable[[], None] | None = None
        self._unsent = 0
        self._cancel = Cancel()  # ends long requests when the client closes the connection

    async def run(self) -> None:
        """Serve until the client closes the connection."""
        tasks: set[asyncio.Task[None]] = set()
        try:
            while (line := await self._connection.read_line(protocol.LINE_LIMIT)) is not None:
                task = asyncio.create_task(self._answer(line))
                tasks.add(task)
                self._connection.call_began(task)
                task.add_done_callback(tasks.discard)
                task.add_done_callback(self._connection.call_ended)
        finally:
            if self._unsubscribe:
                self._unsubscribe()
            for task in list(tasks):
                task.cancel()
            self._cancel.set()

    async def _answer(self, line: bytes) -> None:
        await self._send(protocol.encode_line(await self._result(line)))

    async def _result(self, line: bytes) -> dict[str, Any]:
        request_id = None
        try:
            request = protocol.decode_line(line)
            request_id = protocol.request_id(request)
            args = dict(request.get("args") or {})
            refuse_large_integers(args)
            return {"id": request_id, "result": await self._run_verb(str(request["verb"]), args)}
        except (ValueError, KeyError, TypeError, AttributeError, OverflowError) as error:
            log.warning("a request was not understood", exc_info=True)
            problem = CiteLoomError(Code.INVALID_INPUT, f"The request could not be read: {error!r}.")
        except Exception as error:
            problem = unexpected(error)
            if problem is not error:
                log.exception("a verb failed")
        return {"id": request_id, "error": problem.to_wire()}

    async def _run_verb(self, verb: str, args: dict[str, Any]) -> Any:
        faults.point("engine.verb", verb)
        if verb == Stop.verb:
            # Delayed, so that the answer is sent first.
            self._loop.call_later(0.05, self._stop_engine, "asked to")
            return None
        if verb == Subscribe.verb:
            self._unsubscribe = self._unsubscribe or self._container.events.subscribe(self._on_event)
            return None
        work: Callable[[], Any] = partial(self._container.verbs.run, verb, args, self._cancel)
        if verb == Query.verb:  # shares the threads fairly with the editors, and imports give way to it
            return await self._connection.pool.run(self, verb, work, math.inf)
        if verb == Restore.verb:
            work = partial(self._restore, work)
        return await asyncio.to_thread(work)

    def _restore(self, work: Callable[[], Any]) -> Any:
        """Restore and stop the engine, even if the client has disconnected: later writes would be lost."""
        result = work()
        self._loop.call_soon_threadsafe(self._loop.call_later, 0.05, self._stop_engine, "a backup was restored")
        return result

    def _on_event(self, event: Event) -> None:
        self._loop.call_soon_threadsafe(lambda: self._loop.create_task(self._send_event(event)))

    async def _send_event(self, event: Event) -> None:
        if self._unsent >= _MAX_UNSENT and isinstance(event, JobProgress):
            return  # a client that does not read would get hours of progress at once, and the next event replaces it
        self._unsent += 1
        await self._send(protocol.encode_line({"event": encode_event(event)}))
        self._unsent -= 1

    async def _send(self, line: bytes) -> None:
        try:
            await self._connection.send(line)
        except ConnectionError:
            pass
