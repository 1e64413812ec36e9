"""The registry of editors: which are connected, and which were disconnected."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citeloom.api.engine import ConnectedEditor
from citeloom.api.events import EditorConnected, EditorLeft, Event
from citeloom.core.errors import CiteLoomError, Code
from citeloom.engine.events import Events
from citeloom.engine.process_state import ProcessState
from citeloom.engine.sessions import Editors


def editor(session_id: str) -> ConnectedEditor:
    return ConnectedEditor(session_id, "Quill", "2.1", ["thesis"], ["read"])


class Registry:
    """A registry with the events that it published and the sessions that it closed."""

    def __init__(self) -> None:
        self.published: list[Event] = []
        self.closed: list[str] = []
        events = Events()
        events.subscribe(self.published.append)
        self.process_state = ProcessState()
        self.editors = Editors(events, self.process_state)

    def connect(self, session_id: str, bridge: str = "") -> None:
        self.editors.add(editor(session_id), bridge, lambda: self.closed.append(session_id))


def test_an_editor_is_listed_with_what_it_did_until_it_leaves() -> None:
    registry = Registry()
    registry.connect("one")
    (listed,) = registry.editors.all()
    assert listed.since
    assert listed == ConnectedEditor("one", "Quill", "2.1", ["thesis"], ["read"], listed.since, 0, None, None)
    for tool in ("query", "get_document"):
        registry.editors.record_call("one", tool)
    (listed,) = registry.editors.all()
    assert (listed.calls, listed.last_tool) == (2, "get_document")
    assert listed.last_call and listed.last_call >= listed.since
    registry.editors.remove("one")
    assert registry.editors.all() == []
    assert registry.published == [EditorConnected("one", "Quill 2.1"), EditorLeft("one", "Quill 2.1")]


def test_a_disconnected_bridge_may_not_come_back_and_others_may() -> None:
    registry = Registry()
    registry.connect("one", bridge="b1")
    registry.connect("two", bridge="b2")
    assert registry.editors.disconnect("one") is True
    assert registry.closed == ["one"]
    assert [e.session_id for e in registry.editors.all()] == ["two"]
    with pytest.raises(CiteLoomError) as refused:
        registry.editors.check_allowed("b1")
    assert refused.value.code == Code.PERMISSION_DENIED
    assert refused.value.message == "The researcher disconnected this editor."
    assert "Restart" in refused.value.next_step
    registry.editors.check_allowed("b2")
    assert registry.process_state.disconnected == {"b1"}, "so that it is remembered after a reload"


def test_a_bridge_without_an_id_is_disconnected_but_bridges_without_one_are_not_all_refused() -> None:
    registry = Registry()
    registry.connect("old")
    assert registry.editors.disconnect("old") is True
    assert registry.closed == ["old"]
    registry.editors.check_allowed("")


def test_a_session_that_is_not_there_cannot_be_disconnected() -> None:
    registry = Registry()
    registry.connect("one", bridge="b1")
    registry.editors.remove("one")
    assert registry.editors.disconnect("one") is False
    assert registry.closed == []
    registry.editors.check_allowed("b1")


@given(st.lists(st.tuples(st.sampled_from(["connect", "call", "leave", "disconnect"]), st.sampled_from("abc"))))
def test_whatever_happens_events_and_register_agree(steps: list[tuple[str, str]]) -> None:
    registry = Registry()
    for step, session in steps:
        if step == "connect":
            if session not in {e.session_id for e in registry.editors.all()}:
                registry.connect(session)
        elif step == "call":
            registry.editors.record_call(session, "query")
        elif step == "leave":
            registry.editors.remove(session)
        else:
            registry.editors.disconnect(session)
        connected: set[str] = set()
        for event in registry.published:
            assert isinstance(event, EditorConnected | EditorLeft)
            assert (event.session_id in connected) == isinstance(event, EditorLeft)
            connected ^= {event.session_id}
        assert connected == {e.session_id for e in registry.editors.all()}
        assert len(registry.editors.all()) == len(connected)
