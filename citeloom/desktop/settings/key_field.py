"""Field for the API key of a service, which is never displayed."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtWidgets import QLineEdit, QPushButton

from citeloom.desktop.widgets import basics


class KeyField(QLineEdit):
    """Password field with a button that submits the key."""

    def __init__(self, text: str, button_text: str, try_key: Callable[[str], None]) -> None:
        super().__init__(echoMode=QLineEdit.EchoMode.Password, placeholderText=text)
        self.setAccessibleName(text)
        self._try = try_key
        self.button: QPushButton = basics.button(button_text, self._enter)
        self.returnPressed.connect(self._enter)

    def _enter(self) -> None:
        key = self.text().strip()
        if not key or not self.button.isEnabled():
            self.setFocus()
            return
        self.button.setEnabled(False)
        self._try(key)

    def refused(self) -> None:
        """Called when the key was refused: let it be typed again."""
        self.button.setEnabled(True)
        self.selectAll()
        self.setFocus()
