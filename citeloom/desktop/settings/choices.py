"""Model of the values of a setting for a combo box, which stays fast with thousands of values."""

from __future__ import annotations

from typing import Any, NamedTuple

from PySide6.QtCore import QAbstractListModel, QModelIndex, QObject, QPersistentModelIndex, Qt

_Index = QModelIndex | QPersistentModelIndex


class Choice(NamedTuple):
    """One value of a setting."""

    value: str
    text: str
    possible: bool = True


class ChoicesModel(QAbstractListModel):
    """Qt model of the values of a setting."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.rows: list[Choice] = []

    def show_choices(self, rows: list[Choice]) -> None:
        """Replace the values."""
        if rows != self.rows:
            self.beginResetModel()
            self.rows = rows
            self.endResetModel()

    def row_of(self, value: str | None) -> int:
        """Return the row of a value, -1 if there is none."""
        return next((row for row, choice in enumerate(self.rows) if choice.value == value), -1)

    def rowCount(self, parent: _Index = QModelIndex()) -> int:  # noqa: B008 - as Qt has it
        return 0 if parent.isValid() else len(self.rows)

    def data(self, index: _Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.EditRole):
            return self.rows[index.row()].text
        return self.rows[index.row()].value if role == Qt.ItemDataRole.UserRole else None

    def flags(self, index: _Index) -> Qt.ItemFlag:
        usual = Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable
        return usual if index.isValid() and self.rows[index.row()].possible else Qt.ItemFlag.NoItemFlags
