"""Qt model of the access log: newest first, older entries loaded on scrolling, new ones inserted on top."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, Signal

from citeloom.api.activity import ShowAccessLog
from citeloom.core.errors import CiteLoomError
from citeloom.core.types import AccessEntry
from citeloom.desktop.shell.engine_tasks import EngineTasks, Task
from citeloom.desktop.text.activity_text import editor_text, outcome_text, tool_text
from citeloom.desktop.widgets.basics import number, time_text
from citeloom.desktop.widgets.table import Column, RowsModel

BLOCK = 100  # entries in one answer


@dataclass(frozen=True)
class LogFilters:
    """Which entries of the log are shown and exported."""

    project: str | None = None
    client: str | None = None

    def request(self, limit: int, before: int | None) -> ShowAccessLog:
        """Return the request for the newest entries, or for those before a known one."""
        return ShowAccessLog(project=self.project, client=self.client, limit=limit, before=before)


class LogModel(RowsModel[AccessEntry]):
    """Table model of the access log."""

    loaded = Signal()  # entries were loaded
    failed = Signal(object)  # a CiteLoomError

    def __init__(self, tasks: EngineTasks) -> None:
        super().__init__(
            "id",
            Column(self.tr("When"), lambda row: time_text(row.at), 17, fixed=True),
            Column(self.tr("Editor"), lambda row: editor_text(row.client), 16),
            Column(self.tr("Project"), lambda row: row.project_id or "", 12),
            Column(self.tr("What"), lambda row: tool_text(row.tool), 16),
            Column(self.tr("Asked"), lambda row: row.asked, 0),
            Column(self.tr("Outcome"), lambda row: outcome_text(row.outcome), 14),
            Column(self.tr("Passages"), lambda row: number(len(row.passages)), 10, number=True, fixed=True),
        )
        self._tasks = tasks
        self.filters = LogFilters()
        self._stale = True  # the rows belong to other filters or were cleared
        self._complete = True  # there are no older entries
        self._older: Task | None = None
        self._newer: Task | None = None

    def set_filters(self, filters: LogFilters) -> None:
        """Set the filters and reload."""
        self.filters = filters
        self.reload()

    def reload(self) -> None:
        """Load the log from its newest entry."""
        self._stale = True
        for task in (self._older, self._newer):
            if task:
                task.drop()
        self._older = None
        self._newer = self._request(None, self._on_newest)

    def refresh(self) -> None:
        """Load newer entries."""
        if self._newer is None:
            self._newer = self._request(None, self._on_newest)

    def canFetchMore(self, parent: QModelIndex | QPersistentModelIndex) -> bool:
        return not (parent.isValid() or self._complete or self._stale or self._older)

    def fetchMore(self, parent: QModelIndex | QPersistentModelIndex) -> None:
        if self.rows and self.canFetchMore(parent):
            self._older = self._request(self.rows[-1].id, self._on_older)

    def _request(self, before: int | None, done: Callable[[list[AccessEntry]], None]) -> Task:
        return self._tasks.send(self, self.filters.request(BLOCK, before), done=done, failed=self._on_failed)

    def _on_failed(self, error: CiteLoomError) -> None:
        self._older = self._newer = None
        self.failed.emit(error)

    def _replace_rows(self, rows: list[AccessEntry]) -> None:
        self._stale = False
        if self._older:
            self._older.drop()
            self._older = None
        self._complete = len(rows) < BLOCK
        self.set_rows(rows)

    def _on_newest(self, rows: list[AccessEntry]) -> None:
        self._newer = None
        newest = self.rows[0].id if self.rows else None
        places = [place for place, row in enumerate(rows) if row.id == newest]
        if self._stale or not places:  # all are new, or the log was cleared
            self._replace_rows(rows)
        elif places[0]:
            new = rows[: places[0]]
            self.beginInsertRows(QModelIndex(), 0, len(new) - 1)
            self.rows = [*new, *self.rows]
            self.endInsertRows()
        self.loaded.emit()

    def _on_older(self, rows: list[AccessEntry]) -> None:
        self._older = None
        self._complete = len(rows) < BLOCK
        if rows:
            self.beginInsertRows(QModelIndex(), len(self.rows), len(self.rows) + len(rows) - 1)
            self.rows = [*self.rows, *rows]
            self.endInsertRows()
        self.loaded.emit()
