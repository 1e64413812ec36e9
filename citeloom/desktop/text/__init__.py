"""Wording: functions that return the engine's data as translated text for pages and tray."""
