"""The choice of the projects and toolsets that an editor may use. Shared by both panels of the connect page."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtWidgets import QButtonGroup, QCheckBox, QListView, QRadioButton, QWidget

from citeloom.desktop.widgets.basics import GAP, named, search_field, text
from citeloom.desktop.widgets.layout import column
from citeloom.desktop.widgets.table import Index, ListModel
from citeloom.editors import DEFAULT_TOOLSETS

_SEARCH_FIELD_FROM = 8  # projects; with more of them, a search field is shown
_SPACING = 2  # around a row
_CHECK = Qt.ItemDataRole.CheckStateRole


class ProjectsModel(ListModel[str]):
    """List model of projects with check boxes; its rows are the names that match the filter."""

    ticked = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.names: list[str] = []
        self.chosen: set[str] = set()
        self._filter = ""
        self._existing: set[str] | None = None

    def show_projects(self, existing: Sequence[str] | None, chosen: Sequence[str]) -> None:
        """Replace the projects; a chosen project that no longer exists stays in the list, to be unticked."""
        self._existing, self.chosen = None if existing is None else set(existing), set(chosen)
        self.names = sorted((self._existing or set()) | self.chosen, key=str.casefold)
        self.find(self._filter)

    def find(self, message: str) -> None:
        """List only the projects whose name contains a text."""
        self._filter = message.casefold()
        self.set_rows([name for name in self.names if self._filter in name.casefold()])

    def flags(self, index: Index) -> Qt.ItemFlag:
        return Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable | Qt.ItemFlag.ItemIsUserCheckable

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        name = self.rows[index.row()]
        if role == Qt.ItemDataRole.DisplayRole:
            missing = self._existing is not None and name not in self._existing
            return self.tr("{project} (no longer exists)").format(project=name) if missing else name
        if role == _CHECK:
            return Qt.CheckState.Checked if name in self.chosen else Qt.CheckState.Unchecked
        return None

    def setData(self, index: Index, value: Any, role: int = Qt.ItemDataRole.EditRole) -> bool:
        if role != _CHECK:
            return False
        name = self.rows[index.row()]
        if Qt.CheckState(value) == Qt.CheckState.Checked:
            self.chosen.add(name)
        else:
            self.chosen.discard(name)
        self.dataChanged.emit(index, index, [role])
        self.ticked.emit()
        return True


class AccessChoice(QWidget):
    """Widget for the choice of projects and toolsets."""

    changed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._existing: list[str] | None = None  # None: not known yet
        self._proposed = ""
        self.some = QRadioButton(self.tr("&Only these projects"))
        self.every = QRadioButton(self.tr("&All projects, including future ones"))
        self.read = QRadioButton(self.tr("&Read: search, read, cite, check quotations"))
        self.write = QRadioButton(self.tr("Read and &write: also add and remove papers"))
        self.notes = QCheckBox(self.tr("Keep &notes in your notebook"))
        self.notes.setAccessibleName(self.notes.text().replace("&", ""))
        self.notes.toggled.connect(self._on_changed)
        groups = (QButtonGroup(self), QButtonGroup(self))
        for group, buttons in zip(groups, ((self.some, self.every), (self.read, self.write)), strict=True):
            for one in buttons:
                one.setAccessibleName(one.text().replace("&", ""))
                group.addButton(one)
                one.toggled.connect(self._on_changed)
        self.model = ProjectsModel(self)
        self.model.ticked.connect(self._on_changed)
        self.find_field = search_field(self.tr("Find a project"), self.model.find)
        self.list = named(QListView(), self.tr("Projects that it may see"))
        self.list.setModel(self.model)
        self.list.setUniformItemSizes(True)
        self.list.setSpacing(_SPACING)
        self.none = text(self.tr("There is no project yet: create one under Projects."), muted=True)
        column(
            text(self.tr("Which projects may it see?"), bold=True),
            self.some,
            self.none,
            self.find_field,
            self.list,
            self.every,
            GAP,
            text(self.tr("What may it do?"), bold=True),
            self.read,
            self.write,
            self.notes,
            of=self,
            spacing=GAP // 2,
        )
        self.choose((), DEFAULT_TOOLSETS, everything=False)

    def controls(self) -> tuple[QWidget, ...]:
        """Return the focusable controls, from top to bottom."""
        return (self.some, self.find_field, self.list, self.every, self.read, self.write, self.notes)

    def propose(self, project: str) -> None:
        """Preselect a project, if nothing else is chosen."""
        self._proposed = project
        self._show()

    def show_projects(self, existing: Sequence[str]) -> None:
        """Set the existing projects; the choice is kept."""
        self._existing = list(existing)
        self._show()

    def _show(self) -> None:
        self.model.show_projects(self._existing, sorted(self.model.chosen) or self._default_choice())
        self._on_changed()

    def choose(self, projects: Sequence[str], toolsets: Sequence[str], *, everything: bool) -> None:
        """Set the choice."""
        self.model.show_projects(self._existing, list(projects) or self._default_choice())
        (self.every if everything else self.some).setChecked(True)
        (self.write if "write" in toolsets else self.read).setChecked(True)
        self.notes.setChecked("notes" in toolsets)
        self._on_changed()

    def projects(self) -> list[str] | None:
        """Return the chosen projects: an empty list for all of them, None if nothing is chosen."""
        if self.every.isChecked():
            return []
        return [name for name in self.model.names if name in self.model.chosen] or None

    def toolsets(self) -> list[str]:
        """Return the chosen toolsets."""
        chosen = {"read": True, "write": self.write.isChecked(), "notes": self.notes.isChecked()}
        return [name for name, is_chosen in chosen.items() if is_chosen]

    def _default_choice(self) -> list[str]:
        existing = self._existing or []
        if self._proposed in existing:
            return [self._proposed]
        return existing if len(existing) == 1 else []

    def _on_changed(self) -> None:
        some = self.some.isChecked()
        self.list.setVisible(bool(self.model.names))
        self.none.setVisible(self._existing is not None and not self.model.names)
        self.find_field.setVisible(len(self.model.names) > _SEARCH_FIELD_FROM)
        self.list.setEnabled(some)
        self.find_field.setEnabled(some)
        row = max(self.list.sizeHintForRow(0), self.list.fontMetrics().height()) + 2 * _SPACING
        shown = min(max(len(self.model.names), 2), 6)
        self.list.setFixedHeight(row * shown + 2 * (_SPACING + self.list.frameWidth()))
        self.changed.emit()
