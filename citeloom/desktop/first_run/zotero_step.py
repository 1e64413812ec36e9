"""Step 1 of the assistant: detects Zotero, and checks again until it can be used."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QLineEdit, QWidget

from citeloom.api.importing import GetZoteroStatus, LogInToZotero, ZoteroLoginResult, ZoteroStatus
from citeloom.core.errors import CiteLoomError
from citeloom.desktop.first_run.step import FirstRunChoices, Step
from citeloom.desktop.shell.engine_tasks import Task
from citeloom.desktop.shell.page import PageContext
from citeloom.desktop.text.zotero_text import NEW_KEY, connection_text
from citeloom.desktop.widgets import basics
from citeloom.desktop.widgets.layout import Stretch, add, column, row

_CHECK_MS = 2500


class ZoteroStep(Step):
    """Shows how Zotero is reached, and what to do if it is not."""

    folder_wanted = Signal()
    sample_wanted = Signal()

    def __init__(self, context: PageContext, choices: FirstRunChoices) -> None:
        super().__init__(context, choices)
        self.title.setText(self.tr("Welcome to CiteLoom"))
        self.message.setText(
            self.tr(
                "Your papers become evidence that any editor can cite, page by page."
                " Everything stays on this computer. First, CiteLoom looks for Zotero."
            )
        )
        self.found = False
        self._task: Task | None = None
        self._check_timer = basics.single_shot(self, _CHECK_MS, self._check)
        self.connection = basics.StateBox(self.tr("Looking for Zotero …"))
        self.folder_button = basics.button(self.tr("Choose a &folder…"), self.folder_wanted.emit, icon_name="folder")
        self.sample_button = basics.button(
            self.tr("Try the &sample library"), self.sample_wanted.emit, icon_name="library"
        )
        self.key = QLineEdit(echoMode=QLineEdit.EchoMode.Password, placeholderText=self.tr("Key from zotero.org"))
        self.key.setAccessibleName(self.tr("Key from zotero.org"))
        self.log_in_button = basics.button(self.tr("&Log in"), self._send_key)
        self.new_key_button = basics.button(
            self.tr("Create a &key…"),
            lambda: self.context.tasks.open(self, NEW_KEY, failed=self._not_logged_in),
            icon_name="open",
        )
        self.log_in_status = basics.text()
        self.log_in_status.hide()
        self.log_in_box = QWidget()
        about_key = self.tr("Zotero on another computer? Log in to zotero.org: the key stays in this system's keyring.")
        column(
            basics.text(about_key, muted=True),
            row(self.key, self.log_in_button, self.new_key_button),
            self.log_in_status,
            of=self.log_in_box,
            margins=(0, basics.GAP, 0, 0),
        )
        add(
            self.inside,
            self.connection,
            basics.GAP,
            basics.text(self.tr("Without Zotero"), bold=True),
            row(self.folder_button, self.sample_button, Stretch()),
            self.log_in_box,
            Stretch(),
        )

    def on_enter(self) -> None:
        self._check()

    def on_leave(self) -> None:
        self._check_timer.stop()
        if self._task:
            self._task.drop()
            self._task = None

    def _check(self) -> None:
        if self._task is None:
            self._task = self.context.tasks.send(self, GetZoteroStatus(), done=self._show, failed=self._on_failed)

    def _show(self, status: ZoteroStatus) -> None:
        self._task = None
        self.found = status.in_use is not None
        usable, state, details = connection_text(status)
        if not usable and status.local.running:
            details = self.tr("{details} CiteLoom notices it automatically.").format(details=details)
        self.connection.show_state("check" if usable else "info", state, details)
        self.log_in_box.setVisible(not self.found)
        if status.in_use != "local" and self.isVisible():
            self._check_timer.start()  # the user may be enabling it right now
        self.changed.emit()

    def _on_failed(self, error: CiteLoomError) -> None:
        self._task = None
        self.connection.show_state("warning", self.tr("CiteLoom could not look for Zotero"), str(error))
        if self.isVisible():
            self._check_timer.start()

    def _send_key(self) -> None:
        key = self.key.text().strip()
        if not key:
            self.key.setFocus()
            return
        self.log_in_button.setEnabled(False)
        self.log_in_status.setText(self.tr("Checking the key …"))
        self.log_in_status.show()
        self.context.tasks.send(self, LogInToZotero(key=key), done=self._logged_in, failed=self._not_logged_in)

    def _logged_in(self, account: ZoteroLoginResult) -> None:
        self.key.clear()
        self.log_in_button.setEnabled(True)
        self.log_in_status.setText(self.tr("Logged in as {user}.").format(user=account.user))
        self._check_timer.stop()
        self._check()

    def _not_logged_in(self, error: CiteLoomError) -> None:
        self.log_in_button.setEnabled(True)
        self.log_in_status.setText(str(error))
