"""Basic widgets of all pages: labels, buttons, banners, empty states and confirmations; number and date formats."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from html import escape
from itertools import pairwise
from typing import TypeVar

from PySide6.QtCore import QDateTime, QEvent, QLocale, QObject, QRectF, QSize, Qt, QTimer
from PySide6.QtGui import QColor, QFont, QPainter, QPaintEvent, QPalette
from PySide6.QtWidgets import (
    QApplication,
    QFrame,
    QLabel,
    QLineEdit,
    QMessageBox,
    QProgressBar,
    QPushButton,
    QScrollArea,
    QSizePolicy,
    QWidget,
)

from citeloom.core.errors import CiteLoomError, Code
from citeloom.core.text.sanitize import clean
from citeloom.core.types import Coverage
from citeloom.desktop.shell.icons import icon
from citeloom.desktop.shell.translations import translate
from citeloom.desktop.widgets.layout import Stretch, column, row

GAP = 12  # pixels between the parts of a page
_MAX_CELL = 400  # characters in a cell of a table or list; no column is wider
PAGE_MARGINS = (2 * GAP, GAP, 2 * GAP, GAP)

Action = tuple[str, Callable[[], object]]
WidgetT = TypeVar("WidgetT", bound=QWidget)


class _Label(QLabel):
    """Plain-text label: text from documents is never rendered as markup and cannot change the direction of its line."""

    def __init__(self, message: str) -> None:
        super().__init__(clean(message), textFormat=Qt.TextFormat.PlainText)

    def setText(self, message: str) -> None:
        super().setText(clean(message))


def text(
    message: str = "", *, muted: bool = False, bold: bool = False, bigger: float = 1.0, shrinks: bool = False
) -> QLabel:
    """Create a label whose text wraps and can be selected; if it shrinks, a long word does not widen the window."""
    label = _Label(message)
    if shrinks:
        label.setMinimumWidth(1)
    label.setWordWrap(True)
    label.setTextInteractionFlags(
        Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
    )
    label.setFocusPolicy(Qt.FocusPolicy.NoFocus)
    font = label.font()
    font.setPointSizeF(font.pointSizeF() * bigger)
    font.setWeight(QFont.Weight.DemiBold if bold else font.weight())
    label.setFont(font)
    if muted:
        label.setForegroundRole(QPalette.ColorRole.PlaceholderText)
    return label


def heading(message: str) -> QLabel:
    """Create the heading of a page or of a part of it."""
    return text(message, bold=True, bigger=1.25)


def button(message: str, pressed: Callable[[], object], *, icon_name: str = "", tip: str = "") -> QPushButton:
    """Create a push button with an accessible name."""
    widget = QPushButton(icon(icon_name), message) if icon_name else QPushButton(message)
    widget.clicked.connect(lambda checked: pressed())
    widget.setAccessibleName(message.replace("&", "") or tip)
    widget.setToolTip(tip)
    widget.setAutoDefault(False)
    return widget


def label_for(message: str, field: QWidget, *, wrap: bool = False) -> QLabel:
    """Create a label whose mnemonic focuses a field."""
    label = QLabel(message, wordWrap=wrap)
    label.setBuddy(field)
    return label


def search_field(message: str, changed: Callable[[str], object]) -> QLineEdit:
    """Create a field that filters a list while its text changes."""
    field = QLineEdit(placeholderText=message, clearButtonEnabled=True)
    field.setAccessibleName(message)
    field.textChanged.connect(changed)
    return field


def busy_line(message: str) -> QProgressBar:
    """Create a thin busy indicator that keeps its space while hidden."""
    line = named(QProgressBar(minimum=0, maximum=0, textVisible=False), message)
    line.setMaximumHeight(4)
    keep_space(line)
    line.hide()
    return line


def named(widget: WidgetT, name: str) -> WidgetT:
    """Give a widget its name for screen readers."""
    widget.setAccessibleName(name)
    return widget


def single_shot(owner: QObject, interval: int, callback: Callable[[], object]) -> QTimer:
    """Create a timer that calls back once, some milliseconds after each start."""
    timer = QTimer(owner, singleShot=True, interval=interval)
    timer.timeout.connect(callback)
    return timer


def keep_space(widget: QWidget) -> None:
    """Let a widget keep its space while it is hidden, so that the layout does not change."""
    policy = widget.sizePolicy()
    policy.setRetainSizeWhenHidden(True)
    widget.setSizePolicy(policy)


def scroll_area(part: QWidget) -> QScrollArea:
    """Put a widget into a frameless scroll area."""
    area = QScrollArea(widgetResizable=True)
    area.setFrameShape(QFrame.Shape.NoFrame)
    area.setWidget(part)
    return area


def tab_order(*parts: QWidget) -> None:
    """Set the tab order of the given widgets."""
    for one, other in pairwise(parts):
        QWidget.setTabOrder(one, other)


class IconLabel(QLabel):
    """Label that shows an icon and redraws it when the palette changes."""

    def __init__(self, icon_name: str, size: int) -> None:
        super().__init__()
        self._size = size
        self.show_icon(icon_name)

    def show_icon(self, icon_name: str) -> None:
        """Show an icon."""
        self._name = icon_name
        self.setPixmap(icon(icon_name).pixmap(QSize(self._size, self._size)))

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange:
            self.show_icon(self._name)


class EmptyState(QWidget):
    """Placeholder of an empty view: an icon, the reason, and buttons for what to do next."""

    def __init__(self, icon_name: str, title: str, message: str, actions: Sequence[Action] = ()) -> None:
        super().__init__()
        self.picture = IconLabel(icon_name, 48)
        self.title = text(title, bold=True, bigger=1.3)
        self.message = text(message, muted=True)
        self.buttons = [button(label, pressed) for label, pressed in actions]
        for part in (self.picture, self.title, self.message):
            part.setAlignment(Qt.AlignmentFlag.AlignHCenter)
        buttons = row(Stretch(), *self.buttons, Stretch())
        column(Stretch(2), self.picture, self.title, self.message, GAP, buttons, Stretch(3), of=self, margins=None)

    def show_message(self, title: str, message: str) -> None:
        """Replace the title and the text."""
        self.title.setText(title)
        self.message.setText(message)


class Banner(QFrame):
    """Message above a page, with at most one action."""

    _load_error = False  # it says why something could not be loaded

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("banner")
        self.setFrameShape(QFrame.Shape.StyledPanel)
        self._icon = IconLabel("info", 20)
        self.message = text(shrinks=True)
        self.message.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        self.button = named(QPushButton(), self.tr("What to do about it"))
        self.close_button = button("", self.hide, icon_name="close", tip=self.tr("Close this message"))
        self.close_button.setFlat(True)
        self._pressed: Callable[[], object] = self.hide
        self.button.clicked.connect(lambda _: self._pressed())
        row(self._icon, (self.message, 1), self.button, self.close_button, of=self, margins=None)
        self.hide()

    def show_message(
        self, message: str, *, warning: bool = False, action: Action | None = None, closable: bool = True
    ) -> None:
        """Show a message."""
        self._load_error = False
        self._icon.show_icon("warning" if warning else "info")
        self.message.setText(message)
        self.setAccessibleName(message)
        self.button.setVisible(action is not None)
        if action:
            self.button.setText(action[0])
            self.button.setAccessibleName(action[0].replace("&", ""))
            self._pressed = action[1]
        self.close_button.setVisible(closable)
        self.show()

    def show_error(self, error: CiteLoomError, *, action: Action | None = None) -> None:
        """Show an error with its next step."""
        self.show_message(str(error), warning=True, action=action)

    def load_failed(self, error: CiteLoomError) -> None:
        """Show that loading failed; that the engine is unavailable is shown by the window, once for all pages."""
        if error.code != Code.ENGINE_UNAVAILABLE:
            self.show_error(error)
            self._load_error = True

    def load_succeeded(self) -> None:
        """Hide the message of a failed load; messages about actions stay."""
        if self._load_error:
            self.hide()


class StateBox(QFrame):
    """Box with an icon, a state in bold, and details."""

    def __init__(self, state: str, *buttons: QWidget) -> None:
        super().__init__()
        self.setObjectName("banner")
        self._icon = IconLabel("info", 28)
        self.state = text(state, bold=True)
        self.details = text()
        self.details.hide()
        row(self._icon, (column(self.state, self.details), 1), *buttons, of=self, margins=(GAP,) * 4, spacing=GAP)

    def show_state(self, icon_name: str, state: str, details: str) -> None:
        """Show a state."""
        self._icon.show_icon(icon_name)
        self.state.setText(state)
        self.details.setText(details)
        self.details.setVisible(bool(details))


NO_COVERAGE = Coverage(documents=0, searchable=0, by_meaning=0, pending=0, failed=0, without_file=0)


class CoverageBar(QWidget):
    """Bar of a project's coverage: the shares that are searchable, pending, failed and without a file."""

    def __init__(self) -> None:
        super().__init__()
        self._coverage = NO_COVERAGE
        self.setMinimumSize(80, 10)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def show_coverage(self, coverage: Coverage) -> None:
        """Show the counts of a project."""
        self._coverage = coverage
        self.setToolTip(coverage_text(coverage))
        self.setAccessibleName(coverage_text(coverage))
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(160, 10)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        paint_coverage(painter, QRectF(self.rect()), self._coverage)
        painter.end()


_PARTS = (("searchable", "#3a9d5d"), ("pending", "#8b8bd8"), ("failed", "#d1495b"), ("without_file", "#b0a58f"))


def paint_coverage(painter: QPainter, rect: QRectF, coverage: Coverage) -> None:
    """Paint a coverage bar; also used by item delegates."""
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(Qt.PenStyle.NoPen)
    background = QApplication.palette().color(QPalette.ColorRole.Mid)
    background.setAlphaF(0.35)
    painter.setBrush(background)
    painter.drawRoundedRect(rect, rect.height() / 2, rect.height() / 2)
    total = coverage.documents
    painter.save()
    painter.setClipRect(rect)
    left = rect.left()
    for name, colour in _PARTS:
        width = rect.width() * getattr(coverage, name) / total if total else 0
        if width:
            painter.setBrush(QColor(colour))
            painter.drawRect(QRectF(left, rect.top(), max(width, 2.0), rect.height()))
            left += width
    painter.restore()


def coverage_text(coverage: Coverage) -> str:
    """Return the coverage of a project as text."""
    parts = [
        translate("Coverage", "{searchable} of {documents} papers searchable").format(
            searchable=number(coverage.searchable), documents=number(coverage.documents)
        )
    ]
    for count, message in (
        (coverage.searchable - coverage.by_meaning, translate("Coverage", "{count} by words only so far")),
        (coverage.pending, translate("Coverage", "{count} still to be read")),
        (coverage.failed, translate("Coverage", "{count} could not be read")),
        (coverage.without_file, translate("Coverage", "{count} without a file")),
    ):
        if count:
            parts.append(message.format(count=number(count)))
    return ", ".join(parts)


def ask_confirmation(
    parent: QWidget, title: str, message: str, yes: str, then: Callable[[], object], *, details: str = ""
) -> QMessageBox:
    """Ask for confirmation before an action that cannot be undone, without blocking."""
    # The title is repeated: macOS shows no titles of message boxes, and some are the question itself.
    message = clean(f"{title}\n\n{message}")
    box = QMessageBox(QMessageBox.Icon.Question, title, message, QMessageBox.StandardButton.Cancel, parent)
    box.setTextFormat(Qt.TextFormat.PlainText)
    box.setDetailedText(clean(details))
    box.setDefaultButton(QMessageBox.StandardButton.Cancel)  # Enter must not confirm
    confirm = box.addButton(yes, QMessageBox.ButtonRole.AcceptRole)
    box.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    box.finished.connect(lambda _: then() if box.clickedButton() is confirm else None)
    box.open()
    return box


def tip(message: str) -> str:
    """Return a text as a tooltip that wraps; escaped, because Qt renders tooltips as rich text."""
    return f"<p>{escape(clean(message))}</p>" if message else ""


def one_line(text: str) -> str:
    """Return a text on one line for a list; shortened, because long texts are slow to lay out and elided anyway."""
    return " ".join(clean(text[:_MAX_CELL]).split())


def number(value: int) -> str:
    """Format a count in the current locale."""
    return QLocale().toString(value)


def percent(share: float | None) -> str:
    """Format a share as a percentage, "" for None. Rounds down: only a share of 1 is shown as 100 %."""
    if share is None:
        return ""
    shown = int(share * 1000) / 10 if share < 1 else 100.0
    return QLocale().toString(shown, "f", 0 if shown == int(shown) else 1) + " %"


def size_text(count: int) -> str:
    """Format a number of bytes, such as "1.2 MB"."""
    return QLocale().formattedDataSize(count, 1, QLocale.DataSizeFormat.DataSizeSIFormat)


def time_text(iso: str | None) -> str:
    """Format an ISO timestamp in the current locale and time zone."""
    if not iso:
        return ""
    moment = QDateTime.fromSecsSinceEpoch(round(datetime.fromisoformat(iso).timestamp()))
    return QLocale().toString(moment, QLocale.FormatType.ShortFormat)
