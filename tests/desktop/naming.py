"""What a screen reader would find without a name."""

from __future__ import annotations

from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QAbstractSpinBox,
    QComboBox,
    QHeaderView,
    QLabel,
    QLineEdit,
    QPlainTextEdit,
    QProgressBar,
    QTableView,
    QWidget,
)

_CONTROLS = (
    QAbstractButton,
    QAbstractItemView,
    QAbstractSpinBox,
    QComboBox,
    QLineEdit,
    QPlainTextEdit,
    QProgressBar,
)


def nameless(within: QWidget) -> list[str]:
    """The controls that have neither an accessible name nor words nor a label of their own."""
    labelled = {label.buddy() for label in within.findChildren(QLabel)}
    return [
        f"{type(widget).__name__} {widget.objectName()} in {type(widget.parent()).__name__}"
        for widget in within.findChildren(QWidget)
        if isinstance(widget, _CONTROLS)
        and not isinstance(widget, QHeaderView)
        and not widget.objectName().startswith("qt_")
        and not _belongs_to_another(widget)
        and widget not in labelled
        and not widget.accessibleName()
        and not (isinstance(widget, QAbstractButton) and widget.text())
    ]


def _belongs_to_another(widget: QWidget) -> bool:
    """Whether Qt made it as a part of a control, which has the name."""
    above = widget.parentWidget()
    while above is not None:
        if isinstance(above, QComboBox | QLineEdit | QAbstractSpinBox | QTableView):
            return True
        above = above.parentWidget()
    return False
