"""The section Logs: a check of the installation, and the last lines of the log files."""

from __future__ import annotations

import os
from pathlib import Path

from PySide6.QtGui import QTextCursor
from PySide6.QtWidgets import QComboBox

from citeloom.api.maintenance import CheckUp, HealthFinding
from citeloom.core import paths
from citeloom.core.errors import CiteLoomError, Code
from citeloom.desktop.settings.section import Section
from citeloom.desktop.shell.engine_tasks import Task
from citeloom.desktop.widgets import basics
from citeloom.desktop.widgets.code_view import CodeView
from citeloom.desktop.widgets.layout import Stretch, add, row
from citeloom.desktop.widgets.table import Column, RowsModel, Table

_LINES, _BYTES = 300, 100_000  # read from the end of a log


class LogsSection(Section):
    """Tools for troubleshooting: the check and the log files."""

    name = "logs"
    wide = True

    def title(self) -> str:
        return self.tr("Logs")

    def _build(self) -> None:
        self._reading: Task | None = None
        self.check_button = basics.button(self.tr("&Run the check-up"), self._check, icon_name="check")
        self.status = basics.text(self.tr("Checks every part of CiteLoom and says how to fix problems."), muted=True)
        self.findings = RowsModel[HealthFinding](
            "part",
            Column(self.tr("Part"), lambda finding: finding.part, 22),
            Column(self.tr("State"), self._state, 13, fixed=True),
            Column(self.tr("Result"), lambda finding: finding.seen, 0),
        )
        self.table = Table(self.findings, self.tr("What the check-up found"))
        self.table.setMinimumHeight(self.table.verticalHeader().defaultSectionSize() * 7)
        self.finding = basics.text()
        for part in (self.table, self.finding):
            part.hide()
        self.table.selectionModel().selectionChanged.connect(lambda *_: self._on_selection())
        self.which = QComboBox()
        self.which.addItem(self.tr("Engine"), paths.engine_log())
        self.which.addItem(self.tr("App"), paths.app_log())
        for box in (self.which, self.which.view()):
            box.setAccessibleName(self.tr("Log to show"))
        self.which.currentIndexChanged.connect(lambda _: self._read())
        self.path = basics.text(muted=True)
        self.again_button = basics.button(self.tr("Re&fresh"), self._read, icon_name="retry")
        self.open_button = basics.button(
            self.tr("&Open the folder"), lambda: self.open_folder(Path(paths.folders().logs)), icon_name="folder"
        )
        self.view = CodeView(self.tr("The last lines of the log"))
        add(
            self.inside,
            row(self.check_button, (self.status, 1)),
            (self.table, 2),
            self.finding,
            basics.GAP,
            row(
                basics.label_for(self.tr("&Log"), self.which),
                self.which,
                Stretch(1),
                self.again_button,
                self.open_button,
            ),
            (self.view, 3),
            self.path,
        )

    def shown(self) -> None:
        self._read()

    # -- the check-up ----------------------------------------------------------------------------------------------

    def _check(self) -> None:
        self.check_button.setEnabled(False)
        self.status.setText(self.tr("Checking every part …"))

        def failed(error: CiteLoomError) -> None:
            self.check_button.setEnabled(True)
            self.status.setText(str(error))

        self.send(CheckUp(), done=self._on_checked, failed=failed)

    def _on_checked(self, findings: list[HealthFinding]) -> None:
        self.check_button.setEnabled(True)
        if wrong := sum(not one.ok for one in findings):
            text = self.tr("{count} of {all} parts need attention.")
            self.status.setText(text.format(count=basics.number(wrong), all=basics.number(len(findings))))
        elif any(one.note for one in findings):
            self.status.setText(self.tr("Every part works, but some papers could not be read."))
        else:
            self.status.setText(self.tr("Everything works."))
        self.findings.set_rows(sorted(findings, key=lambda one: (one.ok, not one.note)))
        self.table.show()
        self.finding.show()
        self.table.selectRow(0)
        self._on_selection()

    def _state(self, finding: HealthFinding) -> str:
        if finding.note:
            return self.tr("note")
        return self.tr("works") if finding.ok else self.tr("needs attention")

    def _on_selection(self) -> None:
        chosen = self.table.chosen()
        self.finding.setText("\n".join(filter(None, (chosen.seen, chosen.next_step))) if chosen else "")

    # -- the logs --------------------------------------------------------------------------------------------------

    def _read(self) -> None:
        file = Path(str(self.which.currentData()))
        self.path.setText(str(file))
        failed, before = self.banner.show_error, self._reading
        self._reading = self.context.tasks.run(
            self, lambda: last_lines(file), done=self._on_lines, failed=failed, replaces=before
        )

    def _on_lines(self, text: str) -> None:
        self.view.show_text(text or self.tr("Nothing has been logged yet."))
        self.view.moveCursor(QTextCursor.MoveOperation.End)
        self.view.moveCursor(QTextCursor.MoveOperation.StartOfLine)


def last_lines(file: Path) -> str:
    """Return the last lines of a log, "" if it does not exist."""
    try:
        with file.open("rb") as opened:
            size = opened.seek(0, os.SEEK_END)
            opened.seek(max(0, size - _BYTES))
            lines = opened.read().decode("utf-8", "replace").splitlines()
    except FileNotFoundError:
        return ""
    except OSError as error:
        raise CiteLoomError(
            Code.PERMISSION_DENIED,
            f"The log {file} cannot be read: {error.strerror}.",
            "Open its folder and check its permissions.",
        ) from error
    if size > _BYTES:
        lines = lines[1:]  # the first one is incomplete
    return "\n".join(lines[-_LINES:])
