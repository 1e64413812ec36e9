"""Widgets shared by several pages of the desktop app."""
