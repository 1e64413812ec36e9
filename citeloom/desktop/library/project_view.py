"""The view of one project: its coverage, jobs, documents and sources."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtWidgets import (
    QDialog,
    QListWidget,
    QListWidgetItem,
    QMenu,
    QMessageBox,
    QPushButton,
    QTabWidget,
    QWidget,
)

from citeloom.api.engine import CancelJob
from citeloom.api.events import Event, JobFinished, JobProgress
from citeloom.api.importing import import_result
from citeloom.api.library import DisallowSource, ProjectDetails, RemoveProject, ShowProject
from citeloom.core.errors import CiteLoomError
from citeloom.core.jobs import RunningJob
from citeloom.core.types import Coverage, Source
from citeloom.desktop.library.documents_table import DocumentsTable
from citeloom.desktop.library.job_strip import JobStrip
from citeloom.desktop.library.source_dialogs import AddZoteroDialog
from citeloom.desktop.library.start_import import ImportStarter
from citeloom.desktop.shell.engine_tasks import EngineTasks, Task
from citeloom.desktop.shell.icons import icon
from citeloom.desktop.shell.page import PageContext
from citeloom.desktop.text import library_text
from citeloom.desktop.text.job_text import IMPORT
from citeloom.desktop.widgets import basics
from citeloom.desktop.widgets.file_dialogs import choose_file, choose_files, choose_folder
from citeloom.desktop.widgets.layout import column, row

_ICONS = {"zotero": "library", "folder": "folder", "file": "file"}


class Sources(QWidget):
    """Lists the sources of a project and removes one."""

    failed = Signal(object)  # a CiteLoomError
    changed = Signal(object)  # ProjectDetails, after a source was removed

    def __init__(self, tasks: EngineTasks) -> None:
        super().__init__()
        self._engine = tasks
        self._project = ""
        self.question: QMessageBox | None = None
        self.list = basics.named(QListWidget(), self.tr("What this project reads"))
        self.list.setUniformItemSizes(True)
        self.list.setIconSize(QSize(16, 16))
        self.list.setTextElideMode(Qt.TextElideMode.ElideMiddle)
        self.list.currentRowChanged.connect(self._on_current)
        self.references = basics.text(muted=True, shrinks=True)
        self.remove_button = basics.button(self.tr("Stop reading t&his…"), self._remove, icon_name="remove")
        column((self.list, 1), row((self.references, 1), self.remove_button), of=self)

    def show_project(self, project: str, sources: Sequence[Source], references: str | None) -> None:
        """Show the sources of a project."""
        self._project = project
        chosen = self.list.currentItem().data(Qt.ItemDataRole.UserRole) if self.list.currentItem() else None
        self.list.clear()
        for source in sources:
            item = QListWidgetItem(
                icon(_ICONS.get(source.kind, "file")), basics.one_line(library_text.source_text(source))
            )
            item.setData(Qt.ItemDataRole.UserRole, source.path)
            item.setToolTip(basics.tip(library_text.source_text(source)))
            self.list.addItem(item)
            if source.path == chosen:
                self.list.setCurrentItem(item)
        self.references.setText(self.tr("References: {file}").format(file=references) if references else "")
        self._on_current()

    def _on_current(self) -> None:
        self.remove_button.setEnabled(self.list.currentItem() is not None)

    def _remove(self) -> None:
        item = self.list.currentItem()
        if item is None:
            return
        request = DisallowSource(project=self._project, source=item.data(Qt.ItemDataRole.UserRole))
        self.question = basics.ask_confirmation(
            self,
            self.tr("Stop reading this"),
            self.tr("Stop reading “{source}”? Its papers are removed; your files and Zotero are not changed.").format(
                source=item.text()
            ),
            self.tr("&Stop reading it"),
            lambda: self._engine.send(self, request, done=self.changed.emit, failed=self.failed.emit),
        )


class ProjectView(QWidget):
    """Shows a project, and starts syncs, imports and its removal."""

    notice = Signal(str, bool)  # a message, whether it is a problem
    failed = Signal(object)  # a CiteLoomError of an action
    load_failed = Signal(object)  # a CiteLoomError of loading, which is repeated when the engine is back
    coverage_seen = Signal(str, object)  # a project and its Coverage
    removed = Signal(str)

    def __init__(self, context: PageContext) -> None:
        super().__init__()
        self._context = context
        self.project = ""
        self._task: Task | None = None
        self._reads, self._planning = True, False
        self._to_remove: set[str] = set()  # projects whose imports are being stopped before the removal
        self._removing: set[str] = set()  # projects that the engine is removing
        self.question: QMessageBox | None = None
        self.dialog: QDialog | None = None  # the last one opened
        self.importing = ImportStarter(context, self)
        self.name = basics.heading("")
        self.name.setMinimumWidth(1)  # a name without a space must not widen the window
        self.bar = basics.CoverageBar()
        self.counts = basics.text(muted=True)
        self.sync_button = basics.button(self.tr("Sync &now"), self.sync, icon_name="sync")
        self.add_button = basics.named(QPushButton(icon("add"), self.tr("&Add")), self.tr("Add to this project"))
        self.add_button.setMenu(self._add_menu())
        self.rebuild_button = basics.button("", self._rebuild, icon_name="retry", tip=self.tr("Rebuild the index…"))
        self.remove_button = basics.button("", self._remove, icon_name="remove", tip=self.tr("Remove this project…"))
        self.retry_button = basics.button(
            self.tr("Try failed papers a&gain"),
            lambda: self.importing.start(self.project, retry_failed=True),
            icon_name="retry",
            tip=self.tr("Reads them again even if their files have not changed"),
        )
        self.retry_button.hide()
        self.strip = JobStrip(context)
        self.papers = DocumentsTable(context.tasks)
        self.sources = Sources(context.tasks)
        self.empty = basics.EmptyState(
            "folder",
            self.tr("This project reads nothing yet"),
            self.tr("Add a part of Zotero or a folder, or drop files and folders here."),
            [(self.tr("Part of &Zotero…"), self._add_zotero), (self.tr("&Folder…"), self._add_folder)],
        )
        self.tabs = basics.named(QTabWidget(), self.tr("About this project"))
        self.tabs.setDocumentMode(True)
        self.tabs.addTab(_padded(self.papers), self.tr("&Papers"))
        self.tabs.addTab(_padded(self.sources), self.tr("&Sources"))
        self._lay_out()
        self._connect()

    def _lay_out(self) -> None:
        buttons = (self.sync_button, self.add_button, self.rebuild_button, self.remove_button)
        column(
            row((self.name, 1), *buttons),
            column(self.bar, row((self.counts, 1), self.retry_button)),
            self.strip,
            (self.tabs, 1),
            (self.empty, 1),
            of=self,
            margins=(basics.GAP, 0, 0, 0),
            spacing=basics.GAP,
        )
        self.empty.hide()

    def _connect(self) -> None:
        self._context.engine_status.changed.connect(self._on_engine_status)
        self._context.tasks.event_received.connect(self._on_event)
        self.papers.answered.connect(lambda page: self._show_coverage(page.coverage))
        self.papers.actions_.notice.connect(lambda text: self.notice.emit(text, False))
        self.papers.actions_.changed.connect(self.papers.reload_soon)
        self.sources.changed.connect(self._show)
        self.papers.failed.connect(self._on_load_failed)
        for part in (self.papers.actions_, self.sources, self.importing, self.strip):
            part.failed.connect(self.failed)
        self.importing.notice.connect(self.notice)
        self.importing.started.connect(self.load)
        self.importing.planning.connect(self._on_planning)

    def _add_menu(self) -> QMenu:
        menu = QMenu(self)
        menu.addAction(icon("library"), self.tr("Part of &Zotero…"), self._add_zotero)
        menu.addAction(icon("folder"), self.tr("&Folder…"), self._add_folder)
        menu.addAction(icon("file"), self.tr("F&iles…"), self._add_files)
        menu.addSeparator()
        menu.addAction(icon("quote"), self.tr("&References…"), self._choose_references)
        return menu

    # -- loading -------------------------------------------------------------------------------------------------

    def show_project(self, project: str, coverage: Coverage) -> None:
        """Show a project."""
        self.project = project
        self._removing.discard(project)  # it may have been created again
        self.name.setText(project)
        self.name.setToolTip(basics.tip(project))
        self._show_coverage(coverage)
        self.empty.hide()
        self.tabs.show()
        self.strip.follow(project)
        self.sources.show_project(project, (), None)
        self.papers.show_project(project)
        self.load()

    def load(self) -> None:
        """Load the project."""
        if self.project:
            request, failed = ShowProject(project=self.project), self._on_load_failed
            self._task = self._context.tasks.send(self, request, done=self._show, failed=failed, replaces=self._task)
            self.papers.reload_soon()

    def _show(self, project: ProjectDetails) -> None:
        if project.id != self.project:
            return
        self._show_coverage(project.coverage)
        self.sources.show_project(project.id, project.sources, project.references)
        reads = bool(project.sources) or bool(project.coverage.documents)
        self.empty.setVisible(not reads)
        self.tabs.setVisible(reads)
        self._reads = reads
        self._show_sync()
        self.papers.reload_soon()

    def _on_load_failed(self, error: CiteLoomError) -> None:
        if self.project not in self._removing:
            self.load_failed.emit(error)

    def _show_coverage(self, coverage: Coverage) -> None:
        self.bar.show_coverage(coverage)
        self.counts.setText(basics.coverage_text(coverage))
        self.retry_button.setVisible(bool(coverage.failed))
        self.coverage_seen.emit(self.project, coverage)

    def _on_event(self, event: Event) -> None:
        if not isinstance(event, JobProgress | JobFinished) or not self.project or event.project_id != self.project:
            return
        if isinstance(event, JobProgress):
            self.papers.reload_soon()
        else:
            self.load()
            self._on_finished(event)

    def _on_finished(self, event: JobFinished) -> None:
        if event.error:
            self.failed.emit(event.error)
        elif event.kind == IMPORT and (held := import_result(event).held_back):
            text = self.tr("{count} papers are no longer in their sources. They are kept; sync now to decide.")
            self.notice.emit(text.format(count=basics.number(held)), True)

    def _on_planning(self, busy: bool) -> None:
        self._planning = busy
        self._show_sync()

    def _show_sync(self) -> None:
        self.sync_button.setEnabled(self._reads and not self._planning)
        self.sync_button.setText(self.tr("Checking …") if self._planning else self.tr("Sync &now"))

    # -- actions -------------------------------------------------------------------------------------------------

    def sync(self) -> None:
        """Sync the project with its sources."""
        self.importing.sync(self.project)

    def import_paths(self, places: list[str]) -> None:
        """Import files and folders."""
        self.importing.import_paths(self.project, places)

    def _add_zotero(self) -> None:
        project = self.project
        self.dialog = dialog = AddZoteroDialog(self._context, self, project)
        dialog.answered.connect(self._show)
        dialog.answered.connect(lambda _: self.importing.start(project))
        dialog.open()

    def _add_folder(self) -> None:
        title = self.tr("A folder that the project reads")
        self.dialog = choose_folder(self, title, lambda folder: self.import_paths([folder]))

    def _add_files(self) -> None:
        self.dialog = choose_files(self, self.tr("Files that the project reads"), self.import_paths)

    def _choose_references(self) -> None:
        project = self.project
        kinds = self.tr("References ({suffixes})").format(suffixes="*.bib *.json")
        self.dialog = choose_file(
            self,
            self.tr("The references of the project"),
            lambda file: self.importing.start(project, references_path=str(Path(file))),
            kinds=kinds,
        )

    def _rebuild(self) -> None:
        project = self.project
        text = self.tr(
            "Rebuild the index of “{project}”? The old one is used until the new one is ready. "
            "Papers that were read are not read again."
        )
        self.question = basics.ask_confirmation(
            self,
            self.tr("Rebuild the index"),
            text.format(project=project),
            self.tr("&Rebuild it"),
            lambda: self.importing.start(project, force_rebuild=True),
        )

    def _remove(self) -> None:
        project = self.project
        text = self.tr(
            "Remove the project “{project}”? What CiteLoom has read for it is deleted; "
            "your files and Zotero are not changed."
        )
        if self.strip.jobs():
            text = self.tr("{question} The running import is stopped.").format(question=text)
        self.question = basics.ask_confirmation(
            self,
            self.tr("Remove project"),
            text.format(project=project),
            self.tr("&Remove"),
            lambda: self._stop_and_remove(project),
        )

    def _stop_and_remove(self, project: str) -> None:
        """Cancel the imports of a project; it is removed when they have ended."""
        self._to_remove.add(project)
        for job in self._jobs_of(project):
            cancel = CancelJob(job_id=job.job_id)
            self._context.tasks.send(self, cancel, failed=partial(self._not_stopped, project))
        self._on_engine_status()

    def _not_stopped(self, project: str, error: CiteLoomError) -> None:
        self._to_remove.discard(project)
        self.failed.emit(error)

    def _jobs_of(self, project: str) -> list[RunningJob]:
        return [job for job in self._context.engine_status.current.jobs.values() if job.project == project]

    def _on_engine_status(self) -> None:
        for project in sorted(one for one in self._to_remove if not self._jobs_of(one)):
            self._to_remove.discard(project)
            self._removing.add(project)
            self._context.tasks.send(
                self,
                RemoveProject(project=project),
                done=lambda removed: self.removed.emit(removed.id),
                failed=partial(self._not_removed, project),
            )

    def _not_removed(self, project: str, error: CiteLoomError) -> None:
        self._removing.discard(project)
        self.failed.emit(error)


def _padded(part: QWidget) -> QWidget:
    place = QWidget()
    column(part, of=place, margins=(0, basics.GAP, 0, 0))
    return place
