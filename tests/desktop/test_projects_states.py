"""The page of projects in states that a real engine is hard to bring into."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from citeloom.api.library import DocumentPage
from citeloom.core.errors import CiteLoomError, Code
from citeloom.core.types import Source
from citeloom.desktop.library.documents_model import CITEKEY, NOTE, STATUS, TITLE
from citeloom.desktop.library.paged_list import BLOCK
from tests.desktop.fake_engine_tasks import a_status
from tests.desktop.sample_projects import (
    FINISHED,
    LEFT,
    MARKUP,
    SampleProjects,
    opened,
    progress,
    questions,
    removed,
    yes,
)
from tests.desktop.sample_results import document_row, new_project, projects


def test_of_100000_papers_only_those_that_are_looked_at_are_fetched(qtbot: QtBot) -> None:
    page, tasks = opened(qtbot, SampleProjects(100_000))
    model, view = page.view.papers.model, page.view.papers.view
    qtbot.waitUntil(lambda: model.rowCount() == 100_000)
    view.scrollToBottom()
    last = model.index(99_999, CITEKEY)
    assert last.data() is None
    assert model.index(99_999, TITLE).data() == "…"
    qtbot.waitUntil(lambda: last.data() == "key-d099999")
    blocks = {asked["offset"] // BLOCK for asked in questions(tasks, "library_list_documents")}
    assert blocks <= {0, 498, 499}


def test_whoever_scrolls_fast_does_not_wait_for_what_flew_past(qtbot: QtBot) -> None:
    page, tasks = opened(qtbot, SampleProjects(100_000))
    model = page.view.papers.model
    qtbot.waitUntil(lambda: model.rowCount() == 100_000)
    before = len(tasks.asked)
    tasks.held = []
    for row in range(1000, 100_000, 500):
        page.view.papers.view.scrollTo(model.index(row, 0))
        qtbot.wait(1)
    held, tasks.held = tasks.held, None
    for answer in held:
        answer()
    qtbot.waitUntil(lambda: model.index(99_500, CITEKEY).data() == "key-d099500")
    assert len(tasks.asked) - before < 20


def test_a_paper_stays_selected_and_in_its_place_when_others_come_before_it(qtbot: QtBot) -> None:
    samples = SampleProjects(5000)
    page, tasks = opened(qtbot, samples)
    papers = page.view.papers
    qtbot.waitUntil(lambda: papers.model.rowCount() == 5000)
    papers.view.scrollTo(papers.model.index(3000, 0))
    qtbot.waitUntil(lambda: papers.model.index(3000, CITEKEY).data() == "key-d003000")
    papers.view.selectRow(3000)
    qtbot.waitUntil(papers.details.isVisible)
    qtbot.wait(50)
    scrolled = papers.view.verticalScrollBar().value()

    samples.ids = ["a1", "a2", "a3", *samples.ids]
    tasks.publish(progress())
    qtbot.waitUntil(lambda: papers.model.rowCount() == 5003)
    qtbot.waitUntil(lambda: papers.selected_rows() == [3003])
    assert papers.view.verticalScrollBar().value() == scrolled
    assert papers.details.lines["citekey"].text() == "key-d003000"


def test_filter_and_order_stay_while_an_import_goes_on(qtbot: QtBot) -> None:
    page, tasks = opened(qtbot, SampleProjects(300))
    papers = page.view.papers
    qtbot.waitUntil(lambda: papers.model.rowCount() == 300)
    papers.view.sortByColumn(TITLE, Qt.SortOrder.DescendingOrder)
    qtbot.keyClicks(papers.find_field, "title")
    qtbot.waitUntil(lambda: questions(tasks, "library_list_documents")[-1]["find"] == "title")
    papers._refresh.setInterval(3_600_000)
    tasks.publish(progress())
    qtbot.wait(50)
    before = len(tasks.asked)
    for _ in range(5):
        tasks.publish(progress())
        qtbot.wait(5)
    assert not [verb for verb, _ in tasks.asked[before:] if verb == "library_list_documents"]
    papers._refresh.timeout.emit()
    qtbot.waitUntil(lambda: any(verb == "library_list_documents" for verb, _ in tasks.asked[before:]))
    asked = [arguments for verb, arguments in tasks.asked[before:] if verb == "library_list_documents"]
    assert [(one["sort"], one["descending"], one["find"]) for one in asked] == [("title", True, "title")]


def test_another_order_begins_with_its_first_paper_wherever_somebody_was(qtbot: QtBot) -> None:
    page, tasks = opened(qtbot, SampleProjects(5000))
    papers = page.view.papers
    qtbot.waitUntil(lambda: papers.model.rowCount() == 5000)
    papers.view.scrollTo(papers.model.index(3000, 0))
    qtbot.waitUntil(lambda: papers.model.index(3000, CITEKEY).data() == "key-d003000")
    tasks.held = []
    papers.view.sortByColumn(TITLE, Qt.SortOrder.DescendingOrder)
    papers.view.viewport().repaint()
    qtbot.wait(20)
    papers.view.viewport().repaint()
    assert papers.model.index(3000, CITEKEY).data() == "key-d003000"
    held, tasks.held = tasks.held, None
    for answer in held:
        answer()
    qtbot.waitUntil(lambda: papers.model.index(0, CITEKEY).data() == "key-d004999")
    assert {one["offset"] for one in questions(tasks, "library_list_documents") if one["descending"]} == {0}


def test_a_click_on_the_reasons_leaves_the_order_as_it_is(qtbot: QtBot) -> None:
    page, _ = opened(qtbot, SampleProjects(30))
    papers = page.view.papers
    qtbot.waitUntil(lambda: papers.model.rowCount() == 30)
    papers.view.sortByColumn(TITLE, Qt.SortOrder.DescendingOrder)
    papers.view.sortByColumn(NOTE, Qt.SortOrder.AscendingOrder)
    header = papers.view.horizontalHeader()
    assert (header.sortIndicatorSection(), header.sortIndicatorOrder()) == (TITLE, Qt.SortOrder.DescendingOrder)
    assert papers.model.query is not None
    assert papers.model.query.sort == "title"


def test_all_selected_papers_are_removed_also_those_never_seen(qtbot: QtBot) -> None:
    samples = SampleProjects(3000)
    page, tasks = opened(
        qtbot, samples, library_remove_documents={"removed": 3000, "notes": ["They come back.", "They come back."]}
    )
    papers = page.view.papers
    qtbot.waitUntil(lambda: papers.model.rowCount() == 3000)
    papers.view.setFocus()
    qtbot.keyClick(papers.view, Qt.Key.Key_A, Qt.KeyboardModifier.ControlModifier)
    qtbot.keyClick(papers.view, Qt.Key.Key_Delete)
    qtbot.waitUntil(lambda: papers.actions_.question is not None)
    assert not questions(tasks, "library_remove_documents")
    yes(papers.actions_.question)
    qtbot.waitUntil(lambda: bool(questions(tasks, "library_remove_documents")))
    assert questions(tasks, "library_remove_documents") == [{"project": "thesis", "doc_ids": samples.ids}]
    qtbot.waitUntil(lambda: page.banner.message.text().count("They come back.") == 1)


_PLAN = {
    "project": "thesis",
    "removed": [{"citekey": f"k{n}", "title": f"Owl {n}", "source": "s"} for n in range(40)],
    "added": [{"citekey": "", "title": "", "source": "a"}, {"citekey": "", "title": "", "source": "b"}],
    **{"changed": [], "updated": [], "without_file": [], "warnings": []},
    "unchanged": 60,
    "asks": True,
    "problems": [],
}


@pytest.mark.parametrize(("button", "removes"), [("keep", False), ("remove", True)])
def test_before_many_papers_go_the_plan_is_shown(qtbot: QtBot, button: str, removes: bool) -> None:
    page, tasks = opened(qtbot, SampleProjects(100), importing_preview_sync=_PLAN)
    qtbot.waitUntil(lambda: page.view.project == "thesis")
    qtbot.mouseClick(page.view.sync_button, LEFT)
    qtbot.waitUntil(lambda: page.view.importing.plan_dialog is not None)
    dialog = page.view.importing.plan_dialog
    assert dialog is not None
    leaving = dialog.leaving.model()
    assert leaving.rowCount() == 40
    assert leaving.index(3, 0).data() == "k3 · Owl 3"
    assert not questions(tasks, "importing_ingest")
    qtbot.mouseClick(getattr(dialog, button), LEFT)
    qtbot.waitUntil(lambda: bool(questions(tasks, "importing_ingest")))
    assert [one["remove_missing"] for one in questions(tasks, "importing_ingest")] == [removes]


def test_a_plan_that_is_put_off_changes_nothing(qtbot: QtBot) -> None:
    page, tasks = opened(qtbot, SampleProjects(100), importing_preview_sync=_PLAN)
    qtbot.waitUntil(lambda: page.view.project == "thesis")
    page.view.sync()
    qtbot.waitUntil(lambda: page.view.importing.plan_dialog is not None)
    assert page.view.importing.plan_dialog is not None
    page.view.importing.plan_dialog.reject()
    qtbot.wait(50)
    assert not questions(tasks, "importing_ingest")
    assert page.view.sync_button.isEnabled()


def test_one_of_10000_projects_is_found_and_another_page_can_lead_to_one(qtbot: QtBot) -> None:
    page, _ = opened(qtbot, SampleProjects(3), *(f"project-{n}" for n in range(10_000)))
    qtbot.waitUntil(lambda: page.view.project == "project-0")
    qtbot.keyClicks(page.list.find_field, "project-77")
    view = page.list.view
    assert view.model().rowCount() == 111
    assert page.view.project == "project-0"
    qtbot.mouseClick(view.viewport(), LEFT, pos=view.visualRect(view.model().index(1, 0)).center())
    assert page.view.project == "project-770"
    page.shown({"project": "project-9999"})
    assert page.view.project == "project-9999"
    assert view.currentIndex().data() == "project-9999"


def test_markup_and_very_long_titles_are_shown_as_they_are(qtbot: QtBot) -> None:
    page, _ = opened(qtbot, SampleProjects(5))
    papers = page.view.papers
    qtbot.waitUntil(lambda: papers.model.rowCount() == 5)
    assert papers.model.index(0, TITLE).data() == MARKUP
    assert "<b>" not in papers.model.index(0, TITLE).data(Qt.ItemDataRole.ToolTipRole)
    assert "<i>" not in papers.model.index(0, NOTE).data(Qt.ItemDataRole.ToolTipRole)
    papers.view.selectRow(1)
    assert papers.details.title.textFormat() == Qt.TextFormat.PlainText
    assert papers.details.widget().width() <= papers.details.viewport().width()
    papers.view.selectRow(0)
    assert papers.details.title.text() == MARKUP


def test_an_engine_that_is_lost_is_asked_again_when_it_is_back(qtbot: QtBot) -> None:
    page, tasks = opened(qtbot, SampleProjects(5))
    qtbot.waitUntil(lambda: page.view.papers.model.rowCount() == 5)
    samples, show = SampleProjects(6), tasks.answers["library_show_project"]
    gone = CiteLoomError(Code.ENGINE_UNAVAILABLE, "The engine ended.", "It is started again.")
    tasks.answers |= {"library_list_documents": gone, "library_show_project": gone}
    page.view.load()
    qtbot.waitUntil(page.banner.isVisible)
    assert page.banner.message.text().startswith("The engine ended.")
    assert page.view.papers.model.rowCount() == 5
    tasks.answers |= {"library_list_documents": samples.documents, "library_show_project": show}
    tasks.connected.emit(a_status())
    qtbot.waitUntil(lambda: page.view.papers.model.rowCount() == 6)
    assert page.banner.isHidden()


def test_what_was_not_done_is_still_said_when_the_engine_is_back(qtbot: QtBot) -> None:
    gone = CiteLoomError(Code.ENGINE_UNAVAILABLE, "The engine ended.", "Do it again.")
    page, tasks = opened(qtbot, SampleProjects(5), importing_preview_sync=gone)
    qtbot.waitUntil(lambda: page.view.papers.model.rowCount() == 5)
    qtbot.mouseClick(page.view.sync_button, LEFT)
    qtbot.waitUntil(page.banner.isVisible)
    tasks.connected.emit(a_status())
    qtbot.wait(50)
    assert page.banner.message.text().startswith("The engine ended.")
    assert page.banner.isVisible()
    assert page.view.sync_button.isEnabled()


def test_a_project_that_was_removed_elsewhere_leaves_the_list(qtbot: QtBot) -> None:
    page, tasks = opened(qtbot, SampleProjects(5), "thesis", "other")
    qtbot.waitUntil(lambda: page.view.papers.model.rowCount() == 5)
    tasks.answers["library_list_projects"] = projects("other")
    gone = CiteLoomError(Code.INVALID_PROJECT, "There is no project 'thesis'.", "")
    show = tasks.answers["library_show_project"]
    tasks.answers["library_show_project"] = lambda asked: gone if asked["project"] == "thesis" else show(asked)
    page.view.load()
    qtbot.waitUntil(lambda: page.view.project == "other")
    assert "There is no project" in page.banner.message.text()


def test_an_import_is_followed_and_stopped(qtbot: QtBot) -> None:
    page, tasks = opened(qtbot, SampleProjects(8))
    qtbot.waitUntil(lambda: page.view.project == "thesis")
    tasks.answers["engine_status"] = a_status(
        projects=1, jobs=[{"job_id": "j1", "project": "thesis", "state": "running"}]
    )
    strip = page.view.strip
    assert not strip.isVisible()
    tasks.connected.emit(a_status())
    tasks.publish(progress())
    counts = "8 of 8 papers read · 100 of 120 pages found by words, 80 by meaning, 20 waiting for OCR"
    assert strip.stage.text() == f"Reading pages that need OCR or layout analysis … {counts}"
    assert strip.time_left.text() == "about 7 min left"
    assert page.context.engine_status.current.summary() == f"Reading: {counts} · about 7 min left"
    assert strip.file.accessibleName() == "owl.pdf, page 2 of 30"
    assert strip.bar.value() == 750
    qtbot.mouseClick(strip.stop_button, LEFT)
    qtbot.waitUntil(lambda: questions(tasks, "engine_cancel_job") == [{"job_id": "j1"}])
    assert not strip.stop_button.isEnabled()
    tasks.answers["engine_status"] = a_status(projects=1, jobs=[])
    tasks.publish({**FINISHED, "state": "cancelled"})
    assert not strip.isVisible()


def test_an_import_that_waits_says_what_for_and_tells_it_once(qtbot: QtBot) -> None:
    page, tasks = opened(qtbot, SampleProjects(8))
    qtbot.waitUntil(lambda: page.view.project == "thesis")
    tasks.answers["engine_status"] = a_status(
        projects=1, jobs=[{"job_id": "j1", "project": "thesis", "state": "running"}]
    )
    told: list[tuple[str, str, bool]] = []
    page.context.engine_status.notice.connect(lambda *notice: told.append(notice))
    away = {**progress(), "stage": "read", "file": "", "waits_for": "The server is away. Start it."}
    for event in (away, progress(), away):
        tasks.publish(event)
    assert page.view.strip.stage.text().startswith("Waiting: The server is away. Start it. 8 of 8 papers read · 100 of")
    assert not page.view.strip.time_left.text()
    assert page.view.strip.bar.value() == 750, "how far it has come is still shown"
    assert told == [("thesis: an import waits", "The server is away. Start it.", True)]
    qtbot.waitUntil(lambda: page.context.engine_status.current.summary().startswith("Waiting: 8 of 8 papers read · "))


def test_failed_papers_are_tried_again_where_there_are_some(qtbot: QtBot) -> None:
    samples = SampleProjects(8)
    page, tasks = opened(qtbot, samples)
    qtbot.waitUntil(lambda: page.view.papers.model.rowCount() == 8)
    assert not page.view.retry_button.isVisible()
    samples.failed = 2
    page.view.load()
    qtbot.waitUntil(page.view.retry_button.isVisible)
    qtbot.mouseClick(page.view.retry_button, LEFT)
    qtbot.waitUntil(lambda: bool(questions(tasks, "importing_ingest")))
    (asked,) = questions(tasks, "importing_ingest")
    assert (asked["project"], asked["source"], asked["retry_failed"]) == ("thesis", None, True)


def test_papers_that_were_held_back_and_a_failed_import_are_told(qtbot: QtBot) -> None:
    page, tasks = opened(qtbot, SampleProjects(8))
    qtbot.waitUntil(lambda: page.view.project == "thesis")
    tasks.publish({**FINISHED, "result": {"held_back": 12}})
    assert "12 papers are no longer in their sources" in page.banner.message.text()
    error = CiteLoomError(Code.STORAGE_ERROR, "The disk is full.", "Make room.").as_dict()
    tasks.publish({**FINISHED, "state": "failed", "result": {"error": error}})
    assert page.banner.message.text() == "The disk is full. Make room."


def test_a_project_goes_only_when_its_import_has_stopped(qtbot: QtBot) -> None:
    page, tasks = opened(qtbot, SampleProjects(8), library_remove_project=removed)
    qtbot.waitUntil(lambda: page.view.project == "thesis")
    tasks.answers["engine_status"] = a_status(
        projects=1, jobs=[{"job_id": "j1", "project": "thesis", "state": "running"}]
    )
    tasks.publish(progress())
    qtbot.mouseClick(page.view.remove_button, LEFT)
    yes(page.view.question)
    qtbot.waitUntil(lambda: bool(questions(tasks, "engine_cancel_job")))
    assert not questions(tasks, "library_remove_project")
    tasks.answers |= {"engine_status": a_status(projects=0), "library_list_projects": projects()}
    tasks.publish({**FINISHED, "state": "cancelled"})
    qtbot.waitUntil(page.first.isVisible)
    assert questions(tasks, "library_remove_project") == [{"project": "thesis"}]


def test_without_zotero_a_project_can_still_be_made(qtbot: QtBot) -> None:
    closed = CiteLoomError(Code.ZOTERO_UNAVAILABLE, "Zotero was not found.", "Start it.")
    made = new_project("thesis")
    page, tasks = opened(qtbot, SampleProjects(0), importing_zotero_collections=closed, library_add_project=made)
    tasks.answers["library_list_projects"] = projects()
    page.new_project()
    dialog = page.dialog
    assert dialog is not None
    qtbot.waitUntil(lambda: dialog.zotero.problem.message.text() == "Zotero was not found. Start it.")
    assert not dialog.yes.isEnabled()
    qtbot.keyClicks(dialog.name, " thesis ")
    with qtbot.waitSignal(dialog.answered):
        qtbot.mouseClick(dialog.yes, LEFT)
    asked = {"project": "thesis", "folders": [], "zotero": [], "references": None}
    assert questions(tasks, "library_add_project") == [asked]
    assert not questions(tasks, "importing_ingest")


def test_more_of_zotero_is_added_and_read(qtbot: QtBot) -> None:
    collections = [{"key": "AA", "path": "Owls", "name": "Owls", "parent": None, "items": 2, "depth": 0}]
    library = {"id": "library", "name": "My Library", "items": 2, "collections": collections, "searches": []}
    samples = SampleProjects(2)
    page, tasks = opened(qtbot, samples, importing_zotero_collections={"libraries": [library]})
    qtbot.waitUntil(lambda: page.view.project == "thesis")
    tasks.answers["library_allow_sources"] = tasks.answers["library_show_project"]
    page.view.add_button.menu().actions()[0].trigger()
    tree = page.view.dialog.zotero.tree  # type: ignore[union-attr]
    qtbot.waitUntil(lambda: bool(tree.libraries))
    tree.view.setCurrentIndex(tree.view.model().index(0, 0, tree.view.model().index(0, 0)))
    qtbot.keyClick(tree.view, Qt.Key.Key_Space)
    qtbot.mouseClick(page.view.dialog.yes, LEFT)  # type: ignore[union-attr]
    qtbot.waitUntil(lambda: bool(questions(tasks, "importing_ingest")))
    chosen = [{"name": "AA", "library": "library", "recursive": True, "tags": ()}]
    assert questions(tasks, "library_allow_sources") == [{"project": "thesis", "folders": (), "zotero": chosen}]


def test_the_sample_library_is_tried_with_one_click(qtbot: QtBot) -> None:
    made = new_project("sample", sources=[Source("folder", "/papers")])
    page, tasks = opened(qtbot, SampleProjects(2), library_add_project=made, library_list_projects=projects())
    qtbot.waitUntil(page.first.isVisible)
    tasks.answers["library_list_projects"] = projects("sample")
    qtbot.mouseClick(page.first.buttons[2], LEFT)
    qtbot.waitUntil(lambda: page.view.project == "sample")
    asked = questions(tasks, "library_add_project")[0]
    assert Path(asked["references"]).is_file()
    assert any(Path(asked["folders"][0]).iterdir())
    assert [one["project"] for one in questions(tasks, "importing_ingest")] == ["sample"]


@pytest.mark.parametrize(
    ("action", "verb", "said"),
    [
        ("confirm", "library_confirm_claim", "counts as @hartmann2019"),
        ("refuse", "library_refuse_claim", "does not count"),
    ],
)
def test_a_doubtful_paper_says_what_it_claims_and_is_decided_on(
    qtbot: QtBot, action: str, verb: str, said: str
) -> None:
    samples = SampleProjects(2)

    def documents(asked: dict[str, Any]) -> DocumentPage:
        answer = samples.documents(asked)
        claim = {"claimed_citekey": "hartmann2019", "claimed_by": "doi", "citekey": "", "reason": None}
        words = {"without_vector": 2, "reason": None}
        rows = [replace(row, **(claim if row.doc_id == "d000000" else words)) for row in answer.documents]
        return replace(answer, documents=rows)

    page, tasks = opened(qtbot, samples, library_list_documents=documents, **{verb: document_row("d000000")})
    papers = page.view.papers
    qtbot.waitUntil(lambda: papers.model.rowCount() == 2)
    papers.view.selectRow(1)
    assert not papers.actions_.confirm.isEnabled() and not papers.actions_.refuse.isEnabled()
    papers.view.selectRow(0)
    assert papers.model.index(0, STATUS).data() == "Doubtful"
    assert papers.model.index(0, NOTE).data() == "Doubtful: claims to be @hartmann2019"
    assert papers.model.index(1, NOTE).data() == "Found by its words only so far"
    assert "has another file" in papers.details.lines["record"].text()
    with qtbot.waitSignal(papers.actions_.notice) as told:
        getattr(papers.actions_, action).trigger()
    assert said in told.args[0]
    (asked,) = questions(tasks, verb)
    assert (asked["project"], asked["doc_id"], asked.get("citekey")) == ("thesis", "d000000", None)
