"""The search box with project, mode and filters."""

from __future__ import annotations

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtGui import QAction, QKeyEvent, QStandardItemModel
from PySide6.QtWidgets import QComboBox, QLineEdit, QListView, QToolButton, QWidget

from citeloom.api.library import ProjectSummary
from citeloom.api.search import Query
from citeloom.desktop.search.filters import FilterPanel
from citeloom.desktop.shell.icons import icon
from citeloom.desktop.text.hit_text import cut
from citeloom.desktop.widgets import basics
from citeloom.desktop.widgets.layout import Stretch, column, row

_MAX_QUESTION = 10_000  # characters; the engine refuses longer questions
_HYBRID, _DENSE = 0, 1


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
        self.way = basics.named(QComboBox(), self.tr("Search mode"))
        self.way.addItem(self.tr("Meaning and words"))
        self.way.addItem(self.tr("Meaning only"))
        names = self.project.view()
        if isinstance(names, QListView):  # avoids measuring thousands of names
            names.setUniformItemSizes(True)
            self.project.setStyleSheet("combobox-popup: 0;")
            self.project.setMaxVisibleItems(20)
        for choice in (self.project, self.way):
            choice.view().setAccessibleName(choice.accessibleName())
        self.filter_button = QToolButton()
        self.filter_button.setCheckable(True)
        self.filter_button.setIcon(icon("filter"))
        self.filter_button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.filters = FilterPanel()
        self.filters.hide()
        label = basics.label_for(self.tr("&Project"), self.project)
        controls = row(label, (self.project, 1), self.way, self.filter_button, Stretch(1))
        column(self.box, controls, self.filters, of=self)
        self.filter_button.toggled.connect(self.filters.setVisible)
        self.box.textChanged.connect(self.changed)
        self.way.activated.connect(self._way_chosen)
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

    def knows(self, project: str) -> bool:
        """Return whether a project is in the list."""
        return any(one.id == project for one in self._projects)

    def request(self) -> Query | None:
        """Return the search request; None without a project or a question."""
        project, question = self.project_id(), self.question()
        if not project or not question:
            return None
        hybrid = None if self.way.currentIndex() == _HYBRID else False
        return Query(project=project, text=question, hybrid=hybrid, filters=self.filters.filters() or None)

    def offer(self, projects: list[ProjectSummary], wanted: str | None) -> None:
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
        model = self.way.model()
        if isinstance(model, QStandardItemModel):
            model.item(_HYBRID).setEnabled(hybrid)
        self.way.setItemData(_HYBRID, reason, Qt.ItemDataRole.ToolTipRole)
        self.way.setToolTip(reason)
        self.way.setAccessibleDescription(reason)
        with QSignalBlocker(self.way):
            self.way.setCurrentIndex(_HYBRID if hybrid and self._hybrid else _DENSE)

    def _way_chosen(self, index: int) -> None:
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
