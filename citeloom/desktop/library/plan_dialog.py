"""The dialog that shows the plan of a sync before it removes many documents."""

from __future__ import annotations

from PySide6.QtCore import QStringListModel, Qt, Signal
from PySide6.QtWidgets import (
    QAbstractItemView,
    QDialog,
    QDialogButtonBox,
    QFormLayout,
    QListView,
    QPushButton,
    QWidget,
)

from citeloom.api.importing import SyncPreview
from citeloom.desktop.library.source_dialogs import resize
from citeloom.desktop.text import library_text
from citeloom.desktop.widgets import basics
from citeloom.desktop.widgets.layout import column


class PlanDialog(QDialog):
    """Shows the counts of a planned sync, and the titles of the papers that it would remove."""

    decided = Signal(bool)  # whether they are to be removed

    def __init__(self, parent: QWidget, plan: SyncPreview) -> None:
        super().__init__(parent)
        self.setWindowTitle(self.tr("Before this sync"))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        removed = plan.removed
        text = self.tr("{count} papers of {project} are no longer in their folders or collections.")
        heading = basics.heading(text.format(count=basics.number(len(removed)), project=plan.project))
        hint = self.tr("Has a drive been unplugged, or a folder moved? Then keep them: they stay searchable.")
        counts = QFormLayout()
        for count, label in (
            (len(plan.added), self.tr("To be read")),
            (len(plan.changed), self.tr("To be read again")),
            (len(plan.updated), self.tr("With another record")),
            (len(plan.without_file), self.tr("Without a file")),
            (len(removed), self.tr("To be removed")),
        ):
            if count:
                counts.addRow(basics.text(label, muted=True), basics.text(basics.number(count)))
        counts.addRow(basics.text(self.tr("Unchanged"), muted=True), basics.text(basics.number(plan.unchanged)))
        self.leaving = QListView()
        self.leaving.setAccessibleName(self.tr("Papers that would be removed"))
        self.leaving.setUniformItemSizes(True)
        self.leaving.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        names = [" · ".join(filter(None, (one.citekey, one.title or one.source))) for one in removed]
        self.leaving.setModel(QStringListModel([library_text.one_line(name) for name in names], self))
        self.buttons = QDialogButtonBox()
        self.keep = self._button(self.tr("&Keep them"), remove=False)
        self.remove = self._button(self.tr("&Remove them"), remove=True)
        self.buttons.addButton(QDialogButtonBox.StandardButton.Cancel)
        self.buttons.rejected.connect(self.reject)
        self.keep.setDefault(True)
        parts = (heading, basics.text(hint), counts, (self.leaving, 1), self.buttons)
        column(*parts, of=self, margins=None, spacing=basics.GAP)
        resize(self, 70, 26)

    def _button(self, label: str, *, remove: bool) -> QPushButton:
        made = self.buttons.addButton(label, QDialogButtonBox.ButtonRole.ActionRole)
        made.clicked.connect(lambda: self.decided.emit(remove))
        made.clicked.connect(self.accept)
        return made
