"""The page of projects on an engine that is made up: papers of any number, and the events of an import."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QMessageBox
from pytestqt.qtbot import QtBot

from citeloom.api.library import DocumentPage, DocumentRow, ProjectDetails, RemovedProject
from citeloom.core.types import Coverage, Source
from citeloom.desktop.library.page import ProjectsPage
from citeloom.desktop.shell.page import PageContext
from tests.desktop.fake_engine_tasks import FakeEngineTasks, a_status, fake_context
from tests.desktop.sample_results import details, document_row, projects, summary

LEFT = Qt.MouseButton.LeftButton
MARKUP = "<b>Owls</b> & <img src=x> 🦉 עברית"
_LONG = "wide " * 400


class SampleProjects:
    """A project of any size, as the engine would answer for it."""

    def __init__(self, count: int) -> None:
        self.ids = [f"d{n:06}" for n in range(count)]
        self.failed = 0

    def documents(self, asked: dict[str, Any]) -> DocumentPage:
        """The answer to `ListDocuments`."""
        ids = [] if asked["status"] == "duplicate" else self.ids
        if asked["descending"]:
            ids = ids[::-1]
        part = ids[asked["offset"] : asked["offset"] + asked["limit"]]
        return DocumentPage(
            documents=[_row(one) for one in part],
            count=len(part),
            total=len(ids),
            truncated=False,
            truncated_count=0,
            next_offset=None,
            coverage=self.coverage,
        )

    @property
    def coverage(self) -> Coverage:
        """How much can be searched: all of it but what failed."""
        count, found = len(self.ids), len(self.ids) - self.failed
        return Coverage(count, found, found, pending=0, failed=self.failed, without_file=0)


def _row(doc_id: str) -> DocumentRow:
    title = {"d000000": MARKUP, "d000001": _LONG}.get(doc_id, f"Title of {doc_id}")
    return document_row(doc_id, title=title, reason="<i>why</i>")


def opened(qtbot: QtBot, samples: SampleProjects, *names: str, **more: Any) -> tuple[ProjectsPage, FakeEngineTasks]:
    """The page with projects that all hold the same papers."""

    def show(asked: dict[str, Any]) -> ProjectDetails:
        return details(asked["project"], samples.coverage, sources=[Source("folder", "/papers")])

    answers = {
        "library_list_projects": projects(*names or ("thesis",), coverage=samples.coverage),
        "library_show_project": show,
        "library_list_documents": samples.documents,
        "engine_status": a_status(),
        "importing_ingest": {"job_id": "j1", "state": "queued"},
        "engine_cancel_job": True,
        **more,
    }
    context, tasks = fake_context(**answers)
    return projects_page(qtbot, context), tasks


def projects_page(qtbot: QtBot, context: PageContext) -> ProjectsPage:
    """The page as a person sees it."""
    page = ProjectsPage(context)
    qtbot.addWidget(page)
    page.resize(1000, 700)
    page.show()
    page.activateWindow()  # keys go to the window in front
    page.shown({})
    return page


def removed(asked: dict[str, Any]) -> RemovedProject:
    """The answer to `RemoveProject`."""
    return RemovedProject(**vars(summary(asked["project"])), note=None)


def questions(tasks: FakeEngineTasks, verb: str) -> list[dict[str, Any]]:
    """The arguments of every call of a verb."""
    return [arguments for called, arguments in tasks.asked if called == verb]


def progress(**more: Any) -> dict[str, Any]:
    """The event of an import of `thesis` on its way."""
    counts = {"total": 8, "searchable": 8, "done": 4, "failed": 0, "chunks_written": 3, "file": "/papers/owl.pdf"}
    counts |= {"pages_total": 120, "pages_by_words": 100, "pages_embedded": 80, "pages_waiting": 20}
    more = {"stage": "convert", "page": 2, "pages": 30, "eta_seconds": 400.0, **more}
    return {"type": "JobProgress", "job_id": "j1", "project_id": "thesis", **counts, **more}


FINISHED = {"type": "JobFinished", "job_id": "j1", "project_id": "thesis", "state": "done", "result": {}}


def yes(question: QMessageBox | None) -> None:
    """Agree to what is asked."""
    assert question is not None
    agreed = next(b for b in question.buttons() if question.buttonRole(b) == QMessageBox.ButtonRole.AcceptRole)
    QTest.mouseClick(agreed, LEFT)
