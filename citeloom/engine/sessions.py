"""Registry of connected editors. MCP sessions add and remove themselves; the control verbs list and disconnect them."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from citeloom.api.engine import ConnectedEditor
from citeloom.api.events import EditorConnected, EditorLeft
from citeloom.catalog.database import now
from citeloom.core.errors import CiteLoomError, Code
from citeloom.engine.events import Events

if TYPE_CHECKING:
    from citeloom.engine.process_state import ProcessState


@dataclass(frozen=True, slots=True)
class _Session:
    editor: ConnectedEditor
    bridge: str  # the id of the bridge process; "" if it sends none
    close: Callable[[], object]


class Editors:
    """Thread-safe registry of the editors that are connected now."""

    def __init__(self, events: Events, process_state: ProcessState) -> None:
        self._events = events
        self._process_state = process_state
        self._sessions: dict[str, _Session] = {}  # by session id
        self._lock = threading.Lock()

    def check_allowed(self, bridge: str) -> None:
        """Refuse a bridge that the researcher disconnected."""
        if bridge in self._process_state.disconnected:
            raise CiteLoomError(
                Code.PERMISSION_DENIED,
                "The researcher disconnected this editor.",
                "Restart CiteLoom's server in the editor to connect again.",
            )

    def add(self, editor: ConnectedEditor, bridge: str, close: Callable[[], object]) -> None:
        """Register an editor; `close` ends its session and may be called from any thread."""
        editor.since = editor.since or now()
        with self._lock:
            self._sessions[editor.session_id] = _Session(editor, bridge, close)
        self._events.publish(EditorConnected(editor.session_id, editor.name))

    def expect_reconnects(self) -> None:
        """Remember the connected editors, to recognise them when their bridges reconnect after a reload."""
        with self._lock:
            self._process_state.reconnecting = {s.bridge: s.editor for s in self._sessions.values() if s.bridge}

    def reconnected(self, bridge: str) -> ConnectedEditor | None:
        """Return the editor of a bridge that was connected before the last reload, once."""
        return self._process_state.reconnecting.pop(bridge, None)

    def record_call(self, session_id: str, tool: str) -> None:
        """Count a tool call of an editor."""
        with self._lock:
            if session := self._sessions.get(session_id):
                session.editor.calls += 1
                session.editor.last_call, session.editor.last_tool = now(), tool

    def remove(self, session_id: str) -> None:
        """Remove a session; one that was never added, because it made no request, is ignored."""
        with self._lock:
            session = self._sessions.pop(session_id, None)
        if session:
            self._events.publish(EditorLeft(session_id, session.editor.name))

    def all(self) -> list[ConnectedEditor]:
        """Return all connected editors, in the order in which they connected."""
        with self._lock:
            return [replace(session.editor) for session in self._sessions.values()]

    def disconnect(self, session_id: str) -> bool:
        """End a session and refuse its bridge from now on; return whether there was such a session."""
        with self._lock:
            session = self._sessions.get(session_id)
            if session and session.bridge:
                self._process_state.disconnected.add(session.bridge)
        if session:
            session.close()
            self.remove(session_id)
        return session is not None
