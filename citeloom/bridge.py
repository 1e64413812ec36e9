"""`citeloom mcp`: what an editor launches. Pumps MCP between its stdio and the engine. Standard library only.

It starts like a shell command because it imports nothing heavy. When the engine goes away in the middle of a call,
that call is answered with ENGINE_UNAVAILABLE; the next one finds or starts an engine, and the session goes on there.
"""

from __future__ import annotations

import json
import os
import socket
import sys
import threading
from typing import Any, BinaryIO

from citeloom import __version__
from citeloom.core.errors import CiteLoomError, Code
from citeloom.ipc import launch, protocol

USAGE = """\
Usage: citeloom mcp [--project ID]... [--toolsets LIST]

  The MCP server that an editor launches; it speaks MCP on stdin and stdout.

  --project ID     let this editor see only this project (repeatable); without it, all projects
  --toolsets LIST  tools to offer, separated by commas: read, write (default: read)
"""

_TOOLSETS = ("read", "write")
_REPLAY = "citeloom-replay"  # the id of a handshake that the editor knows nothing of


class Bridge:
    """One editor's connection to the engine."""

    def __init__(self, options: dict[str, Any], stdin: BinaryIO, stdout: BinaryIO) -> None:
        # So that the engine knows this process again: once disconnected, it is to stay so.
        self._options = {**options, "bridge": os.urandom(8).hex()}
        self._stdin = stdin
        self._stdout = stdout
        self._lock = threading.Lock()  # around everything below
        self._engine: socket.socket | None = None
        self._pending: dict[Any, str] = {}  # id of a request → its method, until it is answered
        self._initialize: dict[str, Any] | None = None
        self._initialized: bytes | None = None

    def run(self) -> None:
        """Until the editor closes our stdin."""
        for line in iter(self._stdin.readline, b""):
            if line.strip():
                self._from_editor(line)
        with self._lock:
            engine, self._engine = self._engine, None
        if engine is not None:
            engine.close()

    # -- editor → engine -------------------------------------------------------------------------------------

    def _from_editor(self, line: bytes) -> None:
        message = _parse(line)
        if message is None:
            self._write({"jsonrpc": "2.0", "id": None, "error": {"code": -32700, "message": "That is not JSON."}})
            return
        number, method = protocol.request_id(message), message.get("method")
        if number is None and message.get("id") is not None:
            self._write({"jsonrpc": "2.0", "id": None, "error": {"code": -32600, "message": "That is no request id."}})
            return
        if len(line) > protocol.LINE_LIMIT:  # the engine would hang up, and other calls would be lost with it
            self._refuse(number, str(method), _too_long())
            return
        try:
            engine = self._connected(method)
        except CiteLoomError as error:
            self._refuse(number, str(method), error)
            return
        except Exception as error:
            # Whatever it is, the editor gets an answer and stdout stays MCP.
            self._refuse(number, str(method), launch.unavailable(f"{type(error).__name__}: {error}"))
            return
        with self._lock:
            if method == "initialize":
                self._initialize, self._initialized = message, None
            elif method == "notifications/initialized":
                self._initialized = line
            if number is not None and method:
                self._pending[number] = method
        try:
            engine.sendall(line if line.endswith(b"\n") else line + b"\n")
        except OSError:
            self._lost(engine)
            with self._lock:  # the loss may have been noticed before this call was waiting
                unanswered = self._pending.pop(number, None)
            if unanswered:
                self._refuse(number, unanswered, _ended())

    def _connected(self, method: str | None) -> socket.socket:
        with self._lock:
            if self._engine is not None:
                return self._engine
            initialize, initialized = self._initialize, self._initialized
        engine = launch.connect("mcp", self._options, started_by="bridge")
        lines = engine.makefile("rb")
        if initialize is not None and method != "initialize":
            # A new engine knows nothing of this session: introduce the editor again, unseen by it.
            engine.sendall(protocol.line({**initialize, "id": _REPLAY}))
            while (answer := lines.readline()) and _number(answer) != _REPLAY:
                pass
            if not answer:
                raise launch.unavailable("it ended while the session was being set up again")
            if initialized is not None:
                engine.sendall(initialized)
        with self._lock:
            self._engine = engine
        threading.Thread(target=self._from_engine, args=(engine, lines), daemon=True).start()
        return engine

    # -- engine → editor -------------------------------------------------------------------------------------

    def _from_engine(self, engine: socket.socket, lines: BinaryIO) -> None:
        try:
            for line in iter(lines.readline, b""):
                if not line.endswith(b"\n"):
                    break  # the engine died in the middle of a line: the call is answered below
                with self._lock:
                    self._pending.pop(_number(line), None)
                self._write_line(line)
        except OSError:
            pass
        self._lost(engine)

    def _lost(self, engine: socket.socket) -> None:
        with self._lock:
            if self._engine is not engine:
                return
            self._engine = None
            pending, self._pending = self._pending, {}
        engine.close()
        for number, method in pending.items():
            self._refuse(number, method, _ended())

    # -- answers of our own ----------------------------------------------------------------------------------

    def _refuse(self, number: Any, method: str, error: CiteLoomError) -> None:
        if number is None:
            return
        if method == "tools/call":
            body = {"error": error.as_dict(), "correlation_id": os.urandom(8).hex()}
            content = [{"type": "text", "text": json.dumps(body, ensure_ascii=False)}]
            # Revisions of MCP before 2026-07-28 know no resultType, and ignore it.
            result = {"resultType": "complete", "content": content, "structuredContent": body, "isError": True}
            self._write({"jsonrpc": "2.0", "id": number, "result": result})
        else:
            problem = {"code": -32000, "message": str(error), "data": error.as_dict()}
            self._write({"jsonrpc": "2.0", "id": number, "error": problem})

    def _write(self, message: dict[str, Any]) -> None:
        self._write_line(protocol.line(message))

    def _write_line(self, line: bytes) -> None:
        with self._lock:
            self._stdout.write(line)
            self._stdout.flush()


def _ended() -> CiteLoomError:
    return CiteLoomError(
        Code.ENGINE_UNAVAILABLE, "CiteLoom's engine ended during this call.", "Call again: a new engine is started."
    )


def _too_long() -> CiteLoomError:
    most = protocol.LINE_LIMIT // 1_048_576
    return CiteLoomError(Code.INVALID_INPUT, f"This call is longer than {most} MB.", "Send less at a time.")


def _parse(line: bytes) -> dict[str, Any] | None:
    try:
        message = protocol.read(line)
    except ValueError:
        return None
    return message if isinstance(message, dict) else None


def _number(line: bytes) -> Any:
    message = _parse(line) or {}
    return message.get("id") if "method" not in message else None


def parse_arguments(arguments: list[str]) -> dict[str, Any]:
    """The options of a bridge. By hand, because argparse would cost a fifth of the start."""
    projects: list[str] = []
    toolsets: list[str] = [_TOOLSETS[0]]
    rest = list(arguments)
    while rest:
        name, equals, value = rest.pop(0).partition("=")
        if name not in ("--project", "--toolsets"):
            raise ValueError(f"citeloom mcp: there is no option {name}.")
        if not equals:
            if not rest:
                raise ValueError(f"citeloom mcp: {name} needs a value.")
            value = rest.pop(0)
        if not value.strip(", "):
            raise ValueError(f"citeloom mcp: {name} needs a value.")
        if name == "--project":
            projects.append(value)
        else:
            toolsets = [t.strip() for t in value.split(",") if t.strip()]
            unknown = [t for t in toolsets if t not in _TOOLSETS]
            if unknown:
                raise ValueError(f"citeloom mcp: there is no toolset {unknown[0]}; there are {', '.join(_TOOLSETS)}.")
    return {"projects": projects, "toolsets": toolsets, "version": __version__}


def main(arguments: list[str]) -> int:
    """Run the bridge of `citeloom mcp`."""
    if "--help" in arguments or "-h" in arguments:
        sys.stdout.write(USAGE)
        return 0
    try:
        options = parse_arguments(arguments)
    except ValueError as error:
        sys.stderr.write(f"{error}\n{USAGE}")
        return 2
    # Whatever prints by mistake, here or in a library, must not reach the editor.
    stdin, stdout = sys.stdin.buffer, sys.stdout.buffer
    sys.stdout = sys.stderr
    try:
        Bridge(options, stdin, stdout).run()
    except (KeyboardInterrupt, BrokenPipeError):
        pass
    # Threads that wait for the engine have nothing left to do.
    sys.stderr.flush()
    os._exit(0)
