"""The register of editors: who is connected, and who was sent away."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citeloom.api.engine import ConnectedEditor
from citeloom.api.events import EditorConnected, EditorLeft, Event
from citeloom.core.errors import CiteLoomError, Code
from citeloom.engine.events import Events
from citeloom.engine.sessions import Editor, Editors


def editor(session_id: str) -> Editor:
    return Editor(session_id, "Quill", "2.1", ["thesis"], ["read"])


class Room:
    """A register with what it tells and which lines were cut."""

    def __init__(self) -> None:
        self.told: list[Event] = []
        self.cut: list[str] = []
        events = Events()
        events.watch(self.told.append)
        self.sent_away: set[str] = set()
        self.editors = Editors(events, self.sent_away)

    def connect(self, session_id: str, bridge: str = "") -> None:
        self.editors.connected(editor(session_id), bridge, lambda: self.cut.append(session_id))


def test_an_editor_is_listed_with_what_it_did_until_it_leaves() -> None:
    room = Room()
    room.connect("one")
    (listed,) = room.editors.all()
    assert listed.since
    assert listed == ConnectedEditor("one", "Quill", "2.1", ["thesis"], ["read"], listed.since, 0, None, None)
    for tool in ("query", "get_document"):
        room.editors.called("one", tool)
    (listed,) = room.editors.all()
    assert (listed.calls, listed.last_tool) == (2, "get_document")
    assert listed.last_call and listed.last_call >= listed.since
    room.editors.left("one")
    assert room.editors.all() == []
    assert room.told == [EditorConnected("one", "Quill 2.1"), EditorLeft("one", "Quill 2.1")]


def test_a_disconnected_bridge_may_not_come_back_and_others_may() -> None:
    room = Room()
    room.connect("one", bridge="b1")
    room.connect("two", bridge="b2")
    assert room.editors.disconnect("one") is True
    assert room.cut == ["one"]
    assert [e.session_id for e in room.editors.all()] == ["two"]
    with pytest.raises(CiteLoomError) as refused:
        room.editors.check("b1")
    assert refused.value.code == Code.PERMISSION_DENIED
    assert refused.value.message == "The researcher disconnected this editor."
    assert "Restart" in refused.value.next_step
    room.editors.check("b2")
    assert room.sent_away == {"b1"}, "so that it is remembered when the engine starts anew"


def test_a_bridge_without_an_id_is_disconnected_but_bridges_without_one_are_not_all_refused() -> None:
    room = Room()
    room.connect("old")
    assert room.editors.disconnect("old") is True
    assert room.cut == ["old"]
    room.editors.check("")


def test_a_session_that_is_not_there_cannot_be_disconnected() -> None:
    room = Room()
    room.connect("one", bridge="b1")
    room.editors.left("one")
    assert room.editors.disconnect("one") is False
    assert room.cut == []
    room.editors.check("b1")


@given(st.lists(st.tuples(st.sampled_from(["connect", "call", "leave", "disconnect"]), st.sampled_from("abc"))))
def test_whatever_happens_events_and_register_agree(steps: list[tuple[str, str]]) -> None:
    room = Room()
    for step, session in steps:
        if step == "connect":
            if session not in {e.session_id for e in room.editors.all()}:
                room.connect(session)
        elif step == "call":
            room.editors.called(session, "query")
        elif step == "leave":
            room.editors.left(session)
        else:
            room.editors.disconnect(session)
        here: set[str] = set()
        for event in room.told:
            assert isinstance(event, EditorConnected | EditorLeft)
            assert (event.session_id in here) == isinstance(event, EditorLeft)
            here ^= {event.session_id}
        assert here == {e.session_id for e in room.editors.all()}
        assert room.editors.count() == len(here)
