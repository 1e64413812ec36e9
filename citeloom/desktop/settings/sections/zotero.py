"""The section Zotero: how Zotero is reached, and the account at zotero.org."""

from __future__ import annotations

from PySide6.QtWidgets import QFrame, QHBoxLayout, QLineEdit, QVBoxLayout, QWidget

from citeloom.api.importing import (
    GetZoteroStatus,
    LogInToZotero,
    LogOutOfZotero,
    ZoteroAccount,
    ZoteroLoginResult,
    ZoteroStatus,
)
from citeloom.core.errors import CiteLoomError
from citeloom.desktop.settings.key_field import KeyField
from citeloom.desktop.settings.section import Section
from citeloom.desktop.settings.settings_model import SettingsFileModel
from citeloom.desktop.shell.page import PageContext
from citeloom.desktop.text.zotero_text import NEW_KEY, account_text, connection_text
from citeloom.desktop.widgets import basics


class ZoteroSection(Section):
    """Shows the connection to Zotero, and logs in at zotero.org."""

    name = "zotero"

    def __init__(self, context: PageContext, settings_file: SettingsFileModel, banner: basics.Banner) -> None:
        super().__init__(context, settings_file, banner)
        self.state = basics.text(self.tr("Looking for Zotero …"), bold=True)
        self.message = basics.text()
        self.look_button = basics.button(self.tr("&Look again"), self._load_status, icon_name="retry")
        self._icon = basics.Picture("info", 28)
        self.inside.addWidget(self._state_box())
        for name in ("zotero.source", "zotero.data_folder"):
            self.inside.addWidget(self.rows[name])
        self.inside.addSpacing(basics.GAP)
        self.inside.addWidget(basics.text(self.tr("zotero.org"), bold=True))
        self.inside.addWidget(self._account())
        for name in ("zotero.fetch_files", "zotero.max_file_mb"):
            self.inside.addWidget(self.rows[name])
        self.inside.addStretch(1)
        self._show_account(None)

    def title(self) -> str:
        return self.tr("Zotero")

    def shown(self) -> None:
        self._load_status()

    def _state_box(self) -> QFrame:
        box = QFrame()
        box.setObjectName("banner")
        lines = QVBoxLayout()
        lines.addWidget(self.state)
        lines.addWidget(self.message)
        row = QHBoxLayout(box)
        row.setContentsMargins(basics.GAP, basics.GAP, basics.GAP, basics.GAP)
        row.setSpacing(basics.GAP)
        row.addWidget(self._icon)
        row.addLayout(lines, 1)
        row.addWidget(self.look_button)
        self._show_state("info", self.state.text(), "")
        return box

    def _account(self) -> QWidget:
        self.account = basics.text()
        self.key = KeyField(self.tr("Key from zotero.org"), self.tr("Log &in"), self._log_in)
        self.log_in_button = self.key.button
        self.new_key_button = basics.button(
            self.tr("Make a &key…"), lambda: self.open_place(NEW_KEY), icon_name="open", tip=NEW_KEY
        )
        self.log_out_button = basics.button(self.tr("Log &out…"), self._confirm_log_out)
        row = QHBoxLayout()
        row.addWidget(self.key, 1)
        for part in (self.log_in_button, self.new_key_button, self.log_out_button):
            row.addWidget(part)
        row.addStretch()
        box = QWidget()
        lines = QVBoxLayout(box)
        lines.setContentsMargins(0, 0, 0, 0)
        lines.addWidget(self.account)
        lines.addLayout(row)
        return box

    # -- the state -------------------------------------------------------------------------------------------------

    def _load_status(self) -> None:
        self.look_button.setEnabled(False)
        self._show_state("info", self.tr("Looking for Zotero …"), "")
        self.context.tasks.send(self, GetZoteroStatus(), done=self._on_status, failed=self._on_no_status)

    def _on_status(self, seen: ZoteroStatus) -> None:
        self.look_button.setEnabled(True)
        well, state, text = connection_text(seen)
        self._show_state("check" if well else "warning", state, text)
        self._show_account(seen.web)
        if folder := seen.data_folder:
            row = self.rows["zotero.data_folder"].control
            assert isinstance(row, QLineEdit)
            row.setPlaceholderText(folder)

    def _on_no_status(self, error: CiteLoomError) -> None:
        self.look_button.setEnabled(True)
        self._show_state("warning", self.tr("CiteLoom could not look for Zotero"), str(error))

    def _show_state(self, icon_name: str, state: str, text: str) -> None:
        self._icon.show_icon(icon_name)
        self.state.setText(state)
        self.message.setText(text)
        self.message.setVisible(bool(text))

    # -- the account -----------------------------------------------------------------------------------------------

    def _show_account(self, web: ZoteroAccount | None) -> None:
        self.account.setText(account_text(web) if web else "")
        key = web.key if web else None
        for part in (self.key, self.log_in_button, self.new_key_button):
            part.setVisible(key is None)
            part.setEnabled(web is not None)
        self.log_out_button.setVisible(key == "keyring")
        self.log_out_button.setEnabled(True)

    def _log_in(self, key: str) -> None:
        self.account.setText(self.tr("Asking zotero.org …"))
        self.context.tasks.send(self, LogInToZotero(key=key), done=self._on_logged_in, failed=self._on_not_logged_in)

    def _on_logged_in(self, account: ZoteroLoginResult) -> None:
        self.key.clear()
        self._show_account(ZoteroAccount(account.key, account.user, None))
        self._load_status()

    def _on_not_logged_in(self, error: CiteLoomError) -> None:
        self.account.setText(str(error))
        self.key.refused()

    def _confirm_log_out(self) -> None:
        basics.ask_first(
            self,
            self.tr("Log out at zotero.org?"),
            self.tr("The key is deleted from this system’s keyring. To log in again you need it, or a new one."),
            self.tr("Log out"),
            self._log_out,
        )

    def _log_out(self) -> None:
        self.log_out_button.setEnabled(False)
        self.context.tasks.send(
            self, LogOutOfZotero(), done=lambda _: self._load_status(), failed=self._on_not_logged_out
        )

    def _on_not_logged_out(self, error: CiteLoomError) -> None:
        self.log_out_button.setEnabled(True)
        self.banner.show_error(error)
