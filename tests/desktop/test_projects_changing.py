"""What is begun in one project never lands in another, whichever is looked at meanwhile."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialog
from pytestqt.qtbot import QtBot

from citeloom.api.library import DocumentPage
from citeloom.core.errors import CiteLoomError, Code
from citeloom.core.types import Source
from citeloom.desktop.library.documents_model import CITEKEY
from citeloom.desktop.library.page import ProjectsPage
from citeloom.desktop.library.source_dialogs import resize
from tests.desktop.fake_engine_tasks import FakeEngineTasks, a_status
from tests.desktop.sample_projects import FINISHED, LEFT, SampleProjects, opened, progress, questions, removed, yes
from tests.desktop.sample_results import new_project, projects

NO_PROJECT = CiteLoomError(Code.INVALID_PROJECT, "There is no such project.", "")


def _two(qtbot: QtBot, count: int = 5, **more: Any) -> tuple[ProjectsPage, FakeEngineTasks]:
    page, tasks = opened(qtbot, SampleProjects(count), "thesis", "other", **more)
    qtbot.waitUntil(lambda: page.view.papers.model.rowCount() == count)
    return page, tasks


def _run(tasks: FakeEngineTasks, *projects: str) -> None:
    """Imports of these projects are under way."""
    jobs = [{"job_id": f"j-{one}", "project": one, "state": "running"} for one in projects]
    tasks.answers["engine_status"] = a_status(projects=2, jobs=jobs)
    for one in projects:
        tasks.publish(progress(job_id=f"j-{one}", project_id=one))


def _let_go(tasks: FakeEngineTasks) -> None:
    held, tasks.held = tasks.held or [], None
    for answer in held:
        answer()


def test_an_import_can_be_stopped_after_one_of_another_project_was(qtbot: QtBot) -> None:
    page, tasks = _two(qtbot)
    _run(tasks, "thesis", "other")
    stop = page.view.strip.stop_button
    qtbot.mouseClick(stop, LEFT)
    assert not stop.isEnabled()
    page.list.choose("other")
    assert stop.isEnabled()
    page.list.choose("thesis")
    assert not stop.isEnabled(), "it is being stopped already"


def test_duplicates_are_counted_for_each_project_on_its_own(qtbot: QtBot) -> None:
    samples = SampleProjects(5)

    def documents(asked: dict[str, Any]) -> DocumentPage:
        answer = samples.documents(asked)
        twins = 2 if asked["project"] == "thesis" else 1
        return replace(answer, total=twins) if asked["status"] == "duplicate" else answer

    page, _ = _two(qtbot, library_list_documents=documents)
    box = page.view.papers.status_box
    qtbot.waitUntil(lambda: box.findText("Duplicate (2)") >= 0)
    page.list.choose("other")
    assert box.count() == 1, "what was counted for the other project is not shown for this one"
    qtbot.waitUntil(lambda: box.findText("Duplicate (1)") >= 0)


def test_papers_are_counted_again_when_the_engine_is_back(qtbot: QtBot) -> None:
    samples, lost = SampleProjects(5), CiteLoomError(Code.ENGINE_UNAVAILABLE, "The engine ended.", "")
    page, tasks = _two(
        qtbot, library_list_documents=lambda asked: lost if asked["status"] else samples.documents(asked)
    )
    qtbot.waitUntil(lambda: any(one["status"] for one in questions(tasks, "library_list_documents")))
    tasks.answers["library_list_documents"] = samples.documents
    tasks.connected.emit(a_status())
    qtbot.waitUntil(lambda: page.view.papers.status_box.itemText(0) == "All papers (5)")


def test_a_selected_paper_goes_with_its_project(qtbot: QtBot) -> None:
    page, tasks = _two(qtbot)
    papers = page.view.papers
    papers.view.selectRow(2)
    assert papers.details.isVisible()
    tasks.held = []
    page.list.choose("other")
    assert not papers.details.isVisible()
    assert not papers.actions_.copy.isEnabled()
    _let_go(tasks)
    qtbot.waitUntil(lambda: papers.model.rowCount() == 5)
    assert papers.selected_rows() == []


@pytest.mark.parametrize("action", ["convert", "remove"])
def test_many_papers_are_taken_from_the_project_in_which_they_were_selected(qtbot: QtBot, action: str) -> None:
    page, tasks = _two(
        qtbot,
        3000,
        library_reread_documents={"job_id": "j", "documents": 3000},
        library_remove_documents={"removed": 3000, "notes": []},
    )
    papers = page.view.papers
    papers.view.selectAll()
    tasks.held = []
    getattr(papers.actions_, action).trigger()
    page.list.choose("other")  # the papers that were never seen are still being looked up
    _let_go(tasks)
    if action == "remove":
        qtbot.waitUntil(lambda: papers.actions_.question is not None)
        assert papers.actions_.question is not None
        assert "“thesis”" in papers.actions_.question.text()
        yes(papers.actions_.question)
    verb = {"convert": "library_reread_documents", "remove": "library_remove_documents"}[action]
    qtbot.waitUntil(lambda: bool(questions(tasks, verb)))
    assert questions(tasks, verb)[0]["project"] == "thesis"
    assert questions(tasks, verb)[0]["doc_ids"] == SampleProjects(3000).ids


def test_two_projects_go_one_after_the_other(qtbot: QtBot) -> None:
    page, tasks = _two(qtbot, library_remove_project=removed)
    _run(tasks, "thesis", "other")
    for project in ("thesis", "other"):
        page.list.choose(project)
        qtbot.mouseClick(page.view.remove_button, LEFT)
        yes(page.view.question)
    assert not questions(tasks, "library_remove_project")
    tasks.answers |= {"engine_status": a_status(projects=0), "library_list_projects": projects()}
    for project in ("thesis", "other"):
        tasks.publish({**FINISHED, "job_id": f"j-{project}", "project_id": project, "state": "cancelled"})
    qtbot.waitUntil(lambda: len(questions(tasks, "library_remove_project")) == 2)
    assert [one["project"] for one in questions(tasks, "library_remove_project")] == ["thesis", "other"]


def test_a_project_whose_import_could_not_be_stopped_stays(qtbot: QtBot) -> None:
    refused = CiteLoomError(Code.INTERNAL_ERROR, "It goes on.", "")
    page, tasks = _two(qtbot, engine_cancel_job=refused, library_remove_project=removed)
    _run(tasks, "thesis")
    qtbot.mouseClick(page.view.remove_button, LEFT)
    yes(page.view.question)
    qtbot.waitUntil(lambda: page.banner.message.text() == "It goes on.")
    tasks.answers["engine_status"] = a_status(projects=2, jobs=[])
    tasks.publish({**FINISHED, "job_id": "j-thesis"})
    qtbot.wait(50)
    assert not questions(tasks, "library_remove_project"), "hours later it would surprise"


def test_whoever_removes_a_project_is_not_told_that_there_is_none(qtbot: QtBot) -> None:
    page, tasks = _two(qtbot, library_remove_project=removed)
    show = tasks.answers["library_show_project"]
    tasks.answers |= {
        "library_list_projects": projects("other"),
        "library_show_project": lambda asked: NO_PROJECT if asked["project"] == "thesis" else show(asked),
    }
    qtbot.mouseClick(page.view.remove_button, LEFT)
    yes(page.view.question)
    page.view.load()  # an event of its last import came
    qtbot.waitUntil(lambda: page.view.project == "other")
    assert page.banner.message.text() == "The project “thesis” was removed."


def test_an_answer_that_takes_its_time_is_waited_for_while_an_import_goes_on(qtbot: QtBot) -> None:
    page, tasks = _two(qtbot)
    papers = page.view.papers
    tasks.held = []
    papers.find_field.setText("owls")
    papers._typing.timeout.emit()
    qtbot.waitUntil(lambda: len(tasks.held or []) == 1)
    for _ in range(3):
        papers._refresh.timeout.emit()
        qtbot.wait(10)
    assert len(tasks.held) == 1, "a question that is dropped every second is never answered"
    _let_go(tasks)
    qtbot.waitUntil(lambda: any(one["find"] == "owls" for one in questions(tasks, "library_list_documents")))
    tasks.publish(progress())
    before = len(questions(tasks, "library_list_documents"))
    papers._refresh.timeout.emit()
    qtbot.waitUntil(lambda: len(questions(tasks, "library_list_documents")) > before)


def test_what_is_found_is_shown_from_its_beginning(qtbot: QtBot) -> None:
    page, tasks = _two(qtbot, 5000)
    papers = page.view.papers
    papers.view.scrollToBottom()
    papers.find_field.setText("title")
    qtbot.waitUntil(lambda: any(one["find"] == "title" for one in questions(tasks, "library_list_documents")))
    qtbot.waitUntil(lambda: papers.view.rowAt(0) == 0)
    assert papers.model.index(0, CITEKEY).data() == "key-d000000"


def test_no_name_of_a_project_widens_the_window(qtbot: QtBot) -> None:
    page, tasks = opened(qtbot, SampleProjects(5), "x" * 80)
    qtbot.waitUntil(lambda: page.view.papers.model.rowCount() == 5)
    shown = tasks.answers["library_show_project"]({"project": "x" * 80})
    page.view.sources.changed.emit(replace(shown, references="/" + "y" * 300))
    assert page.minimumSizeHint().width() <= 740
    assert not page.list.view.horizontalScrollBar().isVisible()


def test_a_folder_that_is_gone_is_said(qtbot: QtBot) -> None:
    page, _ = _two(qtbot)
    page.view.papers.view.selectRow(2)
    page.view.papers.actions_.show_in_folder.trigger()
    qtbot.waitUntil(page.banner.isVisible)
    assert page.banner.message.text().startswith("/papers is no longer there.")


def test_the_arrow_keys_lead_through_the_projects(qtbot: QtBot) -> None:
    page, _ = _two(qtbot)
    page.list.view.setFocus()
    qtbot.keyClick(page.list.view, Qt.Key.Key_Down)
    assert page.view.project == "other"


def test_a_project_that_is_being_made_is_not_lost_with_its_dialog(qtbot: QtBot) -> None:
    made = new_project("new", sources=[Source("folder", "/papers")])
    closed = CiteLoomError(Code.ZOTERO_UNAVAILABLE, "Zotero was not found.", "Start it.")
    page, tasks = _two(qtbot, library_add_project=made, importing_zotero_collections=closed)
    page.new_project()
    dialog = page.dialog
    assert dialog is not None
    dialog.name.setText("new")
    tasks.held = []
    qtbot.mouseClick(dialog.yes, LEFT)
    dialog.reject()
    assert dialog.isVisible()
    tasks.answers["library_list_projects"] = projects("thesis", "other", "new")
    _let_go(tasks)
    qtbot.waitUntil(lambda: page.view.project == "new")
    assert [one["project"] for one in questions(tasks, "importing_ingest")] == ["new"]


def test_a_dialog_is_no_larger_than_the_screen(qtbot: QtBot) -> None:
    dialog = QDialog()
    qtbot.addWidget(dialog)
    resize(dialog, 76, 1000)
    assert dialog.height() <= dialog.screen().availableSize().height()
