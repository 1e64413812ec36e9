"""The page on which a passage stands: rendered by the engine, zoomed and turned here."""

from __future__ import annotations

import base64
from functools import partial
from typing import Any

from PySide6.QtCore import QEvent, QObject, QPointF, Qt, QTimer, Signal
from PySide6.QtGui import QImage, QKeySequence, QPalette, QResizeEvent, QShortcut, QWheelEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QPushButton, QScrollArea, QVBoxLayout, QWidget

from citeloom.api.library import GetPageImage, PageImage
from citeloom.api.search import SearchHit
from citeloom.core.errors import CiteLoomError, Code
from citeloom.desktop.search.empty_states import busy_line
from citeloom.desktop.search.joined_passages import JoinedPassages
from citeloom.desktop.search.page_canvas import PageCanvas
from citeloom.desktop.shell.engine_tasks import Task
from citeloom.desktop.shell.page import PageContext
from citeloom.desktop.widgets import basics

_BUSY_AFTER_MS, _SHARPEN_AFTER_MS = 300, 200
_NARROWEST, _WIDEST = 200, 4000  # pixels of a picture that is asked for
_ZOOMS = (0.5, 0.75, 1.0, 1.25, 1.5, 2.0, 3.0)
_FIT = 1.0  # as wide as there is room


class PageView(QWidget):
    """Shows the page of one passage after another; the last one stays, dimmed, until the next has come."""

    failed = Signal(object)  # a CiteLoomError: this passage's page cannot be shown

    def __init__(self, context: PageContext) -> None:
        super().__init__()
        self._context = context
        self._passage: tuple[str, str] | None = None  # project and passage
        self._span = (0, 0)  # the pages it runs over
        self._page: int | None = None  # as asked for; None: where the passage begins
        self._pages = 0
        self._zoom = _FIT
        self._asked_width = 0
        self._show_mark = False
        self._pending = False  # the page is here, the place of the passage on it is still to be found
        self._looking = False  # for the place of a passage, this one's or another's
        self._task: Task | None = None
        self._joined = JoinedPassages(context, self._mark_more, self)
        self.canvas = PageCanvas()
        self.paper = QScrollArea()
        self.paper.setWidget(self.canvas)
        self.paper.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.paper.setBackgroundRole(QPalette.ColorRole.Window)
        self.paper.setFrameShape(QFrame.Shape.NoFrame)
        self.paper.setAccessibleName(self.tr("Page"))
        self.paper.viewport().installEventFilter(self)
        self.busy = busy_line(self.tr("The page is being drawn"))
        self.note = basics.text(muted=True)
        self.note.hide()
        back, forward = ("forward", "back") if self.isRightToLeft() else ("back", "forward")
        self.previous = self._tool(back, self.tr("Previous page"), "Alt+PgUp", lambda: self._turn(-1))
        self.next = self._tool(forward, self.tr("Next page"), "Alt+PgDown", lambda: self._turn(1))
        self.where = basics.text(muted=True)
        self.where.setWordWrap(False)
        self.smaller = self._tool("minus", self.tr("Zoom out"), "Ctrl+-", lambda: self.zoom(-1))
        self.larger = self._tool("add", self.tr("Zoom in"), "Ctrl++", lambda: self.zoom(1), "Ctrl+=")
        self.fit = self._tool("fit", self.tr("Fit the width"), "Ctrl+0", lambda: self.zoom(0))
        self._put_together()
        self._busy_timer = QTimer(self, singleShot=True, interval=_BUSY_AFTER_MS)
        self._busy_timer.timeout.connect(self.busy.show)
        self._sharpen = QTimer(self, singleShot=True, interval=_SHARPEN_AFTER_MS)
        self._sharpen.timeout.connect(self._ask_if_wider)
        self._say_where()

    def _put_together(self) -> None:
        row = QHBoxLayout()
        for part in (self.previous, self.where, self.next):
            row.addWidget(part)
        row.addStretch()
        for part in (self.smaller, self.fit, self.larger):
            row.addWidget(part)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(4)
        layout.addWidget(self.busy)
        layout.addWidget(self.paper, 1)
        layout.addWidget(self.note)
        layout.addLayout(row)

    def show_passage(self, project: str, hit: SearchHit) -> None:
        """Show the page on which a passage begins."""
        self._passage, self._page, self._show_mark = (project, hit.chunk_id), None, True
        self._span = hit.page_span or (0, 0)
        self._joined.follow(hit)
        self._ask()

    def leave(self) -> None:
        """Another passage is about to be shown: what is there is dimmed, what was asked for is not waited for."""
        self._stop()
        self._joined.leave()
        self._passage, self._pending = None, False
        self.canvas.dim(True)

    def ask_again(self) -> None:
        """The engine is back: ask for what is missing."""
        if self._passage and (self.canvas.dimmed or self._pending):
            self._ask()

    def empty(self) -> None:
        """Show nothing."""
        self.leave()
        self.canvas.show_picture(QImage(), [])
        self.canvas.set_width(0)
        self.note.hide()
        self._pages = 0
        self._say_where()

    def zoom(self, step: int) -> None:
        """One step larger or smaller; 0 fits the width."""
        at = _ZOOMS.index(self._zoom)
        self._zoom = _ZOOMS[min(max(at + step, 0), len(_ZOOMS) - 1)] if step else _FIT
        middle = self._middle()
        self._lay_out()
        self._go_to(middle)
        self._sharpen.start()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._lay_out()
        self._sharpen.start()

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.DevicePixelRatioChange:  # moved to a screen of another density
            self._sharpen.start()
        return super().event(event)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if isinstance(event, QWheelEvent) and event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            if turn := event.angleDelta().y():
                self.zoom(1 if turn > 0 else -1)
            return True
        return super().eventFilter(watched, event)

    # -- asking ------------------------------------------------------------------------------------------------

    def _wanted_width(self) -> int:
        return min(max(round(self._width() * self.devicePixelRatioF()), _NARROWEST), _WIDEST)

    def _ask(self) -> None:
        if self._passage:
            self._stop()
            request = self._request()
            self._busy_timer.start()
            self._task = self._context.tasks.send(self, request, done=self._decode, failed=self._on_failed)

    def _request(self, *, recognise: bool = False) -> GetPageImage:
        project, chunk_id = self._passage or ("", "")
        width = self._asked_width = self._wanted_width()
        return GetPageImage(project=project, chunk_id=chunk_id, width=width, page=self._page, recognise=recognise)

    def _look_for_place(self) -> None:
        """Have the passage found on a scan. One at a time: several would leave no way to the engine for the rest."""
        self._busy_timer.start()
        if self._looking:
            return
        self._looking = True
        wanted, request = (self._passage, self._page), self._request(recognise=True)

        def done(answer: PageImage) -> None:
            if ended():
                self._stop()
                self._asked_width = request.width  # it may have become wider meanwhile
                self._decode(answer)
                self._sharpen.start()

        def failed(error: CiteLoomError) -> None:
            # An engine that is lost is asked again when it is back, which may have been already.
            if ended() and error.code != Code.ENGINE_UNAVAILABLE:
                self._on_failed(error)

        def ended() -> bool:
            self._looking = False
            still = wanted == (self._passage, self._page)
            if self._pending and not still:
                self._look_for_place()
            return still

        self._context.tasks.send(self, request, done=done, failed=failed)

    def _ask_if_wider(self) -> None:
        """Sharpen what was only stretched; a picture that is larger than needed does as well."""
        if self._passage and not self.canvas.picture.isNull() and self._wanted_width() > self._asked_width:
            self._ask()

    def _decode(self, answer: PageImage) -> None:
        self._task = self._context.tasks.run(
            self, lambda report: _picture(answer.png), done=partial(self._show, answer), failed=self._on_failed
        )

    def _show(self, answer: PageImage, picture: QImage) -> None:
        self._stop()
        another = self._page != answer.page
        self._page, self._pages = answer.page, answer.pages
        middle = self._middle()
        self.canvas.show_picture(picture, answer.marks)
        self._lay_out()
        self._say_where(answer.label)
        self._pending = answer.pending
        self._say_note(found=answer.found)
        if self._show_mark or another:
            self._go_to_mark()
        else:
            self._go_to(middle)
        self._show_mark = self._pending
        if self._pending:  # a scan: where its words stand takes the engine seconds, so the page comes first
            self._look_for_place()
        if self._passage:
            self._joined.look(self._passage[0], self._page)

    def _mark_more(self, marks: list[list[float]]) -> None:
        """Mark the other parts of a passage too; they come after the page."""
        first = not self.canvas.marks
        self.canvas.show_picture(self.canvas.picture, [*self.canvas.marks, *marks])
        if marks:
            self._say_note(found=True)
        if marks and first:  # on this page, nothing else of it stands
            self._go_to_mark()

    def _on_failed(self, error: CiteLoomError) -> None:
        self._stop()
        if self.canvas.dimmed or self.canvas.picture.isNull():
            self.failed.emit(error)
        elif error.code != Code.ENGINE_UNAVAILABLE:  # the page itself is there to be read
            self._pending = False
            self._say_note(found=bool(self.canvas.marks))

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
            self._joined.leave()
            self._show_mark, self._pending = True, False
            self.canvas.dim(True)
            self._say_where()
            self._ask()

    def _width(self) -> int:
        room = self.paper.viewport().width()
        if self._zoom == _FIT and not self.paper.verticalScrollBar().isVisible():
            room -= self.paper.verticalScrollBar().sizeHint().width()
        return max(1, round(room * self._zoom))

    def _lay_out(self) -> None:
        self.canvas.set_width(self._width())

    def _middle(self) -> QPointF:
        view = self.paper.viewport()
        width, height = max(1, self.canvas.width()), max(1, self.canvas.height())
        across, down = self.paper.horizontalScrollBar().value(), self.paper.verticalScrollBar().value()
        return QPointF((across + view.width() / 2) / width, (down + view.height() / 2) / height)

    def _go_to(self, middle: QPointF) -> None:
        view = self.paper.viewport()
        self.paper.horizontalScrollBar().setValue(round(middle.x() * self.canvas.width() - view.width() / 2))
        self.paper.verticalScrollBar().setValue(round(middle.y() * self.canvas.height() - view.height() / 2))

    def _go_to_mark(self) -> None:
        places = self.canvas.places()
        view = self.paper.viewport()
        top = places[0].top() - view.height() / 4 if places else 0
        self.paper.verticalScrollBar().setValue(round(top))
        self.paper.horizontalScrollBar().setValue(round(places[0].left() - view.width() / 4) if places else 0)

    def _say_where(self, label: str | None = None) -> None:
        known = self._page is not None and self._pages
        text = ""
        if known:
            text = self.tr("{page} of {pages}").format(
                page=basics.number(self._page or 0), pages=basics.number(self._pages)
            )
            if label and label != str(self._page):
                text = self.tr("page {label} ({place})").format(label=label, place=text)
        self.where.setText(text)
        self.canvas.setAccessibleName(text)
        self.previous.setEnabled(bool(known and self._page and self._page > 1))
        self.next.setEnabled(bool(known and self._page and self._page < self._pages))

    def _say_note(self, *, found: bool) -> None:
        if self._pending:
            self.note.setText(self.tr("The passage is being looked for on this page …"))
        else:
            self.note.setText(self.tr("The passage stands on this page, but its exact place could not be marked."))
        self.note.setVisible(not found and self._span[0] <= (self._page or 0) <= self._span[1])

    def _tool(self, icon_name: str, text: str, shortcut: str, pressed: Any, *also: str) -> QPushButton:
        made = basics.button(
            "", pressed, icon_name=icon_name, tip=self.tr("{what} ({keys})").format(what=text, keys=shortcut)
        )
        made.setAccessibleName(text)
        made.setFlat(True)
        keys = QShortcut(self)
        keys.setKeys([QKeySequence(shortcut), *(QKeySequence(key) for key in also)])
        keys.activated.connect(made.click)
        return made


def _picture(png: str) -> QImage:
    """A picture in the form that is painted fastest."""
    return QImage.fromData(base64.b64decode(png)).convertToFormat(QImage.Format.Format_RGB32)
