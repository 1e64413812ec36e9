"""How things stand, in one word: what the tray's icon shows."""

from __future__ import annotations

from enum import StrEnum


class TrayState(StrEnum):
    """What the tray icon shows."""

    IDLE = "idle"
    WORKING = "working"
    ATTENTION = "attention"
    PAUSED = "paused"
