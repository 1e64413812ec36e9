"""A server on a real socket that a test can open, close and make fail."""

from __future__ import annotations

import json
import threading
import traceback
from collections.abc import Callable
from dataclasses import dataclass, field
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, ClassVar, NamedTuple
from urllib.parse import parse_qsl, unquote, urlsplit


@dataclass(frozen=True)
class Request:
    """What was asked."""

    method: str
    path: str  # without the query
    query: dict[str, str]
    headers: dict[str, str]  # names in small letters
    body: bytes


class Asked(NamedTuple):
    """A request as a test looks at it."""

    method: str
    path: str  # with the query, as it came
    headers: dict[str, str]


@dataclass(frozen=True)
class Reply:
    """What is answered: text, bytes, or what becomes JSON."""

    status: int = 200
    body: Any = b""
    headers: dict[str, str] = field(default_factory=dict)
    reason: str = ""

    def content(self) -> bytes:
        """The body as it goes over the wire."""
        if isinstance(self.body, bytes):
            return self.body
        if isinstance(self.body, str):
            return self.body.encode()
        return json.dumps(self.body, ensure_ascii=False).encode()


class StandIn:
    """A server of a thread of its own.

    `faults` maps a path to what goes wrong there: a status; "drop" (closed without a reply), "silent" (never answers),
    "cut" (half of the body), "slow" (a byte now and then), "not json" or "endless". With a pair (fault, times) it
    passes after so many requests.
    """

    protocol: ClassVar[str] = "HTTP/1.0"
    says_length: ClassVar[bool] = False  # without it, the end of the body is the end of the connection
    pace = 0.05  # seconds between the bytes of a slow reply

    def __init__(self, port: int = 0) -> None:
        self.port = port
        self.requests: list[Asked] = []
        self.faults: dict[str, Any] = {}
        self.meanwhile: Callable[[Request], None] | None = None  # what happens just before a request is answered
        self._server: _Server | None = None
        self._thread: threading.Thread | None = None
        self.closing = threading.Event()

    def answer(self, request: Request) -> Reply | None:
        """What to reply; None drops the connection."""
        raise NotImplementedError

    @property
    def url(self) -> str:
        """Where it is reached."""
        return f"http://127.0.0.1:{self.port}"

    def open(self) -> None:
        """Listen; after a close on the same port as before."""
        self.closing.clear()
        self._server = _Server(("127.0.0.1", self.port), _Handler)
        self._server.stand_in = self
        self.port = self._server.server_address[1]
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Stop listening: who asks now is refused."""
        if self._server and self._thread:
            self.closing.set()
            self._server.shutdown()
            self._thread.join()
            self._server.server_close()
            self._server = None

    def __enter__(self) -> Any:
        self.open()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def fault(self, path: str) -> Any:
        """What goes wrong with this request."""
        fault = self.faults.get(path)
        if isinstance(fault, tuple):
            fault, times = fault
            self.faults[path] = (fault, times - 1)
            if times <= 0:
                del self.faults[path]
                return None
        return fault


class _Server(ThreadingHTTPServer):
    daemon_threads = False  # so that closing waits for what is being answered
    block_on_close = True
    stand_in: StandIn


class _Handler(BaseHTTPRequestHandler):
    server: _Server
    timeout = 10  # a client that says nothing must not keep the server open

    def do_GET(self) -> None:
        stand_in = self.server.stand_in
        split = urlsplit(self.path)
        request = Request(
            self.command,
            unquote(split.path),
            dict(parse_qsl(split.query, keep_blank_values=True)),
            {name.lower(): value for name, value in self.headers.items()},
            self.rfile.read(int(self.headers.get("Content-Length") or 0)),
        )
        stand_in.requests.append(Asked(self.command, self.path, request.headers))
        try:
            if stand_in.meanwhile:
                stand_in.meanwhile(request)
            reply = stand_in.answer(request)
        except Exception:
            reply = Reply(500, f"The stand-in does not know how to answer this.\n{traceback.format_exc()}")
        try:
            self._send(reply, stand_in.fault(request.path))
        except OSError:
            pass  # the client went away
        self.close_connection = True

    do_POST = do_PUT = do_PATCH = do_DELETE = do_HEAD = do_GET  # noqa: N815

    def _send(self, reply: Reply | None, fault: Any) -> None:
        closing = self.server.stand_in.closing
        if fault == "silent":
            closing.wait()
        if reply is None or fault in ("drop", "silent"):
            return
        if isinstance(fault, int):
            reply = Reply(fault, "out of order", {"Content-Type": "text/plain"})
        if fault == "not json":
            reply = Reply(reply.status, "<!DOCTYPE html><title>Sign in to the network</title>", reply.headers)
        content = reply.content()
        self._send_head(reply, None if fault == "endless" else len(content))
        if fault == "cut":
            content = content[: len(content) // 2]
        if fault == "slow":
            for at in range(len(content)):
                self.wfile.write(content[at : at + 1])
                if closing.wait(self.server.stand_in.pace):
                    return
        elif fault == "endless":
            while not closing.is_set():
                self.wfile.write(b"[" + b"[0], " * 10_000)
        elif self.command != "HEAD":
            self.wfile.write(content)

    def _send_head(self, reply: Reply, length: int | None) -> None:
        stand_in = self.server.stand_in
        reason = reply.reason or HTTPStatus(reply.status).phrase
        head = [f"{stand_in.protocol} {reply.status} {reason}", *(f"{n}: {v}" for n, v in reply.headers.items())]
        if stand_in.says_length and length is not None:
            head.append(f"Content-Length: {length}")
        if stand_in.says_length:
            head.append("Connection: close")
        self.wfile.write("\r\n".join([*head, "", ""]).encode())

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing on the test's terminal."""
