"""Panel of the connect page for an editor that CiteLoom cannot set up: the entry to copy."""

from __future__ import annotations

from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QLabel, QVBoxLayout, QWidget

from citeloom import editors
from citeloom.core.errors import CiteLoomError
from citeloom.desktop.connect.choice import Choice
from citeloom.desktop.shell.engine_tasks import Task
from citeloom.desktop.shell.page import PageContext
from citeloom.desktop.widgets.basics import GAP, button, heading, tab_order, text
from citeloom.desktop.widgets.code_view import CodeView


class OtherPanel(QWidget):
    """Shows the entry to paste into the settings of an editor."""

    def __init__(self, context: PageContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.context = context
        self._task: Task | None = None
        self.choice = Choice()
        self.form = QComboBox()
        for part in (self.form, self.form.view()):
            part.setAccessibleName(self.tr("As which editor writes it"))
        self.form.addItem(self.tr("Most editors"), editors.OTHER)
        for editor in editors.EDITORS.values():
            self.form.addItem(editor.name, editor.id)
        self.view = CodeView(self.tr("The entry to copy"))
        self.copy_button = button(self.tr("&Copy"), self._copy, icon_name="copy")
        self.status = text(muted=True)
        label = QLabel(self.tr("As written by &editor:"))
        label.setBuddy(self.form)
        form = QHBoxLayout()
        form.addWidget(label)
        form.addWidget(self.form)
        form.addStretch()
        copy = QHBoxLayout()
        copy.addWidget(self.copy_button)
        copy.addWidget(self.status, 1)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(GAP)
        layout.addWidget(heading(self.tr("Another editor")))
        layout.addWidget(
            text(
                self.tr(
                    "Any editor that speaks MCP can use CiteLoom. Copy this entry into its settings for MCP servers,"
                    " beside those that may be there."
                )
            )
        )
        layout.addWidget(self.choice)
        layout.addLayout(form)
        layout.addWidget(self.view, 1)
        layout.addLayout(copy)
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
        if self._task:
            self._task.drop()
        if projects is None:
            self._show(self.tr("Choose a project first."), ready=False)
            return
        self._task = self.context.tasks.run(
            self,
            lambda report: editors.snippet(form, projects, toolsets),
            done=lambda message: self._show(message, ready=True),
            failed=self._on_failed,
        )

    def _on_failed(self, error: CiteLoomError) -> None:
        self._show(str(error), ready=False)

    def _show(self, message: str, *, ready: bool) -> None:
        self.view.show_text(message)
        self.copy_button.setEnabled(ready)

    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(self.view.toPlainText())
        self.status.setText(self.tr("Copied."))
