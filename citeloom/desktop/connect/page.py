"""Connect an editor: found, shown what will change, connected, tried, undone."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from PySide6.QtCore import QEvent, QTimer
from PySide6.QtWidgets import QFrame, QHBoxLayout, QScrollArea, QStackedWidget, QVBoxLayout, QWidget

from citeloom import editors as clients
from citeloom.api.engine import ConnectedEditors, ListEditors
from citeloom.api.events import EditorConnected, EditorLeft, Event
from citeloom.api.library import ListProjects, ProjectSummaries
from citeloom.core.errors import CiteLoomError, Code
from citeloom.core.files import open_file
from citeloom.desktop.connect import states
from citeloom.desktop.connect.editor_list import EditorList
from citeloom.desktop.connect.other import OtherPanel
from citeloom.desktop.connect.panel import EditorPanel
from citeloom.desktop.connect.states import Seen
from citeloom.desktop.shell.engine_tasks import Task
from citeloom.desktop.shell.page import Page, PageContext
from citeloom.desktop.text.activity_text import tool_text
from citeloom.desktop.text.editor_names import client_id
from citeloom.desktop.widgets.basics import GAP, Banner, heading, number, text
from citeloom.editors import OTHER, Change, LaunchResult


class ConnectPage(Page):
    """A list of editors at the left, the chosen one at the right."""

    name = "connect"
    icon_name = "connect"

    def __init__(self, context: PageContext, parent: QWidget | None = None) -> None:
        super().__init__(context, parent)
        self._looking: Task | None = None
        self._asking: list[Task] = []
        self._live: set[str] = set()
        self._editors: list[Seen] = []
        self.banner = Banner()
        self.list = EditorList()
        self.panel = EditorPanel()
        self.other = OtherPanel(context)
        self.stack = QStackedWidget()
        self.area = _scrolled(self.panel)
        self.stack.addWidget(self.area)
        self.stack.addWidget(_scrolled(self.other))
        self._lay_out()
        self.list.picked.connect(self._on_picked)
        self.panel.wanted.connect(self._on_wanted)
        context.tasks.event_received.connect(self._on_event)
        context.tasks.reached.connect(lambda _: self._ask_engine() if self.isVisible() else None)

    def title(self) -> str:
        return self.tr("Connect an editor")

    def shown(self, what: dict[str, str]) -> None:
        if project := what.get("project"):
            self.panel.choice.propose(project)
            self.other.choice.propose(project)
        self._look()
        self._ask_engine()

    def event(self, event: QEvent) -> bool:
        # Somebody may have mended a file, or installed an editor, while another window was in front.
        if event.type() == QEvent.Type.WindowActivate and self.isVisible():
            self._look()
        return super().event(event)

    def _lay_out(self) -> None:
        row = QHBoxLayout()
        row.setSpacing(2 * GAP)
        row.addWidget(self.list, 2)
        row.addWidget(self.stack, 5)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(2 * GAP, GAP, 2 * GAP, GAP)
        layout.setSpacing(GAP)
        layout.addWidget(heading(self.tr("Connect an editor")))
        message = self.tr("CiteLoom puts one entry into the editor’s own settings, and keeps a copy of what was there.")
        layout.addWidget(text(message, muted=True))
        layout.addWidget(self.banner)
        layout.addLayout(row, 1)

    # -- what there is -------------------------------------------------------------------------------------------

    def _look(self) -> None:
        if self._looking:
            self._looking.drop()
        self._looking = self.context.tasks.run(
            self, lambda report: states.look(), done=self._on_looked, failed=self.banner.show_error
        )

    def _on_looked(self, editors: list[Seen]) -> None:
        self._looking = None
        self._editors = editors
        self._show_editors()

    def _show_editors(self) -> None:
        editors = [replace(one, live=one.id in self._live) for one in self._editors]
        self.list.show_editors(editors)
        self._on_picked(self.list.chosen())

    def _ask_engine(self) -> None:
        for task in self._asking:
            task.drop()
        tasks = self.context.tasks
        self._asking = [
            tasks.send(self, ListProjects(), done=self._on_projects, failed=self._on_no_answer),
            tasks.send(self, ListEditors(), done=self._on_live, failed=self._on_no_answer),
        ]

    def _on_projects(self, answer: ProjectSummaries) -> None:
        names = [project.id for project in answer.projects]
        self.panel.choice.show_projects(names)
        self.other.choice.show_projects(names)

    def _on_live(self, answer: ConnectedEditors) -> None:
        self._live = {found for one in answer.editors if (found := client_id(one.client))}
        self._show_editors()

    def _on_no_answer(self, error: CiteLoomError) -> None:
        if error.code != Code.ENGINE_UNAVAILABLE:  # of which the window tells, once for all pages
            self.banner.show_error(error)

    def _on_event(self, event: Event) -> None:
        if not isinstance(event, EditorConnected | EditorLeft):
            return
        if not self.isVisible():
            return
        editor = next((one for one in self._editors if one.id == client_id(event.client)), None)
        if isinstance(event, EditorConnected) and editor and editor.id not in self._live:
            self.banner.show_message(self.tr("{editor} is connected.").format(editor=editor.name))
        self._ask_engine()

    def _on_picked(self, picked: str) -> None:
        editors = {one.id: one for one in self.list.editors.editors}
        self.stack.setCurrentIndex(0 if picked in editors else 1)
        if picked in editors:
            if self.panel.seen is None or self.panel.seen.id != picked:
                self.area.verticalScrollBar().setValue(0)
            self.panel.show_editor(editors[picked])
        else:
            self.other.refresh()

    # -- what is done --------------------------------------------------------------------------------------------

    def _on_wanted(self, what: str) -> None:
        seen = self.panel.seen
        if seen is None:
            return
        deeds = {"copy": self._copy, "open": self._open, "test": self._test, "remove": self._remove, "undo": self._undo}
        if what in deeds:
            deeds[what](seen)
        elif (projects := self.panel.choice.projects()) is not None:
            (self._preview if what == "preview" else self._connect)(seen, projects, self.panel.choice.toolsets())

    def _copy(self, seen: Seen) -> None:
        self.other.show_form(seen.id)
        self.list.pick(OTHER)

    def _open(self, seen: Seen) -> None:
        self.context.tasks.run(
            self, lambda report: open_file.open_uri(seen.found.file.as_uri()), failed=self.banner.show_error
        )

    def _preview(self, seen: Seen, projects: list[str], toolsets: list[str]) -> None:
        def done(diff: str) -> None:
            title = self.tr("This will change in the file:") if diff else self.tr("Nothing will change in the file.")
            self._output(seen, title, diff, diff=True)

        message = self.tr("Looking at what will change …")
        self._do(seen, message, lambda: clients.preview(seen.found, projects, toolsets), done)

    def _connect(self, seen: Seen, projects: list[str], toolsets: list[str]) -> None:
        def done(change: Change) -> None:
            self._show_change(seen, change)
            self._test(seen, change)

        message = self.tr("Writing the entry …")
        self._do(seen, message, lambda: clients.install(seen.found, projects, toolsets), done)

    def _test(self, seen: Seen, change: Change | None = None) -> None:
        self._do(
            seen,
            self.tr("Launching what stands in the file, as {editor} does …").format(editor=seen.name),
            lambda: clients.check_launch(clients.detect_editor(seen.id)),
            lambda tested: self._on_tested(seen, tested, change),
        )

    def _remove(self, seen: Seen) -> None:
        def done(change: Change) -> None:
            self._show_change(seen, change)
            self.banner.show_message(self.tr("{editor} no longer knows CiteLoom.").format(editor=seen.name))

        self._do(seen, self.tr("Taking the entry out …"), lambda: clients.remove(seen.found), done)

    def _undo(self, seen: Seen) -> None:
        def done(_: None) -> None:
            self._output(seen, "", "")
            self.banner.show_message(self.tr("The file of {editor} is as it was before.").format(editor=seen.name))

        def failed(error: CiteLoomError) -> None:
            message = self.tr("{reason} “Remove” takes only CiteLoom’s entry out and leaves the rest as it is.")
            self.banner.show_message(message.format(reason=error.message), wrong=True)

        if change := seen.change:
            self._do(seen, self.tr("Putting the file back …"), lambda: clients.undo(change), done, failed)

    def _do(
        self,
        seen: Seen,
        message: str,
        work: Callable[[], Any],
        done: Callable[[Any], None],
        failed: Callable[[CiteLoomError], None] | None = None,
    ) -> None:
        """One thing at a time, off the UI thread; then the files are looked at again."""

        def refused(error: CiteLoomError) -> None:
            self.banner.show_error(error, action=(self.tr("Open the &file"), lambda: self._open(seen)))

        def after(report: Callable[[Any], None], value: Any) -> None:
            self.panel.work("")
            report(value)
            self._look()

        self.panel.work(message)
        self.context.tasks.run(
            self,
            lambda report: work(),
            done=lambda value: after(done, value),
            failed=lambda error: after(failed or refused, error),
        )

    def _on_tested(self, seen: Seen, tested: LaunchResult, change: Change | None) -> None:
        if tested.problem:
            message = self.tr("{editor} will not reach CiteLoom like this. {reason} Press “Connect again”, then test.")
            self.banner.show_message(message.format(editor=seen.name, reason=tested.problem.message), wrong=True)
            return
        message = self.tr("The entry works: CiteLoom answered after {seconds} s with {count} tools.").format(
            seconds=self.locale().toString(tested.seconds, "f", 1), count=number(len(tested.tools))
        )
        if change or seen.id not in self._live:
            step = self.tr("{result} Next, in {editor}: {step}")
            message = step.format(result=message, editor=seen.name, step=states.next_step_text(seen.found))
        self.banner.show_message(message)
        if change is None:
            tools = "\n".join(f"{tool_text(tool)}  ({tool})" for tool in tested.tools)
            self._output(seen, self.tr("What {editor} can do with it:").format(editor=seen.name), tools)

    def _show_change(self, seen: Seen, change: Change) -> None:
        if change.backup:
            message = self.tr("This was changed in the file; what was there is kept beside it as {backup}:")
            self._output(seen, message.format(backup=change.backup.name), change.diff, diff=True)
        else:
            title = self.tr("This was written:") if change.diff else self.tr("The entry was there already.")
            self._output(seen, title, change.diff, diff=True)

    def _output(self, seen: Seen, title: str, message: str, *, diff: bool = False) -> None:
        if self.panel.seen and self.panel.seen.id == seen.id:  # another editor may be shown by now
            self.panel.show_output(title, message, diff=diff)
            if message:
                QTimer.singleShot(0, self, self._reveal_output)

    def _reveal_output(self) -> None:
        self.area.ensureVisible(0, self.panel.output.geometry().bottom(), 0, 0)


def _scrolled(part: QWidget) -> QScrollArea:
    area = QScrollArea()
    area.setWidgetResizable(True)
    area.setFrameShape(QFrame.Shape.NoFrame)
    area.setWidget(part)
    return area
