"""Rows and columns, written as the list of their parts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, TypeVar

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QBoxLayout, QHBoxLayout, QLayout, QSplitter, QStackedWidget, QVBoxLayout, QWidget

LayoutT = TypeVar("LayoutT", bound=QBoxLayout)
Margins = tuple[int, int, int, int]  # left, top, right, bottom


class Stretch(NamedTuple):
    """Empty space that grows with the window."""

    factor: int = 0


# A widget or a layout, alone or with its stretch factor; a number of empty pixels; or a Stretch.
Part = QWidget | QLayout | tuple[QWidget | QLayout, int] | int | Stretch


def row(
    *parts: Part, of: QWidget | None = None, margins: Margins | None = (0, 0, 0, 0), spacing: int | None = None
) -> QHBoxLayout:
    """Lay parts out side by side, as the layout of a widget or within another layout; None keeps the style's values."""
    return _configured(QHBoxLayout(of) if of else QHBoxLayout(), parts, margins, spacing)


def column(
    *parts: Part, of: QWidget | None = None, margins: Margins | None = (0, 0, 0, 0), spacing: int | None = None
) -> QVBoxLayout:
    """Lay parts out below each other, as the layout of a widget or within another layout."""
    return _configured(QVBoxLayout(of) if of else QVBoxLayout(), parts, margins, spacing)


def _configured(layout: LayoutT, parts: tuple[Part, ...], margins: Margins | None, spacing: int | None) -> LayoutT:
    if margins is not None:
        layout.setContentsMargins(*margins)
    if spacing is not None:
        layout.setSpacing(spacing)
    add(layout, *parts)
    return layout


def add(layout: QBoxLayout, *parts: Part) -> None:
    """Append parts to a layout."""
    for part in parts:
        if isinstance(part, Stretch):
            layout.addStretch(part.factor)
        elif isinstance(part, int):
            layout.addSpacing(part)
        else:
            item, factor = part if isinstance(part, tuple) else (part, 0)
            if isinstance(item, QWidget):
                layout.addWidget(item, factor)
            else:
                layout.addLayout(item, factor)


def splitter(*parts: tuple[QWidget, int], vertical: bool = False, stretch: Sequence[int] = ()) -> QSplitter:
    """Lay widgets out with movable borders, each with its size in pixels; `stretch` has their stretch factors."""
    result = QSplitter(Qt.Orientation.Vertical if vertical else Qt.Orientation.Horizontal)
    for widget, _ in parts:
        result.addWidget(widget)
    result.setSizes([size for _, size in parts])
    result.setChildrenCollapsible(False)
    for number, factor in enumerate(stretch):
        result.setStretchFactor(number, factor)
    return result


def stack(*parts: QWidget) -> QStackedWidget:
    """Lay widgets out above each other; only the current one is visible."""
    result = QStackedWidget()
    for part in parts:
        result.addWidget(part)
    return result


def leading(widget: QWidget) -> QHBoxLayout:
    """Lay a widget out in its own width at the leading edge."""
    return row(widget, Stretch())
