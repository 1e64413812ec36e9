"""What is being read into a project now, how far it has come, and a way to stop it."""

from __future__ import annotations

from functools import partial
from typing import Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QPalette, QResizeEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QProgressBar, QSizePolicy, QVBoxLayout

from citeloom.desktop import kit
from citeloom.desktop.desk import Desk
from citeloom.desktop.projects import words
from citeloom.errors import CiteLoomError

_STEPS = 1000
_THIN = 8  # pixels; there is no text in the bar


class _Elided(QLabel):
    """One line of muted text that is cut off in its middle where it is too long."""

    def __init__(self) -> None:
        super().__init__(textFormat=Qt.TextFormat.PlainText)
        self.setForegroundRole(QPalette.ColorRole.PlaceholderText)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self._words = ""

    def say(self, words_: str) -> None:
        self._words = words_
        self.setToolTip(kit.tip(words_))
        self.setAccessibleName(words_)
        self.setText(self.fontMetrics().elidedText(words_, Qt.TextElideMode.ElideMiddle, self.width()))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.say(self._words)


class JobStrip(QFrame):
    """A bar for the imports of one project; hidden while there are none."""

    failed = Signal(object)  # a CiteLoomError

    def __init__(self, desk: Desk) -> None:
        super().__init__()
        self._desk = desk
        self._project = ""
        self._stopping: set[str] = set()  # imports; what is being read is finished first
        self.setFrameShape(QFrame.Shape.StyledPanel)
        self.what = kit.text()
        self.file = _Elided()
        self.left = kit.text(muted=True)
        self.left.setWordWrap(False)
        self.bar = QProgressBar(textVisible=False)
        self.bar.setFixedHeight(_THIN)
        self.bar.setAccessibleName(self.tr("How much has been read"))
        self.stop_button = kit.button(self.tr("S&top"), self._stop, icon_name="close")
        above = QHBoxLayout()
        above.addWidget(self.what, 1)
        above.addWidget(self.left)
        lines = QVBoxLayout()
        lines.addLayout(above)
        lines.addWidget(self.bar)
        lines.addWidget(self.file)
        row = QHBoxLayout(self)
        row.addLayout(lines, 1)
        row.addWidget(self.stop_button)
        self.hide()
        desk.overview.changed.connect(self._show)

    def follow(self, project: str) -> None:
        """Show the imports of this project from now on."""
        self._project = project
        self._show()

    def jobs(self) -> list[dict[str, Any]]:
        """The project's imports under way, the one at work first."""
        jobs = [job for job in self._desk.overview.now.jobs.values() if job.get("project") == self._project]
        return sorted(jobs, key=lambda job: not job.get("stage"))

    def _show(self) -> None:
        jobs = self.jobs()
        self.setVisible(bool(jobs))
        self._stopping &= set(self._desk.overview.now.jobs)
        if not jobs:
            return
        job = jobs[0]
        self.stop_button.setEnabled(any(one["job_id"] not in self._stopping for one in jobs))
        self.what.setText(words.progress_words(job))
        self.file.say(words.one_line(words.file_words(job)))
        self.left.setText(words.time_left(job))
        total = int(job.get("total") or 0)
        steps = int(job.get("searchable") or 0) + int(job.get("done") or 0)
        self.bar.setRange(0, _STEPS if total else 0)
        if total:
            self.bar.setValue(min(_STEPS, _STEPS * steps // (2 * total)))

    def _stop(self) -> None:
        for job in self.jobs():
            asked = {"job_id": job["job_id"]}
            self._stopping.add(job["job_id"])
            self._desk.link.ask(self, "cancel", asked, failed=partial(self._not_stopped, job["job_id"]))
        self._show()

    def _not_stopped(self, job_id: str, error: CiteLoomError) -> None:
        self._stopping.discard(job_id)
        self._show()
        self.failed.emit(error)
