"""The search page in states that a real engine is hard to bring into."""

from __future__ import annotations

import base64
from dataclasses import replace
from typing import Any

import pytest
from PySide6.QtCore import QBuffer, QIODevice, Qt
from PySide6.QtGui import QColor, QImage, QTextDocument
from pytestqt.qtbot import QtBot

from citeloom.api.library import ProjectSummary
from citeloom.api.search import PassageReference, SearchHit
from citeloom.core.errors import CiteLoomError, Code
from citeloom.desktop.search.hits_model import BADGE, META
from citeloom.desktop.search.page import SearchPage
from tests.desktop.fake_engine_tasks import FakeEngineTasks, a_status, fake_context
from tests.desktop.naming import nameless
from tests.desktop.sample_results import summary
from tests.sample_results import COVERAGE, neighbour, passage_result, search_hit
from tests.sample_results import query_result as found

PROJECT = summary("thesis", COVERAGE)
FACETS = {
    "years": [1998, 2023],
    "authors": ["Okafor, Ada"],
    "tags": ["moths", "Tiere"],
    "collections": [],
    "sections": [],
}
LOST = CiteLoomError(Code.ENGINE_UNAVAILABLE, "The engine ended.", "It is started again.")


def listed(*projects: ProjectSummary) -> list[ProjectSummary]:
    return list(projects)


def a_hit(number: int = 1, **other: Any) -> SearchHit:
    text = f"Moths fly {number} times."
    return search_hit(**{"chunk_id": f"p{number}", "render_text": text, "full_text": text, **other})


def a_picture(**other: Any) -> dict[str, Any]:
    paper = QImage(300, 400, QImage.Format.Format_RGB32)
    paper.fill(QColor("white"))
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    paper.save(buffer, "PNG")
    png = base64.b64encode(bytes(buffer.data().data())).decode()
    return {
        "page": 3, "label": "33", "pages": 5, "png": png, "width": 300, "height": 400,
        "marks": [[0.1, 0.2, 0.9, 0.25]], "found": True, "pending": False, "text_source": "native",
    } | other  # fmt: skip


def opened(qtbot: QtBot, **answers: Any) -> tuple[SearchPage, FakeEngineTasks]:
    usual = {
        "library_list_projects": listed(PROJECT),
        "search_facets": FACETS,
        "search_query": found(a_hit()),
        "library_page_image": a_picture(),
    }
    context, tasks = fake_context(**{**usual, **answers})
    page = SearchPage(context)
    qtbot.addWidget(page)
    page.resize(900, 600)
    page.show()
    page.shown({})
    qtbot.waitUntil(lambda: page.stack.currentWidget() is not page.waiting or bool(page.banner.message.text()))
    return page, tasks


def ask(page: SearchPage, qtbot: QtBot, question: str = "moths") -> None:
    page.bar.box.setText(question)
    qtbot.keyClick(page.bar.box, Qt.Key.Key_Return)


def test_without_a_project_the_way_to_make_one_is_shown(qtbot: QtBot) -> None:
    page, _ = opened(qtbot, library_list_projects=listed())
    assert page.stack.currentWidget() is page.no_project
    with qtbot.waitSignal(page.context.first_run):
        qtbot.mouseClick(page.no_project.buttons[0], Qt.MouseButton.LeftButton)
    ask(page, qtbot)  # typing is harmless
    assert page.stack.currentWidget() is page.no_project
    assert nameless(page) == []


def test_before_the_first_question_examples_from_the_projects_own_tags_can_be_tried(qtbot: QtBot) -> None:
    page, tasks = opened(qtbot)
    qtbot.waitUntil(lambda: len(page.welcome.buttons) == 2)
    assert page.stack.currentWidget() is page.welcome
    qtbot.mouseClick(page.welcome.buttons[0], Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: bool(page.model.rows))
    assert page.bar.box.text() == "What is known about moths?"
    assert tasks.asked[-1][0] in ("search_query", "library_page_image")


def test_only_the_last_question_is_answered(qtbot: QtBot) -> None:
    page, tasks = opened(qtbot, search_query=lambda args: found(a_hit(title=args["text"])))
    tasks.held = []
    ask(page, qtbot, "old")
    ask(page, qtbot, "new")
    for answer in tasks.held:
        answer()
    qtbot.waitUntil(lambda: bool(page.model.rows))
    assert page.model.rows[0].title == "new"
    assert [args["text"] for verb, args in tasks.asked if verb == "search_query"] == ["new"]


def test_typing_on_keeps_the_chosen_hit_and_does_not_draw_its_page_anew(qtbot: QtBot) -> None:
    page, tasks = opened(qtbot, search_query=lambda args: found(a_hit(len(args["text"]) + 1), a_hit(2)))
    ask(page, qtbot, "moth")
    qtbot.waitUntil(lambda: bool(page.model.rows))
    page.hits.setCurrentIndex(page.model.index(1))
    qtbot.waitUntil(lambda: bool(page.reader.page.canvas.marks))
    drawn = sum(verb == "library_page_image" for verb, _ in tasks.asked)
    ask(page, qtbot, "moths")
    qtbot.waitUntil(lambda: page.model.question == "moths")
    assert page.hits.currentIndex().row() == 1
    qtbot.wait(200)
    assert sum(verb == "library_page_image" for verb, _ in tasks.asked) == drawn


def test_what_cannot_be_searched_is_always_said(qtbot: QtBot) -> None:
    since = replace(COVERAGE, searchable=8, by_meaning=5, failed=2)
    page, _ = opened(qtbot, search_query=found(coverage=since))
    assert page.coverage.text() == "9 of 10 papers searchable, 1 could not be read"
    ask(page, qtbot)
    qtbot.waitUntil(lambda: page.stack.currentWidget() is page.no_results)
    assert page.coverage.text() == "8 of 10 papers searchable, 3 by words only so far, 2 could not be read"
    assert "8 papers were searched" in page.no_results.message.text()
    assert page.no_results.buttons[0].isHidden(), "there is no filter to leave out"
    with qtbot.waitSignal(page.context.open_page) as gone:
        qtbot.mouseClick(page.papers_button, Qt.MouseButton.LeftButton)
    assert gone.args == ["projects", {"project": "thesis"}]


def test_a_project_without_words_is_searched_by_meaning_and_the_choice_comes_back(qtbot: QtBot) -> None:
    projects = listed(PROJECT, replace(PROJECT, id="plain", hybrid_enabled=False))
    page, tasks = opened(qtbot, library_list_projects=projects)
    page.bar.project.setCurrentIndex(1)
    assert page.bar.mode_box.currentText() == "Meaning only"
    assert "meaning only" in page.bar.mode_box.toolTip()
    ask(page, qtbot)
    qtbot.waitUntil(lambda: any(verb == "search_query" for verb, _ in tasks.asked))
    assert next(args for verb, args in tasks.asked if verb == "search_query")["hybrid"] is False
    page.bar.project.setCurrentIndex(0)
    assert page.bar.mode_box.currentText() == "Meaning and words" and page.bar.mode_box.toolTip() == ""


def test_an_engine_that_is_lost_is_said_and_asked_again_when_it_is_back(qtbot: QtBot) -> None:
    page, tasks = opened(qtbot, library_list_projects=LOST, search_query=LOST)
    qtbot.waitUntil(page.banner.isVisible)
    assert page.stack.currentWidget() is page.waiting
    page.bar.box.setText("moths")
    tasks.answers.update(library_list_projects=listed(PROJECT), search_query=found(a_hit()), library_page_image=LOST)
    tasks.connected.emit(a_status())
    qtbot.waitUntil(lambda: bool(page.model.rows) and page.banner.isHidden())
    qtbot.waitUntil(lambda: tasks.asked[-1][0] == "library_page_image")
    tasks.answers["library_page_image"] = a_picture()
    tasks.connected.emit(a_status())
    qtbot.waitUntil(lambda: bool(page.reader.page.canvas.marks))


def test_a_project_that_is_gone_gives_way_to_the_one_that_is_left(qtbot: QtBot) -> None:
    page, tasks = opened(qtbot, library_list_projects=listed(replace(PROJECT, id="gone"), PROJECT))
    tasks.answers["library_list_projects"] = listed(PROJECT)
    gone = CiteLoomError(Code.INVALID_PROJECT, "There is no project 'gone'.")
    tasks.answers["search_query"] = lambda args: gone if args["project"] == "gone" else found(a_hit())
    ask(page, qtbot)
    qtbot.waitUntil(lambda: bool(page.model.rows))
    assert page.bar.project_id() == "thesis"


def test_a_search_that_fails_leaves_no_answer_to_another_question(qtbot: QtBot) -> None:
    page, tasks = opened(qtbot)
    ask(page, qtbot)
    qtbot.waitUntil(lambda: bool(page.model.rows))
    tasks.answers["search_query"] = CiteLoomError(Code.EMBEDDING_MISMATCH, "Another model.", "Rebuild it.")
    ask(page, qtbot, "beetles")
    qtbot.waitUntil(page.banner.isVisible)
    assert page.banner.message.text() == "Another model. Rebuild it."
    assert page.model.rows == () and page.stack.currentWidget() is page.no_results


@pytest.mark.parametrize(
    ("picture", "note"),
    [
        (a_picture(found=False, marks=[]), "could not be determined"),
        (a_picture(page=4, found=False, marks=[]), ""),
        (a_picture(), ""),
    ],
    ids=["not found", "another page", "found"],
)
def test_a_place_that_could_not_be_marked_is_said(qtbot: QtBot, picture: dict[str, Any], note: str) -> None:
    page, _ = opened(qtbot, library_page_image=picture)
    ask(page, qtbot)
    view = page.reader.page
    qtbot.waitUntil(lambda: not view.canvas.picture.isNull())
    assert view.note.isVisible() == bool(note) and (note in view.note.text())


def test_neighbours_shown_as_one_are_marked_together_and_the_same_elsewhere_is_named(qtbot: QtBot) -> None:
    def draw(asked: dict[str, Any]) -> dict[str, Any]:
        here = {"p1": 3, "p2": 4}[asked["chunk_id"]]
        page = asked["page"] or here
        return a_picture(page=page, found=page == here, marks=[[0.1, 0.2, 0.9, 0.25]] if page == here else [])

    merged = (PassageReference("p1", "[@okafor2021, p. 33]"), PassageReference("p2", "[@okafor2021, p. 34]"))
    also = (PassageReference("x", "[@okafor2020, p. 2]"),) * 2
    hits = found(a_hit(page_span=(3, 4), merged=merged, also_in=also))
    page, _ = opened(qtbot, library_page_image=draw, search_query=hits)
    ask(page, qtbot)
    view = page.reader.page
    qtbot.waitUntil(lambda: len(view.canvas.marks) == 1)
    assert page.reader.also.isVisible() and page.reader.also.text() == "Also in [@okafor2020, p. 2]"
    qtbot.mouseClick(view.next, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: view.position.text().endswith("4 of 5)") and len(view.canvas.marks) == 1)
    assert not view.note.isVisible(), "the other part stands here, and is marked"
    after = (neighbour("Twice.", "p2"), neighbour("Moths fly 9 times.", "p9"))
    page.reader._show_surroundings(passage_result(before=(neighbour("Moths fly 1 times.", "p1"),), after=after))
    assert "Twice." not in page.reader.passage.toPlainText() and "fly 9" in page.reader.passage.toPlainText()


def test_the_page_fits_a_window_that_became_smaller_while_another_page_was_shown(qtbot: QtBot) -> None:
    page, _ = opened(qtbot)
    ask(page, qtbot)
    view = page.reader.page
    qtbot.waitUntil(lambda: not view.canvas.picture.isNull())
    page.hide()
    page.resize(620, 500)
    page.show()
    qtbot.waitUntil(lambda: view.canvas.width() <= view.scroll_area.viewport().width())


def test_a_scan_is_shown_first_and_marked_when_its_words_have_been_found(qtbot: QtBot) -> None:
    def draw(args: dict[str, Any]) -> dict[str, Any]:
        return a_picture() if args.get("recognise") else a_picture(pending=True, found=False, marks=[])

    page, tasks = opened(qtbot, library_page_image=draw, search_query=found(a_hit(text_source="ocr")))
    ask(page, qtbot)
    qtbot.waitUntil(lambda: bool(page.reader.page.canvas.marks))
    assert [args["recognise"] for verb, args in tasks.asked if verb == "library_page_image"][:2] == [False, True]
    assert page.model.index(0).data(BADGE) == "OCR"


def test_a_hit_found_by_its_words_alone_says_so_beside_its_score(qtbot: QtBot) -> None:
    hits = (a_hit(), a_hit(2, by_words_only=True), a_hit(3, by_words_only=True, text_source="ocr"))
    page, _ = opened(qtbot, search_query=found(*hits))
    ask(page, qtbot)
    qtbot.waitUntil(lambda: page.model.rowCount() == 3)
    assert [page.model.index(row).data(BADGE) for row in range(3)] == ["", "By words only", "OCR · By words only"]


def test_what_an_agent_stored_says_so_and_cannot_be_cited(qtbot: QtBot) -> None:
    forged = a_hit(text_source="agent", cite=None, citekey="", claimed_citekey="okafor2021")
    also = (PassageReference("p2", None),)
    page, _ = opened(qtbot, search_query=found(forged, a_hit(2, also_in=also)))
    ask(page, qtbot)
    qtbot.waitUntil(lambda: page.model.rowCount() == 2)
    assert page.model.index(0).data() == "Doubtful: claims to be @okafor2021"
    assert page.model.index(0).data(BADGE) == "Agent"
    reader = page.reader
    assert not any(action.isEnabled() for action in (reader.copy_cite, reader.copy_quote, reader.copy_bibtex))
    page.hits.setCurrentIndex(page.model.index(1))
    assert reader.copy_cite.isEnabled() and not reader.also.isVisible()


def test_a_file_that_is_gone_leaves_the_words_and_says_why(qtbot: QtBot) -> None:
    around = passage_result(before=(neighbour("Before.", "b"),), after=(neighbour("After.", "a"),))
    gone = CiteLoomError(Code.FILE_NOT_FOUND, "paper.pdf is no longer there.", "Put it back.")
    page, _ = opened(qtbot, library_page_image=gone, search_get_passage=around)
    ask(page, qtbot)
    qtbot.waitUntil(lambda: page.reader.passage.toPlainText() == "Before.\n\nMoths fly 1 times.\n\nAfter.")
    assert page.reader.problem.text() == "paper.pdf is no longer there. Put it back." and page.reader.page.isHidden()
    cursor = page.reader.passage.textCursor()
    cursor.setPosition(3)
    cursor.setPosition(0, cursor.MoveMode.KeepAnchor)
    page.reader.passage.setTextCursor(cursor)
    page.reader.copied.clear()
    page.reader.copy_quote.trigger()
    assert "within the marked passage" in page.reader.copied.text()


@pytest.mark.parametrize(
    ("pages", "verb"), [(None, "search_get_passage"), ((3, 3), "library_page_image")], ids=["words", "page"]
)
def test_what_belongs_to_one_passage_never_stands_beside_another(
    qtbot: QtBot, pages: tuple[int, int] | None, verb: str
) -> None:
    around = passage_result(before=(neighbour("Before the first.", "b"),))
    page, tasks = opened(qtbot, search_query=found(a_hit(1, page_span=pages), a_hit(2)), search_get_passage=around)
    tasks.held = []
    ask(page, qtbot)
    tasks.held.pop()()
    qtbot.waitUntil(lambda: len(tasks.held or []) == 1)  # what belongs to the first has been asked for
    page.hits.setCurrentIndex(page.model.index(1))
    tasks.held.pop()()
    qtbot.waitUntil(lambda: len(tasks.held or []) == 1)  # the page of the second
    assert page.reader.passage.toPlainText() == "Moths fly 2 times."
    assert verb not in [asked for asked, _ in tasks.asked], "what nobody waits for is not even asked"


def test_whatever_a_library_holds_is_painted_as_it_is(qtbot: QtBot) -> None:
    names = ["😀 <b>Élan</b> & עברית " + "x" * 2000, "", "قواعد البيانات"]
    hits = [
        a_hit(
            number, title=name, render_text=name * 3, full_text=name * 3, authors=(name,), year=None, page_span=None,
            page_labels=(), section_path=(name,) * 9, cite=f"[@{name}]", citekey=name, open_uri=None, score=number,
        )
        for number, name in enumerate(names)
    ]  # fmt: skip
    projects = listed(*(replace(PROJECT, id=f"{name} {number}") for number in range(3000) for name in names))
    answers = {"library_list_projects": projects, "search_get_passage": passage_result()}
    page, _ = opened(qtbot, search_query=found(*hits), **answers)
    ask(page, qtbot, "😀 élan <b>")
    qtbot.waitUntil(lambda: len(page.model.rows) == 3)
    for row in range(3):
        page.hits.setCurrentIndex(page.model.index(row))
        assert page.grab().width() > 0
        assert not page.reader.open_button.isEnabled()
    assert "<b>" not in page.bar.project.toolTip()
    assert page.width() == 900, "no name widens the window"
    assert page.minimumSizeHint().width() <= 740


def test_a_hit_says_its_printed_page_and_its_place_in_the_file(qtbot: QtBot) -> None:
    page, _ = opened(qtbot, search_query=found(a_hit(), a_hit(2, page_span=(3, 4), page_labels=("3", "4"))))
    ask(page, qtbot)
    qtbot.waitUntil(lambda: len(page.model.rows) == 2)
    assert page.model.index(0).data(META) == "Okafor 2021 · page 33 (PDF: 3) · 2 Methods › Traps"
    assert page.model.index(1).data(META) == "Okafor 2021 · pages 3–4 · 2 Methods › Traps"
    assert page.reader.open_button.text() == "Open in Zotero"


def test_years_may_be_given_the_wrong_way_round_and_a_part_of_a_tag_is_enough(qtbot: QtBot) -> None:
    page, tasks = opened(qtbot)
    filters = page.bar.filters
    qtbot.waitUntil(lambda: filters.tag.count() == 2)
    qtbot.keyClicks(filters.year_from, "2021x")
    qtbot.keyClicks(filters.year_to, "1999")
    filters.tag.setEditText("MOTHS")
    assert filters.filters() == {"year": {"$gte": 1999, "$lte": 2021}, "tags": "moths"}
    filters.tag.setEditText("mot")
    assert filters.filters()["tags"] == {"$contains": "mot"}
    asked = len(tasks.asked)
    finished = {"type": "JobFinished", "job_id": "j", "project_id": "thesis", "state": "done", "result": {}}
    tasks.publish(finished)
    qtbot.waitUntil(lambda: "search_facets" in [verb for verb, _ in tasks.asked[asked:]])
    assert filters.filters()["tags"] == {"$contains": "mot"}, "new choices do not undo a filter"
    filters.clear_button.click()
    assert filters.filters() == {} and not filters.clear_button.isEnabled()


def test_a_scan_stays_on_the_screen_when_its_words_cannot_be_found(qtbot: QtBot) -> None:
    broken = CiteLoomError(Code.CONVERSION_FAILED, "The recognition failed.", "")

    def draw(args: dict[str, Any]) -> Any:
        return broken if args.get("recognise") else a_picture(pending=True, found=False, marks=[])

    page, tasks = opened(qtbot, library_page_image=draw, search_query=found(a_hit(text_source="ocr")))
    ask(page, qtbot)
    view = page.reader.page
    qtbot.waitUntil(lambda: "could not be determined" in view.note.text())
    assert view.isVisible() and not view.canvas.picture.isNull()
    assert "search_get_passage" not in [verb for verb, _ in tasks.asked]


def test_the_words_of_a_scan_are_looked_for_again_when_the_engine_is_back(qtbot: QtBot) -> None:
    def draw(args: dict[str, Any]) -> Any:
        return LOST if args.get("recognise") else a_picture(pending=True, found=False, marks=[])

    page, tasks = opened(qtbot, library_page_image=draw, search_query=found(a_hit(text_source="ocr")))
    ask(page, qtbot)
    qtbot.waitUntil(lambda: any(args.get("recognise") for _, args in tasks.asked))
    tasks.answers["library_page_image"] = a_picture()
    tasks.connected.emit(a_status())
    qtbot.waitUntil(lambda: bool(page.reader.page.canvas.marks))
    assert page.reader.page.note.isHidden()


def test_going_through_the_filters_without_changing_one_searches_nothing_anew(qtbot: QtBot) -> None:
    page, tasks = opened(qtbot)
    ask(page, qtbot)
    qtbot.waitUntil(lambda: bool(page.model.rows))
    page.bar.filter_button.click()
    before = [args for verb, args in tasks.asked if verb == "search_query"]
    page.bar.filters.year_from.setFocus()
    qtbot.keyClick(page.bar.filters.year_from, Qt.Key.Key_Tab)
    qtbot.keyClick(page.bar.filters.year_to, Qt.Key.Key_Return)
    qtbot.wait(400)
    assert [args for verb, args in tasks.asked if verb == "search_query"] == before


def test_the_first_project_can_be_searched_as_soon_as_it_is_read(qtbot: QtBot) -> None:
    page, tasks = opened(qtbot, library_list_projects=listed())
    tasks.answers["library_list_projects"] = listed(PROJECT)
    tasks.publish({"type": "JobQueued", "job_id": "j", "project_id": "thesis"})
    qtbot.waitUntil(lambda: page.bar.project_id() == "thesis")


def test_a_question_for_another_project_is_not_asked_of_the_one_that_was_chosen(qtbot: QtBot) -> None:
    page, tasks = opened(qtbot, library_list_projects=listed(PROJECT, replace(PROJECT, id="other")))
    page.shown({"project": "other", "question": "moths"})
    qtbot.waitUntil(lambda: bool(page.model.rows))
    assert {args["project"] for verb, args in tasks.asked if verb == "search_query"} == {"other"}


def test_whoever_is_choosing_a_project_is_not_disturbed_when_they_are_counted_again(qtbot: QtBot) -> None:
    counted = replace(COVERAGE, searchable=10, by_meaning=10, failed=0)
    page, tasks = opened(qtbot, library_list_projects=listed(PROJECT, replace(PROJECT, id="other")))
    names = page.bar.project.view()
    page.bar.project.showPopup()
    names.setCurrentIndex(names.model().index(1, 0))
    other = replace(PROJECT, id="other")
    tasks.answers["library_list_projects"] = listed(replace(PROJECT, coverage=counted), other)
    page.shown({})
    qtbot.waitUntil(lambda: page.coverage.text() == "10 of 10 papers searchable")
    assert names.isVisible() and names.currentIndex().row() == 1
    page.bar.project.hidePopup()


def test_what_was_read_while_another_page_was_shown_can_be_filtered_by(qtbot: QtBot) -> None:
    page, tasks = opened(qtbot, search_facets={**FACETS, "tags": []})
    qtbot.waitUntil(lambda: page.bar.filters.author.count() == 1)
    page.hide()
    tasks.answers["search_facets"] = FACETS
    page.show()
    page.shown({})
    qtbot.waitUntil(lambda: page.bar.filters.tag.count() == 2)


def test_the_whole_of_a_long_title_is_shown_as_it_is(qtbot: QtBot) -> None:
    title = "Moths & light " * 20
    page, _ = opened(qtbot, search_query=found(a_hit(title=title)))
    ask(page, qtbot)
    qtbot.waitUntil(lambda: bool(page.reader.title.text()))
    tip = page.reader.title.toolTip()
    assert tip.startswith("<p>"), "else Qt would show its &amp; as such"
    shown = QTextDocument()
    shown.setHtml(tip)
    assert shown.toPlainText() == title.strip()


def test_a_page_that_cannot_be_had_any_larger_stays_as_it_is(qtbot: QtBot) -> None:
    page, tasks = opened(qtbot)
    ask(page, qtbot)
    view = page.reader.page
    qtbot.waitUntil(lambda: bool(view.canvas.marks))
    tasks.answers["library_page_image"] = CiteLoomError(Code.CONVERSION_FAILED, "It took too long.", "")
    before = len(tasks.asked)
    view.larger.click()
    qtbot.waitUntil(lambda: len(tasks.asked) > before)
    qtbot.wait(50)
    assert view.isVisible() and view.canvas.marks and page.reader.problem.isHidden()


def test_the_words_of_one_scan_after_the_other_are_looked_for(qtbot: QtBot) -> None:
    def draw(args: dict[str, Any]) -> dict[str, Any]:
        return a_picture() if args.get("recognise") else a_picture(pending=True, found=False, marks=[])

    page, tasks = opened(qtbot, library_page_image=draw, search_query=found(a_hit(1), a_hit(2)))

    def let_one_go() -> None:
        qtbot.waitUntil(lambda: bool(tasks.held))
        assert tasks.held
        tasks.held.pop()()

    tasks.held = []
    ask(page, qtbot)
    for _ in ("search_query", "library_page_image", "its picture"):
        let_one_go()
    qtbot.waitUntil(lambda: bool(tasks.held))
    first = tasks.held.pop()  # takes the engine seconds
    page.hits.setCurrentIndex(page.model.index(1))
    for _ in ("library_page_image", "its picture"):
        let_one_go()
    qtbot.wait(50)
    assert tasks.held == [], "two of them would leave no way to the engine for anything else"
    first()
    for _ in ("library_page_image", "its picture"):
        let_one_go()
    qtbot.waitUntil(lambda: bool(page.reader.page.canvas.marks))
    assert [args["chunk_id"] for _, args in tasks.asked if args.get("recognise")] == ["p1", "p2"]
