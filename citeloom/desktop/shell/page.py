"""Base class of the pages of the main window, and the context that they share."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from citeloom.desktop.shell.engine_status import EngineStatus
from citeloom.desktop.shell.engine_tasks import EngineTasks


class PageContext(QObject):
    """What every page gets: engine tasks, engine status, and signals that open other pages."""

    open_page = Signal(str, dict)  # open a page by name, with what it is to show: {"project": "thesis"}
    first_run = Signal()  # open the assistant for the first project

    def __init__(self, tasks: EngineTasks, engine_status: EngineStatus, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.tasks = tasks
        self.engine_status = engine_status


class Page(QWidget):
    """A page of the main window. It loads its data when it is shown, not before."""

    name = ""  # the name for PageContext.open_page
    icon_name = ""

    def __init__(self, context: PageContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.context = context

    def title(self) -> str:
        """Return the title in the list of pages."""
        raise NotImplementedError

    def shown(self, target: dict[str, str]) -> None:
        """Called when the page is shown; `target` may name a project."""
