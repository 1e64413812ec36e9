"""The engine's socket: hello, token, then an MCP session or a control session per connection."""

from __future__ import annotations

import asyncio
import hmac
import json
import logging
import os
import secrets
import time
from collections.abc import Awaitable, Callable
from typing import Any

from citeloom import __version__, paths
from citeloom.engine import events, wire
from citeloom.engine.control import Control
from citeloom.engine.service import Service
from citeloom.errors import CiteLoomError, Code

log = logging.getLogger(__name__)

McpSession = Callable[["Connection", dict[str, Any]], Awaitable[None]]


class LineTooLong(Exception):
    """A client sent a line that no honest client sends."""


class Connection:
    """Lines in and out of one socket."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer
        self._buffer = bytearray()
        self._sending = asyncio.Lock()

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
    """Listens on the loopback address for as long as the engine lives."""

    def __init__(self, service: Service, mcp_session: McpSession, *, idle_minutes: float, started_by: str) -> None:
        self._service = service
        self._mcp_session = mcp_session
        self._idle_seconds = idle_minutes * 60
        self._started_by = started_by
        self._token = secrets.token_hex(32)
        self._connections: set[asyncio.Task[None]] = set()
        self._last_use = time.monotonic()
        self._ended = asyncio.Event()
        self._reason = ""

    async def run(self) -> None:
        """Serve until somebody says stop or nobody has come for long."""
        server = await asyncio.start_server(self._accept, "127.0.0.1", 0)
        port = server.sockets[0].getsockname()[1]
        _write_address(port, self._token, self._started_by)
        log.info("engine %s listens (pid %d, started by %s)", __version__, os.getpid(), self._started_by)
        watch = asyncio.create_task(self._end_when_idle())
        try:
            await self._ended.wait()
        finally:
            log.info("engine stops: %s", self._reason)
            _remove(paths.engine_file())
            server.close()
            watch.cancel()
            self._service.events.publish(events.EngineStopping(self._reason))
            await asyncio.sleep(0)
            for task in list(self._connections):
                task.cancel()
            await asyncio.gather(*self._connections, return_exceptions=True)

    def end(self, reason: str) -> None:
        """Ask the engine to stop."""
        self._reason = reason
        self._ended.set()

    async def _end_when_idle(self) -> None:
        if not self._idle_seconds:
            return
        while True:
            await asyncio.sleep(min(5.0, self._idle_seconds / 4))
            if self._connections or self._service.jobs.busy():
                self._last_use = time.monotonic()
            elif time.monotonic() - self._last_use > self._idle_seconds:
                self.end("nobody has used it for a while")
                return

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._connections.add(task)
        connection = Connection(reader, writer)
        try:
            await self._serve(connection)
        except (LineTooLong, ConnectionError, TimeoutError):
            log.info("a connection was dropped")
        except asyncio.CancelledError:
            pass
        except Exception:
            log.exception("a connection ended with an error")
        finally:
            self._connections.discard(task)
            self._last_use = time.monotonic()
            connection.close()

    async def _serve(self, connection: Connection) -> None:
        async with asyncio.timeout(wire.HELLO_SECONDS):
            first = await connection.read_line(wire.HELLO_LIMIT)
        hello = _parse_hello(first)
        if hello is None or not hmac.compare_digest(str(hello.get("token", "")).encode(), self._token.encode()):
            log.warning("a connection without the token was dropped")
            return
        if hello.get("citeloom") != wire.PROTOCOL:
            await connection.send(wire.line({"ok": False, "error": _other_version().as_dict()}))
            return
        await connection.send(wire.line({"ok": True, "version": __version__, "pid": os.getpid()}))
        options = hello.get("options") or {}
        if hello.get("role") == "mcp":
            await self._mcp_session(connection, options)
        elif hello.get("role") == "control":
            await Control(self._service, connection, self.end).run()


def _parse_hello(line: bytes | None) -> dict[str, Any] | None:
    try:
        hello = json.loads(line or b"")
    except ValueError:
        return None
    return hello if isinstance(hello, dict) else None


def _other_version() -> CiteLoomError:
    return CiteLoomError(
        Code.ENGINE_UNAVAILABLE,
        "The running engine is of another version of CiteLoom.",
        "Stop it with 'citeloom engine stop'; the next call starts the new one.",
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
