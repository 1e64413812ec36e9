"""The main window: a list of pages, the current page, and a status line for the engine."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QByteArray, QSettings, QSize, Qt, Signal
from PySide6.QtGui import QCloseEvent, QGuiApplication, QKeySequence, QShortcut
from PySide6.QtWidgets import QListWidget, QListWidgetItem, QMainWindow, QProgressBar, QStackedWidget, QWidget

from citeloom.core.errors import CiteLoomError
from citeloom.desktop.shell.icons import icon
from citeloom.desktop.shell.page import Page, PageContext
from citeloom.desktop.widgets.basics import GAP, Banner, named, text
from citeloom.desktop.widgets.layout import column, row
from citeloom.ipc.client import stop_engine

_MIN_SIZE, _DEFAULT_SIZE = QSize(760, 520), QSize(1180, 780)
_VISIBLE = 80  # pixels of the title bar that must be on some screen


class MainWindow(QMainWindow):
    """Main window, which shows one page at a time. Closing hides it; the app keeps running in the tray."""

    closed = Signal()
    quit_requested = Signal()

    def __init__(self, context: PageContext, pages: list[Page], app_state: QSettings) -> None:
        super().__init__()
        self.context = context
        self.pages = {page.name: page for page in pages}
        self._app_state = app_state
        self.setWindowTitle("CiteLoom")
        self.setMinimumSize(_MIN_SIZE)

        self.list = named(QListWidget(), self.tr("Pages"))
        self.list.setIconSize(QSize(20, 20))
        self.list.setObjectName("pages")
        self.stack = QStackedWidget()
        for number, page in enumerate(pages, start=1):
            item = QListWidgetItem(icon(page.icon_name), page.title())
            keys = QKeySequence(f"Ctrl+{number}")
            item.setToolTip(keys.toString(QKeySequence.SequenceFormat.NativeText))
            self.list.addItem(item)
            self.stack.addWidget(page)
            shortcut = QShortcut(keys, self)
            shortcut.activated.connect(partial(self.list.setCurrentRow, number - 1))
        self.list.setFixedWidth(self.list.sizeHintForColumn(0) + 3 * GAP)
        self.list.currentRowChanged.connect(self._on_row)

        self.banner = Banner()
        self.message = text(shrinks=True)
        self.no_tray = text(
            self.tr("This desktop shows no tray icons: CiteLoom runs as long as this window is open."), muted=True
        )
        self.no_tray.hide()
        self.progress = named(QProgressBar(), self.tr("Progress of the imports"))
        self.progress.setMaximumWidth(220)
        self.progress.setTextVisible(False)
        self._build()

        QShortcut(QKeySequence(QKeySequence.StandardKey.Close), self, self.close)
        QShortcut(QKeySequence("Ctrl+Q"), self, self.quit_requested.emit)

        context.open_page.connect(self.open_page)
        context.engine_status.changed.connect(self._on_engine_status)
        context.tasks.failed.connect(self._on_failed)
        self._problem = ""  # the problem that the banner shows, so that only a new one is shown again
        self._target: dict[str, str] = {}
        self._restore()
        self._on_engine_status()

    def _build(self) -> None:
        right = column(
            row(self.banner, margins=(2 * GAP, GAP, 2 * GAP, 0)),
            (self.stack, 1),
            row(self.no_tray, margins=(2 * GAP, 0, 2 * GAP, 0)),
            row((self.message, 1), self.progress, margins=(2 * GAP, 4, 2 * GAP, 6)),
            spacing=0,
        )
        whole = QWidget()
        row(self.list, (right, 1), of=whole, spacing=0)
        self.setCentralWidget(whole)

    # -- pages -----------------------------------------------------------------------------------------------------

    def open_page(self, name: str, target: dict[str, str] | None = None) -> None:
        """Show a page, and bring the window to the front."""
        self._target = dict(target or {})
        row = list(self.pages).index(name)
        if self.list.currentRow() == row:
            self._on_row(row)
        else:
            self.list.setCurrentRow(row)
        self.show_in_front()

    def show_in_front(self) -> None:
        """Show the window in front of the others, on a visible screen."""
        self._move_to_screen()
        self.setWindowState(self.windowState() & ~Qt.WindowState.WindowMinimized)  # keeps it maximised
        self.show()
        self.raise_()
        self.activateWindow()

    def _on_row(self, row: int) -> None:
        self.stack.setCurrentIndex(row)
        page = self.stack.currentWidget()
        if isinstance(page, Page):
            self.setWindowTitle(f"{page.title()} – CiteLoom")
            target, self._target = self._target, {}
            page.shown(target)

    # -- the engine's state ----------------------------------------------------------------------------------------

    def _on_engine_status(self) -> None:
        now = self.context.engine_status.current
        self.message.setText(now.summary())
        self.progress.setVisible(bool(now.jobs) and now.connected)
        if now.progress is None:
            self.progress.setRange(0, 0)
        else:
            self.progress.setRange(0, 1000)
            self.progress.setValue(round(now.progress * 1000))
        self._show_problem()

    def _show_problem(self) -> None:
        now = self.context.engine_status.current
        action = (self.tr("Restart the engine"), self._restart)
        message = ""
        if now.other_version:
            message = self.tr("The running engine has version {version}, which differs from this app’s version.")
            message = message.format(version=now.other_version)
        elif now.problem:
            message = self.tr("{problem} It is being restarted.").format(problem=now.problem.message)
        elif now.settings_problem:
            message = now.settings_problem
            action = (self.tr("Open Settings"), lambda: self.open_page("settings"))
        elif now.status and now.status.orphaned_indexes:
            message = now.status.orphaned_indexes
        if message == self._problem:
            return
        self._problem = message
        if message:
            self.banner.show_message(message, warning=True, action=action, closable=False)
        else:
            self.banner.hide()

    def _on_failed(self, error: CiteLoomError) -> None:
        if not self._problem:
            self.banner.show_error(error)

    def _restart(self) -> None:
        self.banner.button.setEnabled(False)

        def failed(error: CiteLoomError) -> None:
            self.banner.button.setEnabled(True)
            self.banner.message.setText(str(error))

        done = partial(self.banner.button.setEnabled, True)
        self.context.tasks.run(self, stop_engine, done=lambda _: done(), failed=failed)

    # -- geometry --------------------------------------------------------------------------------------------------

    def save_geometry(self) -> None:
        """Save the geometry of the window for the next start."""
        self._app_state.setValue("window/geometry", self.saveGeometry())

    def closeEvent(self, event: QCloseEvent) -> None:
        self.save_geometry()
        super().closeEvent(event)
        self.closed.emit()

    def _restore(self) -> None:
        geometry = self._app_state.value("window/geometry")
        if not (isinstance(geometry, QByteArray) and self.restoreGeometry(geometry)):
            screen = QGuiApplication.primaryScreen()
            room = screen.availableSize() if screen else _DEFAULT_SIZE
            self.resize(_DEFAULT_SIZE.boundedTo(room * 0.95).expandedTo(_MIN_SIZE))
        for screen in QGuiApplication.screens():
            screen.availableGeometryChanged.connect(self._move_to_screen)
        app = QGuiApplication.instance()
        assert isinstance(app, QGuiApplication)
        app.screenRemoved.connect(self._move_to_screen)

    def _move_to_screen(self) -> None:
        """Move the window to the primary screen if it is on none, for example after one was unplugged."""
        bar = self.frameGeometry()
        bar.setHeight(min(bar.height(), _VISIBLE))
        seen = [screen.availableGeometry().intersected(bar) for screen in QGuiApplication.screens()]
        if any(part.width() >= _VISIBLE and part.height() >= _VISIBLE // 4 for part in seen):
            return
        first = QGuiApplication.primaryScreen()
        if first is not None:
            room = first.availableGeometry()
            self.resize(self.size().boundedTo(room.size()))
            self.move(room.topLeft())
