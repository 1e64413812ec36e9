"""The access log: what editors asked with the passages they got, filtered, exported and cleared."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QStandardPaths, Qt
from PySide6.QtWidgets import QComboBox, QMessageBox, QWidget

from citeloom.api.activity import ClearAccessLog, GetLoggedPassages, LoggedPassage
from citeloom.api.library import ListProjects, ProjectSummary
from citeloom.core import settings
from citeloom.core.errors import CiteLoomError
from citeloom.core.types import AccessEntry
from citeloom.desktop.activity.csv_export import Export
from citeloom.desktop.activity.log_model import LogFilters, LogModel
from citeloom.desktop.activity.rich_text import Paragraph, RichTextView
from citeloom.desktop.shell.engine_tasks import EngineTasks, Task
from citeloom.desktop.shell.page import PageContext
from citeloom.desktop.text.activity_text import editor_text, outcome_text, tool_text
from citeloom.desktop.widgets.basics import (
    GAP,
    Banner,
    EmptyState,
    ask_confirmation,
    button,
    label_for,
    number,
    tab_order,
    time_text,
)
from citeloom.desktop.widgets.file_dialogs import save_file
from citeloom.desktop.widgets.layout import Stretch, column, row, splitter, stack
from citeloom.desktop.widgets.table import Table


class EntryDetails(RichTextView):
    """View of the chosen log entry and its passages."""

    def __init__(self, tasks: EngineTasks) -> None:
        super().__init__(self.tr("The selected question and its passages"))
        self._tasks = tasks
        self._task: Task | None = None
        self._shown: int | None = None  # id of the entry
        self.setPlaceholderText(self.tr("Select a question to see its passages."))

    def show_entry(self, row: AccessEntry | None) -> None:
        """Show an entry; its passages are loaded afterwards."""
        if row and row.id == self._shown:
            return
        if self._task:
            self._task.drop()
        self._shown = row.id if row else None
        self._task = None
        if row is None:
            self.write([])
            return
        about = self._about(row)
        if not row.passages:
            self.write([*about, Paragraph(self.tr("No passages were returned."), muted=True, new=True)])
            return
        self.write([*about, Paragraph(self.tr("Loading the passages …"), muted=True, new=True)])
        self._task = self._tasks.send(
            self,
            GetLoggedPassages(project=row.project_id, chunk_ids=row.passages),
            done=lambda passages: self.write([*about, *self._passages(passages)]),
            failed=lambda error: self._on_failed(about, error),
        )

    def _on_failed(self, about: list[Paragraph], error: CiteLoomError) -> None:
        self._shown = None  # choosing it again retries
        self.write([*about, Paragraph(str(error), new=True)])

    def _about(self, row: AccessEntry) -> list[Paragraph]:
        text = self.tr("{when} · {editor} · {what} · {outcome} after {seconds} s").format(
            when=time_text(row.at),
            editor=editor_text(row.client),
            what=tool_text(row.tool),
            outcome=outcome_text(row.outcome),
            seconds=self.locale().toString(row.milliseconds / 1000, "f", 2),
        )
        if row.outcome != "ok":
            text = self.tr("{about} ({code})").format(about=text, code=row.outcome)
        return [Paragraph(row.asked or tool_text(row.tool), bold=True), Paragraph(text, muted=True)]

    def _passages(self, passages: list[LoggedPassage]) -> list[Paragraph]:
        parts: list[Paragraph] = []
        for place, passage in enumerate(passages, start=1):
            if passage.deleted:
                text = self.tr("{number}. This passage is no longer in the library.").format(number=number(place))
                parts.append(Paragraph(text, muted=True, new=True))
                continue
            head = self.tr("{number}. {cite}  {title}").format(
                number=number(place), cite=passage.cite or "", title=passage.title or ""
            )
            parts.append(Paragraph(head, bold=True, new=True))
            if passage.by_agent:
                parts.append(Paragraph(self.tr("Stored by an agent."), muted=True))
            if passage.section_path:
                parts.append(Paragraph(" › ".join(passage.section_path), muted=True))
            parts.append(Paragraph(passage.text or ""))
        return parts


class AccessLogTab(QWidget):
    """The table of the access log with its filters, export and details."""

    def __init__(self, context: PageContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.context = context
        self.export: Export | None = None
        self.question: QMessageBox | None = None
        self._projects: Task | None = None
        self._editors: set[str] = set()  # in the editor box
        self.off_banner, self.banner = Banner(), Banner()
        self.model = LogModel(context.tasks)
        self.table = Table(self.model, self.tr("What editors asked, newest first"))
        self.passages = EntryDetails(context.tasks)
        self.project_box = self._box(self.tr("All projects"), self.tr("Show only this project"))
        self.editor_box = self._box(self.tr("All editors"), self.tr("Show only this editor"))
        self.export_button = button(self.tr("E&xport as CSV …"), self._choose_file, icon_name="export")
        self.clear_button = button(self.tr("C&lear …"), self._confirm_clear, icon_name="remove")
        self.clear_button.setAccessibleName(self.tr("Clear the log"))
        self.empty = EmptyState("search", "", "")
        self.splitter = splitter((self.table, 300), (self.passages, 240), vertical=True)
        self.stack = stack(self.empty, self.splitter)
        self._lay_out()
        self.model.loaded.connect(self._on_loaded)
        self.model.failed.connect(self.banner.load_failed)
        self.project_box.activated.connect(lambda _: self._filter())
        self.editor_box.activated.connect(lambda _: self._filter())
        selection = self.table.selectionModel()
        selection.selectionChanged.connect(lambda *_: self.passages.show_entry(self.table.chosen()))

    def load(self) -> None:
        """Load everything, when the page is shown."""
        self.model.refresh()
        failed, before = self.banner.load_failed, self._projects
        self._projects = self.context.tasks.send(
            self, ListProjects(), done=self._on_projects, failed=failed, replaces=before
        )
        self.context.tasks.run(
            self,
            lambda: settings.load().privacy.access_log,
            done=self._on_access_log_setting,
            failed=lambda error: None,  # settings that cannot be read are shown by the window
        )

    def export_to(self, file: Path) -> None:
        """Export the filtered entries to a file."""
        self.export = Export(self.context.tasks, file, self.model.filters, self)
        self.export.counted.connect(self._on_counted)
        self.export.writing.connect(lambda: self.banner.show_message(self.tr("Writing the file …"), closable=False))
        self.export.finished.connect(lambda count: self._on_exported(count, file))
        self.export.failed.connect(self._on_export_failed)
        self.export_button.setEnabled(False)
        self._on_counted(0)
        self.export.start()

    def _lay_out(self) -> None:
        filters = row(
            label_for(self.tr("&Project:"), self.project_box),
            (self.project_box, 1),
            label_for(self.tr("&Editor:"), self.editor_box),
            (self.editor_box, 1),
            Stretch(1),
            self.export_button,
            self.clear_button,
        )
        parts = (self.off_banner, self.banner, filters, (self.stack, 1))
        column(*parts, of=self, margins=(0, GAP, 0, 0), spacing=GAP)
        boxes, buttons = (self.project_box, self.editor_box), (self.export_button, self.clear_button)
        tab_order(*boxes, *buttons, self.table, self.passages)

    def _box(self, everything: str, name: str) -> QComboBox:
        box = QComboBox()
        for part in (box, box.view()):
            part.setAccessibleName(name)
        box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        box.setMinimumContentsLength(12)
        box.addItem(everything, "")
        return box

    def _filter(self) -> None:
        self.model.set_filters(LogFilters(self._project() or None, self.editor_box.currentData() or None))

    def _on_loaded(self) -> None:
        self.banner.load_succeeded()
        for client in sorted({entry.client for entry in self.model.rows} - self._editors):
            self._editors.add(client)
            self.editor_box.addItem(editor_text(client), client)
        filtered = self.model.filters != LogFilters()
        if filtered:
            self.empty.show_message(
                self.tr("No matching questions"), self.tr("Choose another project or another editor.")
            )
        else:
            self.empty.show_message(
                self.tr("Nothing has been asked yet"),
                self.tr("What your editors ask, and which passages they get, is listed here."),
            )
        self.stack.setCurrentIndex(1 if self.model.rows else 0)
        self.export_button.setEnabled(bool(self.model.rows) and self.export is None)
        self.clear_button.setEnabled(bool(self.model.rows) or filtered)

    def _on_projects(self, projects: list[ProjectSummary]) -> None:
        chosen = self._project()
        names = {project.id for project in projects}
        if chosen:  # it may have been removed; its log entries remain
            names.add(chosen)
        self.project_box.clear()
        self.project_box.addItems([self.tr("All projects"), *sorted(names, key=str.casefold)])
        self.project_box.setCurrentIndex(
            self.project_box.findText(chosen, Qt.MatchFlag.MatchExactly | Qt.MatchFlag.MatchCaseSensitive)
            if chosen
            else 0
        )

    def _project(self) -> str:
        return self.project_box.currentText() if self.project_box.currentIndex() > 0 else ""

    def _on_access_log_setting(self, enabled: bool) -> None:
        if enabled:
            self.off_banner.hide()
            return
        self.off_banner.show_message(
            self.tr("The access log is switched off in the settings."),
            action=(self.tr("Open &Settings"), lambda: self.context.open_page.emit("settings", {})),
            closable=False,
        )

    # -- export and clear ----------------------------------------------------------------------------------------

    def _choose_file(self) -> None:
        folder = QStandardPaths.writableLocation(QStandardPaths.StandardLocation.DocumentsLocation)
        file = Path(folder) / self.tr("CiteLoom activity.csv")
        title, kinds = self.tr("Export as CSV"), self.tr("Table (*.csv)")
        save_file(self, title, lambda name: self.export_to(Path(name)), file, kinds=kinds, overwrite=True)

    def _on_counted(self, count: int) -> None:
        self.banner.show_message(
            self.tr("Exporting: {count} entries so far …").format(count=number(count)),
            action=(self.tr("&Stop"), self._stop_export),
            closable=False,
        )

    def _on_exported(self, count: int, file: Path) -> None:
        self._end_export()
        self.banner.show_message(self.tr("Exported {count} entries to {file}.").format(count=number(count), file=file))

    def _on_export_failed(self, error: CiteLoomError) -> None:
        self._end_export()
        self.banner.show_error(error)

    def _stop_export(self) -> None:
        if self.export:
            self.export.stop()
        self._end_export()
        self.banner.show_message(self.tr("The export was stopped; nothing was written."))

    def _end_export(self) -> None:
        if self.export:
            self.export.deleteLater()
        self.export = None
        self.export_button.setEnabled(True)

    def _confirm_clear(self) -> None:
        self.question = ask_confirmation(
            self,
            self.tr("Clear the log"),
            self.tr("Delete the log of all projects? This cannot be undone."),
            self.tr("Clear the log"),
            lambda: self.context.tasks.send(
                self, ClearAccessLog(), done=self._on_cleared, failed=self.banner.show_error
            ),
        )

    def _on_cleared(self, count: int) -> None:
        self.model.reload()
        self.banner.show_message(self.tr("The log was cleared: {count} entries.").format(count=number(count)))
