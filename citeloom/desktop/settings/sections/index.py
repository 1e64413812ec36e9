"""The section Index: the location of each project's index, moving and compacting it, and the server for new ones."""

from __future__ import annotations

from functools import partial
from typing import Any

from citeloom.api.events import Event, JobFinished, JobQueued
from citeloom.api.maintenance import (
    EMBEDDED,
    CompactIndex,
    CompactionStarted,
    IndexInfo,
    IndexList,
    JobOutcome,
    ListIndexes,
    LogInServer,
    LogOutServers,
    MoveIndex,
    MoveStarted,
    ServerLogin,
)
from citeloom.api.verbs import Request, decode
from citeloom.core import paths
from citeloom.core.errors import CiteLoomError
from citeloom.desktop.library.job_strip import JobStrip
from citeloom.desktop.settings.index_location import MoveDialog, NewIndexes
from citeloom.desktop.settings.key_login import KeyLogin
from citeloom.desktop.settings.rows import NumberRow
from citeloom.desktop.settings.section import Section
from citeloom.desktop.text import job_text
from citeloom.desktop.text.index_text import connection_text, key_text, location_text, size_text
from citeloom.desktop.widgets import basics
from citeloom.desktop.widgets.layout import Stretch, add, column, row
from citeloom.desktop.widgets.table import Column, RowsModel, Table

_SERVER = "index.server"
_ROWS = 4


class IndexSection(Section):
    """Shows and moves the index of each project, and sets the server and its key."""

    name = "index"
    wide = True

    def title(self) -> str:
        return self.tr("Index")

    def _build(self) -> None:
        self._jobs: dict[str, tuple[str, str]] = {}  # started on this page: id → kind and project
        self.dialog: MoveDialog | None = None
        self.projects = RowsModel[IndexInfo](
            "project",
            Column(self.tr("Project"), lambda index: index.project, 22),
            Column(self.tr("Where"), lambda index: location_text(index.place), 30),
            Column(self.tr("Passages"), lambda index: basics.number(index.passages), 10, number=True, fixed=True),
            Column(self.tr("Size"), size_text, 10, number=True, fixed=True),
            Column(self.tr("State"), connection_text, 0),
        )
        self.table = Table(self.projects, self.tr("Projects and the locations of their indexes"))
        self.table.setFixedHeight(self.table.verticalHeader().defaultSectionSize() * (_ROWS + 1) + basics.GAP)
        self.move_button = basics.button(self.tr("&Move…"), self._choose_location, icon_name="forward")
        self.compact_button = basics.button(
            self.tr("Com&pact"),
            self._compact,
            icon_name="fit",
            tip=self.tr("Rewrites the index without deleted passages: it becomes smaller and faster."),
        )
        self.hint = basics.text(muted=True)
        self.strip = JobStrip(self.context)
        self.new = NewIndexes(self.context)
        question = (
            self.tr("Delete the key?"),
            self.tr(
                "The key is deleted from this system’s keyring. Projects whose index is on a server that requires it"
                " cannot be searched until you log in again."
            ),
            self.tr("Delete it"),
        )
        name = self.tr("Key of the Qdrant server")
        self.key = KeyLogin(self.context, name, lambda key: LogInServer(key=key), LogOutServers(), question)
        self._lay_out()
        self.table.selectionModel().selectionChanged.connect(lambda *_: self._on_selection())
        self.strip.failed.connect(self.banner.show_error)
        self.new.picked.connect(partial(self.pick, _SERVER))
        self.key.logged_in.connect(self._on_logged_in)
        self.key.logged_out.connect(self.shown)
        self.key.failed.connect(self.banner.show_error)
        self.context.tasks.event_received.connect(self._on_event)
        self._on_selection()

    def shown(self) -> None:
        self.send(ListIndexes(), done=self._on_shown)

    def show_settings(self) -> None:
        super().show_settings()
        self.new.show_server(str(self.settings_file.value(_SERVER)))
        self.new.setEnabled(self.settings_file.usable)

    def _lay_out(self) -> None:
        text = self.tr(
            "Searches use an index (Qdrant), on this computer in {folder}. A Qdrant server is for libraries that are"
            " too large for one computer, or for computers that share one."
        )
        numbers = (
            NumberRow(
                "index.shards",
                self.tr("S&hards"),
                self.tr("How many parts an index is split into, across the servers of a cluster."),
                least=1,
                most=1000,
            ),
            NumberRow(
                "index.replicas",
                self.tr("&Replicas"),
                self.tr("Copies of each part, so that a server may fail."),
                least=1,
                most=100,
            ),
            NumberRow(
                "index.timeout_seconds",
                self.tr("&Timeout"),
                self.tr("How long to wait for a server’s answer."),
                least=1,
                most=3600,
                unit=self.tr("{number} s"),
            ),
        )
        add(
            self.inside,
            basics.text(text.format(folder=paths.index_folder()), muted=True),
            self.table,
            row(self.move_button, self.compact_button, (self.hint, 1)),
            self.strip,
            basics.text(self.tr("Location of the indexes of new projects"), bold=True),
            self.new,
            basics.text(self.tr("Qdrant servers"), bold=True),
            self.key,
            row(*((column(self.setting(one), Stretch()), 1) for one in numbers), spacing=2 * basics.GAP),
            Stretch(1),
        )

    def _on_shown(self, shown: IndexList) -> None:
        self.projects.set_rows(shown.projects)
        if shown.projects and self.table.chosen() is None:
            self.table.selectRow(0)
        self.key.show_key(shown.key, key_text(shown.key))
        self._on_selection()

    def _on_logged_in(self, login: ServerLogin) -> None:
        self.key.show_key(login.key, key_text(login.key))
        self.shown()

    def _on_selection(self) -> None:
        index = self.table.chosen()
        self.strip.follow(index.project if index else None)
        if not self.projects.rows:
            text = self.tr("There is no project yet.")
        elif index is None:
            text = self.tr("Choose a project.")
        elif not index.reachable:
            text = index.problem or ""
        elif index.place != EMBEDDED:
            text = self.tr("A server compacts its indexes by itself.")
        else:
            text = ""
        self.hint.setText(text)
        free = index is not None and not any(job.kind in ("move", "compact") for job in index.jobs)
        self.move_button.setEnabled(free)
        self.compact_button.setEnabled(free and index is not None and index.place == EMBEDDED)

    # -- moving, compacting ----------------------------------------------------------------------------------------

    def _choose_location(self) -> None:
        if index := self.table.chosen():
            self.dialog = MoveDialog(self.context, index, str(self.settings_file.value(_SERVER)), self)
            project = index.project
            self.dialog.agreed.connect(lambda to: self._start("move", project, MoveIndex(project=project, to=to)))
            self.dialog.open()

    def _compact(self) -> None:
        if index := self.table.chosen():
            self._start("compact", index.project, CompactIndex(project=index.project))

    def _start(self, kind: str, project: str, request: Request[Any]) -> None:
        for part in (self.move_button, self.compact_button):
            part.setEnabled(False)
        self.send(request, done=partial(self._on_started, kind, project), failed=self._on_refused)

    def _on_started(self, kind: str, project: str, started: MoveStarted | CompactionStarted) -> None:
        if started.job_id is not None:
            self._jobs[started.job_id] = kind, project
            self.banner.hide()
        self.shown()

    def _on_refused(self, error: CiteLoomError) -> None:
        self.banner.show_error(error)
        self._on_selection()

    def _on_event(self, event: Event) -> None:
        if not isinstance(event, JobQueued | JobFinished):
            return
        if isinstance(event, JobFinished) and (job := self._jobs.pop(event.job_id, None)):
            self._show_end(*job, event)
        if self.isVisible():
            self.shown()

    def _show_end(self, kind: str, project: str, finished: JobFinished) -> None:
        if finished.error:
            self.banner.show_error(finished.error)
        elif finished.state in ("done", "cancelled"):
            text = self.tr("Stopped: the index of “{project}” was not changed.").format(project=project)
            if finished.state == "done":
                text = f"“{project}”: {job_text.result_text(kind, finished.result)}"
            warnings = decode(finished.result, JobOutcome).warnings
            self.banner.show_message("\n".join([text, *warnings]), warning=bool(warnings))
