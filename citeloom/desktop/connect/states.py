"""What is known of each editor, and how that is said."""

from __future__ import annotations

from dataclasses import dataclass

from citeloom import editors
from citeloom.core.errors import CiteLoomError
from citeloom.desktop.shell.translations import translate
from citeloom.editors import Change, DetectedEditor, Entry


@dataclass(frozen=True)
class Seen:
    """An editor as it was last looked at."""

    found: DetectedEditor
    change: Change | None  # the last thing that was done to its file
    live: bool = False  # it talks to CiteLoom right now

    @property
    def id(self) -> str:
        """The editor's id."""
        return self.found.editor.id

    @property
    def name(self) -> str:
        """The name that people know it by."""
        return self.found.editor.name


def look() -> list[Seen]:
    """All known editors, those that were found on this machine first. Reads files: not for the UI thread."""
    every = [Seen(found, _last_change(found)) for found in editors.detect_editors()]
    return sorted(every, key=lambda one: not (one.found.installed or one.found.connected))


def _last_change(found: DetectedEditor) -> Change | None:
    try:
        return editors.last_change(found)
    except CiteLoomError:
        return None


def state_text(seen: Seen) -> str:
    """How it stands with an editor, in a few words."""
    found = seen.found
    if seen.live:
        return translate("Connect", "Connected now")
    if found.connected:
        return translate("Connect", "Set up for {projects}").format(projects=projects_text(found.connected))
    if found.problem and found.installed:
        return translate("Connect", "Its file needs a look")
    return translate("Connect", "Found, not connected") if found.installed else translate("Connect", "Not found here")


def projects_text(entry: Entry) -> str:
    """Which projects an editor may see."""
    return ", ".join(entry.projects) or translate("Connect", "all projects")


def next_step_text(found: DetectedEditor) -> str:
    """What is left to do in the editor itself."""
    return translate("Clients", found.editor.next_step) if found.editor.next_step else ""
