"""Connecting editors: the public interface of the package, used by the command line and the desktop app."""

from __future__ import annotations

from citeloom.editors.connect import detect_editor, detect_editors, install, last_change, preview, remove, snippet, undo
from citeloom.editors.known_editors import EDITORS, OTHER
from citeloom.editors.launch_test import check_launch
from citeloom.editors.types import DEFAULT_TOOLSETS, Change, DetectedEditor, Entry, LaunchResult

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
