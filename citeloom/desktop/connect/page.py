"""The connect page: detects editors, previews the change, connects, tests, removes and undoes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from PySide6.QtCore import QEvent, QTimer
from PySide6.QtWidgets import QWidget

from citeloom import editors as clients
from citeloom.api.engine import ConnectedEditor, ListEditors
from citeloom.api.events import EditorConnected, EditorLeft, Event
from citeloom.api.library import ListProjects, ProjectSummary
from citeloom.core.errors import CiteLoomError
from citeloom.desktop.connect import states
from citeloom.desktop.connect.editor_list import EditorList
from citeloom.desktop.connect.panels import EditorPanel, OtherPanel
from citeloom.desktop.connect.states import EditorState
from citeloom.desktop.shell.engine_tasks import Task
from citeloom.desktop.shell.page import Page, PageContext
from citeloom.desktop.text.activity_text import client_id, tool_text
from citeloom.desktop.widgets.basics import GAP, PAGE_MARGINS, Banner, heading, number, scroll_area, text
from citeloom.desktop.widgets.layout import column, row, stack
from citeloom.editors import OTHER, Change, LaunchResult


class ConnectPage(Page):
    """Page with a list of editors and the panel of the chosen one."""

    name = "connect"
    icon_name = "connect"

    def __init__(self, context: PageContext, parent: QWidget | None = None) -> None:
        super().__init__(context, parent)
        self._detecting: Task | None = None
        self._requests: list[Task] = []
        self._live: set[str] = set()
        self._editors: list[EditorState] = []
        self.banner = Banner()
        self.list = EditorList()
        self.panel = EditorPanel()
        self.other = OtherPanel(context)
        self.area = scroll_area(self.panel)
        self.stack = stack(self.area, scroll_area(self.other))
        about = self.tr("CiteLoom adds one entry to the editor’s own settings, and keeps a copy of the previous file.")
        column(
            heading(self.title()),
            text(about, muted=True),
            self.banner,
            (row((self.list, 2), (self.stack, 5), spacing=2 * GAP), 1),
            of=self,
            margins=PAGE_MARGINS,
            spacing=GAP,
        )
        self.list.picked.connect(self._on_picked)
        self.panel.action_requested.connect(self._on_action)
        context.tasks.event_received.connect(self._on_event)
        context.tasks.connected.connect(lambda _: self._load_from_engine() if self.isVisible() else None)

    def title(self) -> str:
        return self.tr("Connect an editor")

    def shown(self, target: dict[str, str]) -> None:
        if project := target.get("project"):
            self.panel.choice.propose(project)
            self.other.choice.propose(project)
        self._detect()
        self._load_from_engine()

    def event(self, event: QEvent) -> bool:
        # A file may have been repaired, or an editor installed, while another window was active.
        if event.type() == QEvent.Type.WindowActivate and self.isVisible():
            self._detect()
        return super().event(event)

    # -- loading -------------------------------------------------------------------------------------------------

    def _detect(self) -> None:
        failed, before = self.banner.show_error, self._detecting
        self._detecting = self.context.tasks.run(
            self, states.detect, done=self._on_detected, failed=failed, replaces=before
        )

    def _on_detected(self, editors: list[EditorState]) -> None:
        self._detecting = None
        self._editors = editors
        self._show_editors()

    def _show_editors(self) -> None:
        editors = [replace(one, live=one.id in self._live) for one in self._editors]
        self.list.show_editors(editors)
        self._on_picked(self.list.chosen())

    def _load_from_engine(self) -> None:
        for task in self._requests:
            task.drop()
        tasks = self.context.tasks
        self._requests = [
            tasks.send(self, ListProjects(), done=self._on_projects, failed=self.banner.load_failed),
            tasks.send(self, ListEditors(), done=self._on_live, failed=self.banner.load_failed),
        ]

    def _on_projects(self, projects: list[ProjectSummary]) -> None:
        names = [project.id for project in projects]
        self.panel.choice.show_projects(names)
        self.other.choice.show_projects(names)

    def _on_live(self, connected: list[ConnectedEditor]) -> None:
        self._live = {found for one in connected if (found := client_id(one.client))}
        self._show_editors()

    def _on_event(self, event: Event) -> None:
        if not isinstance(event, EditorConnected | EditorLeft) or not self.isVisible():
            return
        editor = next((one for one in self._editors if one.id == client_id(event.client)), None)
        if isinstance(event, EditorConnected) and editor and editor.id not in self._live:
            self.banner.show_message(self.tr("{editor} is connected.").format(editor=editor.name))
        self._load_from_engine()

    def _on_picked(self, picked: str) -> None:
        editors = {one.id: one for one in self.list.editors.rows}
        self.stack.setCurrentIndex(0 if picked in editors else 1)
        if picked in editors:
            if self.panel.editor is None or self.panel.editor.id != picked:
                self.area.verticalScrollBar().setValue(0)
            self.panel.show_editor(editors[picked])
        else:
            self.other.refresh()

    # -- actions -------------------------------------------------------------------------------------------------

    def _on_action(self, what: str) -> None:
        editor = self.panel.editor
        if editor is None:
            return
        actions = {
            "copy": self._copy,
            "open": self._open,
            "test": self._test,
            "remove": self._remove,
            "undo": self._undo,
        }
        if what in actions:
            actions[what](editor)
        elif (projects := self.panel.choice.projects()) is not None:
            (self._preview if what == "preview" else self._connect)(editor, projects, self.panel.choice.toolsets())

    def _copy(self, editor: EditorState) -> None:
        self.other.show_form(editor.id)
        self.list.pick(OTHER)

    def _open(self, editor: EditorState) -> None:
        self.context.tasks.open(self, editor.found.file.as_uri(), failed=self.banner.show_error)

    def _preview(self, editor: EditorState, projects: list[str], toolsets: list[str]) -> None:
        def done(diff: str) -> None:
            title = self.tr("This will change in the file:") if diff else self.tr("Nothing will change in the file.")
            self._show_output(editor, title, diff, diff=True)

        message = self.tr("Preparing the preview …")
        self._run(editor, message, lambda: clients.preview(editor.found, projects, toolsets), done)

    def _connect(self, editor: EditorState, projects: list[str], toolsets: list[str]) -> None:
        def done(change: Change) -> None:
            self._show_change(editor, change)
            self._test(editor, change)

        message = self.tr("Writing the entry …")
        self._run(editor, message, lambda: clients.install(editor.found, projects, toolsets), done)

    def _test(self, editor: EditorState, change: Change | None = None) -> None:
        self._run(
            editor,
            self.tr("Launching CiteLoom as {editor} does …").format(editor=editor.name),
            lambda: clients.check_launch(clients.detect_editor(editor.id)),
            lambda tested: self._on_tested(editor, tested, change),
        )

    def _remove(self, editor: EditorState) -> None:
        def done(change: Change) -> None:
            self._show_change(editor, change)
            self.banner.show_message(self.tr("CiteLoom was removed from {editor}.").format(editor=editor.name))

        self._run(editor, self.tr("Removing the entry …"), lambda: clients.remove(editor.found), done)

    def _undo(self, editor: EditorState) -> None:
        def done(_: None) -> None:
            self._show_output(editor, "", "")
            self.banner.show_message(self.tr("The file of {editor} was restored.").format(editor=editor.name))

        def failed(error: CiteLoomError) -> None:
            message = self.tr("{reason} “Remove” deletes only CiteLoom’s entry and leaves the rest unchanged.")
            self.banner.show_message(message.format(reason=error.message), warning=True)

        if change := editor.change:
            self._run(editor, self.tr("Restoring the file …"), lambda: clients.undo(change), done, failed)

    def _run(
        self,
        editor: EditorState,
        message: str,
        work: Callable[[], Any],
        done: Callable[[Any], None],
        failed: Callable[[CiteLoomError], None] | None = None,
    ) -> None:
        """Run an action off the UI thread, then detect the editors again."""

        def refused(error: CiteLoomError) -> None:
            self.banner.show_error(error, action=(self.tr("Open the &file"), lambda: self._open(editor)))

        def after(callback: Callable[[Any], None], value: Any) -> None:
            self.panel.show_progress("")
            callback(value)
            self._detect()

        self.panel.show_progress(message)
        self.context.tasks.run(
            self,
            work,
            done=lambda value: after(done, value),
            failed=lambda error: after(failed or refused, error),
        )

    def _on_tested(self, editor: EditorState, tested: LaunchResult, change: Change | None) -> None:
        if tested.problem:
            message = self.tr("{editor} cannot reach CiteLoom this way. {reason} Press “Connect again”, then test.")
            self.banner.show_message(message.format(editor=editor.name, reason=tested.problem.message), warning=True)
            return
        message = self.tr("The entry works: CiteLoom answered after {seconds} s with {count} tools.").format(
            seconds=self.locale().toString(tested.seconds, "f", 1), count=number(len(tested.tools))
        )
        if change or editor.id not in self._live:
            step = self.tr("{result} Next, in {editor}: {step}")
            message = step.format(result=message, editor=editor.name, step=states.next_step_text(editor.found))
        self.banner.show_message(message)
        if change is None:
            tools = "\n".join(f"{tool_text(tool)}  ({tool})" for tool in tested.tools)
            self._show_output(editor, self.tr("What {editor} can do with it:").format(editor=editor.name), tools)

    def _show_change(self, editor: EditorState, change: Change) -> None:
        if change.backup:
            message = self.tr("This was changed in the file; the previous version is next to it as {backup}:")
            self._show_output(editor, message.format(backup=change.backup.name), change.diff, diff=True)
        else:
            title = self.tr("This was written:") if change.diff else self.tr("The entry already exists.")
            self._show_output(editor, title, change.diff, diff=True)

    def _show_output(self, editor: EditorState, title: str, message: str, *, diff: bool = False) -> None:
        if self.panel.editor and self.panel.editor.id == editor.id:  # another editor may have been chosen meanwhile
            self.panel.show_output(title, message, diff=diff)
            if message:
                QTimer.singleShot(0, self, self._reveal_output)

    def _reveal_output(self) -> None:
        self.area.ensureVisible(0, self.panel.output.geometry().bottom(), 0, 0)
