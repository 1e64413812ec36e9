"""The desktop app: creates the tray, the window and the engine tasks, and shuts them down. Run by `citeloom app`."""

from __future__ import annotations

import contextlib
import signal
import socket
import sys
from collections.abc import Iterator

import shiboken6
from PySide6.QtCore import QLocale, QObject, QSettings, QSocketNotifier, Qt, QTimer, Signal
from PySide6.QtWidgets import QApplication, QMessageBox, QSystemTrayIcon

from citeloom import __version__
from citeloom.api.engine import Pause, Resume, StatusResult, Stop
from citeloom.api.importing import Ingest
from citeloom.api.library import ListProjects, ProjectSummary
from citeloom.core import logging, paths
from citeloom.core.errors import CiteLoomError, Code
from citeloom.desktop.activity.page import ActivityPage
from citeloom.desktop.connect.page import ConnectPage
from citeloom.desktop.first_run.assistant import FirstRun
from citeloom.desktop.library.page import ProjectsPage
from citeloom.desktop.search.page import SearchPage
from citeloom.desktop.settings.page import SettingsPage
from citeloom.desktop.shell import screen, translations
from citeloom.desktop.shell.engine_status import EngineStatus
from citeloom.desktop.shell.engine_tasks import EngineTasks
from citeloom.desktop.shell.icons import app_icon
from citeloom.desktop.shell.main_window import MainWindow
from citeloom.desktop.shell.page import Page, PageContext
from citeloom.desktop.shell.single_instance import SingleInstance
from citeloom.desktop.shell.tray import Tray
from citeloom.desktop.widgets.basics import ask_confirmation

_TRAY_CHECK_MS = 2000
_MAX_TRAY_CHECKS = 15  # checks: at log-in the panel may start after the app
_END_MS = 8000  # timeout for the request that stops the engine
# A few rules on top of the system's style, in colours of the palette.
STYLE_SHEET = """
QListWidget#pages { border: none; border-right: 1px solid palette(mid); padding: 8px 6px; background: palette(window); }
QListWidget#pages::item { padding: 8px 10px; border-radius: 6px; color: palette(window-text); }
QListWidget#pages::item:selected { background: palette(highlight); color: palette(highlighted-text); }
QFrame#banner { border: 1px solid palette(mid); border-radius: 6px; background: palette(alternate-base); }
"""


def all_pages(context: PageContext) -> list[Page]:
    """Create the pages of the main window, in their order."""
    kinds = (SearchPage, ProjectsPage, ActivityPage, ConnectPage, SettingsPage)
    return [kind(context) for kind in kinds]


class App(QObject):
    """The application: tray, main window and connection to the engine."""

    ending = Signal()  # another instance may start from now on

    def __init__(self, *, hidden: bool = False, page: str = "") -> None:
        super().__init__()
        self.tasks = EngineTasks(self)
        self.engine_status = EngineStatus(self.tasks, self)
        self.context = PageContext(self.tasks, self.engine_status, self)
        self.app_state = QSettings(paths.app_state(), QSettings.Format.IniFormat, self)
        pages = all_pages(self.context)
        self.window = MainWindow(self.context, pages, self.app_state)
        self.tray = Tray(self.context, pages, self)
        self.first_run: FirstRun | None = None
        self.question: QMessageBox | None = None  # the confirmation before quitting
        self._hidden, self._page = hidden, page
        self._tray_checks = 0
        self._ending = False
        self._tray_timer = QTimer(self, interval=_TRAY_CHECK_MS)
        self._tray_timer.timeout.connect(self._check_tray)
        self.tray.quit_requested.connect(self.quit)
        self.tray.sync_requested.connect(self.sync)
        self.tray.pause_requested.connect(self.pause)
        # Queued: the signal is emitted before the window is hidden.
        self.window.closed.connect(self._on_window_closed, Qt.ConnectionType.QueuedConnection)
        self.window.quit_requested.connect(self.quit)
        self.tasks.connected.connect(self._on_connected)
        self.context.first_run.connect(self.show_first_run)

    def start(self) -> None:
        """Connect to the engine and show the window, unless the app was started hidden."""
        self.tasks.start()
        self._check_tray()
        if not self._hidden:
            self.show(self._page)

    def show(self, page: str = "") -> None:
        """Show the window in front, on the given page if there is one."""
        if self._ending:
            return
        self._hidden = False
        self._check_tray()  # without a tray, closing the window quits: check before that
        if page in self.window.pages:
            self.window.open_page(page)
            return
        if self.window.list.currentRow() < 0:
            self.window.open_page("search")
        self.window.show_in_front()

    def show_first_run(self) -> None:
        """Show the assistant for the first project."""
        if self.first_run is not None and self.first_run.completed:
            self.first_run.deleteLater()
            self.first_run = None
        if self.first_run is None:
            self.first_run = FirstRun(self.context, self.window)
            self.first_run.finished_with.connect(self._on_first_run_finished)
        self.first_run.show()
        self.first_run.raise_()
        self.first_run.activateWindow()

    def sync(self) -> None:
        """Sync every project; problems are reported by the jobs."""

        def begin(projects: list[ProjectSummary]) -> None:
            for project in projects:
                self.tasks.send(self, Ingest(project=project.id), failed=self._on_sync_failed)

        self.tasks.send(self, ListProjects(), done=begin)

    def _on_sync_failed(self, error: CiteLoomError) -> None:
        if error.code != Code.INVALID_INPUT:  # the code of a project without sources
            self.tasks.failed.emit(error)

    def pause(self, paused: bool) -> None:
        """Pause or resume imports."""
        self.tasks.send(self, Pause() if paused else Resume())

    def quit(self) -> None:
        """Quit the app; asks first if editors are connected or an import is running."""
        now = self.engine_status.current
        editors, reading = now.status.editors if now.status else 0, bool(now.jobs) and now.connected
        if not editors and not reading:
            self.end()
            return
        if self.question is not None and shiboken6.isValid(self.question):
            self.question.activateWindow()
            return
        reasons = []
        if reading:
            reasons.append(self.tr("Papers are being read. Reading continues when CiteLoom starts again."))
        if editors:
            reasons.append(
                self.tr("Editors are connected. Their next question starts the engine again, without the app.")
            )
        self.window.show_in_front()  # must be visible after "Cancel": it may just have been closed
        self.question = ask_confirmation(
            self.window, self.tr("Quit CiteLoom?"), "\n".join(reasons), self.tr("Quit"), self.end
        )

    def end(self) -> None:
        """Quit the app now, and stop the engine if the app started it."""
        if self._ending:
            return
        self._ending = True
        self.ending.emit()
        self.tasks.disable_restart()
        self._tray_timer.stop()
        if self.window.isVisible():
            self.window.save_geometry()
        for one in QApplication.topLevelWidgets():
            one.hide()
        self.tray.icon.hide()
        QTimer.singleShot(_END_MS, self._exit)
        if self.engine_status.current.connected or self.engine_status.current.problem:
            self._end_engine()
        else:  # the engine is still starting
            self.tasks.connected.connect(self._end_engine)

    def _end_engine(self) -> None:
        status = self.engine_status.current.status
        if status and status.started_by == "app":
            self.tasks.send(self, Stop(), done=self._exit, failed=self._exit)
        else:
            self._exit()

    def _exit(self, _: object = None) -> None:
        self.tasks.close()
        QApplication.exit(0)

    def _on_connected(self, status: StatusResult) -> None:
        offered = self.first_run is not None or self.app_state.value("first_run/done")
        if not status.projects and not self._hidden and not offered and not self._ending:
            self.show_first_run()

    def _on_first_run_finished(self, project: str) -> None:
        self.app_state.setValue("first_run/done", True)
        if project:
            self.context.open_page.emit("projects", {"project": project})

    def _on_window_closed(self) -> None:
        # The panel may have disappeared since the icon was added.
        if not (self.tray.icon.isVisible() and QSystemTrayIcon.isSystemTrayAvailable()):
            self.quit()

    def _check_tray(self) -> None:
        """Show the tray icon if the desktop has a tray; otherwise keep checking, and use the window instead."""
        if QSystemTrayIcon.isSystemTrayAvailable():
            self._tray_timer.stop()
            self.tray.icon.show()
            self.window.no_tray.hide()
            return
        self._tray_timer.start()
        self._tray_checks += 1
        if not self._hidden or self._tray_checks == _MAX_TRAY_CHECKS:
            self.window.no_tray.show()
        if self._hidden and self._tray_checks == _MAX_TRAY_CHECKS:
            self.show()


def main(*, hidden: bool = False, page: str = "") -> int:
    """Run the app until it is quit; a second start raises the window of the first."""
    screen.check()
    app = QApplication(sys.argv[:1])
    app.setApplicationName("CiteLoom")
    app.setApplicationVersion(__version__)
    app.setDesktopFileName("citeloom")
    app.setWindowIcon(app_icon())
    app.setQuitOnLastWindowClosed(False)
    instance = SingleInstance()
    if not acquire_instance(instance):
        if instance.raise_running(page):
            return 0
        raise CiteLoomError(
            Code.TIMEOUT, "CiteLoom is already running, but does not respond.", "End its process and start it again."
        )
    try:
        logging.to_file(paths.app_log())
    except OSError as error:
        print(f"The app's log cannot be written: {error.strerror}.", file=sys.stderr)
    translations.install(app, QLocale())
    app.setStyleSheet(STYLE_SHEET)
    desktop = App(hidden=hidden, page=page)
    instance.raise_requested.connect(desktop.show)
    desktop.ending.connect(instance.release)
    with _signals(desktop):
        desktop.start()
        code = app.exec()
    desktop.tasks.close()
    instance.release()
    return code


def acquire_instance(instance: SingleInstance) -> bool:
    """Return whether no other instance is running. Errors are also shown in a dialog: a menu has no terminal."""
    try:
        return instance.acquire()
    except CiteLoomError as error:
        QMessageBox.critical(None, "CiteLoom", str(error))
        raise


@contextlib.contextmanager
def _signals(desktop: App) -> Iterator[None]:
    """End the app on SIGINT and SIGTERM, although Qt, not Python, waits for events."""
    reader, writer = socket.socketpair()
    reader.setblocking(False)
    writer.setblocking(False)
    notifier = QSocketNotifier(reader.fileno(), QSocketNotifier.Type.Read)

    def on_signal() -> None:
        reader.recv(64)
        desktop.end()

    notifier.activated.connect(on_signal)
    previous = signal.set_wakeup_fd(writer.fileno())
    handlers = {number: signal.signal(number, lambda *_: None) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        signal.set_wakeup_fd(previous)
        for number, handler in handlers.items():
            signal.signal(number, handler)
        notifier.setEnabled(False)
        reader.close()
        writer.close()
