"""The engine's socket: hello, token, then an MCP session or a control session per connection."""

from __future__ import annotations

import asyncio
import hmac
import json
import logging
import os
import secrets
import time
from collections.abc import Awaitable, Callable, Hashable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from citeloom import __version__
from citeloom.core import fault_injection as faults
from citeloom.core import paths
from citeloom.core.errors import CiteLoomError, Code
from citeloom.engine import events
from citeloom.engine.container import Service
from citeloom.engine.control import Control
from citeloom.engine.fair_queue import Turns
from citeloom.engine.lifetime import Lifetime, SettingsFile
from citeloom.engine.sessions import Editor
from citeloom.ipc import protocol

log = logging.getLogger(__name__)

McpSession = Callable[["Connection", dict[str, Any]], Awaitable[None]]

_OTHER_SETTINGS, _IS_BACK = "settings changed", "the data folder is back"  # why a service is made anew
_BY_ITSELF = ("bridge", "cli", "app")  # who starts an engine on the way: it ends by itself, a person's is stopped
_LOOK_SECONDS = 1.0  # between two looks at the settings file
_FINISH_SECONDS = 5.0  # for calls under way when the engine starts anew
_MOST_VERBS = 64  # of the app and the command line at once: many wait for a server, and then the others must not
_FORGET_SECONDS = 3600.0  # between two looks for what is to be kept no longer


class LineTooLong(Exception):
    """A client sent a line that no honest client sends."""


class Connection:
    """Lines in and out of one socket, and what is known of who is at its other end."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, turns: Turns) -> None:
        self._reader = reader
        self._writer = writer
        self._buffer = bytearray()
        self._sending = asyncio.Lock()
        self.reading = asyncio.Event()  # while it is not set, no line is taken
        self.reading.set()
        self.unanswered: set[Hashable] = set()  # calls
        self.handshake: list[bytes] = []  # an editor's first lines, where its era of MCP has them
        self.editor: Editor | None = None
        self.turns = turns  # of all who ask

    async def read_line(self, limit: int) -> bytes | None:
        """The next line, or None when the client has gone."""
        searched = 0
        while (end := self._buffer.find(b"\n", searched)) < 0:
            searched = len(self._buffer)
            if searched > limit:
                raise LineTooLong
            chunk = await self._reader.read(65_536)
            if not chunk:
                return None
            self._buffer += chunk
        if end > limit:
            raise LineTooLong
        await self.reading.wait()
        line = bytes(self._buffer[:end])
        del self._buffer[: end + 1]
        return line

    async def send(self, data: bytes) -> None:
        """Send whole lines; a client that does not read holds up only itself."""
        async with self._sending:
            self._writer.write(data)
            await self._writer.drain()

    def close(self) -> None:
        """Hang up."""
        self._writer.close()


class Server:
    """Listens on the loopback address for as long as the engine lives.

    Where the settings have changed, or the data folder was away, the service is put away and made anew. Whoever comes
    meanwhile waits at the door, and so do editors that were waiting for no answer: they notice nothing.
    """

    def __init__(self, file: SettingsFile, lifetime: Lifetime, open_session: Callable[[Service], McpSession]) -> None:
        self._file = file
        self._lifetime = lifetime
        self._open_session = open_session
        self._token = secrets.token_hex(32)
        self._connections: set[asyncio.Task[None]] = set()
        self._inside: dict[asyncio.Task[None], Connection] = {}  # those of them that the service of now serves
        self._door = asyncio.Event()
        self._last_use = time.monotonic()
        self._news = asyncio.Event()  # it is to end, or to start anew
        self._reason = ""  # why it is to end
        self._anew = ""  # why the service is to be made anew
        self._is_away = False  # the data folder, whose drive may not be connected
        self._turns = Turns()
        self._take(Service(file.settings, lifetime))

    async def run(self) -> None:
        """Serve until somebody says stop or nobody has come for long."""
        server, watches = None, []
        verbs = ThreadPoolExecutor(_MOST_VERBS, thread_name_prefix="verb")
        asyncio.get_running_loop().set_default_executor(verbs)
        try:
            server = await asyncio.start_server(self._accept, "127.0.0.1", 0)
            _write_address(server.sockets[0].getsockname()[1], self._token, self._lifetime.started_by)
            log.info("engine %s listens (pid %d, started by %s)", __version__, os.getpid(), self._lifetime.started_by)
            self._begin()
            watches = [asyncio.create_task(w()) for w in (self._end_when_idle, self._watch_settings, self._forget)]
            while not self._reason:
                await self._news.wait()
                self._news.clear()
                # Once is enough, however often the watch has seen it meanwhile.
                if not self._reason and self._anew:
                    await self._start_anew(self._anew)
        finally:
            log.info("engine stops: %s", self._reason or "an error")
            _remove(paths.engine_file())
            if server:
                server.close()
            for watch in watches:
                watch.cancel()
            await self._send_out(self._reason)
            for task in self._connections:
                task.cancel()
            await asyncio.gather(*self._connections, return_exceptions=True)
            await asyncio.to_thread(self._service.stop)

    def end(self, reason: str) -> None:
        """Ask the engine to stop."""
        self._reason = reason
        self._news.set()

    def _take(self, service: Service) -> None:
        self._service = service
        service.models.give_way = self._turns.give_way
        self._mcp_session = self._open_session(service)

    def _begin(self) -> None:
        self._service.start()
        self._door.set()

    async def _send_out(self, reason: str, seconds: float = 0.0) -> None:
        """Have everyone leave the service; those who wait for an answer have some seconds to get it."""
        for connection in self._inside.values():
            connection.reading.clear()  # what has not been taken yet is for the service to come
        self._service.events.publish(events.EngineStopping(reason))
        await asyncio.sleep(0)
        until = time.monotonic() + seconds
        told: set[asyncio.Task[None]] = set()
        while self._inside:
            for task, connection in self._inside.items():
                if task not in told and (not connection.unanswered or time.monotonic() >= until):
                    task.cancel()
                    told.add(task)
            await asyncio.sleep(0.01)

    # -- other settings --------------------------------------------------------------------------------------

    async def _watch_settings(self) -> None:
        while True:
            await asyncio.sleep(_LOOK_SECONDS)
            was_away, self._is_away = self._is_away, not Path(paths.catalog_file()).exists()
            if self._is_away:  # and the settings perhaps with it: a service made now would begin from nothing
                if not was_away:
                    log.warning("the data folder %s is away", paths.folders().data)
                continue
            if was_away:  # what was opened there is not what is there now
                self._anew = _IS_BACK
            elif self._file.look(self._lifetime) != self._service.settings and not self._service.indexes.is_writing:
                self._anew = _OTHER_SETTINGS
            if self._anew:
                self._news.set()

    async def _start_anew(self, reason: str) -> None:
        """Put the service away and make another with the settings of now."""
        log.info("the engine starts anew: %s", reason)
        self._door.clear()
        await self._send_out(reason, _FINISH_SECONDS)
        try:
            await asyncio.to_thread(self._service.stop)
        except CiteLoomError as error:
            if reason != _IS_BACK:
                raise
            log.warning("what was open in the data folder could not be closed: %s", error)
        self._take(await asyncio.to_thread(Service, self._file.settings, self._lifetime))
        self._anew = ""
        self._begin()

    # -- now and then ----------------------------------------------------------------------------------------

    async def _forget(self) -> None:
        while True:
            await asyncio.sleep(_FORGET_SECONDS)
            await asyncio.to_thread(self._service.activity.forget_old)

    async def _end_when_idle(self) -> None:
        if self._lifetime.started_by not in _BY_ITSELF:
            return
        while True:
            seconds = self._service.settings.engine.idle_minutes * 60
            await asyncio.sleep(min(5.0, seconds / 4) or 5.0)
            if self._connections or self._works():
                self._last_use = time.monotonic()
            elif seconds and time.monotonic() - self._last_use > seconds:
                self.end("nobody has used it for a while")
                return

    def _works(self) -> bool:
        jobs = self._service.jobs
        return bool(jobs.busy()) and not jobs.paused

    # -- connections -----------------------------------------------------------------------------------------

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._connections.add(task)
        connection = Connection(reader, writer, self._turns)
        try:
            await self._serve(connection, task)
        except (LineTooLong, ConnectionError, TimeoutError):
            log.info("a connection was dropped")
        except asyncio.CancelledError:
            pass
        except Exception:
            log.exception("a connection ended with an error")
        finally:
            self._connections.discard(task)
            self._inside.pop(task, None)
            self._last_use = time.monotonic()
            connection.close()

    async def _serve(self, connection: Connection, task: asyncio.Task[None]) -> None:
        async with asyncio.timeout(protocol.HELLO_SECONDS):
            first = await connection.read_line(protocol.HELLO_LIMIT)
        hello = _parse_hello(first)
        if hello is None or not hmac.compare_digest(str(hello.get("token", "")).encode(), self._token.encode()):
            log.warning("a connection without the token was dropped")
            return
        if hello.get("citeloom") != faults.number("engine.protocol", protocol.PROTOCOL):
            await connection.send(protocol.line({"ok": False, "error": _other_version().as_dict()}))
            return
        await self._door.wait()
        options = hello.get("options") or {}
        try:
            self._service.editors.check(str(options.get("bridge") or ""))
        except CiteLoomError as error:
            await connection.send(protocol.line({"ok": False, "error": error.as_dict()}))
            return
        await connection.send(protocol.line({"ok": True, "version": __version__, "pid": os.getpid()}))
        role = hello.get("role")
        while role in ("mcp", "control"):
            self._inside[task] = connection
            try:
                if role == "mcp":
                    await self._mcp_session(connection, options)
                else:
                    await Control(self._service, connection, self.end).run()
                return
            except asyncio.CancelledError:
                if role == "control" or connection.unanswered or self._door.is_set():
                    raise
                task.uncancel()
                del self._inside[task]
                await self._door.wait()
                connection.reading.set()


def _parse_hello(line: bytes | None) -> dict[str, Any] | None:
    try:
        hello = protocol.read(line or b"")
    except ValueError:
        return None
    return hello if isinstance(hello, dict) else None


def _other_version() -> CiteLoomError:
    return CiteLoomError(
        Code.ENGINE_UNAVAILABLE,
        "The running engine is of another version of CiteLoom.",
        "Restart it; on the command line, 'citeloom engine stop': the next call starts the new one.",
    )


def _write_address(port: int, token: str, started_by: str) -> None:
    target = paths.engine_file()
    beside = f"{target}.{os.getpid()}"
    content = {
        "port": port,
        "token": token,
        "pid": os.getpid(),
        "version": __version__,
        "started_by": started_by,
    }
    try:
        descriptor = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            json.dump(content, file)
        os.replace(beside, target)  # noqa: PTH105 - strings, as everything in paths
    except OSError as error:
        _remove(beside)
        raise CiteLoomError(
            Code.STORAGE_ERROR,
            f"{target} cannot be written: {error.strerror}.",
            "Free some space or check your rights.",
        ) from error


def _remove(file: str) -> None:
    try:
        os.unlink(file)  # noqa: PTH108
    except OSError:
        pass
