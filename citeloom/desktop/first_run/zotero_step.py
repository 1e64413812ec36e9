"""Step 1 of the assistant: detects Zotero, and checks again until it can be used."""

from __future__ import annotations

from PySide6.QtCore import QTimer, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLineEdit, QVBoxLayout, QWidget

from citeloom.api.importing import GetZoteroStatus, LogInToZotero, ZoteroLoginResult, ZoteroStatus
from citeloom.core.errors import CiteLoomError
from citeloom.core.files.open_file import open_uri
from citeloom.desktop.first_run.step import Chosen, Step
from citeloom.desktop.shell.engine_tasks import Task
from citeloom.desktop.shell.page import PageContext
from citeloom.desktop.text.zotero_text import NEW_KEY, connection_text
from citeloom.desktop.widgets import basics

_CHECK_MS = 2500


class ZoteroStep(Step):
    """Shows how Zotero is reached, and what to do if it is not."""

    folder_wanted = Signal()
    sample_wanted = Signal()

    def __init__(self, context: PageContext, chosen: Chosen) -> None:
        super().__init__(context, chosen)
        self.title.setText(self.tr("Welcome to CiteLoom"))
        self.message.setText(
            self.tr(
                "Your papers become evidence that any editor can cite, page by page."
                " Everything stays on this computer. Let us look for Zotero first."
            )
        )
        self.found = False
        self._task: Task | None = None
        self._check_timer = QTimer(self, singleShot=True, interval=_CHECK_MS)
        self._check_timer.timeout.connect(self._check)
        self._icon = basics.Picture("info", 28)
        self.state = basics.text(self.tr("Looking for Zotero …"), bold=True)
        self.help = basics.text()
        self.inside.addWidget(self._state_box())
        self.inside.addSpacing(basics.GAP)
        self.inside.addWidget(basics.text(self.tr("Without Zotero"), bold=True))
        row = QHBoxLayout()
        self.folder_button = basics.button(self.tr("Choose a &folder…"), self.folder_wanted.emit, icon_name="folder")
        self.sample_button = basics.button(
            self.tr("Try the &sample library"), self.sample_wanted.emit, icon_name="library"
        )
        row.addWidget(self.folder_button)
        row.addWidget(self.sample_button)
        row.addStretch()
        self.inside.addLayout(row)
        self.inside.addWidget(self._log_in())
        self.inside.addStretch()

    def _state_box(self) -> QFrame:
        box = QFrame()
        box.setObjectName("banner")
        lines = QVBoxLayout()
        lines.addWidget(self.state)
        lines.addWidget(self.help)
        row = QHBoxLayout(box)
        row.addWidget(self._icon)
        row.addLayout(lines, 1)
        return box

    def _log_in(self) -> QWidget:
        self.log_in_box = QWidget()
        text = basics.text(
            self.tr("Zotero on another computer? Log in at zotero.org: the key stays in this system's keyring."),
            muted=True,
        )
        self.key = QLineEdit(echoMode=QLineEdit.EchoMode.Password, placeholderText=self.tr("Key from zotero.org"))
        self.key.setAccessibleName(self.tr("Key from zotero.org"))
        self.log_in_button = basics.button(self.tr("&Log in"), self._send_key)
        self.new_key_button = basics.button(self.tr("Make a &key…"), self._make_key, icon_name="open")
        row = QHBoxLayout()
        for part in (self.key, self.log_in_button, self.new_key_button):
            row.addWidget(part)
        self.log_in_status = basics.text()
        self.log_in_status.hide()
        lines = QVBoxLayout(self.log_in_box)
        lines.setContentsMargins(0, basics.GAP, 0, 0)
        lines.addWidget(text)
        lines.addLayout(row)
        lines.addWidget(self.log_in_status)
        return self.log_in_box

    def entered(self) -> None:
        self._check()

    def exited(self) -> None:
        self._check_timer.stop()
        if self._task:
            self._task.drop()
            self._task = None

    def ready(self) -> bool:
        return True

    def _check(self) -> None:
        if self._task is None:
            self._task = self.context.tasks.send(self, GetZoteroStatus(), done=self._show, failed=self._on_failed)

    def _show(self, seen: ZoteroStatus) -> None:
        self._task = None
        self.found = seen.in_use is not None
        well, state, text = connection_text(seen)
        if not well and seen.local.running:
            text = self.tr("{words} CiteLoom sees it by itself.").format(words=text)
        self._show_state("check" if well else "info", state, text)
        self.log_in_box.setVisible(not self.found)
        if seen.in_use != "local" and self.isVisible():
            self._check_timer.start()  # the user may be enabling it right now
        self.changed.emit()

    def _on_failed(self, error: CiteLoomError) -> None:
        self._task = None
        self._show_state("warning", self.tr("CiteLoom could not look for Zotero"), str(error))
        if self.isVisible():
            self._check_timer.start()

    def _show_state(self, icon_name: str, state: str, text: str) -> None:
        self._icon.show_icon(icon_name)
        self.state.setText(state)
        self.help.setText(text)

    def _send_key(self) -> None:
        key = self.key.text().strip()
        if not key:
            self.key.setFocus()
            return
        self.log_in_button.setEnabled(False)
        self.log_in_status.setText(self.tr("Asking zotero.org …"))
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

    def _make_key(self) -> None:
        self.context.tasks.run(self, lambda report: open_uri(NEW_KEY), failed=self._not_logged_in)
