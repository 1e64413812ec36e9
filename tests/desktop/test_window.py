"""The window, the tray and the single instance, around pages that hold nothing."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from msgspec import structs
from PySide6.QtCore import QPoint, QSettings, Qt, QTimer
from PySide6.QtGui import QColor, QImage, QPalette
from PySide6.QtWidgets import QApplication, QMessageBox, QSystemTrayIcon
from pytestqt.qtbot import QtBot

from citeloom.core.errors import CiteLoomError, Code
from citeloom.desktop.app import acquire_instance
from citeloom.desktop.shell.icons import TrayState, tray_icon
from citeloom.desktop.shell.main_window import MainWindow
from citeloom.desktop.shell.page import Page, PageContext
from citeloom.desktop.shell.single_instance import SingleInstance
from citeloom.desktop.shell.tray import Tray
from citeloom.desktop.widgets.basics import IconLabel, ask_confirmation
from tests.desktop.fake_engine_tasks import FakeEngineTasks, fake_context
from tests.desktop.sample_results import projects as list_of_projects
from tests.desktop.test_engine_status import STATUS
from tests.support import environment

NAMES = ("search", "projects", "activity", "connect", "settings")


class Blank(Page):
    """A page that notes when it is shown."""

    def __init__(self, context: PageContext, name: str) -> None:
        super().__init__(context)
        self.name = self.icon_name = name
        self.seen: list[dict[str, str]] = []

    def title(self) -> str:
        return self.name.capitalize()

    def shown(self, target: dict[str, str]) -> None:
        self.seen.append(target)


@pytest.fixture
def world(qtbot: QtBot, tmp_path: Path) -> tuple[MainWindow, Tray, FakeEngineTasks]:
    context, tasks = fake_context(engine_status=STATUS, library_list_projects=list_of_projects())
    pages: list[Page] = [Blank(context, name) for name in NAMES]
    window = MainWindow(context, pages, QSettings(str(tmp_path / "w.ini"), QSettings.Format.IniFormat))
    qtbot.addWidget(window)
    return window, Tray(context, pages, window), tasks


def test_a_page_is_reached_by_menu_key_and_name(world: tuple[MainWindow, Tray, FakeEngineTasks], qtbot: QtBot) -> None:
    window, tray, _ = world
    window.open_page("search")
    qtbot.waitUntil(window.isActiveWindow)
    qtbot.keyClick(window, Qt.Key.Key_3, Qt.KeyboardModifier.ControlModifier)
    assert window.stack.currentWidget() is window.pages["activity"]
    next(a for a in tray.menu.actions() if a.text() == "Settings…").trigger()
    assert window.windowTitle() == "Settings – CiteLoom"
    window.open_page("projects", {"project": "thesis"})
    projects = window.pages["projects"]
    assert isinstance(projects, Blank) and projects.seen == [{"project": "thesis"}]


def test_the_tray_says_the_state_and_offers_to_resume(
    world: tuple[MainWindow, Tray, FakeEngineTasks], qtbot: QtBot
) -> None:
    _, tray, tasks = world
    tasks.connected.emit(structs.replace(STATUS, paused=True))
    qtbot.waitUntil(lambda: tray.pause.text() == "Resume")
    assert tray.state.text() == "Paused: 142 of 150 papers searchable"
    assert tray.icon.toolTip() == "CiteLoom – Paused: 142 of 150 papers searchable"
    with qtbot.waitSignal(tray.pause_requested) as asked:
        tray.pause.trigger()
    assert asked.args == [False]
    assert [a.text() for a in tray.menu.actions() if a.text()][1:] == [
        "Search…", "Projects…", "Activity…", "Connect…", "Sync now", "Resume", "Settings…", "Quit",
    ]  # fmt: skip


def test_the_tray_icon_differs_by_state_and_stands_out_from_its_panel(qapp: object) -> None:
    def drawn(mood: TrayState, progress: float | None, dark: bool) -> QImage:
        return tray_icon(mood, progress, dark_panel=dark).pixmap(22, 22).toImage()

    states = [(m, p) for m in TrayState for p in ((None, 0.2, 0.8) if m == TrayState.WORKING else (None,))]
    for dark in (True, False):
        pictures = [drawn(mood, progress, dark) for mood, progress in states]
        assert all(a != b for n, a in enumerate(pictures) for b in pictures[:n])
        idle = pictures[0]
        solid = [
            QColor(idle.pixel(x, y)).lightness()
            for x in range(22)
            for y in range(22)
            if idle.pixelColor(x, y).alpha() > 240
        ]
        assert solid and (min(solid) > 180 if dark else max(solid) < 90)


def test_a_lost_engine_is_shown_until_it_is_back(world: tuple[MainWindow, Tray, FakeEngineTasks], qtbot: QtBot) -> None:
    window, _, tasks = world
    window.open_page("search")
    tasks.disconnected.emit(CiteLoomError(Code.ENGINE_UNAVAILABLE, "The engine ended.", "Run it again."))
    assert window.banner.isVisible() and window.banner.message.text().startswith("The engine ended.")
    assert window.banner.button.text() == "Restart the engine"
    tasks.connected.emit(STATUS)
    assert not window.banner.isVisible()
    assert window.message.text() == "Up to date: 142 of 150 papers searchable"


def test_a_message_of_a_page_is_not_lost_when_the_engine_is_well(
    world: tuple[MainWindow, Tray, FakeEngineTasks],
) -> None:
    window, _, tasks = world
    window.open_page("search")
    tasks.failed.emit(CiteLoomError(Code.STORAGE_ERROR, "The disk is full.", "Free some space."))
    tasks.connected.emit(STATUS)
    assert window.banner.isVisible() and window.banner.message.text() == "The disk is full. Free some space."


def test_a_window_on_a_screen_that_is_gone_comes_back(world: tuple[MainWindow, Tray, FakeEngineTasks]) -> None:
    window, _, _ = world
    window.show()
    window.move(QPoint(30_000, 9_000))
    window.show_in_front()
    screen = QApplication.primaryScreen().availableGeometry()
    assert screen.intersects(window.frameGeometry())


def test_a_second_start_raises_the_first(own_home: Path, qtbot: QtBot) -> None:
    first, second = SingleInstance(), SingleInstance()
    raised: list[str] = []
    first.raise_requested.connect(raised.append)
    assert first.acquire() and not second.acquire()
    command = [sys.executable, "-m", "citeloom", "app", "--page", "settings"]
    with subprocess.Popen(command, env=environment(own_home)) as process:
        qtbot.waitUntil(lambda: process.poll() is not None, timeout=60_000)
    assert process.returncode == 0 and raised == ["settings"]
    first.release()
    assert second.acquire()
    second.release()


def test_a_maximised_window_comes_up_maximised(world: tuple[MainWindow, Tray, FakeEngineTasks]) -> None:
    window, _, _ = world
    window.showMaximized()
    window.setWindowState(window.windowState() | Qt.WindowState.WindowMinimized)
    window.show_in_front()
    assert window.isMaximized() and not window.isMinimized()


def test_the_tray_shows_every_letter_of_what_went_wrong(
    world: tuple[MainWindow, Tray, FakeEngineTasks], qtbot: QtBot
) -> None:
    _, tray, tasks = world
    tasks.disconnected.emit(CiteLoomError(Code.ENGINE_UNAVAILABLE, "The disk of /papers/R&D is full."))
    qtbot.waitUntil(lambda: tray.state.text() == "The disk of /papers/R&&D is full.")


def test_a_notification_leads_to_the_activity(world: tuple[MainWindow, Tray, FakeEngineTasks]) -> None:
    window, tray, _ = world
    tray.icon.messageClicked.emit()
    assert window.stack.currentWidget() is window.pages["activity"]


def test_enter_takes_nothing_away(world: tuple[MainWindow, Tray, FakeEngineTasks], qtbot: QtBot) -> None:
    window, _, _ = world
    window.show()
    done: list[str] = []
    box = ask_confirmation(window, "Remove?", "Remove it?", "Remove", lambda: done.append("removed"))
    qtbot.waitUntil(box.isVisible)
    qtbot.keyClick(box, Qt.Key.Key_Return)
    assert not done


def test_a_picture_follows_the_palette(qapp: QApplication, qtbot: QtBot) -> None:
    usual = qapp.palette()
    picture = IconLabel("info", 20)
    qtbot.addWidget(picture)
    before = picture.pixmap().toImage()
    try:
        qapp.setPalette(QPalette(QColor("#202024")))
        qtbot.waitUntil(lambda: picture.pixmap().toImage() != before)
    finally:
        qapp.setPalette(usual)


def test_a_notification_is_no_markup(
    world: tuple[MainWindow, Tray, FakeEngineTasks], monkeypatch: pytest.MonkeyPatch
) -> None:
    window, _, _ = world
    told: list[str] = []
    monkeypatch.setattr(QSystemTrayIcon, "isVisible", lambda self: True)
    monkeypatch.setattr(QSystemTrayIcon, "showMessage", lambda self, title, text, kind: told.append(text))
    window.context.engine_status.notice.emit("title", "a\x1b\u202e<b>b</b><img src=x>\nmore", True)
    assert told == ["a‹b›b‹/b›‹img src=x› more"]


def test_a_data_folder_that_cannot_be_used_is_shown_before_the_app_ends(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, qtbot: QtBot
) -> None:
    (tmp_path / "data").touch()
    monkeypatch.setenv("CITELOOM_HOME", str(tmp_path / "data"))
    shown: list[str] = []

    def close_box() -> None:
        box = QApplication.activeModalWidget()
        if isinstance(box, QMessageBox):
            shown.append(box.text())
            box.accept()
        else:
            QTimer.singleShot(10, close_box)

    QTimer.singleShot(0, close_box)
    with pytest.raises(CiteLoomError, match="cannot be used") as caught:
        acquire_instance(SingleInstance())
    assert shown == [str(caught.value)]
