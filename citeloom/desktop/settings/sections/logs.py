"""The section Logs: a check of the installation, and the last lines of the log files."""

from __future__ import annotations

import os
from pathlib import Path

from PySide6.QtGui import QTextCursor
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QLabel

from citeloom.api.maintenance import CheckUp, CheckUpResult, Finding
from citeloom.core import paths
from citeloom.core.errors import CiteLoomError, Code
from citeloom.desktop.settings.section import Section
from citeloom.desktop.settings.settings_model import SettingsFileModel
from citeloom.desktop.shell.engine_tasks import Task
from citeloom.desktop.shell.page import PageContext
from citeloom.desktop.widgets import basics
from citeloom.desktop.widgets.code_view import CodeView
from citeloom.desktop.widgets.table import Column, RowsModel, Table

_LINES, _BYTES = 300, 100_000  # read from the end of a log


class LogsSection(Section):
    """Tools for troubleshooting: the check and the log files."""

    name = "logs"
    wide = True

    def __init__(self, context: PageContext, settings_file: SettingsFileModel, banner: basics.Banner) -> None:
        super().__init__(context, settings_file, banner)
        self._reading: Task | None = None
        self.check_button = basics.button(self.tr("&Run the check-up"), self._check, icon_name="check")
        self.status = basics.text(
            self.tr("Looks at every part of CiteLoom and says how to mend what is not well."), muted=True
        )
        self.findings = RowsModel[Finding](
            (
                Column(self.tr("Part"), lambda finding: finding.part, 22),
                Column(self.tr("State"), self._state, 13, firm=True),
                Column(self.tr("Seen"), lambda finding: finding.seen, 0),
            ),
            "part",
            self,
        )
        self.table = Table(self.findings, self.tr("What the check-up found"))
        self.table.setMinimumHeight(self.table.verticalHeader().defaultSectionSize() * 7)
        self.finding = basics.text()
        for part in (self.table, self.finding):
            part.hide()
        self.table.selectionModel().selectionChanged.connect(lambda *_: self._on_chosen())
        self.which = QComboBox()
        self.which.addItem(self.tr("Engine"), paths.engine_log())
        self.which.addItem(self.tr("App"), paths.app_log())
        self.which.setAccessibleName(self.tr("Whose log"))
        self.which.view().setAccessibleName(self.tr("Whose log"))
        self.which.currentIndexChanged.connect(lambda _: self._read())
        self.path = basics.text(muted=True)
        self.again_button = basics.button(self.tr("&Look again"), self._read, icon_name="retry")
        self.open_button = basics.button(
            self.tr("&Open the folder"), lambda: self.open_place(Path(paths.folders().logs)), icon_name="folder"
        )
        self.view = CodeView(self.tr("The last lines of the log"))
        self._lay_out()

    def title(self) -> str:
        return self.tr("Logs")

    def shown(self) -> None:
        self._read()

    def _lay_out(self) -> None:
        check = QHBoxLayout()
        check.addWidget(self.check_button)
        check.addWidget(self.status, 1)
        self.inside.addLayout(check)
        self.inside.addWidget(self.table, 2)
        self.inside.addWidget(self.finding)
        self.inside.addSpacing(basics.GAP)
        label = QLabel(self.tr("Log of &the"))
        label.setBuddy(self.which)
        row = QHBoxLayout()
        row.addWidget(label)
        row.addWidget(self.which)
        row.addStretch(1)
        row.addWidget(self.again_button)
        row.addWidget(self.open_button)
        self.inside.addLayout(row)
        self.inside.addWidget(self.view, 3)
        self.inside.addWidget(self.path)

    # -- the check-up ----------------------------------------------------------------------------------------------

    def _check(self) -> None:
        self.check_button.setEnabled(False)
        self.status.setText(self.tr("Looking at every part …"))
        self.send(CheckUp(), done=self._on_checked, failed=self._on_not_checked)

    def _on_checked(self, result: CheckUpResult) -> None:
        findings = result.findings
        self.check_button.setEnabled(True)
        wrong = sum(not one.ok for one in findings)
        self.status.setText(
            self.tr("{count} of {all} parts need you.").format(
                count=basics.number(wrong), all=basics.number(len(findings))
            )
            if wrong
            else self.tr("Every part works, but some papers could not be read.")
            if any(one.note for one in findings)
            else self.tr("All is well.")
        )
        self.findings.set_rows(sorted(findings, key=lambda one: (one.ok, not one.note)))
        self.table.show()
        self.finding.show()
        self.table.selectRow(0)
        self._on_chosen()

    def _on_not_checked(self, error: CiteLoomError) -> None:
        self.check_button.setEnabled(True)
        self.status.setText(str(error))

    def _state(self, finding: Finding) -> str:
        if finding.note:
            return self.tr("to know")
        return self.tr("well") if finding.ok else self.tr("needs you")

    def _on_chosen(self) -> None:
        chosen = self.table.chosen()
        self.finding.setText("\n".join(filter(None, (chosen.seen, chosen.next_step))) if chosen else "")

    # -- the logs --------------------------------------------------------------------------------------------------

    def _read(self) -> None:
        if self._reading:
            self._reading.drop()
        file = Path(str(self.which.currentData()))
        self.path.setText(str(file))
        self._reading = self.context.tasks.run(
            self, lambda report: last_lines(file), done=self._on_lines, failed=self.banner.show_error
        )

    def _on_lines(self, text: str) -> None:
        self.view.show_text(text or self.tr("Nothing has been written there yet."))
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
            "Open its folder and look there.",
        ) from error
    if size > _BYTES:
        lines = lines[1:]  # the first one is incomplete
    return "\n".join(lines[-_LINES:])
