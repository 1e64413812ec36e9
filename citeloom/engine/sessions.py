"""The register of connected editors: who is here, since when, and who may not come back."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import asdict, dataclass

from citeloom.api.engine import ConnectedEditor
from citeloom.api.events import EditorConnected, EditorLeft
from citeloom.catalog.database import now
from citeloom.core.errors import CiteLoomError, Code
from citeloom.engine.events import Events


@dataclass(slots=True)
class Editor:
    """One session of an editor."""

    session_id: str
    client: str
    version: str
    projects: list[str] | None  # None: all
    toolsets: list[str]
    since: str = ""
    calls: int = 0
    last_call: str | None = None
    last_tool: str | None = None

    @property
    def name(self) -> str:
        """Name and version, as events and the access log have it."""
        return f"{self.client} {self.version}".strip()


@dataclass(frozen=True, slots=True)
class _Line:
    editor: Editor
    bridge: str  # the id of the process that the editor launched; "" where it says none
    hang_up: Callable[[], object]


class Editors:
    """The editors that are connected now. Sessions tell of themselves; verbs ask from other threads."""

    def __init__(self, events: Events, disconnected: set[str]) -> None:
        self._events = events
        self._disconnected = disconnected
        self._lines: dict[str, _Line] = {}
        self._lock = threading.Lock()

    def check(self, bridge: str) -> None:
        """Refuse a bridge that the researcher disconnected."""
        if bridge in self._disconnected:
            raise CiteLoomError(
                Code.PERMISSION_DENIED,
                "The researcher disconnected this editor.",
                "Restart CiteLoom's server in the editor to connect again.",
            )

    def connected(self, editor: Editor, bridge: str, hang_up: Callable[[], object]) -> None:
        """An editor has introduced itself; `hang_up` ends its session, from any thread."""
        editor.since = editor.since or now()
        with self._lock:
            self._lines[editor.session_id] = _Line(editor, bridge, hang_up)
        self._events.publish(EditorConnected(editor.session_id, editor.name))

    def called(self, session_id: str, tool: str) -> None:
        """An editor calls a tool."""
        with self._lock:
            if line := self._lines.get(session_id):
                line.editor.calls += 1
                line.editor.last_call, line.editor.last_tool = now(), tool

    def left(self, session_id: str) -> None:
        """A session is over; one that never said who it is leaves unseen, as it came."""
        with self._lock:
            line = self._lines.pop(session_id, None)
        if line:
            self._events.publish(EditorLeft(session_id, line.editor.name))

    def count(self) -> int:
        """How many editors are connected."""
        with self._lock:
            return len(self._lines)

    def all(self) -> list[ConnectedEditor]:
        """Everyone who is connected, in the order in which they came."""
        with self._lock:
            return [ConnectedEditor(**asdict(line.editor)) for line in self._lines.values()]

    def disconnect(self, session_id: str) -> bool:
        """End an editor's session; its bridge may not come back. True if there was such a session."""
        with self._lock:
            line = self._lines.get(session_id)
            if line and line.bridge:
                self._disconnected.add(line.bridge)
        if line:
            line.hang_up()
            self.left(session_id)
        return line is not None
