"""From nothing to papers that are being read, step by step, on the real engine."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from citeloom.api.library import ListDocuments
from citeloom.core import settings as config
from citeloom.core.errors import CiteLoomError, Code
from citeloom.core.types import Coverage
from citeloom.desktop.first_run.assistant import FirstRun
from citeloom.desktop.first_run.step import FirstRunChoices
from citeloom.desktop.shell.page import PageContext
from citeloom.ipc.client import Client
from tests.desktop.fake_engine_tasks import a_status, fake_context
from tests.desktop.sample_results import details, new_project
from tests.flows.steps import pdf_paper, settings
from tests.zotero_stand_in.local_api import LocalZotero
from tests.zotero_stand_in.world import World

LONG = 90_000


def click(qtbot: QtBot, button: Any) -> None:
    qtbot.waitUntil(lambda: button.isVisible() and button.isEnabled(), timeout=LONG)
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)


def shown(context: PageContext, qtbot: QtBot) -> FirstRun:
    assistant = FirstRun(context)
    qtbot.addWidget(assistant)
    assistant.show()
    return assistant


@pytest.mark.usefixtures("with_sample_conversions")
def test_without_zotero_the_sample_library_is_read_in_five_steps(
    own_home: Path, context: PageContext, qtbot: QtBot
) -> None:
    nowhere(own_home)
    assistant = shown(context, qtbot)
    qtbot.waitUntil(lambda: "cannot be reached" in assistant.zotero.connection.state.text(), timeout=LONG)
    click(qtbot, assistant.zotero.sample_button)
    assert assistant.step is assistant.choice and assistant.choice.sample.isChecked()
    click(qtbot, assistant.next_button)
    assert assistant.name.name.text() == "sample"
    click(qtbot, assistant.next_button)
    qtbot.waitUntil(lambda: assistant.languages.list.count() > 0, timeout=LONG)
    assert assistant.languages.languages() == ("en", "de")
    click(qtbot, assistant.next_button)
    qtbot.waitUntil(lambda: "10 of 10 papers searchable" in assistant.reading.counts.text(), timeout=LONG)
    pages: list[tuple[str, dict[str, str]]] = []
    context.open_page.connect(lambda page, what: pages.append((page, what)))
    with qtbot.waitSignal(assistant.finished_with, timeout=LONG) as finished:
        click(qtbot, assistant.reading.connect_button)
    assert pages == [("connect", {"project": "sample"})] and finished.args == ["sample"]


def nowhere(home: Path) -> None:
    """No Zotero answers, and none is on this disk."""
    home.mkdir(exist_ok=True)
    empty = home.parent / "no-zotero"
    empty.mkdir()
    settings(home, f'[zotero]\nlocal_url = "http://127.0.0.1:9"\ndata_folder = "{empty}"\n')


def test_zotero_is_seen_by_itself_once_it_lets_programs_in(
    own_home: Path, context: PageContext, qtbot: QtBot, tmp_path: Path
) -> None:
    world = World(tmp_path / "Zotero")
    collection = world.collection("Möwen 🐦 & Salz")
    paper = world.add("journalArticle", collections=[collection], title="On salt", citationKey="evansSalt2014")
    world.attach(paper, "salt.pdf", pdf_paper(tmp_path / "salt.pdf", "salt").read_bytes())
    with LocalZotero(world, enabled=False) as zotero:
        settings(own_home, f'[zotero]\nlocal_url = "{zotero.url}"\ndata_folder = "{world.data_folder}"\n')
        assistant = shown(context, qtbot)
        qtbot.waitUntil(lambda: "Advanced" in assistant.zotero.connection.details.text(), timeout=LONG)
        zotero.enabled = True
        qtbot.waitUntil(lambda: assistant.zotero.found, timeout=LONG)
        click(qtbot, assistant.next_button)
        tree = assistant.choice.zotero.tree
        qtbot.waitUntil(lambda: tree.view.model().rowCount() == 1, timeout=LONG)
        assert not assistant.next_button.isEnabled(), "nothing is ticked yet"
        library = tree.view.model().index(0, 0)
        line = tree.view.model().index(0, 0, library)
        assert tree.view.model().data(line) == "Möwen 🐦 & Salz"
        tree.view.model().setData(line, Qt.CheckState.Checked, Qt.ItemDataRole.CheckStateRole)
        click(qtbot, assistant.next_button)
        assert assistant.name.name.text() == "mowen-salz"
        click(qtbot, assistant.next_button)
        click(qtbot, assistant.next_button)
        qtbot.waitUntil(lambda: "1 of 1 papers searchable" in assistant.reading.counts.text(), timeout=LONG)
        with Client() as client:
            documents = client.call(ListDocuments(project="mowen-salz")).documents
        assert [document.citekey for document in documents] == ["evansSalt2014"]


def test_languages_go_into_the_settings_file(
    own_home: Path, context: PageContext, qtbot: QtBot, tmp_path: Path
) -> None:
    nowhere(own_home)
    folder = tmp_path / "papers"
    folder.mkdir()
    (folder / "a.md").write_text("# On salt\n\nSalt was carried.\n")
    assistant = shown(context, qtbot)
    assistant.choice.add_folder(str(folder))
    for _ in range(3):
        click(qtbot, assistant.next_button)
    qtbot.waitUntil(lambda: assistant.languages.list.count() > 0, timeout=LONG)
    items = [assistant.languages.list.item(row) for row in range(assistant.languages.list.count())]
    next(item for item in items if item.text() == "German").setCheckState(Qt.CheckState.Unchecked)
    click(qtbot, assistant.next_button)
    qtbot.waitUntil(lambda: "1 of 1 papers searchable" in assistant.reading.counts.text(), timeout=LONG)
    assert config.load().ocr.languages == ("en",)
    assert "local_url" in (own_home / "citeloom.toml").read_text(), "what stood there stays"


def test_a_name_that_cannot_be_leads_back_to_its_step(qtbot: QtBot) -> None:
    refused = CiteLoomError(Code.INVALID_PROJECT, "'a b' cannot be a project id.", "Use letters.")
    away = CiteLoomError(Code.TIMEOUT, "No answer.")
    context, _ = fake_context(library_add_project=refused, importing_zotero_status=away)
    assistant = shown(context, qtbot)
    assistant.choices.sample, assistant.choices.name = True, "a b"
    assistant._go_to(4)
    qtbot.waitUntil(lambda: assistant.step is assistant.name)
    assert assistant.name.problem.text() == "'a b' cannot be a project id. Use letters."


def test_zotero_that_closes_in_the_middle_is_said_and_can_be_tried_again(qtbot: QtBot) -> None:
    gone = CiteLoomError(Code.ZOTERO_UNAVAILABLE, "Zotero does not answer any more.", "Open it again.")
    context, tasks = fake_context(
        library_add_project=gone, importing_ingest={"job_id": "j", "state": "queued"}, library_show_project=gone
    )
    assistant = shown(context, qtbot)
    assistant.choices.sample, assistant.choices.name = True, "thesis"
    assistant._go_to(4)
    qtbot.waitUntil(assistant.reading.banner.isVisible)
    assert assistant.reading.banner.message.text() == "Zotero does not answer any more. Open it again."
    tasks.answers["library_add_project"] = new_project("thesis")
    qtbot.mouseClick(assistant.reading.banner.button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: assistant.reading.project == "thesis")
    assert [asked["project"] for verb, asked in tasks.asked if verb == "importing_ingest"] == ["thesis"]


def test_one_logs_in_at_zotero_org_where_zotero_is_on_another_computer(qtbot: QtBot) -> None:
    away = CiteLoomError(Code.ZOTERO_UNAVAILABLE, "Zotero is not running.", "Start Zotero.")
    refused = CiteLoomError(Code.PERMISSION_DENIED, "The key was refused.", "Create another one.")
    context, tasks = fake_context(importing_zotero_status=away, importing_zotero_login=refused)
    login = shown(context, qtbot).zotero.login
    qtbot.keyClicks(login.key, "s3cret")
    qtbot.keyClick(login.key, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: login.message.text() == "The key was refused. Create another one.")
    tasks.answers["importing_zotero_login"] = {"user": "ada", "key": "keyring"}
    qtbot.mouseClick(login.log_in_button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: login.message.text() == "Logged in as ada." and not login.key.text())
    assert [asked for verb, asked in tasks.asked if verb == "importing_zotero_login"] == [{"key": "s3cret"}] * 2


@pytest.mark.parametrize(
    ("names", "suggested"),
    [(["Thesis/Chapter 2"], "thesis-chapter-2"), (["🐦", "Straße"], "strasse"), (["中文"], "thesis"), ([], "thesis")],
    ids=["path", "emoji", "no latin letter", "nothing"],
)
def test_a_name_is_suggested_by_what_was_chosen(names: list[str], suggested: str) -> None:
    assert FirstRunChoices(names=names).suggested_name() == suggested


@pytest.mark.parametrize("way", ["button", "escape", "window"])
def test_skipping_leaves_everything_as_it_was(qtbot: QtBot, way: str) -> None:
    context, tasks = fake_context(importing_zotero_status=CiteLoomError(Code.TIMEOUT, "No answer."))
    assistant = shown(context, qtbot)
    with qtbot.waitSignal(assistant.finished_with) as finished:
        if way == "button":
            qtbot.mouseClick(assistant.skip_button, Qt.MouseButton.LeftButton)
        elif way == "escape":
            qtbot.keyClick(assistant, Qt.Key.Key_Escape)
        else:
            assistant.close()
    assert not assistant.isVisible()
    assert finished.args == [""] and {verb for verb, _ in tasks.asked} <= {"importing_zotero_status"}


def test_whoever_goes_back_while_languages_are_being_kept_gets_no_project(qtbot: QtBot, own_home: Path) -> None:
    languages = [
        {"code": code, "name": name, "installed": True} for code, name in (("en", "English"), ("de", "German"))
    ]
    context, tasks = fake_context(
        maintenance_ocr={"engines": [], "languages": languages}, library_add_project=new_project("thesis")
    )
    assistant = shown(context, qtbot)
    assistant.choices.sample, assistant.choices.name = True, "thesis"
    assistant._go_to(3)
    qtbot.waitUntil(lambda: assistant.languages.list.count() == 2)
    assistant.languages.list.item(1).setCheckState(Qt.CheckState.Unchecked)
    click(qtbot, assistant.next_button)
    qtbot.waitUntil(lambda: config.load().ocr.languages == ("en",))
    assert assistant.languages.status.isVisible(), "it takes a moment, and says so"
    click(qtbot, assistant.back_button)
    tasks.connected.emit(a_status(projects=0))  # the engine has started anew
    qtbot.wait(50)
    assert assistant.step is assistant.name and "library_add_project" not in {verb for verb, _ in tasks.asked}


def test_the_last_counts_are_shown_however_busy_the_engine_is(qtbot: QtBot) -> None:
    coverage = Coverage(documents=2, searchable=1, by_meaning=1, pending=1, failed=0, without_file=0)
    context, tasks = fake_context(
        library_add_project=new_project("t"),
        importing_ingest={"job_id": "j", "state": "queued"},
        library_show_project=details("t", coverage),
    )
    assistant = shown(context, qtbot)
    assistant.choices.sample, assistant.choices.name = True, "t"
    assistant._go_to(4)
    qtbot.waitUntil(lambda: "1 of 2" in assistant.reading.counts.text())
    tasks.held = []
    assistant.reading._ask_coverage()
    tasks.publish({"type": "JobFinished", "job_id": "j", "project_id": "t", "state": "done", "result": {}})
    (first,) = tasks.held[:1]
    tasks.held = None
    first()
    tasks.answers["library_show_project"] = details("t", replace(coverage, searchable=2, pending=0))
    qtbot.waitUntil(lambda: "2 of 2" in assistant.reading.counts.text())
