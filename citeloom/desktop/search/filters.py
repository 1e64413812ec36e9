"""The filters of the search page: years, author, tag, collection, section."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QRegularExpression, QSignalBlocker, Qt, Signal
from PySide6.QtGui import QRegularExpressionValidator
from PySide6.QtWidgets import QComboBox, QCompleter, QGridLayout, QLabel, QLineEdit, QSizePolicy, QWidget

from citeloom.api.search import FacetsResult
from citeloom.desktop.widgets import basics
from citeloom.desktop.widgets.layout import row

_YEAR = 4  # digits: a year that is still being typed does not filter


class FilterPanel(QWidget):
    """Fields for the filters, with the values of the project as choices."""

    changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._emitted: dict[str, Any] = {}
        placeholder = self.tr("any")
        self.year_from = self._year(self.tr("From year"))
        self.year_to = self._year(self.tr("To year"))
        self.author = self._choice(self.tr("Author"), placeholder)
        self.tag = self._choice(self.tr("Tag"), placeholder)
        self.collection = self._choice(self.tr("Collection"), placeholder)
        self.section = self._choice(self.tr("Section"), placeholder)
        self.clear_button = basics.button(self.tr("C&lear filters"), self.clear, icon_name="close")
        years = row(self.year_from, QLabel("–"), self.year_to, spacing=basics.GAP // 2)
        grid = QGridLayout(self)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setHorizontalSpacing(basics.GAP)
        grid.addWidget(basics.label_for(self.tr("&Years"), self.year_from), 0, 0)
        grid.addLayout(years, 0, 1)
        for line, column, message, field in (
            (0, 2, self.tr("&Author"), self.author),
            (0, 4, self.tr("&Tag"), self.tag),
            (1, 0, self.tr("C&ollection"), self.collection),
            (1, 2, self.tr("S&ection"), self.section),
        ):
            grid.addWidget(basics.label_for(message, field), line, column)
            grid.addWidget(field, line, column + 1)
        grid.addWidget(self.clear_button, 1, 4, 1, 2, Qt.AlignmentFlag.AlignTrailing)
        for column in (1, 3, 5):
            grid.setColumnStretch(column, 1)
        self.fields = (self.year_from, self.year_to, self.author, self.tag, self.collection, self.section)
        basics.tab_order(*self.fields, self.clear_button)
        self.clear_button.setEnabled(False)

    def filters(self) -> dict[str, Any]:
        """Return the filters for the engine; empty if there are none."""
        result: dict[str, Any] = {}
        if years := self._years():
            result["year"] = years
        if author := self.author.currentText().strip():
            result["author"] = author
        for key, field in (("tags", self.tag), ("collections", self.collection)):
            if message := field.currentText().strip():
                known = field.findText(message, Qt.MatchFlag.MatchFixedString)
                # A text that is no known value matches every value that contains it.
                result[key] = field.itemText(known) if known >= 0 else {"$contains": message}
        if section := self.section.currentText().strip():
            result["section_prefix"] = section
        return result

    def offer(self, facets: FacetsResult | None) -> None:
        """Set the choices from the project's facets, or none; the current values stay."""
        first, last = facets.years if facets and facets.years else (None, None)
        self.year_from.setPlaceholderText(self.tr("from") if first is None else str(first))
        self.year_to.setPlaceholderText(self.tr("to") if last is None else str(last))
        values = (facets.authors, facets.tags, facets.collections, facets.sections) if facets else ((),) * 4
        for offered, field in zip(values, (self.author, self.tag, self.collection, self.section), strict=True):
            chosen = field.currentText()
            with QSignalBlocker(field):
                field.clear()
                field.addItems(list(offered))
                field.setCurrentIndex(-1)
                field.setEditText(chosen)

    def clear(self) -> None:
        """Clear all filters."""
        for field in self.fields:
            with QSignalBlocker(field):
                if isinstance(field, QComboBox):
                    field.setCurrentIndex(-1)
                    field.setEditText("")
                else:
                    field.clear()
        self._emit_change()

    def _years(self) -> dict[str, int]:
        first, last = (int(field.text()) if field.text() else None for field in (self.year_from, self.year_to))
        if first is not None and last is not None and first > last:
            first, last = last, first
        bounds = {"$gte": first, "$lte": last}
        return {operator: year for operator, year in bounds.items() if year is not None}

    def _year(self, name: str) -> QLineEdit:
        field = basics.named(QLineEdit(), name)
        field.setValidator(QRegularExpressionValidator(QRegularExpression("[0-9]{0,4}"), field))
        field.setToolTip(name)
        field.setMinimumWidth(field.fontMetrics().horizontalAdvance("00000") + 2 * basics.GAP)
        field.textEdited.connect(lambda text: self._emit_change() if len(text) in (0, _YEAR) else None)
        field.editingFinished.connect(self._emit_change)
        return field

    def _choice(self, name: str, placeholder: str) -> QComboBox:
        field = basics.named(QComboBox(), name)
        field.setEditable(True)
        field.setInsertPolicy(QComboBox.InsertPolicy.NoInsert)
        field.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        field.setMinimumContentsLength(6)
        field.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        field.view().setAccessibleName(name)
        completer = QCompleter(field.model(), field)
        completer.setFilterMode(Qt.MatchFlag.MatchContains)
        completer.setCaseSensitivity(Qt.CaseSensitivity.CaseInsensitive)
        field.setCompleter(completer)
        if line := field.lineEdit():
            line.setPlaceholderText(placeholder)
            line.setAccessibleName(name)
            line.setClearButtonEnabled(True)
        field.editTextChanged.connect(self._emit_change)
        return field

    def _emit_change(self) -> None:
        filters = self.filters()
        self.clear_button.setEnabled(bool(filters))
        if filters != self._emitted:  # leaving a field without a change emits nothing
            self._emitted = filters
            self.changed.emit()
