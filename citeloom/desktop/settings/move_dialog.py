"""Dialog for the new location of an index. Opened by the section Index."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QRadioButton, QWidget

from citeloom.api.maintenance import EMBEDDED, IndexInfo
from citeloom.desktop.settings.server_address import ServerAddress, below_radio_button
from citeloom.desktop.shell.page import PageContext
from citeloom.desktop.widgets import basics
from citeloom.desktop.widgets.layout import Stretch, column

_LETTERS = 70


class MoveDialog(QDialog):
    """Asks for the new location of a project's index."""

    agreed = Signal(str)  # the address of a server, or EMBEDDED

    def __init__(self, context: PageContext, index: IndexInfo, proposed: str, parent: QWidget) -> None:
        super().__init__(parent)
        self._location = index.place
        title = self.tr("Move the index of “{project}”").format(project=index.project)
        self.setWindowTitle(title)
        self.local = QRadioButton(self.tr("To this &computer, into CiteLoom’s own folder"))
        self.remote = QRadioButton(self.tr("To a &Qdrant server"))
        self.server = ServerAddress(context)
        text = self.tr(
            "Its {count} passages are copied. The old index is used until the copy is complete and has been compared;"
            " then it is deleted. This takes a while, and nothing new is read into this project until it is done."
            " You can keep working."
        )
        self.message = basics.text(text.format(count=basics.number(index.passages)), muted=True)
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Cancel)
        self.move_button = buttons.addButton(self.tr("&Move it"), QDialogButtonBox.ButtonRole.AcceptRole)
        buttons.accepted.connect(self._agree)
        buttons.rejected.connect(self.reject)
        heading = basics.heading(title)
        server = below_radio_button(self.remote, self.server)
        parts = (heading, self.local, self.remote, server, self.message, Stretch(1), buttons)
        column(*parts, of=self, margins=None, spacing=basics.GAP)
        self.server.test_button.setDefault(True)  # Enter in the address field must not start the move
        for label in (heading, self.message):
            label.setMinimumWidth(1)
        self.setMinimumWidth(self.fontMetrics().averageCharWidth() * _LETTERS)
        self.local.setEnabled(self._location != EMBEDDED)
        (self.remote if self._location == EMBEDDED else self.local).setChecked(True)
        self.server.show_address(proposed if proposed != self._location else "")
        self.remote.toggled.connect(lambda _: self._on_changed())
        self.server.changed.connect(self._on_changed)
        self._on_changed()

    def target(self) -> str:
        """Return the chosen location; "" while there is no address."""
        return EMBEDDED if self.local.isChecked() else self.server.address()

    def _on_changed(self) -> None:
        self.server.setVisible(self.remote.isChecked())
        self.move_button.setEnabled(self.target() not in ("", self._location))
        self.adjustSize()

    def _agree(self) -> None:
        self.agreed.emit(self.target())
        self.accept()
