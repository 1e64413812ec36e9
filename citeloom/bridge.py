"""`citeloom mcp`, the MCP server that an editor launches: passes MCP messages between stdio and the engine's socket.

Starts as fast as a shell command because it imports only the standard library. A call during which the engine ends is
answered with ENGINE_UNAVAILABLE; the next call starts a new engine, in which the session continues. An engine that
reloads its settings says so first: then the bridge reconnects at once, and no call is lost.
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
from citeloom.ipc import batches, launch, protocol

USAGE = """\
Usage: citeloom mcp [--project ID]... [--toolsets LIST] [--dialect NAME]

  The MCP server that an editor launches; it speaks MCP on stdin and stdout.

  --project ID     let this editor see only this project (repeatable); without it, all projects
  --toolsets LIST  tools to offer, separated by commas: read, write, notes (default: read)
  --dialect NAME   speak as another system, for agents that were set up for it: chunk-retrieval, fastmcp, vector-db,
                   rekall or mcpvectordb; all of its tools, unless --toolsets says less
"""

_TOOLSETS = ("read", "write", "notes")
_DIALECTS = ("chunk-retrieval", "fastmcp", "vector-db", "rekall", "mcpvectordb")
_REPLAY = "citeloom-replay"  # the id of a repeated handshake, whose answer the editor does not get


class Bridge:
    """Connects one editor to the engine, and connects it again when the engine has ended or reloads."""

    def __init__(self, options: dict[str, Any], stdin: BinaryIO, stdout: BinaryIO) -> None:
        # By its id the engine recognises this process: after a reload, or when the researcher has disconnected it.
        self._options = {**options, "bridge": os.urandom(8).hex()}
        self._stdin = stdin
        self._stdout = stdout
        self._connecting = threading.Lock()  # guards the connection, what is sent over it, and the handshake
        self._engine: socket.socket | None = None
        self._address: dict[str, Any] | None = None  # of the engine
        self._initialize: dict[str, Any] | None = None
        self._initialized: bytes | None = None
        self._answering = threading.Lock()  # guards stdout, the unanswered requests and the batches
        self._unanswered: dict[Any, tuple[str, bytes]] = {}  # method and line by request id
        self._batches: dict[Any, batches.Batch] = {}  # by id of an unanswered request

    def run(self) -> None:
        """Run until the editor closes stdin."""
        for line in iter(self._stdin.readline, b""):
            if (messages := batches.members(line)) is not None:
                self._batch_from_editor(messages)
            elif line.strip():
                self._from_editor(line if line.endswith(b"\n") else line + b"\n")

    # -- editor → engine -------------------------------------------------------------------------------------

    def _batch_from_editor(self, messages: list[Any]) -> None:
        if not batches.allowed(self._initialize) or not messages:
            for line in batches.refusals(messages):
                self._write_line(line)
            return
        batch = batches.Batch(messages)
        with self._answering:
            self._batches.update(dict.fromkeys(batch.waiting, batch))
        if done := batch.finished():  # nothing in it is a valid request
            self._write_line(done)
        for line in batch.lines:
            self._from_editor(line)

    def _from_editor(self, line: bytes) -> None:
        message = protocol.decode_object(line)
        if message is None:
            self._write({"jsonrpc": "2.0", "id": None, "error": {"code": -32700, "message": "That is not JSON."}})
            return
        request_id, method = protocol.request_id(message), message.get("method")
        if request_id is None and message.get("id") is not None:
            self._write(
                {"jsonrpc": "2.0", "id": None, "error": {"code": -32600, "message": "That is not a request id."}}
            )
            return
        if len(line) > protocol.LINE_LIMIT:  # the engine would close the connection, with other calls on it
            megabytes = protocol.LINE_LIMIT // 1_048_576
            problem = CiteLoomError(
                Code.INVALID_INPUT, f"This call is longer than {megabytes} MB.", "Send less at a time."
            )
            self._refuse(request_id, str(method), problem)
            return
        with self._connecting:
            if method == "initialize":
                self._initialize = self._initialized = None
            try:
                engine = self._engine or self._connect(launch.connect("mcp", self._options, started_by="bridge"))
            except Exception as error:  # whatever it is, the editor gets an answer and stdout stays MCP
                self._refuse(request_id, str(method), _as_unavailable(error))
                return
            if method == "initialize":
                self._initialize = message
            elif method == "notifications/initialized":
                self._initialized = line
            with self._answering:
                if request_id is not None and method:
                    self._unanswered[request_id] = method, line
                self._unanswered.pop(protocol.cancelled_id(message), None)
            self._write_line(None, answers=protocol.cancelled_id(message))
            _send(engine, line)

    def _connect(self, engine: socket.socket) -> socket.socket:
        """Use a new connection, and repeat the handshake there: the engine does not know this session."""
        self._engine, self._address = engine, launch.address() or self._address
        threading.Thread(target=self._from_engine, args=(engine,), daemon=True).start()
        if self._initialize is not None and self._initialize.get("id") not in self._unanswered:
            _send(engine, protocol.encode_line({**self._initialize, "id": _REPLAY}))
            if self._initialized is not None:
                _send(engine, self._initialized)
        return engine

    # -- engine → editor -------------------------------------------------------------------------------------

    def _from_engine(self, engine: socket.socket) -> None:
        reloads = False
        try:
            with engine.makefile("rb") as lines:
                # A line without an end is one in the middle of which the engine died.
                while not reloads and (line := lines.readline()).endswith(b"\n"):
                    reloads = line == protocol.RECONNECT
                    message = protocol.decode_object(line) or {}
                    request_id = message.get("id") if "method" not in message else None
                    with self._answering:
                        self._unanswered.pop(request_id, None)
                    if not reloads and request_id != _REPLAY:
                        self._write_line(line, answers=request_id)
        except OSError:
            pass
        _shut_down(engine)
        with self._connecting:
            engine.close()
            self._engine = None
            if reloads:
                self._reconnect()
            else:
                self._refuse_unanswered(_ended())

    def _reconnect(self) -> None:
        """Connect to the same engine again, and send there what it has not answered."""
        try:
            # The lock is not checked: it is lost when the drive of the data folder was disconnected.
            connection = launch.try_connect("mcp", self._options, self._address)
            if connection is None:
                raise _ended()
            engine = self._connect(connection)
            with self._answering:
                lines = [line for _, line in self._unanswered.values()]
            for line in lines:
                _send(engine, line)
        except Exception as error:
            self._refuse_unanswered(_as_unavailable(error))

    # -- answers of the bridge itself ------------------------------------------------------------------------

    def _refuse_unanswered(self, error: CiteLoomError) -> None:
        with self._answering:
            unanswered, self._unanswered = self._unanswered, {}
        for request_id, (method, _) in unanswered.items():
            self._refuse(request_id, method, error)

    def _refuse(self, request_id: Any, method: str, error: CiteLoomError) -> None:
        if request_id is None:
            return
        if method == "tools/call":
            body = {**self._failure(error.as_dict()), "correlation_id": os.urandom(8).hex()}
            content = [{"type": "text", "text": json.dumps(body, ensure_ascii=False)}]
            # Revisions of MCP before 2026-07-28 know no resultType, and ignore it.
            result = {"resultType": "complete", "content": content, "structuredContent": body, "isError": True}
            self._write({"jsonrpc": "2.0", "id": request_id, "result": result})
        else:
            problem = {"code": -32000, "message": str(error), "data": error.as_dict()}
            self._write({"jsonrpc": "2.0", "id": request_id, "error": problem})

    def _failure(self, error: dict[str, Any]) -> dict[str, Any]:
        """Return an error in the shape of the dialect."""
        match self._options.get("dialect"):
            case "vector-db":
                return {"success": False, "error": error["message"], "error_code": error["code"], "details": {}}
            case "mcpvectordb":
                return {"status": "error", "error": error["message"]}
        return {"error": error}

    def _write(self, message: dict[str, Any]) -> None:
        self._write_line(protocol.encode_line(message), answers=message["id"])

    def _write_line(self, line: bytes | None, answers: Any = None) -> None:
        """Write a line; the answer to a request of a batch is written with the last one of the batch."""
        with self._answering:
            if batch := self._batches.pop(answers, None):
                line = batch.answer(answers, line)
            if line:
                self._stdout.write(line)
                self._stdout.flush()


def _send(engine: socket.socket, line: bytes) -> None:
    try:
        engine.sendall(line)
    except OSError:
        pass  # the thread that reads from the engine notices it too


def _shut_down(engine: socket.socket) -> None:
    try:
        engine.shutdown(socket.SHUT_RDWR)  # ends a `sendall` that blocks in the other thread
    except OSError:
        pass


def _as_unavailable(error: Exception) -> CiteLoomError:
    return error if isinstance(error, CiteLoomError) else launch.unavailable(f"{type(error).__name__}: {error}")


def _ended() -> CiteLoomError:
    return CiteLoomError(
        Code.ENGINE_UNAVAILABLE, "CiteLoom's engine ended during this call.", "Call again: a new engine is started."
    )


def parse_arguments(arguments: list[str]) -> dict[str, Any]:
    """Parse the bridge's options; by hand, because argparse would cost a fifth of the start."""
    projects: list[str] = []
    toolsets: list[str] = []
    dialect = ""
    rest = list(arguments)
    while rest:
        name, equals, value = rest.pop(0).partition("=")
        if name not in ("--project", "--toolsets", "--dialect"):
            raise ValueError(f"citeloom mcp: there is no option {name}.")
        if not equals:
            if not rest:
                raise ValueError(f"citeloom mcp: {name} needs a value.")
            value = rest.pop(0)
        if not value.strip(", "):
            raise ValueError(f"citeloom mcp: {name} needs a value.")
        if name == "--project":
            projects.append(value)
        elif name == "--dialect":
            dialect = value.strip()
            if dialect not in _DIALECTS:
                raise ValueError(f"citeloom mcp: there is no dialect {dialect}; there are {', '.join(_DIALECTS)}.")
        else:
            toolsets = [t.strip() for t in value.split(",") if t.strip()]
            unknown = [t for t in toolsets if t not in _TOOLSETS]
            if unknown:
                raise ValueError(f"citeloom mcp: there is no toolset {unknown[0]}; there are {', '.join(_TOOLSETS)}.")
    toolsets = toolsets or list(_TOOLSETS if dialect else _TOOLSETS[:1])
    return {"projects": projects, "toolsets": toolsets, "dialect": dialect, "version": __version__}


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
