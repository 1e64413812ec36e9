"""Choice of the location of new indexes: the data folder, or a Qdrant server. Part of the section Index."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QMessageBox, QRadioButton, QWidget

from citeloom.desktop.settings.server_address import ServerAddress, below_radio_button
from citeloom.desktop.shell.page import PageContext
from citeloom.desktop.text.index_text import remote_index_warning
from citeloom.desktop.widgets import basics
from citeloom.desktop.widgets.layout import column


class NewIndexes(QWidget):
    """Radio buttons for the location, with the address of the server."""

    picked = Signal(object)  # the address of a server; None for the data folder

    def __init__(self, context: PageContext) -> None:
        super().__init__()
        self._saved = ""
        self.question: QMessageBox | None = None
        self.local = QRadioButton(self.tr("On this &computer, in CiteLoom’s own folder (recommended)"))
        self.remote = QRadioButton(self.tr("On a &Qdrant server"))
        self.server = ServerAddress(context)
        column(self.local, self.remote, below_radio_button(self.remote, self.server), of=self)
        self.local.clicked.connect(self._choose_local)
        self.remote.clicked.connect(self._choose_remote)
        self.server.entered.connect(self._on_entered)
        self.show_server("")

    def show_server(self, address: str) -> None:
        """Show the address of the settings file, unless another one is being typed."""
        typing = self.remote.isChecked() and not self._saved and not address
        self._saved = address
        if not typing:
            (self.remote if address else self.local).setChecked(True)
            self.server.setVisible(bool(address))
        self.server.show_address(address)

    def _choose_local(self) -> None:
        self.server.hide()
        if self._saved:
            self.picked.emit(None)

    def _choose_remote(self) -> None:
        self.server.show()
        self.server.line.setFocus()

    def _on_entered(self, address: str) -> None:
        if not address:
            self.local.setChecked(True)
            self._choose_local()
        elif text := remote_index_warning(address):
            self._confirm_remote(address, text)
        elif address != self._saved:
            self.picked.emit(address)

    def _confirm_remote(self, address: str, text: str) -> None:
        self.question = basics.ask_first(
            self,
            self.tr("Keep the passages of new projects on {address}?").format(address=address),
            text,
            self.tr("Keep them there"),
            lambda: self.picked.emit(address),
        )
        # "Cancel" restores the previous choice; otherwise the change of the settings file updates it.
        self.question.rejected.connect(self._restore_choice)

    def _restore_choice(self) -> None:
        (self.remote if self._saved else self.local).setChecked(True)
        self.show_server(self._saved)
