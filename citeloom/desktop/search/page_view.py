"""View of the page of a passage: images rendered by the engine, with zoom and page turning. Used by `reader`."""

from __future__ import annotations

import base64
from functools import partial
from typing import Any

from PySide6.QtCore import QEvent, QObject, QPointF, Qt, Signal
from PySide6.QtGui import QImage, QKeySequence, QPalette, QShortcut, QWheelEvent
from PySide6.QtWidgets import QFrame, QPushButton, QScrollArea, QWidget

from citeloom.api.library import GetPageImage, PageImage
from citeloom.api.search import SearchHit
from citeloom.core.errors import CiteLoomError, Code
from citeloom.desktop.search.page_canvas import PageCanvas
from citeloom.desktop.shell.engine_tasks import Task
from citeloom.desktop.shell.page import PageContext
from citeloom.desktop.widgets import basics
from citeloom.desktop.widgets.layout import Stretch, column, row

_BUSY_AFTER_MS, _SHARPEN_AFTER_MS = 300, 200
_MIN_WIDTH, _MAX_WIDTH = 200, 4000  # pixels; bounds of a requested image
_ZOOMS = (0.5, 0.75, 1.0, 1.25, 1.5, 2.0, 3.0)
_FIT = 1.0  # fits the width
_UNSHOWN_WIDTH = 200  # pixels of an image that is not shown: marks are fractions of the page


class PageView(QWidget):
    """Shows the page of a passage; the previous page stays dimmed until the next one is loaded."""

    failed = Signal(object)  # a CiteLoomError: this passage's page cannot be shown

    def __init__(self, context: PageContext) -> None:
        super().__init__()
        self._context = context
        self._passage: tuple[str, str] | None = None  # project and passage
        self._span = (0, 0)  # first and last page of the passage
        self._page: int | None = None  # the requested page; None: the first page of the passage
        self._pages = 0
        self._zoom = _FIT
        self._requested_width = 0
        self._show_mark = False
        self._pending = False  # the page is loaded, the marks of the passage are not
        self._locating = False  # a request with OCR is running, for this passage or a previous one
        self._task: Task | None = None
        self._merged: list[str] = []  # ids of the other passages of a merged hit, which are marked as well
        self._marks_tasks: list[Task] = []
        self.canvas = PageCanvas()
        self.scroll_area = basics.named(QScrollArea(), self.tr("Page"))
        self.scroll_area.setWidget(self.canvas)
        self.scroll_area.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.scroll_area.setBackgroundRole(QPalette.ColorRole.Window)
        self.scroll_area.setFrameShape(QFrame.Shape.NoFrame)
        self.scroll_area.viewport().installEventFilter(self)
        self.busy = basics.busy_line(self.tr("The page is loading"))
        self.note = basics.text(muted=True)
        self.note.hide()
        back, forward = ("forward", "back") if self.isRightToLeft() else ("back", "forward")
        self.previous = self._tool(back, self.tr("Previous page"), "Alt+PgUp", lambda: self._turn(-1))
        self.next = self._tool(forward, self.tr("Next page"), "Alt+PgDown", lambda: self._turn(1))
        self.position = basics.text(muted=True)
        self.position.setWordWrap(False)
        self.smaller = self._tool("minus", self.tr("Zoom out"), "Ctrl+-", lambda: self.zoom(-1))
        self.larger = self._tool("add", self.tr("Zoom in"), "Ctrl++", lambda: self.zoom(1), "Ctrl+=")
        self.fit = self._tool("fit", self.tr("Fit the width"), "Ctrl+0", lambda: self.zoom(0))
        tools = (self.previous, self.position, self.next, Stretch(), self.smaller, self.fit, self.larger)
        column(self.busy, (self.scroll_area, 1), self.note, row(*tools), of=self, spacing=4)
        self._busy_timer = basics.single_shot(self, _BUSY_AFTER_MS, self.busy.show)
        self._sharpen = basics.single_shot(self, _SHARPEN_AFTER_MS, self._load_if_wider)
        self._show_position()

    def show_passage(self, project: str, hit: SearchHit) -> None:
        """Show the page on which a passage begins."""
        self._passage, self._page, self._show_mark = (project, hit.chunk_id), None, True
        self._span = hit.page_span or (0, 0)
        self._drop_marks_requests()
        self._merged = [part.chunk_id for part in hit.merged if part.chunk_id != hit.chunk_id]
        self._load()

    def drop_requests(self) -> None:
        """Dim the page and drop pending requests, before another passage is shown."""
        self._stop()
        self._drop_marks_requests()
        self._passage, self._pending = None, False
        self.canvas.dim(True)

    def reload(self) -> None:
        """Request again what is missing, when the engine is back."""
        if self._passage and (self.canvas.dimmed or self._pending):
            self._load()

    def empty(self) -> None:
        """Clear the view."""
        self.drop_requests()
        self.canvas.show_picture(QImage(), [])
        self.canvas.set_width(0)
        self.note.hide()
        self._pages = 0
        self._show_position()

    def zoom(self, step: int) -> None:
        """Zoom in or out by one step; 0 fits the width."""
        at = _ZOOMS.index(self._zoom)
        self._zoom = _ZOOMS[min(max(at + step, 0), len(_ZOOMS) - 1)] if step else _FIT
        middle = self._middle()
        self._resize_canvas()
        self._scroll_to(middle)
        self._sharpen.start()

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.DevicePixelRatioChange:  # moved to a screen of another pixel density
            self._sharpen.start()
        return super().event(event)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        # The viewport's own event: it may be resized later than this view, which is hidden with the search page.
        if event.type() == QEvent.Type.Resize:
            self._resize_canvas()
            self._sharpen.start()
        elif isinstance(event, QWheelEvent) and event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            if turn := event.angleDelta().y():
                self.zoom(1 if turn > 0 else -1)
            return True
        return super().eventFilter(watched, event)

    # -- loading -----------------------------------------------------------------------------------------------

    def _wanted_width(self) -> int:
        return min(max(round(self._width() * self.devicePixelRatioF()), _MIN_WIDTH), _MAX_WIDTH)

    def _load(self) -> None:
        if self._passage:
            self._stop()
            request = self._request()
            self._busy_timer.start()
            self._task = self._context.tasks.send(self, request, done=self._decode, failed=self._on_failed)

    def _request(self, *, recognise: bool = False) -> GetPageImage:
        project, chunk_id = self._passage or ("", "")
        width = self._requested_width = self._wanted_width()
        return GetPageImage(project=project, chunk_id=chunk_id, width=width, page=self._page, recognise=recognise)

    def _locate_passage(self) -> None:
        """Locate the passage on a scan by OCR. One request at a time: several would occupy all connections."""
        self._busy_timer.start()
        if self._locating:
            return
        self._locating = True
        wanted, request = (self._passage, self._page), self._request(recognise=True)

        def done(answer: PageImage) -> None:
            if finish():
                self._stop()
                self._requested_width = request.width  # the view may have become wider meanwhile
                self._decode(answer)
                self._sharpen.start()

        def failed(error: CiteLoomError) -> None:
            # If the engine was lost, the request is repeated when it is back.
            if finish() and error.code != Code.ENGINE_UNAVAILABLE:
                self._on_failed(error)

        def finish() -> bool:
            self._locating = False
            current = wanted == (self._passage, self._page)
            if self._pending and not current:
                self._locate_passage()
            return current

        self._context.tasks.send(self, request, done=done, failed=failed)

    def _load_if_wider(self) -> None:
        """Request a larger image if the current one is stretched; a smaller one is never requested."""
        if self._passage and not self.canvas.picture.isNull() and self._wanted_width() > self._requested_width:
            self._load()

    def _decode(self, answer: PageImage) -> None:
        self._task = self._context.tasks.run(
            self, lambda: _picture(answer.png), done=partial(self._show, answer), failed=self._on_failed
        )

    def _show(self, answer: PageImage, picture: QImage) -> None:
        self._stop()
        another = self._page != answer.page
        self._page, self._pages = answer.page, answer.pages
        middle = self._middle()
        self.canvas.show_picture(picture, answer.marks)
        self._resize_canvas()
        self._show_position(answer.label)
        self._pending = answer.pending
        self._show_note(found=answer.found)
        if self._show_mark or another:
            self._scroll_to_mark()
        else:
            self._scroll_to(middle)
        self._show_mark = self._pending
        if self._pending:  # a scan: locating its words takes the engine seconds, so the page is shown first
            self._locate_passage()
        if self._passage:
            self._request_marks(self._passage[0], self._page)

    def _request_marks(self, project: str, page: int) -> None:
        """Request the marks of the other passages on a page; passages that are not found have none."""
        self._drop_marks_requests()
        for chunk_id in self._merged:
            request = GetPageImage(project=project, chunk_id=chunk_id, width=_UNSHOWN_WIDTH, page=page)
            task = self._context.tasks.send(self, request, done=self._add_marks, failed=lambda error: None)
            self._marks_tasks.append(task)

    def _drop_marks_requests(self) -> None:
        for task in self._marks_tasks:
            task.drop()
        self._marks_tasks = []

    def _add_marks(self, answer: PageImage) -> None:
        marks = answer.marks
        first = not self.canvas.marks
        self.canvas.show_picture(self.canvas.picture, [*self.canvas.marks, *marks])
        if marks:
            self._show_note(found=True)
        if marks and first:  # the main passage has no mark on this page
            self._scroll_to_mark()

    def _on_failed(self, error: CiteLoomError) -> None:
        self._stop()
        if self.canvas.dimmed or self.canvas.picture.isNull():
            self.failed.emit(error)
        elif error.code != Code.ENGINE_UNAVAILABLE:  # the page itself is shown
            self._pending = False
            self._show_note(found=bool(self.canvas.marks))

    def _stop(self) -> None:
        if self._task:
            self._task.drop()
        self._task = None
        self._busy_timer.stop()
        self.busy.hide()

    # -- showing -----------------------------------------------------------------------------------------------

    def _turn(self, step: int) -> None:
        if self._passage and self._page is not None and 1 <= self._page + step <= self._pages:
            self._page += step
            self._drop_marks_requests()
            self._show_mark, self._pending = True, False
            self.canvas.dim(True)
            self._show_position()
            self._load()

    def _width(self) -> int:
        room, bar = self.scroll_area.viewport().width(), self.scroll_area.verticalScrollBar()
        if not bar.isVisible():  # the same width with and without it, or the two would alternate
            room -= bar.sizeHint().width()
        return max(1, round(room * self._zoom))

    def _resize_canvas(self) -> None:
        self.canvas.set_width(self._width())

    def _middle(self) -> QPointF:
        view = self.scroll_area.viewport()
        width, height = max(1, self.canvas.width()), max(1, self.canvas.height())
        across, down = self.scroll_area.horizontalScrollBar().value(), self.scroll_area.verticalScrollBar().value()
        return QPointF((across + view.width() / 2) / width, (down + view.height() / 2) / height)

    def _scroll_to(self, middle: QPointF) -> None:
        view = self.scroll_area.viewport()
        self.scroll_area.horizontalScrollBar().setValue(round(middle.x() * self.canvas.width() - view.width() / 2))
        self.scroll_area.verticalScrollBar().setValue(round(middle.y() * self.canvas.height() - view.height() / 2))

    def _scroll_to_mark(self) -> None:
        places = self.canvas.places()
        view = self.scroll_area.viewport()
        top = places[0].top() - view.height() / 4 if places else 0
        self.scroll_area.verticalScrollBar().setValue(round(top))
        self.scroll_area.horizontalScrollBar().setValue(round(places[0].left() - view.width() / 4) if places else 0)

    def _show_position(self, label: str | None = None) -> None:
        known = self._page is not None and self._pages
        text = ""
        if known:
            text = self.tr("{page} of {pages}").format(
                page=basics.number(self._page or 0), pages=basics.number(self._pages)
            )
            if label and label != str(self._page):
                text = self.tr("page {label} ({place})").format(label=label, place=text)
        self.position.setText(text)
        self.canvas.setAccessibleName(text)
        self.previous.setEnabled(bool(known and self._page and self._page > 1))
        self.next.setEnabled(bool(known and self._page and self._page < self._pages))

    def _show_note(self, *, found: bool) -> None:
        if self._pending:
            self.note.setText(self.tr("Locating the passage on this page …"))
        else:
            self.note.setText(self.tr("The passage is on this page, but its exact position could not be determined."))
        self.note.setVisible(not found and self._span[0] <= (self._page or 0) <= self._span[1])

    def _tool(self, icon_name: str, text: str, shortcut: str, pressed: Any, *more_shortcuts: str) -> QPushButton:
        result = basics.button(
            "", pressed, icon_name=icon_name, tip=self.tr("{what} ({keys})").format(what=text, keys=shortcut)
        )
        result.setAccessibleName(text)
        result.setFlat(True)
        keys = QShortcut(self)
        keys.setKeys([QKeySequence(shortcut), *(QKeySequence(key) for key in more_shortcuts)])
        keys.activated.connect(result.click)
        return result


def _picture(png: str) -> QImage:
    """Decode an image into the format that Qt paints fastest."""
    return QImage.fromData(base64.b64decode(png)).convertToFormat(QImage.Format.Format_RGB32)
