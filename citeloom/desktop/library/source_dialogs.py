"""Dialogs for the sources of a project: parts of Zotero, folders and references."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QFormLayout,
    QLineEdit,
    QListWidget,
    QSizePolicy,
    QStackedWidget,
    QWidget,
)

from citeloom.api.importing import ListZoteroCollections, ZoteroCollections
from citeloom.api.library import AddProject, AllowSources, ProjectDetails
from citeloom.api.verbs import Request
from citeloom.core.errors import CiteLoomError
from citeloom.desktop.shell.page import PageContext
from citeloom.desktop.widgets import basics
from citeloom.desktop.widgets.file_dialogs import choose_file, choose_folder
from citeloom.desktop.widgets.layout import column, row
from citeloom.desktop.widgets.zotero_tree import ZoteroTree


def resize(dialog: QDialog, letters: int, lines: int) -> None:
    """Resize a dialog to a number of letters and lines, within the screen."""
    letter, line = dialog.fontMetrics().horizontalAdvance("0"), dialog.fontMetrics().height()
    dialog.resize(QSize(letters * letter, lines * line).boundedTo(dialog.screen().availableSize() * 0.9))


class ZoteroChoice(QStackedWidget):
    """The tree of Zotero collections, or why it cannot be shown."""

    changed = Signal()

    def __init__(self, context: PageContext) -> None:
        super().__init__()
        self._context = context
        self.tree = ZoteroTree()
        self.tree.changed.connect(self.changed)
        self.waiting = basics.EmptyState("library", self.tr("Loading Zotero …"), "")
        self.problem = basics.EmptyState(
            "library", self.tr("Zotero cannot be read"), "", [(self.tr("Try a&gain"), self.load)]
        )
        for part in (self.waiting, self.problem, self.tree):
            self.addWidget(part)

    def load(self) -> None:
        """Load the collections."""
        self.setCurrentWidget(self.waiting)
        self._context.tasks.send(self, ListZoteroCollections(), done=self._show, failed=self._on_failed)

    def _show(self, found: ZoteroCollections) -> None:
        self.tree.load(found)
        self.setCurrentWidget(self.tree)

    def _on_failed(self, error: CiteLoomError) -> None:
        self.problem.show_message(self.tr("Zotero cannot be read"), str(error))
        self.setCurrentWidget(self.problem)


class _RequestDialog(QDialog):
    """Base of dialogs that send a request and stay open until it is answered."""

    answered = Signal(object)  # the result of its request

    def __init__(self, context: PageContext, parent: QWidget) -> None:
        super().__init__(parent)
        self._context = context
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.banner = basics.Banner()
        self.inside = QWidget()
        self.buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Cancel)
        self.yes = self.buttons.addButton("", QDialogButtonBox.ButtonRole.AcceptRole)
        self.yes.setDefault(True)
        self.buttons.accepted.connect(self._submit)
        self.buttons.rejected.connect(self.reject)
        column(self.banner, (self.inside, 1), self.buttons, of=self, margins=None)
        resize(self, 76, 32)

    def request(self) -> Request[Any]:
        """The request that the dialog sends."""
        raise NotImplementedError

    def reject(self) -> None:
        if self.inside.isEnabled():  # a running request is not cancelled by closing the dialog
            super().reject()

    def _submit(self) -> None:
        request = self.request()
        self._busy(True)
        self.banner.show_message(self.tr("One moment …"), closable=False)
        self._context.tasks.send(self, request, done=self._done, failed=self._failed)

    def _done(self, project: ProjectDetails) -> None:
        self.answered.emit(project)
        self.accept()

    def _failed(self, error: CiteLoomError) -> None:
        self._busy(False)
        self.banner.show_error(error)

    def _busy(self, busy: bool) -> None:
        self.inside.setDisabled(busy)
        self.buttons.setDisabled(busy)


class AddZoteroDialog(_RequestDialog):
    """Adds parts of Zotero to a project."""

    def __init__(self, context: PageContext, parent: QWidget, project: str) -> None:
        super().__init__(context, parent)
        self.setWindowTitle(self.tr("Read more of Zotero"))
        self.yes.setText(self.tr("&Read these"))
        self._project = project
        self.zotero = ZoteroChoice(context)
        self.zotero.changed.connect(self._on_change)
        hint = basics.text(self.tr("Everything ticked is read, including what you add to it later."), muted=True)
        column(hint, (self.zotero, 1), of=self.inside)
        self._on_change()
        self.zotero.load()

    def request(self) -> AllowSources:
        return AllowSources(project=self._project, zotero=self.zotero.tree.chosen())

    def _on_change(self) -> None:
        self.yes.setEnabled(bool(self.zotero.tree.chosen()))


class NewProjectDialog(_RequestDialog):
    """Creates a project: its name, parts of Zotero, folders and references."""

    def __init__(self, context: PageContext, parent: QWidget) -> None:
        super().__init__(context, parent)
        self.setWindowTitle(self.tr("New project"))
        self.yes.setText(self.tr("Create the &project"))
        self.name = QLineEdit(placeholderText=self.tr("thesis, or thesis/chapter-2"))
        self.name.textChanged.connect(self._on_change)
        self.zotero = ZoteroChoice(context)
        self.folders = QListWidget()
        self.folders.setMaximumHeight(self.fontMetrics().height() * 5)
        self.folders.setTextElideMode(Qt.TextElideMode.ElideMiddle)
        self.folders.currentRowChanged.connect(self._on_change)
        self.add_folder = basics.button(self.tr("Add a &folder…"), self._add_folder, icon_name="folder")
        self.drop_folder = basics.button(self.tr("Remo&ve from the list"), self._drop_folder, icon_name="remove")
        self.references = QLineEdit(
            clearButtonEnabled=True, placeholderText=self.tr("A .bib or CSL-JSON file; not needed with Zotero")
        )
        self.find_references = basics.button(self.tr("&Choose…"), self._choose_references, icon_name="file")
        form = QFormLayout(self.inside)
        form.setContentsMargins(0, 0, 0, 0)
        form.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.ExpandingFieldsGrow)
        for label, field, buddy in (
            (self.tr("&Name"), self.name, self.name),
            (self.tr("&Zotero"), self.zotero, self.zotero.tree.view),
            (
                self.tr("Fol&ders"),
                _with_buttons(self.folders, self.add_folder, self.drop_folder, vertical=True),
                self.folders,
            ),
            (self.tr("R&eferences"), _with_buttons(self.references, self.find_references), self.references),
        ):
            form.addRow(label, field)
            form.labelForField(field).setBuddy(buddy)  # type: ignore[attr-defined]  # it is a QLabel
            buddy.setAccessibleName(label.replace("&", ""))
        self._on_change()
        self.zotero.load()
        self.name.setFocus()

    def request(self) -> AddProject:
        return AddProject(
            project=self.name.text().strip(),
            references=self.references.text().strip() or None,
            folders=[self.folders.item(row).text() for row in range(self.folders.count())],
            zotero=self.zotero.tree.chosen(),
        )

    def _on_change(self) -> None:
        self.yes.setEnabled(bool(self.name.text().strip()))
        self.drop_folder.setEnabled(self.folders.currentRow() >= 0)

    def _add_folder(self) -> None:
        choose_folder(self, self.tr("A folder that the project reads"), self.folders.addItem)

    def _drop_folder(self) -> None:
        self.folders.takeItem(self.folders.currentRow())
        self._on_change()

    def _choose_references(self) -> None:
        kinds = self.tr("References ({suffixes})").format(suffixes="*.bib *.json")
        title = self.tr("The references of the project")
        choose_file(self, title, self.references.setText, kinds=kinds)


def _with_buttons(field: QWidget, *buttons: QWidget, vertical: bool = False) -> QWidget:
    """Return a field with its buttons to the right."""
    place = QWidget()
    place.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Maximum)
    side = column(*buttons) if vertical else row(*buttons)
    layout = row(side, of=place)
    layout.insertWidget(0, field, 1, Qt.AlignmentFlag.AlignTop)
    layout.setAlignment(side, Qt.AlignmentFlag.AlignTop)
    return place
