"""Panel of the connect page for an editor that CiteLoom cannot set up: the entry to copy."""

from __future__ import annotations

from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QComboBox, QWidget

from citeloom import editors
from citeloom.desktop.connect.choice import Choice
from citeloom.desktop.shell.engine_tasks import Task
from citeloom.desktop.shell.page import PageContext
from citeloom.desktop.widgets.basics import GAP, button, heading, label_for, tab_order, text
from citeloom.desktop.widgets.code_view import CodeView
from citeloom.desktop.widgets.layout import Stretch, column, row


class OtherPanel(QWidget):
    """Shows the entry to paste into the settings of an editor."""

    def __init__(self, context: PageContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.context = context
        self._task: Task | None = None
        self.choice = Choice()
        self.form = QComboBox()
        for part in (self.form, self.form.view()):
            part.setAccessibleName(self.tr("Format of the entry"))
        self.form.addItem(self.tr("Most editors"), editors.OTHER)
        for editor in editors.EDITORS.values():
            self.form.addItem(editor.name, editor.id)
        self.view = CodeView(self.tr("The entry to copy"))
        self.copy_button = button(self.tr("&Copy"), self._copy, icon_name="copy")
        self.status = text(muted=True)
        about = self.tr(
            "Any editor that supports MCP can use CiteLoom. Copy this entry into its settings for MCP servers, next to"
            " any others."
        )
        column(
            heading(self.tr("Another editor")),
            text(about),
            self.choice,
            row(label_for(self.tr("In the format of &editor:"), self.form), self.form, Stretch()),
            (self.view, 1),
            row(self.copy_button, (self.status, 1)),
            of=self,
            spacing=GAP,
        )
        tab_order(*self.choice.controls(), self.form, self.view, self.copy_button)
        self.choice.changed.connect(self.refresh)
        self.form.currentIndexChanged.connect(lambda _: self.refresh())

    def show_form(self, client_id: str) -> None:
        """Show the entry in the format of an editor."""
        self.form.setCurrentIndex(max(0, self.form.findData(client_id)))
        self.refresh()

    def refresh(self) -> None:
        """Update the entry."""
        projects, toolsets, form = self.choice.projects(), self.choice.toolsets(), str(self.form.currentData())
        self.status.setText("")
        if projects is None:
            if self._task:
                self._task.drop()
            self._show(self.tr("Choose a project first."), ready=False)
            return
        self._task = self.context.tasks.run(
            self,
            lambda: editors.snippet(form, projects, toolsets),
            done=lambda message: self._show(message, ready=True),
            failed=lambda error: self._show(str(error), ready=False),
            replaces=self._task,
        )

    def _show(self, message: str, *, ready: bool) -> None:
        self.view.show_text(message)
        self.copy_button.setEnabled(ready)

    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(self.view.toPlainText())
        self.status.setText(self.tr("Copied."))
