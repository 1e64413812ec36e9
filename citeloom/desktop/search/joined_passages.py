"""Marks of the other passages of a merged hit on the current page. Used by `page_view`."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject

from citeloom.api.library import GetPageImage, PageImage
from citeloom.api.search import SearchHit
from citeloom.desktop.shell.engine_tasks import Task
from citeloom.desktop.shell.page import PageContext

Marks = list[list[float]]
_WIDTH = 200  # pixels of an image that is not shown: marks are fractions of the page


class JoinedPassages(QObject):
    """Requests the marks of a hit's other passages on the current page."""

    def __init__(self, context: PageContext, on_marks: Callable[[Marks], None], parent: QObject) -> None:
        super().__init__(parent)
        self._context, self._on_marks = context, on_marks
        self._ids: list[str] = []
        self._tasks: list[Task] = []

    def follow(self, hit: SearchHit) -> None:
        """Set the hit: its merged passages except the one that it is identified by."""
        self.drop_requests()
        self._ids = [part.chunk_id for part in hit.merged if part.chunk_id != hit.chunk_id]

    def drop_requests(self) -> None:
        """Drop pending requests."""
        for task in self._tasks:
            task.drop()
        self._tasks = []

    def locate(self, project: str, page: int) -> None:
        """Request the marks of all passages on a page; passages that are not found have none."""
        self.drop_requests()
        for chunk_id in self._ids:
            request = GetPageImage(project=project, chunk_id=chunk_id, width=_WIDTH, page=page)
            task = self._context.tasks.send(self, request, done=self._on_page, failed=lambda error: None)
            self._tasks.append(task)

    def _on_page(self, answer: PageImage) -> None:
        self._on_marks(answer.marks)
