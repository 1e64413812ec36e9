"""The choice where the indexes of new projects are made: in CiteLoom's own folder, or on a Qdrant server."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QMessageBox, QRadioButton, QVBoxLayout, QWidget

from citeloom.desktop.settings.server_address import ServerAddress, beneath
from citeloom.desktop.shell.page import PageContext
from citeloom.desktop.text.index_text import remote_index_warning
from citeloom.desktop.widgets import basics


class NewIndexes(QWidget):
    """Two radio buttons, and the address of the server."""

    picked = Signal(object)  # the address of a server; None: in our own folder

    def __init__(self, context: PageContext) -> None:
        super().__init__()
        self._saved = ""
        self.question: QMessageBox | None = None
        self.here = QRadioButton(self.tr("On this &computer, in CiteLoom’s own folder (recommended)"))
        self.there = QRadioButton(self.tr("On a &Qdrant server"))
        self.server = ServerAddress(context)
        lines = QVBoxLayout(self)
        lines.setContentsMargins(0, 0, 0, 0)
        lines.addWidget(self.here)
        lines.addWidget(self.there)
        lines.addLayout(beneath(self.there, self.server))
        self.here.clicked.connect(self._choose_here)
        self.there.clicked.connect(self._choose_there)
        self.server.entered.connect(self._on_entered)
        self.show_server("")

    def show_server(self, address: str) -> None:
        """Show the address of the settings file, unless somebody is about to type another one."""
        about_to_type = self.there.isChecked() and not self._saved and not address
        self._saved = address
        if not about_to_type:
            (self.there if address else self.here).setChecked(True)
            self.server.setVisible(bool(address))
        self.server.show_address(address)

    def _choose_here(self) -> None:
        self.server.hide()
        if self._saved:
            self.picked.emit(None)

    def _choose_there(self) -> None:
        self.server.show()
        self.server.line.setFocus()

    def _on_entered(self, address: str) -> None:
        if not address:
            self.here.setChecked(True)
            self._choose_here()
        elif text := remote_index_warning(address):
            self._ask_first(address, text)
        elif address != self._saved:
            self.picked.emit(address)

    def _ask_first(self, address: str, text: str) -> None:
        self.question = basics.ask_first(
            self,
            self.tr("Keep the passages of new projects on {address}?").format(address=address),
            text,
            self.tr("Keep them there"),
            lambda: self.picked.emit(address),
        )
        # Whoever does not agree has what was there before; after an agreement it is shown again by the file.
        self.question.rejected.connect(self._take_back)

    def _take_back(self) -> None:
        (self.there if self._saved else self.here).setChecked(True)
        self.show_server(self._saved)
