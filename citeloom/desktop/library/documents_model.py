"""Qt model of the documents of a project: rows are loaded when they become visible."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from PySide6.QtCore import QModelIndex, QObject, Qt, Signal

from citeloom.api.library import DocumentPage, ListDocuments
from citeloom.core.errors import CiteLoomError
from citeloom.desktop.library.paged_list import BLOCK, PagedRows, Row
from citeloom.desktop.shell.engine_tasks import EngineTasks, Failed, Task
from citeloom.desktop.shell.icons import icon
from citeloom.desktop.text import library_text
from citeloom.desktop.widgets import basics
from citeloom.desktop.widgets.table import Column, ColumnsModel, Index

STATUS, CITEKEY, TITLE, PAGES, _COVERAGE, _OCR, NOTE = range(7)
# The engine's sort key of each column.
SORTS = ("status", "citekey", "title", "pages", "word_coverage", "ocr_share", None)
_MAX_REQUESTS = 2  # at a time: more would delay those of other pages
_MANY = 1000  # rows in one request when all of them are needed


class DocumentsModel(ColumnsModel[Row]):
    """Documents as the engine sorts and filters them; a row that is not loaded yet shows an ellipsis."""

    answered = Signal(object)  # with a DocumentPage
    arrived = Signal()  # rows were loaded or have moved
    failed = Signal(object)  # a CiteLoomError

    def __init__(self, tasks: EngineTasks, parent: QObject | None = None) -> None:
        super().__init__(
            Column(self.tr("Status"), lambda row: library_text.status_text(library_text.shown_status(row)), 15),
            Column(self.tr("Citekey"), lambda row: row.citekey, 17),
            Column(self.tr("Title"), _title, 29),
            Column(self.tr("Pages"), lambda row: basics.number(row.pages) if row.pages else "", 7, number=True),
            Column(
                self.tr("Word coverage"),
                lambda row: basics.percent(row.word_coverage),
                11,
                number=True,
                help=self.tr("How many of the words in the file are in its passages"),
            ),
            Column(
                self.tr("OCR"),
                lambda row: basics.percent(row.ocr_share),
                6,
                number=True,
                help=self.tr("How many of its pages were recognised by OCR"),
            ),
            Column(self.tr("Note"), _note_text, 40),
            parent=parent,
        )
        self._engine = tasks
        self.query: ListDocuments | None = None
        self._blocks = PagedRows()
        self._new_query = False  # waiting for the first result of a new query; until then the old rows are shown
        self._tasks: list[Task] = []
        # Rows are requested after the paint event that missed them: many cells cause one request.
        self._request_timer = basics.single_shot(self, 0, self._request_blocks)

    def show_query(self, query: ListDocuments | None) -> None:
        """Set the query and reload."""
        other_project = (self.query and self.query.project) != (query and query.project)
        self._drop_tasks()
        self.query, self._new_query = query, True
        if other_project:
            self._reset([], 0)
        self._blocks.invalidate()
        if query:
            self._enqueue(0)

    def refresh(self, first: int, last: int) -> None:
        """Reload the visible rows, and others when they become visible."""
        if self.query is None:
            return
        self._drop_tasks()
        self._blocks.invalidate()
        if self._new_query:
            self._enqueue(0)
            return
        for block in range(last // BLOCK, first // BLOCK - 1, -1):
            self._enqueue(block)

    @property
    def waiting(self) -> bool:
        """Whether a request is pending."""
        return any(task.wanted for task in self._tasks)

    def document(self, row: int) -> Row | None:
        """Return the document of a row, if it is loaded."""
        return self.row_at(row) if 0 <= row < self._blocks.total else None

    def places(self) -> dict[str, int]:
        """Return the row of each loaded document by its id."""
        return {row.doc_id: at for at, row in self._blocks.loaded()}

    def collect(self, owner: QObject, rows: Sequence[int], done: Callable[[list[Row]], object], failed: Failed) -> None:
        """Load the documents of these rows and pass them to `done`, even if other rows are shown by then."""
        query = self.query
        found: dict[int, Row | None] = dict(self._blocks.loaded())

        def load_next() -> None:
            missing = next((row for row in rows if row not in found), None)
            if missing is None or query is None:
                done([document for row in rows if (document := found.get(row))])
                return
            start = missing // _MANY * _MANY

            def on_page(page: DocumentPage) -> None:
                loaded = dict(enumerate(page.documents, start))
                for row in range(start, start + _MANY):
                    found.setdefault(row, loaded.get(row))
                load_next()

            self._engine.send(owner, replace(query, offset=start, limit=_MANY), done=on_page, failed=failed)

        load_next()

    # -- loading -------------------------------------------------------------------------------------------------

    def _enqueue(self, block: int) -> None:
        self._blocks.enqueue(block)
        self._request_timer.start()

    def _request_blocks(self) -> None:
        self._tasks = [task for task in self._tasks if task.wanted]
        while self._blocks.has_queued and len(self._tasks) < _MAX_REQUESTS and self.query:
            block = self._blocks.dequeue()
            self._tasks.append(
                self._engine.send(
                    self,
                    replace(self.query, offset=block * BLOCK, limit=BLOCK),
                    done=partial(self._on_page, block),
                    failed=partial(self._on_failed, block),
                )
            )

    def _on_page(self, block: int, page: DocumentPage) -> None:
        rows, total = page.documents, page.total
        if self._new_query:
            self._new_query = False
            self._reset(rows, total)
        else:
            self._set_total(total)
            self._blocks.store(block, rows)
            last = min(block * BLOCK + BLOCK, total) - 1
            if last >= block * BLOCK:
                self.dataChanged.emit(self.index(block * BLOCK, 0), self.index(last, NOTE))
        self.answered.emit(page)
        self.arrived.emit()
        self._request_blocks()

    def _on_failed(self, block: int, error: CiteLoomError) -> None:
        self._blocks.fail(block)
        self.failed.emit(error)
        self._request_blocks()

    def _reset(self, rows: list[Row], total: int) -> None:
        self.beginResetModel()
        self._blocks = PagedRows()
        self._blocks.total = total
        if rows:
            self._blocks.store(0, rows)
        self.endResetModel()

    def _set_total(self, total: int) -> None:
        before = self._blocks.total
        if total > before:
            self.beginInsertRows(QModelIndex(), before, total - 1)
            self._blocks.total = total
            self.endInsertRows()
        elif total < before:
            self.beginRemoveRows(QModelIndex(), total, before - 1)
            self._blocks.total = total
            self.endRemoveRows()

    def _drop_tasks(self) -> None:
        for task in self._tasks:
            task.drop()
        self._tasks = []

    # -- QAbstractTableModel -------------------------------------------------------------------------------------

    def row_at(self, number: int) -> Row | None:
        if not self._new_query:
            self._blocks.enqueue(number // BLOCK)
            if self._blocks.has_queued and not self._request_timer.isActive():
                self._request_timer.start()
        return self._blocks.row(number)

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - as Qt declares it
        return 0 if parent.isValid() else self._blocks.total

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        column = index.column()
        if role == Qt.ItemDataRole.DecorationRole and column == STATUS and (row := self.row_at(index.row())):
            return icon(library_text.STATUS_ICONS.get(library_text.shown_status(row), "file"))
        text = super().data(index, role)
        loading = text is None and role == Qt.ItemDataRole.DisplayRole and column in (STATUS, TITLE)
        return "…" if loading else text

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        key = SORTS[column] if 0 <= column < len(SORTS) else None
        if self.query is None or key is None:
            return
        descending = order == Qt.SortOrder.DescendingOrder
        if (key, descending) != (self.query.sort, self.query.descending):
            self.show_query(replace(self.query, sort=key, descending=descending))


def _title(row: Row) -> str:
    return row.title or row.source


def _note_text(row: Row) -> str:
    return row.reason or library_text.doubt_text(row) or library_text.words_only_text(row)
