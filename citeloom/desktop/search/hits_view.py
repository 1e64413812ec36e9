"""The list of hits, usable by keyboard and by mouse."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtGui import QKeyEvent, QKeySequence, Qt
from PySide6.QtWidgets import QAbstractItemView, QListView

from citeloom.desktop.search.hit_delegate import HitDelegate
from citeloom.desktop.search.hits_model import HitsModel


class HitsView(QListView):
    """List view: Enter opens a hit, Ctrl+C copies its citation, Up on the first one returns to the search box."""

    opened = Signal()
    copied = Signal()
    up_from_first = Signal()

    def __init__(self, model: HitsModel) -> None:
        super().__init__()
        self.setModel(model)
        self.setItemDelegate(HitDelegate(self))
        self.setUniformItemSizes(True)
        self.setMouseTracking(True)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.ActionsContextMenu)
        self.setAccessibleName(self.tr("Passages found"))
        self.doubleClicked.connect(lambda _: self.opened.emit())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.matches(QKeySequence.StandardKey.Copy):
            self.copied.emit()
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.opened.emit()
        elif event.key() == Qt.Key.Key_Up and self.currentIndex().row() <= 0:
            self.up_from_first.emit()
        else:
            super().keyPressEvent(event)
