"""The engine's socket server: checks the hello line, then runs an MCP or a control session per connection."""

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
from contextlib import suppress
from pathlib import Path
from typing import Any

from citeloom import __version__
from citeloom.api.events import EngineStopping
from citeloom.core import fault_injection as faults
from citeloom.core import paths
from citeloom.core.errors import CiteLoomError, Code
from citeloom.core.files import atomic_file
from citeloom.engine.container import Container
from citeloom.engine.control import ControlSession
from citeloom.engine.fair_queue import FairThreadPool
from citeloom.engine.process_state import ProcessState, SettingsFile
from citeloom.ipc import protocol

log = logging.getLogger(__name__)

McpSession = Callable[["Connection", dict[str, Any]], Awaitable[None]]

_SETTINGS_CHANGED, _DATA_FOLDER_BACK = "settings changed", "the data folder is back"  # reasons to reload
_STOPS_WHEN_IDLE = ("bridge", "cli", "app")  # engines that were started implicitly; a person stops their own
_POLL_SECONDS = 1.0  # how often the settings file and the data folder are checked
_DRAIN_SECONDS = 5.0  # for calls in progress when the service is reloaded
_MAX_VERB_THREADS = 64  # for the app and the command line: many wait for a server, which must not block the others
_CLEANUP_SECONDS = 3600.0  # how often expired entries of the access log are deleted


class LineTooLong(Exception):
    """A client sent a line longer than the limit."""


class Connection:
    """Reads and writes the lines of one client's socket, and counts the calls that are not answered yet."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, pool: FairThreadPool) -> None:
        self._reader = reader
        self._writer = writer
        self._buffer = bytearray()
        self._sending = asyncio.Lock()
        self.discards_input = False  # ignores all further lines
        self._unanswered: set[Hashable] = set()
        self._answered = asyncio.Event()  # one of them was
        self.pool = pool  # shared by all clients

    async def read_line(self, limit: int) -> bytes | None:
        """Return the next line, or None when the client has closed the connection."""
        while True:
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
            line = bytes(self._buffer[:end])
            del self._buffer[: end + 1]
            if not self.discards_input:
                return line

    async def send(self, data: bytes) -> None:
        """Send whole lines; a client that does not read delays only itself."""
        async with self._sending:
            self._writer.write(data)
            await self._writer.drain()

    def call_began(self, call: Hashable) -> None:
        """Count a call as unanswered."""
        self._unanswered.add(call)

    def call_ended(self, call: Hashable) -> None:
        """Count a call as answered, or as one that needs no answer any more."""
        self._unanswered.discard(call)
        self._answered.set()

    async def wait_for_answers(self, most: int) -> None:
        """Wait until at most so many calls are unanswered."""
        while len(self._unanswered) > most:
            self._answered.clear()
            await self._answered.wait()

    def close(self) -> None:
        """Close the connection; its calls need no answers any more."""
        self._unanswered.clear()
        self._answered.set()
        self._writer.close()


class Server:
    """Listens on the loopback address while the engine runs, and reloads the service when the settings change.

    Before a reload, calls in progress are answered and all connections are closed. Bridges reconnect by themselves and
    send again what was discarded, so that editors do not notice. New connections wait until the reload is done.
    """

    def __init__(
        self, file: SettingsFile, process_state: ProcessState, open_session: Callable[[Container], McpSession]
    ) -> None:
        self._file = file
        self._process_state = process_state
        self._open_session = open_session
        self._token = secrets.token_hex(32)
        self._connections: set[asyncio.Task[None]] = set()
        self._sessions: dict[asyncio.Task[None], tuple[str, Connection]] = {}  # those that use the service, with role
        self._ready = asyncio.Event()  # the service can be used
        self._last_use = time.monotonic()
        self._wake_up = asyncio.Event()  # to stop or to reload
        self._stop_reason = ""
        self._reload_reason = ""
        self._data_folder_missing = False  # its drive may not be connected
        self._pool = FairThreadPool()
        self._install(Container(file.settings, process_state))

    async def run(self) -> None:
        """Serve until the engine is asked to stop or has been idle for too long."""
        server, watches = None, []
        verbs = ThreadPoolExecutor(_MAX_VERB_THREADS, thread_name_prefix="verb")
        asyncio.get_running_loop().set_default_executor(verbs)
        try:
            server = await asyncio.start_server(self._accept, "127.0.0.1", 0)
            _write_address(server.sockets[0].getsockname()[1], self._token, self._process_state.started_by)
            log.info(
                "engine %s listens (pid %d, started by %s)", __version__, os.getpid(), self._process_state.started_by
            )
            self._container.start()
            self._ready.set()
            watches = [asyncio.create_task(w()) for w in (self._stop_when_idle, self._watch_settings, self._clean_up)]
            while not self._stop_reason:
                await self._wake_up.wait()
                self._wake_up.clear()
                if not self._stop_reason and self._reload_reason:
                    await self._reload(self._reload_reason)
        finally:
            log.info("engine stops: %s", self._stop_reason or "an error")
            with suppress(OSError):
                Path(paths.engine_file()).unlink()
            if server:
                server.close()
            for watch in watches:
                watch.cancel()
            await self._announce(self._stop_reason)
            for task in self._connections:
                task.cancel()
            await asyncio.gather(*self._connections, return_exceptions=True)
            await asyncio.to_thread(self._container.stop)

    def stop(self, reason: str) -> None:
        """Ask the engine to stop."""
        self._stop_reason = reason
        self._wake_up.set()

    def _install(self, container: Container) -> None:
        self._container = container
        container.models.give_way = self._pool.give_way
        self._mcp_session = self._open_session(container)

    async def _announce(self, reason: str) -> None:
        self._container.events.publish(EngineStopping(reason))
        await asyncio.sleep(0)  # the event is sent before the connections are closed

    # -- reloading the service -------------------------------------------------------------------------------

    async def _watch_settings(self) -> None:
        while True:
            await asyncio.sleep(_POLL_SECONDS)
            was_missing, self._data_folder_missing = self._data_folder_missing, not Path(paths.catalog_file()).exists()
            if self._data_folder_missing:  # the settings may be missing too: a new service would start without any data
                if not was_missing:
                    log.warning("the data folder %s is missing", paths.folders().data)
                continue
            if was_missing:  # the open files may not be the ones that the folder has now
                self._reload_reason = _DATA_FOLDER_BACK
            elif (
                self._file.poll(self._process_state) != self._container.settings
                and not self._container.indexes.is_writing
            ):
                self._reload_reason = _SETTINGS_CHANGED
            if self._reload_reason:
                self._wake_up.set()

    async def _reload(self, reason: str) -> None:
        """Close all sessions and replace the service by one with the current settings."""
        log.info("reloading the service: %s", reason)
        self._ready.clear()
        self._container.editors.expect_reconnects()
        for _, connection in self._sessions.values():
            connection.discards_input = True
        await self._announce(reason)
        await asyncio.gather(*(self._end_session(task, *session) for task, session in self._sessions.items()))
        try:
            await asyncio.to_thread(self._container.stop)
        except CiteLoomError as error:
            if reason != _DATA_FOLDER_BACK:
                raise
            log.warning("the files of the data folder could not be closed: %s", error)
        self._install(await asyncio.to_thread(Container, self._file.settings, self._process_state))
        self._reload_reason = ""  # also if the change was seen several times meanwhile
        self._container.start()
        self._ready.set()

    async def _end_session(self, task: asyncio.Task[None], role: str, connection: Connection) -> None:
        try:
            async with asyncio.timeout(_DRAIN_SECONDS):
                await connection.wait_for_answers(0)
                if role == "mcp":
                    # The bridge closes the connection. Until then its input is read and discarded: closing a socket
                    # with unread input resets it, and on Windows a reset destroys what the bridge has not read yet.
                    await connection.send(protocol.RECONNECT)
                    await asyncio.wait([task])
        except (TimeoutError, ConnectionError):
            pass
        task.cancel()
        await asyncio.wait([task])

    # -- periodic tasks --------------------------------------------------------------------------------------

    async def _clean_up(self) -> None:
        while True:
            await asyncio.sleep(_CLEANUP_SECONDS)
            await asyncio.to_thread(self._container.activity.delete_old_entries)

    async def _stop_when_idle(self) -> None:
        if self._process_state.started_by not in _STOPS_WHEN_IDLE:
            return
        while True:
            seconds = self._container.settings.engine.idle_minutes * 60
            await asyncio.sleep(min(5.0, seconds / 4) or 5.0)
            jobs = self._container.jobs
            if self._connections or (jobs.unfinished() and not jobs.paused):
                self._last_use = time.monotonic()
            elif seconds and time.monotonic() - self._last_use > seconds:
                self.stop("it was idle for too long")
                return

    # -- connections -----------------------------------------------------------------------------------------

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._connections.add(task)
        connection = Connection(reader, writer, self._pool)
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
            self._sessions.pop(task, None)
            self._last_use = time.monotonic()
            connection.close()

    async def _serve(self, connection: Connection, task: asyncio.Task[None]) -> None:
        async with asyncio.timeout(protocol.HELLO_SECONDS):
            first = await connection.read_line(protocol.HELLO_LIMIT)
        hello = protocol.decode_object(first or b"")
        if hello is None or not hmac.compare_digest(str(hello.get("token", "")).encode(), self._token.encode()):
            log.warning("a connection without the token was dropped")
            return
        options = hello.get("options") or {}
        try:
            if hello.get("citeloom") != faults.number("engine.protocol", protocol.PROTOCOL):
                raise CiteLoomError(
                    Code.ENGINE_UNAVAILABLE,
                    "The running engine is of another version of CiteLoom.",
                    "Restart it; on the command line, 'citeloom engine stop': the next call starts the new one.",
                )
            self._container.editors.check_allowed(str(options.get("bridge") or ""))
        except CiteLoomError as error:
            await connection.send(protocol.encode_line({"ok": False, "error": error.as_dict()}))
            return
        # A client gives up when the hello is not answered in time, and a reload may take longer than that.
        await connection.send(protocol.encode_line({"ok": True, "version": __version__, "pid": os.getpid()}))
        await self._ready.wait()
        role = hello.get("role")
        if role not in ("mcp", "control"):
            return
        self._sessions[task] = role, connection
        if role == "mcp":
            await self._mcp_session(connection, options)
        else:
            await ControlSession(self._container, connection, self.stop).run()


def _write_address(port: int, token: str, started_by: str) -> None:
    target = Path(paths.engine_file())
    content = {
        "port": port,
        "token": token,
        "pid": os.getpid(),
        "version": __version__,
        "started_by": started_by,
    }
    try:
        atomic_file.write(target, json.dumps(content).encode())
    except OSError as error:
        raise CiteLoomError(
            Code.STORAGE_ERROR,
            f"{target} cannot be written: {error.strerror}.",
            "Free some disk space or check the folder's permissions.",
        ) from error
