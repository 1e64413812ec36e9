"""The section Zotero: how Zotero is reached, and the account at zotero.org."""

from __future__ import annotations

from citeloom.api.importing import GetZoteroStatus, ZoteroAccount, ZoteroLoginResult, ZoteroStatus
from citeloom.core.errors import CiteLoomError
from citeloom.desktop.settings.key_login import zotero_login
from citeloom.desktop.settings.rows import ChoiceRow, FolderRow, NumberRow, Option, YesNoRow
from citeloom.desktop.settings.section import Section
from citeloom.desktop.text.zotero_text import account_text, connection_text
from citeloom.desktop.widgets import basics
from citeloom.desktop.widgets.layout import Stretch, add


class ZoteroSection(Section):
    """Shows the connection to Zotero, and logs in at zotero.org."""

    name = "zotero"

    def title(self) -> str:
        return self.tr("Zotero")

    def _build(self) -> None:
        self.check_button = basics.button(self.tr("Check &again"), self.shown, icon_name="retry")
        self.connection = basics.StateBox(self.tr("Looking for Zotero …"), self.check_button)
        choices = (
            Option("auto", self.tr("The best available way (recommended)")),
            Option("local", self.tr("Only through the running Zotero")),
            Option("sqlite", self.tr("Only from Zotero’s files on this computer")),
            Option("web", self.tr("Only from zotero.org, with a key")),
        )
        source = ChoiceRow("zotero.source", self.tr("&How your library is read"), choices=choices)
        self.data_folder = FolderRow(
            "zotero.data_folder",
            self.tr("Zotero’s data &folder"),
            self.tr("The folder with zotero.sqlite and storage. Empty: the folder that Zotero itself names."),
        )
        fetch_files = YesNoRow(
            "zotero.fetch_files",
            self.tr("Fetch files that are not on this &computer"),
            self.tr("From zotero.org, once you are logged in there."),
        )
        max_file = NumberRow(
            "zotero.max_file_mb",
            self.tr("Largest file to fe&tch"),
            self.tr("Larger files are skipped, and the list of papers says so."),
            most=100_000,
            step=50,
            unit=self.tr("{number} MB"),
        )
        self.login = zotero_login(self.context)
        self.login.logged_in.connect(self._on_logged_in)
        self.login.logged_out.connect(self.shown)
        self.login.failed.connect(self.banner.show_error)
        add(
            self.inside,
            self.connection,
            self.setting(source),
            self.setting(self.data_folder),
            basics.GAP,
            basics.text(self.tr("zotero.org"), bold=True),
            self.login,
            self.setting(fetch_files),
            self.setting(max_file),
            Stretch(1),
        )

    def shown(self) -> None:
        self.check_button.setEnabled(False)
        self.connection.show_state("info", self.tr("Looking for Zotero …"), "")
        self.context.tasks.send(self, GetZoteroStatus(), done=self._on_status, failed=self._on_no_status)

    def _on_status(self, status: ZoteroStatus) -> None:
        self.check_button.setEnabled(True)
        usable, state, details = connection_text(status)
        self.connection.show_state("check" if usable else "warning", state, details)
        self.login.show_key(status.web.key, account_text(status.web))
        if status.data_folder:
            self.data_folder.control.setPlaceholderText(status.data_folder)

    def _on_no_status(self, error: CiteLoomError) -> None:
        self.check_button.setEnabled(True)
        self.connection.show_state("warning", self.tr("CiteLoom could not look for Zotero"), str(error))

    def _on_logged_in(self, login: ZoteroLoginResult) -> None:
        account = ZoteroAccount(login.key, login.user, None)
        self.login.show_key(account.key, account_text(account))
        self.shown()
