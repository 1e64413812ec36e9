"""List of OCR languages with check boxes and a search field. Used by the section Reading."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import QListWidget, QListWidgetItem, QWidget

from citeloom.api.maintenance import OcrLanguage
from citeloom.desktop.widgets.basics import named, search_field
from citeloom.desktop.widgets.layout import column

_CODE = Qt.ItemDataRole.UserRole
_ROWS = 7


class Languages(QWidget):
    """Emits the checked codes; previously checked ones come first, in their order."""

    picked = Signal(list)
    none_left = Signal()  # the last one was unchecked

    def __init__(self) -> None:
        super().__init__()
        self._offered: list[OcrLanguage] = []
        self._chosen: list[str] = []
        self.find_field = search_field(self.tr("Find a language"), lambda _: self._filter())
        self.list = named(QListWidget(), self.tr("Languages of scanned pages"))
        self.list.setUniformItemSizes(True)
        self.list.setFixedHeight(round(self.fontMetrics().height() * 1.6) * _ROWS)
        self.list.itemChanged.connect(self._on_ticked)
        column(self.find_field, (self.list, 1), of=self)

    def offer(self, languages: Sequence[OcrLanguage]) -> None:
        """Set the languages."""
        self._offered = list(languages)
        self._fill()

    def choose(self, codes: Sequence[str]) -> None:
        """Set the checked languages."""
        if list(codes) != self._chosen:
            self._chosen = list(codes)
            self._fill()

    def _fill(self) -> None:
        """Fill the list: checked languages first, then installed ones, then the rest."""
        at = self.list.currentItem().data(_CODE) if self.list.currentItem() else None
        scrolled = self.list.verticalScrollBar().value()
        known = {one.code for one in self._offered}
        unknown = [OcrLanguage(code, code, installed=False) for code in self._chosen if code not in known]
        with QSignalBlocker(self.list):
            self.list.clear()
            for one in sorted([*self._offered, *unknown], key=self._order):
                item = QListWidgetItem(
                    one.name if one.installed else self.tr("{name} (no data on this computer)").format(name=one.name)
                )
                ticked = one.code in self._chosen
                item.setData(_CODE, one.code)
                item.setCheckState(Qt.CheckState.Checked if ticked else Qt.CheckState.Unchecked)
                if not one.installed and not ticked:
                    item.setFlags(Qt.ItemFlag.NoItemFlags)
                self.list.addItem(item)
                if one.code == at:
                    self.list.setCurrentItem(item)
        self.list.verticalScrollBar().setValue(scrolled)
        self._filter()

    def _order(self, one: OcrLanguage) -> tuple[int, int, str]:
        if one.code in self._chosen:
            return 0, self._chosen.index(one.code), ""
        return 1 if one.installed else 2, 0, one.name.casefold()

    def _filter(self) -> None:
        wanted = self.find_field.text().strip().casefold()
        for row in range(self.list.count()):
            item = self.list.item(row)
            fits = wanted in item.text().casefold() or wanted == str(item.data(_CODE)).casefold()
            # The many languages that are not installed are only shown by a search.
            item.setHidden(not (fits if wanted else item.flags()))

    def _on_ticked(self, item: QListWidgetItem) -> None:
        code = str(item.data(_CODE))
        others = [one for one in self._chosen if one != code]
        chosen = [*others, code] if item.checkState() == Qt.CheckState.Checked else others
        if not chosen:
            with QSignalBlocker(self.list):
                item.setCheckState(Qt.CheckState.Checked)
            self.none_left.emit()
        elif chosen != self._chosen:
            self._chosen = chosen  # at once: the next change may come before this one is written
            self.picked.emit(chosen)
