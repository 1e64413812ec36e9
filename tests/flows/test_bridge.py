"""What an editor launches: light to start, never silent, and at work again after the engine died under it."""

from __future__ import annotations

import asyncio
import io
import json
import os
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from mcp import Client, StdioServerParameters
from mcp_types import Implementation

from citeloom import bridge
from citeloom.bridge import Bridge
from citeloom.ipc import launch, protocol
from tests.faults import fault
from tests.flows.steps import Project, engine_with, engines, four_papers, kill_engine, settings
from tests.support import WAIT, Editor, citeloom, done, engine_address, environment, stop_engine, wait_for

LIGHT_MODULES = {
    "citeloom",
    "citeloom.__main__",
    "citeloom.bridge",
    "citeloom.core.data_folder",
    "citeloom.core.paths",
    "citeloom.core.errors",
    "citeloom.core.text.sanitize",
    "citeloom.core",
    "citeloom.core.text",
    "citeloom.ipc",
    "citeloom.ipc.batches",
    "citeloom.ipc.launch",
    "citeloom.ipc.protocol",
}
INITIALIZE = {
    "protocolVersion": "2025-11-25",
    "capabilities": {},
    "clientInfo": {"name": "test-editor", "version": "1.0"},
}


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A data folder with four papers as project `p`; tests may kill its engine."""
    root = tmp_path_factory.mktemp("bridge")
    home = root / "home"
    home.mkdir()
    four_papers(root / "papers")
    Project.made(home, root / "papers").ingest()
    yield home
    stop_engine(home)


def assert_only_mcp(editor: Editor) -> None:
    """Every line on stdout was a JSON-RPC message for this editor."""
    messages = [json.loads(line) for line in editor.raw]
    assert messages
    assert {message["jsonrpc"] for message in messages} == {"2.0"}
    assert all("result" in m or "error" in m or "method" in m for m in messages)
    assert not any("replay" in str(message.get("id")) for message in messages)


def clients_in_log(home: Path) -> list[str]:
    """The editors of the last calls, newest first."""
    return [entry["client"] for entry in json.loads(done(citeloom(home, "log", "--json")))]


def modules_of(home: Path, *arguments: str, stdin: str) -> set[str]:
    """The modules that a Python process imports."""
    command = [sys.executable, "-X", "importtime", *arguments]
    process = subprocess.run(
        command, env=environment(home), input=stdin, capture_output=True, text=True, timeout=WAIT, check=True
    )
    lines = [line for line in process.stderr.splitlines() if line.startswith("import time:")]
    return {line.rpartition("|")[2].strip() for line in lines[1:]}


@pytest.mark.parametrize("engine", ["absent", "running"])
def test_the_bridge_imports_the_standard_library_and_little_else(home: Path, engine: str) -> None:
    if engine == "running":
        done(citeloom(home, "engine", "start"))
    hello = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": INITIALIZE})
    bare = modules_of(home, "-c", "pass", stdin="")
    loaded = modules_of(home, "-m", "citeloom", "mcp", stdin=hello + "\n") - bare
    own = {name for name in loaded if name.split(".")[0] == "citeloom"}
    assert {"citeloom.bridge", "citeloom.ipc.launch"} <= own
    assert own <= LIGHT_MODULES
    others = {name.split(".")[0] for name in loaded - own}
    assert others <= sys.stdlib_module_names
    assert engines(home)
    if engine == "running":
        assert not others & {"subprocess", "asyncio", "argparse", "logging", "pathlib", "typing_extensions"}


def test_the_bridge_starts_an_engine_where_there_is_none_and_leaves_it_running(home: Path) -> None:
    with Editor(home) as editor:
        assert editor.initialize["result"]["serverInfo"]["name"] == "citeloom"
        assert engine_address(home)["started_by"] == "bridge"
        assert editor.call("list_projects")["count"] == 0
    assert editor.process.returncode == 0
    assert_only_mcp(editor)
    assert [engine.pid for engine in engines(home)] == [engine_address(home)["pid"]]


def test_three_editors_at_once_share_one_engine(home: Path) -> None:
    editors = [Editor(home, name=f"editor-{n}", handshake=False) for n in range(3)]
    try:
        started = []
        for n, editor in enumerate(editors):
            info = {**INITIALIZE, "clientInfo": {"name": f"editor-{n}", "version": "1"}}
            started.append(editor.begin("initialize", info))
        for editor, number in zip(editors, started, strict=True):
            assert "result" in editor.answer(number)
            editor.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
        for editor in editors:
            editor.call("list_projects")
        assert len(engines(home)) == 1
        assert set(clients_in_log(home)) == {"editor-0 1", "editor-1 1", "editor-2 1"}
    finally:
        for editor in editors:
            editor.close()
    for editor in editors:
        assert_only_mcp(editor)


DIES_IN_A_QUERY = [fault("search.query", "kill"), fault("library.document", "sleep", value=600)]


def test_calls_during_which_the_engine_dies_are_answered_and_the_next_one_works(library: Path) -> None:
    stop_engine(library)
    question = {"project": "p", "text": "how often was the coral measured?"}
    with engine_with(library, *DIES_IN_A_QUERY) as engine:
        with Editor(library, name="brave-editor") as editor:
            slow = editor.begin("tools/call", {"name": "get_document", "arguments": {"project": "p", "citekey": "x"}})
            error = editor.fail("query", **question)
            assert error["code"] == "ENGINE_UNAVAILABLE"
            assert "Call again" in error["message"]
            engine.wait(WAIT)
            answers = [m for m in editor.notifications if m.get("id") == slow] or [editor.answer(slow)]
            assert answers[0]["result"]["structuredContent"]["error"]["code"] == "ENGINE_UNAVAILABLE"

            assert editor.call("query", **question)["items"][0]["source"] == "1-reefs.md"
            assert len(editor.request("tools/list")["result"]["tools"]) > 5
            assert editor.call("query", **question)["count"] > 0
        assert_only_mcp(editor)
        numbers = [json.loads(line).get("id") for line in editor.raw]
        assert len(numbers) == len(set(numbers))
    assert clients_in_log(library)[:2] == ["brave-editor 1.0"] * 2


def test_an_engine_that_died_between_two_calls_is_not_noticed(library: Path) -> None:
    with Editor(library) as editor:
        before = editor.call("list_documents", project="p")["total"]
        dead = kill_engine(library)
        assert editor.call("list_documents", project="p")["total"] == before
        assert engine_address(library)["pid"] != dead
        stop_engine(library)
        assert editor.call("list_documents", project="p")["total"] == before
    assert_only_mcp(editor)


@pytest.mark.parametrize("mode", ["legacy", "auto", "2026-07-28"])
def test_a_client_of_any_protocol_era_goes_on_after_the_engine_died(library: Path, mode: str) -> None:
    stop_engine(library)
    bridge = StdioServerParameters(
        command=sys.executable, args=["-m", "citeloom", "mcp", "--project", "p"], env=environment(library)
    )
    arguments = {"project": "p", "text": "moth"}

    async def session() -> list[Any]:
        info = Implementation(name=f"client-{mode}", version="3")
        async with Client(bridge, mode=mode, client_info=info) as client:
            return [await client.call_tool("query", arguments) for _ in range(2)]

    with engine_with(library, *DIES_IN_A_QUERY):
        failed, worked = asyncio.run(asyncio.wait_for(session(), WAIT))
    assert failed.is_error
    assert failed.structured_content["error"]["code"] == "ENGINE_UNAVAILABLE"
    assert not worked.is_error
    assert worked.structured_content["items"][0]["source"] == "2-moths.md"
    assert clients_in_log(library)[0] == f"client-{mode} 3"


def test_a_loss_that_is_noticed_before_the_call_waits_does_not_swallow_the_call(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    ours, engines_end = socket.socketpair()
    monkeypatch.setattr(launch, "connect", lambda *_, **__: ours)
    lost = threading.Event()

    class Unlucky(Bridge):
        def _connect(self, engine: socket.socket) -> socket.socket:
            connection = super()._connect(engine)
            engines_end.close()
            assert lost.wait(WAIT)
            return connection

    def shut_down(engine: socket.socket) -> None:
        lost.set()

    monkeypatch.setattr(bridge, "_shut_down", shut_down)
    written = io.BytesIO()
    request = {"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": {"name": "query", "arguments": {}}}
    Unlucky({}, io.BytesIO(json.dumps(request).encode() + b"\n"), written).run()
    (answer,) = (json.loads(line) for line in wait_for(written.getvalue, "the answer").splitlines())
    assert answer["id"] == 7
    assert answer["result"]["structuredContent"]["error"]["code"] == "ENGINE_UNAVAILABLE"


def test_what_an_engine_that_reloads_has_not_answered_is_sent_again_until_it_is(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Engines played by hand: the first two reload before they answer the call, the second before the handshake."""
    pairs = [socket.socketpair() for _ in range(3)]
    ends = iter([end for end, _ in pairs])
    monkeypatch.setattr(launch, "connect", lambda *_, **__: next(ends))
    monkeypatch.setattr(launch, "try_connect", lambda *_: next(ends))
    reading, writing = os.pipe()
    written = io.BytesIO()
    with os.fdopen(reading, "rb") as stdin, os.fdopen(writing, "wb", buffering=0) as editor:
        running = threading.Thread(target=Bridge({}, stdin, written).run)
        running.start()

        def send(**message: Any) -> dict[str, Any]:
            editor.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
            return {"jsonrpc": "2.0", **message}

        def answer(engine: socket.socket, number: Any) -> None:
            engine.sendall(json.dumps({"jsonrpc": "2.0", "id": number, "result": {}}).encode() + b"\n")

        first, second, third = (engine for _, engine in pairs)
        first_lines, second_lines, third_lines = (engine.makefile("rb") for _, engine in pairs)
        initialize = send(id=1, method="initialize", params=INITIALIZE)
        assert json.loads(first_lines.readline()) == initialize
        answer(first, 1)
        initialized = send(method="notifications/initialized")
        dropped = send(id=2, method="tools/call", params={"name": "help"})
        call = send(id=3, method="tools/call", params={"name": "query"})
        cancelled = send(method="notifications/cancelled", params={"requestId": 2})
        assert [json.loads(first_lines.readline()) for _ in range(4)] == [initialized, dropped, call, cancelled]
        first.sendall(protocol.RECONNECT)
        assert first_lines.readline() == b"", "the bridge closes the connection"
        again = [{**initialize, "id": "citeloom-replay"}, initialized, call]
        assert [json.loads(second_lines.readline()) for _ in range(3)] == again
        second.sendall(protocol.RECONNECT)
        assert [json.loads(third_lines.readline()) for _ in range(3)] == again
        answer(third, "citeloom-replay")
        answer(third, 3)
        wait_for(lambda: written.getvalue().count(b"\n") == 2, "the answers")
        editor.close()
        running.join(WAIT)
        for engine in (first_lines, second_lines, third_lines, first, second, third):
            engine.close()
    assert [json.loads(line)["id"] for line in written.getvalue().splitlines()] == [1, 3]


@pytest.mark.parametrize(
    "line",
    [
        b"this is not JSON",
        b"\xff\xfe",
        b"[" * 100_000,
        b'{"jsonrpc": "2.0", "id": [1], "method": "ping"}',
        b'{"jsonrpc": "2.0", "id": 1.5, "method": "ping"}',
        b'{"jsonrpc": "2.0", "id": NaN, "method": "ping"}',
        b'{"jsonrpc": "2.0", "id": 1' + b"0" * 5000 + b', "method": "ping"}',
        b'"text"',
    ],
    ids=["words", "bytes", "deep", "id of another kind", "half an id", "no number", "endless number", "no object"],
)
def test_a_line_that_is_no_message_is_refused_and_the_session_goes_on(library: Path, line: bytes) -> None:
    with Editor(library) as editor:
        editor.send_raw(line + b"\n")
        assert editor.call("list_projects")["count"] == 1
        (refused,) = editor.notifications
        assert refused["id"] is None
        assert refused["error"]["code"] in (-32700, -32600)
    assert editor.process.returncode == 0
    assert_only_mcp(editor)


def of_revision(home: Path, revision: str) -> Editor:
    """An editor that asks for a revision of MCP."""
    editor = Editor(home, handshake=False)
    assert editor.request("initialize", {**INITIALIZE, "protocolVersion": revision})["result"]
    editor.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
    return editor


def asked(number: int, tool: str = "list_projects") -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": {"name": tool, "arguments": {}}}


def test_the_members_of_a_batch_are_served_and_answered_together(library: Path) -> None:
    with of_revision(library, "2025-03-26") as editor:
        said = len(editor.raw)
        odd = [5, {**asked(12), "method": "initialize"}, asked(10), {"jsonrpc": "2.0", "method": "notifications/x"}]
        answers = editor.batch([asked(10), asked(11, "no_such_tool"), *odd])
        found = [(a["id"], a["result"]["isError"]) for a in answers if "result" in a]
        assert sorted(found) == [(10, False), (11, True)]
        refused = [(a["id"], a["error"]["code"]) for a in answers if "error" in a]
        assert refused == [(None, -32600), (12, -32600), (10, -32600)]
        editor.send_raw(json.dumps([{"jsonrpc": "2.0", "method": "notifications/x"}]).encode() + b"\n")  # no answer
        assert editor.call("list_projects")["count"] == 1
        assert len(editor.raw) == said + 2


@pytest.mark.parametrize(
    ("revision", "batch", "ids"),
    [("2025-11-25", [asked(10), asked(11)], [10, 11]), ("2025-03-26", [], [None]), ("2025-11-25", [], [None])],
)
def test_a_batch_that_the_revision_does_not_have_is_refused_and_the_session_goes_on(
    library: Path, revision: str, batch: list[Any], ids: list[int | None]
) -> None:
    with of_revision(library, revision) as editor:
        said = len(editor.raw)
        editor.send_raw(json.dumps(batch).encode() + b"\n")
        wait_for(lambda: len(editor.raw) >= said + len(ids), "the refusals")
        answers = [json.loads(line) for line in editor.raw[said:]]
        assert [(a["id"], a["error"]["code"]) for a in answers] == [(number, -32600) for number in ids]
        assert editor.call("list_projects")["count"] == 1


def test_a_batch_during_which_the_engine_dies_is_answered_whole(library: Path) -> None:
    stop_engine(library)
    call = asked(11)
    call["params"] = {"name": "query", "arguments": {"project": "p", "text": "how often was the coral measured?"}}
    with engine_with(library, *DIES_IN_A_QUERY), of_revision(library, "2025-03-26") as editor:
        answers = {a["id"]: a["result"]["structuredContent"] for a in editor.batch([asked(10), call])}
        assert answers.keys() == {10, 11}
        assert answers[11]["error"]["code"] == "ENGINE_UNAVAILABLE"
        assert editor.call("list_projects")["count"] == 1


def test_a_batch_does_not_wait_for_the_answer_to_a_cancelled_call(monkeypatch: pytest.MonkeyPatch) -> None:
    """An engine played by hand: it gives no answer to a cancelled call."""
    bridge_end, engine = socket.socketpair()
    monkeypatch.setattr(launch, "connect", lambda *_, **__: bridge_end)
    reading, writing = os.pipe()
    written = io.BytesIO()
    with os.fdopen(reading, "rb") as stdin, os.fdopen(writing, "wb", buffering=0) as editor, engine:
        running = threading.Thread(target=Bridge({}, stdin, written).run)
        running.start()
        initialize = {"id": 1, "method": "initialize", "params": {**INITIALIZE, "protocolVersion": "2025-03-26"}}
        cancelled = {"method": "notifications/cancelled", "params": {"requestId": 10}}
        for message in (initialize, [asked(10), asked(11)], cancelled):
            editor.write(json.dumps(message).encode() + b"\n")
        with engine.makefile("rb") as lines:
            assert [json.loads(lines.readline()).get("id") for _ in range(4)] == [1, 10, 11, None]
        engine.sendall(b'{"jsonrpc": "2.0", "id": 11, "result": {}}\n')
        wait_for(written.getvalue, "the answer to the batch")
        editor.close()
        running.join(WAIT)
    assert [answer["id"] for answer in json.loads(written.getvalue().splitlines()[0])] == [11]


def test_a_call_that_is_too_long_for_the_engine_is_refused_and_costs_no_other_call(library: Path) -> None:
    with Editor(library) as editor:
        other = editor.begin("tools/call", {"name": "list_projects", "arguments": {}})
        error = editor.fail("query", project="p", text="x" * 33 * 1024 * 1024)
        assert error["code"] == "INVALID_INPUT"
        assert "32 MB" in error["message"]
        answers = {message.get("id"): message for message in editor.notifications}
        answer = answers[other] if other in answers else editor.answer(other)
        assert not answer["result"]["isError"]


def test_an_engine_that_cannot_start_is_explained_on_every_call_and_found_once_it_can(home: Path) -> None:
    settings(home, "[engine]\nidle_minutes = soon\n")
    with Editor(home, handshake=False) as editor:
        refused = editor.request("initialize", INITIALIZE)
        assert refused["error"]["code"] == -32000
        assert refused["error"]["data"]["code"] == "ENGINE_UNAVAILABLE"
        assert str(home / "citeloom.toml") in refused["error"]["message"]
        assert "line 2" in refused["error"]["message"]
        error = editor.fail("list_projects")
        assert error["code"] == "ENGINE_UNAVAILABLE"
        assert "citeloom.toml" in error["message"]
        assert "error" in editor.request("tools/list")
        editor.send({"jsonrpc": "2.0", "method": "notifications/initialized"})  # needs no answer and gets none
        wait_for(lambda: not engines(home), "the last engine tried to give up")

        settings(home, "")
        assert "result" in editor.request("initialize", INITIALIZE)
        editor.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
        assert editor.call("list_projects")["count"] == 0
    assert_only_mcp(editor)


@pytest.mark.parametrize(
    ("options", "word"),
    [
        (["--fly"], "--fly"),
        (["p"], "no option p"),
        (["--project"], "needs a value"),
        (["--toolsets", "read,fly"], "no toolset fly"),
    ],
    ids=["unknown", "bare word", "no value", "unknown toolset"],
)
def test_options_that_are_not_understood_end_the_bridge_with_its_usage(
    home: Path, options: list[str], word: str
) -> None:
    result = citeloom(home, "mcp", *options)
    assert result.returncode == 2
    assert result.stdout == ""
    assert word in result.stderr
    assert "Usage: citeloom mcp" in result.stderr
    assert "Traceback" not in result.stderr
    assert not engines(home)


def test_help_is_given_without_an_engine(home: Path) -> None:
    assert "Usage: citeloom mcp" in done(citeloom(home, "mcp", "--help"))
    assert "--project" in done(citeloom(home, "mcp", "-h"))
    assert not engines(home)
