"""The search page on the real engine, with the sample library."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication, QTextCursor
from pytestqt.qtbot import QtBot

from citeloom.core.files import open_file
from citeloom.desktop.search.page import SearchPage
from citeloom.desktop.shell.page import PageContext
from tests.desktop.naming import nameless
from tests.support import engine_address, stop_engine

CONTROL, SHIFT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier


@pytest.fixture
def page(library_home: Path, context: PageContext, qtbot: QtBot) -> Iterator[SearchPage]:
    made = SearchPage(context)
    qtbot.addWidget(made)
    made.resize(1000, 700)
    made.show()
    made.shown({})
    _wait(qtbot, lambda: made.bar.project_id() == "sample/library" and made.bar.filters.tag.count() > 0)
    yield made


def test_typing_finds_passages_and_shows_the_page_with_the_passage_marked(page: SearchPage, qtbot: QtBot) -> None:
    _ask(page, qtbot, "street trees heat at night")
    first = page.model.rows[0]
    assert first.citekey == "nakamuraStreetTreesNocturnal2022"
    assert page.coverage.text() == "10 of 10 papers searchable"
    view = page.reader.page
    _wait(qtbot, lambda: not view.canvas.picture.isNull() and bool(view.canvas.marks))
    assert view.position.text() == f"page {first.page_labels[0]} ({first.page_span[0]} of 4)"
    mark = view.canvas.places()[0].center().toPoint()
    assert view.canvas.visibleRegion().contains(mark), "scrolled to the passage"
    colour = view.canvas.grab().toImage().pixelColor(view.canvas.places()[0].topLeft().toPoint())
    assert colour.blue() < 160 < colour.red(), "marked in yellow"
    assert page.reader.passage.toPlainText() == first.full_text
    assert nameless(page) == []


def test_pages_are_turned_and_zoomed_and_come_sharp(page: SearchPage, qtbot: QtBot) -> None:
    _ask(page, qtbot, "street trees heat at night")
    view = page.reader.page
    _wait(qtbot, lambda: bool(view.canvas.marks))
    narrow = view.canvas.picture.width()
    qtbot.keyClick(page, Qt.Key.Key_Plus, CONTROL)
    _wait(qtbot, lambda: view.canvas.picture.width() > narrow)
    assert view.canvas.width() == round(view.canvas.picture.width() / view.devicePixelRatioF())
    qtbot.keyClick(page, Qt.Key.Key_0, CONTROL)
    before = view.position.text()
    button = view.next if view.next.isEnabled() else view.previous
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    _wait(qtbot, lambda: view.position.text() != before and not view.canvas.dimmed)
    assert view.canvas.marks == [] and view.note.isHidden(), "the passage is on the other page"


def test_a_paper_without_pages_is_read_with_what_stands_around(page: SearchPage, qtbot: QtBot) -> None:
    page.bar.filters.author.setEditText("")
    _ask(page, qtbot, "borrowed diligence must not be used too widely")
    row = next(row for row, hit in enumerate(page.model.rows) if hit.source == "reading-notes.md")
    page.hits.setCurrentIndex(page.model.index(row))
    text = page.model.rows[row].full_text
    _wait(qtbot, lambda: len(page.reader.passage.toPlainText()) > len(text))
    assert text in page.reader.passage.toPlainText()
    assert page.reader.page.isHidden() and page.reader.problem.isHidden()
    # Only the passage itself can be quoted with its citation.
    cursor = page.reader.passage.textCursor()
    cursor.select(QTextCursor.SelectionType.Document)
    page.reader.passage.setTextCursor(cursor)
    assert page.reader.passage.selected() == text


def test_filters_narrow_what_is_found_and_say_that_they_do(page: SearchPage, qtbot: QtBot) -> None:
    _ask(page, qtbot, "sleep and memory")
    everything = {hit.year for hit in page.model.rows}
    assert len(everything) > 1
    qtbot.mouseClick(page.bar.filter_button, Qt.MouseButton.LeftButton)
    qtbot.keyClicks(page.bar.filters.year_from, "2021")
    qtbot.keyClicks(page.bar.filters.year_to, "2021")
    _wait(qtbot, lambda: {hit.year for hit in page.model.rows} == {2021})
    assert page.bar.filter_button.text() == "&Filters: 1"
    line = page.bar.filters.author.lineEdit()
    assert line
    qtbot.keyClicks(line, "nobody")
    _wait(qtbot, lambda: page.stack.currentWidget() is page.no_results)
    assert page.coverage.text() == "10 of 10 papers searchable"
    qtbot.mouseClick(page.no_results.buttons[0], Qt.MouseButton.LeftButton)
    _wait(qtbot, lambda: {hit.year for hit in page.model.rows} == everything)
    assert page.bar.filter_button.text() == "&Filters"


def test_every_choice_of_a_filter_finds_something(page: SearchPage, qtbot: QtBot) -> None:
    filters = page.bar.filters
    for field in (filters.author, filters.tag, filters.section):
        _ask(page, qtbot, "what was found")
        before = page.model.rows
        field.setCurrentIndex(field.count() - 1)
        _wait(qtbot, lambda before=before: page.model.rows is not before)
        assert page.model.rows, field.currentText()
        filters.clear()


def test_the_keyboard_leads_to_the_hits_copies_and_opens(
    page: SearchPage, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[str] = []
    monkeypatch.setattr(open_file, "open_uri", lambda uri: opened.append(uri) or (uri, "3"))
    _ask(page, qtbot, "street trees heat at night")
    qtbot.keyClick(page.bar.box, Qt.Key.Key_Down)
    assert page.hits.hasFocus()
    qtbot.keyClick(page.hits, Qt.Key.Key_Down)
    hit = page.model.rows[1]
    qtbot.keyClick(page.hits, Qt.Key.Key_C, CONTROL)
    assert _clipboard() == hit.cite
    assert page.reader.copied.text() == "Citation copied"
    qtbot.keyClick(page, Qt.Key.Key_C, CONTROL | SHIFT)
    assert hit.cite in _clipboard() and _clipboard().startswith("> ")
    qtbot.keyClick(page, Qt.Key.Key_L, CONTROL | SHIFT)
    assert _clipboard() == hit.open_uri
    qtbot.keyClick(page, Qt.Key.Key_B, CONTROL | SHIFT)
    _wait(qtbot, lambda: _clipboard().startswith("@article{"))
    assert hit.citekey in _clipboard()
    qtbot.keyClick(page.hits, Qt.Key.Key_Return)
    _wait(qtbot, lambda: opened == [hit.open_uri])
    qtbot.keyClick(page.hits, Qt.Key.Key_Up)
    qtbot.keyClick(page.hits, Qt.Key.Key_Up)
    assert page.bar.box.hasFocus()


def test_what_is_selected_is_quoted(page: SearchPage, qtbot: QtBot) -> None:
    _ask(page, qtbot, "street trees heat at night")
    cursor = page.reader.passage.textCursor()
    cursor.setPosition(0)
    cursor.movePosition(QTextCursor.MoveOperation.NextWord, QTextCursor.MoveMode.KeepAnchor, 2)
    page.reader.passage.setTextCursor(cursor)
    page.reader.copy_quote.trigger()
    assert _clipboard() == f"“Street trees” {page.model.rows[0].cite}"


def test_an_engine_that_ends_in_the_middle_is_asked_again(page: SearchPage, library_home: Path, qtbot: QtBot) -> None:
    _ask(page, qtbot, "street trees heat at night")
    before = engine_address(library_home)["pid"]
    stop_engine(library_home)
    _ask(page, qtbot, "sleep spindles")
    assert page.model.rows[0].citekey.startswith("okafor")
    assert engine_address(library_home)["pid"] != before


def _ask(page: SearchPage, qtbot: QtBot, question: str) -> None:
    page.bar.box.clear()
    qtbot.keyClicks(page.bar.box, question)
    _wait(qtbot, lambda: page.model.question == question and bool(page.model.rows))


def _wait(qtbot: QtBot, condition: Callable[[], bool]) -> None:
    qtbot.waitUntil(condition, timeout=60_000)


def _clipboard() -> str:
    return QGuiApplication.clipboard().text()
