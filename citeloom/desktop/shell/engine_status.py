"""The engine's state as last reported. The tray and the window read it here, so that they agree."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

from PySide6.QtCore import QObject, Signal

from citeloom.api.engine import Status, StatusResult
from citeloom.api.events import EngineStopping, Event, JobFinished, JobProgress, JobQueued
from citeloom.api.importing import import_result
from citeloom.core.errors import CiteLoomError
from citeloom.core.jobs import Progress, RunningJob, combined_progress
from citeloom.desktop.shell.engine_tasks import EngineTasks, other_version
from citeloom.desktop.shell.translations import translate
from citeloom.desktop.text import job_text
from citeloom.desktop.widgets.basics import single_shot

_REFRESH_MS = 400  # many events at once make one request
# Reasons of a stop that is followed by a restart: not shown as a problem.
_RESTART_REASONS = ("settings changed", "a backup was restored", "the data folder is back")


@dataclass(frozen=True)
class EngineSnapshot:
    """Snapshot of the engine's state."""

    connected: bool = False
    problem: CiteLoomError | None = None  # why it cannot be reached
    other_version: str | None = None
    status: StatusResult | None = None
    jobs: dict[str, RunningJob] = field(default_factory=dict)  # queued and running, by id
    unseen_problems: tuple[str, ...] = ()  # problems that the user has not seen yet

    @property
    def paused(self) -> bool:
        """Whether imports are paused."""
        return self.status is not None and self.status.paused

    @property
    def settings_problem(self) -> str | None:
        """Why the settings file is not in force."""
        return self.status.settings_problem if self.status else None

    @property
    def progress(self) -> float | None:
        """The progress of all imports, or of another job, 0 to 1; None if unknown."""
        others = [job.share for job in self.jobs.values() if job.kind != job_text.IMPORT]
        share = combined_progress(self.imports).share
        return next(iter(others), None) if share is None else share

    @property
    def imports(self) -> list[RunningJob]:
        """The imports that are queued or running."""
        return [job for job in self.jobs.values() if job.kind == job_text.IMPORT]

    def summary(self) -> str:
        """Return the state as one line of text."""
        if self.problem:
            return self.problem.message
        if self.other_version:
            return translate("EngineSnapshot", "The engine has another version ({version})").format(
                version=self.other_version
            )
        if not self.connected:
            return translate("EngineSnapshot", "Starting …")
        if self.settings_problem:
            return translate("EngineSnapshot", "The settings file cannot be used")
        if self.unseen_problems:
            return self.unseen_problems[-1]
        coverage = self.status.coverage if self.status else None
        counts = translate("EngineSnapshot", "{searchable} of {documents} papers searchable").format(
            searchable=coverage.searchable if coverage else 0, documents=coverage.documents if coverage else 0
        )
        imports = combined_progress(self.imports)
        counts = job_text.counts_text(imports) or counts
        if self.paused:
            return translate("EngineSnapshot", "Paused: {counts}").format(counts=counts)
        if self.jobs and not self.imports:
            first = next(iter(self.jobs.values()))
            return job_text.title(first.kind, first.project)
        if self.jobs and all(job.waits_for for job in self.jobs.values()):
            return translate("EngineSnapshot", "Waiting: {counts}").format(counts=counts)
        if self.jobs:
            counts = " · ".join(filter(None, (counts, job_text.seconds_text(imports))))
            return translate("EngineSnapshot", "Reading: {counts}").format(counts=counts)
        if not (self.status and self.status.projects):
            return translate("EngineSnapshot", "No project yet")
        return translate("EngineSnapshot", "Up to date: {counts}").format(counts=counts)


class EngineStatus(QObject):
    """Keeps an `EngineSnapshot` up to date from the engine's events, and emits a signal when it changes."""

    changed = Signal()
    notice = Signal(str, str, bool)  # title, text, whether it is a problem; one per finished job or problem

    def __init__(self, tasks: EngineTasks, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._tasks = tasks
        self.current = EngineSnapshot()
        self._restarting = False
        self._finished_imports: dict[str, list[JobFinished]] = {}  # by project, until the last one finishes
        self._waiting: dict[str, tuple[str, int, int]] = {}  # by project: id and progress of the waiting import
        self._refresh = single_shot(self, _REFRESH_MS, self._request_status)
        tasks.event_received.connect(self._on_event)
        tasks.connected.connect(self._on_connected)
        tasks.disconnected.connect(self._on_disconnected)

    def mark_seen(self) -> None:
        """Mark all problems as seen."""
        self._set(unseen_problems=())

    def _on_connected(self, status: StatusResult) -> None:
        jobs = {job.job_id: job for job in status.jobs}
        self._set(connected=True, problem=None, other_version=other_version(), status=status, jobs=jobs)

    def _on_disconnected(self, error: CiteLoomError) -> None:
        problem = None if self._restarting else error
        self._restarting = False
        self._set(connected=False, problem=problem, other_version=other_version(), jobs={})

    def _on_event(self, event: Event) -> None:
        match event:
            case EngineStopping():
                self._restarting = event.reason in _RESTART_REASONS
                return
            case JobQueued():
                job = RunningJob(job_id=event.job_id, project=event.project_id, kind=event.kind)
                self._set(jobs={**self.current.jobs, event.job_id: job})
            case JobProgress():
                self._set(jobs={**self.current.jobs, event.job_id: self._updated_job(event)})
                self._notify_waiting(event)
            case JobFinished():
                self._set(jobs={key: job for key, job in self.current.jobs.items() if key != event.job_id})
                if event.kind == job_text.IMPORT:
                    self._on_import_finished(event)
                else:
                    self._notify_finished_job(event)
        if not self._refresh.isActive():
            self._refresh.start()

    def _updated_job(self, event: JobProgress) -> RunningJob:
        known = self.current.jobs.get(event.job_id)
        known = known or RunningJob(job_id=event.job_id, project=event.project_id, state="running")
        return replace(known, **_progress(event))

    def _request_status(self) -> None:
        self._tasks.send(self, Status(), done=self._on_status, failed=lambda error: None)

    def _on_status(self, status: StatusResult) -> None:
        known = self.current.jobs
        # The progress of the last event may be newer than that of the status; only the status has the state.
        jobs = {
            job.job_id: replace(job, **_progress(before)) if (before := known.get(job.job_id)) and before.stage else job
            for job in status.jobs
        }
        self._set(connected=True, problem=None, status=status, jobs=jobs)

    def _on_import_finished(self, event: JobFinished) -> None:
        """Notify once, when the last import of a project finishes: 200 dropped files are 200 imports."""
        project = event.project_id
        self._finished_imports.setdefault(project, []).append(event)
        if not any(job.project == project and job.kind == job_text.IMPORT for job in self.current.jobs.values()):
            self._notify_imports(project, self._finished_imports.pop(project))

    def _notify_imports(self, project: str, events: list[JobFinished]) -> None:
        errors = [event.error for event in events if event.error]
        if errors:
            self._add_problem(self.tr("The import of {project} failed").format(project=project), errors[0].message)
            return
        results = [import_result(event) for event in events]
        processed, failed = sum(r.documents_processed for r in results), sum(r.failed for r in results)
        if held_back := sum(r.held_back for r in results):
            text = self.tr("{count} papers are no longer in their source; they are kept until you decide.")
            self._add_problem(
                self.tr("{project}: a sync needs your decision").format(project=project), text.format(count=held_back)
            )
        elif failed:
            text = self.tr("{failed} could not be read, {processed} were read. The list of papers shows why.")
            self._add_problem(
                self.tr("{project}: some papers could not be read").format(project=project),
                text.format(failed=failed, processed=processed),
            )
        elif processed and any(event.state == "done" for event in events):
            text = self.tr("{count} papers were read; {passages} passages can be cited.")
            self.notice.emit(
                self.tr("{project} is up to date").format(project=project),
                text.format(count=processed, passages=sum(r.chunks_written for r in results)),
                False,
            )

    def _notify_waiting(self, event: JobProgress) -> None:
        """Notify what an import waits for, once until it has made progress."""
        steps = (event.job_id, event.searchable, event.done)
        if event.waits_for and self._waiting.get(event.project_id) != steps:
            self._waiting[event.project_id] = steps
            self.notice.emit(
                self.tr("{project}: an import waits").format(project=event.project_id), event.waits_for, True
            )

    def _notify_finished_job(self, event: JobFinished) -> None:
        done, failed = {
            "move": (self.tr("{project}: the index was moved"), self.tr("The index of {project} could not be moved")),
            "compact": (
                self.tr("{project}: the index was compacted"),
                self.tr("The index of {project} could not be compacted"),
            ),
            "backup": (self.tr("The backup is complete"), self.tr("The backup could not be made")),
        }[event.kind]
        if event.error:
            self._add_problem(failed.format(project=event.project_id), event.error.message)
        elif event.state == "done":
            message = job_text.result_text(event.kind, event.result)
            self.notice.emit(done.format(project=event.project_id), message, False)

    def _add_problem(self, title: str, text: str) -> None:
        self._set(unseen_problems=(*self.current.unseen_problems, title)[-20:])
        self.notice.emit(title, text, True)

    def _set(self, **values: Any) -> None:
        self.current = replace(self.current, **values)
        self.changed.emit()


def _progress(of: Progress) -> dict[str, Any]:
    return {name: getattr(of, name) for name in Progress.__dataclass_fields__}
