"""Where an index is: the address of a Qdrant server, the choice for new indexes, and the dialog that moves one."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QHBoxLayout,
    QLineEdit,
    QMessageBox,
    QRadioButton,
    QStyle,
    QWidget,
)

from citeloom.api.maintenance import EMBEDDED, CheckServer, IndexInfo, ServerInfo
from citeloom.core.errors import CiteLoomError
from citeloom.desktop.shell.engine_tasks import Task
from citeloom.desktop.shell.page import PageContext
from citeloom.desktop.text.index_text import remote_index_warning
from citeloom.desktop.widgets import basics
from citeloom.desktop.widgets.layout import Stretch, column, row

_EXAMPLE = "https://qdrant.example.org:6333"
_LETTERS = 70


class ServerAddress(QWidget):
    """Address field with a test button, its result and the warning."""

    changed = Signal()  # on every keystroke
    entered = Signal(str)  # another address was entered

    def __init__(self, context: PageContext) -> None:
        super().__init__()
        self._context = context
        self._address = ""
        self._task: Task | None = None
        self.line = basics.named(QLineEdit(placeholderText=_EXAMPLE), self.tr("Address of the Qdrant server"))
        self.line.textChanged.connect(self._on_text)
        self.line.editingFinished.connect(self._finished)
        self.test_button = basics.button(self.tr("Te&st"), self.test, icon_name="check")
        self.status = basics.text(shrinks=True)
        self.warning = basics.text(shrinks=True)
        self._sign = basics.IconLabel("warning", 20)
        column(row((self.line, 1), self.test_button), self.status, row(self._sign, (self.warning, 1)), of=self)
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
        self.question = basics.ask_confirmation(
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
        self.message = basics.text(text.format(count=basics.number(index.passages)), muted=True, shrinks=True)
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Cancel)
        self.move_button = buttons.addButton(self.tr("&Move it"), QDialogButtonBox.ButtonRole.AcceptRole)
        buttons.accepted.connect(self._agree)
        buttons.rejected.connect(self.reject)
        heading = basics.heading(title)
        server = below_radio_button(self.remote, self.server)
        parts = (heading, self.local, self.remote, server, self.message, Stretch(1), buttons)
        column(*parts, of=self, margins=None, spacing=basics.GAP)
        self.server.test_button.setDefault(True)  # Enter in the address field must not start the move
        heading.setMinimumWidth(1)
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
