"""Panels of the connect page: one for an editor that CiteLoom sets up, one with the entry to copy for any other."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QComboBox, QProgressBar, QPushButton, QWidget

from citeloom import editors
from citeloom.desktop.connect.access_choice import AccessChoice
from citeloom.desktop.connect.states import EditorState, projects_text
from citeloom.desktop.shell.engine_tasks import Task
from citeloom.desktop.shell.page import PageContext
from citeloom.desktop.widgets.basics import GAP, Banner, button, heading, label_for, tab_order, text
from citeloom.desktop.widgets.code_view import CodeView
from citeloom.desktop.widgets.layout import Stretch, column, row
from citeloom.editors import DEFAULT_TOOLSETS


class EditorPanel(QWidget):
    """Shows an editor, and emits `action_requested` for each action; the page carries it out."""

    action_requested = Signal(str)  # "connect", "preview", "test", "undo", "remove", "open", "copy"

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.editor: EditorState | None = None
        self._busy = False
        self.title = heading("")
        self.state = text()
        self.file = text(muted=True)
        self.problem = Banner()
        self.choice = AccessChoice()
        self.connect_button = self._button(self.tr("&Connect"), "connect", "connect")
        self.preview_button = self._button(self.tr("Show what will c&hange"), "preview", "file")
        self.test_button = self._button(self.tr("&Test"), "test", "play")
        self.undo_button = self._button(self.tr("&Undo"), "undo", "undo")
        self.remove_button = self._button(self.tr("Re&move"), "remove", "remove")
        self.open_button = self._button(self.tr("Open the &file"), "open", "open")
        self.undo_button.setToolTip(self.tr("Restore the file exactly as it was before the last change"))
        self.remove_button.setToolTip(self.tr("Remove CiteLoom’s entry from the file and leave the rest unchanged"))
        self.test_button.setToolTip(self.tr("Launch the entry as the editor does, and check that CiteLoom answers"))
        self.hint = text(self.tr("Choose at least one project first."), muted=True)
        self.progress = QProgressBar(minimum=0, maximum=0, textVisible=False)
        self.progress.setMaximumHeight(round(self.fontMetrics().height() * 0.6))
        self.progress_text = text(muted=True)
        self.output = CodeView(self.tr("The preview or the result of the test"))
        self.output_title = text(bold=True)
        self._lay_out()
        self.choice.changed.connect(self._enable)
        self.show_progress("")

    def show_editor(self, editor: EditorState) -> None:
        """Show an editor. The choice is kept when the same editor is shown again with an unchanged entry."""
        before, self.editor = self.editor, editor
        other = before is None or before.id != editor.id
        entry = editor.found.connected
        if other or (before is not None and before.found.connected != entry):
            self.choice.choose(
                entry.projects if entry else (),
                entry.toolsets if entry else DEFAULT_TOOLSETS,
                everything=entry is not None and not entry.projects,
            )
        if other:
            self.show_output("", "")
        self.title.setText(editor.name)
        self.state.setText(self._state(editor))
        self.file.setText(self.tr("Settings file: {file}").format(file=editor.found.file))
        self.connect_button.setText(self.tr("&Connect again") if entry else self.tr("&Connect"))
        self.connect_button.setAccessibleName(self.connect_button.text().replace("&", ""))
        if editor.found.problem and (editor.found.installed or entry):
            message = self.tr("{reason} CiteLoom does not change it: fix it and come back, or add the entry yourself.")
            self.problem.show_message(
                message.format(reason=editor.found.problem.message),
                warning=True,
                action=(self.tr("Show the &entry to copy"), lambda: self.action_requested.emit("copy")),
                closable=False,
            )
        else:
            self.problem.hide()
        self._enable()

    def show_output(self, title: str, message: str, *, diff: bool = False) -> None:
        """Show a preview or the result of a test; an empty text hides it."""
        self.output_title.setText(title)
        (self.output.show_diff if diff else self.output.show_text)(message)
        self.output_title.setVisible(bool(title))
        self.output.setVisible(bool(message))

    def show_progress(self, message: str) -> None:
        """Show that an action is running; an empty text means that none is."""
        self._busy = bool(message)
        self.progress_text.setText(message)
        self.progress.setAccessibleName(message or self.tr("Progress"))
        self.progress.setVisible(self._busy)
        self.progress_text.setVisible(self._busy)
        self._enable()

    def _button(self, message: str, what: str, icon_name: str) -> QPushButton:
        return button(message, lambda: self.action_requested.emit(what), icon_name=icon_name)

    def _lay_out(self) -> None:
        column(
            self.title,
            self.state,
            self.file,
            self.problem,
            row(self.test_button, self.undo_button, self.remove_button, self.open_button, Stretch()),
            GAP,
            self.choice,
            GAP,
            row(self.connect_button, self.preview_button, (self.hint, 1), Stretch()),
            self.progress_text,
            self.progress,
            self.output_title,
            self.output,
            Stretch(1),
            of=self,
            spacing=GAP,
        )
        first = (self.problem.button, self.test_button, self.undo_button, self.remove_button, self.open_button)
        tab_order(*first, *self.choice.controls(), self.connect_button, self.preview_button, self.output)

    def _state(self, editor: EditorState) -> str:
        entry = editor.found.connected
        if entry:
            message = self.tr("It is set up to see {projects}.").format(projects=projects_text(entry))
            if editor.live:
                return self.tr("{setup} It is connected right now.").format(setup=message)
            return message
        if editor.live:
            return self.tr("It is connected right now, through an entry in another file.")
        if editor.found.installed:
            return self.tr("It is installed on this computer, but not connected yet.")
        return self.tr("It was not found on this computer. You can set it up before you install it.")

    def _enable(self) -> None:
        if self.editor is None:
            return
        found, free = self.editor.found, not self._busy
        chosen = self.choice.projects() is not None
        writable = found.problem is None
        self.hint.setVisible(writable and not chosen)
        self.connect_button.setEnabled(free and chosen and writable)
        self.preview_button.setEnabled(free and chosen and writable)
        self.test_button.setVisible(found.connected is not None)
        self.remove_button.setVisible(found.connected is not None)
        self.undo_button.setVisible(self.editor.change is not None)
        self.open_button.setVisible(found.exists)
        self.test_button.setEnabled(free)
        self.undo_button.setEnabled(free)
        self.remove_button.setEnabled(free and writable)


class OtherPanel(QWidget):
    """Shows the entry to paste into the settings of an editor."""

    def __init__(self, context: PageContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.context = context
        self._task: Task | None = None
        self.choice = AccessChoice()
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
