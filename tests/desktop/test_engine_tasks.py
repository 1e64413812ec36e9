"""The one way off the UI thread, on the real engine."""

from __future__ import annotations

import json
import os
import signal
import threading
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject
from pytestqt.qtbot import QtBot

from citeloom import __version__
from citeloom.api.engine import Pause, Status, StatusResult
from citeloom.api.library import ListProjects, ShowProject
from citeloom.core.errors import CiteLoomError, Code
from citeloom.desktop.shell.engine_tasks import other_version
from citeloom.desktop.shell.page import PageContext
from citeloom.ipc import launch
from citeloom.ipc.client import stop_engine
from tests.support import engine_address

LONG = 60_000  # milliseconds; nothing asserts a time


def test_an_answer_comes_to_the_ui_thread(own_home: Path, context: PageContext, qtbot: QtBot) -> None:
    got: list[Any] = []

    def done(status: StatusResult) -> None:
        got.extend([status, threading.current_thread()])

    context.tasks.send(context, Status(), done=done)
    qtbot.waitUntil(lambda: bool(got), timeout=LONG)
    assert got[0].version == __version__ and got[0].started_by == "app"
    assert got[1] is threading.main_thread()


def test_a_refusal_comes_as_the_engine_says_it(own_home: Path, context: PageContext, qtbot: QtBot) -> None:
    failures: list[CiteLoomError] = []
    context.tasks.send(context, ShowProject(project="nowhere"), failed=failures.append)
    qtbot.waitUntil(lambda: bool(failures), timeout=LONG)
    assert failures[0].code == Code.INVALID_PROJECT


def test_a_failure_that_nobody_handles_reaches_the_window(own_home: Path, context: PageContext, qtbot: QtBot) -> None:
    with qtbot.waitSignal(context.tasks.failed, timeout=LONG) as heard:
        context.tasks.run(context, lambda: 1 / 0)
    assert heard.args is not None and "ZeroDivisionError" in str(heard.args[0])


def test_nothing_is_handed_to_an_owner_that_is_gone_or_has_turned_away(
    own_home: Path, context: PageContext, qtbot: QtBot
) -> None:
    got: list[str] = []
    go = threading.Event()
    owner = QObject()
    context.tasks.run(owner, lambda: go.wait(30), done=lambda _: got.append("gone"))
    dropped = context.tasks.run(context, lambda: go.wait(30), done=lambda _: got.append("dropped"))
    context.tasks.run(context, lambda: go.wait(30), done=lambda _: got.append("wanted"))
    owner.deleteLater()
    dropped.drop()
    qtbot.wait(50)
    go.set()
    qtbot.waitUntil(lambda: "wanted" in got, timeout=LONG)
    qtbot.wait(50)
    assert got == ["wanted"]


def test_an_engine_that_is_killed_is_started_again_and_the_question_is_answered(
    own_home: Path, context: PageContext, qtbot: QtBot
) -> None:
    qtbot.waitUntil(lambda: context.engine_status.current.connected, timeout=LONG)
    first = engine_address(own_home)["pid"]
    answers: list[Any] = []
    with qtbot.waitSignals([context.tasks.disconnected, context.tasks.connected], timeout=LONG):
        os.kill(first, signal.SIGKILL)
        context.tasks.send(context, ListProjects(), done=answers.append, failed=answers.append)
    qtbot.waitUntil(lambda: bool(answers), timeout=LONG)
    assert answers == [[]]
    assert engine_address(own_home)["pid"] != first
    assert context.engine_status.current.problem is None


def test_an_engine_of_another_version_is_told_and_can_be_restarted(
    own_home: Path, context: PageContext, qtbot: QtBot
) -> None:
    qtbot.waitUntil(lambda: context.engine_status.current.connected, timeout=LONG)
    first = engine_address(own_home)["pid"]
    file = own_home / "engine.json"
    file.write_text(json.dumps({**json.loads(file.read_text()), "version": "0.0.1"}))
    assert other_version() == "0.0.1"
    with qtbot.waitSignals([context.tasks.disconnected, context.tasks.connected], timeout=LONG):
        context.tasks.run(context, stop_engine)
    assert other_version() is None
    assert engine_address(own_home)["pid"] != first and launch.is_running()


def test_an_app_that_leaves_does_not_start_the_engine_again(own_home: Path, context: PageContext, qtbot: QtBot) -> None:
    qtbot.waitUntil(lambda: context.engine_status.current.connected and context.tasks.idle, timeout=LONG)
    context.tasks.disable_restart()
    with qtbot.waitSignal(context.tasks.disconnected, timeout=LONG):
        os.kill(engine_address(own_home)["pid"], signal.SIGKILL)
    failures: list[CiteLoomError] = []
    for request in (Pause(), Status()):
        context.tasks.send(context, request, failed=failures.append)
    qtbot.waitUntil(lambda: len(failures) == 2, timeout=LONG)
    assert not launch.is_running()
    assert {error.next_step for error in failures} == {"Try again in a moment."}, "nobody has a terminal here"
