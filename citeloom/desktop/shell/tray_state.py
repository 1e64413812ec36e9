"""The states of the tray icon. `Situation.tray_state` in engine_status.py decides which one is shown."""

from __future__ import annotations

from enum import StrEnum


class TrayState(StrEnum):
    """What the tray icon shows."""

    IDLE = "idle"
    WORKING = "working"
    ATTENTION = "attention"
    PAUSED = "paused"
