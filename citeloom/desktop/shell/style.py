"""Style sheet of the app: a few rules on top of the system's style, in colours of the palette."""

from __future__ import annotations

from PySide6.QtWidgets import QApplication

_STYLE_SHEET = """
QListWidget#pages { border: none; border-right: 1px solid palette(mid); padding: 8px 6px; background: palette(window); }
QListWidget#pages::item { padding: 8px 10px; border-radius: 6px; color: palette(window-text); }
QListWidget#pages::item:selected { background: palette(highlight); color: palette(highlighted-text); }
QFrame#banner { border: 1px solid palette(mid); border-radius: 6px; background: palette(alternate-base); }
"""


def apply(app: QApplication) -> None:
    """Set the style sheet of the app."""
    app.setStyleSheet(_STYLE_SHEET)
