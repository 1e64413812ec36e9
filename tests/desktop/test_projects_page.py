"""The page of projects on the real engine."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent, QGuiApplication
from pytestqt.qtbot import QtBot

from citeloom.api.events import JobFinished
from citeloom.desktop.library.documents_model import CITEKEY, PAGES, STATUS
from citeloom.desktop.library.page import ProjectsPage
from citeloom.desktop.shell.page import PageContext
from tests.desktop.naming import nameless
from tests.desktop.sample_projects import LEFT, projects_page, yes
from tests.flows.steps import four_papers, paper
from tests.support import engine_address

_PATIENCE = 60_000


def _column(page: ProjectsPage, column: int) -> list[str]:
    model = page.view.papers.model
    return [str(model.index(row, column).data()) for row in range(model.rowCount())]


def _make_project(qtbot: QtBot, page: ProjectsPage, name: str, folder: Path | None = None) -> None:
    qtbot.waitUntil(lambda: page.stack.currentWidget() is not page.waiting, timeout=_PATIENCE)
    page.new_project()
    dialog = page.dialog
    assert dialog is not None
    qtbot.keyClicks(dialog.name, name)
    if folder:
        dialog.folders.addItem(str(folder))
    with qtbot.waitSignal(dialog.answered, timeout=_PATIENCE):
        qtbot.mouseClick(dialog.yes, LEFT)
    qtbot.waitUntil(lambda: page.view.project == name, timeout=_PATIENCE)


def _wait_for_papers(qtbot: QtBot, page: ProjectsPage, count: int) -> None:
    def all_read() -> None:
        assert _column(page, STATUS) == ["Searchable"] * count
        assert not page.view.strip.jobs()

    qtbot.waitUntil(all_read, timeout=_PATIENCE)


def _drop(page: ProjectsPage, *places: Path) -> None:
    dropped = QMimeData()
    dropped.setUrls([QUrl.fromLocalFile(str(place)) for place in places])
    at, buttons, keys = QPointF(50, 50), LEFT, Qt.KeyboardModifier.NoModifier
    entering = QDragEnterEvent(at.toPoint(), Qt.DropAction.CopyAction, dropped, buttons, keys)
    page.dragEnterEvent(entering)
    assert entering.isAccepted()
    page.dropEvent(QDropEvent(at, Qt.DropAction.CopyAction, dropped, buttons, keys))


def test_papers_are_listed_sorted_found_and_told_about(qtbot: QtBot, library_home: Path, context: PageContext) -> None:
    page = projects_page(qtbot, context)
    papers = page.view.papers
    qtbot.waitUntil(lambda: papers.model.rowCount() > 5, timeout=_PATIENCE)
    keys = _column(page, CITEKEY)
    assert keys == sorted(keys, key=str.lower)
    assert "papers searchable" in page.view.counts.text()

    header = papers.view.horizontalHeader()
    at = header.sectionViewportPosition(PAGES) + 5
    qtbot.mouseClick(header.viewport(), LEFT, pos=QPoint(at, header.height() // 2))
    qtbot.waitUntil(lambda: _column(page, CITEKEY) != keys, timeout=_PATIENCE)
    pages = [int(number) for number in _column(page, PAGES) if number not in ("", "None")]
    assert pages == sorted(pages)

    qtbot.keyClicks(papers.find_field, "sleep spindles")
    qtbot.waitUntil(lambda: papers.model.rowCount() == 1, timeout=_PATIENCE)
    papers.view.selectRow(0)
    assert "sleep spindle" in papers.details.title.text().lower()
    assert papers.details.lines["file"].text().endswith(".pdf")
    assert papers.actions_.open.isEnabled()

    papers.find_field.clear()
    qtbot.keyClicks(papers.find_field, "no such words at all")
    qtbot.waitUntil(papers._nothing.isVisible, timeout=_PATIENCE)
    qtbot.mouseClick(papers._nothing.buttons[0], LEFT)
    qtbot.waitUntil(lambda: len(_column(page, CITEKEY)) == len(keys), timeout=_PATIENCE)


def test_every_control_has_a_name_for_a_screen_reader(qtbot: QtBot, library_home: Path, context: PageContext) -> None:
    page = projects_page(qtbot, context)
    qtbot.waitUntil(lambda: page.view.papers.model.rowCount() > 5, timeout=_PATIENCE)
    page.new_project()
    assert page.dialog is not None
    assert nameless(page) + nameless(page.dialog) == []
    page.dialog.reject()


def test_a_project_is_made_filled_and_removed(
    qtbot: QtBot, own_home: Path, context: PageContext, tmp_path: Path
) -> None:
    page = projects_page(qtbot, context)
    qtbot.waitUntil(page.first.isVisible, timeout=_PATIENCE)
    folder = tmp_path / "papers"
    four_papers(folder)
    _make_project(qtbot, page, "thesis", folder)
    _wait_for_papers(qtbot, page, 4)

    more, other = paper(tmp_path / "more.md", "On the moss", "It grows."), tmp_path / "song.mp3"
    other.write_bytes(b"la")
    _drop(page, more, other, tmp_path / "gone.pdf")
    _wait_for_papers(qtbot, page, 5)
    assert "1 files or folders are being read." in page.banner.message.text()
    assert "song.mp3: CiteLoom cannot read .mp3." in page.banner.message.text()
    assert "gone.pdf: There is no file or folder" in page.banner.message.text()

    page.view.tabs.setCurrentIndex(1)
    sources = page.view.sources
    qtbot.waitUntil(lambda: sources.list.count() == 2, timeout=_PATIENCE)
    sources.list.setCurrentRow(next(n for n in (0, 1) if sources.list.item(n).text().endswith("more.md")))
    qtbot.mouseClick(sources.remove_button, LEFT)
    yes(sources.question)
    qtbot.waitUntil(lambda: page.view.papers.model.rowCount() == 4 and sources.list.count() == 1, timeout=_PATIENCE)

    built = lambda event: isinstance(event, JobFinished) and event.result["chunks_written"] == 12  # noqa: E731
    with qtbot.waitSignal(context.tasks.event_received, timeout=_PATIENCE, check_params_cb=built):
        qtbot.mouseClick(page.view.rebuild_button, LEFT)
        yes(page.view.question)

    qtbot.mouseClick(page.view.remove_button, LEFT)
    yes(page.view.question)
    qtbot.waitUntil(page.first.isVisible, timeout=_PATIENCE)
    assert len(list(folder.iterdir())) == 4
    assert page.view.project == ""


def test_selected_papers_are_read_again_copied_and_removed(
    qtbot: QtBot, own_home: Path, context: PageContext, tmp_path: Path
) -> None:
    page = projects_page(qtbot, context)
    four_papers(tmp_path / "papers")
    _make_project(qtbot, page, "thesis", tmp_path / "papers")
    _wait_for_papers(qtbot, page, 4)
    papers = page.view.papers
    keys = _column(page, CITEKEY)
    page.activateWindow()
    papers.view.setFocus()
    qtbot.waitUntil(papers.view.hasFocus)
    papers.view.selectAll()

    qtbot.keyClick(papers.view, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    qtbot.waitUntil(lambda: QGuiApplication.clipboard().text() == ", ".join(keys), timeout=_PATIENCE)
    finished = lambda event: isinstance(event, JobFinished)  # noqa: E731
    with qtbot.waitSignal(context.tasks.event_received, check_params_cb=finished, timeout=_PATIENCE):
        papers.actions_.convert.trigger()
    assert "4 papers are being read again." in page.banner.message.text()

    first = papers.view.visualRect(papers.model.index(0, CITEKEY)).center()
    qtbot.mouseClick(papers.view.viewport(), LEFT, pos=first)
    assert papers.selected_rows() == [0]
    qtbot.keyClick(papers.view, Qt.Key.Key_Delete)
    qtbot.waitUntil(lambda: papers.actions_.question is not None, timeout=_PATIENCE)
    yes(papers.actions_.question)
    qtbot.waitUntil(lambda: _column(page, CITEKEY) == keys[1:], timeout=_PATIENCE)
    assert "reads it again" in page.banner.message.text()

    qtbot.mouseClick(page.view.sync_button, LEFT)
    _wait_for_papers(qtbot, page, 4)


def test_a_name_that_the_engine_refuses_is_explained_in_the_dialog(
    qtbot: QtBot, own_home: Path, context: PageContext
) -> None:
    page = projects_page(qtbot, context)
    qtbot.waitUntil(page.first.isVisible, timeout=_PATIENCE)
    page.new_project()
    dialog = page.dialog
    assert dialog is not None
    qtbot.keyClicks(dialog.name, "My <b>thesis</b>")
    qtbot.mouseClick(dialog.yes, LEFT)
    qtbot.waitUntil(lambda: "cannot be a project id" in dialog.banner.message.text(), timeout=_PATIENCE)
    assert dialog.isVisible()
    dialog.name.clear()
    qtbot.keyClicks(dialog.name, "thesis")
    qtbot.mouseClick(dialog.yes, LEFT)
    qtbot.waitUntil(page.view.empty.isVisible, timeout=_PATIENCE)


@pytest.mark.skipif(os.name == "nt", reason="there is no SIGKILL")
def test_the_page_goes_on_when_the_engine_was_killed(
    qtbot: QtBot, own_home: Path, context: PageContext, tmp_path: Path
) -> None:
    page = projects_page(qtbot, context)
    four_papers(tmp_path / "papers")
    _make_project(qtbot, page, "thesis", tmp_path / "papers")
    _wait_for_papers(qtbot, page, 4)
    before = engine_address(own_home)["pid"]
    with qtbot.waitSignal(context.tasks.connected, timeout=_PATIENCE):
        os.kill(before, signal.SIGKILL)
    assert engine_address(own_home)["pid"] != before
    paper(tmp_path / "papers" / "5.md", "On the moss", "It grows.")
    qtbot.mouseClick(page.view.sync_button, LEFT)
    _wait_for_papers(qtbot, page, 5)
