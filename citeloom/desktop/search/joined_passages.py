"""Marks of the passages that a hit joins, on the page that is shown. Used by `page_view`."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject

from citeloom.api.library import GetPageImage, PageImage
from citeloom.api.search import SearchHit
from citeloom.desktop.shell.engine_tasks import Task
from citeloom.desktop.shell.page import PageContext

Marks = list[list[float]]
_NARROW = 200  # pixels of a picture that nobody sees: marks are shares of the page


class JoinedPassages(QObject):
    """Asks where the other passages of a hit stand on the page that is shown."""

    def __init__(self, context: PageContext, found: Callable[[Marks], None], parent: QObject) -> None:
        super().__init__(parent)
        self._context, self._found = context, found
        self._ids: list[str] = []
        self._tasks: list[Task] = []

    def follow(self, hit: SearchHit) -> None:
        """From now on, the parts of this hit but the one that it is known by."""
        self.leave()
        self._ids = [part.chunk_id for part in hit.merged if part.chunk_id != hit.chunk_id]

    def leave(self) -> None:
        """Nobody waits for what was asked."""
        for task in self._tasks:
            task.drop()
        self._tasks = []

    def look(self, project: str, page: int) -> None:
        """Look for all of them on a page; what cannot be found is not marked."""
        self.leave()
        for chunk_id in self._ids:
            request = GetPageImage(project=project, chunk_id=chunk_id, width=_NARROW, page=page)
            task = self._context.tasks.send(self, request, done=self._on_page, failed=lambda error: None)
            self._tasks.append(task)

    def _on_page(self, answer: PageImage) -> None:
        self._found(answer.marks)
