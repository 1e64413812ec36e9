"""Starts imports: a sync with a confirmation before it removes many documents, and imports of files and folders."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject, QStringListModel, Qt, Signal
from PySide6.QtWidgets import (
    QAbstractItemView,
    QDialog,
    QDialogButtonBox,
    QFormLayout,
    QListView,
    QPushButton,
    QWidget,
)

from citeloom.api.importing import Ingest, PreviewSync, SyncPreview
from citeloom.core.errors import CiteLoomError
from citeloom.desktop.library.source_dialogs import resize
from citeloom.desktop.shell.page import PageContext
from citeloom.desktop.widgets import basics
from citeloom.desktop.widgets.layout import column

_MAX_LISTED = 5  # refused files listed with their reasons


class PlanDialog(QDialog):
    """Shows the counts of a planned sync, and the titles of the papers that it would remove."""

    decided = Signal(bool)  # whether they are to be removed

    def __init__(self, parent: QWidget, plan: SyncPreview) -> None:
        super().__init__(parent)
        self.setWindowTitle(self.tr("Before this sync"))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        removed = plan.removed
        text = self.tr("{count} papers of {project} are no longer in their folders or collections.")
        heading = basics.heading(text.format(count=basics.number(len(removed)), project=plan.project))
        hint = self.tr("Has a drive been unplugged, or a folder moved? Then keep them: they stay searchable.")
        counts = QFormLayout()
        for count, label in (
            (len(plan.added), self.tr("To be read")),
            (len(plan.changed), self.tr("To be read again")),
            (len(plan.updated), self.tr("Record changed")),
            (len(plan.without_file), self.tr("Without a file")),
            (len(removed), self.tr("To be removed")),
        ):
            if count:
                counts.addRow(basics.text(label, muted=True), basics.text(basics.number(count)))
        counts.addRow(basics.text(self.tr("Unchanged"), muted=True), basics.text(basics.number(plan.unchanged)))
        self.leaving = basics.named(QListView(), self.tr("Papers that would be removed"))
        self.leaving.setUniformItemSizes(True)
        self.leaving.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        names = [" · ".join(filter(None, (one.citekey, one.title or one.source))) for one in removed]
        self.leaving.setModel(QStringListModel([basics.one_line(name) for name in names], self))
        self.buttons = QDialogButtonBox()
        self.keep = self._button(self.tr("&Keep them"), remove=False)
        self.remove = self._button(self.tr("&Remove them"), remove=True)
        self.buttons.addButton(QDialogButtonBox.StandardButton.Cancel)
        self.buttons.rejected.connect(self.reject)
        self.keep.setDefault(True)
        parts = (heading, basics.text(hint), counts, (self.leaving, 1), self.buttons)
        column(*parts, of=self, margins=None, spacing=basics.GAP)
        resize(self, 70, 26)

    def _button(self, label: str, *, remove: bool) -> QPushButton:
        made = self.buttons.addButton(label, QDialogButtonBox.ButtonRole.ActionRole)
        made.clicked.connect(lambda: self.decided.emit(remove))
        made.clicked.connect(self.accept)
        return made


class ImportStarter(QObject):
    """Starts imports and reports whether they could be started."""

    notice = Signal(str, bool)  # a message, whether it is a problem
    failed = Signal(object)  # a CiteLoomError
    planning = Signal(bool)  # whether a sync is being planned
    started = Signal()  # an import was started

    def __init__(self, context: PageContext, window: QWidget) -> None:
        super().__init__(window)
        self._engine, self._window = context.tasks, window
        self.plan_dialog: PlanDialog | None = None  # the last one shown

    def sync(self, project: str) -> None:
        """Sync a project with its sources; asks before many documents are removed."""
        self.planning.emit(True)
        request = PreviewSync(project=project)
        self._engine.send(self, request, done=partial(self._planned, project), failed=self._not_planned)

    def start(self, project: str, **options: Any) -> None:
        """Import all sources of a project, with options of `Ingest`."""
        request = Ingest(project=project, **options)
        self._engine.send(self, request, done=lambda _: self.started.emit(), failed=self.failed.emit)

    def import_paths(self, project: str, paths: list[str]) -> None:
        """Import files and folders into a project, and report the outcome in one message."""
        self._import_next(project, list(paths), 0, [])

    def _import_next(
        self, project: str, remaining: list[str], accepted: int, refused: list[tuple[str, CiteLoomError]]
    ) -> None:
        if not remaining:
            self._report(accepted, refused)
            return
        path, rest = remaining[0], remaining[1:]
        self._engine.send(
            self,
            Ingest(project=project, source=path),
            done=lambda _: self._import_next(project, rest, accepted + 1, refused),
            failed=lambda error: self._import_next(project, rest, accepted, [*refused, (path, error)]),
        )

    def _report(self, accepted: int, refused: list[tuple[str, CiteLoomError]]) -> None:
        lines = (
            [self.tr("{count} files or folders are being read.").format(count=basics.number(accepted))]
            if accepted
            else []
        )
        for path, error in refused[:_MAX_LISTED]:
            lines.append(self.tr("{file}: {problem}").format(file=Path(path).name or path, problem=str(error)))
        if more := len(refused[_MAX_LISTED:]):
            lines.append(self.tr("{count} more could not be imported.").format(count=basics.number(more)))
        self.notice.emit("\n".join(lines), bool(refused))
        if accepted:
            self.started.emit()

    def _planned(self, project: str, plan: SyncPreview) -> None:
        self.planning.emit(False)
        if plan.problems:
            lines = [self.tr("{file}: {problem}").format(file=p.source, problem=p.reason) for p in plan.problems]
            self.notice.emit("\n".join(lines[:_MAX_LISTED]), True)
        if not plan.needs_confirmation:
            self.start(project)
            return
        self.plan_dialog = PlanDialog(self._window, plan)
        self.plan_dialog.decided.connect(lambda remove: self.start(project, remove_missing=remove))
        self.plan_dialog.open()

    def _not_planned(self, error: CiteLoomError) -> None:
        self.planning.emit(False)
        self.failed.emit(error)
