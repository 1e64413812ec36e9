"""The page that connects editors: real files in a temporary home, and the real engine behind what they launch."""

from __future__ import annotations

import json
import stat
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication, QMainWindow, QWidget
from pytestqt.qtbot import QtBot

from citeloom.api.library import AddProject
from citeloom.core.files import open_file
from citeloom.desktop.connect.access_choice import AccessChoice
from citeloom.desktop.connect.page import ConnectPage
from citeloom.desktop.connect.states import state_text
from citeloom.desktop.shell.page import PageContext
from citeloom.desktop.text.activity_text import client_id
from tests.desktop.fake_engine_tasks import fake_context
from tests.desktop.naming import nameless
from tests.desktop.sample_results import projects
from tests.support import Editor

LEFT = Qt.MouseButton.LeftButton
CURSOR = b'{\r\n\t// mine\r\n\t"mcpServers": {"files": {"command": "files"}},\r\n}\r\n'


@pytest.fixture
def person(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The home of somebody who has Claude Desktop, Cursor and Zed."""
    home = tmp_path / "person"
    for variable, folder in (("HOME", home), ("USERPROFILE", home), ("XDG_CONFIG_HOME", home / ".config")):
        monkeypatch.setenv(variable, str(folder))
    for variable, folder in (("APPDATA", home / "Roaming"), ("LOCALAPPDATA", home / "Local"), ("PATH", tmp_path)):
        monkeypatch.setenv(variable, str(folder))
    for variable in ("CLAUDE_CONFIG_DIR", "CODEX_HOME", "CLINE_DIR", "CONTINUE_GLOBAL_DIR", "GEMINI_CLI_HOME"):
        monkeypatch.delenv(variable, raising=False)
    (home / ".cursor").mkdir(parents=True)
    (home / ".cursor" / "mcp.json").write_bytes(CURSOR)
    (home / ".lmstudio").mkdir()
    return home


@pytest.fixture
def window(qtbot: QtBot) -> QMainWindow:
    made = QMainWindow()
    qtbot.addWidget(made)
    return made


@pytest.fixture
def page(person: Path, own_home: Path, window: QMainWindow) -> ConnectPage:
    """The page with real files and a made-up engine; what a test of an entry launches is real as well."""
    context, _ = fake_context(library_list_projects=projects("thesis", "other"), engine_list_editors=[])
    return _shown(ConnectPage(context), window)


def test_an_editor_is_connected_seen_and_put_back_as_it_was(
    person: Path, own_home: Path, context: PageContext, window: QMainWindow, qtbot: QtBot
) -> None:
    made: list[object] = []
    for project in ("thesis", "other"):
        context.tasks.send(context, AddProject(project=project), done=made.append)
    _wait(qtbot, lambda: len(made) == 2)
    page = _shown(ConnectPage(context), window)
    file = person / ".cursor" / "mcp.json"
    panel = page.panel
    _wait(qtbot, lambda: page.list.editors.rowCount() > 1 and panel.choice.model.rowCount() == 2)
    assert [one.id for one in page.list.editors.rows][:2] == ["cursor", "lm-studio"], "those that are here first"
    page.list.pick("cursor")
    assert not panel.connect_button.isEnabled(), "no project is chosen, and that never means all of them"
    assert panel.hint.isVisible()
    _tick(page, "thesis")
    panel.choice.read.setChecked(True)
    panel.choice.notes.setChecked(True)

    qtbot.mouseClick(panel.preview_button, LEFT)
    _wait(qtbot, panel.output.isVisible)
    assert '"citeloom"' in panel.output.toPlainText()
    assert file.read_bytes() == CURSOR, "a look changes nothing"

    qtbot.mouseClick(panel.connect_button, LEFT)
    _wait(qtbot, lambda: "CiteLoom answered after" in page.banner.message.text())
    assert "Next, in Cursor: " in page.banner.message.text()
    assert b"// mine\r\n" in file.read_bytes() and b'"files"' in file.read_bytes()
    _wait(qtbot, lambda: panel.state.text() == "It is set up to see thesis.")
    assert panel.choice.projects() == ["thesis"] and panel.choice.toolsets() == ["read", "notes"]
    page.banner.hide()

    with Editor(own_home, "--project", "thesis", name="cursor-vscode"):
        _wait(qtbot, lambda: page.banner.message.text() == "Cursor is connected.")
        _wait(qtbot, lambda: panel.state.text().endswith("It is connected right now."))
    _wait(qtbot, lambda: panel.state.text() == "It is set up to see thesis.")

    qtbot.mouseClick(panel.test_button, LEFT)
    _wait(qtbot, lambda: "Read a passage  (get_passage)" in panel.output.toPlainText())
    assert "delete_document" not in panel.output.toPlainText(), "it may only read"

    qtbot.mouseClick(panel.undo_button, LEFT)
    _wait(qtbot, lambda: file.read_bytes() == CURSOR and not panel.undo_button.isVisible())
    assert page.banner.message.text() == "The file of Cursor was restored."
    assert nameless(page) == []


def test_undo_leaves_a_file_alone_that_was_changed_since_and_remove_takes_the_entry_out(
    page: ConnectPage, person: Path, qtbot: QtBot
) -> None:
    file, panel = person / ".lmstudio" / "mcp.json", page.panel
    _wait(qtbot, lambda: page.list.editors.rowCount() > 1)
    page.list.pick("lm-studio")
    panel.choice.every.setChecked(True)
    qtbot.mouseClick(panel.connect_button, LEFT)
    _wait(qtbot, lambda: panel.undo_button.isVisible() and panel.undo_button.isEnabled())
    assert panel.state.text() == "It is set up to see all projects."
    entry = json.loads(file.read_text())
    assert "--project" not in entry["mcpServers"]["citeloom"]["args"]
    entry["mcpServers"]["later"] = {"command": "later"}
    file.write_text(json.dumps(entry))

    qtbot.mouseClick(panel.undo_button, LEFT)
    _wait(qtbot, lambda: "“Remove” deletes only CiteLoom’s entry" in page.banner.message.text())
    assert json.loads(file.read_text()) == entry
    qtbot.mouseClick(panel.remove_button, LEFT)
    _wait(qtbot, lambda: not panel.remove_button.isVisible())
    assert json.loads(file.read_text()) == {"mcpServers": {"later": {"command": "later"}}}


def test_a_malformed_file_is_left_alone_and_seen_when_it_is_mended(
    page: ConnectPage, person: Path, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    file, panel, opened = person / ".cursor" / "mcp.json", page.panel, list[str]()
    monkeypatch.setattr(open_file, "open_uri", opened.append)
    file.write_text('{"mcpServers": ')
    page.shown({})
    _wait(qtbot, panel.problem.isVisible)
    assert str(file) in panel.problem.message.text()
    panel.choice.every.setChecked(True)
    assert not panel.connect_button.isEnabled() and not panel.preview_button.isEnabled()
    qtbot.mouseClick(panel.open_button, LEFT)
    _wait(qtbot, lambda: opened == [file.as_uri()])
    assert state_text(page.list.editors.rows[0]) == "Its file has a problem"

    qtbot.mouseClick(panel.problem.button, LEFT)
    assert page.other.form.currentText() == "Cursor" and page.other.isVisible()
    page.list.pick("cursor")

    file.write_text("{}")
    QApplication.sendEvent(page.window(), QEvent(QEvent.Type.WindowActivate))
    _wait(qtbot, lambda: not panel.problem.isVisible() and panel.connect_button.isEnabled())


@pytest.mark.skipif(sys.platform == "win32", reason="modes are those of a POSIX file")
def test_a_file_that_became_read_only_in_the_meantime_is_left_alone(
    page: ConnectPage, person: Path, qtbot: QtBot
) -> None:
    file, panel = person / ".cursor" / "mcp.json", page.panel
    _wait(qtbot, lambda: page.list.editors.rowCount() > 1)
    panel.choice.every.setChecked(True)
    file.chmod(stat.S_IRUSR)
    qtbot.mouseClick(panel.connect_button, LEFT)
    _wait(qtbot, lambda: "read-only" in page.banner.message.text() and page.banner.button.isVisible())
    assert file.read_bytes() == CURSOR
    _wait(qtbot, lambda: panel.problem.isVisible() and not panel.connect_button.isEnabled())


def test_a_command_that_does_not_start_is_told_with_its_reason(page: ConnectPage, person: Path, qtbot: QtBot) -> None:
    gone = {"mcpServers": {"citeloom": {"command": str(person / "gone"), "args": ["mcp"]}}}
    (person / ".cursor" / "mcp.json").write_text(json.dumps(gone))
    page.shown({})
    _wait(qtbot, page.panel.test_button.isVisible)
    qtbot.mouseClick(page.panel.test_button, LEFT)
    _wait(qtbot, page.banner.isVisible)
    assert page.banner.message.text().startswith("Cursor cannot reach CiteLoom this way.")
    assert str(person / "gone") in page.banner.message.text()
    assert "citeloom clients" not in page.banner.message.text(), "nobody has to open a terminal"


def test_the_entry_for_any_other_editor_can_be_copied(page: ConnectPage, qtbot: QtBot) -> None:
    other = page.other
    _wait(qtbot, lambda: other.choice.model.rowCount() == 2)
    page.list.pick("other")
    assert other.view.toPlainText() == "Choose a project first." and not other.copy_button.isEnabled()
    other.choice.model.setData(other.choice.model.index(1), Qt.CheckState.Checked, Qt.ItemDataRole.CheckStateRole)
    _wait(qtbot, other.copy_button.isEnabled)
    qtbot.mouseClick(other.copy_button, LEFT)
    copied = json.loads(QGuiApplication.clipboard().text())
    assert copied["mcpServers"]["citeloom"]["args"][-5:] == ["mcp", "--project", "thesis", "--toolsets", "read"]
    other.form.setCurrentIndex(other.form.findText("Codex CLI"))
    _wait(qtbot, lambda: "[mcp_servers.citeloom]" in other.view.toPlainText())


# -- with a made-up engine -------------------------------------------------------------------------------------------


def test_many_projects_are_found_by_their_name_and_one_that_is_gone_stays_in_sight(
    person: Path, own_home: Path, window: QMainWindow, qtbot: QtBot
) -> None:
    entry = {"mcpServers": {"citeloom": {"command": "citeloom", "args": ["mcp", "--project", "<b>gone</b>"]}}}
    (person / ".cursor" / "mcp.json").write_text(json.dumps(entry))
    names = [*(f"project {number}" for number in range(10_000)), "🐦 مشروع"]
    context, _ = fake_context(library_list_projects=projects(*names), engine_list_editors=[])
    page = _shown(ConnectPage(context), window)
    choice = page.panel.choice
    _wait(qtbot, lambda: choice.model.rowCount() == 10_002 and page.list.chosen() == "cursor")
    assert choice.projects() == ["<b>gone</b>"]
    assert "<b>gone</b> (no longer exists)" in [
        choice.model.index(row).data() for row in range(choice.model.rowCount())
    ]
    qtbot.keyClicks(choice.find_field, "gone")
    assert choice.list.model().rowCount() == 1
    choice.list.setCurrentIndex(choice.list.model().index(0, 0))
    qtbot.keyClick(choice.list, Qt.Key.Key_Space)
    assert choice.projects() is None
    choice.find_field.setText("مشروع")
    choice.list.setCurrentIndex(choice.list.model().index(0, 0))
    qtbot.keyClick(choice.list, Qt.Key.Key_Space)
    assert choice.projects() == ["🐦 مشروع"]
    page.shown({})
    _wait(qtbot, lambda: page._detecting is None)
    assert choice.projects() == ["🐦 مشروع"], "what is being chosen is not thrown away by a look"


def test_the_tab_key_goes_from_top_to_bottom_and_a_proposed_project_is_ticked(page: ConnectPage, qtbot: QtBot) -> None:
    _wait(qtbot, lambda: page.list.editors.rowCount() > 1 and page.panel.choice.model.rowCount() == 2)
    page.shown({"project": "thesis"})
    assert page.panel.choice.projects() == ["thesis"]
    panel, start = page.panel, page.panel.open_button
    reached: list[QWidget] = [start]
    while (following := reached[-1].nextInFocusChain()) is not start:
        reached.append(following)
    wanted = [start, *panel.choice.controls(), panel.connect_button, panel.preview_button]
    assert [one for one in reached if one in wanted] == wanted
    tops = [one.mapTo(panel, one.rect().topLeft()).y() for one in wanted if one.isVisible()]
    assert tops == sorted(tops)


@pytest.mark.parametrize(
    ("said", "known"),
    [
        ("claude-ai 0.1.0", "claude-desktop"),
        ("claude-code 2.1.0", "claude-code"),
        ("cursor-vscode 1.0.0", "cursor"),
        ("Visual Studio Code 1.110", "vscode"),
        ("Visual Studio Code - Insiders 1.111", "vscode-insiders"),
        ("codex-mcp-client 0.154.0", "codex"),
        ("gemini-cli-mcp-client 1.0", "gemini"),
        ("citeloom-test 1.0", None),
        ("", None),
    ],
)
def test_editors_are_known_by_the_name_they_give(said: str, known: str | None) -> None:
    assert client_id(said) == known


def test_a_project_is_not_called_gone_before_the_engine_has_said_so(qtbot: QtBot) -> None:
    choice = AccessChoice()
    qtbot.addWidget(choice)
    choice.show()
    choice.choose(["thesis"], ["read"], everything=False)
    assert choice.model.index(0).data() == "thesis" and not choice.none.isVisible()
    choice.show_projects(["other"])
    assert [choice.model.index(row).data() for row in range(2)] == ["other", "thesis (no longer exists)"]


# -- steps -----------------------------------------------------------------------------------------------------------


def _shown(page: ConnectPage, window: QMainWindow) -> ConnectPage:
    window.setCentralWidget(page)
    window.resize(900, 900)
    window.show()
    page.shown({})
    return page


def _wait(qtbot: QtBot, condition: Callable[[], bool]) -> None:
    qtbot.waitUntil(condition, timeout=60_000)


def _tick(page: ConnectPage, project: str) -> None:
    model = page.panel.choice.model
    model.setData(model.index(model.names.index(project)), Qt.CheckState.Checked, Qt.ItemDataRole.CheckStateRole)
