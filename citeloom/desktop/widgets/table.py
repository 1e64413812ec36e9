"""Models of rows returned by the engine: a list model, a table model with one text function per column, its view."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import Any, Generic, TypeVar

from PySide6.QtCore import (
    QAbstractListModel,
    QAbstractTableModel,
    QItemSelectionModel,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    Qt,
)
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QAbstractButton, QAbstractItemView, QHeaderView, QTableView

from citeloom.desktop.widgets import basics

RowT = TypeVar("RowT")
Index = QModelIndex | QPersistentModelIndex
_MIN_STRETCH = 0.28  # share of the table's width for the column that gets the remaining space


class ListModel(QAbstractListModel, Generic[RowT]):
    """List model of rows; a subclass says what is shown of them."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.rows: Sequence[RowT] = ()

    def set_rows(self, rows: Sequence[RowT]) -> None:
        """Replace the rows."""
        self.beginResetModel()
        self.rows = rows
        self.endResetModel()

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - as Qt has it
        return 0 if parent.isValid() else len(self.rows)


@dataclass(frozen=True)
class Column(Generic[RowT]):
    """A column: its title, and the function that returns its text for a row."""

    title: str
    text: Callable[[RowT], str]
    width: int  # in digits; 0: the remaining space
    number: bool = False
    fixed: bool = False  # does not shrink in a narrow window: half a date is of no use
    help: str = ""  # explanation of the title

    @property
    def alignment(self) -> Qt.AlignmentFlag:
        """Where its texts and its title are: numbers at the end of the line."""
        side = Qt.AlignmentFlag.AlignTrailing if self.number else Qt.AlignmentFlag.AlignLeading
        return side | Qt.AlignmentFlag.AlignVCenter


class ColumnsModel(QAbstractTableModel, Generic[RowT]):
    """Table model with one text function per column; a subclass keeps the rows."""

    def __init__(self, *columns: Column[RowT], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.columns = columns

    def row_at(self, number: int) -> RowT | None:
        """Return a row, if it is loaded."""
        raise NotImplementedError

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - as Qt has it
        return 0 if parent.isValid() else len(self.columns)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        column = self.columns[index.column()]
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return column.alignment
        if role not in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.ToolTipRole):
            return None
        row = self.row_at(index.row()) if index.isValid() else None
        if row is None:
            return None
        text = column.text(row)
        return basics.one_line(text) if role == Qt.ItemDataRole.DisplayRole else basics.tip(text)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if orientation != Qt.Orientation.Horizontal:
            return None
        column = self.columns[section]
        shown: dict[int, Any] = {
            Qt.ItemDataRole.DisplayRole: column.title,
            Qt.ItemDataRole.ToolTipRole: basics.tip(column.help),
            Qt.ItemDataRole.TextAlignmentRole: column.alignment,
        }
        return shown.get(role)


class RowsModel(ColumnsModel[RowT]):
    """Table model whose rows have a key; rows with unchanged keys are updated without a model reset."""

    def __init__(self, key: str, *columns: Column[RowT]) -> None:
        super().__init__(*columns)
        self.rows: list[RowT] = []
        self._key = attrgetter(key)

    def set_rows(self, rows: list[RowT]) -> None:
        """Replace the rows."""
        if [*map(self._key, self.rows)] == [*map(self._key, rows)]:
            self.rows = rows
            if rows:
                self.dataChanged.emit(self.index(0, 0), self.index(len(rows) - 1, len(self.columns) - 1))
            return
        self.beginResetModel()
        self.rows = rows
        self.endResetModel()

    def key_of(self, number: int) -> Any:
        """Return the key of a row."""
        return self._key(self.rows[number])

    def number_of(self, key: Any) -> int | None:
        """Return the number of the row with this key, None if there is none."""
        return next((number for number, row in enumerate(self.rows) if self._key(row) == key), None)

    def row_at(self, number: int) -> RowT | None:
        return self.rows[number] if number < len(self.rows) else None

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(self.rows)


def set_up_view(view: QTableView, name: str) -> None:
    """Set up a table view that selects whole rows of one height."""
    view.setAccessibleName(name)
    view.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
    view.setShowGrid(False)
    view.setWordWrap(False)
    view.setTabKeyNavigation(False)
    view.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
    view.verticalHeader().hide()
    view.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
    view.verticalHeader().setDefaultSectionSize(round(view.fontMetrics().height() * 1.7))


class Table(QTableView, Generic[RowT]):
    """Table view that selects whole rows and keeps the selection when the rows change."""

    def __init__(self, model: RowsModel[RowT], name: str) -> None:
        super().__init__()
        self._model = model
        self._selected_key: Any = None
        self._setting_widths = False
        self._resized_by_user = False  # a column was resized by hand: widths are no longer set
        model.setParent(self)
        self.setModel(model)
        set_up_view(self, name)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setAlternatingRowColors(True)
        self.setCornerButtonEnabled(False)
        for corner in self.findChildren(QAbstractButton):  # hidden, but read by screen readers
            corner.setAccessibleName(name)
        header = self.horizontalHeader()
        header.setHighlightSections(False)
        header.setMinimumSectionSize(self.fontMetrics().horizontalAdvance("0") * 5)
        header.sectionResized.connect(self._on_resized)
        model.modelAboutToBeReset.connect(self._remember_selection)
        model.modelReset.connect(self._restore_selection)

    def chosen(self) -> RowT | None:
        """Return the selected row."""
        found = self.selectionModel().selectedRows()
        return self._model.rows[found[0].row()] if found and found[0].row() < len(self._model.rows) else None

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if not self._resized_by_user:
            self._set_widths()

    def _set_widths(self) -> None:
        """Set the column widths; in a narrow window the stretching column keeps a readable share."""
        digit, room = self.fontMetrics().horizontalAdvance("0"), self.viewport().width()
        fixed = digit * sum(column.width for column in self._model.columns if column.fixed)
        flexible = digit * sum(column.width for column in self._model.columns if not column.fixed)
        rest = max(room - fixed - flexible, round(room * _MIN_STRETCH))
        scale = max(0.0, min(1.0, (room - fixed - rest) / flexible))
        self._setting_widths = True
        for number, column in enumerate(self._model.columns):
            width = digit * column.width * (1.0 if column.fixed else scale)
            self.setColumnWidth(number, int(width) if column.width else rest)
        self._setting_widths = False

    def _on_resized(self) -> None:
        self._resized_by_user = self._resized_by_user or not self._setting_widths

    def _remember_selection(self) -> None:
        found = self.selectionModel().selectedRows()
        self._selected_key = self._model.key_of(found[0].row()) if found else None

    def _restore_selection(self) -> None:
        number = None if self._selected_key is None else self._model.number_of(self._selected_key)
        if number is not None:
            # Not selectRow: in right-to-left layouts it looks for a column beyond the last and does nothing.
            how = QItemSelectionModel.SelectionFlag.ClearAndSelect | QItemSelectionModel.SelectionFlag.Rows
            self.selectionModel().setCurrentIndex(self._model.index(number, 0), how)
