"""Step 5 of the assistant: creates the project and shows the progress of its first import."""

from __future__ import annotations

from PySide6.QtCore import Signal

from citeloom.api.events import Event, JobFinished
from citeloom.api.importing import Ingest, import_result
from citeloom.api.library import ProjectDetails, ShowProject
from citeloom.core.errors import CiteLoomError, Code
from citeloom.desktop.first_run.step import FirstRunChoices, Step
from citeloom.desktop.library.job_strip import JobStrip
from citeloom.desktop.shell.page import PageContext
from citeloom.desktop.widgets import basics
from citeloom.desktop.widgets.layout import Stretch, add, row

_MAX_PROBLEMS = 5  # in the banner


class ReadingStep(Step):
    """Creates the project, starts the import, and shows its progress."""

    name_rejected = Signal(str)
    page_requested = Signal()  # the user opens another page

    def __init__(self, context: PageContext, choices: FirstRunChoices) -> None:
        super().__init__(context, choices)
        self.project = ""  # the project, once it was created
        self._disconnected = False  # the engine was lost meanwhile
        self._asking = self._stale = False  # whether the coverage is being requested; whether it has changed since
        self.strip = JobStrip(context)
        self.banner = basics.Banner()
        self.coverage = basics.CoverageBar()
        self.counts = basics.text(muted=True)
        self.next = basics.text(self.tr("Meanwhile:"), bold=True)
        self.connect_button = basics.button(
            self.tr("&Connect an editor"), lambda: self._go("connect"), icon_name="connect"
        )
        self.search_button = basics.button(self.tr("S&earch now"), lambda: self._go("search"), icon_name="search")
        add(
            self.inside,
            self.banner,
            self.strip,
            self.coverage,
            self.counts,
            basics.GAP,
            self.next,
            row(self.connect_button, self.search_button, Stretch()),
            Stretch(),
        )
        context.engine_status.changed.connect(self._on_engine_status)
        context.tasks.event_received.connect(self._on_event)
        context.tasks.connected.connect(self._on_connected)

    def on_enter(self) -> None:
        self.title.setText(self.tr("Creating the project …"))
        self.message.setText("")
        self._offer(False)
        if self.project:
            self._start_import(None)
        else:
            self.context.tasks.send(self, self.choices.request(), done=self._start_import, failed=self._on_refused)

    def _offer(self, ready: bool) -> None:
        for part in (self.next, self.connect_button, self.search_button, self.coverage, self.counts):
            part.setVisible(ready)

    def _start_import(self, _: object) -> None:
        self.project = self.project or self.choices.name
        self.changed.emit()
        self.strip.follow(self.project)
        self.context.tasks.send(
            self, Ingest(project=self.project), done=self._on_import_started, failed=self._on_failed
        )

    def _on_import_started(self, _: object) -> None:
        self.title.setText(self.tr("Your papers are being read"))
        self.message.setText(
            self.tr("A paper can be found as soon as its text is there. You can close this window: reading goes on.")
        )
        self.banner.hide()
        self._offer(True)
        self._ask_coverage()

    def _on_refused(self, error: CiteLoomError) -> None:
        if error.code == Code.INVALID_PROJECT:
            self.name_rejected.emit(str(error))
            return
        self._on_failed(error)

    def _on_failed(self, error: CiteLoomError) -> None:
        self.title.setText(self.tr("That did not work"))
        self._disconnected = error.code == Code.ENGINE_UNAVAILABLE
        self._show_error(error)

    def _on_connected(self, _: object) -> None:
        """Continue when a lost engine is back."""
        if self._disconnected:
            self._disconnected = False
            self.on_enter()

    def _show_error(self, error: CiteLoomError) -> None:
        self.banner.show_error(error, action=(self.tr("Try again"), self.on_enter))

    def _on_event(self, event: Event) -> None:
        if not isinstance(event, JobFinished) or not self.project or event.project_id != self.project:
            return
        self._ask_coverage()
        if event.error:
            self._show_error(event.error)
            return
        if event.state == "cancelled":
            self.title.setText(self.tr("Reading was stopped"))
            self.message.setText(self.tr("What has been read is kept; the next sync continues from there."))
            return
        self.title.setText(self.tr("Your papers have been read"))
        self.message.setText(self.tr("Whatever could be read can be searched and cited, page by page."))
        self.next.setText(self.tr("Next:"))
        result = import_result(event)
        if problems := [*(f"{e['source']}: {e['reason']}" for e in result.errors), *result.warnings]:
            lines, more = problems[:_MAX_PROBLEMS], len(problems) - _MAX_PROBLEMS
            if more > 0:
                lines.append(self.tr("{count} more are on the page Activity.").format(count=basics.number(more)))
            self.banner.show_message("\n".join(lines), warning=bool(result.errors))

    def _on_engine_status(self) -> None:
        if self.project and self.isVisible() and self.strip.jobs():
            self._ask_coverage()

    def _ask_coverage(self) -> None:
        """Request the coverage, one request at a time; a change meanwhile causes another one afterwards."""
        self._stale = self._asking
        if not self._asking:
            self._asking = True
            request = ShowProject(project=self.project)
            self.context.tasks.send(
                self, request, done=self._show_coverage, failed=lambda error: self._on_coverage_done()
            )

    def _on_coverage_done(self) -> None:
        self._asking = False
        if self._stale:
            self._ask_coverage()

    def _show_coverage(self, project: ProjectDetails) -> None:
        self.coverage.show_coverage(project.coverage)
        self.counts.setText(basics.coverage_text(project.coverage))
        self._on_coverage_done()

    def _go(self, page: str) -> None:
        self.page_requested.emit()  # first: closing the dialog opens the projects page
        self.context.open_page.emit(page, {"project": self.project})
