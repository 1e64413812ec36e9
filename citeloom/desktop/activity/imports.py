"""Running jobs, and the table of past imports with their results."""

from __future__ import annotations

from functools import partial
from typing import Any

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtWidgets import QFrame, QScrollArea, QSizePolicy, QWidget

from citeloom.api.activity import JobList, ListJobs, PastJob
from citeloom.api.engine import CancelJob
from citeloom.api.events import Event, JobFinished
from citeloom.core.errors import CiteLoomError
from citeloom.core.jobs import RunningJob
from citeloom.desktop.activity.rich_text import Paragraph, RichTextView
from citeloom.desktop.library.job_strip import JobFrame
from citeloom.desktop.shell.engine_tasks import Task
from citeloom.desktop.shell.page import PageContext
from citeloom.desktop.text import job_text
from citeloom.desktop.text.activity_text import result_text, source_text
from citeloom.desktop.widgets.basics import GAP, Banner, EmptyState, button, number, tab_order, text, time_text
from citeloom.desktop.widgets.layout import Stretch, column, row, splitter, stack
from citeloom.desktop.widgets.table import Column, RowsModel, Table

_MAX_CARDS = 5  # the others are only counted
RECENT, ALL = 50, 500  # imports to request; the engine stores no more


class JobCard(JobFrame):
    """Card of a running job."""

    stopped = Signal(str)

    def __init__(self, job: RunningJob) -> None:
        self.name, self.message = text(bold=True), text()
        super().__init__(self.name, self.message)
        self._id = job.job_id
        self.enable_stop()
        self.show_job(job)

    def show_job(self, job: RunningJob) -> None:
        """Show the progress of the job."""
        title = job_text.title(job.kind, job.project)
        self.name.setText(f"{title} · {job.source}" if job.source else title)
        self.message.setText(" · ".join(filter(None, (job_text.progress_text(job), job_text.time_left(job)))))
        self.show_progress(job)
        self.file.setVisible(bool(job.file))
        self.bar.setAccessibleName(self.tr("Progress: {job}").format(job=title))
        if self.stop_button.isEnabled():
            self.stop_button.setAccessibleName(self.tr("Stop: {job}").format(job=title))

    def enable_stop(self) -> None:
        """Enable the button, also again after stopping failed. No mnemonic: there may be several cards."""
        self.stop_button.setEnabled(True)
        self.stop_button.setText(self.tr("Stop"))

    def _stop(self) -> None:
        self.stop_button.setEnabled(False)
        self.stop_button.setText(self.tr("Stopping …"))
        self.stopped.emit(self._id)


class RunningJobs(QScrollArea):
    """Scrollable list of the first running jobs, with the number of the others."""

    stopped = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self.jobs: dict[str, JobCard] = {}
        self.more = text(muted=True)
        self._content = QWidget()
        self.setWidget(self._content)
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Maximum)
        self._layout = column(self.more, of=self._content, spacing=GAP // 2)

    def sizeHint(self) -> QSize:
        return self._content.sizeHint()  # Qt's own hint does not follow the number of cards

    def show_jobs(self, jobs: dict[str, RunningJob]) -> None:
        """Update the cards; existing ones keep their place."""
        for finished in [key for key in self.jobs if key not in jobs]:
            self.jobs.pop(finished).deleteLater()
        for key, job in jobs.items():
            if key in self.jobs:
                self.jobs[key].show_job(job)
            elif len(self.jobs) < _MAX_CARDS:
                card = self.jobs[key] = JobCard(job)
                card.stopped.connect(self.stopped)
                self._layout.insertWidget(self._layout.count() - 1, card)
        waiting = len(jobs) - len(self.jobs)
        self.more.setText(self.tr("Waiting: {count}").format(count=number(waiting)))
        self.more.setVisible(waiting > 0)
        self.setVisible(bool(jobs))
        self.updateGeometry()


class ImportsTab(QWidget):
    """Shows running jobs and past imports."""

    counted = Signal(int)  # number of running jobs

    def __init__(self, context: PageContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.context = context
        self._task: Task | None = None
        self._limit = RECENT
        self.banner = Banner()
        self.running = RunningJobs()
        self.model = RowsModel[PastJob](
            "job_id",
            Column(self.tr("Finished"), lambda row: time_text(row.finished_at), 17, fixed=True),
            Column(self.tr("Project"), lambda row: row.project, 16),
            Column(self.tr("Source"), source_text, 0),
            Column(self.tr("Outcome"), result_text, 20),
            Column(self.tr("Read"), partial(_count, "documents_processed"), 8, number=True, fixed=True),
            Column(self.tr("Not read"), partial(_count, "failed"), 10, number=True, fixed=True),
        )
        self.table = Table(self.model, self.tr("Past imports, newest first"))
        self.details = RichTextView(self.tr("Result of the selected import"))
        self.details.setPlaceholderText(self.tr("Select an import to see its result."))
        self.papers_button = button(self.tr("Show the &papers"), self._show_papers, icon_name="projects")
        self.older_button = button(self.tr("Show &older imports"), self._show_older, icon_name="down")
        self.empty = EmptyState(
            "projects",
            self.tr("Nothing has been imported yet"),
            self.tr("Create a project from the collections or folders that you work with."),
            [(self.tr("Go to the &projects"), lambda: context.open_page.emit("projects", {}))],
        )
        self._lay_out()
        self.table.selectionModel().selectionChanged.connect(lambda *_: self._on_selection())
        self.running.stopped.connect(self._stop)
        context.engine_status.changed.connect(self._on_engine_status)
        context.tasks.event_received.connect(self._on_event)
        self._on_engine_status()
        self._on_selection()

    def refresh(self) -> None:
        """Load the past imports."""
        request, failed = ListJobs(limit=self._limit), self.banner.load_failed
        self._task = self.context.tasks.send(self, request, done=self._on_jobs, failed=failed, replaces=self._task)

    def _lay_out(self) -> None:
        jobs = splitter((self.table, 260), (self.details, 200), vertical=True)
        past = QWidget()
        column((jobs, 1), row(self.older_button, Stretch(), self.papers_button), of=past, spacing=GAP)
        self.stack = stack(self.empty, past)
        self.running_title = text(self.tr("In progress"), bold=True)
        self.past_title = text(self.tr("Past imports"), bold=True)
        column(
            self.banner,
            self.running_title,
            self.running,
            self.past_title,
            (self.stack, 1),
            Stretch(),  # keeps running jobs at the top while there are no past imports
            of=self,
            margins=(0, GAP, 0, 0),
            spacing=GAP,
        )
        tab_order(self.table, self.details, self.older_button, self.papers_button)

    def _on_jobs(self, jobs: JobList) -> None:
        self._task = None
        self.banner.load_succeeded()
        self.model.set_rows(jobs.past)
        self.older_button.setVisible(len(jobs.past) == RECENT == self._limit)
        self._arrange()

    def _on_event(self, event: Event) -> None:
        if isinstance(event, JobFinished) and self.isVisible():
            self.refresh()

    def _on_engine_status(self) -> None:
        jobs = self.context.engine_status.current.jobs
        self.counted.emit(len(jobs))
        if self.isVisible() or not jobs:
            self.running.show_jobs(jobs)
            self._arrange()

    def showEvent(self, event: Any) -> None:
        super().showEvent(event)
        self.running.show_jobs(self.context.engine_status.current.jobs)
        self._arrange()

    def _arrange(self) -> None:
        busy = bool(self.context.engine_status.current.jobs)
        self.running_title.setVisible(busy)
        self.past_title.setVisible(busy and bool(self.model.rows))
        self.stack.setVisible(not busy or bool(self.model.rows))
        self.stack.setCurrentIndex(1 if self.model.rows else 0)

    def _on_selection(self) -> None:
        row = self.table.chosen()
        self.papers_button.setEnabled(bool(row and row.project))  # a backup has no project
        self.details.write(self._result_paragraphs(row) if row else [])

    def _show_papers(self) -> None:
        if row := self.table.chosen():
            self.context.open_page.emit("projects", {"project": row.project})

    def _show_older(self) -> None:
        self._limit = ALL
        self.refresh()

    def _stop(self, job_id: str) -> None:
        self.context.tasks.send(
            self, CancelJob(job_id=job_id), failed=lambda error: self._on_not_stopped(job_id, error)
        )

    def _on_not_stopped(self, job_id: str, error: CiteLoomError) -> None:
        if card := self.running.jobs.get(job_id):
            card.enable_stop()
        self.banner.show_error(error)

    def _result_paragraphs(self, job: PastJob) -> list[Paragraph]:
        """Return the result of an import: the counts, then each file that could not be read and why."""
        result = job.result
        parts = [Paragraph(f"{job_text.title(job.kind, job.project)} · {result_text(job)}", bold=True)]
        if job.error:
            parts.append(Paragraph(str(job.error.get("message", ""))))
        elif job.state == "done" and (message := job_text.result_text(job.kind, result)):
            parts.append(Paragraph(message))
        if counts := self._counts(result):
            parts.append(Paragraph(counts, muted=True))
        if result.get("held_back"):
            message = self.tr("Papers that are no longer in their source and are kept until you decide: {count}.")
            parts.append(Paragraph(message.format(count=number(result["held_back"]))))
        for error in result.get("errors") or []:
            parts += [Paragraph(str(error["source"]), bold=True, new=True), Paragraph(str(error["reason"]))]
        for place, warning in enumerate(result.get("warnings") or []):
            parts.append(Paragraph(str(warning), new=not place))
        return parts

    def _counts(self, result: dict[str, Any]) -> str:
        named = (
            ("new", self.tr("New: {count}")),
            ("replaced", self.tr("Read again: {count}")),
            ("updated", self.tr("Record changed: {count}")),
            ("skipped", self.tr("Unchanged: {count}")),
            ("removed", self.tr("Removed: {count}")),
            ("without_file", self.tr("Without a file: {count}")),
            ("failed", self.tr("Could not be read: {count}")),
            ("pages_processed", self.tr("Pages: {count}")),
            ("chunks_written", self.tr("Passages written: {count}")),
        )
        return " · ".join(message.format(count=number(result[key])) for key, message in named if result.get(key))


def _count(name: str, job: PastJob) -> str:
    return number(int(job.result.get(name) or 0))
