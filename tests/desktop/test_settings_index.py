"""Where indexes lie, and backups: the sections of the settings page that move data about."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialog, QLineEdit, QMessageBox, QRadioButton
from pytestqt.qtbot import QtBot

from citeloom.api.library import AddProject
from citeloom.api.maintenance import CompactResult, MoveResult
from citeloom.api.verbs import encode
from citeloom.core import settings
from citeloom.core.errors import CiteLoomError, Code
from citeloom.desktop.settings.page import SettingsPage
from citeloom.desktop.shell.page import PageContext
from citeloom.desktop.text.index_text import on_this_machine, remote_index_warning
from tests.desktop.fake_engine_tasks import FakeEngineTasks, a_status, fake_context
from tests.desktop.naming import nameless
from tests.desktop.sample_projects import yes
from tests.desktop.sample_results import projects as list_of_projects
from tests.qdrant_stand_in import QdrantStandIn

LEFT = Qt.MouseButton.LeftButton
FAR = "https://qdrant.example.org:6333"
REFUSED = CiteLoomError(Code.PERMISSION_DENIED, "The Qdrant server refuses the key.", "Log in with its key.")


def lies(place: str = "embedded", **changed: Any) -> dict[str, Any]:
    """The index of `thesis`, as the engine tells of it."""
    shown = {
        "project": "thesis",
        "place": place,
        "name": "x",
        "passages": 1200,
        "bytes": 5_000_000 if place == "embedded" else None,
        "waiting_for_graph": 0,
        "reachable": True,
        "version": None if place == "embedded" else "1.20.0",
        "problem": None,
        "jobs": [],
        **changed,
    }
    return {"new_projects": "embedded", "key": None, "projects": [shown]}


def ended(state: str, **result: Any) -> dict[str, Any]:
    """The event that a job of `thesis` has ended."""
    return {"type": "JobFinished", "job_id": "7", "project_id": "thesis", "state": state, "result": result}


# -- with the real engine ----------------------------------------------------------------------------------------------


@pytest.fixture
def qdrant(own_home: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[QdrantStandIn]:
    """A server whose key the engine of this test finds in its environment; ask for it before `desk`."""
    monkeypatch.setenv("CITELOOM_QDRANT_API_KEY", "s3cret")
    with QdrantStandIn(key="s3cret") as server:
        yield server


def test_an_index_is_tested_moved_and_backed_up(
    qdrant: QdrantStandIn, context: PageContext, qtbot: QtBot, tmp_path: Path
) -> None:
    made: list[Any] = []
    context.tasks.send(context, AddProject(project="thesis"), done=made.append)
    page = _shown(SettingsPage(context), qtbot, "index")
    _wait(qtbot, lambda: bool(made))
    section: Any = page.current
    section.shown()
    _wait(qtbot, lambda: bool(section.projects.rows))
    assert section.compact_button.isEnabled()

    qtbot.mouseClick(section.move_button, LEFT)
    dialog = section.dialog
    assert not dialog.move_button.isEnabled() and not dialog.local.isEnabled()
    qtbot.keyClicks(dialog.server.line, qdrant.address)
    qtbot.keyClick(dialog.server.line, Qt.Key.Key_Return)
    _wait(qtbot, lambda: dialog.server.status.text() == "The server can be used: Qdrant 1.20.0.")
    assert dialog.isVisible() and not dialog.server.warning.isVisible(), "it is on this machine"
    qtbot.mouseClick(dialog.move_button, LEFT)
    _wait(qtbot, lambda: section.projects.rows[0].place == qdrant.address)
    _wait(qtbot, lambda: "on the Qdrant server at" in page.banner.message.text())
    assert "CITELOOM_QDRANT_API_KEY" in section.key.message.text() and not section.key.key.isVisible()
    assert not section.compact_button.isEnabled() and "by itself" in section.hint.text()

    data: Any = _go(page, "data")
    file = tmp_path / "all.zip"
    qtbot.mouseClick(data.backups.back_up_button, LEFT)
    data.backups.dialog.fileSelected.emit(str(file))
    data.backups.dialog.close()
    _wait(qtbot, lambda: str(file) in page.banner.message.text())
    assert file.is_file() and "restored, the index is embedded" in page.banner.message.text()
    assert nameless(section) == nameless(data) == []


# -- new projects ------------------------------------------------------------------------------------------------------


def test_a_server_elsewhere_is_written_only_once_somebody_knows_what_leaves_the_machine(
    own_home: Path, qtbot: QtBot
) -> None:
    page, _ = _page(qtbot, maintenance_indexes=lies())
    new = _section(page).new
    _wait(qtbot, new.isEnabled)
    assert new.local.isChecked() and not new.server.isVisible()
    _choose(qtbot, new.remote)
    assert new.server.isVisible() and settings.load().index.server == ""
    _type(qtbot, new.server.line, FAR)
    assert "will be on qdrant.example.org" in new.question.text() and new.server.warning.isVisible()
    new.question.reject()
    assert new.local.isChecked() and not new.server.isVisible()

    _choose(qtbot, new.remote)
    _type(qtbot, new.server.line, FAR)
    yes(new.question)
    _wait(qtbot, lambda: settings.load().index.server == FAR)
    _wait(qtbot, lambda: page.settings_file.value("index.server") == FAR)
    assert new.remote.isChecked() and new.server.line.text() == FAR

    _choose(qtbot, new.local)
    _wait(qtbot, lambda: settings.load().index.server == "")
    _choose(qtbot, new.remote)
    new.question = None
    _type(qtbot, new.server.line, "http://localhost:6333")
    _wait(qtbot, lambda: settings.load().index.server == "http://localhost:6333")
    assert new.question is None


@pytest.mark.parametrize(
    ("address", "here"),
    [
        ("http://localhost:6333", True),
        ("http://127.0.0.9", True),
        ("http://[::1]:6333/q", True),
        ("https://localhost.example.org", False),
        ("http://127.0.0.1.example.org", False),
        ("http://0.0.0.0:6333", False),
        ("http://[::1", False),
        ("qdrant", False),
    ],
)
def test_only_what_is_surely_this_machine_counts_as_it(address: str, here: bool) -> None:
    assert on_this_machine(address) is here
    assert bool(remote_index_warning(address)) is not here
    assert ("not encrypted" in remote_index_warning(address)) is (not here and address.startswith("http:"))


# -- the key -----------------------------------------------------------------------------------------------------------


def test_the_key_of_a_server_is_typed_hidden_tried_and_forgotten(own_home: Path, qtbot: QtBot) -> None:
    page, tasks = _page(qtbot, maintenance_indexes=lies(FAR), maintenance_log_in_server=REFUSED)
    key = _section(page).key
    _wait(qtbot, key.isEnabled)
    assert key.key.echoMode() == QLineEdit.EchoMode.Password and not key.log_out_button.isVisible()
    qtbot.keyClicks(key.key, " s3cret ")
    qtbot.mouseClick(key.log_in_button, LEFT)
    _wait(qtbot, lambda: key.message.text() == str(REFUSED))
    assert key.key.text(), "it can be mended and sent again"
    tasks.answers["maintenance_log_in_server"] = {"servers": {FAR: "1.20.0"}, "key": "keyring"}
    tasks.answers["maintenance_indexes"] = {**lies(FAR), "key": "keyring"}
    qtbot.keyClick(key.key, Qt.Key.Key_Return)
    _wait(qtbot, key.log_out_button.isVisible)
    assert ("maintenance_log_in_server", {"key": "s3cret", "address": None}) in tasks.asked and not key.key.text()

    tasks.answers |= {
        "maintenance_log_out_servers": {"forgotten": True, "key": None, "projects": ["thesis"]},
        "maintenance_indexes": lies(FAR),
    }
    qtbot.mouseClick(key.log_out_button, LEFT)
    assert ("maintenance_log_out_servers", {}) not in tasks.asked, "it asks first"
    yes(key.findChild(QMessageBox))
    _wait(qtbot, key.key.isVisible)


# -- moving ------------------------------------------------------------------------------------------------------------


def test_a_move_says_what_leaves_the_machine_and_how_it_ended(own_home: Path, qtbot: QtBot) -> None:
    begun = {"job_id": "7", "state": "queued", "already": False, "place": FAR}
    page, tasks = _page(qtbot, maintenance_indexes=lies(), maintenance_move_index=REFUSED, engine_status=a_status())
    section = _section(page)
    _move(qtbot, section)
    _wait(qtbot, lambda: page.banner.message.text() == str(REFUSED))
    assert section.move_button.isEnabled()

    tasks.answers |= {
        "maintenance_move_index": begun,
        "maintenance_indexes": lies(jobs=[{"job_id": "7", "project": "thesis", "kind": "move"}]),
    }
    _move(qtbot, section)
    _wait(qtbot, lambda: bool(section.projects.rows[0].jobs))
    assert ("maintenance_move_index", {"project": "thesis", "to": FAR}) in tasks.asked
    assert not section.move_button.isEnabled() and not section.compact_button.isEnabled()
    moving = {"type": "JobProgress", "job_id": "7", "project_id": "thesis", "total": 1200, "done": 300}
    tasks.publish({**moving, "stage": "copy", "eta_seconds": 40.0})
    assert section.strip.stage.text().startswith("Copying passages: 300 of") and section.strip.bar.value() == 250
    tasks.answers["maintenance_indexes"] = lies(FAR)
    moved = MoveResult(
        project="thesis", origin="embedded", to=FAR, passages=1200, written=1200, bytes=9, warnings=["W."]
    )
    tasks.publish(ended("done", **encode(moved)))
    assert FAR in page.banner.message.text() and page.banner.message.text().endswith("W.")
    _wait(qtbot, lambda: section.projects.rows[0].place == FAR)

    section._jobs["7"] = "move", "thesis"
    tasks.publish(ended("cancelled", warnings=[]))
    assert "was not changed" in page.banner.message.text()
    section._jobs["7"] = "move", "thesis"
    tasks.publish(ended("failed", error=REFUSED.as_dict()))
    assert page.banner.message.text() == str(REFUSED)


def _move(qtbot: QtBot, section: Any) -> None:
    _wait(qtbot, section.move_button.isEnabled)
    qtbot.mouseClick(section.move_button, LEFT)
    dialog: QDialog = section.dialog
    qtbot.keyClicks(section.dialog.server.line, FAR)
    assert "leave this computer" in section.dialog.server.warning.text() and "deleted" in section.dialog.message.text()
    qtbot.mouseClick(section.dialog.move_button, LEFT)
    assert not dialog.isVisible()


def test_an_index_out_of_reach_says_why(own_home: Path, qtbot: QtBot) -> None:
    problem = "The Qdrant server does not answer. " + "x" * 3000
    page, _ = _page(qtbot, maintenance_indexes=lies(FAR, reachable=False, version=None, problem=problem))
    section = _section(page)
    _wait(qtbot, lambda: section.hint.text() == problem)
    assert section.move_button.isEnabled() and not section.compact_button.isEnabled()
    assert page.minimumSizeHint().width() < 900


def test_a_compacted_index_says_what_it_freed(own_home: Path, qtbot: QtBot) -> None:
    begun = {"job_id": "7", "state": "queued", "by_server": False, "place": "embedded"}
    page, tasks = _page(qtbot, maintenance_indexes=lies(), maintenance_compact_index=begun)
    section = _section(page)
    _wait(qtbot, section.compact_button.isEnabled)
    qtbot.mouseClick(section.compact_button, LEFT)
    _wait(qtbot, lambda: "7" in section._jobs)
    done = CompactResult(project="thesis", passages=3, bytes_before=9_000_000, bytes=5_000_000)
    tasks.publish(ended("done", **encode(done)))
    assert page.banner.message.text() == "“thesis”: Its size went from 9.0 MB to 5.0 MB."


# -- restoring ---------------------------------------------------------------------------------------------------------


def test_a_restore_says_first_what_it_replaces_and_afterwards_where_that_is(own_home: Path, qtbot: QtBot) -> None:
    backup = {
        "file": "/b/all.zip",
        "made_at": "2026-11-16T20:00:00+00:00",
        "citeloom": "0.7",
        "projects": [{"id": "old", "passages": 70, "dense_model": "m", "was_on": FAR}],
        "settings": True,
        "other_settings": [{"name": "privacy.agents_may_fetch", "here": False, "backup": True}],
        "new_sources": [{"project": "old", "kind": "folder", "path": "/home/somebody", "label": "papers"}],
        "bytes": 9,
        "present": ["thesis", "other"],
    }
    restored: dict[str, Any] = {"projects": ["old"], "passages": 70, "aside": "/x/before", "settings": True}
    restored |= {"kept_settings": [], "embedded": ["old"]}
    damaged = CiteLoomError(Code.INVALID_INPUT, "/b/all.zip is damaged.", "Use another one.")
    page, tasks = _page(qtbot, maintenance_read_backup=damaged, maintenance_restore=damaged)
    backups: Any = _go(page, "data").backups  # type: ignore[attr-defined]

    def choose() -> None:
        page.banner.hide()
        backups.question = None
        qtbot.mouseClick(backups.restore_button, LEFT)
        backups.dialog.fileSelected.emit("/b/all.zip")
        backups.dialog.close()

    choose()
    _wait(qtbot, lambda: page.banner.message.text() == str(damaged))
    assert backups.question is None
    tasks.answers["maintenance_read_backup"] = backup
    choose()
    _wait(qtbot, lambda: backups.question is not None)
    assert "2 projects and the settings" in backups.question.text() and "not deleted" in backups.question.text()
    assert "thesis" in backups.question.detailedText() and "on this computer" in backups.question.text()
    assert "old: /home/somebody" in backups.question.text() and "privacy.agents_may_fetch" in backups.question.text()
    assert not any(verb == "maintenance_restore" for verb, _ in tasks.asked)
    yes(backups.question)
    assert not backups.restore_button.isEnabled() and backups.busy.isVisible()
    _wait(qtbot, lambda: page.banner.isVisible() and backups.restore_button.isEnabled())
    tasks.answers["maintenance_restore"] = restored
    choose()
    _wait(qtbot, lambda: backups.question is not None)
    yes(backups.question)
    _wait(qtbot, lambda: page.banner.message.text().endswith("The previous data is in /x/before"))
    asked = {"file": "/b/all.zip", "replace": True, "accepted": ["/home/somebody"], "all_settings": False}
    assert ("maintenance_restore", asked) in tasks.asked


# -- steps -------------------------------------------------------------------------------------------------------------


def _page(qtbot: QtBot, **answers: Any) -> tuple[SettingsPage, FakeEngineTasks]:
    sizes = {"data_folder": "/x", "total": 1, "parts": [], "free": 1}
    cache = {"folder": "/x", "conversions": 0, "bytes": 0, "in_use": 0, "left_over": 0, "left_over_bytes": 0}
    usage = {"maintenance_disk_usage": sizes, "maintenance_show_cache": cache}
    context, tasks = fake_context(**{"library_list_projects": list_of_projects(), **usage, **answers})
    return _shown(SettingsPage(context), qtbot, "index" if "maintenance_indexes" in answers else "data"), tasks


def _shown(page: SettingsPage, qtbot: QtBot, section: str) -> SettingsPage:
    qtbot.addWidget(page)
    page.resize(900, 900)
    page.show()
    page.shown({"section": section})
    return page


def _section(page: SettingsPage) -> Any:
    return page.sections["index"]


def _go(page: SettingsPage, name: str) -> Any:
    page.shown({"section": name})
    return page.current


def _choose(qtbot: QtBot, choice: QRadioButton) -> None:
    qtbot.wait(1)
    choice.click()


def _type(qtbot: QtBot, line: QLineEdit, address: str) -> None:
    line.clear()
    qtbot.keyClicks(line, address)
    qtbot.keyClick(line, Qt.Key.Key_Return)


def _wait(qtbot: QtBot, condition: Callable[[], bool]) -> None:
    qtbot.waitUntil(condition, timeout=60_000)
