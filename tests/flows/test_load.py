"""Many calls at once: each is answered once and by its own answer, nobody waits for another's flood, none piles up."""

from __future__ import annotations

import json
import socket
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from citeloom.engine.fair_queue import MAX_QUEUED
from tests.flows.steps import Control, connect, engine_with, hello, settings
from tests.support import Editor, wait_for

# `help` waits until the file "go" is there, and notes who was served in which order. Nothing need be loaded for it.
SLOW_HELP = """
from pathlib import Path
from citeloom.engine import control, fair_queue, server
from citeloom.tools import table as tools

def guide(topic):
    while not Path("go").exists():
        time.sleep(0.005)
    with open("served", "a") as file:
        print(topic[:20], file=file)
    return topic, topic

class SmallPool(fair_queue.FairThreadPool):
    def __init__(self):
        super().__init__(4)
        control._VERBS["calls_waiting"] = lambda service, arguments: self.queued

tools.guide = guide
control._VERBS["search.query"] = lambda service, arguments: guide(arguments["text"])
server.FairThreadPool = SmallPool
"""


@pytest.fixture(scope="module")
def slow(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A data folder whose engine gives help slowly."""
    home = tmp_path_factory.mktemp("load")
    settings(home, "[timeouts]\nother = 600\n")
    with engine_with(home, SLOW_HELP):
        yield home


@pytest.fixture
def gate(slow: Path) -> Iterator[Path]:
    """The file that lets calls end."""
    go = slow / "go"
    go.unlink(missing_ok=True)
    (slow / "served").unlink(missing_ok=True)
    yield go
    go.touch()
    wait_for(lambda: not waiting(slow), "the calls of this test to end")


def waiting(home: Path) -> int:
    with Control(home) as control:
        count: int = control.call("calls_waiting")
    return count


def ask(editor: Editor, name: str, count: int) -> dict[int, str]:
    """Send calls without waiting; gives what each asks for by its id."""
    topics = [f"{name}-{number}" for number in range(count)]
    return {editor.begin("tools/call", {"name": "help", "arguments": {"topic": topic}}): topic for topic in topics}


def answers(editor: Editor, asked: dict[int, str], count: int) -> dict[int, dict[str, Any]]:
    """Wait for so many answers to calls; gives what each says by its id."""
    lines = wait_for(
        lambda: len(editor.raw) > count and editor.raw[1 : count + 1], "the answers"
    )  # after the handshake
    messages = [json.loads(line) for line in lines]
    given = {message["id"]: message["result"]["structuredContent"] for message in messages}
    assert len(given) == count and set(given) <= set(asked)
    return given


def test_many_calls_of_many_editors_are_answered_each_by_its_own_answer_in_turns(slow: Path, gate: Path) -> None:
    with ExitStack() as stack:
        editors = {name: stack.enter_context(Editor(slow, name=name)) for name in ("first", "second", "third")}
        asked = {"first": ask(editors["first"], "first", 60)}
        wait_for(lambda: waiting(slow) == 58, "the first editor's calls to have half of the threads")
        for name in ("second", "third"):
            asked[name] = ask(editors[name], name, 6)
        wait_for(lambda: waiting(slow) == 68, "all calls to wait")
        gate.touch()
        for name, editor in editors.items():
            said = answers(editor, asked[name], len(asked[name]))
            assert {number: answer["text"] for number, answer in said.items()} == asked[name]
    served = [line.rpartition("-")[0] for line in (slow / "served").read_text().splitlines()]
    assert len(served) == 72
    # However many wait before them, they get every third turn.
    assert "second" not in served[30:] and "third" not in served[30:]


def test_a_person_who_searches_takes_turns_as_an_editor_does(slow: Path, gate: Path) -> None:
    with connect(slow, hello(slow)) as person, person.makefile("rb") as lines:
        for number in range(3):
            call = {"id": number, "verb": "search.query", "args": {"text": f"person-{number}"}}
            person.sendall(json.dumps(call).encode() + b"\n")
        wait_for(lambda: waiting(slow) == 1, "two to be served and one to wait")
        gate.touch()
        said = [json.loads(lines.readline()) for _ in range(4)][1:]  # after the hello
    assert {answer["id"]: answer["result"][0] for answer in said} == {n: f"person-{n}" for n in range(3)}


def test_more_than_can_wait_is_refused_at_once_and_the_rest_is_answered(slow: Path, gate: Path) -> None:
    with Editor(slow) as greedy, Editor(slow) as modest:
        asked = ask(greedy, "greedy", 400)
        refused = answers(greedy, asked, 400 - MAX_QUEUED - 2)
        assert {answer["error"]["code"] for answer in refused.values()} == {"TIMEOUT"}
        assert all("Send a few at a time" in answer["error"]["message"] for answer in refused.values())
        assert waiting(slow) == MAX_QUEUED
        single = ask(modest, "modest", 1)
        gate.touch()
        assert [answer["text"] for answer in answers(modest, single, 1).values()] == ["modest-0"]
        said = answers(greedy, asked, 400)
        assert {said[number]["text"] for number in set(said) - set(refused)} <= set(asked.values())
        assert greedy.call("help", topic="again")["text"] == "again"


def test_calls_that_are_cancelled_or_whose_editor_has_gone_wait_no_longer(slow: Path, gate: Path) -> None:
    with Editor(slow) as editor:
        asked = ask(editor, "cancelled", 12)
        wait_for(lambda: waiting(slow) == 10, "the calls to wait")
        for number in list(asked)[7:]:
            editor.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": number}})
        wait_for(lambda: waiting(slow) == 5, "the cancelled ones to leave")
    wait_for(lambda: waiting(slow) == 0, "the others to leave with their editor")
    gate.touch()
    with Editor(slow) as editor:
        assert editor.call("help", topic="after")["text"] == "after"
    assert "cancelled-7" not in (slow / "served").read_text()


def test_an_editor_that_does_not_read_is_not_read_either(slow: Path, gate: Path) -> None:
    gate.touch()
    info = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "deaf", "version": "1"}}
    with connect(slow, hello(slow, "mcp")) as deaf:
        deaf.sendall(json.dumps({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": info}).encode() + b"\n")
        deaf.settimeout(1.0)
        with pytest.raises(socket.timeout):  # else all of it would be in the engine's memory
            for number in range(1, 1500):
                call = {"name": "help", "arguments": {"topic": "x" * 100_000}}
                line = {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": call}
                deaf.sendall(json.dumps(line).encode() + b"\n")
        with Editor(slow) as editor:
            assert editor.call("help", topic="another")["text"] == "another"
