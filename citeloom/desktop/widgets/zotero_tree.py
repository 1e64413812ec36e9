"""Tree of Zotero libraries, collections and saved searches with check boxes: the choice of what a project reads."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, ClassVar

from PySide6.QtCore import (
    QAbstractItemModel,
    QModelIndex,
    QObject,
    QSortFilterProxyModel,
    Qt,
    Signal,
)
from PySide6.QtWidgets import QHeaderView, QTreeView, QWidget

from citeloom.api.importing import ZoteroCollections, ZoteroLibrary
from citeloom.api.library import ZoteroPart
from citeloom.core.text.sanitize import one_line
from citeloom.desktop.shell.icons import icon
from citeloom.desktop.widgets import basics
from citeloom.desktop.widgets.layout import column
from citeloom.desktop.widgets.table import Index

_FILTER_FROM = 12  # rows from which on the search field is shown
_NAME, _COUNT = range(2)
_ALL, _SOME, _NONE = Qt.CheckState.Checked, Qt.CheckState.PartiallyChecked, Qt.CheckState.Unchecked


@dataclass(eq=False)
class Part:
    """A tree item: a library, a collection or a saved search, and whether its own papers are to be read."""

    kind: str
    library: str
    key: str
    name: str
    items: int | None
    above: Part | None = None
    row: int = 0
    inside: list[Part] = field(default_factory=list)
    ticked: bool = False

    def add(self, part: Part) -> Part:
        """Append a child."""
        part.above, part.row = self, len(self.inside)
        self.inside.append(part)
        return part

    def walk(self) -> Iterator[Part]:
        """Iterate over this part and its descendants, without saved searches: they contain nothing of their own."""
        yield self
        for part in self.inside:
            if part.kind != "search":
                yield from part.walk()

    def tick(self, ticked: bool) -> None:
        """Tick or untick this part with its descendants. A library is unticked when one of its collections is."""
        for part in [self] if self.kind == "search" else self.walk():
            part.ticked = ticked
        above = self.above
        while not ticked and self.kind == "collection" and above is not None:
            if above.kind == "library":
                above.ticked = False
            above = above.above

    @property
    def shown_tick(self) -> Qt.CheckState:
        """The state of the check box: checked if its own papers are read, partial if only those of descendants are."""
        if self.ticked:
            return _ALL
        return _SOME if any(p.shown_tick != _NONE for p in self.inside) else _NONE

    def chosen(self) -> Iterator[tuple[Part, bool]]:
        """Iterate over the parts to be read, each with whether all its descendants are included."""
        whole = self.ticked and all(part.ticked for part in self.walk())
        if self.ticked and (whole or self.kind != "library"):
            yield self, whole
        if not whole:
            for part in self.inside:
                yield from part.chosen()


def parts_of(found: ZoteroCollections) -> list[Part]:
    """Build the trees of Zotero's libraries."""
    return [_library(library) for library in found.libraries]


def _library(found: ZoteroLibrary) -> Part:
    library = Part("library", found.id, "", found.name, found.items)
    made: dict[str, Part] = {}
    for one in found.collections:
        above = made.get(one.parent or "", library)
        part = Part("collection", library.library, one.key, one.name, one.items)
        made[part.key] = above.add(part)
    for search in found.searches:
        library.add(Part("search", library.library, search.key, search.name, None))
    return library


class _Model(QAbstractItemModel):
    ticks_changed = Signal()

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self.libraries: list[Part] = []
        self._by_id: dict[int, Part] = {}

    def show_parts(self, libraries: list[Part]) -> None:
        """Replace the libraries; ticked parts stay ticked."""
        ticked = {_identity(part) for part in self._by_id.values() if part.ticked}
        self.beginResetModel()
        self.libraries, self._by_id = libraries, {}
        for row, library in enumerate(libraries):
            library.row = row
            for part in _descendants(library):
                self._by_id[id(part)] = part
                part.ticked = _identity(part) in ticked
        self.endResetModel()

    def part(self, index: Index) -> Part | None:
        """Return the part at an index."""
        return self._by_id.get(index.internalId()) if index.isValid() else None

    def index(self, row: int, column: int, parent: Index = QModelIndex()) -> QModelIndex:  # noqa: B008 - Qt's own
        above = self.part(parent)
        parts = above.inside if above else self.libraries
        if not (0 <= row < len(parts) and column in (_NAME, _COUNT)):
            return QModelIndex()
        return self.createIndex(row, column, id(parts[row]))

    def parent(self, index: Index) -> QModelIndex:  # type: ignore[override]  # QObject's parent() is another
        part = self.part(index)
        if part is None or part.above is None:
            return QModelIndex()
        return self.createIndex(part.above.row, _NAME, id(part.above))

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        if parent.isValid() and parent.column() != _NAME:
            return 0
        above = self.part(parent)
        return len(above.inside if above else self.libraries)

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return 2

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if orientation == Qt.Orientation.Horizontal and role == Qt.ItemDataRole.DisplayRole:
            return (self.tr("Library or collection"), self.tr("Papers"))[section]
        return None

    def flags(self, index: Index) -> Qt.ItemFlag:
        flags = Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable
        return flags | Qt.ItemFlag.ItemIsUserCheckable if index.column() == _NAME else flags

    _ICONS: ClassVar = {"library": "library", "collection": "folder", "search": "search"}

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        part = self.part(index)
        if part is None:
            return None
        if index.column() == _COUNT:
            if role == Qt.ItemDataRole.TextAlignmentRole:
                return Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
            shown = role == Qt.ItemDataRole.DisplayRole and part.items is not None
            return basics.number(part.items or 0) if shown else None
        if role == Qt.ItemDataRole.DisplayRole:
            return one_line(part.name)
        if role == Qt.ItemDataRole.ToolTipRole:
            return basics.tip(part.name)
        if role == Qt.ItemDataRole.CheckStateRole:
            return part.shown_tick
        if role == Qt.ItemDataRole.DecorationRole:
            return icon(self._ICONS[part.kind])
        return None

    def setData(self, index: Index, value: Any, role: int = Qt.ItemDataRole.EditRole) -> bool:
        part = self.part(index)
        if part is None or role != Qt.ItemDataRole.CheckStateRole:
            return False
        part.tick(Qt.CheckState(value) != _NONE)
        changed = self.createIndex(index.row(), _NAME, index.internalId())
        self.dataChanged.emit(changed, changed)
        self.ticks_changed.emit()
        return True


def _descendants(part: Part) -> Iterator[Part]:
    yield part
    for one in part.inside:
        yield from _descendants(one)


def _identity(part: Part) -> tuple[str, str, str]:
    return part.library, part.kind, part.key


class ZoteroTree(QWidget):
    """The tree, with a search field when there are many collections."""

    changed = Signal()  # something was ticked or unticked

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.model = _Model(self)
        self.model.ticks_changed.connect(self._on_ticks)
        self._filtered = QSortFilterProxyModel(self)
        self._filtered.setSourceModel(self.model)
        self._filtered.setRecursiveFilteringEnabled(True)
        self._filtered.setAutoAcceptChildRows(True)
        self._filtered.setFilterCaseSensitivity(Qt.CaseSensitivity.CaseInsensitive)
        self.find_field = basics.search_field(self.tr("Find a collection"), self._filter)
        self.view = QTreeView()
        self.view.setModel(self._filtered)
        self.view.setAccessibleName(self.tr("Libraries and collections of Zotero"))
        self.view.setUniformRowHeights(True)
        header = self.view.header()
        header.setStretchLastSection(False)
        header.setSectionResizeMode(_NAME, QHeaderView.ResizeMode.Stretch)
        header.setSectionResizeMode(_COUNT, QHeaderView.ResizeMode.ResizeToContents)
        column(self.find_field, (self.view, 1), of=self)
        self.setFocusProxy(self.view)
        self.find_field.hide()

    def load(self, found: ZoteroCollections) -> None:
        """Replace the libraries; ticked parts stay ticked."""
        self.model.show_parts(parts_of(found))
        lines = sum(1 for library in self.model.libraries for _ in _descendants(library))
        self.find_field.setVisible(lines >= _FILTER_FROM)
        self.view.expandToDepth(0)
        if lines:
            self.view.setCurrentIndex(self._filtered.index(0, 0))
        self.changed.emit()

    def chosen(self) -> list[ZoteroPart]:
        """Return the ticked parts, for a project to read."""
        return [
            ZoteroPart(name=_source_name(part), library=part.library, recursive=whole)
            for library in self.model.libraries
            for part, whole in library.chosen()
        ]

    def chosen_names(self) -> list[str]:
        """Return the names of the ticked parts, to suggest a name for a project."""
        return [part.name for library in self.model.libraries for part, _ in library.chosen()]

    def _on_ticks(self) -> None:
        self.view.viewport().update()  # a tick also changes ancestors and descendants
        self.changed.emit()

    def _filter(self, text: str) -> None:
        self._filtered.setFilterFixedString(text.strip())
        if text.strip():
            self.view.expandAll()


def _source_name(part: Part) -> str:
    """Return the part as a source; by key, because names are not unique."""
    return {"library": "*", "collection": part.key, "search": f"search:{part.key}"}[part.kind]
