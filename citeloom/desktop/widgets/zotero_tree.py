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
class ZoteroNode:
    """A tree item: a library, a collection or a saved search, and whether its own papers are to be read."""

    kind: str
    library: str
    key: str
    name: str
    items: int | None
    parent: ZoteroNode | None = None
    children: list[ZoteroNode] = field(default_factory=list)
    checked: bool = False

    def add(self, node: ZoteroNode) -> ZoteroNode:
        """Append a child."""
        node.parent = self
        self.children.append(node)
        return node

    def walk(self) -> Iterator[ZoteroNode]:
        """Iterate over this node and its descendants, without saved searches: they contain nothing of their own."""
        yield self
        for node in self.children:
            if node.kind != "search":
                yield from node.walk()

    def set_checked(self, checked: bool) -> None:
        """Check or uncheck this node with its descendants. A library is unchecked when one of its collections is."""
        for node in [self] if self.kind == "search" else self.walk():
            node.checked = checked
        ancestor = self.parent
        while not checked and self.kind == "collection" and ancestor is not None:
            if ancestor.kind == "library":
                ancestor.checked = False
            ancestor = ancestor.parent

    @property
    def check_state(self) -> Qt.CheckState:
        """The state of the check box: checked if its own papers are read, partial if only those of descendants are."""
        if self.checked:
            return _ALL
        return _SOME if any(p.check_state != _NONE for p in self.children) else _NONE

    def chosen(self) -> Iterator[tuple[ZoteroNode, bool]]:
        """Iterate over the parts to be read, each with whether all its descendants are included."""
        whole = self.checked and all(node.checked for node in self.walk())
        if self.checked and (whole or self.kind != "library"):
            yield self, whole
        if not whole:
            for node in self.children:
                yield from node.chosen()


def build_tree(found: ZoteroCollections) -> list[ZoteroNode]:
    """Build the trees of Zotero's libraries."""
    return [_library(library) for library in found.libraries]


def _library(found: ZoteroLibrary) -> ZoteroNode:
    library = ZoteroNode("library", found.id, "", found.name, found.items)
    collections: dict[str, ZoteroNode] = {}
    for one in found.collections:
        ancestor = collections.get(one.parent or "", library)
        node = ZoteroNode("collection", library.library, one.key, one.name, one.items)
        collections[node.key] = ancestor.add(node)
    for search in found.searches:
        library.add(ZoteroNode("search", library.library, search.key, search.name, None))
    return library


class _Item(QStandardItem):
    """Tree item of a node; its tick is kept in the node, because it changes those of ancestors and descendants."""

    def __init__(self, node: ZoteroNode) -> None:
        super().__init__(icon(_ICONS[node.kind]), one_line(node.name))
        self._node = node
        self.setToolTip(basics.tip(node.name))
        self.setEditable(False)
        self.setCheckable(True)
        for child in node.children:
            self.appendRow(_row(child))

    def data(self, role: int = Qt.ItemDataRole.UserRole) -> Any:
        return self._node.check_state if role == Qt.ItemDataRole.CheckStateRole else super().data(role)

    def setData(self, value: Any, role: int = Qt.ItemDataRole.UserRole) -> None:
        if role == Qt.ItemDataRole.CheckStateRole:
            self._node.set_checked(Qt.CheckState(value) != _NONE)
            self.emitDataChanged()
        else:
            super().setData(value, role)


def _row(node: ZoteroNode) -> list[QStandardItem]:
    count = QStandardItem("" if node.items is None else basics.number(node.items))
    count.setTextAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
    count.setEditable(False)
    return [_Item(node), count]


def _descendants(node: ZoteroNode) -> Iterator[ZoteroNode]:
    yield node
    for one in node.children:
        yield from _descendants(one)


def _identity(node: ZoteroNode) -> tuple[str, str, str]:
    return node.library, node.kind, node.key


class ZoteroTree(QWidget):
    """The tree, with a search field when there are many collections."""

    changed = Signal()  # something was checked or unchecked

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.libraries: list[ZoteroNode] = []
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
        """Replace the libraries; checked parts stay checked."""
        checked = {_identity(node) for node in self._nodes() if node.checked}
        self.libraries = build_tree(found)
        for node in self._nodes():
            node.checked = _identity(node) in checked
        self.model.setRowCount(0)
        for library in self.libraries:
            self.model.appendRow(_row(library))
        lines = len(self._nodes())
        self.find_field.setVisible(lines >= _FILTER_FROM)
        self.view.expandToDepth(0)
        if lines:
            self.view.setCurrentIndex(self._filtered.index(0, 0))
        self.changed.emit()

    def chosen(self) -> list[ZoteroPart]:
        """Return the checked parts, for a project to read."""
        return [
            ZoteroPart(name=_source_name(node), library=node.library, recursive=whole)
            for library in self.libraries
            for node, whole in library.chosen()
        ]

    def chosen_names(self) -> list[str]:
        """Return the names of the checked parts, to suggest a name for a project."""
        return [node.name for library in self.libraries for node, _ in library.chosen()]

    def _nodes(self) -> list[ZoteroNode]:
        return [node for library in self.libraries for node in _descendants(library)]

    def _on_ticked(self) -> None:
        self.view.viewport().update()  # a tick also changes ancestors and descendants
        self.changed.emit()

    def _filter(self, text: str) -> None:
        self._filtered.setFilterFixedString(text.strip())
        if text.strip():
            self.view.expandAll()


def _source_name(node: ZoteroNode) -> str:
    """Return the node as a source; by key, because names are not unique."""
    return {"library": "*", "collection": node.key, "search": f"search:{node.key}"}[node.kind]
