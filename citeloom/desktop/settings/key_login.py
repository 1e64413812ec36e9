"""Login with the API key of a service, which is stored in the keyring and never displayed.

Used by the settings, and by the assistant for zotero.org.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QLineEdit, QWidget

from citeloom.api.importing import LogInToZotero, LogOutOfZotero
from citeloom.api.verbs import Request
from citeloom.core.errors import CiteLoomError
from citeloom.desktop.shell.page import PageContext
from citeloom.desktop.shell.translations import translate
from citeloom.desktop.widgets import basics
from citeloom.desktop.widgets.layout import Stretch, column, row

_NEW_ZOTERO_KEY = "https://www.zotero.org/settings/keys/new"


class KeyLogin(QWidget):
    """Shows where the key is stored, and stores or deletes it. Disabled until `show_key` is called."""

    logged_in = Signal(object)  # the engine's result
    logged_out = Signal()
    failed = Signal(object)  # a CiteLoomError of anything but logging in

    def __init__(
        self,
        context: PageContext,
        name: str,
        log_in: Callable[[str], Request[Any]],
        log_out: Request[Any],
        question: tuple[str, str, str],  # before logging out: title, text, button
        *buttons: QWidget,
    ) -> None:
        super().__init__()
        self._context, self._log_in, self._log_out = context, log_in, log_out
        self.message = basics.text(shrinks=True)
        self.key = basics.named(QLineEdit(echoMode=QLineEdit.EchoMode.Password, placeholderText=name), name)
        self.key.returnPressed.connect(self._submit)
        self.log_in_button = basics.button(self.tr("Log &in"), self._submit)
        self.log_out_button = basics.button(
            self.tr("Log &out…"), lambda: basics.ask_confirmation(self, *question, self._send_log_out)
        )
        self._without_key = (self.key, self.log_in_button, *buttons)
        controls = row((self.key, 1), self.log_in_button, *buttons, self.log_out_button, Stretch())
        column(self.message, controls, of=self)
        self.log_out_button.hide()
        self.setEnabled(False)

    def show_key(self, location: str | None, message: str) -> None:
        """Show where the key is: "keyring", "environment", or anything else for nowhere."""
        self.setEnabled(True)
        self.message.setText(message)
        for part in self._without_key:
            part.setVisible(location not in ("keyring", "environment"))
        self.log_out_button.setVisible(location == "keyring")
        for button in (self.log_in_button, self.log_out_button):
            button.setEnabled(True)

    def _submit(self) -> None:
        key = self.key.text().strip()
        if not key or not self.log_in_button.isEnabled():
            self.key.setFocus()
            return
        self.log_in_button.setEnabled(False)
        self.message.setText(self.tr("Checking the key …"))
        self._context.tasks.send(self, self._log_in(key), done=self._on_logged_in, failed=self._on_refused)

    def _on_logged_in(self, result: object) -> None:
        self.key.clear()
        self.logged_in.emit(result)

    def _on_refused(self, error: CiteLoomError) -> None:
        self.message.setText(str(error))
        self.log_in_button.setEnabled(True)
        self.key.selectAll()
        self.key.setFocus()

    def _send_log_out(self) -> None:
        def failed(error: CiteLoomError) -> None:
            self.log_out_button.setEnabled(True)
            self.failed.emit(error)

        self.log_out_button.setEnabled(False)
        self._context.tasks.send(self, self._log_out, done=lambda _: self.logged_out.emit(), failed=failed)


def zotero_login(context: PageContext) -> KeyLogin:
    """Create the login at zotero.org."""
    question = (
        translate("ZoteroText", "Log out of zotero.org?"),
        translate(
            "ZoteroText",
            "The key is deleted from this system’s keyring. To log in again you need it, or a new one.",
        ),
        translate("ZoteroText", "Log out"),
    )
    create_button = basics.button(
        translate("ZoteroText", "Create a &key…"),
        lambda: context.tasks.open(login, _NEW_ZOTERO_KEY, failed=login.failed.emit),
        icon_name="open",
        tip=_NEW_ZOTERO_KEY,
    )
    name = translate("ZoteroText", "Key from zotero.org")
    login = KeyLogin(context, name, lambda key: LogInToZotero(key=key), LogOutOfZotero(), question, create_button)
    return login
