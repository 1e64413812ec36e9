"""Hostile lines on the engine's port: nobody without the token gets a word, and nobody else notices anything."""

from __future__ import annotations

import json
import socket
from collections.abc import Callable
from typing import Any

from hypothesis import strategies as st

from citeloom.api import evidence, search  # noqa: F401 - their requests are attacked
from citeloom.api.verbs import REQUESTS
from tests.attack.library import Library
from tests.attack.rounds import attack
from tests.attack.values import nested, values
from tests.flows.steps import Control, connect, hello
from tests.support import WAIT

# Verbs that look at something; the others would change what is attacked.
_VERBS = tuple(verb for verb in REQUESTS if REQUESTS[verb].read_only)


def run(library: Library, enough: Callable[[int], bool], seed: int) -> int:
    """Connect until there were enough; gives how many connections were made."""
    engine = library.engine()
    first = hello(library.home, "control")
    strangers = st.tuples(st.just(False), st.lists(_lines(), max_size=3))
    friends = st.tuples(st.just(True), st.lists(st.one_of(_lines(), _requests()), max_size=5))

    def check(example: tuple[bool, list[bytes]]) -> None:
        admitted, lines = example
        with connect(library.home) as connection:
            if admitted:
                role = "control" if len(lines) % 2 else "mcp"
                lines = [json.dumps({**first, "role": role}).encode(), *lines]
            came = _exchange(connection, lines)
        if not admitted:
            assert came == b"", came[:200]
            return
        for line in came.splitlines():
            said = json.loads(line)
            assert (said.get("error") or {}).get("code") != "INTERNAL_ERROR", said
        assert came, "whoever has the token is answered"

    made = attack(strangers | friends, check, enough, seed)
    assert library.engine() == engine, "the engine ended under the connections"
    with Control(library.home) as control:
        assert control.call("engine.status")["version"]
    return made


def _exchange(connection: socket.socket, lines: list[bytes]) -> bytes:
    """Send lines, say that this was all, and give everything that comes back."""
    connection.settimeout(WAIT)
    came = bytearray()
    try:
        connection.sendall(b"".join(line + b"\n" for line in lines))
        connection.shutdown(socket.SHUT_WR)
        while block := connection.recv(65_536):
            came += block
    except TimeoutError:
        raise
    except OSError:  # dropped in the middle, which is one way to refuse
        pass
    return bytes(came)


def _lines() -> st.SearchStrategy[bytes]:
    return st.one_of(
        st.binary(max_size=200),
        values().map(lambda value: json.dumps(value).encode()),
        st.sampled_from((nested(1_000), nested(20_000), '{"a":' * 5_000, "9" * 5_000, "NaN", '{"id":1,"id":2}')).map(
            str.encode
        ),
        st.fixed_dictionaries(
            {},
            optional={name: values() for name in ("citeloom", "role", "token", "options", "jsonrpc", "method", "id")},
        ).map(lambda value: json.dumps(value).encode()),
    )


def _requests() -> st.SearchStrategy[bytes]:
    names = (
        "project",
        "id",
        "text",
        "chunk_id",
        "citekey",
        "format",
        "quote",
        "page",
        "width",
        "cites",
        "file",
        "limit",
    )
    arguments = st.fixed_dictionaries({}, optional={name: values("seen") for name in names})
    verbs = st.sampled_from(_VERBS) | st.text(max_size=5)

    def request(pair: tuple[str, Any]) -> bytes:
        return json.dumps({"id": 1, "verb": pair[0], "args": pair[1]}).encode()

    return st.tuples(verbs, arguments).map(request)
