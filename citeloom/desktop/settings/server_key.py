"""Widget for the API key of Qdrant servers, which is stored in the keyring and never displayed."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from citeloom.api.maintenance import LogInServer, LogOutServers, ServerLogin
from citeloom.core.errors import CiteLoomError
from citeloom.desktop.settings.key_field import KeyField
from citeloom.desktop.shell.page import PageContext
from citeloom.desktop.text.index_text import key_text
from citeloom.desktop.widgets import basics


class ServerKey(QWidget):
    """Shows where the key is stored, and stores or deletes it."""

    changed = Signal()
    failed = Signal(object)  # a CiteLoomError

    def __init__(self, context: PageContext) -> None:
        super().__init__()
        self._context = context
        self.message = basics.text()
        self.message.setMinimumWidth(1)
        self.key = KeyField(self.tr("Key of the Qdrant server"), self.tr("Log &in"), self._log_in)
        self.log_in_button = self.key.button
        self.log_out_button = basics.button(self.tr("Log &out…"), self._confirm_log_out)
        row = QHBoxLayout()
        row.addWidget(self.key, 1)
        for part in (self.log_in_button, self.log_out_button):
            row.addWidget(part)
        row.addStretch()
        lines = QVBoxLayout(self)
        lines.setContentsMargins(0, 0, 0, 0)
        lines.addWidget(self.message)
        lines.addLayout(row)
        self.setEnabled(False)
        self.show_location(None)

    def show_location(self, location: str | None) -> None:
        """Show where the key is: "keyring", "environment", None, or the error of the keyring."""
        self.message.setText(key_text(location))
        for part in (self.key, self.log_in_button):
            part.setVisible(location not in ("keyring", "environment"))
            part.setEnabled(True)
        self.log_out_button.setVisible(location == "keyring")
        self.log_out_button.setEnabled(True)

    def _log_in(self, key: str) -> None:
        self.message.setText(self.tr("Trying the key …"))
        request = LogInServer(key=key)
        self._context.tasks.send(self, request, done=self._on_logged_in, failed=self._on_not_logged_in)

    def _on_logged_in(self, login: ServerLogin) -> None:
        self.key.clear()
        self.show_location(login.key)
        self.changed.emit()

    def _on_not_logged_in(self, error: CiteLoomError) -> None:
        self.message.setText(str(error))
        self.key.refused()

    def _confirm_log_out(self) -> None:
        basics.ask_first(
            self,
            self.tr("Forget the key?"),
            self.tr(
                "The key is deleted from this system’s keyring. Projects whose index is on a server that wants it"
                " cannot be searched until you log in again."
            ),
            self.tr("Forget it"),
            self._log_out,
        )

    def _log_out(self) -> None:
        self.log_out_button.setEnabled(False)
        self._context.tasks.send(
            self, LogOutServers(), done=lambda _: self.changed.emit(), failed=self._on_not_logged_out
        )

    def _on_not_logged_out(self, error: CiteLoomError) -> None:
        self.log_out_button.setEnabled(True)
        self.failed.emit(error)
