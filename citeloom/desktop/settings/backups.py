"""Widget that makes and restores backups. Part of the section Data."""

from __future__ import annotations

from datetime import date
from functools import partial
from pathlib import Path

from PySide6.QtWidgets import QFileDialog, QMessageBox, QWidget

from citeloom.api.activity import StartedJob
from citeloom.api.events import Event, JobFinished
from citeloom.api.maintenance import BackupContents, BackupResult, ReadBackup, Restore, RestoreResult, StartBackup
from citeloom.api.verbs import decode
from citeloom.core.errors import CiteLoomError
from citeloom.desktop.library.job_strip import JobStrip
from citeloom.desktop.shell.page import PageContext
from citeloom.desktop.text import job_text
from citeloom.desktop.widgets import basics
from citeloom.desktop.widgets.file_dialogs import choose_file, save_file
from citeloom.desktop.widgets.layout import Stretch, column, row

_KIND = "backup"
_MAX_SHOWN = 12  # sources in the confirmation; the rest is in its details


class Backups(QWidget):
    """Buttons that make and restore a backup, with the progress."""

    def __init__(self, context: PageContext, banner: basics.Banner) -> None:
        super().__init__()
        self._context, self._banner = context, banner
        self._jobs: set[str] = set()  # ids of the backups that were started on this page
        self.dialog: QFileDialog | None = None
        self.question: QMessageBox | None = None
        self.back_up_button = basics.button(self.tr("&Back up…"), self._choose_target, icon_name="export")
        self.restore_button = basics.button(self.tr("&Restore…"), self._choose_backup, icon_name="undo")
        self.strip = JobStrip(context)
        self.strip.follow("")
        self.busy = basics.busy_line(self.tr("The backup is being unpacked and checked"))
        text = self.tr(
            "One file with your projects, their indexes and the settings, which can be restored on this or another"
            " computer. It does not contain the files of your papers, converted documents or keys."
        )
        column(
            basics.text(self.tr("Backup"), bold=True),
            basics.text(text, muted=True),
            row(self.back_up_button, self.restore_button, Stretch(1)),
            self.busy,
            self.strip,
            of=self,
            spacing=basics.GAP,
        )
        self.strip.failed.connect(banner.show_error)
        context.tasks.event_received.connect(self._on_event)

    # -- backup ----------------------------------------------------------------------------------------------------

    def _choose_target(self) -> None:
        file = Path.home() / f"citeloom-{date.today().isoformat()}.zip"
        title, kinds = self.tr("Back up to a file"), self.tr("Backups (*.zip)")
        # The engine refuses to overwrite a file.
        self.dialog = save_file(self, title, self._back_up, file, kinds=kinds, overwrite=False)

    def _back_up(self, file: str) -> None:
        def done(job: StartedJob) -> None:
            self._jobs.add(job.job_id)

        self._context.tasks.send(self, StartBackup(file=file), done=done, failed=self._banner.show_error)

    def _on_event(self, event: Event) -> None:
        if not isinstance(event, JobFinished) or event.job_id not in self._jobs:
            return
        self._jobs.discard(event.job_id)
        if event.error:
            self._banner.show_error(event.error)
        elif event.state == "done":
            result = decode(event.result, BackupResult)
            text = "\n".join([job_text.result_text(_KIND, event.result), *result.warnings])
            self._banner.show_message(text, action=self._folder_action(Path(result.file).parent))
        elif event.state == "cancelled":
            self._banner.show_message(self.tr("Stopped: no backup was made."))

    # -- restore ---------------------------------------------------------------------------------------------------

    def _choose_backup(self) -> None:
        title, kinds = self.tr("Restore a backup"), self.tr("Backups (*.zip)")
        self.dialog = choose_file(self, title, self._read_backup, kinds=kinds, start=str(Path.home()))

    def _read_backup(self, file: str) -> None:
        request = ReadBackup(file=file)
        self._context.tasks.send(self, request, done=self._confirm_restore, failed=self._banner.show_error)

    def _confirm_restore(self, backup: BackupContents) -> None:
        projects, present = backup.projects, backup.present
        text = [
            self.tr("This backup of {day} contains {count} projects with {passages} passages.").format(
                day=basics.time_text(backup.made_at),
                count=basics.number(len(projects)),
                passages=basics.number(sum(one.passages for one in projects)),
            )
        ]
        if present:
            text.append(
                self.tr(
                    "It replaces everything in CiteLoom: {count} projects and the settings."
                    " These are not deleted, but moved to a folder next to the data folder."
                ).format(count=basics.number(len(present)))
            )
        if any(one.was_on for one in projects):
            text.append(self.tr("Indexes from a Qdrant server are restored on this computer."))
        new, other = backup.new_sources, backup.other_settings
        if new:
            sources = [f"{one.project}: {one.path}" for one in new]
            more = self.tr("and {count} more").format(count=basics.number(len(new) - _MAX_SHOWN))
            text.append(
                "\n".join(
                    [
                        self.tr("Its projects read places that no project on this computer reads yet. Are they yours?"),
                        *sources[:_MAX_SHOWN],
                        *([more] if len(new) > _MAX_SHOWN else []),
                    ]
                )
            )
        if other:
            text.append(
                self.tr("These privacy, Zotero and network settings are not changed: {names}.").format(
                    names=", ".join(one.name for one in other)
                )
            )
        text.append(self.tr("Editors reconnect automatically."))
        self.question = basics.ask_confirmation(
            self,
            self.tr("Restore {file}?").format(file=Path(backup.file).name),
            "\n\n".join(text),
            self.tr("Restore it"),
            partial(self._restore, backup.file, bool(present), [one.path for one in new]),
            details=_name_list(self.tr("New sources:"), [f"{one.project}: {one.path}" for one in new])
            + _name_list(self.tr("In the backup:"), [one.id for one in projects])
            + _name_list(self.tr("On this computer:"), present),
        )

    def _restore(self, file: str, replace: bool, accepted: list[str]) -> None:
        def done(result: RestoreResult) -> None:
            self._set_busy(False)
            text = self.tr("Restored: {count} projects with {passages} passages.").format(
                count=basics.number(len(result.projects)), passages=basics.number(result.passages)
            )
            aside = result.replaced_data
            if aside:
                text += " " + self.tr("The previous data is in {folder}").format(folder=aside)
            self._banner.show_message(text, action=self._folder_action(Path(aside)) if aside else None)

        def failed(error: CiteLoomError) -> None:
            self._set_busy(False)
            self._banner.show_error(error)

        self._set_busy(True)
        request = Restore(file=file, replace=replace, accepted=accepted)
        self._context.tasks.send(self, request, done=done, failed=failed)

    def _set_busy(self, busy: bool) -> None:
        self.busy.setVisible(busy)
        for part in (self.back_up_button, self.restore_button):
            part.setEnabled(not busy)

    # -- shared ----------------------------------------------------------------------------------------------------

    def _folder_action(self, folder: Path) -> basics.Action:
        failed = self._banner.show_error
        return self.tr("Open the &folder"), lambda: self._context.tasks.open(self, folder.as_uri(), failed=failed)


def _name_list(title: str, names: list[str]) -> str:
    return "\n".join([title, *(f"  {name}" for name in names), ""]) if names else ""
