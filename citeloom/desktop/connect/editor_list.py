"""The list of editors with their names and states; installed ones come first."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QModelIndex, QRect, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFont, QPainter, QPalette
from PySide6.QtWidgets import QFrame, QListView, QStyle, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from citeloom.desktop.connect.states import EditorState, state_text
from citeloom.desktop.widgets.table import Index, ListModel
from citeloom.editors import OTHER

_STATE = Qt.ItemDataRole.UserRole
_DOT = Qt.ItemDataRole.UserRole + 1
_LIVE, _SET_UP = QColor("#3a9d5d"), QColor("#8b8bd8")
_PAD = 10


class EditorsModel(ListModel[EditorState]):
    """List model of the known editors, with a last row for any other editor."""

    def show_editors(self, editors: list[EditorState]) -> None:
        """Replace the editors."""
        if [one.id for one in editors] == [one.id for one in self.rows]:
            self.rows = editors
            self.dataChanged.emit(self.index(0), self.index(len(editors)))
        else:
            self.set_rows(editors)

    def id_at(self, row: int) -> str:
        """Return the id of the editor in a row."""
        return self.rows[row].id if 0 <= row < len(self.rows) else OTHER

    def row_of(self, client_id: str) -> int:
        """Return the row of an editor; unknown ids belong to the row for other editors."""
        ids = [one.id for one in self.rows]
        return ids.index(client_id) if client_id in ids else len(ids)

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - as Qt has it
        return 0 if parent.isValid() else len(self.rows) + 1

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        known = self.rows[index.row()] if index.row() < len(self.rows) else None
        name = known.name if known else self.tr("Another editor")
        state = state_text(known) if known else self.tr("The entry to copy")
        if role == Qt.ItemDataRole.DisplayRole:
            return name
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return self.tr("{editor}: {state}").format(editor=name, state=state)
        if role == _STATE:
            return state
        if role == _DOT and known:
            return _LIVE if known.live else _SET_UP if known.found.connected else None
        return None


class _EditorDelegate(QStyledItemDelegate):
    """Delegate that paints the name above the state, and a dot for editors that are set up."""

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        style = option.widget.style()
        style.drawPrimitive(QStyle.PrimitiveElement.PE_PanelItemViewItem, option, painter, option.widget)
        chosen = bool(option.state & QStyle.StateFlag.State_Selected)
        role = QPalette.ColorRole.HighlightedText if chosen else QPalette.ColorRole.Text
        rect = option.rect.adjusted(_PAD, _PAD // 2, -_PAD, -_PAD // 2)
        painter.save()
        if dot := index.data(_DOT):
            side = option.fontMetrics.height() // 2
            left = rect.right() - side if option.direction == Qt.LayoutDirection.LeftToRight else rect.left()
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(option.palette.color(role) if chosen else dot)  # a coloured dot is lost on the highlight
            painter.drawEllipse(QRect(left, rect.center().y() - side // 2, side, side))
            beside = side + _PAD
            ltr = option.direction == Qt.LayoutDirection.LeftToRight
            rect.adjust(*((0, 0, -beside, 0) if ltr else (beside, 0, 0, 0)))
        half = rect.height() // 2
        self._line(painter, option, rect.adjusted(0, 0, 0, -half), str(index.data()), role, bold=True)
        below = role if chosen else QPalette.ColorRole.PlaceholderText
        self._line(painter, option, rect.adjusted(0, half, 0, 0), str(index.data(_STATE)), below, bold=False)
        painter.restore()

    def _line(
        self,
        painter: QPainter,
        option: QStyleOptionViewItem,
        rect: QRect,
        text: str,
        role: QPalette.ColorRole,
        *,
        bold: bool,
    ) -> None:
        font = QFont(option.font)
        font.setWeight(QFont.Weight.DemiBold if bold else QFont.Weight.Normal)
        painter.setFont(font)
        painter.setPen(option.palette.color(role))
        elided = painter.fontMetrics().elidedText(text, Qt.TextElideMode.ElideRight, rect.width())
        side = QStyle.visualAlignment(option.direction, Qt.AlignmentFlag.AlignLeft)
        painter.drawText(rect, int(side | Qt.AlignmentFlag.AlignVCenter), elided)

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        return QSize(option.fontMetrics.averageCharWidth() * 20, option.fontMetrics.height() * 2 + 2 * _PAD)


class EditorList(QListView):
    """List view to choose an editor."""

    picked = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.editors = EditorsModel(self)
        self.setModel(self.editors)
        self.setItemDelegate(_EditorDelegate(self))
        self.setAccessibleName(self.tr("Editors"))
        self.setFrameShape(QFrame.Shape.StyledPanel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        letter = self.fontMetrics().averageCharWidth()
        self.setMinimumWidth(letter * 18)
        self.setMaximumWidth(letter * 36)
        self.selectionModel().currentChanged.connect(lambda now, _: self.picked.emit(self.editors.id_at(now.row())))

    def show_editors(self, editors: list[EditorState]) -> None:
        """Replace the editors and keep the chosen one."""
        chosen = self.chosen() if self.editors.rows else None
        self.editors.show_editors(editors)
        if chosen != self.chosen() or not self.currentIndex().isValid():
            self.pick(chosen or (editors[0].id if editors else OTHER))

    def chosen(self) -> str:
        """Return the id of the chosen editor."""
        return self.editors.id_at(self.currentIndex().row())

    def pick(self, client_id: str) -> None:
        """Choose an editor."""
        self.setCurrentIndex(self.editors.index(self.editors.row_of(client_id)))
