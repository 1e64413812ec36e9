"""Tree of Zotero libraries, collections and saved searches with check boxes: the choice of what a project reads."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from PySide6.QtCore import QSortFilterProxyModel, Qt, Signal
from PySide6.QtGui import QStandardItem, QStandardItemModel
from PySide6.QtWidgets import QHeaderView, QTreeView, QWidget

from citeloom.api.importing import ZoteroCollections, ZoteroLibrary
from citeloom.api.library import ZoteroPart
from citeloom.core.text.sanitize import one_line
from citeloom.desktop.shell.icons import icon
from citeloom.desktop.widgets import basics
from citeloom.desktop.widgets.layout import column

_FILTER_FROM = 12  # rows from which on the search field is shown
_NAME, _COUNT = range(2)
_ICONS = {"library": "library", "collection": "folder", "search": "search"}
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
    inside: list[Part] = field(default_factory=list)
    ticked: bool = False

    def add(self, part: Part) -> Part:
        """Append a child."""
        part.above = self
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


class _Item(QStandardItem):
    """Tree item of a part; its tick is kept in the part, because it changes those of ancestors and descendants."""

    def __init__(self, part: Part) -> None:
        super().__init__(icon(_ICONS[part.kind]), one_line(part.name))
        self._part = part
        self.setToolTip(basics.tip(part.name))
        self.setEditable(False)
        self.setCheckable(True)
        for inner in part.inside:
            self.appendRow(_row(inner))

    def data(self, role: int = Qt.ItemDataRole.UserRole) -> Any:
        return self._part.shown_tick if role == Qt.ItemDataRole.CheckStateRole else super().data(role)

    def setData(self, value: Any, role: int = Qt.ItemDataRole.UserRole) -> None:
        if role == Qt.ItemDataRole.CheckStateRole:
            self._part.tick(Qt.CheckState(value) != _NONE)
            self.emitDataChanged()
        else:
            super().setData(value, role)


def _row(part: Part) -> list[QStandardItem]:
    count = QStandardItem("" if part.items is None else basics.number(part.items))
    count.setTextAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
    count.setEditable(False)
    return [_Item(part), count]


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
        self.libraries: list[Part] = []
        self.model = QStandardItemModel(self)
        self.model.setHorizontalHeaderLabels([self.tr("Library or collection"), self.tr("Papers")])
        self.model.itemChanged.connect(self._on_ticked)
        self._filtered = QSortFilterProxyModel(self)
        self._filtered.setSourceModel(self.model)
        self._filtered.setRecursiveFilteringEnabled(True)
        self._filtered.setAutoAcceptChildRows(True)
        self._filtered.setFilterCaseSensitivity(Qt.CaseSensitivity.CaseInsensitive)
        self.find_field = basics.search_field(self.tr("Find a collection"), self._filter)
        self.view = basics.named(QTreeView(), self.tr("Libraries and collections of Zotero"))
        self.view.setModel(self._filtered)
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
        ticked = {_identity(part) for part in self._parts() if part.ticked}
        self.libraries = parts_of(found)
        for part in self._parts():
            part.ticked = _identity(part) in ticked
        self.model.setRowCount(0)
        for library in self.libraries:
            self.model.appendRow(_row(library))
        lines = len(self._parts())
        self.find_field.setVisible(lines >= _FILTER_FROM)
        self.view.expandToDepth(0)
        if lines:
            self.view.setCurrentIndex(self._filtered.index(0, 0))
        self.changed.emit()

    def chosen(self) -> list[ZoteroPart]:
        """Return the ticked parts, for a project to read."""
        return [
            ZoteroPart(name=_source_name(part), library=part.library, recursive=whole)
            for library in self.libraries
            for part, whole in library.chosen()
        ]

    def chosen_names(self) -> list[str]:
        """Return the names of the ticked parts, to suggest a name for a project."""
        return [part.name for library in self.libraries for part, _ in library.chosen()]

    def _parts(self) -> list[Part]:
        return [part for library in self.libraries for part in _descendants(library)]

    def _on_ticked(self) -> None:
        self.view.viewport().update()  # a tick also changes ancestors and descendants
        self.changed.emit()

    def _filter(self, text: str) -> None:
        self._filtered.setFilterFixedString(text.strip())
        if text.strip():
            self.view.expandAll()


def _source_name(part: Part) -> str:
    """Return the part as a source; by key, because names are not unique."""
    return {"library": "*", "collection": part.key, "search": f"search:{part.key}"}[part.kind]
