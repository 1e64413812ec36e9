"""Rows of the settings page: label and control of a setting, a reset button, and a note when it is saved."""

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

_DEBOUNCE_MS = 500  # nothing is written while an arrow key is held
_SAVED_MS = 2500  # duration of the note that a setting was saved
_LETTERS = 52  # width of a control


class Row(QWidget):
    """Base of a row for one setting. Emits `picked` with the value that the user chose; None means the default."""

    picked = Signal(str, object)

    def __init__(self, field: Field) -> None:
        super().__init__()
        self.field = field
        self.message = field.label
        self.control = self._create_control()
        self.control.setAccessibleName(self.message.replace("&", ""))
        self.control.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.control.installEventFilter(self)
        self.undo_button = basics.button("", lambda: self.picked.emit(field.name, None), icon_name="undo")
        self.undo_button.setFlat(True)
        self.undo_button.hide()
        self.saved_label = basics.text(self.tr("Saved"), muted=True)
        self.saved_label.setWordWrap(False)
        self.saved_label.hide()
        policy = self.undo_button.sizePolicy()
        policy.setRetainSizeWhenHidden(True)  # the layout does not change when it appears
        self.undo_button.setSizePolicy(policy)
        self.help = basics.text(field.help, muted=True)
        self.help.setVisible(bool(field.help))
        self._saved_timer = QTimer(self, singleShot=True, interval=_SAVED_MS)
        self._saved_timer.timeout.connect(self.saved_label.hide)
        self._lay_out()

    def _create_control(self) -> QWidget:
        raise NotImplementedError

    def set_value(self, value: Any) -> None:
        """Show a value in the control without emitting a signal."""
        raise NotImplementedError

    def value_text(self, value: Any) -> str:
        """Return a value as text."""
        return str(value)

    def show_value(self, value: Any, default: Any) -> None:
        """Show the value of the setting, unless it is being edited."""
        if not self.is_typing():
            self.set_value(value)
        tip = self.tr("Back to the default: {value}").format(value=self.value_text(default))
        self.undo_button.setToolTip(tip)
        self.undo_button.setAccessibleName(
            self.tr("{setting}: back to the default").format(setting=self.message.replace("&", ""))
        )
        self.undo_button.setVisible(value != default)

    def is_typing(self) -> bool:
        """Return whether the value is being edited."""
        return False

    def show_saved(self) -> None:
        """Show for a moment that the setting was saved."""
        self.saved_label.show()
        self._saved_timer.start()
        QAccessible.updateAccessibility(QAccessibleAnnouncementEvent(self, self.saved_label.text()))

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        # Scrolling the page with the wheel must not change a setting.
        if event.type() == QEvent.Type.Wheel and watched is self.control and not self.control.hasFocus():
            event.ignore()
            return True
        return super().eventFilter(watched, event)

    def _lay_out(self) -> None:
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(4)
        if not isinstance(self.control, QCheckBox):
            label = QLabel(self.message)
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
        row.addWidget(self.control, 100)  # a large stretch: takes the space before the spacer
        for part in (*self.extra_controls(), self.undo_button, self.saved_label):
            row.addWidget(part)
        row.addStretch(1)
        layout.addLayout(row)
        under = QHBoxLayout()
        if isinstance(self.control, QCheckBox):  # aligned with its text, not with the box
            style = self.control.style()
            metrics = (QStyle.PixelMetric.PM_IndicatorWidth, QStyle.PixelMetric.PM_CheckBoxLabelSpacing)
            under.addSpacing(sum(style.pixelMetric(one, None, self.control) for one in metrics))
        under.addWidget(self.help, 1)
        layout.addLayout(under)

    def extra_controls(self) -> Sequence[QWidget]:
        """Return additional controls, placed before the reset button."""
        return ()


class YesNoRow(Row):
    """A check box."""

    control: QCheckBox

    def _create_control(self) -> QWidget:
        box = QCheckBox(self.message)
        box.clicked.connect(lambda checked: self.picked.emit(self.field.name, bool(checked)))
        return box

    def set_value(self, value: Any) -> None:
        self.control.setChecked(bool(value))

    def value_text(self, value: Any) -> str:
        return self.tr("yes") if value else self.tr("no")


class NumberRow(Row):
    """A spin box with a unit; 0 may have a meaning of its own."""

    control: QSpinBox

    def _create_control(self) -> QWidget:
        box = QSpinBox(minimum=self.field.least, maximum=self.field.most, singleStep=self.field.step)
        box.setKeyboardTracking(False)
        before, _, after = self.field.unit.partition("{number}")
        box.setPrefix(before)
        box.setSuffix(after)
        box.setSpecialValueText(self.field.zero)
        box.setGroupSeparatorShown(True)
        self._debounce = QTimer(self, singleShot=True, interval=_DEBOUNCE_MS)
        self._debounce.timeout.connect(self._emit_value)
        box.valueChanged.connect(lambda _: self._debounce.start())
        box.editingFinished.connect(lambda: box.lineEdit().setModified(False))
        return box

    def set_value(self, value: Any) -> None:
        # A value outside the usual range may be in the file: it is shown unchanged.
        with QSignalBlocker(self.control):
            self.control.setMinimum(min(self.field.least, int(value)))
            self.control.setMaximum(max(self.field.most, min(int(value), 2**31 - 1)))
            self.control.setValue(self.control.maximum() if value > self.control.maximum() else int(value))

    def value_text(self, value: Any) -> str:
        if not value and self.field.zero:
            return self.field.zero
        return (self.field.unit or "{number}").format(number=basics.number(int(value)))

    def is_typing(self) -> bool:
        return self._debounce.isActive() or (self.control.hasFocus() and self.control.lineEdit().isModified())

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        if self._debounce.isActive():  # write a pending value when the page is hidden
            self._debounce.stop()
            self._emit_value()

    def _emit_value(self) -> None:
        self.picked.emit(self.field.name, self.control.value())


class ChoiceRow(Row):
    """A combo box; a value of the file that is not among the choices is shown as it is."""

    control: QComboBox

    def _create_control(self) -> QWidget:
        box = QComboBox()
        box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        box.setStyleSheet("combobox-popup: 0")  # a scrolling list: the other popup measures every row first
        view = QListView()
        view.setUniformItemSizes(True)
        view.setAccessibleName(self.message.replace("&", ""))
        box.setView(view)
        self._choices = ChoicesModel(self)
        box.setModel(self._choices)
        box.activated.connect(lambda row: self.picked.emit(self.field.name, self._choices.rows[row].value))
        self._offered = [Choice(value, text) for value, text in self.field.choices]
        self._value: str | None = None
        return box

    def offer(self, choices: Sequence[Choice]) -> None:
        """Set the choices."""
        self._offered = list(choices)
        self._fill()

    def set_value(self, value: Any) -> None:
        self._value = str(value)
        self._fill()

    def value_text(self, value: Any) -> str:
        return next((choice.text for choice in self._offered if choice.value == value), str(value))

    def _fill(self) -> None:
        wanted = list(self._offered)
        if self._value is not None and all(choice.value != self._value for choice in wanted):
            wanted.append(Choice(self._value, self._value))
        self._choices.show_choices(wanted)
        self.control.setCurrentIndex(self._choices.row_of(self._value))


class FolderRow(Row):
    """A folder, typed or chosen in a dialog."""

    control: QLineEdit

    def _create_control(self) -> QWidget:
        line = QLineEdit()
        line.editingFinished.connect(self._finished)
        self.choose_button = basics.button(self.tr("Choose…"), self._choose, icon_name="folder")
        self._value = ""
        return line

    def extra_controls(self) -> Sequence[QWidget]:
        return (self.choose_button,)

    def set_value(self, value: Any) -> None:
        self._value = str(value)
        if self.control.text() != self._value:
            self.control.setText(self._value)
        self.control.setModified(False)

    def value_text(self, value: Any) -> str:
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
        dialog = QFileDialog(self, self.message.replace("&", ""), self.control.text())
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
    """Create the row of a setting."""
    return _KINDS[field.kind](field)
