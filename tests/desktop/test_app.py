"""The app as a whole on the real engine: what a researcher sees from the first start to the end."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtWidgets import QApplication, QMessageBox, QPushButton, QSystemTrayIcon
from pytestqt.qtbot import QtBot

from citeloom.desktop.app import App
from citeloom.desktop.shell.icons import TrayState
from citeloom.desktop.shell.tray import tray_state
from citeloom.ipc import launch
from tests.desktop.naming import nameless
from tests.desktop.watchdog import Watchdog
from tests.flows.steps import four_papers, pdf_paper
from tests.support import Editor, citeloom, done, engine_address, environment, wait_for

LONG = 120_000
PAGES = ("search", "projects", "activity", "connect", "settings")


@pytest.fixture
def started(qtbot: QtBot) -> Iterator[list[App]]:
    """Apps that a test starts; they end with it."""
    apps: list[App] = []
    yield apps
    for app in apps:
        app.tasks.close()
        app.window.hide()
        app.tray.icon.hide()
        for box in app.window.findChildren(QMessageBox):
            box.close()
        app.deleteLater()


def start(apps: list[App], qtbot: QtBot, *, first_run: bool = False) -> App:
    app = App()
    apps.append(app)
    if not first_run:
        app.app_state.setValue("first_run/done", True)
    app.start()
    qtbot.waitUntil(lambda: app.engine_status.current.connected, timeout=LONG)
    return app


def project(home: Path, folder: Path) -> None:
    done(citeloom(home, "project", "add", "thesis", "--folder", str(folder)))


def test_the_first_start_offers_the_first_project_and_later_ones_do_not(
    own_home: Path, started: list[App], qtbot: QtBot
) -> None:
    app = start(started, qtbot, first_run=True)
    assert app.first_run is not None and app.first_run.isVisible()
    app.first_run.close()
    again = start(started, qtbot, first_run=True)
    assert again.first_run is None


def test_an_import_never_holds_the_window_up(own_home: Path, started: list[App], qtbot: QtBot, tmp_path: Path) -> None:
    for number in range(6):
        pdf_paper(tmp_path / "papers" / f"{number}.pdf", f"word{number}")
    project(own_home, tmp_path / "papers")
    app = start(started, qtbot)
    app.window.open_page("projects", {"project": "thesis"})
    with Watchdog() as watchdog:
        app.sync()
        turned = 0

        def read() -> bool:
            nonlocal turned
            turned += 1
            if turned % 40 == 0:  # the researcher looks around meanwhile
                app.window.open_page(PAGES[turned // 40 % len(PAGES)])
            status = app.engine_status.current.status
            return bool(status and status.coverage.searchable == 6) and not app.engine_status.current.jobs

        qtbot.waitUntil(read, timeout=LONG)
    assert watchdog.ticks > 50
    assert not watchdog.stalls, watchdog.stalls[0]


def test_the_watchdog_sees_a_stall(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    from citeloom.desktop.widgets import basics

    monkeypatch.setattr(basics.QLocale, "toString", lambda *_: time.sleep(0.4) or "")
    with Watchdog() as watchdog:
        qtbot.wait(50)
        basics.number(3)
        qtbot.wait(50)
    assert len(watchdog.stalls) == 1 and "basics.py" in watchdog.stalls[0]


def test_an_engine_killed_in_an_import_is_shown_started_again_and_the_import_goes_on(
    own_home: Path, started: list[App], qtbot: QtBot, tmp_path: Path
) -> None:
    for number in range(4):
        pdf_paper(tmp_path / "papers" / f"{number}.pdf", f"word{number}")
    project(own_home, tmp_path / "papers")
    app = start(started, qtbot)
    app.window.open_page("projects", {"project": "thesis"})
    app.sync()
    qtbot.waitUntil(lambda: bool(app.engine_status.current.jobs), timeout=LONG)
    said: list[str] = []
    app.engine_status.changed.connect(lambda: said.append(app.window.banner.message.text()))
    with qtbot.waitSignals([app.tasks.disconnected, app.tasks.connected], timeout=LONG):
        os.kill(engine_address(own_home)["pid"], signal.SIGKILL)
    assert any("is being restarted" in words for words in said)
    assert not app.window.banner.isVisible()

    def read() -> bool:
        status = app.engine_status.current.status
        return bool(status and status.coverage.searchable == 4) and not app.engine_status.current.jobs

    qtbot.waitUntil(read, timeout=LONG)
    assert tray_state(app.engine_status.current) == TrayState.IDLE


def test_pausing_holds_an_import_until_it_is_resumed(
    own_home: Path, started: list[App], qtbot: QtBot, tmp_path: Path
) -> None:
    four_papers(tmp_path / "papers")
    project(own_home, tmp_path / "papers")
    app = start(started, qtbot)
    qtbot.waitUntil(app.tray.pause.isEnabled, timeout=LONG)
    app.tray.pause.trigger()
    qtbot.waitUntil(lambda: tray_state(app.engine_status.current) == TrayState.PAUSED, timeout=LONG)
    app.tray.sync.trigger()
    qtbot.waitUntil(lambda: bool(app.engine_status.current.jobs), timeout=LONG)
    qtbot.wait(300)
    status = app.engine_status.current.status
    assert status and status.coverage.searchable == 0
    app.tray.pause.trigger()
    qtbot.waitUntil(lambda: app.engine_status.current.summary() == "Up to date: 4 of 4 papers searchable", timeout=LONG)


def test_quitting_asks_only_when_an_editor_is_connected(
    own_home: Path, started: list[App], qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ended: list[int] = []
    monkeypatch.setattr(QApplication, "exit", ended.append)
    app = start(started, qtbot)
    with Editor(own_home) as editor:
        editor.request("tools/list")
        qtbot.waitUntil(lambda: _editors(app) == 1, timeout=LONG)
        app.quit()
        box = app.window.findChild(QMessageBox)
        assert isinstance(box, QMessageBox) and "Editors are connected" in box.text()
        box.button(QMessageBox.StandardButton.Cancel).click()
        assert not ended
    qtbot.waitUntil(lambda: _editors(app) == 0, timeout=LONG)
    app.quit()
    qtbot.waitUntil(lambda: ended == [0], timeout=LONG)
    wait_for(lambda: not launch.is_running(), "the engine that the app started to end with it")


def test_an_engine_that_somebody_else_started_outlives_the_app(
    own_home: Path, started: list[App], qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    done(citeloom(own_home, "engine", "start"))
    monkeypatch.setattr(QApplication, "exit", lambda code: None)
    app = start(started, qtbot)
    app.end()
    assert launch.is_running()


def test_closing_the_window_keeps_the_tray_and_without_a_tray_it_says_so(
    own_home: Path, started: list[App], qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    ended: list[int] = []
    monkeypatch.setattr(QApplication, "exit", ended.append)
    monkeypatch.setattr(QSystemTrayIcon, "isSystemTrayAvailable", staticmethod(lambda: False))
    app = start(started, qtbot)
    assert app.window.isVisible() and app.window.no_tray.isVisible()
    monkeypatch.setattr(QSystemTrayIcon, "isSystemTrayAvailable", staticmethod(lambda: True))
    monkeypatch.setattr(QSystemTrayIcon, "isVisible", lambda self: True)
    app._check_tray()
    assert not app.window.no_tray.isVisible()
    app.window.close()
    qtbot.wait(50)
    assert not ended and not app.window.isVisible()


def test_whoever_stays_finds_the_window_where_there_is_no_tray(
    own_home: Path, started: list[App], qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    ended: list[int] = []
    monkeypatch.setattr(QApplication, "exit", ended.append)
    app = start(started, qtbot)
    monkeypatch.setattr(QSystemTrayIcon, "isSystemTrayAvailable", staticmethod(lambda: False))
    monkeypatch.setattr(QSystemTrayIcon, "isVisible", lambda self: True)  # it was there: the panel has gone since
    with Editor(own_home) as editor:
        editor.request("tools/list")
        qtbot.waitUntil(lambda: _editors(app) == 1, timeout=LONG)
        app.window.close()
        qtbot.waitUntil(lambda: app.question is not None)
        app.quit()
        (box,) = app.window.findChildren(QMessageBox)
        box.button(QMessageBox.StandardButton.Cancel).click()
        assert not ended and app.window.isVisible()
        app.show()  # by a second start
        assert app.window.no_tray.isVisible()


def test_the_window_stands_where_it_stood_when_the_app_was_quit(
    own_home: Path, started: list[App], qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(QApplication, "exit", lambda code: None)
    app = start(started, qtbot)
    app.window.resize(777, 555)
    with qtbot.waitSignal(app.ending):
        app.quit()
    app.show("search")
    assert not app.window.isVisible(), "an app that ends shows nothing any more"
    assert start(started, qtbot).window.size() == app.window.size()


def test_the_first_project_leads_to_the_editor_and_another_one_begins_anew(
    own_home: Path, started: list[App], qtbot: QtBot, tmp_path: Path
) -> None:
    (tmp_path / "papers").mkdir()
    app = start(started, qtbot, first_run=True)
    first = app.first_run
    assert first is not None
    first.choices.folders, first.choices.name = [str(tmp_path / "papers")], "thesis"
    first._go_to(4)
    qtbot.waitUntil(first.reading.connect_button.isVisible, timeout=LONG)
    assert not first.back_button.isEnabled(), "the project is there: its name stays"
    first.reading.connect_button.click()
    assert app.window.stack.currentWidget() is app.window.pages["connect"]
    app.context.first_run.emit()
    assert app.first_run is not None and app.first_run is not first and app.first_run.step is app.first_run.zotero


def test_every_control_has_a_name_and_no_button_is_cut_at_twice_the_size_of_letters(
    library_home: Path, started: list[App], qtbot: QtBot, qapp: QApplication
) -> None:
    usual = qapp.font()
    bigger = qapp.font()
    bigger.setPointSizeF(usual.pointSizeF() * 2)
    qapp.setFont(bigger)
    try:
        app = start(started, qtbot)
        app.window.resize(1600, 1000)
        for name in PAGES:
            app.window.open_page(name, {"project": "sample/library"})
            qtbot.waitUntil(lambda: app.tasks.idle, timeout=LONG)
            qtbot.wait(50)
            page = app.window.pages[name]
            assert not nameless(page), name
            cut = [
                button.text()
                for button in page.findChildren(QPushButton)
                if button.isVisible() and button.width() < button.minimumSizeHint().width()
            ]
            assert not cut, name
    finally:
        qapp.setFont(usual)


def test_the_program_starts_and_ends_as_a_person_would_have_it(own_home: Path) -> None:
    command = [sys.executable, "-m", "citeloom", "app"]
    process = subprocess.Popen(command, env=environment(own_home), stderr=subprocess.PIPE, text=True)
    try:
        wait_for(launch.is_running, "the engine of the app")
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=60)
    finally:
        process.kill()
    assert process.returncode == 0 and "Traceback" not in said
    wait_for(lambda: not launch.is_running(), "the engine to end with the app")


def test_without_a_screen_the_app_says_so(own_home: Path) -> None:
    bare: dict[str, Any] = {"QT_QPA_PLATFORM": "", "DISPLAY": "", "WAYLAND_DISPLAY": ""}
    result = citeloom(own_home, "app", **bare)
    assert result.returncode == 1 and "The app needs a graphical session" in result.stderr
    assert "Usage: citeloom" in done(citeloom(own_home, **bare))


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only an X server can be away")
def test_a_screen_that_does_not_answer_is_said_in_words(own_home: Path) -> None:
    result = citeloom(own_home, "app", QT_QPA_PLATFORM="", DISPLAY=":4711", WAYLAND_DISPLAY="")
    assert result.returncode == 1, "Qt would have ended the process"
    assert "The display :4711 does not respond." in result.stderr or "lacks a library" in result.stderr
    assert "Traceback" not in result.stderr


def _editors(app: App) -> int:
    status = app.engine_status.current.status
    return status.editors if status else 0
