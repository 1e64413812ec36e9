"""Backups: everything that CiteLoom knows in one file, and back again."""

from __future__ import annotations

from datetime import date
from functools import partial
from pathlib import Path
from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFileDialog, QHBoxLayout, QMessageBox, QVBoxLayout, QWidget

from citeloom.api.events import Event, JobFinished
from citeloom.core.errors import CiteLoomError
from citeloom.core.open_file import open_uri
from citeloom.desktop.library.job_strip import JobStrip
from citeloom.desktop.search.empty_states import busy_line
from citeloom.desktop.shell.page import PageContext
from citeloom.desktop.text import job_text
from citeloom.desktop.widgets import basics

_KIND = "backup"
_MOST_SHOWN = 12  # places in the question itself


class Backups(QWidget):
    """Making a backup, and restoring one."""

    def __init__(self, context: PageContext, banner: basics.Banner) -> None:
        super().__init__()
        self._desk, self._banner = context, banner
        self._begun: set[str] = set()  # backups that were begun here
        self.dialog: QFileDialog | None = None
        self.question: QMessageBox | None = None
        self.back_up_button = basics.button(self.tr("&Back up…"), self._ask_file, icon_name="export")
        self.restore_button = basics.button(self.tr("&Restore…"), self._ask_backup, icon_name="undo")
        self.strip = JobStrip(context)
        self.strip.follow("")
        self.busy = busy_line(self.tr("The backup is being unpacked and checked"))
        words = self.tr(
            "One file with your projects, their indexes and the settings, from which all of it can be had again,"
            " also on another computer. Your papers’ files, what was read of them and keys are not in it."
        )
        row = QHBoxLayout()
        row.addWidget(self.back_up_button)
        row.addWidget(self.restore_button)
        row.addStretch(1)
        lines = QVBoxLayout(self)
        lines.setContentsMargins(0, 0, 0, 0)
        lines.setSpacing(basics.GAP)
        lines.addWidget(basics.text(self.tr("Backup"), bold=True))
        lines.addWidget(basics.text(words, muted=True))
        lines.addLayout(row)
        lines.addWidget(self.busy)
        lines.addWidget(self.strip)
        self.strip.failed.connect(banner.say_error)
        context.tasks.event_received.connect(self._on_event)

    # -- making one ------------------------------------------------------------------------------------------------

    def _ask_file(self) -> None:
        self.dialog = self._file_dialog(self.tr("Back up to a file"))
        self.dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        self.dialog.setOption(QFileDialog.Option.DontConfirmOverwrite)  # the engine writes over nothing
        self.dialog.setDefaultSuffix("zip")
        self.dialog.selectFile(str(Path.home() / f"citeloom-{date.today().isoformat()}.zip"))
        self.dialog.fileSelected.connect(self._back_up)
        self.dialog.open()

    def _back_up(self, file: str) -> None:
        def done(answer: dict[str, Any]) -> None:
            self._begun.add(answer["job_id"])

        self._desk.tasks.ask(self, "backup", {"file": file}, done=done, failed=self._banner.say_error)

    def _on_event(self, event: Event) -> None:
        if not isinstance(event, JobFinished) or event.job_id not in self._begun:
            return
        self._begun.discard(event.job_id)
        result = event.result
        if event.error:
            self._banner.say_error(event.error)
        elif event.state == "done":
            words = "\n".join([job_text.end_words(_KIND, result), *result["warnings"]])
            self._banner.say(words, action=self._showing(Path(result["file"]).parent))
        elif event.state == "cancelled":
            self._banner.say(self.tr("Stopped: no backup was made."))

    # -- taking one ------------------------------------------------------------------------------------------------

    def _ask_backup(self) -> None:
        self.dialog = self._file_dialog(self.tr("Restore a backup"))
        self.dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
        self.dialog.fileSelected.connect(self._look_at)
        self.dialog.open()

    def _look_at(self, file: str) -> None:
        self._desk.tasks.ask(self, "restore_look", {"file": file}, done=self._ask_first, failed=self._banner.say_error)

    def _ask_first(self, backup: dict[str, Any]) -> None:
        projects, here = backup["projects"], backup["here"]
        words = [
            self.tr("It was made on {day} and holds {count} projects with {passages} passages.").format(
                day=basics.time_words(backup["made_at"]),
                count=basics.number(len(projects)),
                passages=basics.number(sum(int(one["passages"] or 0) for one in projects)),
            )
        ]
        if here:
            words.append(
                self.tr(
                    "It takes the place of everything that is here now: {count} projects and the settings."
                    " That is not deleted, but put aside into a folder beside it."
                ).format(count=basics.number(len(here)))
            )
        if any(one["was_on"] for one in projects):
            words.append(self.tr("What was on a Qdrant server will lie on this computer."))
        new, other = backup["new_sources"], backup["other_settings"]
        if new:
            places = [f"{one['project']}: {one['path']}" for one in new]
            more = self.tr("and {count} more").format(count=basics.number(len(new) - _MOST_SHOWN))
            words.append(
                "\n".join(
                    [
                        self.tr("Its projects read places that no project here reads yet. Are they yours?"),
                        *places[:_MOST_SHOWN],
                        *([more] if len(new) > _MOST_SHOWN else []),
                    ]
                )
            )
        if other:
            words.append(
                self.tr("These settings of privacy, Zotero and networks stay as they are here: {names}.").format(
                    names=", ".join(str(one["name"]) for one in other)
                )
            )
        words.append(self.tr("Editors are reconnected by themselves."))
        self.question = basics.ask_first(
            self,
            self.tr("Restore {file}?").format(file=Path(backup["file"]).name),
            "\n\n".join(words),
            self.tr("Restore it"),
            partial(self._restore, str(backup["file"]), bool(here), [str(one["path"]) for one in new]),
            details=_listed(self.tr("New to read:"), [f"{one['project']}: {one['path']}" for one in new])
            + _listed(self.tr("In the backup:"), [str(one["id"]) for one in projects])
            + _listed(self.tr("Here now:"), here),
        )

    def _restore(self, file: str, replace: bool, accepted: list[str]) -> None:
        def done(answer: dict[str, Any]) -> None:
            self._set_busy(False)
            words = self.tr("Restored: {count} projects with {passages} passages.").format(
                count=basics.number(len(answer["projects"])), passages=basics.number(answer["passages"])
            )
            aside = answer["aside"]
            if aside:
                words += " " + self.tr("What was here before is in {folder}").format(folder=aside)
            self._banner.say(words, action=self._showing(Path(aside)) if aside else None)

        def failed(error: CiteLoomError) -> None:
            self._set_busy(False)
            self._banner.say_error(error)

        self._set_busy(True)
        asked = {"file": file, "replace": replace, "accepted": accepted}
        self._desk.tasks.ask(self, "restore", asked, done=done, failed=failed)

    def _set_busy(self, busy: bool) -> None:
        self.busy.setVisible(busy)
        for part in (self.back_up_button, self.restore_button):
            part.setEnabled(not busy)

    # -- in common -------------------------------------------------------------------------------------------------

    def _file_dialog(self, title: str) -> QFileDialog:
        dialog = QFileDialog(self, title, str(Path.home()), self.tr("Backups (*.zip)"))
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        return dialog

    def _showing(self, folder: Path) -> basics.Action:
        def show() -> None:
            self._desk.tasks.run(self, lambda tell: open_uri(folder.as_uri()), failed=self._banner.say_error)

        return self.tr("Open the &folder"), show


def _listed(title: str, names: list[str]) -> str:
    return "\n".join([title, *(f"  {name}" for name in names), ""]) if names else ""
