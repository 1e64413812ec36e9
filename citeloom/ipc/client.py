"""Client of the engine's control protocol, used by the command line and the desktop app."""

from __future__ import annotations

import json
import os
import signal
import socket
import time
from collections import deque
from collections.abc import Callable
from typing import Any

from citeloom.api.engine import Stop
from citeloom.api.events import Event, decode_event
from citeloom.api.verbs import R, Request, decode, encode
from citeloom.core.errors import CiteLoomError, Code
from citeloom.ipc import launch, protocol

_STOP_SECONDS = 90.0


class Client:
    """A control connection to the engine, which is started if necessary."""

    def __init__(self, *, start: bool = True, started_by: str = "cli") -> None:
        self._socket: socket.socket = launch.connect("control", {}, start=start, started_by=started_by)
        self._lines = self._socket.makefile("rb")
        self._number = 0
        self._events: deque[dict[str, Any]] = deque()  # received while waiting for an answer

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the connection."""
        self._lines.close()
        self._socket.close()

    def interrupt(self) -> None:
        """Interrupt calls on this connection from another thread; it must still be closed."""
        try:
            self._socket.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass

    def is_open(self) -> bool:
        """Return whether the connection is still open."""
        try:
            self._socket.setblocking(False)
            try:
                return self._socket.recv(1, socket.MSG_PEEK) != b""
            finally:
                self._socket.setblocking(True)
        except BlockingIOError:
            return True
        except OSError:
            return False

    def call(self, request: Request[R]) -> R:
        """Send a request and wait for its result."""
        self._number += 1
        number = self._number
        try:
            self._socket.sendall(protocol.encode_line({"id": number, "verb": request.verb, "args": encode(request)}))
        except OSError as error:
            raise _connection_lost() from error
        while (message := self._receive()).get("id") != number:
            if "event" in message:
                self._events.append(message["event"])
        if "error" in message:
            raise CiteLoomError.from_dict(message["error"])
        result: R = decode(message["result"], request.result)
        return result

    def receive_events(self, on_event: Callable[[Event], bool]) -> None:
        """Pass every event to `on_event` until it returns True; the engine sends them after a `Subscribe` request."""
        while True:
            event = self._events.popleft() if self._events else self._receive().get("event")
            if event is not None and on_event(decode_event(event)):
                return

    def _receive(self) -> dict[str, Any]:
        try:
            line = self._lines.readline()
        except OSError as error:
            raise _connection_lost() from error
        if not line.endswith(b"\n"):  # nothing, or cut off in the middle
            raise _connection_lost()
        message: dict[str, Any] = json.loads(line)
        return message


def stop_engine() -> bool:
    """Stop the running engine, of any version, and wait for its end; return whether there was one."""
    if not launch.is_running():
        return False
    try:
        with Client(start=False) as client:
            client.call(Stop())
    except CiteLoomError:
        # An engine of another version refuses the connection, but stops cleanly on a signal.
        pid = (launch.address() or {}).get("pid")
        if pid is None:
            raise
        os.kill(pid, signal.SIGTERM)
    wait_until_stopped()
    return True


def wait_until_stopped() -> None:
    """Wait until the engine that was asked to stop has ended."""
    until = time.monotonic() + _STOP_SECONDS
    while launch.is_running():
        if time.monotonic() > until:
            raise CiteLoomError(Code.TIMEOUT, "The engine is still shutting down.", "Try again later.")
        time.sleep(0.05)


def _connection_lost() -> CiteLoomError:
    if launch.disk_is_full():
        return launch.unavailable("")
    return CiteLoomError(
        Code.ENGINE_UNAVAILABLE,
        "The engine stopped during this call.",
        "Try again: that starts a new one.",
    )
