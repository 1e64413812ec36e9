"""The list of projects, each with a coverage bar."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from PySide6.QtCore import QModelIndex, QObject, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QPainter, QPalette
from PySide6.QtWidgets import (
    QApplication,
    QListView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from citeloom.api.library import ProjectSummary
from citeloom.core.types import Coverage
from citeloom.desktop.widgets import basics
from citeloom.desktop.widgets.layout import column
from citeloom.desktop.widgets.table import Index, ListModel

_COVERAGE = Qt.ItemDataRole.UserRole
_FILTER_FROM = 10  # projects
_MARGIN, _BAR = 10, 6


class ProjectsModel(ListModel[str]):
    """List model of projects, filtered by a part of their ids."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._projects: dict[str, ProjectSummary] = {}
        self._find = ""

    def show_projects(self, projects: list[ProjectSummary]) -> None:
        """Replace the projects."""
        self._projects = {one.id: one for one in projects}
        self._show()

    def set_filter(self, text: str) -> None:
        """Filter the projects by a part of their ids."""
        self._find = text.strip().casefold()
        self._show()

    def _show(self) -> None:
        shown = [name for name in self._projects if self._find in name.casefold()]
        if shown != self.rows:
            self.set_rows(shown)
        elif shown:
            self.dataChanged.emit(self.index(0), self.index(len(shown) - 1))

    def show_coverage(self, project: str, coverage: Coverage) -> None:
        """Update the coverage of a project."""
        known = self._projects.get(project)
        if known is not None and known.coverage != coverage:
            self._projects[project] = replace(known, coverage=coverage)
            index = self.index_of(project)
            self.dataChanged.emit(index, index)

    def project(self, project: str) -> ProjectSummary | None:
        """Return a project by its id."""
        return self._projects.get(project)

    def index_of(self, project: str) -> QModelIndex:
        """Return the index of a project; invalid if the filter hides it."""
        return self.index(self.rows.index(project)) if project in self.rows else QModelIndex()

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        project = self._projects[self.rows[index.row()]]
        if role == Qt.ItemDataRole.DisplayRole:
            return project.id
        if role == _COVERAGE:
            return project.coverage
        text = self.tr("{project}: {coverage}").format(
            project=project.id, coverage=basics.coverage_text(project.coverage)
        )
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return text
        if role == Qt.ItemDataRole.ToolTipRole:
            return basics.tip(text)
        return None


class _Delegate(QStyledItemDelegate):
    """Paints a project: its name, how many documents it has, and its coverage as a bar."""

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        return QSize(160, option.fontMetrics.height() + _BAR + 3 * _MARGIN - 2)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        self.initStyleOption(option, index)
        name, option.text = option.text, ""
        widget = option.widget
        style = widget.style() if widget else QApplication.style()
        style.drawControl(QStyle.ControlElement.CE_ItemViewItem, option, painter, widget)
        state, palette = option.state, option.palette
        inner: QRect = option.rect.adjusted(_MARGIN, _MARGIN, -_MARGIN, -_MARGIN)
        metrics, direction = option.fontMetrics, option.direction
        coverage = index.data(_COVERAGE)
        chosen = bool(state & QStyle.StateFlag.State_Selected)
        role = QPalette.ColorRole.HighlightedText if chosen else QPalette.ColorRole.Text
        count = basics.number(coverage.documents)
        line = QRect(inner.left(), inner.top(), inner.width(), metrics.height())
        wide = metrics.horizontalAdvance(count)
        left = QRect(line.left(), line.top(), line.width() - wide - _MARGIN, line.height())
        right = QRect(line.right() - wide, line.top(), wide + 1, line.height())
        shown = metrics.elidedText(basics.one_line(name), Qt.TextElideMode.ElideMiddle, left.width())
        painter.save()
        painter.setPen(palette.color(role))
        place = QStyle.visualAlignment(direction, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        painter.drawText(QStyle.visualRect(direction, inner, left), place, shown)
        painter.setOpacity(0.7)
        painter.drawText(QStyle.visualRect(direction, inner, right), Qt.AlignmentFlag.AlignCenter, count)
        painter.setOpacity(1.0)
        bar = QRectF(inner.left(), inner.bottom() - _BAR + 1, inner.width(), _BAR)
        basics.paint_coverage(painter, bar, coverage)
        painter.restore()


class ProjectList(QWidget):
    """List to choose a project, with a search field when there are many."""

    chosen = Signal(str)  # a project, or "" if there is none

    def __init__(self) -> None:
        super().__init__()
        self.model = ProjectsModel(self)
        self.find_field = basics.search_field(self.tr("Find a project"), self._filter)
        self.view = basics.named(QListView(), self.tr("Projects"))
        self.view.setUniformItemSizes(True)
        self.view.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.view.setModel(self.model)
        self.view.setItemDelegate(_Delegate(self.view))
        self.view.selectionModel().currentChanged.connect(self._on_current)
        column(self.find_field, (self.view, 1), of=self)
        self.setFocusProxy(self.view)
        self.current = ""
        self._loading = False

    def load(self, projects: list[ProjectSummary]) -> None:
        """Replace the projects and keep the chosen one."""
        self._loading = True
        self.model.show_projects(projects)
        self.find_field.setVisible(len(projects) >= _FILTER_FROM)
        if len(projects) < _FILTER_FROM:
            self.find_field.clear()
        self._loading = False
        if self.model.project(self.current) is None:
            self._set_current(projects[0].id if projects else "")
        self._select_current()

    def choose(self, project: str) -> None:
        """Choose a project, also one that the filter hides."""
        if self.model.project(project) is None:
            return
        if self.current != project:
            self._set_current(project)
        if not self._select_current():
            self.find_field.clear()
            self._select_current()

    def _select_current(self) -> bool:
        index = self.model.index_of(self.current)
        if index.isValid() and index != self.view.currentIndex():
            self._loading = True
            self.view.setCurrentIndex(index)
            self._loading = False
        return index.isValid()

    def _filter(self, text: str) -> None:
        self._loading = True  # a filter that hides the chosen project must not choose another one
        self.model.set_filter(text)
        self._loading = False
        if not self._select_current():
            self.view.clearSelection()

    def _on_current(self, index: QModelIndex) -> None:
        if not self._loading and index.isValid():
            self._set_current(str(index.data()))

    def _set_current(self, project: str) -> None:
        if project != self.current:
            self.current = project
            self.chosen.emit(project)
