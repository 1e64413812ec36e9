"""Clients that misbehave on the engine's port are dropped, and nobody else notices."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from citeloom.ipc.protocol import PROTOCOL
from tests.flows.steps import Control, connect, hello
from tests.support import WAIT, citeloom, done, stop_engine, wait_for

MEGABYTE = b"x" * 1_000_000


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The data folder of a running engine."""
    folder = tmp_path_factory.mktemp("socket")
    done(citeloom(folder, "engine", "start"))
    yield folder
    stop_engine(folder)


@contextmanager
def another_client(home: Path) -> Iterator[None]:
    """A client that goes on being answered, before, during and after."""
    over = threading.Event()
    problems: list[BaseException] = []
    answered = 0

    def ask() -> None:
        nonlocal answered
        try:
            with Control(home) as control:
                while not over.is_set():
                    assert control.call("engine.status")["version"]
                    answered += 1
        except BaseException as problem:
            problems.append(problem)

    asking = threading.Thread(target=ask)
    asking.start()
    try:
        wait_for(lambda: answered or problems, "the other client's first answer")
        yield
        before = answered
        wait_for(lambda: answered > before or problems, "the other client's next answer")
    finally:
        over.set()
        asking.join(WAIT)
    assert problems == []


def rest_of(connection: socket.socket) -> bytes:
    """What comes until the engine hangs up; fails if it never does."""
    received = b""
    try:
        while data := connection.recv(65_536):
            received += data
    except ConnectionError:
        pass
    return received


def send_much(connection: socket.socket) -> None:
    """Send 100 MB without a line end, or as much as is taken."""
    try:
        for _ in range(100):
            connection.sendall(MEGABYTE)
    except ConnectionError:
        pass


def greeted(home: Path, role: str) -> socket.socket:
    """A connection that the engine has welcomed."""
    connection = connect(home, hello(home, role))
    welcome = b""
    while not welcome.endswith(b"\n"):
        welcome += connection.recv(1)
    assert json.loads(welcome)["ok"] is True
    return connection


def without_token(home: Path) -> dict[str, Any]:
    first = hello(home)
    del first["token"]
    return first


FIRST_LINES: dict[str, Callable[[Path], bytes]] = {
    "wrong token": lambda home: json.dumps(hello(home, token="0" * 64)).encode(),
    "part of the token": lambda home: json.dumps(hello(home, token=hello(home)["token"][:-1])).encode(),
    "token of another kind": lambda home: json.dumps(hello(home, token=None)).encode(),
    "no token": lambda home: json.dumps(without_token(home)).encode(),
    "wrong token and version": lambda home: json.dumps(hello(home, token="", citeloom=99)).encode(),
    "garbage": lambda _: bytes(range(128, 256)),
    "another protocol": lambda _: b"GET / HTTP/1.1\r",
    "JSON of another kind": lambda _: b"[1, 2]",
    "deep JSON": lambda _: b"[" * 60_000,
    "empty line": lambda _: b"",
    "100 MB": lambda _: MEGABYTE * 100,
}


@pytest.mark.parametrize("name", FIRST_LINES)
def test_a_bad_first_line_is_dropped_without_a_word(engine: Path, name: str) -> None:
    with another_client(engine), connect(engine) as connection:
        try:
            connection.sendall(FIRST_LINES[name](engine) + b"\n")
        except ConnectionError:
            pass  # it was dropped before the end
        assert rest_of(connection) == b""


def test_100_mb_without_a_line_end_are_dropped(engine: Path) -> None:
    with another_client(engine), connect(engine) as connection:
        send_much(connection)
        assert rest_of(connection) == b""


def test_a_client_that_sends_nothing_is_dropped(engine: Path) -> None:
    with another_client(engine), connect(engine) as connection:
        assert rest_of(connection) == b""


@pytest.mark.parametrize("role", ["control", "mcp"])
def test_a_line_of_100_mb_is_dropped_even_from_who_has_the_token(engine: Path, role: str) -> None:
    with another_client(engine), greeted(engine, role) as connection:
        send_much(connection)
        assert rest_of(connection) == b""


@pytest.mark.parametrize("role", ["before the hello", "in the hello", "control", "mcp"])
def test_a_half_closed_connection_is_closed(engine: Path, role: str) -> None:
    with another_client(engine):
        connection = greeted(engine, role) if role in ("control", "mcp") else connect(engine)
        with connection:
            if role == "in the hello":
                connection.sendall(b'{"citeloom": 1, "ro')
            connection.shutdown(socket.SHUT_WR)
            assert rest_of(connection) == b""


def test_a_role_that_does_not_exist_is_dropped(engine: Path) -> None:
    with another_client(engine), connect(engine, hello(engine, "admin")) as connection:
        assert b'"result"' not in rest_of(connection)


def test_another_version_of_the_protocol_is_told_what_to_do(engine: Path) -> None:
    with another_client(engine), connect(engine, hello(engine, citeloom=PROTOCOL + 1)) as connection:
        answer = json.loads(rest_of(connection))
    assert answer["ok"] is False
    assert answer["error"]["code"] == "ENGINE_UNAVAILABLE"
    assert "another version" in answer["error"]["message"]
    assert "citeloom engine stop" in answer["error"]["message"]


@pytest.mark.parametrize(
    "line",
    [
        b"garbage",
        b"[]",
        b"null",
        b'{"id": 7}',
        b'{"id": 7, "verb": "fly"}',
        b'{"id": 7, "verb": "search.query"}',
        b"[" * 10**5,
        b'{"id": 7, "verb": "activity.access_log", "args": {"limit": 1' + b"0" * 400 + b"}}",
        b'{"id": 7, "verb": "activity.access_log", "args": {"before": 1' + b"0" * 400 + b"}}",
        b'{"id": 7, "verb": "' + b"v" * 10**6 + b'"}',
        b'{"verb": "activity.access_log", "args": {"limit": 1' + b"0" * 5000 + b"}}",
        b'{"id": [[7]], "verb": "fly"}',
        b"\xff\xfe{}",
    ],
    ids=[
        *("garbage", "list", "null", "no verb", "unknown verb", "no arguments", "deep"),
        *("large limit", "large id", "long verb", "larger than a number", "deep id", "no UTF-8"),
    ],
)
def test_a_request_that_is_not_understood_is_answered_and_the_connection_goes_on(engine: Path, line: bytes) -> None:
    with greeted(engine, "control") as connection, connection.makefile("rb") as lines:
        connection.sendall(line + b"\n")
        refused = json.loads(lines.readline())
        assert refused["error"]["code"] == "INVALID_INPUT"
        assert len(refused["error"]["message"]) < 3_000
        assert refused["id"] == (7 if b'"id": 7' in line else None)
        connection.sendall(b'{"id": 8, "verb": "engine.status"}\n')
        assert json.loads(lines.readline())["id"] == 8


def test_garbage_in_an_mcp_session_does_not_end_it(engine: Path) -> None:
    info = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}
    with greeted(engine, "mcp") as connection, connection.makefile("rb") as lines:
        connection.sendall(b"garbage\n\n[]\n")
        connection.sendall(b"[" * 100_000 + b"\n" + b'{"id":' * 100_000 + b"\n")
        connection.sendall(b'{"jsonrpc": "2.0", "id": NaN, "method": 1}\n{"id": 1' + b"0" * 5000 + b"}\n")
        connection.sendall(json.dumps({"jsonrpc": "2.0", "id": 5, "method": "initialize", "params": info}).encode())
        connection.sendall(b"\n")
        refused = 0
        while (answer := json.loads(lines.readline())).get("id") != 5:
            assert answer["error"]["code"] == -32600 and answer["id"] is None
            refused += 1
        assert refused == 6
        assert answer["result"]["serverInfo"]["name"] == "citeloom"
