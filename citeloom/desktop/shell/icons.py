"""Icons: line icons in the colour of the surrounding text, the app icon, and the tray icon with its states."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path

from PySide6.QtCore import QByteArray, QPointF, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QIcon, QIconEngine, QPainter, QPainterPath, QPalette, QPen, QPixmap, QTransform
from PySide6.QtSvg import QSvgRenderer
from PySide6.QtWidgets import QApplication

_DATA = Path(__file__).parents[1] / "data"
_TRAY_SIZES = (16, 22, 24, 32, 44, 48, 64)
_AMBER = QColor("#e5a50a")

# SVG paths in a view box of 24 by 24.
_LINES = {
    "search": "M10.5 17a6.5 6.5 0 1 0 0-13 6.5 6.5 0 0 0 0 13zM15.3 15.3 20 20",
    "projects": "M4 6.5h6l2 2.5h8v10.5H4zM4 9h8",
    "activity": "M3 12h4l3-7 4 14 3-7h4",
    "connect": "M9 4v5M15 4v5M6.5 9h11v3a5.5 5.5 0 0 1-11 0zM12 17.5V21",
    "settings": "M4 7h9M17 7h3M4 12h3M11 12h9M4 17h8M16 17h4M15 5v4M9 10v4M14 15v4",
    "sync": "M5 11a7 7 0 0 1 12.5-3.5L20 10M20 5v5h-5M19 13a7 7 0 0 1-12.5 3.5L4 14M4 19v-5h5",
    "pause": "M8.5 5.5v13M15.5 5.5v13",
    "play": "M8 5.5v13L18.5 12z",
    "copy": "M8.5 8.5h11v11h-11zM15.5 8.5v-4h-11v11h4",
    "open": "M13 5h6v6M19 5l-8 8M17 14v5H5V7h5",
    "folder": "M3.5 6h6l2 2.5h9V19h-17z",
    "file": "M6.5 3.5h7l4 4v13h-11zM13.5 3.5v4h4",
    "add": "M12 5v14M5 12h14",
    "minus": "M5 12h14",
    "fit": "M4 5v14M20 5v14M7.5 12h9M10 9l-3 3 3 3M14 9l3 3-3 3",
    "remove": "M6 7.5h12M9.5 7.5V5h5v2.5M7.5 7.5l.8 12h7.4l.8-12",
    "retry": "M18.5 8.5A7.5 7.5 0 1 0 19.5 12M19 4v5h-5",
    "warning": "M12 4.5 21 19.5H3zM12 10v4.5M12 16.7v.3",
    "info": "M12 20.5a8.5 8.5 0 1 0 0-17 8.5 8.5 0 0 0 0 17zM12 11v5.5M12 7.8v.3",
    "check": "M5 12.5 10 17.5 19 7",
    "close": "M6.5 6.5l11 11M17.5 6.5l-11 11",
    "quote": "M10 7.5H6v5h4zM10 12.5c0 2.5-1.5 4-3.5 4.5M18 7.5h-4v5h4zM18 12.5c0 2.5-1.5 4-3.5 4.5",
    "back": "M15 5l-7 7 7 7",
    "forward": "M9 5l7 7-7 7",
    "down": "M5 9l7 7 7-7",
    "export": "M12 4v11M7.5 8.5 12 4l4.5 4.5M5 15v4.5h14V15",
    "undo": "M8 5 4 9l4 4M4 9h9.5a5.5 5.5 0 0 1 0 11H9",
    "library": "M5 4.5h3.5v15H5zM8.5 4.5H12v15H8.5zM13.5 5.3l3.3-.9 3.9 14.5-3.3.9z",
    "disconnect": "M9 4v4M15 4v4M6.5 9h11v3a5.5 5.5 0 0 1-11 0zM12 17.5V21M3.5 3.5l17 17",
    "filter": "M4 5.5h16l-6.2 7.3V19l-3.6-1.8v-4.4z",
}


class TrayState(StrEnum):
    """What the tray icon shows; `tray_state` in tray.py decides which."""

    IDLE = "idle"
    WORKING = "working"
    ATTENTION = "attention"
    PAUSED = "paused"


class _LineIconEngine(QIconEngine):
    """Icon engine that paints on demand, so that icons follow the palette and the scale of the screen."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self._name = name

    def paint(self, painter: QPainter, rect: QRect, mode: QIcon.Mode, state: QIcon.State) -> None:
        palette = QApplication.palette()
        group = QPalette.ColorGroup.Disabled if mode == QIcon.Mode.Disabled else QPalette.ColorGroup.Active
        role = QPalette.ColorRole.HighlightedText if mode == QIcon.Mode.Selected else QPalette.ColorRole.WindowText
        colour = palette.color(group, role).name()
        svg = (
            '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24">'
            f'<path d="{_LINES[self._name]}" fill="none" stroke="{colour}" stroke-width="1.7"'
            ' stroke-linecap="round" stroke-linejoin="round"/></svg>'
        )
        QSvgRenderer(QByteArray(svg.encode())).render(painter, QRectF(rect))

    def pixmap(self, size: QSize, mode: QIcon.Mode, state: QIcon.State) -> QPixmap:
        pixmap = QPixmap(size)
        pixmap.fill(Qt.GlobalColor.transparent)
        painter = QPainter(pixmap)
        self.paint(painter, QRect(0, 0, size.width(), size.height()), mode, state)
        painter.end()
        return pixmap

    def clone(self) -> QIconEngine:
        return _LineIconEngine(self._name)


def icon(name: str) -> QIcon:
    """Return a line icon by its name."""
    return QIcon(_LineIconEngine(name))


def app_icon() -> QIcon:
    """Return the app icon."""
    return QIcon(str(_DATA / "citeloom.svg"))


def tray_icon(state: TrayState, progress: float | None, *, dark_panel: bool) -> QIcon:
    """Return the tray icon: the mark in contrast to the panel, with a ring, a dot or bars for the state."""
    result = QIcon()
    for size in _TRAY_SIZES:
        result.addPixmap(_tray_pixmap(size, state, progress, QColor("#f4f4f5" if dark_panel else "#26262b")))
    return result


def _tray_pixmap(size: int, state: TrayState, progress: float | None, colour: QColor) -> QPixmap:
    pixmap = QPixmap(size, size)
    pixmap.fill(Qt.GlobalColor.transparent)
    painter = QPainter(pixmap)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.scale(size / 24, size / 24)
    faint = QColor(colour)
    faint.setAlphaF(0.45)
    painter.setOpacity(0.55 if state == TrayState.PAUSED else 1.0)
    # A panel may be dark under a light desktop: a thin edge in the other colour keeps the mark visible on either.
    edge = QColor("#26262b" if colour.lightness() > 128 else "#f4f4f5")
    edge.setAlphaF(0.35)
    shape = mark()
    if state != TrayState.WORKING:  # the ring needs room around it
        shape = QTransform().translate(12, 12).scale(1.4, 1.4).translate(-12, -11.8).map(shape)
    painter.strokePath(shape, QPen(edge, 1.2))
    painter.fillPath(shape, colour)
    painter.setOpacity(1.0)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    if state == TrayState.WORKING:
        ring = QRectF(1.2, 1.2, 21.6, 21.6)
        painter.setPen(QPen(faint, 1.8))
        painter.drawEllipse(ring)
        painter.setPen(QPen(colour, 2.2, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap))
        painter.drawArc(ring, 90 * 16, -round(360 * 16 * (0.12 if progress is None else max(progress, 0.03))))
    elif state == TrayState.ATTENTION:
        painter.setPen(QPen(QColor("#26262b"), 0.8))
        painter.setBrush(_AMBER)
        painter.drawEllipse(QPointF(18.6, 18.6), 4.6, 4.6)
        painter.setPen(QPen(QColor("#26262b"), 1.6, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap))
        painter.drawLine(QPointF(18.6, 16.2), QPointF(18.6, 18.8))
        painter.drawPoint(QPointF(18.6, 20.9))
    elif state == TrayState.PAUSED:
        painter.setPen(QPen(colour, 2.4, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap))
        for x in (17.0, 20.6):
            painter.drawLine(QPointF(x, 16.5), QPointF(x, 21.5))
    painter.end()
    return pixmap


def mark() -> QPainterPath:
    """Return the shape of CiteLoom's mark: two quotation marks below a horizontal bar."""
    path = QPainterPath()
    for left in (5.6, 12.6):
        path.addRoundedRect(QRectF(left, 8.2, 5.4, 5.4), 1.3, 1.3)
        tail = QPainterPath(QPointF(left + 5.4, 11.2))
        tail.cubicTo(left + 5.4, 15.4, left + 4.0, 17.4, left + 1.0, 18.4)
        tail.lineTo(left + 0.4, 16.9)
        tail.cubicTo(left + 2.2, 16.2, left + 3.0, 14.8, left + 3.0, 12.4)
        tail.closeSubpath()
        path = path.united(tail)
    bar = QPainterPath()
    bar.addRoundedRect(QRectF(5.0, 5.2, 14.0, 1.5), 0.75, 0.75)
    return path.united(bar)
