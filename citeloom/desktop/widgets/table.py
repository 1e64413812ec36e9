"""Tables: rows as the engine gives them, columns as text."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from PySide6.QtCore import QAbstractTableModel, QItemSelectionModel, QModelIndex, QObject, QPersistentModelIndex, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QAbstractButton, QAbstractItemView, QHeaderView, QTableView

from citeloom.core.text.sanitize import clean
from citeloom.desktop.widgets import basics

Row = dict[str, Any]  # as JSON values
RowT = TypeVar("RowT")
_Index = QModelIndex | QPersistentModelIndex
_LEAST = 0.28  # of the width of a table, for the column that gets what is left
_LONGEST = 400  # letters in a cell; no column is wider


@dataclass(frozen=True)
class Column(Generic[RowT]):
    """One column: its title, and what it says of a row."""

    title: str
    text: Callable[[RowT], str]
    width: int  # in digits; 0: what is left
    number: bool = False
    firm: bool = False  # no narrower than that, in the narrowest window: half a date says nothing


class RowsModel(QAbstractTableModel, Generic[RowT]):
    """Rows that are known by a key; those that stay are not taken away and put back."""

    def __init__(self, columns: Sequence[Column[RowT]], key: str, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.columns = columns
        self.rows: list[RowT] = []
        self._key = key

    def set_rows(self, rows: list[RowT]) -> None:
        """Show these rows."""
        known, given = self._keys(self.rows), self._keys(rows)
        if known == given:
            self.rows = rows
            if rows:
                self.dataChanged.emit(self.index(0, 0), self.index(len(rows) - 1, len(self.columns) - 1))
            return
        self.beginResetModel()
        self.rows = rows
        self.endResetModel()

    def _keys(self, rows: list[RowT]) -> list[Any]:
        return [self._key_of(row) for row in rows]

    def _key_of(self, row: RowT) -> Any:
        return row[self._key] if isinstance(row, dict) else getattr(row, self._key)

    def key_of(self, number: int) -> Any:
        """What a row is known by."""
        return self._key_of(self.rows[number])

    def number_of(self, key: Any) -> int | None:
        """Where the row of a key stands now."""
        return next((number for number, row in enumerate(self.rows) if self._key_of(row) == key), None)

    def rowCount(self, parent: _Index = QModelIndex()) -> int:  # noqa: B008 - as Qt has it
        return 0 if parent.isValid() else len(self.rows)

    def columnCount(self, parent: _Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(self.columns)

    def data(self, index: _Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid() or index.row() >= len(self.rows):
            return None
        column = self.columns[index.column()]
        if role == Qt.ItemDataRole.DisplayRole:
            return " ".join(clean(column.text(self.rows[index.row()])[:_LONGEST]).split())
        if role == Qt.ItemDataRole.ToolTipRole:
            return basics.tip(column.text(self.rows[index.row()]))
        if role == Qt.ItemDataRole.TextAlignmentRole and column.number:
            return int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        return None

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if orientation == Qt.Orientation.Horizontal:
            if role == Qt.ItemDataRole.DisplayRole:
                return self.columns[section].title
            if role == Qt.ItemDataRole.TextAlignmentRole:
                side = Qt.AlignmentFlag.AlignRight if self.columns[section].number else Qt.AlignmentFlag.AlignLeft
                return int(side | Qt.AlignmentFlag.AlignVCenter)
        return None


class Table(QTableView, Generic[RowT]):
    """A calm table of whole rows; what is selected stays selected when the rows change."""

    def __init__(self, model: RowsModel[RowT], name: str) -> None:
        super().__init__()
        self._model = model
        self._kept: Any = None
        self._sharing = False
        self._by_hand = False  # somebody has drawn a column wider: it stays so
        self.setModel(model)
        self.setAccessibleName(name)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setShowGrid(False)
        self.setAlternatingRowColors(True)
        self.setWordWrap(False)
        self.setTabKeyNavigation(False)
        self.setCornerButtonEnabled(False)
        for corner in self.findChildren(QAbstractButton):  # which nobody sees
            corner.setAccessibleName(name)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.verticalHeader().hide()
        self.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        self.verticalHeader().setDefaultSectionSize(round(self.fontMetrics().height() * 1.7))
        header = self.horizontalHeader()
        header.setHighlightSections(False)
        header.setMinimumSectionSize(self.fontMetrics().horizontalAdvance("0") * 5)
        header.sectionResized.connect(self._on_resized)
        model.modelAboutToBeReset.connect(self._keep)
        model.modelReset.connect(self._select_kept)

    def chosen(self) -> RowT | None:
        """The selected row."""
        found = self.selectionModel().selectedRows()
        return self._model.rows[found[0].row()] if found and found[0].row() < len(self._model.rows) else None

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if not self._by_hand:
            self._share_out()

    def _share_out(self) -> None:
        """Give every column its room; in a narrow window the widest one still gets a part that can be read."""
        digit, room = self.fontMetrics().horizontalAdvance("0"), self.viewport().width()
        firm = digit * sum(column.width for column in self._model.columns if column.firm)
        yielding = digit * sum(column.width for column in self._model.columns if not column.firm)
        rest = max(room - firm - yielding, round(room * _LEAST))
        scale = max(0.0, min(1.0, (room - firm - rest) / yielding))
        self._sharing = True
        for number, column in enumerate(self._model.columns):
            width = digit * column.width * (1.0 if column.firm else scale)
            self.setColumnWidth(number, int(width) if column.width else rest)
        self._sharing = False

    def _on_resized(self) -> None:
        self._by_hand = self._by_hand or not self._sharing

    def _keep(self) -> None:
        found = self.selectionModel().selectedRows()
        self._kept = self._model.key_of(found[0].row()) if found else None

    def _select_kept(self) -> None:
        number = None if self._kept is None else self._model.number_of(self._kept)
        if number is not None:
            # Not selectRow: where text runs from right to left it looks for a column beyond the last and does nothing.
            how = QItemSelectionModel.SelectionFlag.ClearAndSelect | QItemSelectionModel.SelectionFlag.Rows
            self.selectionModel().setCurrentIndex(self._model.index(number, 0), how)
