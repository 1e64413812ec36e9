"""The search box with project, mode and filters: years, author, tag, collection, section."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QRegularExpression, QSignalBlocker, Qt, Signal
from PySide6.QtGui import QAction, QKeyEvent, QRegularExpressionValidator, QStandardItemModel
from PySide6.QtWidgets import (
    QComboBox,
    QCompleter,
    QGridLayout,
    QLabel,
    QLineEdit,
    QListView,
    QSizePolicy,
    QToolButton,
    QWidget,
)

from citeloom.api.library import ProjectSummary
from citeloom.api.search import FacetsResult, Query
from citeloom.desktop.shell.icons import icon
from citeloom.desktop.text.hit_text import cut
from citeloom.desktop.widgets import basics
from citeloom.desktop.widgets.layout import Stretch, column, row

_YEAR = 4  # digits: a year that is still being typed does not filter
_MAX_QUESTION = 10_000  # characters; the engine refuses longer questions
_HYBRID, _DENSE = 0, 1


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
        for line, across, message, field in (
            (0, 2, self.tr("&Author"), self.author),
            (0, 4, self.tr("&Tag"), self.tag),
            (1, 0, self.tr("C&ollection"), self.collection),
            (1, 2, self.tr("S&ection"), self.section),
        ):
            grid.addWidget(basics.label_for(message, field), line, across)
            grid.addWidget(field, line, across + 1)
        grid.addWidget(self.clear_button, 1, 4, 1, 2, Qt.AlignmentFlag.AlignTrailing)
        for across in (1, 3, 5):
            grid.setColumnStretch(across, 1)
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

    def show_facets(self, facets: FacetsResult | None) -> None:
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


class SearchBox(QLineEdit):
    """Field for the question; Down moves to the hits, Escape clears it."""

    down = Signal()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Down:
            self.down.emit()
        elif event.key() == Qt.Key.Key_Escape and self.text():
            self.clear()
        else:
            super().keyPressEvent(event)


class SearchBar(QWidget):
    """The fields of a search; emits a signal on every change."""

    changed = Signal()
    project_chosen = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._projects: list[ProjectSummary] = []
        self._hybrid = True  # the chosen mode, also while the project does not support it
        self.box = basics.named(SearchBox(), self.tr("Question"))
        self.box.setMaxLength(_MAX_QUESTION)
        self.box.setPlaceholderText(self.tr("Ask in your own words …"))
        self.box.setClearButtonEnabled(True)
        self.box.addAction(QAction(icon("search"), "", self.box), QLineEdit.ActionPosition.LeadingPosition)
        font = self.box.font()
        font.setPointSizeF(font.pointSizeF() * 1.15)
        self.box.setFont(font)
        self.box.setTextMargins(2, 4, 2, 4)
        self.project = basics.named(QComboBox(), self.tr("Project"))
        self.project.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.project.setMinimumContentsLength(16)
        self.mode_box = basics.named(QComboBox(), self.tr("Search mode"))
        self.mode_box.addItem(self.tr("Meaning and words"))
        self.mode_box.addItem(self.tr("Meaning only"))
        names = self.project.view()
        if isinstance(names, QListView):  # avoids measuring thousands of names
            names.setUniformItemSizes(True)
            self.project.setStyleSheet("combobox-popup: 0;")
            self.project.setMaxVisibleItems(20)
        for choice in (self.project, self.mode_box):
            choice.view().setAccessibleName(choice.accessibleName())
        self.filter_button = QToolButton()
        self.filter_button.setCheckable(True)
        self.filter_button.setIcon(icon("filter"))
        self.filter_button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.filters = FilterPanel()
        self.filters.hide()
        label = basics.label_for(self.tr("&Project"), self.project)
        controls = row(label, (self.project, 1), self.mode_box, self.filter_button, Stretch(1))
        column(self.box, controls, self.filters, of=self)
        self.filter_button.toggled.connect(self.filters.setVisible)
        self.box.textChanged.connect(self.changed)
        self.mode_box.activated.connect(self._on_mode)
        self.filters.changed.connect(self._filters_changed)
        self.project.currentIndexChanged.connect(self._project_changed)
        self._show_filter_count()

    def question(self) -> str:
        """Return the question with normalised white space."""
        return " ".join(self.box.text().split())

    def project_id(self) -> str | None:
        """Return the id of the chosen project, None if there is none."""
        chosen = self.chosen()
        return chosen.id if chosen else None

    def chosen(self) -> ProjectSummary | None:
        """Return the chosen project."""
        at = self.project.currentIndex()
        return self._projects[at] if at >= 0 else None

    def has_project(self, project: str) -> bool:
        """Return whether a project is in the list."""
        return any(one.id == project for one in self._projects)

    def request(self) -> Query | None:
        """Return the search request; None without a project or a question."""
        project, question = self.project_id(), self.question()
        if not project or not question:
            return None
        hybrid = None if self.mode_box.currentIndex() == _HYBRID else False
        return Query(project=project, text=question, hybrid=hybrid, filters=self.filters.filters() or None)

    def show_projects(self, projects: list[ProjectSummary], wanted: str | None) -> None:
        """Replace the projects; chooses the wanted one, else the previous one, else the first."""
        before = self.project_id()
        offered, ids = ([one.id for one in some] for some in (self._projects, projects))
        choice = next((one for one in (wanted, before) if one in ids), ids[0] if ids else None)
        self._projects = projects
        with QSignalBlocker(self.project):
            if ids != offered:  # the list may be open: do not rebuild it without need
                self.project.clear()
                self.project.addItems([cut(one, 100) for one in ids])
            self.project.setCurrentIndex(ids.index(choice) if choice is not None else -1)
        self._show_project()
        if self.project_id() != before:
            self.filters.clear()
            self.project_chosen.emit()

    def _project_changed(self) -> None:
        self._show_project()
        self.filters.clear()
        self.project_chosen.emit()

    def _show_project(self) -> None:
        self.project.setToolTip(basics.tip(cut(self.project_id() or "", 300)))
        chosen = self.chosen()
        hybrid = chosen is None or chosen.hybrid_enabled
        reason = "" if hybrid else self.tr("This project has no index of words: it can be searched by meaning only.")
        model = self.mode_box.model()
        if isinstance(model, QStandardItemModel):
            model.item(_HYBRID).setEnabled(hybrid)
        self.mode_box.setItemData(_HYBRID, reason, Qt.ItemDataRole.ToolTipRole)
        self.mode_box.setToolTip(reason)
        self.mode_box.setAccessibleDescription(reason)
        with QSignalBlocker(self.mode_box):
            self.mode_box.setCurrentIndex(_HYBRID if hybrid and self._hybrid else _DENSE)

    def _on_mode(self, index: int) -> None:
        self._hybrid = index == _HYBRID
        self.changed.emit()

    def _filters_changed(self) -> None:
        self._show_filter_count()
        self.changed.emit()

    def _show_filter_count(self) -> None:
        count = len(self.filters.filters())
        text = self.tr("&Filters: {count}").format(count=basics.number(count)) if count else self.tr("&Filters")
        self.filter_button.setText(text)
        self.filter_button.setAccessibleName(text.replace("&", ""))
        font = self.filter_button.font()
        font.setBold(bool(count))
        self.filter_button.setFont(font)
