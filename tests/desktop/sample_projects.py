"""The page of projects on an engine that is made up: papers of any number, and the events of an import."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QMessageBox
from pytestqt.qtbot import QtBot

from citeloom.desktop.library.page import ProjectsPage
from citeloom.desktop.shell.page import PageContext
from tests.desktop.fake_engine_tasks import FakeEngineTasks, a_status, fake_context

LEFT = Qt.MouseButton.LeftButton
MARKUP = "<b>Owls</b> & <img src=x> 🦉 עברית"
_LONG = "wide " * 400


class SampleProjects:
    """A project of any size, as the engine would answer for it."""

    def __init__(self, count: int) -> None:
        self.ids = [f"d{n:06}" for n in range(count)]
        self.failed = 0

    def documents(self, asked: dict[str, Any]) -> dict[str, Any]:
        """The verb `documents`."""
        ids = [] if asked["status"] == "duplicate" else self.ids
        if asked["descending"]:
            ids = ids[::-1]
        part = ids[asked["offset"] : asked["offset"] + asked["limit"]]
        return {"documents": [_row(one) for one in part], "total": len(ids), "coverage": self.coverage}

    @property
    def coverage(self) -> dict[str, int]:
        """How much can be searched: all of it but what failed."""
        count = len(self.ids)
        searchable = count - self.failed
        return {"documents": count, "searchable": searchable, "pending": 0, "failed": self.failed, "without_file": 0}


def _row(doc_id: str) -> dict[str, Any]:
    title = {"d000000": MARKUP, "d000001": _LONG}.get(doc_id, f"Title of {doc_id}")
    return {
        "doc_id": doc_id,
        "citekey": f"key-{doc_id}",
        "title": title,
        "status": "ready",
        "reason": "<i>why</i>",
        "path": f"/papers/{doc_id}.pdf",
        "open_uri": "file:///papers/x.pdf",
        "pages": 3,
        "word_coverage": 1.0,
        "ocr_share": None,
    }


def opened(qtbot: QtBot, samples: SampleProjects, *names: str, **more: Any) -> tuple[ProjectsPage, FakeEngineTasks]:
    """The page with projects that all hold the same papers."""

    def show(asked: dict[str, Any]) -> dict[str, Any]:
        sources = [{"kind": "folder", "path": "/papers", "recursive": True, "label": ""}]
        return {"id": asked["id"], "coverage": samples.coverage, "sources": sources, "references": None}

    answers = {
        "project_list": [{"id": name, "coverage": samples.coverage} for name in names or ("thesis",)],
        "project_show": show,
        "documents": samples.documents,
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


def questions(tasks: FakeEngineTasks, verb: str) -> list[dict[str, Any]]:
    """The arguments of every call of a verb."""
    return [arguments for called, arguments in tasks.asked if called == verb]


def progress(**more: Any) -> dict[str, Any]:
    """The event of an import of `thesis` on its way."""
    counts = {"total": 8, "searchable": 8, "done": 4, "failed": 0, "chunks_written": 3, "file": "/papers/owl.pdf"}
    more = {"stage": "convert", "page": 2, "pages": 30, "eta_seconds": 400.0, **more}
    return {"type": "JobProgress", "job_id": "j1", "project_id": "thesis", **counts, **more}


FINISHED = {"type": "JobFinished", "job_id": "j1", "project_id": "thesis", "state": "done", "result": {}}


def yes(question: QMessageBox | None) -> None:
    """Agree to what is asked."""
    assert question is not None
    agreed = next(b for b in question.buttons() if question.buttonRole(b) == QMessageBox.ButtonRole.AcceptRole)
    QTest.mouseClick(agreed, LEFT)
