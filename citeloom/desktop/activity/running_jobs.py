"""Cards of the running jobs with their progress."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtWidgets import QFrame, QProgressBar, QScrollArea, QSizePolicy, QWidget

from citeloom.core.jobs import RunningJob
from citeloom.desktop.library.job_strip import Elided
from citeloom.desktop.text import job_text
from citeloom.desktop.widgets.basics import GAP, button, number, text
from citeloom.desktop.widgets.layout import column, row

_MAX_CARDS = 5  # the others are only counted
_STEPS = 1000


class JobCard(QFrame):
    """Card of a running job."""

    stopped = Signal(str)

    def __init__(self, job: RunningJob) -> None:
        super().__init__()
        self.setFrameShape(QFrame.Shape.StyledPanel)
        self._id = job.job_id
        self.name = text(bold=True)
        self.message = text()
        self.file = Elided()
        self.bar = QProgressBar(textVisible=False)
        self.bar.setMaximumHeight(round(self.fontMetrics().height() * 0.6))
        self.stop_button = button(self.tr("Stop"), self._stop, icon_name="close")
        row((column(self.name, self.message, self.bar, self.file), 1), self.stop_button, of=self, margins=None)
        self.show_job(job)

    def show_job(self, job: RunningJob) -> None:
        """Show the progress of the job."""
        title = job_text.title(job.kind, job.project)
        self.name.setText(f"{title} · {job.source}" if job.source else title)
        self.message.setText(" – ".join(filter(None, (job_text.stage_text(job), job_text.progress_text(job)))))
        self.file.show_message(job_text.file_text(job))
        self.file.setVisible(bool(job.file))
        waits = job.state in ("queued", "parked", "paused")
        share = job_text.share(job)
        # An empty range makes Qt show a busy indicator.
        self.bar.setRange(0, _STEPS if share is not None or waits else 0)
        self.bar.setValue(round((share or 0.0) * _STEPS))
        self.bar.setAccessibleName(self.tr("Progress: {job}").format(job=title))
        self.stop_button.setToolTip(job_text.stop_text(job.kind))
        if self.stop_button.isEnabled():
            self.stop_button.setAccessibleName(self.tr("Stop: {job}").format(job=title))

    def enable_stop(self) -> None:
        """Enable the button again after stopping failed."""
        self.stop_button.setEnabled(True)
        self.stop_button.setText(self.tr("Stop"))

    def _stop(self) -> None:
        self.stop_button.setEnabled(False)
        self.stop_button.setText(self.tr("Stopping …"))
        self.stopped.emit(self._id)


class Running(QScrollArea):
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
