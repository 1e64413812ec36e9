"""Image of a page with highlighted passages. Used by `page_view`."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QColor, QImage, QPainter, QPainterPath, QPaintEvent, QPalette
from PySide6.QtWidgets import QWidget

_MARKER = QColor(255, 233, 105)
_DIMMED = 0.35


class PageCanvas(QWidget):
    """Paints a page image and its highlights; the page stays white in dark palettes."""

    def __init__(self) -> None:
        super().__init__()
        self.picture = QImage()
        self.marks: list[list[float]] = []
        self.dimmed = False

    def show_picture(self, picture: QImage, marks: list[list[float]]) -> None:
        """Show a page image with marks: left, top, right, bottom as fractions of the page."""
        self.picture, self.marks, self.dimmed = picture, marks, False
        self.update()

    def dim(self, dimmed: bool) -> None:
        """Dim the page while the next one is loading."""
        self.dimmed = dimmed
        self.update()

    def set_width(self, width: int) -> None:
        """Set the width; the height follows the aspect ratio of the page."""
        if self.picture.isNull():
            self.setFixedSize(QSize(0, 0))
        else:
            self.setFixedSize(width, max(1, round(width * self.picture.height() / self.picture.width())))

    def places(self) -> list[QRectF]:
        """Return the marks in widget coordinates."""
        width, height = self.width(), self.height()
        return [QRectF(x0 * width, y0 * height, (x1 - x0) * width, (y1 - y0) * height) for x0, y0, x1, y1 in self.marks]

    def paintEvent(self, event: QPaintEvent) -> None:
        if self.picture.isNull():
            return
        painter = QPainter(self)
        painter.setRenderHints(QPainter.RenderHint.SmoothPixmapTransform | QPainter.RenderHint.Antialiasing)
        painter.setOpacity(_DIMMED if self.dimmed else 1.0)
        painter.drawImage(QRectF(self.rect()), self.picture)
        painter.save()
        painter.setCompositionMode(QPainter.CompositionMode.CompositionMode_Multiply)
        marked = QPainterPath()
        marked.setFillRule(Qt.FillRule.WindingFill)  # overlapping lines are not highlighted twice
        for place in self.places():
            marked.addRoundedRect(place.adjusted(-2, -1, 2, 1), 2, 2)
        painter.fillPath(marked, _MARKER)
        painter.restore()
        painter.setPen(self.palette().color(QPalette.ColorRole.Mid))
        painter.drawRect(self.rect().adjusted(0, 0, -1, -1))
        painter.end()
