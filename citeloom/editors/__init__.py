"""Connecting editors: the file of each is found, the entry put in and taken out, and what is written there tried."""

from __future__ import annotations

from citeloom.editors.connect import OTHER, install, known, last_change, look, preview, remove, snippet, undo
from citeloom.editors.known_editors import CLIENTS
from citeloom.editors.launch_test import test
from citeloom.editors.types import DEFAULT_TOOLSETS, TOOLSETS, Change, Client, Entry, Found, Tested

__all__ = [
    "CLIENTS",
    "DEFAULT_TOOLSETS",
    "OTHER",
    "TOOLSETS",
    "Change",
    "Client",
    "Entry",
    "Found",
    "Tested",
    "install",
    "known",
    "last_change",
    "look",
    "preview",
    "remove",
    "snippet",
    "test",
    "undo",
]
