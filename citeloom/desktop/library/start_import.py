"""Having the engine read: a sync that asks before it removes much, and files and folders one after the other."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from citeloom.api.importing import Ingest, PreviewSync, SyncPreview
from citeloom.core.errors import CiteLoomError
from citeloom.desktop.library.plan_dialog import PlanDialog
from citeloom.desktop.shell.page import PageContext
from citeloom.desktop.widgets import basics

_TOLD = 5  # of the files that could not be taken, with their reasons


class Importing(QObject):
    """Starts imports and says what came of starting them."""

    notice = Signal(str, bool)  # what there is to tell, whether something is wrong
    failed = Signal(object)  # a CiteLoomError
    planning = Signal(bool)  # whether the plan of a sync is being made
    started = Signal()  # an import was taken

    def __init__(self, context: PageContext, window: QWidget) -> None:
        super().__init__(window)
        self._link, self._window = context.tasks, window
        self.plan_dialog: PlanDialog | None = None  # the last one shown

    def sync(self, project: str) -> None:
        """Bring a project in step with what it reads; before much is removed, a person is asked."""
        self.planning.emit(True)
        request = PreviewSync(project=project)
        self._link.send(self, request, done=partial(self._planned, project), failed=self._not_planned)

    def read(self, project: str, **options: Any) -> None:
        """Read all that a project reads, with options of `Ingest`."""
        request = Ingest(project=project, **options)
        self._link.send(self, request, done=lambda _: self.started.emit(), failed=self.failed.emit)

    def take(self, project: str, places: list[str]) -> None:
        """Read files and folders into a project, and say in one message what became of them."""
        self._take_next(project, list(places), 0, [])

    def _take_next(self, project: str, left: list[str], taken: int, refused: list[tuple[str, CiteLoomError]]) -> None:
        if not left:
            self._tell(taken, refused)
            return
        place, rest = left[0], left[1:]
        self._link.send(
            self,
            Ingest(project=project, source=place),
            done=lambda _: self._take_next(project, rest, taken + 1, refused),
            failed=lambda error: self._take_next(project, rest, taken, [*refused, (place, error)]),
        )

    def _tell(self, taken: int, refused: list[tuple[str, CiteLoomError]]) -> None:
        lines = (
            [self.tr("{count} files or folders are being read.").format(count=basics.number(taken))] if taken else []
        )
        for place, error in refused[:_TOLD]:
            lines.append(self.tr("{file}: {problem}").format(file=Path(place).name or place, problem=str(error)))
        if more := len(refused[_TOLD:]):
            lines.append(self.tr("{count} more could not be taken.").format(count=basics.number(more)))
        self.notice.emit("\n".join(lines), bool(refused))
        if taken:
            self.started.emit()

    def _planned(self, project: str, plan: SyncPreview) -> None:
        self.planning.emit(False)
        if plan.problems:
            lines = [self.tr("{file}: {problem}").format(file=p.source, problem=p.reason) for p in plan.problems]
            self.notice.emit("\n".join(lines[:_TOLD]), True)
        if not plan.asks:
            self.read(project)
            return
        self.plan_dialog = PlanDialog(self._window, plan)
        self.plan_dialog.decided.connect(lambda remove: self.read(project, remove_missing=remove))
        self.plan_dialog.open()

    def _not_planned(self, error: CiteLoomError) -> None:
        self.planning.emit(False)
        self.failed.emit(error)
