"""The table of connected editors."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QMessageBox, QWidget

from citeloom.api.engine import ConnectedEditor, DisconnectEditor, ListEditors
from citeloom.api.events import EditorConnected, EditorLeft, Event
from citeloom.core.errors import CiteLoomError
from citeloom.desktop.shell.engine_tasks import Task
from citeloom.desktop.shell.page import PageContext
from citeloom.desktop.text.activity_text import editor_text, tool_text, toolset_text
from citeloom.desktop.widgets.basics import GAP, Banner, EmptyState, ask_confirmation, button, number, text, time_text
from citeloom.desktop.widgets.layout import column, row, stack
from citeloom.desktop.widgets.table import Column, RowsModel, Table


class EditorsTab(QWidget):
    """Lists the connected editors and disconnects one."""

    counted = Signal(int)

    def __init__(self, context: PageContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.context = context
        self._task: Task | None = None
        self.model = RowsModel[ConnectedEditor](
            "session_id",
            Column(self.tr("Editor"), lambda row: editor_text(row.client, row.version), 0),
            Column(self.tr("Projects"), self._projects, 16),
            Column(self.tr("Access"), lambda row: toolset_text(row.toolsets), 14),
            Column(self.tr("Connected since"), lambda row: time_text(row.since), 17, fixed=True),
            Column(self.tr("Last question"), self._last, 24),
            Column(self.tr("Questions"), lambda row: number(row.calls), 11, number=True, fixed=True),
        )
        self.table = Table(self.model, self.tr("Editors that are connected"))
        self.banner = Banner()
        self.empty = EmptyState(
            "connect",
            self.tr("No editor is connected"),
            self.tr("An editor appears here as soon as it starts CiteLoom. Is yours set up?"),
            [(self.tr("&Connect an editor"), lambda: context.open_page.emit("connect", {}))],
        )
        self.disconnect_button = button(self.tr("&Disconnect …"), self._confirm_disconnect, icon_name="disconnect")
        self.question: QMessageBox | None = None
        hint = text(
            self.tr("Editors see only the projects that you allow. Their questions are listed under Questions."),
            muted=True,
        )
        full = QWidget()
        column((self.table, 1), row((hint, 1), self.disconnect_button), of=full, spacing=GAP)
        self.stack = stack(self.empty, full)
        column(self.banner, (self.stack, 1), of=self, margins=(0, GAP, 0, 0))
        self.table.selectionModel().selectionChanged.connect(lambda *_: self._enable())
        self.model.modelReset.connect(self._enable)
        context.tasks.event_received.connect(self._on_event)
        self._enable()

    def refresh(self) -> None:
        """Load the connected editors, unless a request is pending."""
        if self._task is None:
            self._task = self.context.tasks.send(self, ListEditors(), done=self._on_editors, failed=self._on_failed)

    def _on_editors(self, editors: list[ConnectedEditor]) -> None:
        self._task = None
        self.banner.load_succeeded()
        self.model.set_rows(editors)
        self.stack.setCurrentIndex(1 if editors else 0)
        self.counted.emit(len(editors))

    def _on_failed(self, error: CiteLoomError) -> None:
        self._task = None
        self.banner.load_failed(error)

    def _on_event(self, event: Event) -> None:
        if isinstance(event, EditorConnected | EditorLeft) and self.isVisible():
            self.refresh()

    def _enable(self) -> None:
        self.disconnect_button.setEnabled(self.table.chosen() is not None)

    def _projects(self, row: ConnectedEditor) -> str:
        return self.tr("All projects") if row.projects is None else ", ".join(row.projects)

    def _last(self, row: ConnectedEditor) -> str:
        if not row.last_tool:
            return ""
        message = self.tr("{what}, {when}")
        return message.format(what=tool_text(row.last_tool), when=time_text(row.last_call))

    def _confirm_disconnect(self) -> None:
        if (row := self.table.chosen()) is None:
            return
        request = DisconnectEditor(session_id=row.session_id)
        failed = self.banner.show_error
        self.question = ask_confirmation(
            self,
            self.tr("Disconnect"),
            self.tr(
                "Disconnect {editor}? It cannot ask anything more until you restart CiteLoom’s server in that editor,"
                " or the editor itself."
            ).format(editor=editor_text(row.client)),
            self.tr("Disconnect"),
            lambda: self.context.tasks.send(self, request, done=lambda _: self.refresh(), failed=failed),
        )
