"""The activity page: with real editors on the real engine, and in states that are hard to bring an engine into."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QModelIndex, Qt
from PySide6.QtWidgets import QMessageBox, QPushButton
from pytestqt.qtbot import QtBot

from citeloom.api.activity import JobList, LoggedPassage, PastJob
from citeloom.core.errors import CiteLoomError, Code
from citeloom.core.types import AccessEntry
from citeloom.desktop.activity.csv_export import spreadsheet_separator
from citeloom.desktop.activity.log_model import BLOCK
from citeloom.desktop.activity.page import ActivityPage
from citeloom.desktop.shell.page import PageContext
from tests.desktop.fake_engine_tasks import FakeEngineTasks, a_status, fake_context
from tests.desktop.naming import nameless
from tests.desktop.sample_results import projects
from tests.flows.steps import Project, four_papers, kill_engine, settings
from tests.support import Editor

EDITORS, ASKED, IMPORTS = range(3)
LEFT = Qt.MouseButton.LeftButton


# -- with the real engine --------------------------------------------------------------------------------------------


@pytest.fixture
def project(own_home: Path, tmp_path: Path) -> Project:
    """Four papers and one that cannot be read, as project `p`."""
    four_papers(tmp_path / "papers")
    (tmp_path / "papers" / "torn.pdf").write_bytes(b"%PDF-1.7 torn")
    made = Project.made(own_home, tmp_path / "papers")
    made.ingest()
    return made


@pytest.fixture
def page(project: Project, context: PageContext, qtbot: QtBot) -> ActivityPage:
    return _shown(ActivityPage(context), qtbot)


def test_an_editor_appears_asks_and_is_disconnected(page: ActivityPage, project: Project, qtbot: QtBot) -> None:
    editors, asked = page.editors, page.access_log
    _wait(qtbot, lambda: editors.stack.currentIndex() == 0 and editors.empty.isVisible())
    with Editor(project.home, "--project", "p", "--toolsets", "read", name="claude-ai") as editor:
        _wait(qtbot, lambda: _cells(editors.model) != [])
        assert _cells(editors.model)[0][:3] == ["Claude Desktop (claude-ai 1.0)", "p", "Read"]
        assert page.tabs.tabText(EDITORS) == "Editors (1)"

        page.tabs.setCurrentIndex(ASKED)
        hits = editor.call("query", project="p", text="how often was the coral measured?")["items"]
        _wait(qtbot, lambda: _cells(asked.model) != [])
        when, *row = _cells(asked.model)[0]
        assert when
        found = str(len(hits))
        assert row == ["Claude Desktop (claude-ai 1.0)", "p", "Search by meaning", "how often was the coral measured?",
                       "Answered", found]  # fmt: skip
        editor.call("list_projects")
        _wait(qtbot, lambda: asked.model.rowCount() == 2)
        asked.table.selectRow(1)
        _wait(qtbot, lambda: hits[0]["render_text"] in asked.passages.toPlainText())
        assert hits[0]["cite"] in asked.passages.toPlainText()

        page.tabs.setCurrentIndex(EDITORS)
        assert not editors.disconnect_button.isEnabled(), "nobody is chosen"
        editors.table.selectRow(0)
        qtbot.mouseClick(editors.disconnect_button, LEFT)
        assert "until you restart" in _agree(editors.question, qtbot)
        _wait(qtbot, lambda: editors.empty.isVisible() and page.tabs.tabText(EDITORS) == "Editors")
        assert editor.fail("list_projects")["code"] == "PERMISSION_DENIED"
    assert nameless(page) == []


def test_the_log_is_filtered_exported_and_cleared(
    page: ActivityPage, project: Project, qtbot: QtBot, tmp_path: Path
) -> None:
    asked = page.access_log
    page.tabs.setCurrentIndex(ASKED)
    for name in ("one", "two"):
        with Editor(project.home, name=name) as editor:
            editor.call("query", project="p", text=f"=cmd|{name} “Größe” 🐦")
            editor.call("list_projects")
    _wait(qtbot, lambda: asked.model.rowCount() == 4 and asked.project_box.count() == 2)

    asked.editor_box.setCurrentIndex(asked.editor_box.findText("two 1.0"))
    asked.editor_box.activated.emit(asked.editor_box.currentIndex())
    _wait(qtbot, lambda: {row.client for row in asked.model.rows} == {"two 1.0"})
    asked.project_box.setCurrentIndex(1)
    asked.project_box.activated.emit(1)
    _wait(qtbot, lambda: [row.asked for row in asked.model.rows] == ["=cmd|two “Größe” 🐦"])

    asked.export_to(tmp_path / "log.csv")
    _wait(qtbot, lambda: asked.export is None)
    assert str(tmp_path / "log.csv") in asked.banner.message.text()
    written = (tmp_path / "log.csv").read_bytes()
    assert written.startswith(b"\xef\xbb\xbf")
    table = list(csv.DictReader(io.StringIO(written.decode("utf-8-sig")), delimiter=spreadsheet_separator()))
    assert [row["asked"] for row in table] == ["'=cmd|two “Größe” 🐦"]
    assert table[0]["editor"] == "two 1.0"
    assert int(table[0]["passages"]) == len(table[0]["passage ids"].split()) > 0
    assert [file.name for file in tmp_path.glob("*log*")] == ["log.csv"], "nothing else is left behind"

    qtbot.mouseClick(asked.clear_button, LEFT)
    assert "all projects" in _agree(asked.question, qtbot)
    _wait(qtbot, lambda: asked.empty.isVisible() and "4" in asked.banner.message.text())
    asked.editor_box.setCurrentIndex(0)
    asked.project_box.setCurrentIndex(0)
    asked.project_box.activated.emit(0)
    _wait(qtbot, lambda: asked.empty.title.text() == "Nothing has been asked yet")


def test_a_past_import_says_why_a_file_was_not_read_and_leads_to_its_papers(page: ActivityPage, qtbot: QtBot) -> None:
    imports = page.imports
    page.tabs.setCurrentIndex(IMPORTS)
    _wait(qtbot, lambda: imports.model.rowCount() == 1)
    assert _cells(imports.model)[0][1:] == ["p", "All its sources", "Done, with failures", "4", "1"]
    imports.table.selectRow(0)
    story = imports.details.toPlainText()
    assert "torn.pdf" in story and "New: 4" in story
    reason = imports.model.rows[0].result["errors"][0]["reason"]
    assert reason in story
    with qtbot.waitSignal(page.context.open_page) as went:
        qtbot.mouseClick(imports.papers_button, LEFT)
    assert went.args == ["projects", {"project": "p"}]


def test_the_page_goes_on_after_the_engine_was_killed(page: ActivityPage, project: Project, qtbot: QtBot) -> None:
    page.tabs.setCurrentIndex(ASKED)
    _wait(qtbot, lambda: page.context.engine_status.current.connected and page.access_log.empty.isVisible())
    kill_engine(project.home)
    with Editor(project.home, name="after") as editor:
        editor.call("list_projects")
        _wait(qtbot, lambda: [row.client for row in page.access_log.model.rows] == ["after 1.0"])
    assert not page.access_log.banner.isVisible(), "that the engine was away is said by the window"


def test_a_log_that_is_switched_off_points_to_the_settings(own_home: Path, context: PageContext, qtbot: QtBot) -> None:
    settings(own_home, "[privacy]\naccess_log = false\n")
    page = _shown(ActivityPage(context), qtbot)
    page.tabs.setCurrentIndex(ASKED)
    _wait(qtbot, page.access_log.off_banner.isVisible)
    with qtbot.waitSignal(context.open_page) as went:
        qtbot.mouseClick(page.access_log.off_banner.button, LEFT)
    assert went.args == ["settings", {}]
    settings(own_home, "")
    page.shown({})
    _wait(qtbot, lambda: not page.access_log.off_banner.isVisible())


# -- with a made-up engine -------------------------------------------------------------------------------------------


def _entry(number: int, **values: Any) -> AccessEntry:
    entry = AccessEntry(
        id=number,
        at="2026-11-16T12:00:00+00:00",
        correlation_id=f"c{number}",
        client="claude-ai 0.1",
        project_id="thesis",
        tool="query",
        asked=f"question {number}",
        passages=[],
        outcome="ok",
        milliseconds=20.0,
    )
    return replace(entry, **values)


def _past(job_id: str, **values: Any) -> PastJob:
    job = PastJob(
        job_id=job_id,
        project="thesis",
        kind="ingest",
        state="done",
        source=None,
        created_at="",
        finished_at="2026-11-16T12:00:00+00:00",
        result={},
        error=None,
    )
    return replace(job, **values)


class Engine:
    """A made-up engine with a log that can grow."""

    def __init__(self, entries: int = 0) -> None:
        self.log = [_entry(number) for number in range(entries, 0, -1)]
        self.past: list[PastJob] = []
        self.context, self.tasks = fake_context(
            engine_list_editors=[],
            activity_access_log=self._log,
            library_list_projects=projects(),
            activity_list_jobs=lambda args: JobList(running=[], past=self.past[: args["limit"]]),
            engine_status=a_status(),
        )

    def _log(self, args: dict[str, Any]) -> list[AccessEntry]:
        older = [entry for entry in self.log if entry.id < (args["before"] or 10**9)]
        return older[: args["limit"]]


def test_older_entries_are_fetched_as_one_scrolls_and_new_ones_come_on_top(qtbot: QtBot) -> None:
    engine = Engine(entries=2 * BLOCK + 50)
    page = _shown(ActivityPage(engine.context), qtbot)
    page.tabs.setCurrentIndex(ASKED)
    model, table = page.access_log.model, page.access_log.table
    _wait(qtbot, lambda: model.rowCount() >= BLOCK)
    for rows in (2 * BLOCK, len(engine.log)):
        table.scrollToBottom()
        _wait(qtbot, lambda: model.rowCount() == rows)  # noqa: B023 - called at once
    assert not model.canFetchMore(QModelIndex())
    assert [row.id for row in model.rows] == [row.id for row in engine.log]

    table.selectRow(3)
    chosen = table.chosen()
    engine.log[:0] = [_entry(number) for number in range(2 * BLOCK + 52, 2 * BLOCK + 50, -1)]
    page.access_log.model.refresh()
    _wait(qtbot, lambda: model.rows[0].id == 2 * BLOCK + 52)
    assert table.chosen() is chosen, "what was chosen moved down with its row"
    assert [row.id for row in model.rows] == [row.id for row in engine.log]

    engine.log = [_entry(1, asked="after it was cleared elsewhere")]
    page.access_log.model.refresh()
    _wait(qtbot, lambda: [row.asked for row in model.rows] == ["after it was cleared elsewhere"])


def test_a_filter_that_was_not_answered_is_asked_again_and_never_mixed_with_the_old_list(qtbot: QtBot) -> None:
    engine = Engine()
    engine.log = [_entry(3, client="zed 1"), _entry(2), _entry(1, client="zed 1")]
    engine.tasks.answers["activity_access_log"] = lambda args: [
        entry for entry in engine.log if args["client"] in (None, entry.client)
    ]
    page = _shown(ActivityPage(engine.context), qtbot)
    page.tabs.setCurrentIndex(ASKED)
    asked, answer = page.access_log, engine.tasks.answers["activity_access_log"]
    _wait(qtbot, lambda: asked.model.rowCount() == 3)
    for code, said in ((Code.ENGINE_UNAVAILABLE, False), (Code.STORAGE_ERROR, True)):
        engine.tasks.answers["activity_access_log"] = CiteLoomError(code, "No answer.")
        asked.editor_box.setCurrentIndex(asked.editor_box.findData("zed 1"))
        with qtbot.waitSignal(asked.model.failed):
            asked.editor_box.activated.emit(asked.editor_box.currentIndex())
        assert asked.banner.isVisible() is said
    engine.tasks.answers["activity_access_log"] = answer
    engine.log.insert(0, _entry(4, client="zed 1"))
    asked.model.refresh()
    _wait(qtbot, lambda: [row.id for row in asked.model.rows] == [4, 3, 1])
    assert not asked.banner.isVisible(), "it was answered"


def test_the_table_takes_nothing_for_markup(qtbot: QtBot) -> None:
    engine = Engine()
    engine.log = [_entry(1, asked="<b>x</b>\n<img src=y>" + "é" * 3000, client="<i>me</i>", passages=["gone"])]
    gone = LoggedPassage(
        chunk_id="gone", cite=None, by_agent=False, title=None, section_path=[], text=None, deleted=True
    )
    there = replace(gone, chunk_id="c", cite="[@k]", title="<h1>T", section_path=["A", "B"], text="<u>", deleted=False)
    engine.tasks.answers["activity_logged_passages"] = [gone, there]
    page = _shown(ActivityPage(engine.context), qtbot)
    page.tabs.setCurrentIndex(ASKED)
    _wait(qtbot, lambda: page.access_log.model.rowCount() == 1)
    page.access_log.table.selectRow(0)
    _wait(qtbot, lambda: "no longer in the library" in page.access_log.passages.toPlainText())
    shown = page.access_log.passages.toPlainText()
    assert "<b>x</b>\n<img src=y>" in shown and "2. [@k]  <h1>T\nA › B\n<u>" in shown
    tip = page.access_log.model.index(0, 4).data(Qt.ItemDataRole.ToolTipRole)
    assert tip.startswith("<p>&lt;b&gt;x")


def test_an_import_under_way_is_shown_and_stopped(qtbot: QtBot) -> None:
    engine = Engine()
    page = _shown(ActivityPage(engine.context), qtbot)
    page.tabs.setCurrentIndex(IMPORTS)
    engine.tasks.answers["engine_cancel_job"] = CiteLoomError(Code.TIMEOUT, "It did not stop.", "Try again.")
    for number in range(8):
        engine.tasks.publish(_progress(f"job-{number}"))
    assert page.tabs.tabText(IMPORTS) == "Imports (8)"
    running = page.imports.running
    assert list(running.jobs) == [f"job-{number}" for number in range(5)]
    assert running.more.text() == "Waiting: 3"
    card = running.jobs["job-0"]
    assert card.message.text().startswith(
        "Reading pages that need OCR or layout analysis … 25 of 40 papers read, 1 could not be read"
    )
    assert card.file.text() == "a.pdf, page 3 of 28"
    qtbot.mouseClick(card.stop_button, LEFT)
    assert not card.stop_button.isEnabled()
    _wait(qtbot, card.stop_button.isEnabled)
    assert page.imports.banner.message.text() == "It did not stop. Try again."
    assert nameless(page) == []

    engine.tasks.answers["engine_cancel_job"] = True
    qtbot.mouseClick(card.stop_button, LEFT)
    _wait(qtbot, lambda: engine.tasks.asked[-1] == ("engine_cancel_job", {"job_id": "job-0"}))
    engine.past = [_past("job-0", state="cancelled")]
    engine.tasks.publish(
        {"type": "JobFinished", "job_id": "job-0", "project_id": "thesis", "state": "cancelled", "result": {}}
    )
    _wait(qtbot, lambda: page.imports.model.rowCount() == 1 and "job-5" in running.jobs)
    assert _cells(page.imports.model)[0][3] == "Stopped"


def test_troubles_count_as_seen_once_the_page_was_shown(qtbot: QtBot) -> None:
    engine = Engine()
    failed = {"type": "JobFinished", "job_id": "j", "project_id": "p", "state": "failed", "result": {}}
    engine.tasks.publish(failed)
    assert engine.context.engine_status.current.unseen_problems
    _shown(ActivityPage(engine.context), qtbot)
    assert not engine.context.engine_status.current.unseen_problems


def test_an_export_that_fails_or_is_stopped_leaves_the_old_file(qtbot: QtBot, tmp_path: Path) -> None:
    engine = Engine(entries=3)
    page = _shown(ActivityPage(engine.context), qtbot)
    page.tabs.setCurrentIndex(ASKED)
    asked = page.access_log
    _wait(qtbot, asked.export_button.isEnabled)
    file = tmp_path / "kept.csv"
    file.write_text("before")

    engine.tasks.held = []
    asked.export_to(file)
    assert not asked.export_button.isEnabled()
    qtbot.mouseClick(asked.banner.button, LEFT)
    _let_go(engine.tasks)
    assert "stopped" in asked.banner.message.text() and asked.export_button.isEnabled()

    asked.export_to(tmp_path / "no such folder" / "log.csv")
    _wait(qtbot, lambda: "could not be written" in asked.banner.message.text())
    assert asked.export_button.isEnabled()
    assert file.read_text() == "before"
    assert [one.name for one in tmp_path.iterdir()] == ["kept.csv"]


def test_an_export_that_is_being_written_is_not_said_to_be_stopped(qtbot: QtBot, tmp_path: Path) -> None:
    engine = Engine(entries=3)
    asked = _shown(ActivityPage(engine.context), qtbot).access_log
    _wait(qtbot, lambda: asked.model.rowCount() == 3)
    engine.tasks.held = []
    asked.export_to(tmp_path / "log.csv")
    engine.tasks.held.pop()()
    _wait(qtbot, lambda: asked.banner.message.text() == "Writing the file …")
    assert not asked.banner.button.isVisibleTo(asked.banner)
    _let_go(engine.tasks)
    _wait(qtbot, lambda: "Exported 3 entries" in asked.banner.message.text())


def test_many_imports_can_be_read_in_a_low_window(qtbot: QtBot) -> None:
    engine = Engine()
    page = _shown(ActivityPage(engine.context), qtbot)
    page.tabs.setCurrentIndex(IMPORTS)
    engine.tasks.held = []  # the made-up engine would soon say that nothing is under way
    for number in range(8):
        engine.tasks.publish({**_progress(f"job-{number}"), "file": "a long name " * 30})
    card = page.imports.running.jobs["job-0"]
    _wait(qtbot, card.message.isVisible)
    qtbot.wait(50)
    assert page.minimumSizeHint().height() <= 600
    assert all(part.height() >= part.fontMetrics().height() for part in (card.name, card.message, card.file))
    assert card.width() <= page.width()


def test_what_goes_wrong_while_somebody_looks_on_has_been_seen(qtbot: QtBot) -> None:
    engine = Engine()
    page = _shown(ActivityPage(engine.context), qtbot)
    _wait(qtbot, page.isActiveWindow)
    failed = {"type": "JobFinished", "job_id": "j", "project_id": "p", "state": "failed", "result": {}}
    engine.tasks.publish(failed)
    assert not engine.context.engine_status.current.unseen_problems
    page.hide()
    engine.tasks.publish(failed)
    assert engine.context.engine_status.current.unseen_problems


def test_what_is_chosen_stays_chosen_where_text_runs_from_right_to_left(qtbot: QtBot) -> None:
    engine = Engine(entries=3)
    page = ActivityPage(engine.context)
    page.setLayoutDirection(Qt.LayoutDirection.RightToLeft)
    asked = _shown(page, qtbot).access_log
    page.tabs.setCurrentIndex(ASKED)
    _wait(qtbot, lambda: asked.model.rowCount() == 3)
    asked.table.setCurrentIndex(asked.model.index(1, 0))
    chosen = asked.table.chosen()
    asked.model.set_rows(asked.model.rows[:2])
    assert chosen is not None and asked.table.chosen() == chosen


# -- steps -----------------------------------------------------------------------------------------------------------


def _shown(page: ActivityPage, qtbot: QtBot) -> ActivityPage:
    qtbot.addWidget(page)
    page.resize(900, 600)
    page.show()
    page.shown({})
    return page


def _wait(qtbot: QtBot, condition: Callable[[], bool]) -> None:
    qtbot.waitUntil(condition, timeout=60_000)


def _cells(model: Any) -> list[list[str]]:
    return [
        [model.index(row, column).data() for column in range(model.columnCount())] for row in range(model.rowCount())
    ]


def _agree(question: QMessageBox | None, qtbot: QtBot) -> str:
    assert question is not None
    words = question.text()
    yes = next(
        one
        for one in question.findChildren(QPushButton)
        if question.buttonRole(one) == QMessageBox.ButtonRole.AcceptRole
    )
    qtbot.mouseClick(yes, LEFT)
    return words


def _progress(job_id: str) -> dict[str, Any]:
    return {
        "type": "JobProgress", "job_id": job_id, "project_id": "thesis", "total": 40, "searchable": 25, "done": 3,
        "failed": 1, "chunks_written": 9, "file": "a.pdf", "stage": "convert", "page": 3, "pages": 28,
        "eta_seconds": None,
    }  # fmt: skip


def _let_go(tasks: FakeEngineTasks) -> None:
    held, tasks.held = tasks.held or [], None
    for one in held:
        one()
