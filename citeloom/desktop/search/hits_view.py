"""The list of hits, usable by keyboard and by mouse; its delegate paints them as plain text."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QLocale, QPointF, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QFont,
    QFontMetrics,
    QKeyEvent,
    QKeySequence,
    QPainter,
    QPalette,
    QPen,
    QTextCharFormat,
    QTextLayout,
    QTextOption,
)
from PySide6.QtWidgets import QAbstractItemView, QListView, QStyle, QStyledItemDelegate, QStyleOptionViewItem

from citeloom.api.search import SearchHit
from citeloom.desktop.search.hits_model import BADGE, HIT, META, HitsModel
from citeloom.desktop.text.hit_text import cut, highlight_spans, isolated, utf16
from citeloom.desktop.widgets.table import Index

_MARGIN, _LEADING, _TEXT_LINES, _BAR = 10, 3, 3, 32
_MAX_TEXT = 600  # characters to lay out: more than fit into three lines


class HitDelegate(QStyledItemDelegate):
    """Paints citation, score, title, metadata, and the beginning of the passage."""

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        line = QFontMetrics(option.font).height() + _LEADING
        return QSize(8 * line, (3 + _TEXT_LINES) * line + 2 * _MARGIN + _LEADING)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        _Row(painter, option, index).paint()


class _Row:
    """Painter of one row."""

    def __init__(self, painter: QPainter, option: Any, index: Index) -> None:
        self.painter, self.option, self.index = painter, option, index
        self.hit: SearchHit = index.data(HIT)
        self.palette: QPalette = option.palette
        self.inner: QRect = option.rect.adjusted(_MARGIN, _MARGIN, -_MARGIN, -_MARGIN)
        self.font: QFont = option.font
        self.bold = QFont(self.font)
        self.bold.setWeight(QFont.Weight.DemiBold)
        self.step = QFontMetrics(self.font).height() + _LEADING

    def paint(self) -> None:
        self.painter.save()
        self.painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self.painter.setLayoutDirection(self.option.direction)
        self._background()
        title = self.hit.title or self.hit.source or ""
        text, muted = QPalette.ColorRole.Text, QPalette.ColorRole.PlaceholderText
        self._line(0, self.index.data(Qt.ItemDataRole.DisplayRole), self.bold, text, middle=True)
        self._line(1, title, self.font, text, right=self._score())
        self._line(2, self.index.data(META), self.font, muted, right=self._badge(self.index.data(BADGE)))
        self._passage()
        self.painter.restore()

    def _background(self) -> None:
        rect, state = self.option.rect, self.option.state
        accent = QColor(self.palette.color(QPalette.ColorRole.Highlight))
        if state & QStyle.StateFlag.State_Selected:
            tint = QColor(accent)
            tint.setAlphaF(0.16)
            self.painter.fillRect(rect, tint)
            edge = QRect(rect.left(), rect.top(), 3, rect.height())
            self.painter.fillRect(QStyle.visualRect(self.option.direction, rect, edge), accent)
        elif state & QStyle.StateFlag.State_MouseOver:
            tint = QColor(accent)
            tint.setAlphaF(0.06)
            self.painter.fillRect(rect, tint)
        rule = QColor(self.palette.color(QPalette.ColorRole.Mid))
        rule.setAlphaF(0.5)
        self.painter.setPen(QPen(rule, 0))
        self.painter.drawLine(rect.bottomLeft(), rect.bottomRight())
        if state & QStyle.StateFlag.State_HasFocus:
            self.painter.setPen(QPen(accent, 1))
            self.painter.setBrush(Qt.BrushStyle.NoBrush)
            self.painter.drawRect(QRectF(rect).adjusted(1, 1, -1, -1.5))

    def _score(self) -> int:
        """Paint the score as a bar and a number; return the width."""
        score = min(max(float(self.hit.score), 0.0), 1.0)
        figure = QLocale().toString(score, "f", 2)
        metrics = QFontMetrics(self.font)
        width = metrics.horizontalAdvance(figure) + 6 + _BAR
        place = self._at_end(1, width)
        bar = QRect(place.left(), place.center().y() - 2, _BAR, 5)
        track = QColor(self.palette.color(QPalette.ColorRole.Mid))
        track.setAlphaF(0.4)
        self.painter.setPen(Qt.PenStyle.NoPen)
        for colour, share in ((track, 1.0), (self.palette.color(QPalette.ColorRole.Highlight), score)):
            part = QRect(bar.left(), bar.top(), round(_BAR * share), bar.height())
            self.painter.setBrush(colour)
            self.painter.drawRoundedRect(self._mirrored(part), 2.5, 2.5)
        self.painter.setPen(self.palette.color(QPalette.ColorRole.PlaceholderText))
        self.painter.setFont(self.font)
        number_rect = QRect(place.left() + _BAR + 6, place.top(), width - _BAR - 6, place.height())
        self.painter.drawText(self._mirrored(number_rect), Qt.AlignmentFlag.AlignCenter, figure)
        return width + 8

    def _badge(self, message: str) -> int:
        if not message:
            return 0
        small = QFont(self.font)
        small.setPointSizeF(self.font.pointSizeF() * 0.85)
        width = QFontMetrics(small).horizontalAdvance(message) + 14
        place = self._mirrored(self._at_end(2, width))
        self.painter.setPen(QPen(self.palette.color(QPalette.ColorRole.PlaceholderText), 1))
        self.painter.setBrush(Qt.BrushStyle.NoBrush)
        box = QRectF(place).adjusted(0.5, 1.5, -0.5, -_LEADING)
        self.painter.drawRoundedRect(box, box.height() / 2, box.height() / 2)
        self.painter.setFont(small)
        self.painter.drawText(box, Qt.AlignmentFlag.AlignCenter, message)
        return width + 8

    def _line(
        self, row: int, message: str, font: QFont, role: QPalette.ColorRole, *, right: int = 0, middle: bool = False
    ) -> None:
        place = QRect(self.inner.left(), self.inner.top() + row * self.step, self.inner.width() - right, self.step)
        elide_mode = Qt.TextElideMode.ElideMiddle if middle else Qt.TextElideMode.ElideRight
        self.painter.setFont(font)
        self.painter.setPen(self.palette.color(role))
        shown = QFontMetrics(font).elidedText(cut(message, 400), elide_mode, place.width())
        across = Qt.AlignmentFlag.AlignLeading | Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextSingleLine
        self.painter.drawText(self._mirrored(place), int(across), isolated(shown))

    def _passage(self) -> None:
        top = self.inner.top() + 3 * self.step + _LEADING
        model = self.index.model()
        question = model.question if isinstance(model, HitsModel) else ""
        text = cut(self.hit.render_text, _MAX_TEXT)
        layout = self._layout(text, question)
        while layout.lineCount() > _TEXT_LINES and text:
            last = layout.lineAt(_TEXT_LINES - 1)
            end = last.textStart() + last.textLength() - 2
            text = text.encode("utf-16-le")[: 2 * end].decode("utf-16-le", "ignore").rstrip() + "…"
            layout = self._layout(text, question)
        colour = QColor(self.palette.color(QPalette.ColorRole.Text))
        colour.setAlphaF(0.85)
        self.painter.setPen(colour)
        for row in range(min(layout.lineCount(), _TEXT_LINES)):
            layout.lineAt(row).draw(self.painter, QPointF(self.inner.left(), top))

    def _layout(self, text: str, question: str) -> QTextLayout:
        layout = QTextLayout(text, self.font)
        option = QTextOption()
        option.setWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        layout.setTextOption(option)
        layout.setFormats([self._format(text, *place) for place in highlight_spans(text, question)])
        layout.beginLayout()
        for row in range(_TEXT_LINES + 1):
            line = layout.createLine()
            if not line.isValid():
                break
            line.setLineWidth(self.inner.width())
            line.setPosition(QPointF(0, row * self.step))
        layout.endLayout()
        return layout

    def _format(self, text: str, start: int, end: int) -> QTextLayout.FormatRange:
        result = QTextLayout.FormatRange()
        result.start = utf16(text, start)
        result.length = utf16(text, end) - utf16(text, start)
        style = QTextCharFormat()
        style.setFontWeight(QFont.Weight.Bold)
        style.setForeground(self.palette.color(QPalette.ColorRole.Text))
        result.format = style
        return result

    def _at_end(self, row: int, width: int) -> QRect:
        left = self.inner.right() - width + 1
        return QRect(left, self.inner.top() + row * self.step, width, self.step)

    def _mirrored(self, place: QRect) -> QRect:
        return QStyle.visualRect(self.option.direction, self.inner, place)


class HitsView(QListView):
    """List view: Enter opens a hit, Ctrl+C copies its citation, Up on the first one returns to the search box."""

    opened = Signal()
    copied = Signal()
    up_from_first = Signal()

    def __init__(self, model: HitsModel) -> None:
        super().__init__()
        self.setModel(model)
        self.setItemDelegate(HitDelegate(self))
        self.setUniformItemSizes(True)
        self.setMouseTracking(True)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.ActionsContextMenu)
        self.setAccessibleName(self.tr("Passages found"))
        self.doubleClicked.connect(lambda _: self.opened.emit())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.matches(QKeySequence.StandardKey.Copy):
            self.copied.emit()
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.opened.emit()
        elif event.key() == Qt.Key.Key_Up and self.currentIndex().row() <= 0:
            self.up_from_first.emit()
        else:
            super().keyPressEvent(event)
