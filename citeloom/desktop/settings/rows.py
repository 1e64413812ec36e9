"""A setting on the page: its label, its control, the way back to the default, and a sign when it is saved."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import QEvent, QObject, QSignalBlocker, Qt, QTimer, Signal
from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent, QHideEvent
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QFileDialog,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QListView,
    QSizePolicy,
    QSpinBox,
    QStyle,
    QVBoxLayout,
    QWidget,
)

from citeloom.desktop.settings.choices import Choice, ChoicesModel
from citeloom.desktop.settings.fields import Field
from citeloom.desktop.widgets import basics

_SETTLE_MS = 500  # while somebody holds an arrow, nothing is written
_SIGN_MS = 2500
_LETTERS = 52  # width of a control


class Row(QWidget):
    """One setting. `picked` tells what a person has chosen; None means the default."""

    picked = Signal(str, object)

    def __init__(self, field: Field) -> None:
        super().__init__()
        self.field = field
        self.words = field.label
        self.control = self._made()
        self.control.setAccessibleName(self.words.replace("&", ""))
        self.control.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.control.installEventFilter(self)
        self.undo_button = basics.button("", lambda: self.picked.emit(field.name, None), icon_name="undo")
        self.undo_button.setFlat(True)
        self.undo_button.hide()
        self.sign = basics.text(self.tr("Saved"), muted=True)
        self.sign.setWordWrap(False)
        self.sign.hide()
        policy = self.undo_button.sizePolicy()
        policy.setRetainSizeWhenHidden(True)  # nothing moves when it comes
        self.undo_button.setSizePolicy(policy)
        self.help = basics.text(field.help, muted=True)
        self.help.setVisible(bool(field.help))
        self._signing = QTimer(self, singleShot=True, interval=_SIGN_MS)
        self._signing.timeout.connect(self.sign.hide)
        self._lay_out()

    def _made(self) -> QWidget:
        raise NotImplementedError

    def put(self, value: Any) -> None:
        """Show a value in the control, telling nobody."""
        raise NotImplementedError

    def said(self, value: Any) -> str:
        """A value in words."""
        return str(value)

    def show_value(self, value: Any, default: Any) -> None:
        """Show what the setting is; what is being typed stays."""
        if not self.is_typing():
            self.put(value)
        tip = self.tr("Back to the default: {value}").format(value=self.said(default))
        self.undo_button.setToolTip(tip)
        self.undo_button.setAccessibleName(
            self.tr("{setting}: back to the default").format(setting=self.words.replace("&", ""))
        )
        self.undo_button.setVisible(value != default)

    def is_typing(self) -> bool:
        """Whether somebody is in the middle of changing it."""
        return False

    def show_saved(self) -> None:
        """Show for a moment that it was written."""
        self.sign.show()
        self._signing.start()
        QAccessible.updateAccessibility(QAccessibleAnnouncementEvent(self, self.sign.text()))

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        # Who scrolls the page with the wheel must not change a setting on the way.
        if event.type() == QEvent.Type.Wheel and watched is self.control and not self.control.hasFocus():
            event.ignore()
            return True
        return super().eventFilter(watched, event)

    def _lay_out(self) -> None:
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(4)
        if not isinstance(self.control, QCheckBox):
            label = QLabel(self.words)
            label.setBuddy(self.control)
            label.setWordWrap(True)
            layout.addWidget(label)
            letter = self.fontMetrics().averageCharWidth()
            self.control.setMinimumSize(letter * _LETTERS // 3, round(self.fontMetrics().height() * 1.7))
            if not isinstance(self.control, QLineEdit):
                self.control.setMaximumWidth(max(letter * _LETTERS, self.control.sizeHint().width()))
            self.control.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        row = QHBoxLayout()
        row.setSpacing(basics.GAP // 2)
        row.addWidget(self.control, 100)  # before the room that is left
        for part in (*self.beside(), self.undo_button, self.sign):
            row.addWidget(part)
        row.addStretch(1)
        layout.addLayout(row)
        under = QHBoxLayout()
        if isinstance(self.control, QCheckBox):  # in line with the words, not with the box
            style = self.control.style()
            metrics = (QStyle.PixelMetric.PM_IndicatorWidth, QStyle.PixelMetric.PM_CheckBoxLabelSpacing)
            under.addSpacing(sum(style.pixelMetric(one, None, self.control) for one in metrics))
        under.addWidget(self.help, 1)
        layout.addLayout(under)

    def beside(self) -> Sequence[QWidget]:
        """What stands between the control and the way back."""
        return ()


class YesNoRow(Row):
    """A tick."""

    control: QCheckBox

    def _made(self) -> QWidget:
        box = QCheckBox(self.words)
        box.clicked.connect(lambda checked: self.picked.emit(self.field.name, bool(checked)))
        return box

    def put(self, value: Any) -> None:
        self.control.setChecked(bool(value))

    def said(self, value: Any) -> str:
        return self.tr("yes") if value else self.tr("no")


class NumberRow(Row):
    """A number with its unit; 0 may have a meaning of its own."""

    control: QSpinBox

    def _made(self) -> QWidget:
        box = QSpinBox(minimum=self.field.least, maximum=self.field.most, singleStep=self.field.step)
        box.setKeyboardTracking(False)
        before, _, after = self.field.unit.partition("{number}")
        box.setPrefix(before)
        box.setSuffix(after)
        box.setSpecialValueText(self.field.zero)
        box.setGroupSeparatorShown(True)
        self._settling = QTimer(self, singleShot=True, interval=_SETTLE_MS)
        self._settling.timeout.connect(self._settled)
        box.valueChanged.connect(lambda _: self._settling.start())
        box.editingFinished.connect(lambda: box.lineEdit().setModified(False))
        return box

    def put(self, value: Any) -> None:
        # A number beyond the usual may stand in the file: it is shown, not bent.
        with QSignalBlocker(self.control):
            self.control.setMinimum(min(self.field.least, int(value)))
            self.control.setMaximum(max(self.field.most, min(int(value), 2**31 - 1)))
            self.control.setValue(self.control.maximum() if value > self.control.maximum() else int(value))

    def said(self, value: Any) -> str:
        if not value and self.field.zero:
            return self.field.zero
        return (self.field.unit or "{number}").format(number=basics.number(int(value)))

    def is_typing(self) -> bool:
        return self._settling.isActive() or (self.control.hasFocus() and self.control.lineEdit().isModified())

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        if self._settling.isActive():  # whoever leaves at once means it all the same
            self._settling.stop()
            self._settled()

    def _settled(self) -> None:
        self.picked.emit(self.field.name, self.control.value())


class ChoiceRow(Row):
    """One of several; what is in the file but not on offer is shown as it is written there."""

    control: QComboBox

    def _made(self) -> QWidget:
        box = QComboBox()
        box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        box.setStyleSheet("combobox-popup: 0")  # a list that scrolls: the other kind measures every row first
        view = QListView()
        view.setUniformItemSizes(True)
        view.setAccessibleName(self.words.replace("&", ""))
        box.setView(view)
        self._choices = ChoicesModel(self)
        box.setModel(self._choices)
        box.activated.connect(lambda row: self.picked.emit(self.field.name, self._choices.rows[row].value))
        self._offered = [Choice(value, words) for value, words in self.field.choices]
        self._value: str | None = None
        return box

    def offer(self, choices: Sequence[Choice]) -> None:
        """Offer these."""
        self._offered = list(choices)
        self._fill()

    def put(self, value: Any) -> None:
        self._value = str(value)
        self._fill()

    def said(self, value: Any) -> str:
        return next((choice.words for choice in self._offered if choice.value == value), str(value))

    def _fill(self) -> None:
        wanted = list(self._offered)
        if self._value is not None and all(choice.value != self._value for choice in wanted):
            wanted.append(Choice(self._value, self._value))
        self._choices.show_choices(wanted)
        self.control.setCurrentIndex(self._choices.row_of(self._value))


class FolderRow(Row):
    """A folder, typed or chosen."""

    control: QLineEdit

    def _made(self) -> QWidget:
        line = QLineEdit()
        line.editingFinished.connect(self._finished)
        self.choose_button = basics.button(self.tr("Choose…"), self._choose, icon_name="folder")
        self._value = ""
        return line

    def beside(self) -> Sequence[QWidget]:
        return (self.choose_button,)

    def put(self, value: Any) -> None:
        self._value = str(value)
        if self.control.text() != self._value:
            self.control.setText(self._value)
        self.control.setModified(False)

    def said(self, value: Any) -> str:
        return str(value) or self.tr("empty")

    def is_typing(self) -> bool:
        return self.control.hasFocus() and self.control.isModified()

    def _finished(self) -> None:
        wanted = self.control.text().strip()
        self.control.setModified(False)
        if wanted != self._value:
            self._value = wanted
            self.picked.emit(self.field.name, wanted)

    def _choose(self) -> None:
        dialog = QFileDialog(self, self.words.replace("&", ""), self.control.text())
        dialog.setFileMode(QFileDialog.FileMode.Directory)
        dialog.setOption(QFileDialog.Option.ShowDirsOnly)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.fileSelected.connect(self._chosen)
        dialog.open()

    def _chosen(self, folder: str) -> None:
        self.control.setText(folder)
        self._finished()


_KINDS: dict[str, type[Row]] = {
    "yes_no": YesNoRow,
    "number": NumberRow,
    "choice": ChoiceRow,
    "folder": FolderRow,
}


def row_of(field: Field) -> Row:
    """The row for a setting."""
    return _KINDS[field.kind](field)
