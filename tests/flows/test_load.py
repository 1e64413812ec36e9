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
from tests.faults import Fault, Pause, fault, set_number
from tests.flows.steps import connect, engine_with, hello, settings
from tests.support import Editor, citeloom, done, wait_for


class Slow:
    """A data folder whose engine serves four calls at once; help and searches wait at a gate."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.gate = Pause(home / "gate")
        self.served, self._waiting = home / "served", home / "waiting"

    def faults(self) -> list[Fault]:
        """What makes an engine slow, and notes who was served in which order."""
        return [
            set_number("engine.call_threads", 4),
            fault("engine.calls_waiting", "note", value=str(self._waiting)),
            self.gate.at("tools.help"),
            self.gate.at("search.query"),
            fault("tools.help", "note", value=str(self.served)),
        ]

    def waiting(self) -> int:
        """How many calls wait for a thread."""
        notes = self._waiting.read_text().split() if self._waiting.exists() else []
        return int(notes[-1]) if notes else 0


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Slow]:
    home = tmp_path_factory.mktemp("load")
    made = Slow(home)
    settings(home, "[timeouts]\nother = 600\n")
    with engine_with(home, *made.faults()):
        done(citeloom(home, "project", "add", "p"))
        yield made


@pytest.fixture
def slow(engine: Slow) -> Iterator[Slow]:
    engine.gate.reset()
    engine.served.unlink(missing_ok=True)
    yield engine
    engine.gate.release()
    wait_for(lambda: not engine.waiting(), "the calls of this test to end")


def ask(editor: Editor, name: str, count: int) -> dict[int, str]:
    """Send calls without waiting; gives what each asks for by its id."""
    topics = [f"{name}-{number}" for number in range(count)]
    return {editor.begin("tools/call", {"name": "help", "arguments": {"topic": topic}}): topic for topic in topics}


def topic_of(answer: dict[str, Any]) -> str:
    """What a call asked for: its refusal names it, for there is help on none of these."""
    assert answer["error"]["code"] == "INVALID_INPUT"
    return str(answer["error"]["message"].split("'")[1])


def answers(editor: Editor, asked: dict[int, str], count: int) -> dict[int, dict[str, Any]]:
    """Wait for so many answers to calls; gives what each says by its id."""
    lines = wait_for(
        lambda: len(editor.raw) > count and editor.raw[1 : count + 1], "the answers"
    )  # after the handshake
    messages = [json.loads(line) for line in lines]
    given = {message["id"]: message["result"]["structuredContent"] for message in messages}
    assert len(given) == count and set(given) <= set(asked)
    return given


def test_many_calls_of_many_editors_are_answered_each_by_its_own_answer_in_turns(slow: Slow) -> None:
    with ExitStack() as stack:
        editors = {name: stack.enter_context(Editor(slow.home, name=name)) for name in ("first", "second", "third")}
        asked = {"first": ask(editors["first"], "first", 60)}
        wait_for(lambda: slow.waiting() == 58, "the first editor's calls to have half of the threads")
        for name in ("second", "third"):
            asked[name] = ask(editors[name], name, 6)
        wait_for(lambda: slow.waiting() == 68, "all calls to wait")
        slow.gate.release()
        for name, editor in editors.items():
            said = answers(editor, asked[name], len(asked[name]))
            assert {number: topic_of(answer) for number, answer in said.items()} == asked[name]
    served = [line.rpartition("-")[0] for line in slow.served.read_text().splitlines()]
    assert len(served) == 72
    # However many wait before them, they get every third turn.
    assert "second" not in served[30:] and "third" not in served[30:]


def test_a_person_who_searches_takes_turns_as_an_editor_does(slow: Slow) -> None:
    with connect(slow.home, hello(slow.home)) as person, person.makefile("rb") as lines:
        for number in range(3):
            call = {"id": number, "verb": "search.query", "args": {"project": "p", "text": "tide", "top_k": -number}}
            person.sendall(json.dumps(call).encode() + b"\n")
        wait_for(lambda: slow.waiting() == 1, "two to be served and one to wait")
        slow.gate.release()
        said = [json.loads(lines.readline()) for _ in range(4)][1:]  # after the hello
    assert {answer["id"]: answer["error"]["message"] for answer in said} == {n: f"top_k is {-n}." for n in range(3)}


def test_more_than_can_wait_is_refused_at_once_and_the_rest_is_answered(slow: Slow) -> None:
    with Editor(slow.home) as greedy, Editor(slow.home) as modest:
        asked = ask(greedy, "greedy", 400)
        refused = answers(greedy, asked, 400 - MAX_QUEUED - 2)
        assert {answer["error"]["code"] for answer in refused.values()} == {"TIMEOUT"}
        assert all("Send a few at a time" in answer["error"]["message"] for answer in refused.values())
        assert slow.waiting() == MAX_QUEUED
        single = ask(modest, "modest", 1)
        slow.gate.release()
        assert [topic_of(answer) for answer in answers(modest, single, 1).values()] == ["modest-0"]
        said = answers(greedy, asked, 400)
        assert {topic_of(said[number]) for number in set(said) - set(refused)} <= set(asked.values())
        assert "'again'" in greedy.fail("help", topic="again")["message"]


def test_calls_that_are_cancelled_or_whose_editor_has_gone_wait_no_longer(slow: Slow) -> None:
    with Editor(slow.home) as editor:
        asked = ask(editor, "cancelled", 12)
        wait_for(lambda: slow.waiting() == 10, "the calls to wait")
        for number in list(asked)[7:]:
            editor.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": number}})
        wait_for(lambda: slow.waiting() == 5, "the cancelled ones to leave")
    wait_for(lambda: slow.waiting() == 0, "the others to leave with their editor")
    slow.gate.release()
    with Editor(slow.home) as editor:
        assert "'after'" in editor.fail("help", topic="after")["message"]
    assert "cancelled-7" not in slow.served.read_text()


def test_an_editor_that_does_not_read_is_not_read_either(slow: Slow) -> None:
    slow.gate.release()
    info = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "deaf", "version": "1"}}
    with connect(slow.home, hello(slow.home, "mcp")) as deaf:
        deaf.sendall(json.dumps({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": info}).encode() + b"\n")
        deaf.settimeout(1.0)
        with pytest.raises(socket.timeout):  # else all of it would be in the engine's memory
            for number in range(1, 20_000):
                call = {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": {"name": "help"}}
                deaf.sendall(json.dumps(call).encode() + b" " * 10_000 + b"\n")
        with Editor(slow.home) as editor:
            assert "'another'" in editor.fail("help", topic="another")["message"]
