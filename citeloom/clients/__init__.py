"""Connecting editors: the file of each is found, the entry put in and taken out, and what is written there tried."""

from __future__ import annotations

from citeloom.clients.desk import OTHER, install, known, last_change, look, preview, remove, snippet, undo
from citeloom.clients.model import DEFAULT_TOOLSETS, TOOLSETS, Change, Client, Entry, Found, Tested
from citeloom.clients.places import CLIENTS
from citeloom.clients.trial import test

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
