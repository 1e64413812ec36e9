"""What every page of the window is given."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from citeloom.desktop.shell.engine_status import EngineStatus
from citeloom.desktop.shell.engine_tasks import EngineTasks


class PageContext(QObject):
    """The way to the engine, the overview, and the way to the other pages."""

    go = Signal(str, dict)  # to a page by its name, with what it is to show there: {"project": "thesis"}
    first_run = Signal()  # to the assistant for the first project

    def __init__(self, tasks: EngineTasks, engine_status: EngineStatus, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.tasks = tasks
        self.engine_status = engine_status


class Page(QWidget):
    """A page of the main window. It asks for what it shows when it comes to the front, not before."""

    name = ""  # as PageContext.go knows it
    icon_name = ""

    def __init__(self, context: PageContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.context = context

    def title(self) -> str:
        """Its name in the list of pages."""
        raise NotImplementedError

    def shown(self, what: dict[str, str]) -> None:
        """It came to the front; `what` may name a project."""
