"""The sources of a project: parts of Zotero, folders, files, and its references."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtWidgets import QListWidget, QListWidgetItem, QMessageBox, QWidget

from citeloom.api.library import DisallowSource
from citeloom.core.types import Source
from citeloom.desktop.shell.engine_tasks import EngineTasks
from citeloom.desktop.shell.icons import icon
from citeloom.desktop.text import library_text
from citeloom.desktop.widgets import basics
from citeloom.desktop.widgets.layout import column, row

_ICONS = {"zotero": "library", "folder": "folder", "file": "file"}


class Sources(QWidget):
    """Lists the sources of a project and removes one."""

    failed = Signal(object)  # a CiteLoomError
    changed = Signal(object)  # ProjectDetails, after a source was removed

    def __init__(self, tasks: EngineTasks) -> None:
        super().__init__()
        self._engine = tasks
        self._project = ""
        self.question: QMessageBox | None = None
        self.list = basics.named(QListWidget(), self.tr("What this project reads"))
        self.list.setUniformItemSizes(True)
        self.list.setIconSize(QSize(16, 16))
        self.list.setTextElideMode(Qt.TextElideMode.ElideMiddle)
        self.list.currentRowChanged.connect(self._on_current)
        self.references = basics.text(muted=True, shrinks=True)
        self.remove_button = basics.button(self.tr("Stop reading t&his…"), self._remove, icon_name="remove")
        column((self.list, 1), row((self.references, 1), self.remove_button), of=self)

    def show_project(self, project: str, sources: Sequence[Source], references: str | None) -> None:
        """Show the sources of a project."""
        self._project = project
        chosen = self.list.currentItem().data(Qt.ItemDataRole.UserRole) if self.list.currentItem() else None
        self.list.clear()
        for source in sources:
            item = QListWidgetItem(
                icon(_ICONS.get(source.kind, "file")), basics.one_line(library_text.source_text(source))
            )
            item.setData(Qt.ItemDataRole.UserRole, source.path)
            item.setToolTip(basics.tip(library_text.source_text(source)))
            self.list.addItem(item)
            if source.path == chosen:
                self.list.setCurrentItem(item)
        self.references.setText(self.tr("References: {file}").format(file=references) if references else "")
        self._on_current()

    def _on_current(self) -> None:
        self.remove_button.setEnabled(self.list.currentItem() is not None)

    def _remove(self) -> None:
        item = self.list.currentItem()
        if item is None:
            return
        request = DisallowSource(project=self._project, source=item.data(Qt.ItemDataRole.UserRole))
        self.question = basics.ask_first(
            self,
            self.tr("Stop reading this"),
            self.tr("Stop reading “{source}”? Its papers are removed; your files and Zotero are not changed.").format(
                source=item.text()
            ),
            self.tr("&Stop reading it"),
            lambda: self._engine.send(self, request, done=self.changed.emit, failed=self.failed.emit),
        )
