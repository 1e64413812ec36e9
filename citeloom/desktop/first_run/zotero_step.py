"""Step 1 of the assistant: detects Zotero, and checks again until it can be used."""

from __future__ import annotations

from PySide6.QtCore import Signal

from citeloom.api.importing import GetZoteroStatus, ZoteroLoginResult, ZoteroStatus
from citeloom.core.errors import CiteLoomError
from citeloom.desktop.first_run.step import FirstRunChoices, Step
from citeloom.desktop.settings.key_login import zotero_login
from citeloom.desktop.shell.engine_tasks import Task
from citeloom.desktop.shell.page import PageContext
from citeloom.desktop.text.zotero_text import connection_text
from citeloom.desktop.widgets import basics
from citeloom.desktop.widgets.layout import Stretch, add, row

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
        self.login = zotero_login(context)
        self.login.log_in_button.setText(self.tr("&Log in"))  # Alt+I skips the step
        self.login.show_key(
            None, self.tr("Zotero on another computer? Log in to zotero.org: the key stays in this system's keyring.")
        )
        self.login.logged_in.connect(self._on_logged_in)
        self.login.failed.connect(lambda error: self.login.message.setText(str(error)))
        add(
            self.inside,
            self.connection,
            basics.GAP,
            basics.text(self.tr("Without Zotero"), bold=True),
            row(self.folder_button, self.sample_button, Stretch()),
            self.login,
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
        self.login.setVisible(not self.found)
        if status.in_use != "local" and self.isVisible():
            self._check_timer.start()  # the user may be enabling it right now
        self.changed.emit()

    def _on_failed(self, error: CiteLoomError) -> None:
        self._task = None
        self.connection.show_state("warning", self.tr("CiteLoom could not look for Zotero"), str(error))
        if self.isVisible():
            self._check_timer.start()

    def _on_logged_in(self, account: ZoteroLoginResult) -> None:
        self.login.show_key(None, self.tr("Logged in as {user}.").format(user=account.user))
        self._check_timer.stop()
        self._check()
