"""Detected editors and their states, as text. Used by the connect page."""

from __future__ import annotations

from dataclasses import dataclass

from citeloom import editors
from citeloom.core.errors import CiteLoomError
from citeloom.desktop.shell.translations import translate
from citeloom.editors import Change, DetectedEditor, Entry


@dataclass(frozen=True)
class EditorState:
    """An editor as last detected."""

    found: DetectedEditor
    change: Change | None  # the last change of its file
    live: bool = False  # connected right now

    @property
    def id(self) -> str:
        """The editor's id."""
        return self.found.editor.id

    @property
    def name(self) -> str:
        """The display name."""
        return self.found.editor.name


def detect() -> list[EditorState]:
    """Detect all known editors; installed ones come first. Reads files: not for the UI thread."""
    every = [EditorState(found, _last_change(found)) for found in editors.detect_editors()]
    return sorted(every, key=lambda one: not (one.found.installed or one.found.connected))


def _last_change(found: DetectedEditor) -> Change | None:
    try:
        return editors.last_change(found)
    except CiteLoomError:
        return None


def state_text(editor: EditorState) -> str:
    """Return the state of an editor as a short text."""
    found = editor.found
    if editor.live:
        return translate("Connect", "Connected now")
    if found.connected:
        return translate("Connect", "Set up for {projects}").format(projects=projects_text(found.connected))
    if found.problem and found.installed:
        return translate("Connect", "Its file has a problem")
    return translate("Connect", "Found, not connected") if found.installed else translate("Connect", "Not found")


def projects_text(entry: Entry) -> str:
    """Return the projects that an editor may see, as text."""
    return ", ".join(entry.projects) or translate("Connect", "all projects")


def next_step_text(found: DetectedEditor) -> str:
    """Return what remains to be done in the editor itself."""
    return translate("Clients", found.editor.next_step) if found.editor.next_step else ""
