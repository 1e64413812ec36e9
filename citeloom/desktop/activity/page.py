"""The activity page: connected editors, the access log, and imports."""

from __future__ import annotations

from PySide6.QtCore import QTimer
from PySide6.QtGui import QHideEvent, QShowEvent
from PySide6.QtWidgets import QTabWidget, QWidget

from citeloom.desktop.activity.access_log import AccessLogTab
from citeloom.desktop.activity.editors import EditorsTab
from citeloom.desktop.activity.imports import ImportsTab
from citeloom.desktop.shell.page import Page, PageContext
from citeloom.desktop.widgets.basics import GAP, PAGE_MARGINS, heading, named, number
from citeloom.desktop.widgets.layout import column

_REFRESH_MS = 3000


class ActivityPage(Page):
    """Three lists that reload themselves while they are visible."""

    name = "activity"
    icon_name = "activity"

    def __init__(self, context: PageContext, parent: QWidget | None = None) -> None:
        super().__init__(context, parent)
        self.editors = EditorsTab(context)
        self.access_log = AccessLogTab(context)
        self.imports = ImportsTab(context)
        self.tabs = named(QTabWidget(), self.tr("What to show"))
        self.tabs.setDocumentMode(True)
        for part, text in (
            (self.editors, self.tr("Editors")),
            (self.access_log, self.tr("Questions")),
            (self.imports, self.tr("Imports")),
        ):
            self.tabs.addTab(part, text)
        column(heading(self.title()), (self.tabs, 1), of=self, margins=PAGE_MARGINS, spacing=GAP)
        self._timer = QTimer(self, interval=_REFRESH_MS)
        self._timer.timeout.connect(self._refresh)
        self.tabs.currentChanged.connect(lambda _: self._refresh())
        self.editors.counted.connect(lambda count: self._count(0, self.tr("Editors"), count))
        self.imports.counted.connect(lambda count: self._count(2, self.tr("Imports"), count))
        context.engine_status.changed.connect(self._on_engine_status)
        context.tasks.connected.connect(lambda _: self._load_all() if self.isVisible() else None)

    def title(self) -> str:
        return self.tr("Activity")

    def shown(self, target: dict[str, str]) -> None:
        self.context.engine_status.mark_seen()
        self._load_all()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._timer.start()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._timer.stop()

    def _on_engine_status(self) -> None:
        # A problem that occurs while the page is visible is marked as seen at once.
        if self.context.engine_status.current.unseen_problems and self.isVisible() and self.isActiveWindow():
            self.context.engine_status.mark_seen()

    def _load_all(self) -> None:
        self.editors.refresh()
        self.access_log.load()
        self.imports.refresh()

    def _refresh(self) -> None:
        """Reload the lists that no event keeps up to date."""
        self.editors.refresh()
        if self.tabs.currentWidget() is self.access_log:
            self.access_log.model.refresh()

    def _count(self, tab: int, text: str, count: int) -> None:
        shown = self.tr("{part} ({count})").format(part=text, count=number(count)) if count else text
        if shown != self.tabs.tabText(tab):
            self.tabs.setTabText(tab, shown)
