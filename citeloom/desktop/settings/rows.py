"""Rows of the settings page: label and control of a setting, a reset button, and a note when it is saved."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from PySide6.QtCore import QEvent, QObject, QSignalBlocker, Qt, Signal
from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent, QHideEvent
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QLineEdit,
    QListView,
    QSizePolicy,
    QSpinBox,
    QStyle,
    QWidget,
)

from citeloom.desktop.widgets import basics
from citeloom.desktop.widgets.file_dialogs import choose_folder
from citeloom.desktop.widgets.layout import Part, Stretch, column, row
from citeloom.desktop.widgets.table import Index, ListModel

_DEBOUNCE_MS = 500  # nothing is written while an arrow key is held
_SAVED_MS = 2500  # duration of the note that a setting was saved
_LETTERS = 52  # width of a control


class Row(QWidget):
    """Base of a row for one setting. Emits `picked` with the value that the user chose; None means the default."""

    picked = Signal(str, object)

    def __init__(self, control: QWidget, name: str, label: str, help: str) -> None:
        super().__init__()
        self.control = control
        self.name = name  # dotted name in the settings file
        self.label = label.replace("&", "")
        control.setAccessibleName(self.label)
        control.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        control.installEventFilter(self)
        self.undo_button = basics.button("", lambda: self.picked.emit(name, None), icon_name="undo")
        self.undo_button.setFlat(True)
        self.undo_button.hide()
        basics.keep_space(self.undo_button)
        self.saved_label = basics.text(self.tr("Saved"), muted=True)
        self.saved_label.setWordWrap(False)
        self.saved_label.hide()
        self.help = basics.text(muted=True)
        self.show_help(help)
        self._saved_timer = basics.single_shot(self, _SAVED_MS, self.saved_label.hide)
        # A large stretch: the control takes the space before the spacer.
        self.controls = row((control, 100), self.undo_button, self.saved_label, Stretch(1), spacing=basics.GAP // 2)
        above: list[Part] = []
        indent = 0
        if isinstance(control, QCheckBox):  # the help is aligned with its text, not with the box
            metrics = (QStyle.PixelMetric.PM_IndicatorWidth, QStyle.PixelMetric.PM_CheckBoxLabelSpacing)
            indent = sum(control.style().pixelMetric(one, None, control) for one in metrics)
        else:
            above.append(basics.label_for(label, control, wrap=True))
            self._set_size()
        column(*above, self.controls, row(indent, (self.help, 1)), of=self, spacing=4)

    def _set_size(self) -> None:
        letter = self.fontMetrics().averageCharWidth()
        self.control.setMinimumSize(letter * _LETTERS // 3, round(self.fontMetrics().height() * 1.7))
        if not isinstance(self.control, QLineEdit):
            self.control.setMaximumWidth(max(letter * _LETTERS, self.control.sizeHint().width()))
        self.control.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def set_value(self, value: Any) -> None:
        """Show a value in the control without emitting a signal."""
        raise NotImplementedError

    def value_text(self, value: Any) -> str:
        """Return a value as text."""
        raise NotImplementedError

    def show_value(self, value: Any, default: Any) -> None:
        """Show the value of the setting, unless it is being edited."""
        if not self.is_typing():
            self.set_value(value)
        self.undo_button.setToolTip(self.tr("Reset to the default: {value}").format(value=self.value_text(default)))
        self.undo_button.setAccessibleName(self.tr("{setting}: reset to the default").format(setting=self.label))
        self.undo_button.setVisible(value != default)

    def is_typing(self) -> bool:
        """Return whether the value is being edited."""
        return False

    def show_help(self, text: str) -> None:
        """Show an explanation below the control."""
        self.help.setText(text)
        self.help.setVisible(bool(text))

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


class YesNoRow(Row):
    """A check box."""

    control: QCheckBox

    def __init__(self, name: str, label: str, help: str = "") -> None:
        super().__init__(QCheckBox(label), name, label, help)
        self.control.clicked.connect(lambda checked: self.picked.emit(name, bool(checked)))

    def set_value(self, value: Any) -> None:
        self.control.setChecked(bool(value))

    def value_text(self, value: Any) -> str:
        return self.tr("yes") if value else self.tr("no")


class NumberRow(Row):
    """A spin box with a unit such as "{number} MB"; 0 may have a meaning of its own."""

    control: QSpinBox

    def __init__(
        self,
        name: str,
        label: str,
        help: str = "",
        *,
        least: int = 0,
        most: int,
        step: int = 1,
        unit: str = "{number}",
        zero: str = "",
    ) -> None:
        box = QSpinBox(minimum=least, maximum=most, singleStep=step)
        box.setKeyboardTracking(False)
        box.setSpecialValueText(zero)
        before, _, after = unit.partition("{number}")
        box.setPrefix(before)
        box.setSuffix(after)
        box.setGroupSeparatorShown(True)
        super().__init__(box, name, label, help)
        self._least, self._most, self._unit, self._zero = least, most, unit, zero
        self._debounce = basics.single_shot(self, _DEBOUNCE_MS, self._emit_value)
        box.valueChanged.connect(lambda _: self._debounce.start())
        box.editingFinished.connect(lambda: box.lineEdit().setModified(False))

    def set_value(self, value: Any) -> None:
        # A value outside the usual range may be in the file: it is shown unchanged.
        with QSignalBlocker(self.control):
            self.control.setMinimum(min(self._least, int(value)))
            self.control.setMaximum(max(self._most, min(int(value), 2**31 - 1)))
            self.control.setValue(self.control.maximum() if value > self.control.maximum() else int(value))

    def value_text(self, value: Any) -> str:
        return self._unit.format(number=basics.number(int(value))) if value or not self._zero else self._zero

    def is_typing(self) -> bool:
        return self._debounce.isActive() or (self.control.hasFocus() and self.control.lineEdit().isModified())

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        if self._debounce.isActive():  # write a pending value when the page is hidden
            self._debounce.stop()
            self._emit_value()

    def _emit_value(self) -> None:
        self.picked.emit(self.name, self.control.value())


class Option(NamedTuple):
    """One value of a setting."""

    value: str
    text: str
    possible: bool = True


class _ChoicesModel(ListModel[Option]):
    """Model for the combo box, which stays fast with thousands of values."""

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.EditRole):
            return self.rows[index.row()].text
        return self.rows[index.row()].value if role == Qt.ItemDataRole.UserRole else None

    def flags(self, index: Index) -> Qt.ItemFlag:
        usual = Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable
        return usual if index.isValid() and self.rows[index.row()].possible else Qt.ItemFlag.NoItemFlags


class ChoiceRow(Row):
    """A combo box; a value of the file that is not among the choices is shown as it is."""

    control: QComboBox

    def __init__(self, name: str, label: str, help: str = "", choices: Sequence[Option] = ()) -> None:
        box = QComboBox()
        box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        box.setStyleSheet("combobox-popup: 0")  # a scrolling list: the other popup measures every row first
        view = basics.named(QListView(), label.replace("&", ""))
        view.setUniformItemSizes(True)
        box.setView(view)
        super().__init__(box, name, label, help)
        self._choices = _ChoicesModel(self)
        box.setModel(self._choices)
        box.activated.connect(lambda row: self.picked.emit(name, self._choices.rows[row].value))
        self._offered = choices
        self._value: str | None = None

    def set_options(self, options: Sequence[Option]) -> None:
        """Set the choices."""
        self._offered = options
        self._fill()

    def set_value(self, value: Any) -> None:
        self._value = str(value)
        self._fill()

    def value_text(self, value: Any) -> str:
        return next((choice.text for choice in self._offered if choice.value == value), str(value))

    def _fill(self) -> None:
        choices = list(self._offered)
        if self._value is not None and all(choice.value != self._value for choice in choices):
            choices.append(Option(self._value, self._value))
        if choices != self._choices.rows:
            self._choices.set_rows(choices)
        values = [choice.value for choice in choices]
        self.control.setCurrentIndex(-1 if self._value is None else values.index(self._value))


class FolderRow(Row):
    """A folder, typed or chosen in a dialog."""

    control: QLineEdit

    def __init__(self, name: str, label: str, help: str = "") -> None:
        super().__init__(QLineEdit(), name, label, help)
        self._value = ""
        self.choose_button = basics.button(self.tr("Choose…"), self._choose, icon_name="folder")
        self.controls.insertWidget(1, self.choose_button)
        self.control.editingFinished.connect(self._finished)

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
            self.picked.emit(self.name, wanted)

    def _choose(self) -> None:
        choose_folder(self, self.label, self._chosen, start=self.control.text())

    def _chosen(self, folder: str) -> None:
        self.control.setText(folder)
        self._finished()
