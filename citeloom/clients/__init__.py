"""Connecting editors: the public interface of the package, used by the command line and the desktop app."""

from __future__ import annotations

from citeloom.clients.desk import detect_editor, detect_editors, install, last_change, preview, remove, snippet, undo
from citeloom.clients.model import DEFAULT_TOOLSETS, Change, DetectedEditor, Entry, LaunchResult
from citeloom.clients.places import EDITORS, OTHER
from citeloom.clients.trial import check_launch

__all__ = [
    "DEFAULT_TOOLSETS",
    "EDITORS",
    "OTHER",
    "Change",
    "DetectedEditor",
    "Entry",
    "LaunchResult",
    "check_launch",
    "detect_editor",
    "detect_editors",
    "install",
    "last_change",
    "preview",
    "remove",
    "snippet",
    "undo",
]
