"""Field for the address of a Qdrant server, with a test and a warning if texts would leave this computer."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QRadioButton, QStyle, QWidget

from citeloom.api.maintenance import CheckServer, ServerInfo
from citeloom.core.errors import CiteLoomError
from citeloom.desktop.shell.engine_tasks import Task
from citeloom.desktop.shell.page import PageContext
from citeloom.desktop.text.index_text import remote_index_warning
from citeloom.desktop.widgets import basics
from citeloom.desktop.widgets.layout import column, row

_EXAMPLE = "https://qdrant.example.org:6333"


class ServerAddress(QWidget):
    """Address field with a test button, its result and the warning."""

    changed = Signal()  # on every keystroke
    entered = Signal(str)  # another address was entered

    def __init__(self, context: PageContext) -> None:
        super().__init__()
        self._context = context
        self._address = ""
        self._task: Task | None = None
        self.line = QLineEdit(placeholderText=_EXAMPLE)
        self.line.setAccessibleName(self.tr("Address of the Qdrant server"))
        self.line.textChanged.connect(self._on_text)
        self.line.editingFinished.connect(self._finished)
        self.test_button = basics.button(self.tr("Te&st"), self.test, icon_name="check")
        self.status = basics.text()
        self.warning = basics.text()
        self._sign = basics.Picture("warning", 20)
        column(row((self.line, 1), self.test_button), self.status, row(self._sign, (self.warning, 1)), of=self)
        for text in (self.status, self.warning):
            text.setMinimumWidth(1)  # a long address must not widen the window
        self._on_text()

    def address(self) -> str:
        """Return the current text of the field."""
        return self.line.text().strip()

    def show_address(self, address: str) -> None:
        """Show an address without emitting `entered`, unless one is being typed."""
        self._address = address
        if not (self.line.hasFocus() and self.line.isModified()) and self.line.text() != address:
            self.line.setText(address)

    def test(self) -> None:
        """Check whether the server at this address can be used."""
        if not self.address():
            self.line.setFocus()
            return
        self._drop_test()
        self.test_button.setEnabled(False)
        self._show_status(self.tr("Testing {address} …").format(address=self.address()))
        request = CheckServer(address=self.address())
        self._task = self._context.tasks.send(self, request, done=self._on_tested, failed=self._on_failed)

    def _on_tested(self, server: ServerInfo) -> None:
        self.test_button.setEnabled(True)
        self._show_status(self.tr("The server can be used: Qdrant {version}.").format(version=server.version))

    def _on_failed(self, error: CiteLoomError) -> None:
        self.test_button.setEnabled(True)
        self._show_status(str(error))

    def _on_text(self) -> None:
        self._drop_test()  # the result belongs to another address
        self.test_button.setEnabled(bool(self.address()))
        self._show_status("")
        text = remote_index_warning(self.address())
        self.warning.setText(text)
        for part in (self._sign, self.warning):
            part.setVisible(bool(text))
        self.changed.emit()

    def _finished(self) -> None:
        self.line.setModified(False)
        if self.address() != self._address:
            self._address = self.address()
            self.entered.emit(self._address)

    def _show_status(self, text: str) -> None:
        self.status.setText(text)
        self.status.setVisible(bool(text))

    def _drop_test(self) -> None:
        if self._task:
            self._task.drop()
        self._task = None


def below_radio_button(choice: QRadioButton, server: ServerAddress) -> QHBoxLayout:
    """Lay the address out under its radio button, in line with the button's text."""
    style = choice.style()
    metrics = (QStyle.PixelMetric.PM_ExclusiveIndicatorWidth, QStyle.PixelMetric.PM_RadioButtonLabelSpacing)
    return row(sum(style.pixelMetric(one, None, choice) for one in metrics), (server, 1))
