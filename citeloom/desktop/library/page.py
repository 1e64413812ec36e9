"""The projects page: a list of projects, and the view of the chosen one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import QWidget

from citeloom.api.events import Event, JobFinished
from citeloom.api.library import AddProject, ListProjects, NewProject, ProjectSummary, ShowProject
from citeloom.core import paths
from citeloom.core.errors import CiteLoomError, Code
from citeloom.desktop.library.project_list import ProjectList
from citeloom.desktop.library.project_view import ProjectView
from citeloom.desktop.library.source_dialogs import NewProjectDialog
from citeloom.desktop.shell.engine_tasks import Task
from citeloom.desktop.shell.page import Page, PageContext
from citeloom.desktop.widgets import basics
from citeloom.desktop.widgets.layout import column, splitter, stack

_SAMPLE = "sample"


class ProjectsPage(Page):
    """Page with the list of projects and the view of the chosen one."""

    name = "projects"
    icon_name = "projects"

    def __init__(self, context: PageContext, parent: QWidget | None = None) -> None:
        super().__init__(context, parent)
        self._task: Task | None = None
        self._to_choose = ""  # the project to choose once it is in the list
        self._opened = False
        self._engine_problem = False  # the banner shows that the engine is unavailable
        self.dialog: NewProjectDialog | None = None  # the last one opened
        self.banner = basics.Banner()
        self.list = ProjectList()
        self.new_button = basics.button(self.tr("New pro&ject…"), self.new_project, icon_name="add")
        self.view = ProjectView(context)
        self.first = basics.EmptyState(
            "projects",
            self.tr("Choose what your first project reads"),
            self.tr(
                "A project is what you write: a thesis, a chapter, an article. It reads parts of Zotero or folders."
            ),
            [
                (self.tr("Step &by step…"), context.first_run.emit),
                (self.tr("New pro&ject…"), self.new_project),
                (self.tr("Try the &sample library"), self.try_sample),
            ],
        )
        self.waiting = basics.EmptyState("projects", self.tr("Loading your projects …"), "")
        self._lay_out()
        self.setAcceptDrops(True)
        self.list.chosen.connect(self._on_chosen)
        self.view.failed.connect(self._on_error)
        self.view.load_failed.connect(self._on_load_failed)
        self.view.notice.connect(self._show_message)
        self.view.coverage_seen.connect(self.list.model.show_coverage)
        self.view.removed.connect(self._on_removed)
        context.tasks.connected.connect(self._on_connected)
        context.tasks.event_received.connect(self._on_event)

    def _lay_out(self) -> None:
        side = QWidget()
        column((self.list, 1), self.new_button, of=side)
        self.splitter = splitter((side, 220), (self.view, 700), stretch=(0, 1))
        self.stack = stack(self.waiting, self.first, self.splitter)
        column(self.banner, (self.stack, 1), of=self, margins=basics.PAGE_MARGINS)

    def title(self) -> str:
        return self.tr("Projects")

    def shown(self, target: dict[str, str]) -> None:
        self._opened = True
        self._to_choose = target.get("project") or self._to_choose
        self.list.choose(self._to_choose)
        self.load()

    def load(self) -> None:
        """Load the list of projects."""
        self._task = self.context.tasks.send(
            self, ListProjects(), done=self._show, failed=self._on_load_failed, replaces=self._task
        )

    def _show(self, projects: list[ProjectSummary]) -> None:
        self.list.load(projects)
        if self._to_choose and self.list.model.project(self._to_choose):
            self.list.choose(self._to_choose)
            self._to_choose = ""
        self.stack.setCurrentWidget(self.splitter if projects else self.first)

    def _on_chosen(self, project: str) -> None:
        known = self.list.model.project(project)
        self.view.show_project(project, known.coverage if known else basics.NO_COVERAGE)

    def _on_removed(self, project: str) -> None:
        self._show_message(self.tr("The project “{project}” was removed.").format(project=project), False)
        self.load()

    def _on_connected(self, status: dict[str, Any]) -> None:
        if self._engine_problem:
            self.banner.hide()
            self._engine_problem = False
        if self._opened:
            self.load()
            self.view.load()

    def _on_event(self, event: Event) -> None:
        if isinstance(event, JobFinished) and self._opened:
            project = event.project_id
            if self.list.model.project(project) is None:
                self.load()
            elif project != self.view.project:
                self.context.tasks.send(
                    self,
                    ShowProject(project=project),
                    done=lambda shown: self.list.model.show_coverage(shown.id, shown.coverage),
                    failed=lambda _: None,
                )

    def _on_load_failed(self, error: CiteLoomError) -> None:
        """Show why something could not be loaded; does not replace the error of an action, which would be lost."""
        lost = error.code == Code.ENGINE_UNAVAILABLE
        if not (lost and self.banner.isVisible() and not self._engine_problem):
            self._on_error(error)
            self._engine_problem = lost

    def _on_error(self, error: CiteLoomError) -> None:
        self._engine_problem = False
        self.banner.show_error(error)
        if error.code == Code.INVALID_PROJECT:  # removed meanwhile by another client
            self.load()

    def _show_message(self, text: str, warning: bool) -> None:
        self._engine_problem = False
        self.banner.show_message(text, warning=warning)

    # -- new projects --------------------------------------------------------------------------------------------

    def new_project(self) -> None:
        """Open the dialog for a new project."""
        self.dialog = NewProjectDialog(self.context, self)
        self.dialog.answered.connect(self._on_created)
        self.dialog.open()

    def try_sample(self) -> None:
        """Create a project with the sample library."""
        sample = Path(paths.sample_folder())
        references, folder = str(sample / "library.json"), str(sample / "papers")
        request = AddProject(project=_SAMPLE, references=references, folders=[folder])
        self.context.tasks.send(self, request, done=self._on_created, failed=self._on_error)

    def _on_created(self, project: NewProject) -> None:
        self._to_choose = project.id
        if project.sources:
            self.view.importing.start(project.id)
        if project.warnings:
            self._show_message("\n".join(project.warnings[:5]), True)
        self.load()

    # -- dropping ------------------------------------------------------------------------------------------------

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if any(url.isLocalFile() for url in event.mimeData().urls()):
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        places = [url.toLocalFile() for url in event.mimeData().urls() if url.isLocalFile()]
        event.acceptProposedAction()
        if self.view.project:
            self.view.import_paths(places)
        else:
            text = self.tr("Create a project first; then drop what it should read.")
            self.banner.show_message(text, action=(self.tr("New pro&ject…"), self.new_project))
