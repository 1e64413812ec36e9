"""Frames for running jobs, with progress and a stop button: `JobFrame` for one job, `JobStrip` for those of a project.

Used by the pages projects, activity and settings, and by the assistant.
"""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QPalette, QResizeEvent
from PySide6.QtWidgets import QFrame, QLabel, QProgressBar, QSizePolicy

from citeloom.api.engine import CancelJob
from citeloom.core.errors import CiteLoomError
from citeloom.core.jobs import RunningJob
from citeloom.core.text.sanitize import clean
from citeloom.desktop.shell.page import PageContext
from citeloom.desktop.text import job_text
from citeloom.desktop.widgets import basics
from citeloom.desktop.widgets.layout import Part, column, row

_STEPS = 1000
_THIN = 8  # pixels; the bar has no text


class ElidedLabel(QLabel):
    """Label with one line of muted text, elided in the middle."""

    def __init__(self) -> None:
        super().__init__(textFormat=Qt.TextFormat.PlainText)
        self.setForegroundRole(QPalette.ColorRole.PlaceholderText)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self._text = ""

    def show_message(self, text: str) -> None:
        """Show a text."""
        self._text = text = clean(text)
        self.setToolTip(basics.tip(text))
        self.setAccessibleName(text)
        self.setText(self.fontMetrics().elidedText(text, Qt.TextElideMode.ElideMiddle, self.width()))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.show_message(self._text)


class JobFrame(QFrame):
    """Frame of a job: the lines of a subclass, its progress bar, its current file and a stop button."""

    def __init__(self, *lines: Part) -> None:
        super().__init__()
        self.setFrameShape(QFrame.Shape.StyledPanel)
        self.file = ElidedLabel()
        self.bar = basics.named(QProgressBar(textVisible=False), self.tr("How much is done"))
        self.bar.setFixedHeight(_THIN)
        self.stop_button = basics.button(self.tr("S&top"), self._stop, icon_name="close")
        row((column(*lines, self.bar, self.file), 1), self.stop_button, of=self, margins=None)

    def show_progress(self, job: RunningJob) -> None:
        """Show the progress of a job and what stopping it does."""
        share = job.share
        waits = job.state in ("queued", "parked", "paused")
        # An empty range makes Qt show a busy indicator.
        self.bar.setRange(0, _STEPS if share is not None or waits else 0)
        self.bar.setValue(round(_STEPS * (share or 0.0)))
        self.file.show_message(basics.one_line(job_text.file_text(job)))
        self.stop_button.setToolTip(job_text.stop_text(job.kind))

    def _stop(self) -> None:
        raise NotImplementedError


class JobStrip(JobFrame):
    """Progress of the jobs of a project, or of those without one; hidden while there are none."""

    failed = Signal(object)  # a CiteLoomError

    def __init__(self, context: PageContext) -> None:
        self.stage = basics.text()
        self.time_left = basics.text(muted=True)
        self.time_left.setWordWrap(False)
        super().__init__(row((self.stage, 1), self.time_left))
        self._context = context
        self._project: str | None = None
        self._stopping: set[str] = set()  # ids of jobs being stopped; the current file is finished first
        self.hide()
        context.engine_status.changed.connect(self._show)

    def follow(self, project: str | None) -> None:
        """Show the jobs of a project, or with "" those without a project."""
        self._project = project
        self._show()

    def jobs(self) -> list[RunningJob]:
        """Return the jobs of the project, the active one first."""
        jobs = [job for job in self._context.engine_status.current.jobs.values() if job.project == self._project]
        return sorted(jobs, key=lambda job: not job.stage)

    def _show(self) -> None:
        jobs = self.jobs()
        self.setVisible(bool(jobs))
        self._stopping &= set(self._context.engine_status.current.jobs)
        if not jobs:
            return
        job = jobs[0]
        self.stop_button.setEnabled(any(one.job_id not in self._stopping for one in jobs))
        self.stage.setText(job_text.progress_text(job))
        self.time_left.setText(job_text.time_left(job))
        self.show_progress(job)
        self.file.setVisible(bool(job.file) or (job.counts_documents and not job.waits_for))

    def _stop(self) -> None:
        for job in self.jobs():
            self._stopping.add(job.job_id)
            cancel = CancelJob(job_id=job.job_id)
            self._context.tasks.send(self, cancel, failed=partial(self._not_stopped, job.job_id))
        self._show()

    def _not_stopped(self, job_id: str, error: CiteLoomError) -> None:
        self._stopping.discard(job_id)
        self._show()
        self.failed.emit(error)
